/**
 * Repeatedly kills a server that is being written to and replicates, always on the same data. Every acknowledged write must be
 * present, the pending changes for other regions must agree with the items, and once nothing is pending, all regions must have
 * the same items.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Catalog } from '../src/engine/catalog/catalog.ts';
import { findInconsistencies } from '../src/engine/testing/consistency.ts';
import { createDatabase, type Database } from '../src/index.ts';
import { openLmdbStore } from '../src/storage/lmdb/lmdb-store.ts';
import { SeededRandom } from '../src/randomness/seeded-random.ts';
import { crashTableName, CrashWriter, itemName, type Items, type WireItem } from './crash-writer.ts';
import { SingletProcess } from './singlet-process.ts';

/** `CRASH_SEED=… npx vitest run …/replica-crash.test.ts` replays one history, as closely as the machine allows. */
const seed = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 1e9));

const writerCount = 6;
const roundCount = 4;
const bystanderCount = 500;
const accountId = '000000000000';
const regions = ['us-east-1', 'eu-west-1', 'us-west-2'] as const;
type Region = (typeof regions)[number];

const definition = {
  TableName: crashTableName,
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
    { AttributeName: 'owner', AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byOwner',
      KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
  BillingMode: 'PAY_PER_REQUEST',
};

async function itemsIn(database: Database, region: Region): Promise<Items> {
  const items = new Map<string, WireItem>();
  let ExclusiveStartKey: unknown;
  do {
    const input = { TableName: crashTableName, ...(ExclusiveStartKey !== undefined && { ExclusiveStartKey }) };
    const page = (await database.request('Scan', input, { region })) as {
      Items: readonly WireItem[];
      LastEvaluatedKey?: unknown;
    };
    for (const item of page.Items) items.set(itemName(item), item);
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  return items;
}

test(`DB-089 replicas agree after kill -9 (CRASH_SEED=${seed})`, async () => {
  const random = new SeededRandom(seed);
  const parent = await mkdtemp(join(tmpdir(), 'singlet-replica-crash-'));
  const directory = join(parent, 'data');
  const writers = Array.from({ length: writerCount }, (_, id) => new CrashWriter(id, new SeededRandom(seed + id)));
  let answered = 0;
  try {
    await fill(directory);
    for (let round = 0; round < roundCount; round++) {
      // A replica that is added in the middle is being filled when the server is killed.
      if (round === 2) await addReplica(directory, 'us-west-2');
      answered += await writeAndKill(directory, random, writers);
      await check(directory, writers);
    }
    await settleAndCompare(directory);
  } finally {
    await rm(parent, { recursive: true });
  }
  // Else the kills came too early, and the test proved nothing.
  expect(answered).toBeGreaterThan(roundCount * writerCount);
});

async function fill(directory: string): Promise<void> {
  const database = await createDatabase({ directory, replicationMs: 'on-demand' });
  await database.request('CreateTable', definition);
  for (let from = 0; from < bystanderCount; from += 25) {
    const puts = Array.from({ length: 25 }, (_, at) => ({
      PutRequest: { Item: { pk: { S: `bystander-${from + at}` }, sk: { S: 'x' } } },
    }));
    await database.request('BatchWriteItem', { RequestItems: { [crashTableName]: puts } });
  }
  await database.close();
  await addReplica(directory, 'eu-west-1');
}

async function addReplica(directory: string, RegionName: Region): Promise<void> {
  const database = await createDatabase({ directory, replicationMs: 'on-demand' });
  // While one is being created no other can be added.
  while (!(await database.replicate()).isSettled) await delay(1);
  await database.request('UpdateTable', { TableName: crashTableName, ReplicaUpdates: [{ Create: { RegionName } }] });
  await database.close();
}

async function writeAndKill(directory: string, random: SeededRandom, writers: readonly CrashWriter[]): Promise<number> {
  const log = ['--log-level', 'warn'];
  const child = new SingletProcess([
    'serve',
    '--data',
    directory,
    '--port',
    '0',
    '--replication-interval',
    '5',
    ...log,
  ]);
  try {
    const url = await child.ready();
    const answersUntilKill = random.integer(20, 300);
    let answers = 0;
    let enough = (): void => undefined;
    const answeredEnough = new Promise<void>((resolve) => (enough = resolve));
    const writing = writers.map((writer) =>
      writer.writeUntilKilled(url, () => {
        answers += 1;
        if (answers === answersUntilKill) enough();
      }),
    );
    await Promise.race([answeredEnough, Promise.all(writing)]);
    await delay(random.next() * 4);
    child.signal('SIGKILL');
    await Promise.all(writing);
    return answers;
  } finally {
    await child.end('SIGKILL');
  }
}

async function check(directory: string, writers: readonly CrashWriter[]): Promise<void> {
  const database = await createDatabase({ directory, replicationMs: 'on-demand' });
  try {
    const found = await itemsIn(database, 'us-east-1');
    expect(writers.flatMap((writer) => writer.brokenPromises(found))).toEqual([]);
    for (const writer of writers) writer.accept(found);
  } finally {
    await database.close();
  }
  await checkConsistency(directory);
}

async function checkConsistency(directory: string): Promise<void> {
  const store = await openLmdbStore({ directory });
  try {
    for (const region of regions) {
      const catalog = new Catalog(store, { nowMs: () => Date.now() });
      const table = await catalog.load({ accountId, region }, crashTableName);
      if (table !== undefined) expect(await findInconsistencies(store, table)).toEqual([]);
    }
  } finally {
    await store.close();
  }
}

async function settleAndCompare(directory: string): Promise<void> {
  const database = await createDatabase({ directory, replicationMs: 'on-demand' });
  try {
    // The server that was killed last still has the lease for a few seconds.
    while (!(await database.replicate()).isSettled) await delay(10);
    const text = async (region: Region): Promise<string> =>
      JSON.stringify([...(await itemsIn(database, region))].toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const expected = await text('us-east-1');
    for (const region of regions) expect(await text(region)).toBe(expected);
  } finally {
    await database.close();
  }
  await checkConsistency(directory);
}
