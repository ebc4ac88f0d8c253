import { describe, expect, test } from 'vitest';
import { openMemoryStore } from '../../storage/memory/memory-store.ts';
import type { Store } from '../../storage/store.ts';
import { StorageError } from '../../storage/storage-error.ts';
import { encodeItem } from '../layout/item-codec.ts';
import { itemKeyOfItem } from '../catalog/item-key.ts';
import { indexEntryOf, indexEntryValue } from '../followers/indexes/index-entry.ts';
import { hashOf, space, spaceStart, storeKey } from '../layout/spaces.ts';
import { createTable } from '../operations/create-table.ts';
import { deleteTable } from '../operations/delete-table.ts';
import { describeTable } from '../operations/describe-table.ts';
import { updateTable } from '../operations/update-table.ts';
import { index, keys, onDemandTable, strings } from '../testing/table-requests.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';
import { resumeBackgroundWork } from '../jobs/background-work.ts';
import { listPurges, purgeChunkEntries } from './purge.ts';
import { StatisticsDelta, statisticsBucket, statisticsKey } from '../catalog/statistics.ts';
import type { Table } from '../catalog/table.ts';

const itemCount = 2 * purgeChunkEntries + 9;

/** Puts items with their entries, statistics and collection sizes at the keys that item writes use. */
async function fill(store: Store, table: Table): Promise<void> {
  const itemSpace = Buffer.alloc(4);
  itemSpace.writeUInt32BE(table.record.itemSpace);
  const buckets = new Map<number, StatisticsDelta>();
  const writes: { key: Buffer; value: Buffer | undefined }[] = [];
  for (let id = 0; id < itemCount; id++) {
    const item = { PK: { S: `item-${id}` }, SK: { S: 'x' }, a: { S: 'y' } };
    const { storeKey: key } = itemKeyOfItem(table, item);
    const delta = buckets.get(statisticsBucket(key)) ?? new StatisticsDelta();
    buckets.set(statisticsBucket(key), delta);
    const encoded = encodeItem(item);
    delta.add(table.record.itemSpace, 1, encoded.sizeBytes);
    writes.push({ key, value: encoded.storedUnder(key) });
    if (table.localIndexes.length > 0) {
      writes.push({ key: storeKey(space.collectionSizes, hashOf(key), itemSpace), value: Buffer.alloc(8) });
    }
    for (const each of table.writtenIndexes) {
      const entry = indexEntryOf(table, each, encoded, key)!;
      delta.add(each.space, 1, entry.sizeBytes);
      writes.push({ key: entry.key, value: indexEntryValue(entry) });
    }
  }
  for (const [bucket, delta] of buckets) {
    writes.push({ key: statisticsKey(table.record.itemSpace, bucket), value: delta.applyTo(undefined) });
  }
  await store.write([], () => ({ answer: undefined, writes }));
}

async function filledTable(services: TestServices, tableName: string): Promise<Table> {
  const request = onDemandTable({
    tableName,
    attributeDefinitions: strings('PK', 'SK', 'a'),
    keySchema: keys('PK', 'SK'),
    localSecondaryIndexes: [index('lsi', 'PK', 'a')],
    globalSecondaryIndexes: [index('gsi', 'a')],
  });
  await createTable(services, request, testContext);
  const table = (await services.catalog.load(testContext, tableName))!;
  await fill(services.store, table);
  return table;
}

/** The number of entries in each space. */
async function census(store: Store): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  await store.range({ from: spaceStart(0), to: spaceStart(0xffff_ffff) }, (key) => {
    const spaceId = Buffer.from(key).readUInt32BE(0);
    counts[spaceId] = (counts[spaceId] ?? 0) + 1;
    return true;
  });
  return counts;
}

/** What is never removed: the counter of space ids, and the usage of the account. */
const nothingLeft = { [space.counters]: 1, [space.accountUsage]: 1 };

describe('DB-136 what a deleted table leaves behind', () => {
  test('is removed, to the last entry', async () => {
    const services = testServices();
    await filledTable(services, 'Table');
    await deleteTable(services, { tableName: 'Table' }, testContext);
    await services.tasks.settle();
    expect(await census(services.store)).toEqual(nothingLeft);
  });

  test('and nothing of any other table', async () => {
    const services = testServices();
    await filledTable(services, 'Other');
    const before = await census(services.store);
    await filledTable(services, 'Table');
    await deleteTable(services, { tableName: 'Table' }, testContext);
    await services.tasks.settle();
    expect(await census(services.store)).toEqual(before);
  });

  test('stays away from a new table of the same name', async () => {
    const services = testServices({ tasks: 'held' });
    const old = await filledTable(services, 'Table');
    await deleteTable(services, { tableName: 'Table' }, testContext);
    const created = await filledTable(services, 'Table');
    await services.tasks.run();
    const counts = await census(services.store);
    expect(counts[old.record.itemSpace]).toBeUndefined();
    expect(counts[created.record.itemSpace]).toBe(itemCount);
    expect(counts[space.collectionSizes]).toBe(itemCount);
    const { table } = await describeTable(services, { tableName: 'Table' }, testContext);
    expect(table).toMatchObject({ tableStatus: 'ACTIVE', itemCount, tableId: created.record.tableId });
  });

  test.each([0, 1, 2, 3, 4])('interrupted after %i steps, is removed after the next start', async (steps) => {
    const services = testServices();
    await filledTable(services, 'Table');
    services.tasks.killAfterPauses(steps);
    const { died } = services.tasks;
    await deleteTable(services, { tableName: 'Table' }, testContext);
    await died;
    expect(await listPurges(services)).toHaveLength(1);
    const reopened = testServices({ store: services.store });
    resumeBackgroundWork(reopened);
    await reopened.tasks.settle();
    expect(await census(services.store)).toEqual(nothingLeft);
  });

  test('waits until the deletion has run its time', async () => {
    const services = testServices({ lifecycleDelayMs: 5000 });
    await filledTable(services, 'Table');
    services.clock.advance(5000);
    await deleteTable(services, { tableName: 'Table' }, testContext);
    services.clock.advance(4999);
    expect((await describeTable(services, { tableName: 'Table' }, testContext)).table.tableStatus).toBe('DELETING');
    services.clock.advance(1);
    await services.tasks.settle();
    expect(await census(services.store)).toEqual(nothingLeft);
  });

  test('and is left alone when the engine closes before', async () => {
    const services = testServices({ lifecycleDelayMs: 5000 });
    await filledTable(services, 'Table');
    services.clock.advance(5000);
    await deleteTable(services, { tableName: 'Table' }, testContext);
    services.close();
    await services.tasks.settle();
    expect(services.logged).toEqual([]);
    expect(await listPurges(services)).toHaveLength(1);
  });

  test('is removed by several processes at once as by one', async () => {
    const services = testServices();
    await filledTable(services, 'Table');
    const other = testServices({ store: services.store });
    services.tasks.atPause = () => resumeBackgroundWork(other);
    await deleteTable(services, { tableName: 'Table' }, testContext);
    await services.tasks.settle();
    await other.tasks.settle();
    expect(await census(services.store)).toEqual(nothingLeft);
    expect([...services.logged, ...other.logged]).toEqual([]);
  });
});

describe('DB-059 what a deleted index leaves behind', () => {
  const removeIndex = { tableName: 'Table', globalSecondaryIndexUpdates: [{ delete: { indexName: 'gsi' } }] };

  test.each([0, 1, Infinity])('is removed, also when interrupted after %d steps', async (steps) => {
    const services = testServices();
    const before = await filledTable(services, 'Table');
    const indexSpace = before.globalIndexes[0]!.space;
    services.tasks.killAfterPauses(steps);
    const { died } = services.tasks;
    await updateTable(services, removeIndex, testContext);
    await (steps === Infinity ? services.tasks.settle() : died);
    const reopened = testServices({ store: services.store });
    resumeBackgroundWork(reopened);
    await reopened.tasks.settle();
    const counts = await census(services.store);
    expect(counts[indexSpace]).toBeUndefined();
    expect(counts[before.record.itemSpace]).toBe(itemCount);
    const { table } = await describeTable(reopened, { tableName: 'Table' }, testContext);
    expect(table).toMatchObject({ itemCount, localSecondaryIndexes: [{ indexName: 'lsi', itemCount }] });
    expect(table).not.toHaveProperty('globalSecondaryIndexes');
    // The local index still needs the attribute.
    expect(table.attributeDefinitions).toEqual(strings('PK', 'SK', 'a'));
  });
});

describe('background work and the store', () => {
  test('a failure of the store is waited out', async () => {
    const inner = openMemoryStore();
    let failures = 0;
    const failing: Store = {
      manifest: inner.manifest,
      read: (keyList, body) => inner.read(keyList, body),
      range: (request, visit) => {
        if (failures < 2) {
          failures++;
          return Promise.reject(new StorageError('io', 'the disk is full'));
        }
        return inner.range(request, visit);
      },
      write: (keyList, decide) => inner.write(keyList, decide),
      close: () => inner.close(),
    };
    await filledTable(testServices({ store: inner }), 'Table');
    const services = testServices({ store: failing });
    const moving = setInterval(() => services.clock.advance(1000), 1);
    try {
      await deleteTable(services, { tableName: 'Table' }, testContext);
      await services.tasks.settle();
    } finally {
      clearInterval(moving);
    }
    expect(services.logged.map(({ level, event }) => `${level} ${event}`)).toEqual([
      'warn background-work-retried',
      'warn background-work-retried',
    ]);
    expect(await census(inner)).toEqual(nothingLeft);
  });

  test('a closed store ends it in silence', async () => {
    const services = testServices({ tasks: 'held' });
    await filledTable(services, 'Table');
    await deleteTable(services, { tableName: 'Table' }, testContext);
    await services.store.close();
    await services.tasks.run();
    expect(services.logged).toEqual([]);
  });
});
