import { compareScalars } from '../../values/compare.ts';
import { ValidationException } from '../../values/service-error.ts';
import type { Condition } from '../../expressions/index.ts';
import type { ConditionTree } from '../../partiql/index.ts';
import type { KeyRange } from '../items/key-range.ts';
import type { KeyBranch, KeyTerm } from './key-branches.ts';

/** One of the reads of a SELECT: a range of keys, in one partition unless it is a scan. */
export interface PlannedRead extends KeyRange {
  /** GetItem if it can find at most one item of the table. */
  readonly operation: 'GetItem' | 'Query' | 'Scan';
  readonly keyTerms: readonly KeyTerm[];
  readonly filterTrees: readonly ConditionTree[];
  readonly filter: Condition | undefined;
}

/** A read with the values that determine its order. */
export interface OrderedRead extends PlannedRead {
  readonly partition: KeyBranch['partition'];
}

/** By partition key, then by sort key. */
export function byPartition(a: OrderedRead, b: OrderedRead): number {
  const order = a.partition && b.partition && compareScalars(a.partition, b.partition);
  return order === undefined || order === 0 ? a.from.compare(b.from) : order;
}

/** @throws {ValidationException} if an item could be found twice. */
export function checkNoOverlap(reads: readonly KeyRange[]): void {
  const ranges = reads.filter(({ from, to }) => from.compare(to) < 0).toSorted((a, b) => a.from.compare(b.from));
  let end: Buffer | undefined;
  for (const { from, to } of ranges) {
    if (end !== undefined && from.compare(end) < 0) throw overlap();
    if (end === undefined || to.compare(end) > 0) end = to;
  }
}

function overlap(): ValidationException {
  return new ValidationException('Overlapping conditions with range keys are not supported in where clause');
}
