import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openMemoryStore } from '../../storage/memory/memory-store.ts';
import type { Store, StoreWrite } from '../../storage/store.ts';
import type { AttributeMap } from '../../values/attribute-value.ts';
import { decodeStoredItem, encodeItem } from '../layout/item-codec.ts';
import { itemKeyOfItem } from '../catalog/item-key.ts';
import { spaceStart } from '../layout/spaces.ts';
import { createEngine } from '../create-engine.ts';
import { createTable } from '../operations/create-table.ts';
import { describeTable } from '../operations/describe-table.ts';
import { updateTable } from '../operations/update-table.ts';
import { resumeBackgroundWork } from '../jobs/background-work.ts';
import { checkFence, StaleTableError } from '../catalog/catalog.ts';
import { readStatistics } from '../tables/describe.ts';
import { StatisticsDelta, statisticsBucket, statisticsKey } from '../catalog/statistics.ts';
import type { Table } from '../catalog/table.ts';
import { index, onDemandTable, strings } from '../testing/table-requests.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';
import { itemWalkPageItems } from '../background/item-walk.ts';
import { indexEntryOf, indexEntryValue } from '../followers/indexes/index-entry.ts';

const pageCount = 4;
const itemCount = (pageCount - 1) * itemWalkPageItems + 7;

const itemOf = (id: number, more: AttributeMap = {}): AttributeMap => ({ PK: { S: `item-${id}` }, ...more });
const indexed = (id: number, group: number): AttributeMap =>
  itemOf(id, { a: { S: `group-${group}` }, text: { S: 'x'.repeat(id % 13) } });

async function loaded(services: TestServices): Promise<Table> {
  const table = await services.catalog.load(testContext, 'Table');
  expect(table).toBeDefined();
  return table!;
}

/** Counts like item writes: an entry that an index under construction does not hold yet is not subtracted. */
async function write(services: TestServices, item: AttributeMap, isDelete = false): Promise<void> {
  for (;;) {
    const table = await loaded(services);
    const { storeKey } = itemKeyOfItem(table, item);
    const bucketKey = statisticsKey(table.record.itemSpace, statisticsBucket(storeKey));
    const before = await services.store.read([storeKey], ([value]) => value && Buffer.from(value));
    const after = isDelete ? undefined : encodeItem(item);
    const oldEntries = table.writtenIndexes.map(
      (each) => before && indexEntryOf(table, each, decodeStoredItem(storeKey, before), storeKey),
    );
    const entryKeys = oldEntries.map((entry) => entry?.key ?? bucketKey);
    const done = await services.store
      .write([table.fenceKey, storeKey, bucketKey, ...entryKeys], ([fence, value, bucket, ...entryValues]) => {
        checkFence(table, fence);
        const isSame = value === undefined ? before === undefined : before?.equals(value) === true;
        if (!isSame) return { answer: false, writes: [] };
        const delta = new StatisticsDelta();
        const sizeBytes = before === undefined ? 0 : decodeStoredItem(storeKey, before).sizeBytes;
        delta.add(table.record.itemSpace, (after ? 1 : 0) - (before ? 1 : 0), (after?.sizeBytes ?? 0) - sizeBytes);
        const writes = new Map<string, StoreWrite>();
        const put = (key: Buffer, newValue: Buffer | undefined) =>
          writes.set(key.toString('hex'), { key, value: newValue });
        put(storeKey, after?.storedUnder(storeKey));
        table.writtenIndexes.forEach((each, at) => {
          const oldEntry = oldEntries[at];
          const newEntry = after && indexEntryOf(table, each, after, storeKey);
          if (oldEntry !== undefined && entryValues[at] !== undefined) {
            put(oldEntry.key, undefined);
            delta.add(each.space, -1, -oldEntry.sizeBytes);
          }
          if (newEntry !== undefined) {
            put(newEntry.key, indexEntryValue(newEntry));
            delta.add(each.space, 1, newEntry.sizeBytes);
          }
        });
        const newBucket = delta.applyTo(bucket);
        if (newBucket !== undefined) put(bucketKey, newBucket);
        return { answer: true, writes: [...writes.values()] };
      })
      .catch((error: unknown) => {
        if (error instanceof StaleTableError) return false;
        throw error;
      });
    if (done) return;
  }
}

async function withItems(items: readonly AttributeMap[], store: Store = openMemoryStore()): Promise<TestServices> {
  const services = testServices({ store });
  await createTable(services, onDemandTable(), testContext);
  for (const item of items) await write(services, item);
  return services;
}

async function addIndex(services: TestServices, indexName = 'gsi'): Promise<void> {
  const request = {
    tableName: 'Table',
    attributeDefinitions: strings('a'),
    globalSecondaryIndexUpdates: [{ create: index(indexName, 'a') }],
  };
  await updateTable(services, request, testContext);
}

async function statusOf(services: TestServices): Promise<string | undefined> {
  const { table } = await describeTable(services, { tableName: 'Table' }, testContext);
  return table.globalSecondaryIndexes?.[0]?.indexStatus;
}

/** The contents of a space: keys and values as hexadecimal texts, which compare faster than bytes. */
async function contents(store: Store, spaceId: number): Promise<Map<string, string>> {
  const entries = new Map<string, string>();
  await store.range({ from: spaceStart(spaceId), to: spaceStart(spaceId + 1) }, (key, value) => {
    entries.set(Buffer.from(key).toString('hex'), Buffer.from(value).toString('hex'));
    return true;
  });
  return entries;
}

/** Checks that the index holds exactly the entries of the items, and that the statistics match them exactly. */
async function expectExact(services: TestServices): Promise<void> {
  const table = await loaded(services);
  const [gsi] = table.globalIndexes;
  expect(await statusOf(services)).toBe('ACTIVE');
  const expected = new Map<string, string>();
  let sizeBytes = 0;
  for (const [key, value] of await contents(services.store, table.record.itemSpace)) {
    const itemKey = Buffer.from(key, 'hex');
    const entry = indexEntryOf(table, gsi!, decodeStoredItem(itemKey, Buffer.from(value, 'hex')), itemKey);
    if (entry === undefined) continue;
    expected.set(entry.key.toString('hex'), indexEntryValue(entry).toString('hex'));
    sizeBytes += entry.sizeBytes;
  }
  expect(await contents(services.store, gsi!.space)).toEqual(expected);
  const statistics = (await readStatistics(services, table)).get(gsi!.space);
  expect(statistics ?? { itemCount: 0, sizeBytes: 0 }).toEqual({ itemCount: expected.size, sizeBytes });
}

describe('DB-059 filling a new global index', () => {
  test('every item that belongs there gets its entry, and no other', async () => {
    const items = Array.from({ length: itemCount }, (_, id) => {
      if (id % 5 === 0) return itemOf(id); // DB-063: without the attribute
      if (id % 5 === 1) return itemOf(id, { a: { N: '1' } }); // of another type
      if (id % 5 === 2) return itemOf(id, { a: { S: '' } }); // empty
      return indexed(id, id % 3);
    });
    const services = await withItems(items);
    await addIndex(services);
    await services.tasks.settle();
    await expectExact(services);
    const { table } = await describeTable(services, { tableName: 'Table' }, testContext);
    const inIndex = items.filter((_, id) => id % 5 > 2);
    expect(table.itemCount).toBe(itemCount);
    expect(table.globalSecondaryIndexes?.[0]?.itemCount).toBe(inIndex.length);
  });

  test('DB-043 DB-140 an index is measured with 100 bytes for each entry, a table without', async () => {
    const services = await withItems([itemOf(1, { a: { S: 'x' } })]);
    await addIndex(services);
    await services.tasks.settle();
    const { table } = await describeTable(services, { tableName: 'Table' }, testContext);
    const sizeBytes = 'PK'.length + 'item-1'.length + 'a'.length + 'x'.length;
    expect(table).toMatchObject({ itemCount: 1, tableSizeBytes: sizeBytes });
    expect(table.globalSecondaryIndexes).toMatchObject([{ itemCount: 1, indexSizeBytes: sizeBytes + 100 }]);
  });

  test('large items are taken in smaller steps', async () => {
    const items = Array.from({ length: 20 }, (_, id) =>
      itemOf(id, { a: { S: 'x' }, text: { S: 'y'.repeat(300_000) } }),
    );
    const services = await withItems(items);
    let pauses = 0;
    services.tasks.atPause = () => void pauses++;
    await addIndex(services);
    await services.tasks.settle();
    expect(pauses).toBeGreaterThan(3);
    await expectExact(services);
  });

  test('of items that are written meanwhile, between the steps and within them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ id: fc.nat(itemCount), group: fc.nat(3), kind: fc.constantFrom('put', 'bare', 'delete') }),
          {
            minLength: 40,
            maxLength: 120,
          },
        ),
        async (changes) => {
          const inner = openMemoryStore();
          const pending = changes.values();
          let isBusy = false;
          const disturb = async (services: TestServices): Promise<void> => {
            if (isBusy) return;
            isBusy = true;
            for (let count = 0; count < 10; count++) {
              const { value: change } = pending.next();
              if (change === undefined) break;
              const item = change.kind === 'put' ? indexed(change.id, change.group) : itemOf(change.id);
              await write(services, item, change.kind === 'delete');
            }
            isBusy = false;
          };
          const items = Array.from({ length: itemCount }, (_, id) => (id % 2 === 0 ? indexed(id, 9) : itemOf(id)));
          const services = await withItems(items, inner);
          // Other writers write between the reading of a page and the decision about it.
          const disturbed: Store = {
            manifest: inner.manifest,
            read: (keys, body) => inner.read(keys, body),
            write: (keys, decide) => inner.write(keys, decide),
            close: () => inner.close(),
            range: async (request, visit) => {
              const end = await inner.range(request, visit);
              await disturb(services);
              return end;
            },
          };
          const filling = testServices({ store: disturbed });
          filling.tasks.atPause = () => disturb(services);
          await addIndex(filling);
          await filling.tasks.settle();
          expect(filling.logged).toEqual([]);
          await expectExact(services);
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe('DB-059 an interrupted backfill', () => {
  const items = Array.from({ length: itemCount }, (_, id) => indexed(id, id % 3));

  test.each(Array.from({ length: pageCount - 1 }, (_, at) => at))(
    'killed after %i steps, is resumed by the next start',
    async (steps) => {
      const services = await withItems(items);
      services.tasks.killAfterPauses(steps);
      const isDead = services.tasks.died;
      await addIndex(services);
      await isDead;
      expect(await statusOf(services)).toBe('CREATING');
      const reopened = testServices({ store: services.store });
      resumeBackgroundWork(reopened);
      await reopened.tasks.settle();
      await expectExact(reopened);
    },
  );

  test('stops when the engine closes, and is resumed by the next start', async () => {
    const services = await withItems(items);
    let pauses = 0;
    services.tasks.atPause = () => {
      if (++pauses === 2) services.close();
    };
    await addIndex(services);
    await services.tasks.settle();
    expect(pauses).toBe(2);
    expect(services.logged).toEqual([]);
    expect(await statusOf(services)).toBe('CREATING');
    const reopened = testServices({ store: services.store });
    resumeBackgroundWork(reopened);
    await reopened.tasks.settle();
    await expectExact(reopened);
  });

  test('is resumed by a process that is still alive, within a minute', async () => {
    const services = await withItems(items);
    const survivor = testServices({ store: services.store });
    const engine = createEngine(survivor);
    await expect.poll(() => survivor.backgroundJobs.size).toBe(0);
    services.tasks.killAfterPauses(1);
    const { died } = services.tasks;
    await addIndex(services);
    await died;
    survivor.clock.advance(60_000);
    await expect.poll(async () => await statusOf(survivor)).toBe('ACTIVE');
    await engine.close();
    await expectExact(survivor);
  });

  test('is resumed at once by a process that is told to look', async () => {
    const services = await withItems(items);
    const survivor = testServices({ store: services.store });
    const engine = createEngine({ ...survivor, backgroundWork: 'on-demand' });
    await engine.beginBackgroundWork();
    await expect.poll(() => survivor.backgroundJobs.size).toBe(0);
    services.tasks.killAfterPauses(1);
    const { died } = services.tasks;
    await addIndex(services);
    await died;
    await engine.beginBackgroundWork();
    await expect.poll(async () => await statusOf(survivor)).toBe('ACTIVE');
    await engine.close();
    await expectExact(survivor);
  });

  test('done by several processes at once comes out the same', async () => {
    const services = await withItems(items);
    const others = [testServices({ store: services.store }), testServices({ store: services.store })];
    const [first] = others;
    services.tasks.atPause = () => resumeBackgroundWork(first!);
    await addIndex(services);
    for (const other of others) resumeBackgroundWork(other);
    for (const each of [services, ...others]) await each.tasks.settle();
    await expectExact(services);
  });

  test('continues when the table changes meanwhile', async () => {
    const services = await withItems(items);
    let isProtected = false;
    services.tasks.atPause = async () => {
      isProtected = !isProtected;
      const request = { tableName: 'Table', deletionProtectionEnabled: isProtected };
      await updateTable(testServices({ store: services.store }), request, testContext);
    };
    await addIndex(services);
    await services.tasks.settle();
    await expectExact(services);
  });

  test('ends when the index is deleted, and nothing is left of it', async () => {
    const services = await withItems(items);
    const table = () => loaded(services);
    let indexSpace: number | undefined;
    services.tasks.atPause = async () => {
      services.tasks.atPause = undefined;
      indexSpace = (await table()).globalIndexes[0]?.space;
      const update = { globalSecondaryIndexUpdates: [{ delete: { indexName: 'gsi' } }] };
      await updateTable(services, { tableName: 'Table', ...update }, testContext);
    };
    await addIndex(services);
    await services.tasks.settle();
    expect((await table()).globalIndexes).toEqual([]);
    expect(indexSpace).toBeDefined();
    expect(await contents(services.store, indexSpace!)).toEqual(new Map());
    expect((await readStatistics(services, await table())).has(indexSpace!)).toBe(false);
    // Another index of the same name is not affected.
    await addIndex(services);
    await services.tasks.settle();
    await expectExact(services);
  });
});
