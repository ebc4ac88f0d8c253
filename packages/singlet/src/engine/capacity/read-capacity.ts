import type { SecondaryIndex, Table } from '../catalog/table.ts';
import type { Capacity, ConsumedCapacity, ReturnConsumedCapacity } from './consumed-capacity.ts';

/** The units that a read consumed from a table and, if it used one, from an index. */
export interface ReadUnits {
  readonly tableUnits: number;
  readonly index?: { readonly index: SecondaryIndex; readonly units: number };
}

/** The consumption of a read, in the requested form; undefined when it was not requested. */
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
