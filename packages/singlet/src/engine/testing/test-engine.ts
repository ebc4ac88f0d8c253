import type { AttributeMap } from '../../values/attribute-value.ts';
import { createTable } from '../operations/create-table.ts';
import type { CreateTableRequest } from '../schema/create-table-request.ts';
import type { ItemOutput } from '../layout/stored-item.ts';
import { StoredItem } from '../layout/stored-item.ts';
import type { Table } from '../catalog/table.ts';
import { findInconsistencies } from './consistency.ts';
import { testContext, type TestServices } from './test-services.ts';

/** Creates a table and returns it. */
export async function createdTable(
  services: TestServices,
  request: Partial<CreateTableRequest> & Pick<CreateTableRequest, 'tableName'>,
): Promise<Table> {
  await createTable(services, { billingMode: 'PAY_PER_REQUEST', ...request }, testContext);
  return presentTable(services, request.tableName);
}

/** The table as it is now. */
export async function presentTable(services: TestServices, tableName: string): Promise<Table> {
  const table = await services.catalog.load(testContext, tableName);
  if (table === undefined) throw new Error(`there is no table ${tableName}`);
  return table;
}

/** @returns the inconsistencies between a table and the data derived from it. */
export async function inconsistencies(services: TestServices, tableName: string): Promise<readonly string[]> {
  return findInconsistencies(services.store, await presentTable(services, tableName));
}

/** The item of an answer as a map. */
export function mapOf(item: ItemOutput | undefined): AttributeMap | undefined {
  return item instanceof StoredItem ? item.toMap() : item;
}

/** `pk` and `sk`, both strings. */
export const compositeKey: Pick<CreateTableRequest, 'keySchema' | 'attributeDefinitions'> = {
  keySchema: [
    { attributeName: 'pk', keyType: 'HASH' },
    { attributeName: 'sk', keyType: 'RANGE' },
  ],
  attributeDefinitions: [
    { attributeName: 'pk', attributeType: 'S' },
    { attributeName: 'sk', attributeType: 'S' },
  ],
};

/** {@link compositeKey} with a local index `byRank` by the number `rank`, which holds the keys only. */
export const rankedKey: Pick<CreateTableRequest, 'keySchema' | 'attributeDefinitions' | 'localSecondaryIndexes'> = {
  keySchema: compositeKey.keySchema,
  attributeDefinitions: [...(compositeKey.attributeDefinitions ?? []), { attributeName: 'rank', attributeType: 'N' }],
  localSecondaryIndexes: [
    {
      indexName: 'byRank',
      keySchema: [
        { attributeName: 'pk', keyType: 'HASH' },
        { attributeName: 'rank', keyType: 'RANGE' },
      ],
      projection: { projectionType: 'KEYS_ONLY' },
    },
  ],
};
