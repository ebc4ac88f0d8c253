import type { GlobalSecondaryIndexInput, LocalSecondaryIndexInput } from '../schema/table-definition.ts';
import type { AttributeDefinition, KeySchemaElement, ProvisionedThroughput } from '../catalog/table-description.ts';
import type { CreateTableRequest } from '../schema/create-table-request.ts';

/** Requests for tests of the engine, in few words. */

/** `keys('PK', 'SK')`: HASH and RANGE. */
export function keys(hash: string, range?: string): readonly KeySchemaElement[] {
  return [
    { attributeName: hash, keyType: 'HASH' },
    ...(range === undefined ? [] : [{ attributeName: range, keyType: 'RANGE' } as const]),
  ];
}

/** `strings('PK', 'SK')`: definitions of type S. */
export function strings(...attributeNames: readonly string[]): readonly AttributeDefinition[] {
  return attributeNames.map((attributeName) => ({ attributeName, attributeType: 'S' }));
}

/** An index that projects everything. */
export function index(
  indexName: string,
  hash: string,
  range?: string,
): GlobalSecondaryIndexInput & LocalSecondaryIndexInput {
  return { indexName, keySchema: keys(hash, range), projection: { projectionType: 'ALL' } };
}

export function units(readCapacityUnits: number, writeCapacityUnits: number): ProvisionedThroughput {
  return { readCapacityUnits, writeCapacityUnits };
}

/** An on-demand table with partition key PK, changed as given. */
export function onDemandTable(changes: Partial<CreateTableRequest> = {}): CreateTableRequest {
  return {
    tableName: 'Table',
    attributeDefinitions: strings('PK'),
    keySchema: keys('PK'),
    billingMode: 'PAY_PER_REQUEST',
    ...changes,
  };
}

/** A provisioned table with partition key PK, changed as given. */
export function provisionedTable(changes: Partial<CreateTableRequest> = {}): CreateTableRequest {
  return {
    tableName: 'Table',
    attributeDefinitions: strings('PK'),
    keySchema: keys('PK'),
    provisionedThroughput: units(5, 5),
    ...changes,
  };
}
