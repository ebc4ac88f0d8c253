/**
 * Repeatedly kills a server during writes, always on the same data. Each time: every acknowledged
 * write is present. Every transaction is present in full or not at all. Indexes, stream, change log, counts and collection sizes
 * agree with the items, some of which expire and are removed meanwhile. Created tables and indexes exist, and deleted ones do not.
 *
 * As with the store alone, this tests the end of a process at any moment, not that of the machine.
 * `CRASH_ROUNDS=200 npx vitest run …/crash.test.ts` makes so many rounds, a directory after the other.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { firstDataSpace, restOf, space, spaceStart } from '../src/engine/layout/spaces.ts';
import { Catalog } from '../src/engine/catalog/catalog.ts';
import { findInconsistencies } from '../src/engine/testing/consistency.ts';
import { createDatabase, type Database } from '../src/index.ts';
import { openLmdbStore } from '../src/storage/lmdb/lmdb-store.ts';
import type { Store } from '../src/storage/store.ts';
import { SeededRandom } from '../src/randomness/seeded-random.ts';
import { crashTableName, CrashWriter, itemName, type Items, type WireItem } from './crash-writer.ts';
import { SingletProcess } from './singlet-process.ts';
import { wireCall } from './wire-call.ts';

/** Replays one history of kills, as closely as the machine allows: `CRASH_SEED=… npx vitest run …/crash.test.ts`. */
const seed = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 1e9));

const writerCount = 8;

/** Items that only make the backfill of an index take a while. */
const bystanderCount = 2000;

/** What happens to tables in a round, shortly before the kill. */
type TableChange = 'create index' | 'delete index' | 'create table' | 'delete table' | undefined;

const changes: readonly TableChange[] = [
  undefined,
  'create index',
  undefined,
  'delete index',
  'create table',
  'delete table',
  'create table',
  'create index',
  undefined,
  'delete index',
  'delete table',
  'create index',
  'create table',
  undefined,
];

const crashTable = {
  TableName: crashTableName,
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
    { AttributeName: 'rank', AttributeType: 'N' },
    { AttributeName: 'owner', AttributeType: 'S' },
    { AttributeName: 'state', AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  LocalSecondaryIndexes: [
    {
      IndexName: 'byRank',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'rank', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byOwner',
      KeySchema: [
        { AttributeName: 'owner', KeyType: 'HASH' },
        { AttributeName: 'rank', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['tag'] },
    },
    {
      IndexName: 'byState',
      KeySchema: [{ AttributeName: 'state', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
  VectorIndexes: [
    {
      IndexName: 'byVector',
      VectorAttribute: { AttributeName: 'embedding' },
      SearchSchema: [{ AttributeName: 'owner', SearchSchemaElementType: 'HASH' }],
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['tag'] },
      Dimensions: 3,
      DistanceFunction: 'COSINE',
    },
  ],
  BillingMode: 'PAY_PER_REQUEST',
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
};

/** Except for expiring items, ranks are times long past, which are in the index of expiry times and are never swept. */
const timeToLive = {
  TableName: crashTableName,
  TimeToLiveSpecification: { Enabled: true, AttributeName: 'rank' },
};

const recovery = {
  TableName: crashTableName,
  PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
};

/** Items that have already expired when they are written. The server looks for them every few milliseconds. */
const expiringCount = 75;
const expiringPk = 'expiring';

const laterIndex = 'byTag';
const otherTable = {
  TableName: 'Other',
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
};

const tableRequests: { readonly [C in NonNullable<TableChange>]: readonly [action: string, input: object] } = {
  'create index': [
    'UpdateTable',
    {
      TableName: crashTableName,
      AttributeDefinitions: [{ AttributeName: 'tag', AttributeType: 'S' }],
      GlobalSecondaryIndexUpdates: [
        {
          Create: {
            IndexName: laterIndex,
            KeySchema: [{ AttributeName: 'tag', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'KEYS_ONLY' },
          },
        },
      ],
    },
  ],
  'delete index': [
    'UpdateTable',
    { TableName: crashTableName, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: laterIndex } }] },
  ],
  'create table': ['CreateTable', otherTable],
  'delete table': ['DeleteTable', { TableName: otherTable.TableName }],
};

/** By default each change once. */
const roundCount = Number(process.env['CRASH_ROUNDS'] ?? 6);
const rounds = changes.slice(0, roundCount);
const directoryCount = Math.ceil(roundCount / rounds.length);
const seeds = Array.from({ length: directoryCount }, (_, at) => seed + at * writerCount);

test.each(seeds)(
  'DB-009 DB-089 DB-090 DB-170 DB-174 what was answered survives kill -9 (CRASH_SEED=%i)',
  async (own) => {
    const random = new SeededRandom(own);
    const parent = await mkdtemp(join(tmpdir(), 'singlet-crash-'));
    const directory = join(parent, 'data');
    const writers = Array.from({ length: writerCount }, (_, id) => new CrashWriter(id, new SeededRandom(own + id)));
    const tables = new TableExpectations();
    let answered = 0;
    let unanswered = 0;
    try {
      await fill(directory);
      for (const change of rounds) {
        // Sometimes another process, this one, has the data open throughout.
        const survivor = random.chance(0.3) ? await createDatabase({ directory }) : undefined;
        answered += await writeAndKill(directory, { random, writers, tables, change });
        unanswered += writers.filter((writer) => writer.unanswered !== undefined).length;
        if (survivor !== undefined) await checkAsSurvivor(survivor, writers);
        await checkAll(directory, { random, writers, tables });
      }
      await checkExpired(directory);
      await checkNothingLeftBehind(directory);
    } finally {
      await rm(parent, { recursive: true });
    }
    // Else the kills came too early or too late, and the test proved nothing.
    expect(answered).toBeGreaterThan(rounds.length * writerCount);
    expect(unanswered).toBeGreaterThan(rounds.length);
  },
);

async function fill(directory: string): Promise<void> {
  const database = await createDatabase({ directory });
  await database.request('CreateTable', crashTable);
  await database.request('UpdateTimeToLive', timeToLive);
  await database.request('UpdateContinuousBackups', recovery);
  for (let from = 0; from < bystanderCount; from += 25) {
    const puts = Array.from({ length: 25 }, (_, at) => {
      const number = `${from + at}`;
      return { PutRequest: { Item: { pk: { S: `bystander-${number}` }, sk: { S: number }, tag: { S: number } } } };
    });
    await database.request('BatchWriteItem', { RequestItems: { [crashTableName]: puts } });
  }
  await database.close();
}

interface Round {
  readonly random: SeededRandom;
  readonly writers: readonly CrashWriter[];
  readonly tables: TableExpectations;
}

/** @returns how many writes were answered. */
async function writeAndKill(
  directory: string,
  { random, writers, tables, change }: Round & { readonly change: TableChange },
): Promise<number> {
  const child = new SingletProcess([
    'serve',
    '--data',
    directory,
    '--port',
    '0',
    '--log-level',
    'warn',
    '--expiry-sweep',
    '3',
  ]);
  try {
    const url = await child.ready();
    const answersUntilKill = random.integer(1, 200);
    const delayMs = random.next() * 4;
    const killsBeforeAnswer = random.chance(0.4);
    const fillsForMs = random.next() * 60;
    let answers = 0;
    let enough = (): void => undefined;
    const answeredEnough = new Promise<void>((resolve) => (enough = resolve));
    const expiring = putExpiring(url);
    const writing = writers.map((writer) =>
      writer.writeUntilKilled(url, () => {
        answers += 1;
        if (answers === answersUntilKill) enough();
      }),
    );
    await Promise.race([answeredEnough, Promise.all(writing)]);
    const changing = change === undefined ? undefined : tables.request(url, change);
    if (changing !== undefined && !killsBeforeAnswer) {
      await changing;
      // An index is filled in the background, a table is emptied in the background.
      await delay(fillsForMs);
    }
    await delay(delayMs);
    child.signal('SIGKILL');
    await Promise.all([...writing, changing, expiring]);
    expect(await child.ended).toEqual({ code: null, signal: 'SIGKILL' });
    return answers;
  } finally {
    await child.end('SIGKILL');
  }
}

/** Writes items that have just expired, until all are stored or no more answers arrive. */
async function putExpiring(url: string): Promise<void> {
  const rank = { N: String(Math.floor(Date.now() / 1000) - 60) };
  for (let from = 0; from < expiringCount; from += 25) {
    const puts = Array.from({ length: 25 }, (_, at) => {
      const sk = { S: `${from + at}` };
      return { PutRequest: { Item: { pk: { S: expiringPk }, sk, rank, owner: { S: 'x' }, tag: { S: 'expiring' } } } };
    });
    try {
      await wireCall(url, 'BatchWriteItem', { RequestItems: { [crashTableName]: puts } });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // else it was not answered
      return;
    }
  }
}

/** The next sweep removes the expired items that killed processes left, and everything derived from them. */
async function checkExpired(directory: string): Promise<void> {
  const database = await createDatabase({ directory, expirySweepMs: 'on-demand' });
  const store = await openLmdbStore({ directory });
  try {
    await database.sweepExpiredItems();
    expect(await expiredCount(database)).toBe(0);
    const table = await new Catalog(store, { nowMs: () => Date.now() }).load(requester, crashTableName);
    expect(await findInconsistencies(store, table!)).toEqual([]);
  } finally {
    await store.close();
    await database.close();
  }
}

/** @returns the number of expired items that are still stored. */
async function expiredCount(database: Database): Promise<number> {
  const { Count } = (await database.request('Query', {
    TableName: crashTableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': { S: expiringPk } },
    Select: 'COUNT',
  })) as { readonly Count: number };
  return Count;
}

async function checkAll(directory: string, round: Round): Promise<void> {
  const database = await createDatabase({ directory, expirySweepMs: 'on-demand' });
  const store = await openLmdbStore({ directory });
  try {
    const items = await checkItems(database, round);
    await indexesSettled(database);
    await round.tables.check(database);
    const table = await new Catalog(store, { nowMs: () => Date.now() }).load(requester, crashTableName);
    expect(await findInconsistencies(store, table!)).toEqual([]);
    const { ItemCount } = await describeTable(database);
    expect(ItemCount).toBe(items.size);
  } finally {
    await store.close();
    await database.close();
  }
}

/**
 * What a process sees that had the data open while another one died. A write that the other one was just about to answer
 * may become visible only with the next write of any client, so an unanswered write is still undecided after this.
 */
async function checkAsSurvivor(database: Database, writers: readonly CrashWriter[]): Promise<void> {
  const broken = async (): Promise<readonly string[]> => {
    const found = await allItems(database);
    return writers.flatMap((writer) => writer.brokenPromises(found));
  };
  expect(await broken()).toEqual([]);
  await database.request('DeleteItem', { TableName: crashTableName, Key: { pk: { S: 'absent' }, sk: { S: '0' } } });
  expect(await broken()).toEqual([]);
  await database.close();
}

/** @returns all items. */
async function checkItems(database: Database, { random, writers, tables }: Round): Promise<Items> {
  await tables.check(database);
  const found = await allItems(database);
  expect(writers.flatMap((writer) => writer.brokenPromises(found))).toEqual([]);

  // An unanswered transaction is sent again with its token. Whatever happened to it, it has now happened once.
  for (const writer of writers) {
    const { action, input = {}, error } = writer.unanswered ?? {};
    if (action === 'TransactWriteItems' && random.chance(0.7)) {
      const refusal: unknown = await database.request(action, input).then(
        () => undefined,
        (reason: unknown) => (reason instanceof Error ? reason.name : reason),
      );
      expect(refusal).toBe(error);
      writer.unansweredHappened();
    } else {
      writer.accept(found);
    }
  }
  const items = await allItems(database);
  expect(writers.flatMap((writer) => writer.brokenPromises(items))).toEqual([]);
  return items;
}

const requester = { accountId: '000000000000', region: 'us-east-1' };

/** What the answers promised about the table, and the index, that are created and deleted. */
class TableExpectations {
  /** Undefined while it cannot be known. */
  readonly #isThere = new Map<'index' | 'table', boolean | undefined>([
    ['index', false],
    ['table', false],
  ]);

  async request(url: string, change: NonNullable<TableChange>): Promise<void> {
    const what = change.endsWith('index') ? 'index' : 'table';
    const creates = change.startsWith('create');
    // The outcome of an unanswered request is known by now. Creating what already exists would only be refused.
    if (this.#isThere.get(what) === creates) return;
    this.#isThere.set(what, undefined);
    const [action, input] = tableRequests[change];
    try {
      const { status, body } = await wireCall(url, action, input);
      if (status !== 200) throw new Error(`${change} was answered ${JSON.stringify(body)}`);
      this.#isThere.set(what, creates);
      if (change !== 'create table') return;
      // An earlier table of this name may have had items.
      const scanned = await wireCall(url, 'Scan', { TableName: otherTable.TableName });
      expect(scanned.body['Count']).toBe(0);
      await Promise.all(
        Array.from({ length: 5 }, (_, pk) =>
          wireCall(url, 'PutItem', { TableName: otherTable.TableName, Item: { pk: { S: `${pk}` } } }),
        ),
      );
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // else it was not answered
    }
  }

  async check(database: Database): Promise<void> {
    const { TableNames } = (await database.request('ListTables', {})) as { TableNames: readonly string[] };
    const { GlobalSecondaryIndexes } = await describeTable(database);
    const index = GlobalSecondaryIndexes.find(({ IndexName }) => IndexName === laterIndex);
    const found = {
      table: TableNames.includes(otherTable.TableName),
      index: index !== undefined && index.IndexStatus !== 'DELETING',
    };
    for (const what of ['table', 'index'] as const) {
      expect([undefined, found[what]]).toContain(this.#isThere.get(what));
      this.#isThere.set(what, found[what]);
    }
    if (found.table) {
      const { Count } = (await database.request('Scan', { TableName: otherTable.TableName })) as { Count: number };
      expect(Count).toBeLessThanOrEqual(5);
    }
  }
}

interface TableDescription {
  readonly ItemCount: number;
  readonly GlobalSecondaryIndexes: readonly { readonly IndexName: string; readonly IndexStatus: string }[];
}

async function describeTable(database: Database): Promise<TableDescription> {
  const answer = await database.request('DescribeTable', { TableName: crashTableName });
  return (answer as { Table: TableDescription }).Table;
}

/** Whatever index was being filled or removed when the process died, the next process finishes it. */
async function indexesSettled(database: Database): Promise<void> {
  for (;;) {
    const { GlobalSecondaryIndexes } = await describeTable(database);
    if (GlobalSecondaryIndexes.every(({ IndexStatus }) => IndexStatus === 'ACTIVE')) return;
    await turn();
  }
}

async function allItems(database: Database): Promise<Items> {
  const items = new Map<string, WireItem>();
  let startKey: object = {};
  for (;;) {
    const input = { TableName: crashTableName, ConsistentRead: true, ...startKey };
    const page = (await database.request('Scan', input)) as {
      readonly Items: readonly WireItem[];
      readonly LastEvaluatedKey?: WireItem;
    };
    for (const item of page.Items) items.set(itemName(item), item);
    if (page.LastEvaluatedKey === undefined) return items;
    startKey = { ExclusiveStartKey: page.LastEvaluatedKey };
  }
}

/** Once everything is done, the store contains nothing of deleted tables and indexes. */
async function checkNothingLeftBehind(directory: string): Promise<void> {
  const database = await createDatabase({ directory });
  const store = await openLmdbStore({ directory });
  try {
    await indexesSettled(database);
    while ((await spacesFrom(store, space.purges, space.purges + 1)).size > 0) await turn();
    const { TableNames } = (await database.request('ListTables', {})) as { TableNames: readonly string[] };
    const live = new Set<number>();
    const itemSpaces = new Set<number>();
    for (const tableName of TableNames) {
      const table = await new Catalog(store, { nowMs: () => Date.now() }).load(requester, tableName);
      for (const index of table!.writtenIndexes) live.add(index.space);
      for (const index of table!.writtenVectorIndexes) live.add(index.journalSpace);
      live.add(table!.record.itemSpace);
      for (const kept of [table!.record.stream, table!.record.timeToLive, table!.record.changeLog])
        if (kept !== undefined) live.add(kept.space);
      itemSpaces.add(table!.record.itemSpace);
    }
    expect([...(await spacesFrom(store, firstDataSpace, 0xffff_ffff))].filter((id) => !live.has(id))).toEqual([]);
    const sizes = await collectionSizeSpaces(store);
    expect([...sizes].filter((id) => !itemSpaces.has(id))).toEqual([]);
  } finally {
    await store.close();
    await database.close();
  }
}

async function spacesFrom(store: Store, first: number, end: number): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  await store.range({ from: spaceStart(first), to: spaceStart(end) }, (key) => {
    found.add(Buffer.from(key).readUInt32BE(0));
    return true;
  });
  return found;
}

/** The item spaces of tables for which sizes of item collections are kept. */
async function collectionSizeSpaces(store: Store): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  const range = { from: spaceStart(space.collectionSizes), to: spaceStart(space.collectionSizes + 1) };
  await store.range(range, (key) => {
    found.add(Buffer.from(restOf(key)).readUInt32BE(0));
    return true;
  });
  return found;
}
