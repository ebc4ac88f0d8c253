import { serviceLimits } from './limits.ts';

/**
 * The consistency of a read. A transactional read costs twice a strongly consistent one, an eventually consistent read
 * half of it.
 */
export type ReadConsistency = 'eventual' | 'strong' | 'transactional';

const readFactors = { eventual: 0.5, strong: 1, transactional: 2 } as const;

/**
 * Read capacity units for reading this many bytes at once: one item, or all items that a page of Query or Scan evaluated
 * (their sizes are added first and rounded up once). Reading nothing (0 bytes, a missing item) costs the minimum.
 *
 * @see DynamoDB Developer Guide, "DynamoDB read and write operations"
 */
export function readCapacityUnits(sizeBytes: number, consistency: ReadConsistency): number {
  return unitCount(sizeBytes, serviceLimits.readCapacityUnitBytes) * readFactors[consistency];
}

/**
 * Write capacity units for writing one item of this many bytes (for an update, the larger of before and after; for a
 * delete, the deleted item). Twice as many in a transaction; a write that changed nothing (0 bytes) costs the minimum.
 */
export function writeCapacityUnits(sizeBytes: number, transactional: boolean): number {
  return unitCount(sizeBytes, serviceLimits.writeCapacityUnitBytes) * (transactional ? 2 : 1);
}

function unitCount(sizeBytes: number, unitBytes: number): number {
  return Math.max(1, Math.ceil(sizeBytes / unitBytes));
}
