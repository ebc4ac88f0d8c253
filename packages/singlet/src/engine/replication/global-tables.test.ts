import { beforeEach, describe, expect, test } from 'vitest';
import { openMemoryStore } from '../../storage/memory/memory-store.ts';
import { spaceStart } from '../layout/spaces.ts';
import { batchWriteItem } from '../operations/batch-write-item.ts';
import { createTable } from '../operations/create-table.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { deleteTable } from '../operations/delete-table.ts';
import { describeTable } from '../operations/describe-table.ts';
import { describeTimeToLive } from '../operations/describe-time-to-live.ts';
import { getItem } from '../operations/get-item.ts';
import { putItem } from '../operations/put-item.ts';
import { query } from '../operations/query.ts';
import { scan } from '../operations/scan.ts';
import { updateTable, type UpdateTableRequest } from '../operations/update-table.ts';
import { updateTimeToLive } from '../operations/update-time-to-live.ts';
import type { Store } from '../../storage/store.ts';
import { fenceKey, tableRecordKey } from '../catalog/table.ts';
import { findInconsistencies } from '../testing/consistency.ts';
import { newestStreamArn, streamRecords } from '../testing/stream-reader.ts';
import { index, keys, onDemandTable, provisionedTable, strings } from '../testing/table-requests.ts';
import { mapOf } from '../testing/test-engine.ts';
import { testServices, type TestServices } from '../testing/test-services.ts';
import { sweepExpiredItems } from '../ttl/sweep-expired-items.ts';
import { sentPageItems } from './send-items.ts';
import { leaseMs } from './replication-lease.ts';
import { replicate } from './replicate.ts';
import { replicationReport } from './replication-report.ts';
import { sweepTombstones } from './sweep-tombstones.ts';

const tableName = 'Table';
const accountId = '000000000000';
const west = { accountId, region: 'us-west-2' };
const east = { accountId, region: 'us-east-1' };
const ireland = { accountId, region: 'eu-west-1' };
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

let services: TestServices;

beforeEach(() => {
  services = testServices();
});

type Region = typeof west;
const update = (changes: Omit<UpdateTableRequest, 'tableName'>, place: Region = west) =>
  updateTable(services, { tableName, ...changes }, place);
const add = (place: Region, from: Region = west) =>
  update({ replicaUpdates: [{ create: { regionName: place.region } }] }, from);
const remove = (place: Region, from: Region = west) =>
  update({ replicaUpdates: [{ delete: { regionName: place.region } }] }, from);
const described = async (place: Region) => (await describeTable(services, { tableName }, place)).table;
const replicasOf = async (place: Region) =>
  Object.fromEntries(
    ((await described(place)).replicas ?? []).map(({ regionName, replicaStatus }) => [regionName, replicaStatus]),
  );
const put = (id: string, place: Region, attributes = {}) =>
  putItem(services, { tableName, item: { PK: { S: id }, ...attributes } }, place);
const has = async (id: string, place: Region) =>
  (await getItem(services, { tableName, key: { PK: { S: id } } }, place)).item !== undefined;

async function changesIn(place: Region) {
  return streamRecords(services, await newestStreamArn(services, tableName, place), undefined, place);
}

async function fill(count: number): Promise<void> {
  for (let first = 0; first < count; first += 25) {
    const requests = Array.from({ length: Math.min(25, count - first) }, (_, at) => ({
      putRequest: { item: { PK: { S: `item-${first + at}` } } },
    }));
    await batchWriteItem(services, { requestItems: { [tableName]: requests } }, west);
  }
}

async function settle(of: TestServices = services): Promise<void> {
  for (let rounds = 0; !(await replicate(of)).isSettled; rounds++) expect(rounds).toBeLessThan(8);
  await of.tasks.settle();
}

async function expectConsistent(...places: readonly Region[]): Promise<void> {
  for (const place of places) {
    const table = await services.catalog.load(place, tableName);
    expect(await findInconsistencies(services.store, table!)).toEqual([]);
  }
}

async function census(of: TestServices): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  await of.store.range({ from: spaceStart(0), to: spaceStart(0xffff_ffff) }, (key) => {
    const spaceId = Buffer.from(key).readUInt32BE(0);
    counts[spaceId] = (counts[spaceId] ?? 0) + 1;
    return true;
  });
  return counts;
}

describe('a table that is deleted while it is replicated', () => {
  /** At the nth write of a round, another process has already deleted the table. */
  function servicesWithout(store: Store, deletedBefore: { write: number }): TestServices {
    return testServices({
      store: {
        ...store,
        read: (keys, body) => store.read(keys, body),
        range: (request, visit) => store.range(request, visit),
        write: async (request, decide) => {
          if (deletedBefore.write-- === 0) await removeAll(store);
          return store.write(request, decide);
        },
      },
    });
  }

  /** What a deletion removes from a table at once; its items are removed in the background. */
  async function removeAll(store: Store): Promise<void> {
    const keys = [west, east].flatMap((place) => [
      tableRecordKey(accountId, place.region, tableName),
      fenceKey(accountId, place.region, tableName),
    ]);
    await store.write([], () => ({ answer: undefined, writes: keys.map((key) => ({ key, value: undefined })) }));
  }

  test.each([0, 1, 2, 3, 4, 5, 6, 8])(
    'before write %s of a round: the others are replicated all the same',
    async (write) => {
      const store = openMemoryStore();
      services = testServices({ store, tasks: 'held' });
      for (const name of [tableName, 'Other']) {
        await createTable(services, onDemandTable({ tableName: name }), west);
        const create = [{ create: { regionName: east.region } }];
        await putItem(services, { tableName: name, item: { PK: { S: 'a' } } }, west);
        await updateTable(services, { tableName: name, replicaUpdates: create }, west);
        await putItem(services, { tableName: name, item: { PK: { S: 'b' } } }, west);
      }
      const deletedBefore = { write };
      const replicating = servicesWithout(store, deletedBefore);
      for (let rounds = 0; !(await replicate(replicating)).isSettled; rounds++) expect(rounds).toBeLessThan(10);
      expect(deletedBefore.write).toBeLessThan(0);
      const there = await getItem(services, { tableName: 'Other', key: { PK: { S: 'b' } } }, east);
      expect(there.item).toBeDefined();
    },
  );
});

describe('a new replica', () => {
  test('of a table without items is there at once; each describes the other', async () => {
    await createTable(services, onDemandTable(), west);
    const answer = await add(east);
    expect(answer.tableDescription).toMatchObject({
      tableStatus: 'UPDATING',
      replicas: [],
      globalTableVersion: '2019.11.21',
      streamSpecification: { streamEnabled: true, streamViewType: 'NEW_AND_OLD_IMAGES' },
    });
    const [here, there] = [await described(west), await described(east)];
    const replica = {
      replicaStatus: 'ACTIVE',
      warmThroughput: { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 4000, status: 'ACTIVE' },
      globalTableSettingsReplicationMode: 'ENABLED_WITH_OVERRIDES',
    };
    expect(here.replicas).toEqual([{ regionName: 'us-east-1', ...replica }]);
    expect(there.replicas).toEqual([{ regionName: 'us-west-2', ...replica }]);
    expect([here.tableStatus, there.tableStatus]).toEqual(['ACTIVE', 'ACTIVE']);
    expect(there.tableId).not.toBe(here.tableId);
    expect(there.tableArn).toBe('arn:aws:dynamodb:us-east-1:000000000000:table/Table');
    expect(there.latestStreamArn).toContain('us-east-1');
    expect(there.streamSpecification).toEqual(here.streamSpecification);
  });

  test('leaves a stream as it is, and the replica gets one of its kind', async () => {
    const streamSpecification = { streamEnabled: true, streamViewType: 'KEYS_ONLY' } as const;
    await createTable(services, onDemandTable({ streamSpecification }), west);
    await add(east);
    expect((await described(west)).streamSpecification).toEqual(streamSpecification);
    expect((await described(east)).streamSpecification).toEqual(streamSpecification);
    await put('a', west);
    await settle();
    expect(await has('a', east)).toBe(true);
  });

  test('is CREATING until it has the items, and cannot be used before', async () => {
    await createTable(services, onDemandTable(), west);
    await fill(3 * sentPageItems + 1);
    await add(east);
    expect(await replicasOf(west)).toEqual({ 'us-east-1': 'CREATING' });
    expect((await described(west)).tableStatus).toBe('ACTIVE');
    expect((await described(east)).tableStatus).toBe('CREATING');
    await expect(put('x', east)).rejects.toThrow('Requested resource not found');
    await expect(remove(east)).rejects.toThrow('The resource which you are attempting to change is in use.');
    await expect(update({ deletionProtectionEnabled: true })).rejects.toThrow('in use');
    await settle();
    expect(await replicasOf(west)).toEqual({ 'us-east-1': 'ACTIVE' });
    expect((await described(east)).itemCount).toBe(3 * sentPageItems + 1);
    await expectConsistent(west, east);
  });

  test.each([0, 1, 2, 3])('is copied on when it was interrupted after %i steps', async (steps) => {
    await createTable(services, onDemandTable(), west);
    await fill(4 * sentPageItems);
    await add(east);
    services.tasks.killAfterPauses(steps);
    const { died } = services.tasks;
    void replicate(services);
    await died;
    services = testServices({ store: services.store, nowMs: services.clock.nowMs() + leaseMs, processId: 'another' });
    const [lag] = await replicationReport(services);
    expect(lag?.copiedItemCount).toBe(steps === 0 ? sentPageItems : (steps + 1) * sentPageItems);
    const sent = await replicate(services);
    expect(sent.sentItemCount).toBe(4 * sentPageItems - (steps + 1) * sentPageItems);
    await settle();
    expect((await described(east)).itemCount).toBe(4 * sentPageItems);
    expect((await described(east)).tableStatus).toBe('ACTIVE');
    await expectConsistent(west, east);
  });

  test('has what was written and deleted while it was copied', async () => {
    await createTable(services, onDemandTable(), west);
    await fill(4 * sentPageItems);
    await add(east);
    let at = 0;
    const isDone = () => at >= 40;
    services.tasks.atPause = async () => {
      if (isDone()) return;
      await put(`item-${at * 2}`, west, { changed: { BOOL: true } });
      await deleteItem(services, { tableName, key: { PK: { S: `item-${at * 2 + 1}` } } }, west);
      await put(`new-${at}`, west);
      at += 1;
    };
    while (!isDone()) await replicate(services);
    services.tasks.atPause = undefined;
    await settle();
    const text = async (place: Region) => JSON.stringify((await scan(services, { tableName }, place)).items);
    expect(await text(east)).toBe(await text(west));
    await expectConsistent(west, east);
  });

  test('may be copied by several processes at once', async () => {
    await createTable(services, onDemandTable(), west);
    await fill(4 * sentPageItems);
    await add(east);
    const other = testServices({ store: services.store, processId: 'another' });
    services.tasks.atPause = async () => {
      services.tasks.atPause = undefined;
      services.clock.advance(leaseMs);
      other.clock.advance(leaseMs);
      await replicate(other);
    };
    await settle();
    expect((await described(east)).itemCount).toBe(4 * sentPageItems);
    expect([...services.logged, ...other.logged]).toEqual([]);
    await expectConsistent(west, east);
  });

  test('takes its time when tables do', async () => {
    services = testServices({ lifecycleDelayMs: 5000 });
    await createTable(services, onDemandTable(), west);
    services.clock.advance(5000);
    await add(east);
    expect((await described(west)).tableStatus).toBe('UPDATING');
    expect((await described(east)).tableStatus).toBe('CREATING');
    await expect(add(ireland)).rejects.toThrow('in use');
    services.clock.advance(5000);
    await settle();
    expect([(await described(west)).tableStatus, (await described(east)).tableStatus]).toEqual(['ACTIVE', 'ACTIVE']);
    await remove(east);
    expect(await replicasOf(west)).toEqual({ 'us-east-1': 'DELETING' });
    expect((await described(east)).tableStatus).toBe('DELETING');
    services.clock.advance(5000);
    await settle();
    expect(await described(west)).not.toHaveProperty('replicas');
  });

  test('may be added from any region that has one', async () => {
    await createTable(services, onDemandTable(), west);
    await put('a', west);
    await add(east);
    await settle();
    await add(ireland, east);
    await settle();
    expect(await replicasOf(west)).toEqual({ 'us-east-1': 'ACTIVE', 'eu-west-1': 'ACTIVE' });
    expect(await replicasOf(east)).toEqual({ 'us-west-2': 'ACTIVE', 'eu-west-1': 'ACTIVE' });
    expect(await replicasOf(ireland)).toEqual({ 'us-west-2': 'ACTIVE', 'us-east-1': 'ACTIVE' });
    await put('b', west);
    await settle();
    expect([await has('a', ireland), await has('b', ireland)]).toEqual([true, true]);
  });

  test('is not made when another table comes first', async () => {
    services = testServices({ lifecycleDelayMs: 1000 });
    await createTable(services, onDemandTable(), west);
    services.clock.advance(1000);
    // Another process creates a table there between the check and the definition message.
    const { store } = services;
    const racing = testServices({
      store: {
        ...openMemoryStore(),
        manifest: store.manifest,
        read: (itemKeys, body) => store.read(itemKeys, body),
        range: (request, visit) => store.range(request, visit),
        close: () => store.close(),
        write: async (itemKeys, decide) => {
          const answer = await store.write(itemKeys, decide);
          if (!isRaced) {
            isRaced = true;
            await createTable(services, onDemandTable(), east);
          }
          return answer;
        },
      },
      nowMs: services.clock.nowMs(),
    });
    let isRaced = false;
    await updateTable(racing, { tableName, replicaUpdates: [{ create: { regionName: 'us-east-1' } }] }, west);
    services.clock.advance(1000);
    await settle();
    expect(await described(west)).not.toHaveProperty('replicas');
    expect(await described(east)).not.toHaveProperty('replicas');
    expect(racing.logged).toMatchObject([{ event: 'replica-refused' }]);
  });
});

describe('a write', () => {
  beforeEach(async () => {
    await createTable(services, onDemandTable(), west);
    await add(east);
  });

  test('is in the streams of all replicas once, without a mark', async () => {
    await put('a', west, { n: { N: '1' } });
    await settle();
    await put('a', east, { n: { N: '2' } });
    await settle();
    const events = async (place: Region) =>
      (await changesIn(place)).map(({ eventName, userIdentity, dynamodb }) => [
        eventName,
        userIdentity,
        dynamodb.newImage,
      ]);
    expect(await events(east)).toEqual(await events(west));
    expect((await events(west)).map(([name, identity]) => [name, identity])).toEqual([
      ['INSERT', undefined],
      ['MODIFY', undefined],
    ]);
  });

  test('that was sent is not sent again, nor back', async () => {
    await put('a', west);
    expect((await replicate(services)).sentItemCount).toBe(1);
    expect(await replicate(services)).toEqual({ sentItemCount: 0, isSettled: true });
  });

  test('that is pending is reported with its age', async () => {
    await put('a', west);
    services.clock.advance(700);
    await put('b', west);
    services.clock.advance(300);
    expect(await replicationReport(services)).toEqual([
      {
        accountId,
        tableName,
        from: 'us-west-2',
        to: 'us-east-1',
        state: 'active',
        pendingItemCount: 2,
        lagMs: 1000,
        knowsSettings: true,
      },
      {
        accountId,
        tableName,
        from: 'us-east-1',
        to: 'us-west-2',
        state: 'active',
        pendingItemCount: 0,
        lagMs: 0,
        knowsSettings: true,
      },
    ]);
  });

  test('of a region whose clock is behind wins when it was decided on what came from ahead', async () => {
    const ahead = testServices({ store: services.store, nowMs: services.clock.nowMs() + hourMs });
    await putItem(ahead, { tableName, item: { PK: { S: 'a' }, n: { N: '1' } } }, west);
    await settle();
    await put('a', east, { n: { N: '2' } });
    await settle();
    for (const place of [west, east]) {
      const { item } = await getItem(services, { tableName, key: { PK: { S: 'a' } } }, place);
      expect(item).toMatchObject({ sizeBytes: 6 });
      expect(JSON.stringify(item)).toContain('2');
    }
  });

  test('that is older than a deletion does not bring the item back, also after the deletion is forgotten', async () => {
    await put('a', west);
    await settle();
    await put('a', east, { old: { BOOL: true } });
    services.clock.advance(1000);
    await deleteItem(services, { tableName, key: { PK: { S: 'a' } } }, west);
    services.clock.advance(2 * dayMs);
    // The deletion is pending, so it is kept.
    expect(await sweepTombstones(services, { ...west, tableName })).toBe(0);
    await replicate(services, { from: 'us-east-1' });
    expect(await has('a', west)).toBe(false);
    await settle();
    expect(await has('a', east)).toBe(false);
    // The region that deleted it forgot it in the last round: it is no longer pending for any region.
    expect(await sweepTombstones(services, { ...west, tableName })).toBe(0);
    services.clock.advance(2 * dayMs);
    expect(await sweepTombstones(services, { ...east, tableName })).toBe(1);
    await expectConsistent(west, east);
  });

  test('of another account is not touched', async () => {
    const other = { accountId: '111111111111', region: 'us-west-2' };
    await createTable(services, onDemandTable(), other);
    await put('a', other);
    await settle();
    await expect(has('a', { ...other, region: 'us-east-1' })).rejects.toThrow('Requested resource not found');
  });
});

describe('DB-138 an item that expires', () => {
  test('is deleted by the service in the region in which it was written, and as any other in the others', async () => {
    await createTable(services, onDemandTable(), west);
    await add(east);
    await updateTimeToLive(
      services,
      { tableName, timeToLiveSpecification: { enabled: true, attributeName: 'expires' } },
      east,
    );
    expect((await describeTimeToLive(services, { tableName }, west)).timeToLiveDescription).toEqual({
      timeToLiveStatus: 'ENABLED',
      attributeName: 'expires',
    });
    const expires = { N: String(Math.floor(services.clock.nowMs() / 1000) + 10) };
    await put('a', west, { expires });
    await put('b', east, { expires });
    await settle();
    services.clock.advance(60_000);
    expect(await sweepExpiredItems(services)).toBe(2);
    await settle();
    const removals = async (place: Region) =>
      (await changesIn(place))
        .filter(({ eventName }) => eventName === 'REMOVE')
        .map(({ dynamodb, userIdentity }) => [JSON.stringify(mapOf(dynamodb.keys)), userIdentity?.type])
        .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1));
    expect(await removals(west)).toEqual([
      ['{"PK":{"S":"a"}}', 'Service'],
      ['{"PK":{"S":"b"}}', undefined],
    ]);
    expect(await removals(east)).toEqual([
      ['{"PK":{"S":"a"}}', undefined],
      ['{"PK":{"S":"b"}}', 'Service'],
    ]);
    await expectConsistent(west, east);
  });
});

describe('settings that are kept in step', () => {
  beforeEach(async () => {
    await createTable(services, onDemandTable(), west);
    await put('a', west, { owner: { S: 'x' } });
    await add(east);
    await settle();
  });

  test('indexes, made and deleted in any region', async () => {
    const attributeDefinitions = strings('PK', 'owner');
    await update({ attributeDefinitions, globalSecondaryIndexUpdates: [{ create: index('by-owner', 'owner') }] }, east);
    await settle();
    await services.tasks.settle();
    for (const place of [west, east]) {
      expect((await described(place)).globalSecondaryIndexes).toMatchObject([
        { indexName: 'by-owner', indexStatus: 'ACTIVE', itemCount: 1 },
      ]);
      expect((await described(place)).replicas).toMatchObject([
        { globalSecondaryIndexes: [{ indexName: 'by-owner' }] },
      ]);
      const { count } = await query(
        services,
        {
          tableName,
          indexName: 'by-owner',
          keyConditionExpression: '#o = :o',
          expressionAttributeNames: { '#o': 'owner' },
          expressionAttributeValues: { ':o': { S: 'x' } },
        },
        place,
      );
      expect(count).toBe(1);
    }
    await update({ globalSecondaryIndexUpdates: [{ delete: { indexName: 'by-owner' } }] });
    // Created again before the old one is gone everywhere.
    await services.tasks.settle();
    await update({ attributeDefinitions, globalSecondaryIndexUpdates: [{ create: index('by-owner', 'owner', 'PK') }] });
    await services.tasks.settle();
    await settle();
    for (const place of [west, east]) {
      expect((await described(place)).globalSecondaryIndexes).toMatchObject([
        { indexStatus: 'ACTIVE', keySchema: keys('owner', 'PK') },
      ]);
    }
    await expectConsistent(west, east);
    expect(services.logged).toEqual([]);
  });

  test('billing mode, throughput, and the overrides of one replica', async () => {
    await update({
      billingMode: 'PROVISIONED',
      provisionedThroughput: { readCapacityUnits: 5, writeCapacityUnits: 6 },
    });
    expect((await described(east)).provisionedThroughput).toMatchObject({
      readCapacityUnits: 5,
      writeCapacityUnits: 6,
    });
    await update({
      replicaUpdates: [
        { update: { regionName: 'us-east-1', provisionedThroughputOverride: { readCapacityUnits: 10 } } },
      ],
    });
    expect((await described(east)).provisionedThroughput).toMatchObject({ readCapacityUnits: 10 });
    expect((await described(west)).provisionedThroughput).toMatchObject({ readCapacityUnits: 5 });
    expect((await described(west)).replicas).toMatchObject([
      { provisionedThroughputOverride: { readCapacityUnits: 10 } },
    ]);
    // The region with the override sends only the shared settings to the others.
    await update({ provisionedThroughput: { readCapacityUnits: 10, writeCapacityUnits: 7 } }, east);
    expect((await described(west)).provisionedThroughput).toMatchObject({
      readCapacityUnits: 5,
      writeCapacityUnits: 7,
    });
    await update({
      replicaUpdates: [
        { update: { regionName: 'us-east-1', provisionedThroughputOverride: { readCapacityUnits: 5 } } },
      ],
    });
    expect((await described(east)).provisionedThroughput).toMatchObject({
      readCapacityUnits: 5,
      writeCapacityUnits: 7,
    });
    expect((await described(west)).replicas?.[0]).not.toHaveProperty('provisionedThroughputOverride');
  });

  test('not tags, nor protection against deletion', async () => {
    await update({ deletionProtectionEnabled: true });
    expect((await described(east)).deletionProtectionEnabled).toBe(false);
  });

  test('the table class', async () => {
    await update({ tableClass: 'STANDARD_INFREQUENT_ACCESS' });
    expect((await described(east)).tableClassSummary).toMatchObject({ tableClass: 'STANDARD_INFREQUENT_ACCESS' });
    await update({ replicaUpdates: [{ update: { regionName: 'us-east-1', tableClassOverride: 'STANDARD' } }] });
    expect((await described(east)).tableClassSummary).toMatchObject({ tableClass: 'STANDARD' });
    expect((await described(west)).replicas).toMatchObject([{ replicaTableClassSummary: { tableClass: 'STANDARD' } }]);
    expect((await described(west)).tableClassSummary).toMatchObject({ tableClass: 'STANDARD_INFREQUENT_ACCESS' });
  });

  test('encryption by the key of the account', async () => {
    await update({ sseSpecification: { enabled: true, sseType: 'KMS' } });
    const { sseDescription } = await described(east);
    expect(sseDescription?.kmsMasterKeyArn).toMatch(/^arn:aws:kms:us-east-1:/);
    expect((await described(west)).sseDescription?.kmsMasterKeyArn).toMatch(/^arn:aws:kms:us-west-2:/);
  });
});

describe('removing a replica', () => {
  test('deletes its table when the others have its items, and leaves nothing behind', async () => {
    const alone = testServices();
    const streamSpecification = { streamEnabled: true, streamViewType: 'NEW_AND_OLD_IMAGES' } as const;
    await createTable(alone, onDemandTable({ streamSpecification }), west);
    await createTable(services, onDemandTable({ streamSpecification }), west);
    await add(east);
    await put('late', east);
    await remove(east);
    expect((await described(east)).tableStatus).toBe('DELETING');
    await expect(put('later', east)).rejects.toThrow('Requested resource not found');
    await settle();
    expect(await has('late', west)).toBe(true);
    await expect(described(east)).rejects.toThrow('Requested resource not found');
    expect(await described(west)).not.toHaveProperty('globalTableVersion');
    await deleteItem(services, { tableName, key: { PK: { S: 'late' } } }, west);
    await services.tasks.settle();
    const [left, expected] = [await census(services), await census(alone)];
    // The streams of both tables can be read for a day. No other kind of entry remains in a space of its own.
    const dataSpaces = (counts: Record<number, number>) => Object.keys(counts).filter((id) => Number(id) >= 256);
    expect(dataSpaces(left)).toHaveLength(dataSpaces(expected).length + 1);
    expect([left[0], left[1]]).toEqual([expected[0], expected[1]]);
    expect([left[17], left[18], left[8]]).toEqual([undefined, undefined, undefined]);
    // It may be added again.
    await add(east);
    expect(await replicasOf(west)).toEqual({ 'us-east-1': 'ACTIVE' });
  });

  test('may be done in its own region', async () => {
    await createTable(services, onDemandTable(), west);
    await add(east);
    const { tableDescription } = await deleteTable(services, { tableName }, east);
    expect(tableDescription).toMatchObject({ tableStatus: 'DELETING', replicas: [{ regionName: 'us-west-2' }] });
    expect(await described(west)).not.toHaveProperty('replicas');
    await expect(described(east)).rejects.toThrow('Requested resource not found');
    await deleteTable(services, { tableName }, west);
    await expect(described(west)).rejects.toThrow('Requested resource not found');
  });

  test('has to wait while one is there that it was the source of, for a day', async () => {
    await createTable(services, onDemandTable(), west);
    await add(east);
    await expect(deleteTable(services, { tableName }, west)).rejects.toThrow('acted as a source region');
    services.clock.advance(dayMs + 1);
    await deleteTable(services, { tableName }, west);
    await expect(described(west)).rejects.toThrow('Requested resource not found');
    expect(await described(east)).not.toHaveProperty('replicas');
  });

  test('is refused while it is protected', async () => {
    await createTable(services, onDemandTable(), west);
    await add(east);
    await update({ deletionProtectionEnabled: true }, east);
    const text =
      'Cannot delete table Table in region us-east-1 because it has deletion protection enabled. Disable deletion protection first.';
    await expect(remove(east)).rejects.toThrow(text);
    await expect(deleteTable(services, { tableName }, east)).rejects.toThrow(text);
  });
});

describe('what is refused', () => {
  beforeEach(async () => {
    await createTable(services, onDemandTable(), west);
    await add(east);
  });

  test.each<[string, Omit<UpdateTableRequest, 'tableName'>, string]>([
    [
      'its own region',
      { replicaUpdates: [{ create: { regionName: 'us-west-2' } }] },
      'Cannot add or delete the local region through ReplicaUpdates. Use CreateTable, DeleteTable, or UpdateTable as required.',
    ],
    [
      'a replica that is there',
      { replicaUpdates: [{ create: { regionName: 'us-east-1' } }] },
      'Failed to create a the new replica of table with name: ‘Table’ because one or more replicas already existed as tables.',
    ],
    [
      'one that is not',
      { replicaUpdates: [{ delete: { regionName: 'ca-central-1' } }] },
      'Update global table operation failed because one or more replicas were not part of the global table. Please retry the request without these replicas: [ca-central-1].',
    ],
    [
      'no action',
      { replicaUpdates: [{}] },
      'There are no actions specified in the Replica Update Action of the request.',
    ],
    [
      'an update of nothing',
      { replicaUpdates: [{ update: { regionName: 'us-east-1' } }] },
      'There are no actions specified in the Replica Update Action of the request.',
    ],
    [
      'two actions in one',
      { replicaUpdates: [{ create: { regionName: 'eu-west-1' }, delete: { regionName: 'us-east-1' } }] },
      'Update table operation with more than one type of replica actions not allowed.',
    ],
    [
      'two replicas at once',
      { replicaUpdates: [{ create: { regionName: 'eu-west-1' } }, { create: { regionName: 'eu-west-2' } }] },
      'Update table operation with more than one create or delete replica actions not allowed',
    ],
    [
      'another change with it',
      { replicaUpdates: [{ create: { regionName: 'eu-west-1' } }], tableClass: 'STANDARD' },
      'One or more parameter values were invalid: Replica modification must be the only operation in the request',
    ],
    [
      'switching the stream off',
      { streamSpecification: { streamEnabled: false } },
      'One or more parameter values were invalid: Disabling Stream is not allowed for a Global Table replica.',
    ],
    [
      'another stream',
      { streamSpecification: { streamEnabled: true, streamViewType: 'KEYS_ONLY' } },
      'Table already has an enabled stream: TableName: Table',
    ],
    [
      'units of a table on demand',
      {
        replicaUpdates: [
          { update: { regionName: 'us-east-1', provisionedThroughputOverride: { readCapacityUnits: 1 } } },
        ],
      },
      'Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST',
    ],
    [
      'a key for one replica',
      { replicaUpdates: [{ update: { regionName: 'us-east-1', kmsMasterKeyId: 'alias/mine' } }] },
      'One or more parameter values were invalid: KMSMasterKeyId must be specified for each replica.',
    ],
    [
      'one replica that is strongly consistent',
      { replicaUpdates: [{ create: { regionName: 'eu-west-1' } }], multiRegionConsistency: 'STRONG' },
      'Unsupported replica count for global tables with MultiRegionConsistency set to STRONG.',
    ],
    [
      'two that are',
      {
        replicaUpdates: [{ create: { regionName: 'eu-west-1' } }, { create: { regionName: 'eu-west-2' } }],
        multiRegionConsistency: 'STRONG',
      },
      'Singlet does not support MultiRegionConsistency STRONG, and no witnesses. Use EVENTUAL, which is the default.',
    ],
    [
      'consistency alone',
      { multiRegionConsistency: 'EVENTUAL' },
      'At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required',
    ],
  ])('%s', async (_what, request, message) => {
    await expect(update(request)).rejects.toMatchObject({ name: 'ValidationException', message });
  });

  test('a region that is none', async () => {
    await expect(add({ accountId, region: 'us-fake-1' })).rejects.toThrow(
      /^Region us-fake-1 is not supported. The latest version of global tables are only supported in the following regions: \[ap-south-2, ap-south-1, eu-south-1, eu-south-2, me-central-1, /,
    );
  });

  test('a table of its own in that region', async () => {
    await createTable(services, onDemandTable(), ireland);
    await expect(add(ireland)).rejects.toThrow('one or more replicas already existed as tables.');
  });

  test('a provisioned table', async () => {
    await createTable(services, provisionedTable({ tableName: 'Other' }), west);
    const replicaUpdates = [{ create: { regionName: 'us-east-1' } }];
    await expect(updateTable(services, { tableName: 'Other', replicaUpdates }, west)).rejects.toThrow(
      'Table write capacity should either be Pay-Per-Request or AutoScaled.',
    );
  });

  test('two replicas of one region are one', async () => {
    await update({
      replicaUpdates: [{ create: { regionName: 'eu-west-1' } }, { create: { regionName: 'eu-west-1' } }],
    });
    expect(await replicasOf(west)).toEqual({ 'us-east-1': 'ACTIVE', 'eu-west-1': 'ACTIVE' });
  });
});
