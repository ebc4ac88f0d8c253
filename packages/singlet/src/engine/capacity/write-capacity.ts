import type { ItemWriteOutcome } from '../followers/item-write.ts';
import type { Table } from '../catalog/table.ts';
import type { Capacity, ConsumedCapacity, ReturnConsumedCapacity } from './consumed-capacity.ts';

/**
 * What writes on one table consumed, in the requested form; undefined when it was not requested.
 *
 * Transactions count the table's part twice and report reads and writes separately; index entries count once in either case.
 */
export function writeConsumedCapacity(
  table: Table,
  outcomes: readonly ItemWriteOutcome[],
  returnConsumedCapacity: ReturnConsumedCapacity | undefined,
  options: { readonly transactional?: boolean } = {},
): ConsumedCapacity | undefined {
  if (returnConsumedCapacity === undefined || returnConsumedCapacity === 'NONE') return undefined;
  const transactional = options.transactional ?? false;
  const capacity = (units: number): Capacity =>
    transactional ? { capacityUnits: units, writeCapacityUnits: units } : { capacityUnits: units };

  let tableUnits = 0;
  const localUnits = new Map<string, number>();
  const globalUnits = new Map<string, number>();
  const vectorBytes = new Map<string, number>();
  for (const outcome of outcomes) {
    tableUnits += outcome.tableCapacityUnits * (transactional ? 2 : 1);
    for (const { index, capacityUnits, vectorWriteRequestBytes } of outcome.indexChanges) {
      if (index.kind === 'vector') {
        vectorBytes.set(index.indexName, (vectorBytes.get(index.indexName) ?? 0) + vectorWriteRequestBytes);
        continue;
      }
      const units = index.kind === 'local' ? localUnits : globalUnits;
      units.set(index.indexName, (units.get(index.indexName) ?? 0) + capacityUnits);
    }
  }
  const total = tableUnits + sum(localUnits) + sum(globalUnits);
  const byIndex = (units: ReadonlyMap<string, number>): Record<string, Capacity> =>
    Object.fromEntries(Array.from(units, ([indexName, indexUnits]) => [indexName, capacity(indexUnits)]));
  return {
    tableName: table.tableName,
    ...capacity(total),
    ...(returnConsumedCapacity === 'INDEXES' && {
      table: capacity(tableUnits),
      ...(localUnits.size > 0 && { localSecondaryIndexes: byIndex(localUnits) }),
      ...(globalUnits.size > 0 && { globalSecondaryIndexes: byIndex(globalUnits) }),
      ...(vectorBytes.size > 0 && {
        vectorIndexes: Object.fromEntries(
          Array.from(vectorBytes, ([indexName, bytes]) => [indexName, { vectorWriteRequestBytes: bytes }]),
        ),
      }),
    }),
  };
}

function sum(units: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const value of units.values()) total += value;
  return total;
}
