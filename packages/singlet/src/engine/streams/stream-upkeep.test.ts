import { describe, expect, test } from 'vitest';
import { openMemoryStore } from '../../storage/memory/memory-store.ts';
import { StorageError } from '../../storage/storage-error.ts';
import type { Store } from '../../storage/store.ts';
import { FaultStore } from '../../storage/testing/fault-store.ts';
import { space, spaceStart } from '../layout/spaces.ts';
import { deleteTable } from '../operations/delete-table.ts';
import { getRecords } from '../operations/get-records.ts';
import { getShardIterator, type ShardIteratorType } from '../operations/get-shard-iterator.ts';
import { putItem } from '../operations/put-item.ts';
import { updateTable } from '../operations/update-table.ts';
import { keys, onDemandTable, strings } from '../testing/table-requests.ts';
import { createdTable, inconsistencies, presentTable } from '../testing/test-engine.ts';
import { describedStream, eventTexts, newestStreamArn, streamRecords } from '../testing/stream-reader.ts';
import {
  testContext,
  type TestServices,
  testServices,
  type TestServicesOptions,
  testStartMs,
} from '../testing/test-services.ts';
import { keepStreams, tendStreams } from './stream-upkeep.ts';

const tableName = 'Table';
const hourMs = 3_600_000;
const oneShard = { streamShardCountInitial: 1, streamShardCountMax: 1 };

async function withStream(options: TestServicesOptions = {}): Promise<TestServices> {
  const services = testServices(options);
  await createdTable(
    services,
    onDemandTable({
      attributeDefinitions: strings('pk'),
      keySchema: keys('pk'),
      streamSpecification: { streamEnabled: true, streamViewType: 'NEW_IMAGE' },
    }),
  );
  return services;
}

async function put(services: TestServices, ...names: readonly string[]): Promise<void> {
  for (const pk of names) await putItem(services, { tableName, item: { pk: { S: pk } } }, testContext);
}

async function entryCount(store: Store, spaceId: number): Promise<number> {
  let count = 0;
  await store.range({ from: spaceStart(spaceId), to: spaceStart(spaceId + 1) }, () => {
    count += 1;
    return true;
  });
  return count;
}

async function streamSpace(services: TestServices): Promise<number> {
  return (await presentTable(services, tableName)).record.stream?.space ?? 0;
}

describe('DB-256 retention', () => {
  test.each([false, true])('of 24 hours, seen by readers whether it is carried out (%s) or not', async (carriedOut) => {
    // One shard that is never replaced, so that some of its records are trimmed and others are kept.
    const services = await withStream({ limits: { ...oneShard, streamShardMinutes: 1e6 } });
    const streamArn = await newestStreamArn(services, tableName);
    const { shards } = await describedStream(services, streamArn);
    const shardId = shards[0]?.shardId ?? '';
    const start = shards[0]?.sequenceNumberRange.startingSequenceNumber;
    const iterator = async (shardIteratorType: ShardIteratorType, sequenceNumber?: string): Promise<string> => {
      const request = { streamArn, shardId, shardIteratorType, sequenceNumber };
      return (await getShardIterator(services, request, testContext)).shardIterator;
    };
    const readFrom = async (shardIterator: string): Promise<readonly string[]> =>
      eventTexts((await getRecords(services, { shardIterator }, testContext)).records);
    await put(services, 'a', 'b');
    services.clock.advance(hourMs);
    await put(services, 'c');
    const numbers = (await streamRecords(services, streamArn)).map(({ dynamodb }) => dynamodb.sequenceNumber);
    services.clock.advance(23 * hourMs - 1);
    expect(await readFrom(await iterator('TRIM_HORIZON'))).toEqual(['INSERT a', 'INSERT b', 'INSERT c']);
    const early = await iterator('AT_SEQUENCE_NUMBER', numbers[1]);
    services.clock.advance(1);
    if (carriedOut) await tendStreams(services);
    expect(await readFrom(await iterator('TRIM_HORIZON'))).toEqual(['INSERT c']);
    expect(await readFrom(await iterator('AT_SEQUENCE_NUMBER', numbers[2]))).toEqual(['INSERT c']);
    const trimmed = {
      name: 'TrimmedDataAccessException',
      message: 'The data you are trying to access has been trimmed',
    };
    for (const number of [start, numbers[0], numbers[1]]) {
      await expect(iterator('AT_SEQUENCE_NUMBER', number)).rejects.toMatchObject(trimmed);
      await expect(iterator('AFTER_SEQUENCE_NUMBER', number)).rejects.toMatchObject(trimmed);
    }
    await expect(readFrom(early)).rejects.toMatchObject(trimmed);
    services.clock.advance(hourMs - 1);
    const late = await iterator('AT_SEQUENCE_NUMBER', numbers[2]);
    expect(await readFrom(late)).toEqual(['INSERT c']);
    services.clock.advance(1);
    if (carriedOut) await tendStreams(services);
    await expect(readFrom(late)).rejects.toMatchObject(trimmed);
    expect(await readFrom(await iterator('TRIM_HORIZON'))).toEqual([]);
    expect(await readFrom(await iterator('LATEST'))).toEqual([]);
    await expect(iterator('AFTER_SEQUENCE_NUMBER', numbers[2])).rejects.toMatchObject(trimmed);
    await put(services, 'd');
    expect(await readFrom(await iterator('TRIM_HORIZON'))).toEqual(['INSERT d']);
    expect(await inconsistencies(services, tableName)).toEqual([]);
  });

  test('an iterator at the end of a shard stays good while nothing happens', async () => {
    const services = await withStream({ limits: { ...oneShard, streamShardMinutes: 1e6, shardIteratorMinutes: 1e6 } });
    const streamArn = await newestStreamArn(services, tableName);
    const { shards } = await describedStream(services, streamArn);
    await put(services, 'a');
    const request = { streamArn, shardId: shards[0]?.shardId ?? '', shardIteratorType: 'LATEST' as const };
    const { shardIterator } = await getShardIterator(services, request, testContext);
    services.clock.advance(48 * hourMs);
    await tendStreams(services);
    expect((await getRecords(services, { shardIterator }, testContext)).records).toEqual([]);
    await put(services, 'b');
    expect(eventTexts((await getRecords(services, { shardIterator }, testContext)).records)).toEqual(['INSERT b']);
  });

  test('finds the first record that is kept among many that have not been removed yet', async () => {
    const services = await withStream({ limits: { ...oneShard, streamShardMinutes: 1e6 } });
    const streamArn = await newestStreamArn(services, tableName);
    for (let n = 0; n < 40; n += 1) {
      await put(services, String(n));
      services.clock.advance(hourMs);
    }
    for (let kept = 23; kept > 0; kept -= 1) {
      const texts = eventTexts(await streamRecords(services, streamArn));
      expect(texts).toEqual(Array.from({ length: kept }, (_, at) => `INSERT ${40 - kept + at}`));
      services.clock.advance(hourMs);
    }
  });

  test('shards are forgotten a day after they were closed, with their records', async () => {
    const services = await withStream({ limits: oneShard });
    const streamArn = await newestStreamArn(services, tableName);
    for (let turn = 0; turn < 10; turn += 1) {
      await put(services, `item ${turn}`);
      services.clock.advance(4 * hourMs);
      await tendStreams(services);
    }
    const { shards } = await describedStream(services, streamArn);
    // Six that were closed within 24 hours (the seventh 24 hours ago, to the millisecond), and the open one.
    expect(shards).toHaveLength(7);
    expect(shards[0]?.parentShardId).toBeDefined();
    expect(eventTexts(await streamRecords(services, streamArn))).toEqual(
      [5, 6, 7, 8, 9].map((turn) => `INSERT item ${turn}`),
    );
    expect(await entryCount(services.store, await streamSpace(services))).toBe(6);
    expect(await inconsistencies(services, tableName)).toEqual([]);
  });
});

describe('upkeep', () => {
  test('removes a stream that has been off for a day, record and all', async () => {
    const services = await withStream();
    const spaceId = await streamSpace(services);
    await put(services, 'a', 'b', 'c');
    await updateTable(services, { tableName, streamSpecification: { streamEnabled: false } }, testContext);
    services.clock.advance(24 * hourMs - 1);
    await tendStreams(services);
    expect(await entryCount(services.store, spaceId)).toBe(3);
    services.clock.advance(1);
    await tendStreams(services);
    expect(await entryCount(services.store, spaceId)).toBe(0);
    expect(await entryCount(services.store, space.streams)).toBe(0);
  });

  test('of the stream of a deleted table, by another process', async () => {
    const services = await withStream();
    const spaceId = await streamSpace(services);
    await put(services, 'a');
    await deleteTable(services, { tableName }, testContext);
    await services.tasks.settle();
    expect(await entryCount(services.store, spaceId)).toBe(1);
    const later = testServices({ store: services.store, nowMs: testStartMs + 24 * hourMs });
    await tendStreams(later);
    expect(await entryCount(services.store, spaceId)).toBe(0);
    expect(await entryCount(services.store, space.streams)).toBe(0);
  });

  test('continues where it was interrupted, at whichever step', async () => {
    const spaceIds: number[] = [];
    for (let steps = 0; steps < 4; steps += 1) {
      const services = await withStream({ limits: { ...oneShard, streamShardMinutes: 1e6 } });
      const spaceId = await streamSpace(services);
      for (let n = 0; n < 1200; n += 1) await put(services, String(n));
      services.clock.advance(24 * hourMs);
      services.tasks.killAfterPauses(steps);
      await Promise.race([tendStreams(services), services.tasks.died]);
      const left = await entryCount(services.store, spaceId);
      // 500 records in a step; the shard's head is kept.
      expect(left).toBe([701, 201, 1, 1][steps]);
      const next = testServices({ store: services.store, nowMs: testStartMs + 24 * hourMs });
      await tendStreams(next);
      expect(await entryCount(services.store, spaceId)).toBe(1);
      spaceIds.push(spaceId);
    }
    expect(spaceIds).toHaveLength(4);
  });

  test('leaves nothing of a shard, even if the clock of a writer was ahead of the one that closed it', async () => {
    const services = await withStream({ limits: oneShard });
    const ahead = testServices({ store: services.store, limits: oneShard, nowMs: testStartMs + 5 * hourMs });
    await put(ahead, 'a');
    services.clock.advance(4 * hourMs);
    await tendStreams(services);
    services.clock.advance(24 * hourMs);
    await tendStreams(services);
    // The head of the open shard.
    expect(await entryCount(services.store, await streamSpace(services))).toBe(1);
  });

  test('by two processes at once does everything once', async () => {
    const services = await withStream();
    const other = testServices({ store: services.store });
    await put(services, 'a', 'b');
    for (const { clock } of [services, other]) clock.advance(4 * hourMs);
    await Promise.all([tendStreams(services), tendStreams(other), tendStreams(services)]);
    const { shards } = await describedStream(services, await newestStreamArn(services, tableName));
    expect(shards).toHaveLength(9);
    expect(await inconsistencies(services, tableName)).toEqual([]);
  });

  test('runs every minute, continues after a failure of the store, and ends with the engine', async () => {
    const store = new FaultStore(openMemoryStore(), { seed: 1, rates: {} });
    const services = await withStream({ store });
    const streamArn = await newestStreamArn(services, tableName);
    let isRunning = true;
    const running = keepStreams(services).then(() => (isRunning = false));
    store.setRates({ readFailed: 1 });
    services.clock.advance(4 * hourMs);
    await expect.poll(() => services.logged.map(({ event }) => event)).toEqual(['stream-upkeep-postponed']);
    expect(services.logged[0]?.['error']).toBeInstanceOf(StorageError);
    store.setRates({});
    await expect
      .poll(async () => {
        services.clock.advance(60_000);
        return (await presentTable(services, tableName)).record.stream?.openShards.length;
      })
      .toBe(5);
    expect(isRunning).toBe(true);
    services.close();
    services.clock.advance(60_000);
    await running;
    expect(await describedStream(services, streamArn)).toMatchObject({ streamStatus: 'ENABLED' });
  });
});
