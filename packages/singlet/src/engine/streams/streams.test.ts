import { describe, expect, test } from 'vitest';
import { openMemoryStore } from '../../storage/memory/memory-store.ts';
import type { Store } from '../../storage/store.ts';
import type { AttributeMap } from '../../values/attribute-value.ts';
import { batchWriteItem } from '../operations/batch-write-item.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { deleteTable } from '../operations/delete-table.ts';
import { describeStream } from '../operations/describe-stream.ts';
import { describeTable } from '../operations/describe-table.ts';
import { getRecords, type StreamEvent } from '../operations/get-records.ts';
import { getShardIterator, type ShardIteratorType } from '../operations/get-shard-iterator.ts';
import { listStreams } from '../operations/list-streams.ts';
import { putItem } from '../operations/put-item.ts';
import { transactWriteItems } from '../operations/transact-write-items.ts';
import { updateItem } from '../operations/update-item.ts';
import { updateTable } from '../operations/update-table.ts';
import { writeItem } from '../items/write-item.ts';
import { itemKeyOfKey } from '../catalog/item-key.ts';
import type { StreamViewType } from '../catalog/table-description.ts';
import { onDemandTable, strings, keys } from '../testing/table-requests.ts';
import { createdTable, inconsistencies, mapOf, presentTable } from '../testing/test-engine.ts';
import { describedStream, eventTexts, newestStreamArn, replayed, streamRecords } from '../testing/stream-reader.ts';
import {
  testContext,
  type TestServices,
  testServices,
  type TestServicesOptions,
  testStartMs,
} from '../testing/test-services.ts';
import { tendStreams } from './stream-upkeep.ts';

const tableName = 'Table';
const hourMs = 3_600_000;

interface StreamTest {
  readonly services: TestServices;
  readonly streamArn: string;
  put(pk: string, attributes?: AttributeMap): Promise<unknown>;
  remove(pk: string): Promise<unknown>;
  records(limit?: number): Promise<readonly StreamEvent[]>;
}

async function streamTest(
  streamViewType: StreamViewType = 'NEW_AND_OLD_IMAGES',
  options: TestServicesOptions = {},
): Promise<StreamTest> {
  const services = testServices(options);
  await createdTable(
    services,
    onDemandTable({
      attributeDefinitions: strings('pk'),
      keySchema: keys('pk'),
      streamSpecification: { streamEnabled: true, streamViewType },
    }),
  );
  services.clock.advance(options.lifecycleDelayMs ?? 0);
  const streamArn = await newestStreamArn(services, tableName);
  return {
    services,
    streamArn,
    put: async (pk, attributes = {}) =>
      putItem(services, { tableName, item: { pk: { S: pk }, ...attributes } }, testContext),
    remove: async (pk) => deleteItem(services, { tableName, key: { pk: { S: pk } } }, testContext),
    records: (limit) => streamRecords(services, streamArn, limit),
  };
}

const oneShard = { streamShardCountInitial: 1, streamShardCountMax: 1 };

function plain({ dynamodb, ...event }: StreamEvent): unknown {
  const { keys: key, newImage, oldImage, ...rest } = dynamodb;
  return {
    ...event,
    dynamodb: {
      ...rest,
      keys: mapOf(key),
      ...(newImage !== undefined && { newImage: mapOf(newImage) }),
      ...(oldImage !== undefined && { oldImage: mapOf(oldImage) }),
    },
  };
}

describe('records', () => {
  test('DB-249 a put, an update and a delete: three records with all that is in them', async () => {
    const { services, put, remove, records } = await streamTest('NEW_AND_OLD_IMAGES', { limits: oneShard });
    services.clock.advance(1999);
    await put('a', { n: { N: '101' } });
    await updateItem(
      services,
      {
        tableName,
        key: { pk: { S: 'a' } },
        updateExpression: 'SET n = :n',
        expressionAttributeValues: { ':n': { N: '1' } },
      },
      testContext,
    );
    await remove('a');
    const common = { awsRegion: 'us-east-1', eventSource: 'aws:dynamodb', eventVersion: '1.1' };
    const before = { pk: { S: 'a' }, n: { N: '101' } };
    const after = { pk: { S: 'a' }, n: { N: '1' } };
    const change = {
      approximateCreationDateTime: testStartMs / 1000 + 1, // whole seconds
      keys: { pk: { S: 'a' } },
      streamViewType: 'NEW_AND_OLD_IMAGES',
    };
    const eventId = expect.stringMatching(/^[0-9a-f]{32}$/) as string;
    const found = await records();
    expect(found.map(plain)).toEqual([
      {
        ...common,
        eventName: 'INSERT',
        eventId,
        dynamodb: { ...change, newImage: before, sizeBytes: 10, sequenceNumber: '100000000000000100000000' },
      },
      {
        ...common,
        eventName: 'MODIFY',
        eventId,
        dynamodb: {
          ...change,
          newImage: after,
          oldImage: before,
          sizeBytes: 16,
          sequenceNumber: '100000000000000200000000',
        },
      },
      {
        ...common,
        eventName: 'REMOVE',
        eventId,
        dynamodb: { ...change, oldImage: after, sizeBytes: 9, sequenceNumber: '100000000000000300000000' },
      },
    ]);
    expect(new Set(found.map((event) => event.eventId)).size).toBe(3);
  });

  test.each([
    ['KEYS_ONLY', undefined, undefined, 3],
    ['NEW_IMAGE', 'new', undefined, 9],
    ['OLD_IMAGE', undefined, 'old', 9],
    ['NEW_AND_OLD_IMAGES', 'new', 'old', 15],
  ] as const)('DB-253 %s', async (viewType, newText, oldText, sizeBytes) => {
    const { put, records } = await streamTest(viewType);
    await put('a', { t: { S: 'old' } });
    await put('a', { t: { S: 'new' } });
    const [, { dynamodb } = {} as StreamEvent] = await records();
    expect(mapOf(dynamodb.newImage)?.['t']).toEqual(newText && { S: newText });
    expect(mapOf(dynamodb.oldImage)?.['t']).toEqual(oldText && { S: oldText });
    expect(dynamodb.sizeBytes).toBe(sizeBytes + (newText === undefined ? 0 : 1) + (oldText === undefined ? 0 : 1));
    expect(dynamodb.streamViewType).toBe(viewType);
  });

  test('DB-254 a thousand updates of one item: one record each, in order', async () => {
    const { services, streamArn, put, records } = await streamTest();
    await put('a', { n: { N: '0' } });
    for (let n = 1; n <= 1000; n += 1) {
      await updateItem(
        services,
        {
          tableName,
          key: { pk: { S: 'a' } },
          updateExpression: 'ADD n :one',
          expressionAttributeValues: { ':one': { N: '1' } },
        },
        testContext,
      );
    }
    const found = await records();
    expect(found.map(({ dynamodb }) => Number(Object.values(mapOf(dynamodb.newImage)?.['n'] ?? {})[0]))).toEqual(
      Array.from({ length: 1001 }, (_, n) => n),
    );
    const numbers = found.map(({ dynamodb }) => dynamodb.sequenceNumber);
    expect(numbers).toEqual(numbers.toSorted());
    // DB-250: another reader, with other page sizes, reads the same.
    expect(await streamRecords(services, streamArn, 7)).toEqual(found);
  });

  test('DB-254 a write that changes nothing has no record, in whatever action it comes', async () => {
    const { services, put, remove, records } = await streamTest();
    const attributes = {
      l: { L: [{ N: '1' }, { S: 'x' }] },
      m: { M: { b: { BOOL: true }, a: { NULL: true } } },
      s: { SS: ['b', 'a'] },
    } as const;
    const sameOtherwise = {
      s: { SS: ['a', 'b'] },
      m: { M: { a: { NULL: true }, b: { BOOL: true } } },
      l: { L: [{ N: '1.0' }, { S: 'x' }] },
      pk: { S: 'a' },
    } as const;
    await put('a', attributes);
    await put('a', attributes);
    await putItem(services, { tableName, item: sameOtherwise }, testContext);
    await batchWriteItem(
      services,
      { requestItems: { [tableName]: [{ putRequest: { item: sameOtherwise } }] } },
      testContext,
    );
    await transactWriteItems(
      services,
      {
        transactItems: [
          { put: { tableName, item: sameOtherwise } },
          { delete: { tableName, key: { pk: { S: 'absent' } } } },
          { conditionCheck: { tableName, key: { pk: { S: 'b' } }, conditionExpression: 'attribute_not_exists(pk)' } },
        ],
      },
      testContext,
    );
    await updateItem(
      services,
      {
        tableName,
        key: { pk: { S: 'a' } },
        updateExpression: 'SET l[0] = :n REMOVE absent',
        expressionAttributeValues: { ':n': { N: '1' } },
      },
      testContext,
    );
    await remove('absent');
    expect(eventTexts(await records())).toEqual(['INSERT a']);
  });

  test('DB-254 a transaction: a record per item, in the order of the actions; none when it is cancelled', async () => {
    const { services, records } = await streamTest('NEW_IMAGE', { limits: oneShard });
    const puts = ['c', 'a', 'b'].map((pk) => ({ put: { tableName, item: { pk: { S: pk } } } }));
    await transactWriteItems(services, { transactItems: puts, clientRequestToken: 'once' }, testContext);
    await transactWriteItems(services, { transactItems: puts, clientRequestToken: 'once' }, testContext);
    const cancelled = transactWriteItems(
      services,
      {
        transactItems: [
          { put: { tableName, item: { pk: { S: 'd' } } } },
          { conditionCheck: { tableName, key: { pk: { S: 'a' } }, conditionExpression: 'attribute_not_exists(pk)' } },
        ],
      },
      testContext,
    );
    await expect(cancelled).rejects.toThrow('Transaction cancelled');
    expect(eventTexts(await records())).toEqual(['INSERT c', 'INSERT a', 'INSERT b']);
  });

  test('DB-254 a write that is refused has no record', async () => {
    const { services, put, records } = await streamTest();
    await put('a');
    const refused = putItem(
      services,
      { tableName, item: { pk: { S: 'a' }, x: { S: 'x' } }, conditionExpression: 'attribute_not_exists(pk)' },
      testContext,
    );
    await expect(refused).rejects.toThrow('The conditional request failed');
    expect(await records()).toHaveLength(1);
  });

  test('DB-263 a deletion by the service says so', async () => {
    const { services, put, records } = await streamTest('KEYS_ONLY');
    await put('a');
    const table = await presentTable(services, tableName);
    await writeItem(services, {
      table,
      key: itemKeyOfKey(table, { pk: { S: 'a' } }),
      change: { kind: 'delete' },
      condition: undefined,
      returnOldOnFailure: false,
      keepBefore: false,
      userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' },
    });
    const [inserted, removed] = await records();
    expect(inserted?.userIdentity).toBeUndefined();
    expect(removed?.eventName).toBe('REMOVE');
    expect(removed?.userIdentity).toEqual({ type: 'Service', principalId: 'dynamodb.amazonaws.com' });
  });

  test('DB-257 a stream costs no capacity', async () => {
    const { services } = await streamTest();
    await createdTable(
      services,
      onDemandTable({ tableName: 'Bare', attributeDefinitions: strings('pk'), keySchema: keys('pk') }),
    );
    const item = { pk: { S: 'a' }, x: { S: 'x'.repeat(3000) } };
    const costs = [tableName, 'Bare'].map(async (name) => {
      const { consumedCapacity } = await putItem(
        services,
        { tableName: name, item, returnConsumedCapacity: 'TOTAL' },
        testContext,
      );
      return consumedCapacity?.capacityUnits;
    });
    const [withStream, without] = await Promise.all(costs);
    expect(withStream).toBe(without);
  });

  test('DB-008 a table without a stream records nothing, and one whose stream is switched on records from then on', async () => {
    const services = testServices();
    await createdTable(services, onDemandTable({ attributeDefinitions: strings('pk'), keySchema: keys('pk') }));
    const put = async (pk: string): Promise<unknown> =>
      putItem(services, { tableName, item: { pk: { S: pk } } }, testContext);
    await put('a');
    expect(await listStreams(services, { tableName }, testContext)).toEqual({ streams: [] });
    await switchStream(services, 'NEW_IMAGE');
    await put('b');
    const streamArn = await newestStreamArn(services, tableName);
    expect(eventTexts(await streamRecords(services, streamArn))).toEqual(['INSERT b']);
  });
});

async function switchStream(services: TestServices, streamViewType: StreamViewType | undefined): Promise<void> {
  const streamSpecification =
    streamViewType === undefined ? { streamEnabled: false } : { streamEnabled: true, streamViewType };
  await updateTable(services, { tableName, streamSpecification }, testContext);
}

describe('pages', () => {
  test('DB-122 GetRecords gives at most a thousand records, and at most what was asked for', async () => {
    const { services, streamArn, put } = await streamTest('KEYS_ONLY', { limits: oneShard });
    for (let n = 0; n < 1003; n += 1) await put(String(n));
    const first = await page(services, streamArn, 'TRIM_HORIZON');
    expect(first.records).toHaveLength(1000);
    const second = await getRecords(services, { shardIterator: first.nextShardIterator ?? '', limit: 2 }, testContext);
    expect(eventTexts(second.records)).toEqual(['INSERT 1000', 'INSERT 1001']);
    const third = await getRecords(services, { shardIterator: second.nextShardIterator ?? '' }, testContext);
    expect(eventTexts(third.records)).toEqual(['INSERT 1002']);
    const fourth = await getRecords(services, { shardIterator: third.nextShardIterator ?? '' }, testContext);
    expect(fourth.records).toEqual([]);
    await put('late');
    const fifth = await getRecords(services, { shardIterator: fourth.nextShardIterator ?? '' }, testContext);
    expect(eventTexts(fifth.records)).toEqual(['INSERT late']);
  });

  test('DB-122 and at most a megabyte, but always one record', async () => {
    const limits = { ...oneShard, streamRecordsBytesMax: 1000 };
    const { services, streamArn, put } = await streamTest('NEW_IMAGE', { limits });
    for (const [pk, length] of Object.entries({ a: 400, b: 400, c: 400, d: 1500, e: 1 })) {
      await put(pk, { x: { S: 'x'.repeat(length) } });
    }
    const pages: (readonly string[])[] = [];
    let { records, nextShardIterator } = await page(services, streamArn, 'TRIM_HORIZON');
    while (records.length > 0) {
      pages.push(eventTexts(records));
      ({ records, nextShardIterator } = await getRecords(
        services,
        { shardIterator: nextShardIterator ?? '' },
        testContext,
      ));
    }
    expect(pages).toEqual([['INSERT a', 'INSERT b'], ['INSERT c'], ['INSERT d'], ['INSERT e']]);
  });

  test('DB-255 DescribeStream in pages, by parent, and from a shard that is none', async () => {
    const { services, streamArn } = await streamTest('KEYS_ONLY');
    services.clock.advance(4 * hourMs);
    const whole = await describedStream(services, streamArn);
    expect(whole.shards).toHaveLength(9);
    expect(whole.shards.map(({ shardId }) => shardId)).toEqual(whole.shards.map(({ shardId }) => shardId).toSorted());
    expect(await describedStream(services, streamArn, 2)).toEqual(whole);
    const parents = whole.shards.flatMap(({ parentShardId }) => parentShardId ?? []);
    expect(new Set(parents).size).toBe(4);
    for (const shardId of new Set(parents)) {
      const shardFilter = { type: 'CHILD_SHARDS' as const, shardId };
      const { streamDescription } = await describeStream(services, { streamArn, shardFilter }, testContext);
      expect(streamDescription.shards).toEqual(whole.shards.filter(({ parentShardId }) => parentShardId === shardId));
    }
    const beyond = { streamArn, exclusiveStartShardId: 'zzzzzzzzzzzzzzzzzzzzzzzzzzzzz' };
    expect((await describeStream(services, beyond, testContext)).streamDescription.shards).toEqual([]);
    const half = { streamArn, shardFilter: { shardId: parents[0] } };
    await expect(describeStream(services, half, testContext)).rejects.toThrow('ShardFilter');
  });

  test('DB-255 ListStreams in pages, of all tables or one', async () => {
    const services = testServices();
    const streamSpecification = { streamEnabled: true, streamViewType: 'KEYS_ONLY' } as const;
    for (const name of ['bbb', 'aaa', 'aaaa']) {
      await createdTable(services, onDemandTable({ tableName: name, streamSpecification }));
    }
    const label = '2024-01-01T00:00:00.000';
    const entry = (name: string): unknown => ({
      streamArn: `arn:aws:dynamodb:us-east-1:000000000000:table/${name}/stream/${label}`,
      streamLabel: label,
      tableName: name,
    });
    const all = await listStreams(services, {}, testContext);
    expect(all).toEqual({ streams: ['aaa', 'aaaa', 'bbb'].map(entry) });
    const first = await listStreams(services, { limit: 2 }, testContext);
    expect(first.streams).toEqual(all.streams.slice(0, 2));
    const exclusiveStartStreamArn = first.lastEvaluatedStreamArn;
    expect(await listStreams(services, { limit: 1, exclusiveStartStreamArn }, testContext)).toEqual({
      streams: all.streams.slice(2),
    });
    expect((await listStreams(services, { tableName: 'aaa' }, testContext)).streams).toEqual([entry('aaa')]);
    expect((await listStreams(services, { tableName: 'zzz' }, testContext)).streams).toEqual([]);
    expect((await listStreams(services, {}, { ...testContext, region: 'eu-west-1' })).streams).toEqual([]);
  });
});

async function page(
  services: TestServices,
  streamArn: string,
  shardIteratorType: ShardIteratorType,
  sequenceNumber?: string,
): Promise<Awaited<ReturnType<typeof getRecords>>> {
  const { shards } = await describedStream(services, streamArn);
  const shardId = shards[0]?.shardId ?? '';
  const request = { streamArn, shardId, shardIteratorType, sequenceNumber };
  const { shardIterator } = await getShardIterator(services, request, testContext);
  return getRecords(services, { shardIterator }, testContext);
}

describe('DB-255 iterators', () => {
  test('the four types', async () => {
    const { services, streamArn, put } = await streamTest('KEYS_ONLY', { limits: oneShard });
    for (const pk of ['a', 'b', 'c']) await put(pk);
    const { records } = await page(services, streamArn, 'TRIM_HORIZON');
    expect(eventTexts(records)).toEqual(['INSERT a', 'INSERT b', 'INSERT c']);
    const second = records[1]?.dynamodb.sequenceNumber;
    const textsOf = async (type: ShardIteratorType, number?: string): Promise<readonly string[]> =>
      eventTexts((await page(services, streamArn, type, number)).records);
    expect(await textsOf('AT_SEQUENCE_NUMBER', second)).toEqual(['INSERT b', 'INSERT c']);
    expect(await textsOf('AFTER_SEQUENCE_NUMBER', second)).toEqual(['INSERT c']);
    expect(await textsOf('AFTER_SEQUENCE_NUMBER', records[2]?.dynamodb.sequenceNumber)).toEqual([]);
    expect(await textsOf('LATEST')).toEqual([]);
    const { shards } = await describedStream(services, streamArn);
    const start = shards[0]?.sequenceNumberRange.startingSequenceNumber;
    expect(await textsOf('AT_SEQUENCE_NUMBER', start)).toHaveLength(3);
    expect(await textsOf('AFTER_SEQUENCE_NUMBER', start)).toHaveLength(3);
  });

  test('LATEST sees what comes after', async () => {
    const { services, streamArn, put } = await streamTest('KEYS_ONLY', { limits: oneShard });
    await put('a');
    const { records, nextShardIterator } = await page(services, streamArn, 'LATEST');
    expect(records).toEqual([]);
    await put('b');
    const next = await getRecords(services, { shardIterator: nextShardIterator ?? '' }, testContext);
    expect(eventTexts(next.records)).toEqual(['INSERT b']);
  });

  test('a sequence number where one is needed, none where not, and only one of the shard', async () => {
    const { services, streamArn, put } = await streamTest('KEYS_ONLY', { limits: oneShard });
    await put('a');
    const sequenceNumber = (await page(services, streamArn, 'TRIM_HORIZON')).records[0]?.dynamodb.sequenceNumber;
    for (const type of ['AT_SEQUENCE_NUMBER', 'AFTER_SEQUENCE_NUMBER'] as const) {
      await expect(page(services, streamArn, type)).rejects.toThrow(`${type} and no SequenceNumber`);
      for (const wrong of ['1'.repeat(21), `${sequenceNumber?.slice(0, -1)}1`, '100000000000000200000000', 'x']) {
        await expect(page(services, streamArn, type, wrong)).rejects.toThrow('Invalid SequenceNumber');
      }
    }
    for (const type of ['TRIM_HORIZON', 'LATEST'] as const) {
      await expect(page(services, streamArn, type, sequenceNumber)).rejects.toThrow(
        `${type} and also a SequenceNumber`,
      );
    }
  });

  test('streams and shards that are not there', async () => {
    const { services, streamArn } = await streamTest();
    const { shards } = await describedStream(services, streamArn);
    const shardId = shards[0]?.shardId ?? '';
    const shardIteratorType = 'LATEST' as const;
    const unknownShard = { streamArn, shardId: 'shardId-00000001414576573621-f55eea83', shardIteratorType };
    await expect(getShardIterator(services, unknownShard, testContext)).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: 'Requested resource not found: Shard does not exist',
    });
    for (const other of [
      streamArn.replace('000000000000', '111111111111'),
      streamArn.replace('us-east-1', 'eu-west-1'),
      streamArn.replace('Table', 'Tables'),
      streamArn.replace('.000', '.001'),
    ]) {
      const expected = {
        name: 'ResourceNotFoundException',
        message: `Requested resource not found: Stream: ${other} not found`,
      };
      const request = { streamArn: other, shardId, shardIteratorType };
      await expect(getShardIterator(services, request, testContext)).rejects.toMatchObject(expected);
      await expect(describedStream(services, other)).rejects.toMatchObject(expected);
    }
  });

  test('expire after a quarter of an hour', async () => {
    const { services, streamArn, put } = await streamTest('KEYS_ONLY', { limits: oneShard });
    await put('a');
    const { nextShardIterator: shardIterator = '' } = await page(services, streamArn, 'TRIM_HORIZON');
    services.clock.advance(15 * 60_000);
    await getRecords(services, { shardIterator }, testContext);
    services.clock.advance(1);
    await expect(getRecords(services, { shardIterator }, testContext)).rejects.toMatchObject({
      name: 'ExpiredIteratorException',
    });
  });
});

describe('DB-255 shards that are replaced', () => {
  test('close with their last number, are read to their end, and their children continue', async () => {
    const { services, streamArn, put, records } = await streamTest('KEYS_ONLY', {
      limits: { streamShardCountInitial: 1, streamShardSplitInterval: 1 },
    });
    await put('a');
    await put('b');
    services.clock.advance(4 * hourMs);
    const { shards } = await describedStream(services, streamArn);
    expect(shards.map(({ parentShardId }) => parentShardId)).toEqual([
      undefined,
      shards[0]?.shardId,
      shards[0]?.shardId,
    ]);
    const [parent, ...children] = shards.map(({ sequenceNumberRange }) => sequenceNumberRange);
    expect(parent).toEqual({
      startingSequenceNumber: '100000000000000000000000',
      endingSequenceNumber: '100000000000000200000000',
    });
    expect(children).toEqual([
      { startingSequenceNumber: '100000000000000300000001' },
      { startingSequenceNumber: '100000000000000300000002' },
    ]);
    await put('c');
    const { records: read, nextShardIterator } = await page(services, streamArn, 'TRIM_HORIZON');
    expect(eventTexts(read)).toEqual(['INSERT a', 'INSERT b']);
    expect(nextShardIterator).toBeUndefined();
    expect((await page(services, streamArn, 'LATEST')).nextShardIterator).toBeUndefined();
    const all = await records();
    expect(eventTexts(all)).toEqual(['INSERT a', 'INSERT b', 'INSERT c']);
    expect(BigInt(all[2]?.dynamodb.sequenceNumber ?? 0)).toBeGreaterThan(BigInt(parent?.endingSequenceNumber ?? 0));
    expect(await inconsistencies(services, tableName)).toEqual([]);
  });

  test('an iterator that was given out before still reads what came until then', async () => {
    const { services, streamArn, put } = await streamTest('KEYS_ONLY', {
      limits: { ...oneShard, shardIteratorMinutes: 600 },
    });
    const { nextShardIterator: shardIterator = '' } = await page(services, streamArn, 'LATEST');
    await put('a');
    services.clock.advance(4 * hourMs);
    await describedStream(services, streamArn);
    await put('b');
    const last = await getRecords(services, { shardIterator }, testContext);
    expect(eventTexts(last.records)).toEqual(['INSERT a']);
    expect(last.nextShardIterator).toBeUndefined();
  });

  test('a process that has not heard of it writes to the children all the same', async () => {
    const one = await streamTest('NEW_IMAGE');
    const other = testServices({ store: one.services.store });
    await one.put('a');
    await putItem(other, { tableName, item: { pk: { S: 'b' } } }, testContext);
    one.services.clock.advance(4 * hourMs);
    await describedStream(one.services, one.streamArn);
    for (const pk of ['c', 'd', 'e', 'f']) await putItem(other, { tableName, item: { pk: { S: pk } } }, testContext);
    expect(await inconsistencies(other, tableName)).toEqual([]);
    expect(replayed(await one.records()).size).toBe(6);
  });
});

describe('switching', () => {
  test('DB-137 the answers, the labels and the statuses, when changes take time', async () => {
    const services = testServices({ lifecycleDelayMs: 100 });
    await createdTable(
      services,
      onDemandTable({ streamSpecification: { streamEnabled: true, streamViewType: 'KEYS_ONLY' } }),
    );
    const first = await newestStreamArn(services, tableName);
    const statusOf = async (arn: string): Promise<string> => (await describedStream(services, arn)).streamStatus;
    expect(await statusOf(first)).toBe('ENABLING');
    services.clock.advance(100);
    expect(await statusOf(first)).toBe('ENABLED');
    await expect(switchStream(services, 'NEW_IMAGE')).rejects.toThrow(
      'Table already has an enabled stream: TableName: Table',
    );
    await switchStream(services, undefined);
    expect(await statusOf(first)).toBe('DISABLING');
    services.clock.advance(100);
    expect(await statusOf(first)).toBe('DISABLED');
    await expect(switchStream(services, undefined)).rejects.toThrow('Table has no stream to disable: TableName: Table');
    await switchStream(services, 'NEW_IMAGE');
    services.clock.advance(100);
    const second = await newestStreamArn(services, tableName);
    expect(second).toBe(first.replace('00.000', '00.200'));
    expect([await statusOf(first), await statusOf(second)]).toEqual(['DISABLED', 'ENABLED']);
    const { table } = await describeTable(services, { tableName }, testContext);
    expect(table.latestStreamArn).toBe(second);
    expect(await describedStream(services, second)).toMatchObject({
      tableName,
      streamLabel: table.latestStreamLabel,
      streamViewType: 'NEW_IMAGE',
      creationRequestDateTime: (testStartMs + 200) / 1000,
      keySchema: [{ attributeName: 'PK', keyType: 'HASH' }],
    });
  });

  test('DB-137 a stream that is off keeps what it has, in shards that are closed', async () => {
    const { services, streamArn, put, records } = await streamTest();
    await put('a');
    await switchStream(services, undefined);
    await put('b');
    await switchStream(services, 'KEYS_ONLY');
    await put('c');
    const newest = await newestStreamArn(services, tableName);
    expect(newest).not.toBe(streamArn);
    expect(eventTexts(await records())).toEqual(['INSERT a']);
    expect(eventTexts(await streamRecords(services, newest))).toEqual(['INSERT c']);
    for (const { sequenceNumberRange } of (await describedStream(services, streamArn)).shards) {
      expect(sequenceNumberRange.endingSequenceNumber).toMatch(/^\d{24}$/);
    }
    expect(await inconsistencies(services, tableName)).toEqual([]);
  });

  test.each(['switched off', 'deleted with its table'])(
    'DB-255 a stream that is %s just when its shards are replaced closes all of them',
    async (how) => {
      const inner = openMemoryStore();
      const setup = await streamTest('NEW_IMAGE', { store: inner });
      await setup.put('a');
      const other = testServices({ store: inner, nowMs: testStartMs + 4 * hourMs });
      let isFirst = true;
      const store: Store = {
        manifest: inner.manifest,
        read: (storeKeys, body) => inner.read(storeKeys, body),
        range: (request, visit) => inner.range(request, visit),
        close: () => inner.close(),
        // Runs between the operation's reads and its decision.
        write: async (storeKeys, decide) => {
          if (isFirst) {
            isFirst = false;
            await tendStreams(other);
          }
          return inner.write(storeKeys, decide);
        },
      };
      const services = testServices({ store, nowMs: testStartMs + 4 * hourMs });
      if (how === 'switched off') await switchStream(services, undefined);
      else await deleteTable(services, { tableName }, testContext);
      const { shards } = await describedStream(services, setup.streamArn);
      expect(shards).toHaveLength(9);
      for (const { sequenceNumberRange } of shards) expect(sequenceNumberRange.endingSequenceNumber).toBeDefined();
      expect(eventTexts(await streamRecords(services, setup.streamArn))).toEqual(['INSERT a']);
    },
  );

  test('DB-138 the stream of a deleted table can be read for a day', async () => {
    const { services, streamArn, put, records } = await streamTest();
    await put('a');
    await deleteTable(services, { tableName }, testContext);
    await services.tasks.settle();
    expect((await describedStream(services, streamArn)).streamStatus).toBe('DISABLED');
    expect(eventTexts(await records())).toEqual(['INSERT a']);
    services.clock.advance(24 * hourMs - 1);
    expect(await newestStreamArn(services, tableName)).toBe(streamArn);
    services.clock.advance(1);
    await expect(describedStream(services, streamArn)).rejects.toThrow('Requested resource not found: Stream');
    expect((await listStreams(services, {}, testContext)).streams).toEqual([]);
  });

  test('DB-138 a table that is made again under the same name, in the same moment, has another stream', async () => {
    const { services, streamArn, put, records } = await streamTest();
    await put('a');
    await deleteTable(services, { tableName }, testContext);
    await createdTable(
      services,
      onDemandTable({
        attributeDefinitions: strings('pk'),
        keySchema: keys('pk'),
        streamSpecification: { streamEnabled: true, streamViewType: 'NEW_IMAGE' },
      }),
    );
    await put('b');
    const newest = await newestStreamArn(services, tableName);
    expect(newest).not.toBe(streamArn);
    expect(eventTexts(await records())).toEqual(['INSERT a']);
    expect(eventTexts(await streamRecords(services, newest))).toEqual(['INSERT b']);
  });
});
