import { describe, expect, test } from 'vitest';
import { createTable } from '../operations/create-table.ts';
import { updateTable } from '../operations/update-table.ts';
import { index, onDemandTable, strings } from '../testing/table-requests.ts';
import { createdTable, presentTable } from '../testing/test-engine.ts';
import { testContext, testServices } from '../testing/test-services.ts';
import { vectorIndex, vectorTable } from '../testing/vector-tables.ts';
import type { SearchSchemaElement, VectorIndexDefinition } from '../catalog/table-description.ts';

const tableName = 'Table';

const elements = (
  searchSchemaElementType: SearchSchemaElement['searchSchemaElementType'],
  ...names: readonly string[]
): readonly SearchSchemaElement[] => names.map((attributeName) => ({ attributeName, searchSchemaElementType }));

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `filter-${at}`);

async function creation(changes: Partial<VectorIndexDefinition>, ...attributes: readonly string[]): Promise<unknown> {
  return createTable(testServices(), vectorTable([vectorIndex(changes)], ...attributes), testContext);
}

describe('definitions of vector indexes', () => {
  test('have one partition key at most, and as many filters as the service allows', async () => {
    const searchSchema = elements('HASH', 'a', 'b');
    await expect(creation({ searchSchema }, 'a', 'b')).rejects.toThrow(
      "Value '2' at 'SearchSchema' failed to satisfy constraint: Member must have HASH count less than or equal to 1",
    );
    const filters = elements('INLINE_FILTER', ...names(19));
    await expect(creation({ searchSchema: filters }, ...names(19))).rejects.toThrow(
      'Member must have INLINE_FILTER count less than or equal to 18',
    );
    await creation({ searchSchema: [...elements('HASH', 'a'), ...filters.slice(1)] }, 'a', ...names(19).slice(1));
  });

  test('name an attribute of the search schema once', async () => {
    const searchSchema = [...elements('HASH', 'a'), ...elements('INLINE_FILTER', 'a')];
    await expect(creation({ searchSchema }, 'a')).rejects.toThrow('SearchSchema contains a duplicate AttributeName');
  });

  test('define no attribute that is not used', async () => {
    await expect(creation({}, 'unused')).rejects.toThrow('Some AttributeDefinitions are not used');
  });

  test('count with all that is projected: the vector, the filters, and what is named', async () => {
    const nonKeyAttributes = Array.from({ length: 20 }, (_, at) => `projected-${at}`);
    const large = (indexName: string): VectorIndexDefinition =>
      vectorIndex({ indexName, projection: { projectionType: 'INCLUDE', nonKeyAttributes } });
    const four = ['one', 'two', 'three', 'four'].map(large);
    await createTable(testServices(), vectorTable(four), testContext);
    await expect(createTable(testServices(), vectorTable([...four, large('five')]), testContext)).rejects.toThrow(
      'Number of NonKeyAttributes in all secondary indexes exceeds per-table limit of 100',
    );
  });

  test('share their names with the other indexes of the table', async () => {
    const request = vectorTable([vectorIndex({ indexName: 'same' })], 'a');
    const globalSecondaryIndexes = [index('same', 'a')];
    await expect(createTable(testServices(), { ...request, globalSecondaryIndexes }, testContext)).rejects.toThrow(
      'Duplicate index name: same',
    );
  });
});

describe('updates of vector indexes', () => {
  test('ask for one thing each', async () => {
    const services = testServices();
    await createdTable(services, onDemandTable());
    const update = (vectorIndexUpdates: readonly object[]): Promise<unknown> =>
      updateTable(services, { tableName, vectorIndexUpdates }, testContext);
    await expect(update([])).rejects.toThrow('List of VectorIndexUpdates is empty');
    await expect(update([{}])).rejects.toThrow('must not be null');
    await expect(update([{ create: vectorIndex(), delete: { indexName: 'vectors' } }])).rejects.toThrow(
      'Only one vector index action is allowed',
    );
    await expect(update([{ delete: { indexName: 'vectors' } }])).rejects.toThrow(
      'Requested resource not found: Index vectors for table Table',
    );
  });

  test('keep the definitions that other indexes use, and no others', async () => {
    const services = testServices();
    await createdTable(services, onDemandTable());
    const searchSchema = [...elements('HASH', 'a'), ...elements('INLINE_FILTER', 'b')];
    const attributeDefinitions = strings('a', 'b', 'unused');
    const create = vectorIndex({ searchSchema });
    await updateTable(services, { tableName, attributeDefinitions, vectorIndexUpdates: [{ create }] }, testContext);
    await services.tasks.settle();
    const globalSecondaryIndexUpdates = [{ create: index('gsi', 'a') }];
    await updateTable(services, { tableName, attributeDefinitions, globalSecondaryIndexUpdates }, testContext);
    await services.tasks.settle();
    const defined = async (): Promise<readonly string[]> =>
      (await presentTable(services, tableName)).record.attributeDefinitions.map(({ attributeName }) => attributeName);
    expect(await defined()).toEqual(['PK', 'a', 'b']);
    const remove = { tableName, vectorIndexUpdates: [{ delete: { indexName: 'vectors' } }] };
    await updateTable(services, remove, testContext);
    await services.tasks.settle();
    expect(await defined()).toEqual(['PK', 'a']);
  });
});
