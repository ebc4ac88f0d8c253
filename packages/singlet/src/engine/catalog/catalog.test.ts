import { describe, expect, test } from 'vitest';
import { ResourceNotFoundException } from '../../values/service-error.ts';
import { deleteTable } from '../operations/delete-table.ts';
import { getItem } from '../operations/get-item.ts';
import { putItem } from '../operations/put-item.ts';
import { query } from '../operations/query.ts';
import { searchVectors, type SearchVectorsResult } from '../operations/search-vectors.ts';
import { updateTable } from '../operations/update-table.ts';
import { compositeKey, createdTable, inconsistencies, mapOf, presentTable } from '../testing/test-engine.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';

const tableName = 'shared';
const item = { pk: { S: 'p' }, sk: { S: 's' }, g: { S: 'g' } };
const key = { pk: { S: 'p' }, sk: { S: 's' } };

const vectorIndex = {
  vectorAttribute: { attributeName: 'v' },
  dimensions: 1,
  distanceFunction: 'COSINE',
  projection: { projectionType: 'ALL' },
} as const;

const search = (services: TestServices): Promise<SearchVectorsResult> =>
  searchVectors(services, { tableName, indexName: 'vectors', searchVector: [{ N: '1' }], topK: 1 }, testContext);

/** Two engines on one store, like two processes, each with its own catalog. */
async function twoEngines(): Promise<{ readonly here: TestServices; readonly there: TestServices }> {
  const here = testServices();
  const there = testServices({ store: here.store, seed: 2 });
  await createdTable(here, { tableName, ...compositeKey });
  await putItem(here, { tableName, item }, testContext);
  await putItem(there, { tableName, item }, testContext);
  return { here, there };
}

describe('two engines on one store', () => {
  test('see each other’s items at once', async () => {
    const { here, there } = await twoEngines();
    await putItem(there, { tableName, item: { ...item, n: { N: '1' } } }, testContext);
    expect(mapOf((await getItem(here, { tableName, key }, testContext)).item)).toMatchObject({ n: { N: '1' } });
  });

  test('a table deleted by one is gone for the other, and a new one of its name is another', async () => {
    const { here, there } = await twoEngines();
    await deleteTable(here, { tableName }, testContext);
    await expect(getItem(there, { tableName, key }, testContext)).rejects.toBeInstanceOf(ResourceNotFoundException);
    await expect(putItem(there, { tableName, item }, testContext)).rejects.toBeInstanceOf(ResourceNotFoundException);
    await createdTable(here, { tableName, ...compositeKey });
    expect(await getItem(there, { tableName, key }, testContext)).toEqual({});
  });

  test('an index added by one is written by the other from its next write on', async () => {
    const { here, there } = await twoEngines();
    await updateTable(
      here,
      {
        tableName,
        attributeDefinitions: [{ attributeName: 'g', attributeType: 'S' }],
        globalSecondaryIndexUpdates: [
          {
            create: {
              indexName: 'byG',
              keySchema: [{ attributeName: 'g', keyType: 'HASH' }],
              projection: { projectionType: 'ALL' },
            },
          },
        ],
      },
      testContext,
    );
    await putItem(there, { tableName, item: { ...item, sk: { S: 'later' } } }, testContext);
    await here.tasks.settle();
    expect(await inconsistencies(here, tableName)).toEqual([]);
    const page = await query(
      there,
      {
        tableName,
        indexName: 'byG',
        keyConditionExpression: 'g = :g',
        expressionAttributeValues: { ':g': { S: 'g' } },
      },
      testContext,
    );
    expect(page.count).toBe(2);
  });

  test('what one has been refused for an index that was not complete it gets once the other has completed it', async () => {
    const { here, there } = await twoEngines();
    const create = { indexName: 'vectors', ...vectorIndex };
    const held = testServices({ store: here.store, seed: 3, tasks: 'held' });
    await updateTable(held, { tableName, vectorIndexUpdates: [{ create }] }, testContext);
    await expect(search(there)).rejects.toThrow('Cannot search backfilling vector index: vectors');
    await held.tasks.run();
    expect((await search(there)).searchResults).toEqual([]);
  });

  test('a decision that meets a changed table begins again and decides on the present one', async () => {
    const { here, there } = await twoEngines();
    const before = await presentTable(there, tableName);
    await updateTable(here, { tableName, deletionProtectionEnabled: true }, testContext);
    await putItem(there, { tableName, item: { ...item, again: { BOOL: true } } }, testContext);
    expect((await presentTable(there, tableName)).fence.equals(before.fence)).toBe(false);
    expect(mapOf((await getItem(here, { tableName, key }, testContext)).item)).toHaveProperty('again');
  });
});

describe('name spaces', () => {
  test('a table of one region or account is not seen from another', async () => {
    const services = testServices();
    await createdTable(services, { tableName, ...compositeKey });
    for (const context of [
      { ...testContext, region: 'eu-west-1' },
      { ...testContext, accountId: '111122223333' },
    ]) {
      await expect(getItem(services, { tableName, key }, context)).rejects.toBeInstanceOf(ResourceNotFoundException);
    }
  });
});

describe('DB-136 lifecycle', () => {
  test('a table answers only between CREATING and DELETING', async () => {
    const services = testServices({ lifecycleDelayMs: 1_000 });
    await createdTable(services, { tableName, ...compositeKey });
    await expect(putItem(services, { tableName, item }, testContext)).rejects.toThrow('Requested resource not found');
    services.clock.advance(1_000);
    await putItem(services, { tableName, item }, testContext);
    await updateTable(services, { tableName, deletionProtectionEnabled: false }, testContext);
    await putItem(services, { tableName, item }, testContext);
    services.clock.advance(1_000);
    await deleteTable(services, { tableName }, testContext);
    await expect(putItem(services, { tableName, item }, testContext)).rejects.toThrow('Requested resource not found');
  });
});
