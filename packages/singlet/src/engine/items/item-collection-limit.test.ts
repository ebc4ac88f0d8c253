import { describe, expect, it } from 'vitest';
import { batchWriteItem } from '../operations/batch-write-item.ts';
import { createTable } from '../operations/create-table.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { getItem } from '../operations/get-item.ts';
import { putItem } from '../operations/put-item.ts';
import { query } from '../operations/query.ts';
import { transactWriteItems } from '../operations/transact-write-items.ts';
import { updateItem } from '../operations/update-item.ts';
import { refusal } from '../testing/refusal.ts';
import { index, keys, onDemandTable, strings } from '../testing/table-requests.ts';
import { inconsistencies } from '../testing/test-engine.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';

const tooLarge = 'ItemCollectionSizeLimitExceededException: Collection size exceeded.';

/** A collection may hold 5000 bytes here: with the entries of the local index, two items of 1000 but not a third. */
async function open(localIndex = true): Promise<TestServices> {
  const services = testServices({ limits: { itemCollectionBytesMax: 5000 } });
  await createTable(
    services,
    onDemandTable({
      keySchema: keys('PK', 'SK'),
      attributeDefinitions: strings('PK', 'SK', 'sort'),
      ...(localIndex
        ? { localSecondaryIndexes: [index('bySort', 'PK', 'sort')] }
        : { globalSecondaryIndexes: [index('bySort', 'PK', 'sort')] }),
    }),
    testContext,
  );
  return services;
}

const key = (sk: string, pk = 'a'): { PK: { S: string }; SK: { S: string } } => ({ PK: { S: pk }, SK: { S: sk } });
const item = (
  sk: string,
  bytes: number,
  pk = 'a',
): ReturnType<typeof key> & { sort: { S: string }; data: { S: string } } => ({
  ...key(sk, pk),
  sort: { S: 's' },
  data: { S: 'x'.repeat(bytes) },
});
const put = (services: TestServices, sk: string, bytes: number, pk = 'a'): Promise<string> =>
  refusal(() => putItem(services, { tableName: 'Table', item: item(sk, bytes, pk) }, testContext));

async function full(): Promise<TestServices> {
  const services = await open();
  expect([await put(services, '1', 1000), await put(services, '2', 1000)]).toEqual(['done', 'done']);
  return services;
}

describe('DB-079 DB-117 DB-277: an item collection that is full, where there is a local index', () => {
  it('takes no item more, by whatever action', async () => {
    const services = await full();
    expect(await put(services, '3', 1000)).toBe(tooLarge);
    const grow = () =>
      updateItem(
        services,
        {
          tableName: 'Table',
          key: key('1'),
          updateExpression: 'SET more = :m',
          expressionAttributeValues: { ':m': { S: 'x'.repeat(1000) } },
        },
        testContext,
      );
    expect(await refusal(grow)).toBe(tooLarge);
    const requestItems = { Table: [{ putRequest: { item: item('3', 1000) } }] };
    expect(await refusal(batchWriteItem(services, { requestItems }, testContext))).toBe(tooLarge);
    const transaction = transactWriteItems(
      services,
      {
        transactItems: [
          { put: { tableName: 'Table', item: item('1', 1000, 'b') } },
          { put: { tableName: 'Table', item: item('3', 1000) } },
        ],
      },
      testContext,
    );
    await expect(transaction).rejects.toMatchObject({
      cancellationReasons: [
        { code: 'None' },
        { code: 'ItemCollectionSizeLimitExceeded', message: 'Collection size exceeded.' },
      ],
    });
    expect(await inconsistencies(services, 'Table')).toEqual([]);
  });

  it('is read, made smaller and rewritten in the same size as ever', async () => {
    const services = await full();
    expect((await getItem(services, { tableName: 'Table', key: key('1') }, testContext)).item).toBeDefined();
    const found = await query(
      services,
      { tableName: 'Table', keyConditionExpression: 'PK = :a', expressionAttributeValues: { ':a': { S: 'a' } } },
      testContext,
    );
    expect(found.count).toBe(2);
    expect(await put(services, '1', 1000)).toBe('done');
    expect(await put(services, '1', 900)).toBe('done');
    await deleteItem(services, { tableName: 'Table', key: key('2') }, testContext);
    expect(await put(services, '3', 1000)).toBe('done');
  });

  it('leaves other collections alone', async () => {
    const services = await full();
    expect(await put(services, '1', 1000, 'b')).toBe('done');
  });

  it('stays too large without being refused what makes it smaller', async () => {
    const services = await full();
    const smaller = testServices({ store: services.store, limits: { itemCollectionBytesMax: 1000 } });
    expect(await put(smaller, '1', 1001)).toBe(tooLarge);
    expect(await put(smaller, '1', 999)).toBe('done');
    expect(await refusal(() => deleteItem(smaller, { tableName: 'Table', key: key('2') }, testContext))).toBe('done');
  });
});

it('DB-078 DB-079: without a local index there is no such limit', async () => {
  const services = await open(false);
  for (let n = 0; n < 10; n += 1) expect(await put(services, String(n), 1000)).toBe('done');
});
