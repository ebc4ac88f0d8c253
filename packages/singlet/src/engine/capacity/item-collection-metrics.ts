import {
  type AttributeMap,
  getAttribute,
  type MutableAttributeMap,
  setAttribute,
} from '../../values/attribute-value.ts';
import type { ItemWriteOutcome } from '../followers/item-write.ts';
import type { Table } from '../catalog/table.ts';
import type { ReturnItemCollectionMetrics } from './consumed-capacity.ts';

export interface ItemCollectionMetrics {
  /** The partition key attribute and its value. */
  readonly itemCollectionKey: AttributeMap;
  /** Lower and upper bound of the collection's size, in GB. */
  readonly sizeEstimateRangeGB: readonly [number, number];
}

const gigabyte = 1024 ** 3;

/** The metrics of a write, when requested and the table has a local index; undefined otherwise. */
export function itemCollectionMetrics(
  table: Table,
  key: AttributeMap,
  outcome: ItemWriteOutcome,
  returnItemCollectionMetrics: ReturnItemCollectionMetrics | undefined,
): ItemCollectionMetrics | undefined {
  if (returnItemCollectionMetrics !== 'SIZE' || outcome.collectionSizeBytes === undefined) return undefined;
  const { attributeName } = table.partitionKey;
  const partitionValue = getAttribute(key, attributeName);
  const itemCollectionKey: MutableAttributeMap = {};
  if (partitionValue !== undefined) setAttribute(itemCollectionKey, attributeName, partitionValue);
  // The service returns whole gigabytes around its estimate. Ours is exact, so the bounds are the whole numbers around it.
  const lower = Math.floor(outcome.collectionSizeBytes / gigabyte);
  return { itemCollectionKey, sizeEstimateRangeGB: [lower, lower + 1] };
}
