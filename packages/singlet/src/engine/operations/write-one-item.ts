import type { Awaitable } from '../../values/awaitable.ts';
import { writeConsumedCapacity } from '../capacity/write-capacity.ts';
import { type ItemCollectionMetrics, itemCollectionMetrics } from '../capacity/item-collection-metrics.ts';
import type {
  ConsumedCapacity,
  ReturnConsumedCapacity,
  ReturnItemCollectionMetrics,
} from '../capacity/consumed-capacity.ts';
import type { RequestContext } from '../environment.ts';
import type { ItemWrite, ItemWriteOutcome } from '../followers/item-write.ts';
import type { ItemOutput } from '../layout/stored-item.ts';
import { writeItem } from '../items/write-item.ts';
import type { EngineServices } from '../services.ts';
import type { Table } from '../catalog/table.ts';
import { rethrowConflict } from './store-conflict.ts';

/** The answer of PutItem, UpdateItem and DeleteItem. */
export interface WriteItemResult {
  readonly attributes?: ItemOutput;
  readonly consumedCapacity?: ConsumedCapacity;
  readonly itemCollectionMetrics?: ItemCollectionMetrics;
}

/** The common part of PutItem, UpdateItem and DeleteItem: one item, one decision. */
export function writeOneItem(
  services: EngineServices,
  context: RequestContext,
  request: {
    readonly tableName: string;
    readonly returnConsumedCapacity?: ReturnConsumedCapacity | undefined;
    readonly returnItemCollectionMetrics?: ReturnItemCollectionMetrics | undefined;
  },
  planWrite: (table: Table) => ItemWrite,
  attributesOf: (outcome: ItemWriteOutcome) => ItemOutput | undefined,
): Awaitable<WriteItemResult> {
  return services.catalog.withTable(context, request.tableName, (table) => {
    const write = planWrite(table);
    return writeItem(services, write).then((outcome) => {
      const attributes = attributesOf(outcome);
      const consumedCapacity = writeConsumedCapacity(table, [outcome], request.returnConsumedCapacity);
      const metrics = itemCollectionMetrics(table, write.key.attributes, outcome, request.returnItemCollectionMetrics);
      return {
        ...(attributes !== undefined && { attributes }),
        ...(consumedCapacity !== undefined && { consumedCapacity }),
        ...(metrics !== undefined && { itemCollectionMetrics: metrics }),
      };
    }, rethrowConflict);
  });
}
