import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openMemoryStore } from '../../storage/memory/memory-store.ts';
import type { Store } from '../../storage/store.ts';
import { space, spaceStart } from '../layout/spaces.ts';
import { batchWriteItem } from '../operations/batch-write-item.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { deleteTable } from '../operations/delete-table.ts';
import { describeTimeToLive } from '../operations/describe-time-to-live.ts';
import { putItem } from '../operations/put-item.ts';
import { transactWriteItems } from '../operations/transact-write-items.ts';
import { updateItem } from '../operations/update-item.ts';
import { updateTable } from '../operations/update-table.ts';
import { updateTimeToLive } from '../operations/update-time-to-live.ts';
import { purgeChunkEntries } from '../tables/purge.ts';
import { resumeBackgroundWork } from '../jobs/background-work.ts';
import { onDemandTable } from '../testing/table-requests.ts';
import { createdTable, inconsistencies, presentTable } from '../testing/test-engine.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';
import { itemWalkPageItems } from '../background/item-walk.ts';

const tableName = 'Table';
const hourMs = 3_600_000;

async function change(services: TestServices, enabled: boolean): Promise<void> {
  const timeToLiveSpecification = { enabled, attributeName: 'expires' };
  await updateTimeToLive(services, { tableName, timeToLiveSpecification }, testContext);
}

async function status(services: TestServices): Promise<string> {
  return (await describeTimeToLive(services, { tableName }, testContext)).timeToLiveDescription.timeToLiveStatus;
}

/** Every third item never expires. */
async function fill(services: TestServices, itemCount: number): Promise<void> {
  await createdTable(services, onDemandTable());
  for (let first = 0; first < itemCount; first += 25) {
    const requests = Array.from({ length: Math.min(25, itemCount - first) }, (_, at) => {
      const id = first + at;
      const item = { PK: { S: `item-${id}` }, ...(id % 3 > 0 && { expires: { N: String(1000 + id) } }) };
      return { putRequest: { item } };
    });
    await batchWriteItem(services, { requestItems: { [tableName]: requests } }, testContext);
  }
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

async function entryCount(services: TestServices): Promise<number> {
  const { record } = await presentTable(services, tableName);
  return (await census(services.store))[record.timeToLive?.space ?? -1] ?? 0;
}

describe('DB-138 enabling time to live on a table with items', () => {
  const itemCount = 3 * itemWalkPageItems;

  test('enters those that are to expire', async () => {
    const services = testServices();
    await fill(services, itemCount);
    await change(services, true);
    await services.tasks.settle();
    expect(await status(services)).toBe('ENABLED');
    expect(await entryCount(services)).toBe(2 * itemWalkPageItems);
    expect(await inconsistencies(services, tableName)).toEqual([]);
  });

  test.each([0, 1, 2])('resumes when it was interrupted after %i steps', async (steps) => {
    const services = testServices();
    await fill(services, itemCount);
    services.tasks.killAfterPauses(steps);
    const { died } = services.tasks;
    await change(services, true);
    await died;
    const reopened = testServices({ store: services.store });
    expect(await status(reopened)).toBe('ENABLING');
    resumeBackgroundWork(reopened);
    await reopened.tasks.settle();
    expect(await status(reopened)).toBe('ENABLED');
    expect(await inconsistencies(reopened, tableName)).toEqual([]);
  });

  test('is left to the next start when the engine closes', async () => {
    const services = testServices();
    await fill(services, itemCount);
    services.tasks.atPause = () => services.close();
    await change(services, true);
    await services.tasks.settle();
    expect(services.logged).toEqual([]);
    expect(await status(services)).toBe('ENABLING');
  });

  test('may be done by several processes at once', async () => {
    const services = testServices();
    await fill(services, itemCount);
    const other = testServices({ store: services.store });
    services.tasks.atPause = () => resumeBackgroundWork(other);
    await change(services, true);
    await Promise.all([services.tasks.settle(), other.tasks.settle()]);
    expect([...services.logged, ...other.logged]).toEqual([]);
    expect(await status(services)).toBe('ENABLED');
    expect(await inconsistencies(services, tableName)).toEqual([]);
  });

  test('continues when the table changes meanwhile', async () => {
    const services = testServices();
    await fill(services, itemCount);
    let protectedFromDeletion = false;
    services.tasks.atPause = async () => {
      protectedFromDeletion = !protectedFromDeletion;
      const request = { tableName, deletionProtectionEnabled: protectedFromDeletion };
      await updateTable(testServices({ store: services.store }), request, testContext);
    };
    await change(services, true);
    await services.tasks.settle();
    expect(await status(services)).toBe('ENABLED');
    expect(await inconsistencies(services, tableName)).toEqual([]);
  });

  test('ends when it is disabled meanwhile', async () => {
    const services = testServices({ tasks: 'held' });
    await fill(services, itemCount);
    await change(services, true);
    services.clock.advance(hourMs);
    await change(services, false);
    await services.tasks.run();
    expect(await status(services)).toBe('DISABLED');
    expect(services.logged).toEqual([]);
  });

  test.each([0, 5000])('ends when the table is deleted meanwhile, in %i ms', async (lifecycleDelayMs) => {
    const services = testServices();
    await createdTable(services, onDemandTable({ tableName: 'Other' }));
    const before = await census(services.store);
    await fill(services, itemCount);
    const deleting = testServices({ store: services.store, lifecycleDelayMs });
    services.tasks.atPause = async () => {
      services.tasks.atPause = undefined;
      await deleteTable(deleting, { tableName }, testContext);
    };
    await change(services, true);
    await services.tasks.settle();
    deleting.clock.advance(lifecycleDelayMs);
    await deleting.tasks.settle();
    expect([...services.logged, ...deleting.logged]).toEqual([]);
    expect(await census(services.store)).toEqual(before);
  });
});

describe('DB-138 writes while time to live is being enabled', () => {
  interface Change {
    readonly id: number;
    readonly expires: number | undefined;
    readonly kind: 'put' | 'update' | 'delete' | 'batch' | 'transact';
  }

  async function apply(services: TestServices, { id, expires, kind }: Change): Promise<void> {
    const key = { PK: { S: `item-${id}` } };
    const item = { ...key, ...(expires !== undefined && { expires: { N: String(expires) } }) };
    switch (kind) {
      case 'put':
        await putItem(services, { tableName, item }, testContext);
        break;
      case 'update': {
        const expression =
          expires === undefined
            ? { updateExpression: 'REMOVE expires' }
            : {
                updateExpression: 'SET expires = :e',
                expressionAttributeValues: { ':e': expires % 2 ? { N: String(expires) } : { S: 'never' } },
              };
        await updateItem(services, { tableName, key, ...expression }, testContext);
        break;
      }
      case 'delete':
        await deleteItem(services, { tableName, key }, testContext);
        break;
      case 'batch':
        await batchWriteItem(services, { requestItems: { [tableName]: [{ putRequest: { item } }] } }, testContext);
        break;
      case 'transact':
        await transactWriteItems(services, { transactItems: [{ put: { tableName, item } }] }, testContext);
        break;
    }
  }

  test('of every kind, at every moment', async () => {
    const change: fc.Arbitrary<Change> = fc.record({
      id: fc.nat(260),
      expires: fc.option(fc.nat(3), { nil: undefined }),
      kind: fc.constantFrom<Change['kind']>('put', 'update', 'delete', 'batch', 'transact'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 30, maxLength: 90 }), async (changes) => {
        const inner = openMemoryStore();
        const services = testServices({ store: inner });
        await fill(services, 250);
        const pending = changes.values();
        const disturb = async (): Promise<void> => {
          for (let count = 0; count < 8; count++) {
            const { value } = pending.next();
            if (value !== undefined) await apply(services, value);
          }
        };
        // Other requests write between reading a page and the decision about it.
        const disturbed: Store = {
          manifest: inner.manifest,
          read: (keys, body) => inner.read(keys, body),
          write: (keys, decide) => inner.write(keys, decide),
          close: () => inner.close(),
          range: async (request, visit) => {
            const end = await inner.range(request, visit);
            await disturb();
            return end;
          },
        };
        const filling = testServices({ store: disturbed });
        filling.tasks.atPause = disturb;
        const timeToLiveSpecification = { enabled: true, attributeName: 'expires' };
        await updateTimeToLive(filling, { tableName, timeToLiveSpecification }, testContext);
        await filling.tasks.settle();
        expect(filling.logged).toEqual([]);
        expect(await status(services)).toBe('ENABLED');
        expect(await inconsistencies(services, tableName)).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });
});

describe('DB-138 disabling time to live', () => {
  test.each([0, 1, Infinity])('empties its index, also when interrupted after %d steps', async (steps) => {
    const services = testServices();
    await fill(services, 0);
    const before = await census(services.store);
    await change(services, true);
    for (let id = 0; id < purgeChunkEntries + 10; id++) {
      await putItem(services, { tableName, item: { PK: { S: `${id}` }, expires: { N: '5' } } }, testContext);
    }
    services.clock.advance(hourMs);
    services.tasks.killAfterPauses(steps);
    const { died } = services.tasks;
    await change(services, false);
    await (steps === Infinity ? services.tasks.settle() : Promise.race([died, services.tasks.settle()]));
    const reopened = testServices({ store: services.store, nowMs: services.clock.nowMs() });
    resumeBackgroundWork(reopened);
    await reopened.tasks.settle();
    expect(await status(reopened)).toBe('DISABLED');
    const { record } = await presentTable(reopened, tableName);
    expect(await census(services.store)).toMatchObject({ ...before, [record.itemSpace]: purgeChunkEntries + 10 });
    expect(record).not.toHaveProperty('timeToLive');
    const counts = await census(services.store);
    expect(Object.keys(counts).filter((spaceId) => Number(spaceId) >= 256)).toEqual([String(record.itemSpace)]);
    expect(counts[space.timeToLive]).toBeUndefined();
  });

  test('leaves writes as they were without it', async () => {
    const services = testServices();
    await fill(services, 0);
    await change(services, true);
    services.clock.advance(hourMs);
    await change(services, false);
    const before = await census(services.store);
    await putItem(services, { tableName, item: { PK: { S: 'x' }, expires: { N: '5' } } }, testContext);
    const { record } = await presentTable(services, tableName);
    expect(await census(services.store)).toEqual({
      ...before,
      [record.itemSpace]: 1,
      [space.statistics]: 1,
    });
  });
});

describe('DB-136 a deleted table', () => {
  test('leaves no expiry entries behind, and no place in the list', async () => {
    const services = testServices();
    await createdTable(services, onDemandTable({ tableName: 'Other' }));
    const before = await census(services.store);
    await fill(services, 30);
    await change(services, true);
    await services.tasks.settle();
    expect(await entryCount(services)).toBe(20);
    await deleteTable(services, { tableName }, testContext);
    await services.tasks.settle();
    expect(await census(services.store)).toEqual(before);
  });
});
