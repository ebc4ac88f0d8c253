import type { SecondaryIndex, Table } from '../catalog/table.ts';
import type { Capacity, ConsumedCapacity, ReturnConsumedCapacity } from './consumed-capacity.ts';

/** What a read took from a table and, when it went through one, from an index. */
export interface ReadUnits {
  readonly tableUnits: number;
  readonly index?: { readonly index: SecondaryIndex; readonly units: number };
}

/** What a read consumed, in the form that was asked for; undefined when it was not asked for. */
export function readConsumedCapacity(
  table: Table,
  { tableUnits, index }: ReadUnits,
  returnConsumedCapacity: ReturnConsumedCapacity | undefined,
  options: { readonly transactional?: boolean } = {},
): ConsumedCapacity | undefined {
  if (returnConsumedCapacity === undefined || returnConsumedCapacity === 'NONE') return undefined;
  const capacity = (units: number): Capacity =>
    options.transactional === true ? { capacityUnits: units, readCapacityUnits: units } : { capacityUnits: units };
  const ofIndex = index && { [index.index.indexName]: capacity(index.units) };
  return {
    tableName: table.tableName,
    ...capacity(tableUnits + (index?.units ?? 0)),
    ...(returnConsumedCapacity === 'INDEXES' && {
      table: capacity(tableUnits),
      ...(ofIndex !== undefined &&
        (index?.index.kind === 'local' ? { localSecondaryIndexes: ofIndex } : { globalSecondaryIndexes: ofIndex })),
    }),
  };
}
