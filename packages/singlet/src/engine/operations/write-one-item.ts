import { writeConsumedCapacity } from '../capacity/write-capacity.ts';
import { itemCollectionMetrics } from '../capacity/item-collection-metrics.ts';
import type { ReturnConsumedCapacity, ReturnItemCollectionMetrics } from '../capacity/consumed-capacity.ts';
import { ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import { type ItemWrite, type ItemWriteOutcome, ItemWritePlan } from '../items/item-write.ts';
import type { ItemOutput } from '../items/stored-item.ts';
import type { EngineServices } from '../services.ts';
import type { Table } from '../tables/table.ts';
import type { WriteItemResult } from './put-item.ts';

/** The common part of PutItem, UpdateItem and DeleteItem: one item, one decision. */
export async function writeOneItem(
  services: EngineServices,
  context: RequestContext,
  request: {
    readonly tableName: string;
    readonly returnConsumedCapacity?: ReturnConsumedCapacity | undefined;
    readonly returnItemCollectionMetrics?: ReturnItemCollectionMetrics | undefined;
  },
  planWrite: (table: Table) => ItemWrite,
  attributesOf: (outcome: ItemWriteOutcome) => ItemOutput | undefined,
): Promise<WriteItemResult> {
  return services.catalog.withTable(context, request.tableName, async (table) => {
    const write = planWrite(table);
    const outcome = await writeItem(services, write);
    const attributes = attributesOf(outcome);
    const consumedCapacity = writeConsumedCapacity(table, [outcome], request.returnConsumedCapacity);
    const metrics = itemCollectionMetrics(table, write.key.attributes, outcome, request.returnItemCollectionMetrics);
    return {
      ...(attributes !== undefined && { attributes }),
      ...(consumedCapacity !== undefined && { consumedCapacity }),
      ...(metrics !== undefined && { itemCollectionMetrics: metrics }),
    };
  });
}

/** Writes one item durably. @throws what refuses the write, and StaleTableError for the catalog's retry. */
export async function writeItem(services: EngineServices, write: ItemWrite): Promise<ItemWriteOutcome> {
  const plan = new ItemWritePlan([write], services.limits);
  await plan.prepare(services.store);
  return services.store.write(plan.keys, (values) => {
    const { writes, outcomes } = plan.decide(values, (error) => {
      throw error;
    });
    return { writes, answer: outcomes[0] as ItemWriteOutcome }; // one write that was not refused has one outcome
  });
}

/**
 * Runs the checks of PutItem, UpdateItem and DeleteItem that need no table. In front of what they find, and of nothing else, the
 * service puts the words with which it also counts violated constraints.
 *
 * @throws {ValidationException}
 */
export function checkWriteRequest<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ValidationException)) throw error;
    throw new ValidationException(`1 validation error detected: ${error.message}`);
  }
}
