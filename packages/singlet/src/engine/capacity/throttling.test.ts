import { describe, expect, it } from 'vitest';
import { batchExecuteStatement } from '../operations/batch-execute-statement.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { executeStatement } from '../operations/execute-statement.ts';
import { executeTransaction } from '../operations/execute-transaction.ts';
import { query } from '../operations/query.ts';
import { scan } from '../operations/scan.ts';
import { transactGetItems } from '../operations/transact-get-items.ts';
import { transactWriteItems } from '../operations/transact-write-items.ts';
import { updateTable } from '../operations/update-table.ts';
import { updateTimeToLive } from '../operations/update-time-to-live.ts';
import { index, keys, strings, units } from '../testing/table-requests.ts';
import { createdTable } from '../testing/test-engine.ts';
import { testContext, testServices } from '../testing/test-services.ts';
import { served, smallPartitions, ThrottledTable } from '../testing/throttled-table.ts';
import { sweepExpiredItems } from '../ttl/sweep-expired-items.ts';

const tableWrites = 'TableWriteProvisionedThroughputExceeded';
const tableReads = 'TableReadProvisionedThroughputExceeded';
const keyRangeWrites = 'TableWriteKeyRangeThroughputExceeded';

const provisionedText =
  'The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.';
const indexText =
  'The level of configured provisioned throughput for one or more global secondary indexes of the table was exceeded. Consider increasing your provisioning level for the under-provisioned global secondary indexes with the UpdateTable API';
const onDemandText =
  'Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so please try again shortly. If exceptions persist, check if you have a hot key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html';

const onDemand = { billingMode: 'PAY_PER_REQUEST', provisionedThroughput: undefined } as const;

describe('provisioned throughput', () => {
  it('DB-107: what was not used in 300 seconds may be spent at once, and no more', async () => {
    // Wide partitions: this test is about the table.
    const table = await ThrottledTable.open({ writes: 10 }, { limits: { partitionWriteCapacityUnitsMax: 100_000 } });
    table.wait(300);
    expect(await table.count(3000, (n) => table.put(`k${n}`))).toBe(3000);
    expect(await table.put('more')).toBe(tableWrites);
    table.wait(1);
    expect(await table.count(20, (n) => table.put(`k${n}`))).toBe(10);
  });

  it('DB-108 DB-276: above it requests fail, and succeed once the second is over', async () => {
    const table = await ThrottledTable.open({ reads: 2, writes: 1 });
    expect([await table.put('a'), await table.put('b')]).toEqual(['done', tableWrites]);
    expect([await table.get('a'), await table.get('a'), await table.get('a')]).toEqual(['done', 'done', tableReads]);
    table.wait(1);
    expect([await table.put('b'), await table.get('b')]).toEqual(['done', 'done']);
  });

  it('DB-095 DB-097: eventually consistent reads get twice as far', async () => {
    const table = await ThrottledTable.open({ reads: 5 });
    expect(await table.count(50, () => table.get('a', 'item', true))).toBe(5);
    table.wait(1);
    expect(await table.count(50, () => table.get('a', 'item', false))).toBe(10);
  });

  it('a request may cost more than there is; the next ones wait until it is paid', async () => {
    const table = await ThrottledTable.open({ writes: 2 });
    expect(await table.put('large', 'item', { data: { S: 'x'.repeat(9 * 1024) } })).toBe('done'); // 10 units
    table.wait(4);
    expect(await table.put('a')).toBe(tableWrites);
    table.wait(1);
    expect(await table.put('a')).toBe('done');
  });

  it('DB-102: reads and writes are changed each by itself, and the change counts once the table is ACTIVE', async () => {
    const table = await ThrottledTable.open({ reads: 1, writes: 1 }, { lifecycleDelayMs: 10_000 });
    table.wait(10);
    await updateTable(table.services, { tableName: 'Table', provisionedThroughput: units(1, 5) }, testContext);
    const putsPerSecond = async (): Promise<number> => {
      await table.count(1000, (n) => table.put(`k${n}`)); // uses up what was saved
      table.wait(1);
      return table.count(20, (n) => table.put(`k${n}`));
    };
    expect(await putsPerSecond()).toBe(1);
    table.wait(10);
    expect(await putsPerSecond()).toBe(5);
    await table.count(1000, () => table.get('k1'));
    table.wait(1);
    expect(await table.count(20, () => table.get('k1'))).toBe(1);
  });

  it('DB-101: a condition that fails is paid for, by the size of the item', async () => {
    const table = await ThrottledTable.open({ writes: 10 });
    await table.put('a', 'item', { data: { S: 'x'.repeat(3 * 1024) } }); // 4 units
    const key = { PK: { S: 'a' }, SK: { S: 'item' } };
    const conditioned = deleteItem(
      table.services,
      { tableName: 'Table', key, conditionExpression: 'attribute_not_exists(PK)' },
      testContext,
    );
    await expect(conditioned).rejects.toThrow('The conditional request failed');
    expect(await table.count(20, (n) => table.put(`k${n}`))).toBe(2);
  });

  it('DB-099 DB-115: a page is paid for when it was read, and let in when there is anything left', async () => {
    const table = await ThrottledTable.open({ reads: 10 }, {});
    for (let n = 0; n < 20; n += 1) await table.put('a', `item${n}`, { data: { S: 'x'.repeat(10_000) } });
    const page = async (): Promise<unknown> =>
      query(
        table.services,
        {
          tableName: 'Table',
          keyConditionExpression: 'PK = :a',
          expressionAttributeValues: { ':a': { S: 'a' } },
          consistentRead: true,
        },
        testContext,
      );
    expect(await served(page())).toBe('done'); // about 50 units
    expect(await served(page())).toBe(tableReads);
    expect(await served(() => scan(table.services, { tableName: 'Table' }, testContext))).toBe(tableReads);
    table.wait(3);
    expect(await served(page())).toBe(tableReads);
    table.wait(3);
    expect(await served(page())).toBe('done');
  });

  it('says so in the words of the service', async () => {
    const table = await ThrottledTable.open({ writes: 1 });
    await table.put('a');
    const refused = transactWriteItems(
      table.services,
      { transactItems: [{ delete: { tableName: 'Table', key: { PK: { S: 'a' }, SK: { S: 'item' } } } }] },
      testContext,
    );
    await expect(refused).rejects.toMatchObject({
      name: 'TransactionCanceledException',
      cancellationReasons: [{ code: 'ProvisionedThroughputExceeded', message: provisionedText }],
    });
    const statement = executeStatement(
      table.services,
      { statement: `DELETE FROM "Table" WHERE PK = 'a' AND SK = 'item'` },
      testContext,
    );
    await expect(statement).rejects.toMatchObject({
      name: 'ProvisionedThroughputExceededException',
      message: provisionedText,
      status: 400,
      retryable: true,
      throttlingReasons: [{ reason: tableWrites, resource: 'arn:aws:dynamodb:us-east-1:000000000000:table/Table' }],
    });
  });

  it('is enforced only where that is asked for, and accounted for everywhere', async () => {
    const named = testServices({ throttle: { tables: ['Table'] } });
    const request = { keySchema: keys('PK', 'SK'), attributeDefinitions: strings('PK', 'SK') };
    for (const tableName of ['Table', 'Other']) {
      await createdTable(named, {
        ...request,
        tableName,
        billingMode: 'PROVISIONED',
        provisionedThroughput: units(1, 1),
      });
    }
    const table = new ThrottledTable(named);
    expect(await table.count(5, (n) => table.put(`k${n}`))).toBe(1);
    const off = await ThrottledTable.open({ writes: 1 }, { throttle: false });
    expect(await off.count(5, (n) => off.put(`k${n}`))).toBe(5);
    const report = await off.report();
    expect(report).toMatchObject({ isThrottled: false, table: { writes: { consumedUnits: 5, throttledCount: 0 } } });
    expect((await table.report()).table.writes).toMatchObject({ consumedUnits: 1, throttledCount: 4 });
  });
});

describe('partitions', () => {
  it('DB-084 DB-116: one key gets no more than a partition serves; many keys do', async () => {
    const table = await ThrottledTable.open({ reads: 300, writes: 100 }, { limits: smallPartitions });
    expect((await table.report()).table.partitions).toHaveLength(10);
    expect(await table.count(50, (n) => table.put('hot', `s${n}`))).toBe(10);
    expect(await table.put('hot')).toBe(keyRangeWrites);
    expect(await table.count(100, () => table.get('hot'))).toBe(30);
    table.wait(1);
    expect(await table.count(60, (n) => table.put(`key${n}`))).toBeGreaterThan(50);
  });

  it('DB-085: the throughput of a table flows to the partition that needs it', async () => {
    const table = await ThrottledTable.open({ writes: 100 }, { limits: { partitionWriteCapacityUnitsMax: 1000 } });
    // Raised and lowered again: the partitions remain, and their shares do not shrink.
    await updateTable(table.services, { tableName: 'Table', provisionedThroughput: units(1000, 5000) }, testContext);
    await updateTable(table.services, { tableName: 'Table', provisionedThroughput: units(1000, 100) }, testContext);
    expect((await table.report()).table.partitions).toHaveLength(5);
    for (let second = 0; second < 20; second += 1) {
      table.wait(1);
      expect(await table.count(100, (n) => table.put(n < 90 ? 'hot' : `key${n}`, `s${n}`))).toBe(100);
    }
  });

  it('DB-086: heat that lasts separates two keys of one partition', async () => {
    const small = await ThrottledTable.open({ reads: 30, writes: 10 }, { limits: smallPartitions, throttle: false });
    const load = async (seconds: number): Promise<number> => {
      let done = 0;
      for (let second = 0; second < seconds; second += 1) {
        small.wait(1);
        done += await small.count(20, (n) => small.put(n % 2 === 0 ? 'one' : 'two'));
      }
      return done;
    };
    expect((await small.report()).table.partitions).toHaveLength(1);
    await load(5);
    expect((await small.report()).table.partitions).toHaveLength(1);
    await load(40);
    const { partitions } = (await small.report()).table;
    const used = partitions.filter(({ writes }) => writes.consumedUnitsPerSecond > 1);
    expect(used).toHaveLength(2);
  });

  it('DB-086: a partition that is split serves twice as much', async () => {
    const table = await ThrottledTable.open({ writes: 10 }, { limits: smallPartitions, request: onDemand });
    // An on-demand table starts with 4000 writes a second: hundreds of partitions of 10 writes each.
    const before = (await table.report()).table.partitions.length;
    expect(before).toBe(400);
    expect(await table.count(40, (n) => table.put('hot', `s${n}`))).toBe(10);
    for (let second = 0; second < 30; second += 1) {
      table.wait(1);
      await table.count(40, (n) => table.put('hot', `s${n % 20}`));
    }
    expect((await table.report()).table.partitions.length).toBeGreaterThan(before);
    table.wait(1);
    expect(await table.count(40, (n) => table.put('hot', `s${n % 20}`))).toBeGreaterThanOrEqual(20);
  });

  it('DB-080 DB-086: are split when they are too large, and never merged', async () => {
    const table = await ThrottledTable.open({}, { limits: { partitionBytesMax: 10_000 }, throttle: false });
    const data = { data: { S: 'x'.repeat(900) } };
    expect((await table.report()).table.partitions).toHaveLength(1);
    for (let n = 0; n < 100; n += 1) await table.put(`key${n}`, 'item', data);
    const { partitions, sizeBytes } = (await table.report()).table;
    expect(partitions.length).toBeGreaterThanOrEqual(10);
    expect(Math.max(...partitions.map((partition) => partition.sizeBytes))).toBeLessThanOrEqual(10_000);
    const sum = partitions.reduce((total, partition) => total + partition.sizeBytes, 0);
    expect(Math.abs(sum - sizeBytes)).toBeLessThanOrEqual(partitions.length);
    partitions.forEach(({ hashFrom, hashTo }, at) => {
      expect(hashTo).toBe(partitions[at + 1]?.hashFrom ?? null);
      if (hashTo !== null) expect(hashFrom <= hashTo).toBe(true);
    });
    for (let n = 0; n < 100; n += 1) {
      const key = { PK: { S: `key${n}` }, SK: { S: 'item' } };
      await deleteItem(table.services, { tableName: 'Table', key }, testContext);
    }
    const after = (await table.report()).table;
    expect(after.sizeBytes).toBe(0);
    expect(after.partitions.length).toBeGreaterThanOrEqual(partitions.length);
  });

  it('DB-080: what is there already when a process starts has its partitions at once', async () => {
    const limits = { partitionBytesMax: 10_000 };
    const table = await ThrottledTable.open({}, { limits, throttle: false });
    for (let n = 0; n < 50; n += 1) await table.put(`key${n}`, 'item', { data: { S: 'x'.repeat(900) } });
    const reopened = new ThrottledTable(testServices({ store: table.services.store, limits }));
    await reopened.get('key1');
    await reopened.services.tasks.settle();
    const { partitions } = (await reopened.report()).table;
    expect(partitions.length).toBeGreaterThanOrEqual(5);
    expect(partitions.every(({ sizeBytes }) => sizeBytes > 0 && sizeBytes <= 10_000)).toBe(true);
  });

  it('DB-148 DB-150: one throttled partition leaves its part of a batch; the rest is written', async () => {
    const table = await ThrottledTable.open({ reads: 300, writes: 100 }, { limits: smallPartitions });
    await table.count(10, (n) => table.put('hot', `s${n}`));
    const others = Array.from({ length: 10 }, (_, n) => `key${n}`);
    const free: string[] = [];
    for (const pk of others) if ((await table.get(pk)) === 'done') free.push(pk);
    const left = await table.batchPut(['hot', ...free]);
    expect(left).toContain('hot');
    const written = free.filter((pk) => !left.includes(pk));
    expect(written.length).toBeGreaterThan(0);
    table.wait(1);
    expect((await table.batchGet(['hot', ...free])).found).toBe(written.length);
    expect(await table.batchPut(left)).toEqual([]);
    expect((await table.batchGet(['hot', ...free])).found).toBe(free.length + 1);
  });
});

describe('batches', () => {
  it('DB-149: keys that there is no throughput for come back', async () => {
    const table = await ThrottledTable.open({ reads: 3 });
    for (const pk of ['a', 'b', 'c', 'd', 'e']) await table.put(pk);
    expect(await table.batchGet(['a', 'b', 'c', 'd', 'e'])).toEqual({ left: [], found: 5 });
    table.wait(1);
    expect(await served(table.batchGet(['a', 'b']))).toBe('done');
  });

  it('DB-149: reservations keep a batch from finding the same units again and again', async () => {
    const table = await ThrottledTable.open({ reads: 1 });
    const { left, found } = await table.batchGet(['a', 'b', 'c', 'd', 'e']);
    expect(left).toEqual(['c', 'd', 'e']);
    expect(found).toBe(0);
  });

  it('DB-150: items that there is no throughput for come back, in request order', async () => {
    const table = await ThrottledTable.open({ writes: 3 });
    expect(await table.batchPut(['a', 'b', 'c', 'd', 'e'])).toEqual(['d', 'e']);
  });

  it('DB-108 DB-148: a batch of which nothing can be done fails', async () => {
    const table = await ThrottledTable.open({ reads: 1, writes: 1 });
    await table.put('a');
    await table.get('a');
    expect(await served(table.batchPut(['a', 'b']))).toBe(tableWrites);
    expect(await served(table.batchGet(['a', 'b']))).toBe(tableReads);
  });

  it('DB-148: statements fail one by one', async () => {
    const table = await ThrottledTable.open({ writes: 1 });
    const statements = ['a', 'b'].map((pk) => ({
      statement: `INSERT INTO "Table" VALUE {'PK': '${pk}', 'SK': 'item'}`,
    }));
    const { responses } = await batchExecuteStatement(table.services, { statements }, testContext);
    expect(responses).toEqual([
      { tableName: 'Table' },
      { tableName: 'Table', error: { code: 'ProvisionedThroughputExceeded', message: provisionedText } },
    ]);
  });
});

describe('transactions', () => {
  const key = (pk: string): { PK: { S: string }; SK: { S: string } } => ({ PK: { S: pk }, SK: { S: 'item' } });

  it('DB-098: cost twice, and are cancelled as a whole', async () => {
    const table = await ThrottledTable.open({ reads: 100, writes: 4 });
    const write = async (...pks: readonly string[]): Promise<unknown> =>
      transactWriteItems(
        table.services,
        { transactItems: pks.map((pk) => ({ put: { tableName: 'Table', item: key(pk) } })) },
        testContext,
      );
    expect(await served(write('a', 'b'))).toBe('done');
    expect(await served(write('c', 'd'))).toBe('ProvisionedThroughputExceeded ProvisionedThroughputExceeded');
    table.wait(1);
    expect((await table.batchGet(['a', 'b', 'c', 'd'])).found).toBe(2);
    expect((await table.report()).table.writes.consumedUnits).toBe(4);
  });

  it('reads too, and statements', async () => {
    const table = await ThrottledTable.open({ reads: 2, writes: 2 });
    const read = (): Promise<unknown> =>
      transactGetItems(
        table.services,
        { transactItems: [{ get: { tableName: 'Table', key: key('a') } }] },
        testContext,
      );
    expect([await served(read()), await served(read())]).toEqual(['done', 'ProvisionedThroughputExceeded']);
    const execute = (statement: string): Promise<string> =>
      served(executeTransaction(table.services, { transactStatements: [{ statement }] }, testContext));
    expect(await execute(`SELECT * FROM "Table" WHERE PK = 'a' AND SK = 'item'`)).toBe('ProvisionedThroughputExceeded');
    const insert = (pk: string): string => `INSERT INTO "Table" VALUE {'PK': '${pk}', 'SK': 'item'}`;
    expect(await execute(insert('a'))).toBe('done');
    expect(await execute(insert('b'))).toBe('ProvisionedThroughputExceeded');
  });

  it('a repeated one counts as a read', async () => {
    const table = await ThrottledTable.open({}, { throttle: false });
    const write = async (): Promise<unknown> =>
      transactWriteItems(
        table.services,
        { clientRequestToken: 'token', transactItems: [{ put: { tableName: 'Table', item: key('a') } }] },
        testContext,
      );
    await write();
    await write();
    const { reads, writes } = (await table.report()).table;
    expect([reads.consumedUnits, writes.consumedUnits]).toEqual([2, 2]);
  });
});

describe('global secondary indexes', () => {
  const withIndex = {
    attributeDefinitions: strings('PK', 'SK', 'city'),
    globalSecondaryIndexes: [{ ...index('byCity', 'city'), provisionedThroughput: units(2, 2) }],
  };
  const inCity = (city: string): { city: { S: string } } => ({ city: { S: city } });

  it('DB-102: have throughput of their own to read', async () => {
    const table = await ThrottledTable.open({}, { request: withIndex });
    const page = async (): Promise<unknown> =>
      query(
        table.services,
        {
          tableName: 'Table',
          indexName: 'byCity',
          keyConditionExpression: 'city = :c',
          expressionAttributeValues: { ':c': { S: 'Bern' } },
        },
        testContext,
      );
    expect(await table.count(10, () => served(page()))).toBe(4);
    await expect(page()).rejects.toMatchObject({
      name: 'ProvisionedThroughputExceededException',
      message: indexText,
      throttlingReasons: [
        {
          reason: 'IndexReadProvisionedThroughputExceeded',
          resource: 'arn:aws:dynamodb:us-east-1:000000000000:table/Table/index/byCity',
        },
      ],
    });
    expect(await table.get('a')).toBe('done');
  });

  it('DB-108: without capacity to follow they hold up the writes that concern them, and no others', async () => {
    const table = await ThrottledTable.open({ writes: 100 }, { request: withIndex });
    const put = (n: number): Promise<string> => table.put(`k${n}`, 'item', inCity('Bern'));
    expect(await table.count(2, put)).toBe(2);
    expect(await put(3)).toBe('IndexWriteProvisionedThroughputExceeded');
    expect(await table.put('elsewhere')).toBe('done');
    expect(await table.batchGet(['k0', 'k1', 'k3', 'elsewhere'])).toMatchObject({ found: 3 });
    const transaction = transactWriteItems(
      table.services,
      {
        transactItems: ['x', 'y'].map((pk) => ({
          put: { tableName: 'Table', item: { PK: { S: pk }, SK: { S: 'item' }, ...(pk === 'x' && inCity('Bern')) } },
        })),
      },
      testContext,
    );
    await expect(transaction).rejects.toMatchObject({
      cancellationReasons: [{ code: 'ProvisionedThroughputExceeded', message: indexText }, { code: 'None' }],
    });
    expect(await table.batchGet(['x', 'y'])).toMatchObject({ found: 0 });
    table.wait(1);
    expect(await put(3)).toBe('done');
    expect((await table.report()).globalSecondaryIndexes['byCity']?.writes.throttledCount).toBe(2);
  });

  it('DB-084: have partitions of their own', async () => {
    const table = await ThrottledTable.open(
      {},
      {
        request: { ...withIndex, ...onDemand, globalSecondaryIndexes: [index('byCity', 'city')] },
        limits: smallPartitions,
      },
    );
    const refused = await table.count(30, (n) => table.put(`k${n}`, 'item', inCity('Bern')));
    expect(refused).toBe(10);
    const error = await served(() =>
      transactWriteItems(
        table.services,
        {
          transactItems: [{ put: { tableName: 'Table', item: { PK: { S: 'z' }, SK: { S: 'z' }, ...inCity('Bern') } } }],
        },
        testContext,
      ),
    );
    expect(error).toBe('ThrottlingError');
    expect(await table.put('k99', 'item', inCity('Basel'))).toBe('done');
  });
});

describe('on-demand mode', () => {
  it('DB-103 DB-105: serves at the start 12,000 reads and 4,000 writes a second, and meters them', async () => {
    const table = await ThrottledTable.open({}, { request: onDemand });
    const { partitions } = (await table.report()).table;
    expect(partitions).toHaveLength(4);
    expect(partitions.reduce((sum, { reads }) => sum + reads.unitsPerSecond, 0)).toBe(12_000);
    expect(partitions.reduce((sum, { writes }) => sum + writes.unitsPerSecond, 0)).toBe(4000);
    expect(await table.count(2000, (n) => table.put(`key${n}`))).toBe(2000);
    expect((await table.report()).table.writes.consumedUnits).toBe(2000);
  });

  it('DB-105: serves what warm throughput asks for', async () => {
    const table = await ThrottledTable.open(
      {},
      { request: { ...onDemand, warmThroughput: { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 20_000 } } },
    );
    expect((await table.report()).table.partitions).toHaveLength(20);
  });

  it('DB-105: keeps to the maximum that is configured, and to a new one', async () => {
    const table = await ThrottledTable.open(
      {},
      { request: { ...onDemand, onDemandThroughput: { maxReadRequestUnits: 3, maxWriteRequestUnits: 2 } } },
    );
    table.wait(300);
    expect(await table.count(10, (n) => table.put(`k${n}`))).toBe(2);
    expect(await table.put('more')).toBe('TableWriteMaxOnDemandThroughputExceeded');
    expect(await table.count(10, () => table.get('k1'))).toBe(3);
    const refused = executeStatement(
      table.services,
      { statement: `SELECT * FROM "Table" WHERE PK = 'k1' AND SK = 'item'` },
      testContext,
    );
    await expect(refused).rejects.toMatchObject({
      name: 'ThrottlingException',
      message: 'Throughput exceeds the maximum OnDemandThroughput configured on table or index',
    });
    await updateTable(
      table.services,
      { tableName: 'Table', onDemandThroughput: { maxWriteRequestUnits: 5 } },
      testContext,
    );
    table.wait(1);
    expect(await table.count(10, (n) => table.put(`k${n}`))).toBe(5);
  });

  it('DB-108 DB-276: a hot key is a ThrottlingException', async () => {
    const table = await ThrottledTable.open({}, { request: onDemand, limits: smallPartitions });
    await table.count(10, (n) => table.put('hot', `s${n}`));
    const statement = executeStatement(
      table.services,
      { statement: `INSERT INTO "Table" VALUE {'PK': 'hot', 'SK': 'item'}` },
      testContext,
    );
    await expect(statement).rejects.toMatchObject({
      name: 'ThrottlingException',
      message: onDemandText,
      throttlingReasons: [{ reason: keyRangeWrites, resource: 'arn:aws:dynamodb:us-east-1:000000000000:table/Table' }],
    });
  });

  it('DB-276: above the quota of the account it is RequestLimitExceeded', async () => {
    const table = await ThrottledTable.open({}, { request: onDemand, limits: { tableCapacityUnitsMax: 5 } });
    expect(await table.count(10, (n) => table.put(`k${n}`))).toBe(5);
    const statement = executeStatement(
      table.services,
      { statement: `INSERT INTO "Table" VALUE {'PK': 'x', 'SK': 'item'}` },
      testContext,
    );
    await expect(statement).rejects.toMatchObject({
      name: 'RequestLimitExceeded',
      throttlingReasons: [{ reason: 'TableWriteAccountLimitExceeded' }],
    });
  });

  it('DB-104: after a switch the other mode counts', async () => {
    const table = await ThrottledTable.open({ writes: 1 });
    expect(await table.count(5, (n) => table.put(`k${n}`))).toBe(1);
    await updateTable(table.services, { tableName: 'Table', billingMode: 'PAY_PER_REQUEST' }, testContext);
    table.wait(1);
    expect(await table.count(50, (n) => table.put(`k${n}`))).toBe(50);
    await updateTable(
      table.services,
      { tableName: 'Table', billingMode: 'PROVISIONED', provisionedThroughput: units(1, 3) },
      testContext,
    );
    await table.count(2000, (n) => table.put(`k${n}`));
    table.wait(1);
    expect(await table.count(50, (n) => table.put(`k${n}`))).toBe(3);
  });
});

it('DB-258: deletions of expired items are free', async () => {
  const table = await ThrottledTable.open({ writes: 10 });
  const nowSeconds = table.services.clock.nowMs() / 1000;
  for (let n = 0; n < 5; n += 1) await table.put(`k${n}`, 'item', { expires: { N: String(nowSeconds + 10) } });
  await updateTimeToLive(
    table.services,
    { tableName: 'Table', timeToLiveSpecification: { enabled: true, attributeName: 'expires' } },
    testContext,
  );
  table.wait(3600);
  expect(await sweepExpiredItems(table.services)).toBe(5);
  const { writes, sizeBytes, partitions } = (await table.report()).table;
  expect(writes.consumedUnits).toBe(5);
  expect([sizeBytes, partitions[0]?.sizeBytes]).toEqual([0, 0]);
});

it('DB-110: what requests report adds up to what the table has consumed', async () => {
  const table = await ThrottledTable.open(
    {},
    {
      throttle: false,
      request: { globalSecondaryIndexes: [{ ...index('bySK', 'SK'), provisionedThroughput: units(5, 5) }] },
    },
  );
  let reported = 0;
  const add = (answer: { readonly consumedCapacity?: { readonly capacityUnits: number } | undefined }): void => {
    reported += answer.consumedCapacity?.capacityUnits ?? 0;
  };
  const returnConsumedCapacity = 'TOTAL';
  const { putItem } = await import('../operations/put-item.ts');
  for (let n = 0; n < 10; n += 1) {
    const item = { PK: { S: 'a' }, SK: { S: `s${n}` }, data: { S: 'x'.repeat(n * 300) } };
    add(await putItem(table.services, { tableName: 'Table', item, returnConsumedCapacity }, testContext));
  }
  add(await scan(table.services, { tableName: 'Table', returnConsumedCapacity }, testContext));
  add(await scan(table.services, { tableName: 'Table', indexName: 'bySK', returnConsumedCapacity }, testContext));
  const { table: whole, globalSecondaryIndexes } = await table.report();
  const resources = [whole, ...Object.values(globalSecondaryIndexes)];
  const consumed = resources.reduce((sum, { reads, writes }) => sum + reads.consumedUnits + writes.consumedUnits, 0);
  expect(consumed).toBe(reported);
  for (const { partitions, reads } of resources) {
    expect(partitions.reduce((sum, partition) => sum + partition.reads.consumedUnits, 0)).toBeCloseTo(
      reads.consumedUnits,
    );
  }
});
