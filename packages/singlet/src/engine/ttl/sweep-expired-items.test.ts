import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openMemoryStore } from '../../storage/memory/memory-store.ts';
import type { Store } from '../../storage/store.ts';
import { StorageError } from '../../storage/storage-error.ts';
import type { AttributeMap, AttributeValue } from '../../values/attribute-value.ts';
import { serviceLimits } from '../../values/limits.ts';
import { backgroundDelayMs, createEngine } from '../create-engine.ts';
import { encodeItem } from '../layout/item-codec.ts';
import { itemKeyOfItem } from '../catalog/item-key.ts';
import { ItemWritePlan } from '../items/item-write-plan.ts';
import { batchWriteItem } from '../operations/batch-write-item.ts';
import type { CreateTableRequest } from '../schema/create-table-request.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { deleteTable } from '../operations/delete-table.ts';
import { describeStream } from '../operations/describe-stream.ts';
import { describeTable } from '../operations/describe-table.ts';
import { describeTimeToLive } from '../operations/describe-time-to-live.ts';
import { getItem } from '../operations/get-item.ts';
import { getRecords, type StreamEvent } from '../operations/get-records.ts';
import { getShardIterator } from '../operations/get-shard-iterator.ts';
import { listStreams } from '../operations/list-streams.ts';
import { putItem } from '../operations/put-item.ts';
import { query } from '../operations/query.ts';
import { scan } from '../operations/scan.ts';
import { transactWriteItems } from '../operations/transact-write-items.ts';
import { updateItem } from '../operations/update-item.ts';
import { updateTable } from '../operations/update-table.ts';
import { updateTimeToLive } from '../operations/update-time-to-live.ts';
import { statisticsBucketCount } from '../catalog/statistics.ts';
import { index, keys, onDemandTable, strings } from '../testing/table-requests.ts';
import { createdTable, inconsistencies, mapOf, presentTable } from '../testing/test-engine.ts';
import { testContext, type TestServices, testServices, testStartMs } from '../testing/test-services.ts';
import { expirySweepIntervalMs, expirySweepPageItems, sweepExpiredItems } from './sweep-expired-items.ts';

const tableName = 'Table';
const now = testStartMs / 1000;
const yearSeconds = 365 * 24 * 60 * 60;

const N = (value: number): AttributeValue => ({ N: String(value) });

async function enable(services: TestServices, attributeName = 'expires', name = tableName): Promise<void> {
  const timeToLiveSpecification = { enabled: true, attributeName };
  await updateTimeToLive(services, { tableName: name, timeToLiveSpecification }, testContext);
}

async function ready(changes: Partial<CreateTableRequest> = {}, services = testServices()): Promise<TestServices> {
  await createdTable(services, onDemandTable(changes));
  await enable(services);
  return services;
}

async function put(
  services: TestServices,
  id: string,
  expires?: AttributeValue,
  more: AttributeMap = {},
): Promise<void> {
  const item = { PK: { S: id }, ...(expires !== undefined && { expires }), ...more };
  await putItem(services, { tableName, item }, testContext);
}

/** The partition keys of the stored items, in alphabetical order. */
async function stored(services: TestServices): Promise<readonly string[]> {
  const { items = [] } = await scan(services, { tableName }, testContext);
  return items.map((item) => (mapOf(item)!['PK'] as { S: string }).S).toSorted();
}

/** A store that counts its calls, and runs a function between a read and the decision that follows. */
function observed(inner: Store, afterReading: () => Promise<void> = () => Promise.resolve()) {
  const counts = { ranges: 0, entries: 0, keysRead: 0, keysOfDecisions: 0, keysWritten: 0 };
  const store: Store = {
    manifest: inner.manifest,
    async read(keyList, body) {
      counts.keysRead += keyList.length;
      const result = await inner.read(keyList, body);
      await afterReading();
      return result;
    },
    async range(request, visit) {
      counts.ranges++;
      const end = await inner.range(request, (key, value) => {
        counts.entries++;
        return visit(key, value);
      });
      await afterReading();
      return end;
    },
    write(keyList, decide) {
      counts.keysOfDecisions += keyList.length;
      return inner.write(keyList, (values) => {
        const decision = decide(values);
        counts.keysWritten += decision.writes.length;
        return decision;
      });
    },
    close: () => inner.close(),
  };
  return { store, counts };
}

describe('DB-258 an expired item', () => {
  test('is removed when its time is before now, and not when it is now', async () => {
    const services = await ready();
    await put(services, 'before', N(now - 1));
    await put(services, 'now', N(now));
    await put(services, 'after', N(now + 1));
    await put(services, 'none');
    expect(await sweepExpiredItems(services)).toBe(1);
    expect(await stored(services)).toEqual(['after', 'none', 'now']);
    services.clock.advance(999);
    expect(await sweepExpiredItems(services)).toBe(0);
    services.clock.advance(1);
    expect(await sweepExpiredItems(services)).toBe(1);
    expect(await stored(services)).toEqual(['after', 'none']);
    expect(await sweepExpiredItems(services)).toBe(0);
    expect(await inconsistencies(services, tableName)).toEqual([]);
  });

  test('DB-260 stays readable and writable until it is swept', async () => {
    const services = await ready();
    await put(services, 'x', N(now - 100), { a: { S: 'old' } });
    const key = { PK: { S: 'x' } };
    const { item } = await getItem(services, { tableName, key }, testContext);
    expect(mapOf(item)).toEqual({ ...key, expires: N(now - 100), a: { S: 'old' } });
    const values = { ':a': { S: 'new' } };
    await updateItem(
      services,
      { tableName, key, updateExpression: 'SET a = :a', expressionAttributeValues: values },
      testContext,
    );
    expect(await stored(services)).toEqual(['x']);
    expect(await sweepExpiredItems(services)).toBe(1);
    expect(await stored(services)).toEqual([]);
  });

  test('DB-259 is one with a number; whatever else is there is for ever', async () => {
    const services = await ready();
    const others: readonly AttributeValue[] = [
      { S: String(now - 100) },
      { NS: [String(now - 100)] },
      { L: [N(now - 100)] },
      { NULL: true },
      N(testStartMs - 100_000),
      { N: '-5' },
    ];
    for (const [at, value] of others.entries()) await put(services, `other-${at}`, value);
    await put(services, 'fraction', { N: `${now - 100}.5` });
    expect(await sweepExpiredItems(services)).toBe(1);
    expect(await stored(services)).toEqual(others.map((_, at) => `other-${at}`));
    expect(await inconsistencies(services, tableName)).toEqual([]);
  });

  test('DB-264 of more than five years ago stays', async () => {
    const services = await ready();
    await put(services, 'six-years', N(now - 6 * yearSeconds));
    await put(services, 'a-second-more', N(now - 5 * yearSeconds - 1));
    await put(services, 'five-years', N(now - 5 * yearSeconds));
    await put(services, 'zero', N(0));
    expect(await sweepExpiredItems(services)).toBe(1);
    expect(await stored(services)).toEqual(['a-second-more', 'six-years', 'zero']);
  });

  test('may expire by a key attribute', async () => {
    const services = testServices();
    const definition = {
      attributeDefinitions: [...strings('PK'), { attributeName: 'SK', attributeType: 'N' } as const],
      keySchema: keys('PK', 'SK'),
    };
    await createdTable(services, onDemandTable(definition));
    await enable(services, 'SK');
    await put(services, 'x', undefined, { SK: N(now - 1) });
    await put(services, 'x', undefined, { SK: N(now + 1) });
    expect(await sweepExpiredItems(services)).toBe(1);
    expect(await stored(services)).toEqual(['x']);
    expect(await inconsistencies(services, tableName)).toEqual([]);
  });

  test('that was there before time to live was enabled is removed too', async () => {
    const services = testServices({ tasks: 'held' });
    await createdTable(services, onDemandTable());
    await put(services, 'x', N(now - 1));
    await enable(services);
    expect(await sweepExpiredItems(services)).toBe(1);
    const { timeToLiveDescription } = await describeTimeToLive(services, { tableName }, testContext);
    expect(timeToLiveDescription.timeToLiveStatus).toBe('ENABLED');
    await services.tasks.run();
    expect(services.logged).toEqual([]);
  });

  test('is left while time to live is ENABLING, and once it is disabled', async () => {
    const services = testServices({ lifecycleDelayMs: 5000, tasks: 'held' });
    await createdTable(services, onDemandTable());
    services.clock.advance(5000);
    await put(services, 'x', N(now - 1));
    await enable(services);
    expect(await sweepExpiredItems(services)).toBe(0);
    services.clock.advance(3_600_000);
    await services.tasks.run();
    const timeToLiveSpecification = { enabled: false, attributeName: 'expires' };
    await updateTimeToLive(services, { tableName, timeToLiveSpecification }, testContext);
    expect(await sweepExpiredItems(services)).toBe(0);
    services.clock.advance(5000);
    await services.tasks.run();
    expect(await sweepExpiredItems(services)).toBe(0);
    expect(await stored(services)).toEqual(['x']);
  });
});

describe('DB-262 the removal of an expired item', () => {
  const indexed = onDemandTable({
    attributeDefinitions: strings('PK', 'SK', 'a'),
    keySchema: keys('PK', 'SK'),
    localSecondaryIndexes: [index('lsi', 'PK', 'a')],
    globalSecondaryIndexes: [index('gsi', 'a')],
  });

  test('is one from all indexes, counts and sizes', async () => {
    const services = await ready(indexed);
    for (const [id, expires] of [now - 1, now - 2, now + 5].entries()) {
      await put(services, 'x', N(expires), { SK: { S: `${id}` }, a: { S: 'a' } });
    }
    expect(await sweepExpiredItems(services)).toBe(2);
    expect(await inconsistencies(services, tableName)).toEqual([]);
    const { table } = await describeTable(services, { tableName }, testContext);
    expect(table).toMatchObject({
      itemCount: 1,
      globalSecondaryIndexes: [{ itemCount: 1 }],
      localSecondaryIndexes: [{ itemCount: 1 }],
    });
    const expressionAttributeValues = { ':a': { S: 'a' } };
    const found = await query(
      services,
      { tableName, indexName: 'gsi', keyConditionExpression: 'a = :a', expressionAttributeValues },
      testContext,
    );
    expect(found.count).toBe(1);
  });

  test('also while an index is being filled', async () => {
    const services = testServices({ tasks: 'held' });
    await ready({}, services);
    for (let id = 0; id < 30; id++) await put(services, `${id}`, N(now - (id % 2)), { a: { S: 'a' } });
    const request = {
      tableName,
      attributeDefinitions: strings('a'),
      globalSecondaryIndexUpdates: [{ create: index('gsi', 'a') }],
    };
    await updateTable(services, request, testContext);
    expect(await sweepExpiredItems(services)).toBe(15);
    await services.tasks.run();
    expect(await inconsistencies(services, tableName)).toEqual([]);
  });
});

describe('DB-263 the stream', () => {
  async function recordsOf(services: TestServices): Promise<readonly StreamEvent[]> {
    const { streams } = await listStreams(services, { tableName }, testContext);
    const { streamArn } = streams[0]!;
    const { streamDescription } = await describeStream(services, { streamArn }, testContext);
    const pages = streamDescription.shards.map(async ({ shardId }) => {
      const request = { streamArn, shardId, shardIteratorType: 'TRIM_HORIZON' } as const;
      const { shardIterator } = await getShardIterator(services, request, testContext);
      return (await getRecords(services, { shardIterator }, testContext)).records;
    });
    return (await Promise.all(pages)).flat();
  }

  test('says of each removal that the service made it, and of no other', async () => {
    const services = await ready({ streamSpecification: { streamEnabled: true, streamViewType: 'OLD_IMAGE' } });
    await put(services, 'expired', N(now - 1));
    await put(services, 'kept', N(now + 1));
    await put(services, 'deleted', N(now - 1));
    await deleteItem(services, { tableName, key: { PK: { S: 'deleted' } } }, testContext);
    expect(await sweepExpiredItems(services)).toBe(1);
    const removals = (await recordsOf(services)).filter(({ eventName }) => eventName === 'REMOVE');
    const shown = removals.map(({ dynamodb, userIdentity }) => [mapOf(dynamodb.oldImage)?.['PK'], userIdentity]);
    expect(shown).toHaveLength(2);
    expect(shown).toContainEqual([{ S: 'expired' }, { type: 'Service', principalId: 'dynamodb.amazonaws.com' }]);
    expect(shown).toContainEqual([{ S: 'deleted' }, undefined]);
  });
});

describe('DB-258 a request that writes an item while it is being swept wins', () => {
  const key = { PK: { S: 'x' } };

  async function extend(services: TestServices, expires: AttributeValue): Promise<void> {
    const expressionAttributeValues = { ':e': expires };
    await updateItem(
      services,
      { tableName, key, updateExpression: 'SET expires = :e', expressionAttributeValues },
      testContext,
    );
  }

  async function remove(services: TestServices): Promise<void> {
    await deleteItem(services, { tableName, key }, testContext);
  }

  test.each<[string, (services: TestServices) => Promise<void>, number, readonly string[]]>([
    ['by extending its life', (services) => extend(services, N(now + 100)), 0, ['x']],
    ['by taking its end away', (services) => put(services, 'x'), 0, ['x']],
    ['by moving its end to another time that has passed', (services) => extend(services, N(now - 5)), 1, []],
    ['by deleting it', (services) => remove(services), 0, []],
  ])('%s', async (_how, disturb, removed, left) => {
    let momentCount = 0;
    for (let moment = 0; moment <= momentCount; moment++) {
      const inner = openMemoryStore();
      const services = await ready({}, testServices({ store: inner }));
      await put(services, 'x', N(now - 1));
      let readings = 0;
      let inTime: boolean | undefined;
      const { store } = observed(inner, async () => {
        if (readings++ !== moment) return;
        inTime = (await stored(services)).length === 1;
        if (inTime) await disturb(services);
      });
      const count = await sweepExpiredItems(testServices({ store }));
      expect([moment, count]).toEqual([moment, inTime === true ? removed : 1]);
      expect(await stored(services)).toEqual(inTime === true ? left : []);
      expect(await inconsistencies(services, tableName)).toEqual([]);
      if (inTime === true) momentCount = moment + 1;
    }
    expect(momentCount).toBeGreaterThan(3);
  });

  test('and so does one that changes the table', async () => {
    const inner = openMemoryStore();
    const services = await ready({}, testServices({ store: inner }));
    for (let id = 0; id < 60; id++) await put(services, `${id}`, N(now - 1));
    let seen = 0;
    const { store } = observed(inner, async () => {
      if (seen++ % 5 === 0) {
        await updateTable(services, { tableName, deletionProtectionEnabled: seen % 2 === 0 }, testContext);
      }
    });
    expect(await sweepExpiredItems(testServices({ store }))).toBe(60);
    expect(await stored(services)).toEqual([]);
    expect(await inconsistencies(services, tableName)).toEqual([]);
  });

  test.each([0, 5000])('and one that deletes it, in %i ms', async (lifecycleDelayMs) => {
    const inner = openMemoryStore();
    const services = await ready({}, testServices({ store: inner }));
    for (let id = 0; id < 60; id++) await put(services, `${id}`, N(now - 1));
    const deleting = testServices({ store: inner, lifecycleDelayMs, tasks: 'held' });
    let seen = 0;
    const { store } = observed(inner, async () => {
      if (seen++ === 4) await deleteTable(deleting, { tableName }, testContext);
    });
    expect(await sweepExpiredItems(testServices({ store }))).toBeLessThan(60);
    deleting.clock.advance(lifecycleDelayMs);
    await deleting.tasks.run();
    await createdTable(services, onDemandTable());
    expect(await inconsistencies(services, tableName)).toEqual([]);
  });
});

describe('DB-258 several that sweep at once', () => {
  test('remove each item once', async () => {
    const services = await ready();
    for (let id = 0; id < 200; id++) await put(services, `${id}`, N(now - 1));
    const others = [1, 2, 3].map(() => testServices({ store: services.store }));
    const counts = await Promise.all([services, ...others].map((each) => sweepExpiredItems(each)));
    expect(counts.reduce((sum, count) => sum + count)).toBe(200);
    expect(await stored(services)).toEqual([]);
    expect(await inconsistencies(services, tableName)).toEqual([]);
  });
});

describe('DB-258 a process that knew the table before', () => {
  test('sweeps it once another one has enabled its time to live', async () => {
    const services = testServices();
    await createdTable(services, onDemandTable());
    const other = testServices({ store: services.store });
    await put(other, 'x', N(now - 1));
    await enable(services);
    await services.tasks.settle();
    expect(await sweepExpiredItems(other)).toBe(1);
  });
});

describe('DB-258 an interrupted sweep', () => {
  test.each([0, 1, 2, 7])('by a power cut after %i steps is done by the next', async (steps) => {
    const services = await ready();
    for (let id = 0; id < 300; id++) await put(services, `${id}`, N(now - (id % 2)), { a: { S: 'a' } });
    services.tasks.killAfterPauses(steps);
    const { died } = services.tasks;
    void sweepExpiredItems(services);
    await died;
    const reopened = testServices({ store: services.store });
    expect(await inconsistencies(reopened, tableName)).toEqual([]);
    const left = (await stored(reopened)).length - 150;
    expect(left).toBeGreaterThan(0);
    expect(await sweepExpiredItems(reopened)).toBe(left);
    expect(await stored(reopened)).toHaveLength(150);
  });

  test('by the end of the engine says what it has done', async () => {
    const services = await ready();
    for (let id = 0; id < 300; id++) await put(services, `${id}`, N(now - 1));
    services.tasks.atPause = () => services.close();
    const removed = await sweepExpiredItems(services);
    expect(removed).toBeGreaterThan(0);
    expect(await stored(services)).toHaveLength(300 - removed);
  });
});

describe('DB-258 the cost of a sweep', () => {
  test('follows what has expired, not what is stored', async () => {
    const inner = openMemoryStore();
    const services = await ready({}, testServices({ store: inner }));
    const table = await presentTable(services, tableName);
    const itemCount = 100_000;
    for (let first = 0; first < itemCount; first += 1000) {
      const plan = new ItemWritePlan(
        Array.from({ length: 1000 }, (_, at) => {
          const id = first + at;
          const item = { PK: { S: `${id}` }, expires: N(id % 10_000 === 5 ? now - 1 : now + id) };
          return {
            table,
            key: itemKeyOfItem(table, item),
            change: { kind: 'put', item: encodeItem(item) },
            condition: undefined,
            returnOldOnFailure: false,
            keepBefore: false,
          };
        }),
        { limits: serviceLimits, store: inner },
        testStartMs,
      );
      await inner.write(plan.keys, (values) => ({
        answer: undefined,
        writes: plan.decide(values, expect.fail).writes,
      }));
    }
    const { store, counts } = observed(inner);
    expect(await sweepExpiredItems(testServices({ store }))).toBe(10);
    // The list of tables, and the entries of expired items.
    expect(counts.entries).toBe(1 + 10);
    // The table's record, twice, and each item to find its key; and once its size, for the capacity model.
    expect(counts.keysRead).toBe(2 + 10 + statisticsBucketCount);
    // Fence, item, statistics.
    expect(counts.keysOfDecisions).toBe(10 * 3);
    // Item, expiry entry, statistics.
    expect(counts.keysWritten).toBe(10 * 3);
  });

  test('is spread over small steps', async () => {
    const services = await ready();
    for (let id = 0; id < 500; id++) await put(services, `${id}`, N(now - 1));
    const left: number[] = [500];
    services.tasks.atPause = async () => void left.push((await stored(services)).length);
    await sweepExpiredItems(services);
    for (const [at, count] of left.slice(1).entries()) {
      expect((left[at] as number) - count).toBeLessThanOrEqual(expirySweepPageItems);
    }
    expect(left.at(-1)).toBe(0);
  });

  test('large items make for smaller steps, and none is left', async () => {
    const services = await ready();
    for (let id = 0; id < 40; id++) await put(services, `${id}`, N(now - 1), { a: { S: 'a'.repeat(390_000) } });
    let steps = 0;
    services.tasks.atPause = () => void steps++;
    expect(await sweepExpiredItems(services)).toBe(40);
    expect(steps).toBeGreaterThan(40 / 4);
  });
});

describe('DB-258 an engine', () => {
  async function until(holds: () => Promise<boolean>): Promise<void> {
    while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Resolves once the engine has started its own work, which waits for the clock. */
  async function atWork({ clock }: TestServices): Promise<void> {
    clock.advance(backgroundDelayMs);
    await until(() => Promise.resolve(clock.waitingCount > 0));
  }

  test('sweeps by itself, at every interval', async () => {
    const services = testServices();
    const engine = createEngine(services);
    await atWork(services);
    await createdTable(services, onDemandTable());
    await enable(services);
    await put(services, 'x', N(now - 1));
    await put(services, 'y', N(now + 15));
    services.clock.advance(expirySweepIntervalMs - 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await stored(services)).toEqual(['x', 'y']);
    services.clock.advance(1);
    await until(async () => (await stored(services)).length === 1);
    services.clock.advance(expirySweepIntervalMs);
    await until(async () => (await stored(services)).length === 0);
    await engine.close();
    expect(services.logged).toEqual([
      { level: 'debug', event: 'expired-items-swept', removedCount: 1 },
      { level: 'debug', event: 'expired-items-swept', removedCount: 1 },
    ]);
  });

  test('sweeps on demand only, when told so', async () => {
    const services = testServices();
    const engine = createEngine({ ...services, expirySweepMs: 'on-demand' });
    await atWork(services);
    await createdTable(services, onDemandTable());
    await enable(services);
    await put(services, 'x', N(now - 1));
    services.clock.advance(5 * expirySweepIntervalMs);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await stored(services)).toEqual(['x']);
    expect(await engine.sweepExpiredItems()).toBe(1);
    await engine.close();
  });

  test('sweeps when it is told to begin, where it begins nothing by itself', async () => {
    const services = testServices();
    const engine = createEngine({ ...services, backgroundWork: 'on-demand' });
    await createdTable(services, onDemandTable());
    await enable(services);
    await put(services, 'x', N(now - 1));
    services.clock.advance(5 * expirySweepIntervalMs);
    await new Promise((resolve) => setImmediate(resolve));
    expect(services.clock.waitingCount).toBe(0);
    expect(await stored(services)).toEqual(['x']);
    await engine.beginBackgroundWork();
    await until(() => Promise.resolve(services.clock.waitingCount > 0));
    services.clock.advance(expirySweepIntervalMs);
    await until(async () => (await stored(services)).length === 0);
    await engine.close();
    const { waitingCount } = services.clock;
    await engine.beginBackgroundWork();
    expect(services.clock.waitingCount).toBe(waitingCount);
  });

  test('keeps sweeping when the store has failed', async () => {
    const inner = openMemoryStore();
    const services = await ready({}, testServices({ store: inner }));
    await put(services, 'x', N(now - 1));
    let failing = false;
    const store: Store = {
      ...observed(inner).store,
      range: (request, visit) =>
        failing ? Promise.reject(new StorageError('io', 'the disk is full')) : inner.range(request, visit),
    };
    const served = testServices({ store });
    const engine = createEngine({ ...served, replicationMs: 'on-demand' });
    await atWork(served);
    await until(() => Promise.resolve(served.backgroundJobs.size === 0));
    failing = true;
    served.clock.advance(expirySweepIntervalMs);
    await until(async () => Promise.resolve(served.logged.length > 0));
    failing = false;
    served.clock.advance(expirySweepIntervalMs);
    await until(async () => (await stored(services)).length === 0);
    await engine.close();
    expect(served.logged.map(({ event }) => event)).toEqual(['expiry-sweep-postponed', 'expired-items-swept']);
  });
});

describe('DB-258 time to live against a model', () => {
  type Step =
    | {
        readonly kind: 'put' | 'batch' | 'transact' | 'update';
        readonly id: number;
        readonly expires: AttributeValue | undefined;
      }
    | { readonly kind: 'delete'; readonly id: number }
    | { readonly kind: 'advance'; readonly seconds: number }
    | { readonly kind: 'sweep' };

  const id = fc.nat(12);
  const expires = fc.option(
    fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: -10, max: 20 }).map((offset) => N(now + offset)) },
      { weight: 1, arbitrary: fc.integer({ min: -10, max: 20 }).map((offset) => ({ N: `${now + offset}.5` })) },
      { weight: 1, arbitrary: fc.integer({ min: -3, max: 3 }).map((offset) => N(now - 5 * yearSeconds + offset)) },
      { weight: 1, arbitrary: fc.constantFrom<AttributeValue>({ S: String(now - 5) }, N(-1), N(testStartMs), N(0)) },
    ),
    { nil: undefined },
  );
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constantFrom('put', 'batch', 'transact', 'update'), id, expires }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete'), id }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('advance'), seconds: fc.nat(8) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('sweep') }) },
  );

  const definition = onDemandTable({
    attributeDefinitions: strings('PK', 'SK', 'a'),
    keySchema: keys('PK', 'SK'),
    localSecondaryIndexes: [index('lsi', 'PK', 'a')],
    globalSecondaryIndexes: [index('gsi', 'a')],
  });

  const keyOf = (number: number): AttributeMap => ({ PK: { S: `p${number % 3}` }, SK: { S: `${number}` } });

  function hasExpired(value: AttributeValue | undefined, nowSeconds: number): boolean {
    if (value === undefined || !('N' in value)) return false;
    const at = Number(value.N);
    return at < nowSeconds && at >= nowSeconds - 5 * yearSeconds;
  }

  async function write(
    services: TestServices,
    kind: 'put' | 'batch' | 'transact' | 'update',
    key: AttributeMap,
    value: AttributeValue | undefined,
  ): Promise<void> {
    const item = { ...key, a: { S: 'a' }, ...(value !== undefined && { expires: value }) };
    switch (kind) {
      case 'put':
        await putItem(services, { tableName, item }, testContext);
        break;
      case 'batch':
        await batchWriteItem(services, { requestItems: { [tableName]: [{ putRequest: { item } }] } }, testContext);
        break;
      case 'transact':
        await transactWriteItems(services, { transactItems: [{ put: { tableName, item } }] }, testContext);
        break;
      case 'update':
        await updateItem(
          services,
          {
            tableName,
            key,
            updateExpression: value === undefined ? 'SET a = :a REMOVE expires' : 'SET a = :a, expires = :e',
            expressionAttributeValues: { ':a': { S: 'a' }, ...(value !== undefined && { ':e': value }) },
          },
          testContext,
        );
        break;
    }
  }

  test('random writes, and sweeps at random times', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), fc.nat(40), async (steps, enabledAt) => {
        const services = testServices();
        await createdTable(services, definition);
        const model = new Map<number, AttributeValue | undefined>();
        const enabledFrom = Math.min(enabledAt, steps.length - 1);
        for (const [at, each] of steps.entries()) {
          if (at === enabledFrom) await enable(services);
          switch (each.kind) {
            case 'advance':
              services.clock.advance(each.seconds * 1000 + 300);
              break;
            case 'sweep': {
              const nowSeconds = Math.floor(services.clock.nowMs() / 1000);
              const expired = [...model].filter(([, value]) => hasExpired(value, nowSeconds));
              const isEnabled = at >= enabledFrom;
              expect(await sweepExpiredItems(services)).toBe(isEnabled ? expired.length : 0);
              if (isEnabled) for (const [number] of expired) model.delete(number);
              break;
            }
            case 'delete':
              await deleteItem(services, { tableName, key: keyOf(each.id) }, testContext);
              model.delete(each.id);
              break;
            default:
              await write(services, each.kind, keyOf(each.id), each.expires);
              model.set(each.id, each.expires);
          }
        }
        await services.tasks.settle();
        const { items = [] } = await scan(services, { tableName }, testContext);
        const found = items.map((item) => (mapOf(item)!['SK'] as { S: string }).S).toSorted();
        expect(found).toEqual([...model.keys()].map(String).toSorted());
        expect(await inconsistencies(services, tableName)).toEqual([]);
        expect(services.logged).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});
