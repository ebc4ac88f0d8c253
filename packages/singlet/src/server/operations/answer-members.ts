import type {
  Capacity,
  ConsumedCapacity,
  ItemCollectionMetrics,
  VectorCapacity,
  WriteItemResult,
} from '../../engine/index.ts';
import {
  answerByTable,
  attributes,
  double,
  item,
  list,
  map,
  pair,
  result,
  type Shape,
  tableName,
} from '../shapes/shape.ts';

/** Members that several answers share. */

const capacity: Shape<Capacity> = result<Capacity>({
  capacityUnits: double,
  readCapacityUnits: double,
  writeCapacityUnits: double,
});

export const vectorCapacity: Shape<VectorCapacity> = result<VectorCapacity>({
  vectorSearchRequestBytes: double,
  vectorWriteRequestBytes: double,
});

export const consumedCapacity: Shape<ConsumedCapacity> = result<ConsumedCapacity>({
  tableName: tableName(),
  capacityUnits: double,
  readCapacityUnits: double,
  writeCapacityUnits: double,
  table: capacity,
  localSecondaryIndexes: map(capacity),
  globalSecondaryIndexes: map(capacity),
  vectorIndexes: map(vectorCapacity),
});

export const itemCollectionMetrics: Shape<ItemCollectionMetrics> = result<ItemCollectionMetrics>({
  itemCollectionKey: attributes,
  sizeEstimateRangeGB: pair(double),
});

export const itemCollectionMetricsByTable: Shape<Readonly<Record<string, readonly ItemCollectionMetrics[]>>> =
  answerByTable(list(itemCollectionMetrics));

/** The answer of PutItem, UpdateItem and DeleteItem. */
export const writeItemResult: Shape<WriteItemResult> = result<WriteItemResult>({
  attributes: item,
  consumedCapacity,
  itemCollectionMetrics,
});
