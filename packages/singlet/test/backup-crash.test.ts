/**
 * Repeatedly kills a server that makes backups, restores tables and writes exports while money is moved between items, always on the same
 * data. Each time: an acknowledged backup or export exists and is completed. The contents of an export, of a restored backup, or of a
 * restore to a point in time are the state of one moment: no money is lost, every write acknowledged before the request is in
 * it, and no write sent after the answer. Indexes, counts and sizes of a restored table agree with its items. At
 * the end nothing is left behind.
 */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { firstDataSpace, space, spaceStart } from '../src/engine/layout/spaces.ts';
import { Catalog } from '../src/engine/catalog/catalog.ts';
import { findInconsistencies } from '../src/engine/testing/consistency.ts';
import { createDatabase, type Database } from '../src/index.ts';
import { openLmdbStore } from '../src/storage/lmdb/lmdb-store.ts';
import { SeededRandom } from '../src/randomness/seeded-random.ts';
import { SingletProcess } from './singlet-process.ts';
import { wireCall, wireResult } from './wire-call.ts';

/** Replays one history of kills, as closely as the machine allows: `CRASH_SEED=… npx vitest run …/backup-crash.test.ts`. */
const seed = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 1e9));

const writerCount = 4;
const accountCount = 400;
const moneyEach = 100;
const roundCount = 6;

const requester = { accountId: '000000000000', region: 'us-east-1' };
const TableName = 'Money';
const bucket = 'exports';

function bucketsOf(directory: string): string {
  return `${directory}-buckets`;
}

const moneyTable = {
  TableName,
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'money', AttributeType: 'N' },
  ],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byMoney',
      KeySchema: [{ AttributeName: 'money', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ],
  BillingMode: 'PAY_PER_REQUEST',
};

type Item = Readonly<Record<string, { readonly S?: string; readonly N?: string }>>;

/** Moves money from one account to another, and counts its own transfers in the same transaction. */
class Mover {
  readonly #id: number;
  readonly #random: SeededRandom;
  sent = 0;
  answered = 0;

  constructor(id: number, random: SeededRandom) {
    this.#id = id;
    this.#random = random;
  }

  get counter(): string {
    return `mover-${this.#id}`;
  }

  async moveUntilKilled(url: string): Promise<void> {
    for (;;) {
      this.sent += 1;
      const half = accountCount / 2;
      const amount = this.#random.integer(1, 9);
      const TransactItems = [
        update(`account-${this.#random.integer(0, half - 1)}`, 'money', -amount),
        update(`account-${half + this.#random.integer(0, half - 1)}`, 'money', amount),
        update(this.counter, 'count', 1),
      ];
      try {
        await wireResult(url, 'TransactWriteItems', { TransactItems });
      } catch (error) {
        if (error instanceof TypeError) return; // not answered
        throw error;
      }
      this.answered += 1;
    }
  }
}

function update(pk: string, attribute: string, amount: number): object {
  return {
    Update: {
      TableName,
      Key: { pk: { S: pk } },
      UpdateExpression: 'ADD #a :amount',
      ExpressionAttributeNames: { '#a': attribute },
      ExpressionAttributeValues: { ':amount': { N: `${amount}` } },
    },
  };
}

/** The transfers of each mover that a backup or a restored table must contain: at least, and at most. */
type Bounds = readonly { readonly from: number; readonly to: number }[];

interface Expected {
  readonly bounds: Bounds;
  /** The request was answered, so it must have taken effect. */
  readonly answered: boolean;
}

test(`DB-016 backups, restores and exports survive kill -9 (CRASH_SEED=${seed})`, async () => {
  const random = new SeededRandom(seed);
  const parent = await mkdtemp(join(tmpdir(), 'singlet-backup-crash-'));
  const directory = join(parent, 'data');
  let done = 0;
  try {
    await mkdir(join(bucketsOf(directory), bucket), { recursive: true });
    await fill(directory);
    let counts = Array.from({ length: writerCount }, () => 0);
    for (let round = 0; round < roundCount; round += 1) {
      const movers = counts.map((count, id) => {
        const mover = new Mover(id, new SeededRandom(seed + round * writerCount + id));
        mover.sent = mover.answered = count;
        return mover;
      });
      const expected = await moveAndKill(directory, { random, movers, round });
      counts = await checkAll(directory, { expected, movers, round });
      done += [...expected.values()].filter(({ answered }) => answered).length;
    }
    await checkNothingLeftBehind(directory);
  } finally {
    await rm(parent, { recursive: true });
  }
  expect(done).toBeGreaterThan(2); // else the kills came too early, and the test proved nothing
});

async function fill(directory: string): Promise<void> {
  const database = await createDatabase({ directory });
  await database.request('CreateTable', moneyTable);
  for (let from = 0; from < accountCount; from += 25) {
    const puts = Array.from({ length: 25 }, (_, at) => {
      return { PutRequest: { Item: { pk: { S: `account-${from + at}` }, money: { N: `${moneyEach}` } } } };
    });
    await database.request('BatchWriteItem', { RequestItems: { [TableName]: puts } });
  }
  await recovery(database, true);
  await database.close();
}

async function recovery(database: Database, PointInTimeRecoveryEnabled: boolean): Promise<void> {
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled };
  await database.request('UpdateContinuousBackups', { TableName, PointInTimeRecoverySpecification });
}

interface Round {
  readonly movers: readonly Mover[];
  readonly round: number;
}

/** @returns the requests, by the name of the backup or of the restored table. */
async function moveAndKill(
  directory: string,
  { random, movers, round }: Round & { readonly random: SeededRandom },
): Promise<ReadonlyMap<string, Expected>> {
  const places = ['--data', directory, '--buckets', bucketsOf(directory)];
  const child = new SingletProcess(['serve', ...places, '--port', '0', '--log-level', 'warn']);
  const expected = new Map<string, Expected>();
  const asking = async (url: string, name: string, action: string, input: object): Promise<void> => {
    const from = movers.map(({ answered }) => answered);
    expected.set(name, { bounds: from.map((count) => ({ from: count, to: Infinity })), answered: false });
    try {
      const { status, body } = await wireCall(url, action, input);
      if (status !== 200) throw new Error(`${action} was answered ${JSON.stringify(body)}`);
      const bounds = movers.map(({ sent }, at) => ({ from: from[at] ?? 0, to: sent }));
      expected.set(name, { bounds, answered: true });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // not answered
    }
  };
  try {
    const url = await child.ready();
    const moving = movers.map((mover) => mover.moveUntilKilled(url));
    const enough = movers.reduce((sum, { answered }) => sum + answered, random.integer(1, 100));
    while (movers.reduce((sum, { answered }) => sum + answered, 0) < enough) await turn();
    const requests = [
      asking(url, `backup-${round}`, 'CreateBackup', { TableName, BackupName: `backup-${round}` }),
      asking(url, `restored-${round}`, 'RestoreTableToPointInTime', {
        SourceTableName: TableName,
        TargetTableName: `restored-${round}`,
        UseLatestRestorableTime: true,
      }),
      asking(url, `export-${round}`, 'ExportTableToPointInTime', {
        TableArn: `arn:aws:dynamodb:us-east-1:000000000000:table/${TableName}`,
        S3Bucket: bucket,
        S3Prefix: `export-${round}`,
        ClientToken: `export-${round}`,
      }),
    ];
    // Somewhere between the requests and the last step of the work that they began.
    if (round === 0 || random.chance(0.75)) await Promise.all(requests);
    await delay(random.next() * 60);
    child.signal('SIGKILL');
    await Promise.all([...moving, ...requests]);
    return expected;
  } finally {
    await child.end('SIGKILL');
  }
}

/** @returns how often each mover has moved money. */
async function checkAll(
  directory: string,
  { expected, movers, round }: Round & { readonly expected: ReadonlyMap<string, Expected> },
): Promise<number[]> {
  const database = await createDatabase({ directory, buckets: bucketsOf(directory) });
  const store = await openLmdbStore({ directory });
  const checkState = (items: readonly Item[], bounds: Bounds): void => {
    const accounts = items.filter(({ money }) => money !== undefined);
    const sum = accounts.reduce((total, { money }) => total + Number(money?.N), 0);
    expect([accounts.length, sum]).toEqual([accountCount, accountCount * moneyEach]);
    movers.forEach(({ counter }, at) => {
      const count = countOf(items, counter);
      expect(count).toBeGreaterThanOrEqual(bounds[at]!.from);
      expect(count).toBeLessThanOrEqual(bounds[at]!.to);
    });
  };
  const check = async (tableName: string, bounds: Bounds): Promise<void> => {
    const items = await allItems(database, tableName);
    checkState(items, bounds);
    const table = await new Catalog(store, { nowMs: () => Date.now() }).load(requester, tableName);
    expect(await findInconsistencies(store, table!)).toEqual([]);
    const { Table } = (await database.request('DescribeTable', { TableName: tableName })) as {
      readonly Table: { readonly ItemCount: number };
    };
    expect(Table.ItemCount).toBe(items.length);
  };
  try {
    const backups = await availableBackups(database);
    const name = `backup-${round}`;
    const arn = backups.get(name);
    const wanted = expected.get(name)!;
    if (wanted.answered) expect([...backups.keys()]).toContain(name);
    if (arn !== undefined) {
      const TargetTableName = `from-${name}`;
      await database.request('RestoreTableFromBackup', { TargetTableName, BackupArn: arn });
      await whenActive(database, TargetTableName);
      await check(TargetTableName, wanted.bounds);
      await database.request('DeleteTable', { TableName: TargetTableName });
    }
    const restored = `restored-${round}`;
    const { TableNames } = (await database.request('ListTables', {})) as { readonly TableNames: readonly string[] };
    if (expected.get(restored)!.answered) expect(TableNames).toContain(restored);
    if (TableNames.includes(restored)) {
      await whenActive(database, restored);
      await check(restored, expected.get(restored)!.bounds);
    }
    const exportName = `export-${round}`;
    const files = await exportedItems(database, directory, exportName);
    if (expected.get(exportName)!.answered) expect(files).toBeDefined();
    if (files !== undefined) checkState(files, expected.get(exportName)!.bounds);
    const all = movers.map(({ answered, sent }) => ({ from: answered, to: sent }));
    await check(TableName, all);
    const items = await allItems(database, TableName);
    return movers.map(({ counter }) => countOf(items, counter));
  } finally {
    await store.close();
    await database.close();
  }
}

function countOf(items: readonly Item[], counter: string): number {
  return Number(items.find(({ pk }) => pk?.S === counter)?.['count']?.N ?? 0);
}

/** The backups by name, once all are available. */
async function availableBackups(database: Database): Promise<ReadonlyMap<string, string>> {
  for (;;) {
    const { BackupSummaries } = (await database.request('ListBackups', {})) as {
      readonly BackupSummaries: readonly { BackupName: string; BackupArn: string; BackupStatus: string }[];
    };
    if (BackupSummaries.every(({ BackupStatus }) => BackupStatus === 'AVAILABLE')) {
      return new Map(BackupSummaries.map(({ BackupName, BackupArn }) => [BackupName, BackupArn]));
    }
    await turn();
  }
}

interface Export {
  readonly S3Prefix: string;
  readonly ExportStatus: string;
  readonly ExportManifest: string;
  readonly ItemCount: number;
}

/** The items in the files of an export, once it is complete; undefined when it never began. */
async function exportedItems(
  database: Database,
  directory: string,
  prefix: string,
): Promise<readonly Item[] | undefined> {
  const { ExportSummaries } = (await database.request('ListExports', {})) as {
    readonly ExportSummaries: readonly { readonly ExportArn: string }[];
  };
  for (const { ExportArn } of ExportSummaries) {
    for (;;) {
      const { ExportDescription: described } = (await database.request('DescribeExport', { ExportArn })) as {
        readonly ExportDescription: Export;
      };
      if (described.S3Prefix !== prefix) break;
      if (described.ExportStatus === 'COMPLETED') return readExport(directory, described);
      expect(described.ExportStatus).toBe('IN_PROGRESS');
      await turn();
    }
  }
  return undefined;
}

async function readExport(directory: string, { ExportManifest, ItemCount }: Export): Promise<readonly Item[]> {
  const read = (key: string): Promise<Buffer> => readFile(join(bucketsOf(directory), bucket, key));
  const summary = JSON.parse((await read(ExportManifest)).toString()) as { readonly manifestFilesS3Key: string };
  const items: Item[] = [];
  for (const line of linesOf((await read(summary.manifestFilesS3Key)).toString())) {
    const { dataFileS3Key } = JSON.parse(line) as { readonly dataFileS3Key: string };
    const text = gunzipSync(await read(dataFileS3Key)).toString();
    items.push(...linesOf(text).map((row) => (JSON.parse(row) as { readonly Item: Item }).Item));
  }
  expect(items.length).toBe(ItemCount);
  return items;
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

async function whenActive(database: Database, tableName: string): Promise<void> {
  for (;;) {
    const { Table } = (await database.request('DescribeTable', { TableName: tableName })) as {
      readonly Table: { readonly TableStatus: string };
    };
    if (Table.TableStatus === 'ACTIVE') return;
    await turn();
  }
}

async function allItems(database: Database, tableName: string): Promise<readonly Item[]> {
  const { Items } = (await database.request('Scan', { TableName: tableName, ConsistentRead: true })) as {
    readonly Items: readonly Item[];
  };
  return Items;
}

/** Once tables and backups are deleted, the store contains nothing of them. */
async function checkNothingLeftBehind(directory: string): Promise<void> {
  const database = await createDatabase({ directory });
  const store = await openLmdbStore({ directory });
  const count = async (from: number, to: number): Promise<number> => {
    let entries = 0;
    await store.range({ from: spaceStart(from), to: spaceStart(to) }, () => {
      entries += 1;
      return true;
    });
    return entries;
  };
  try {
    for (const BackupArn of (await availableBackups(database)).values()) {
      await database.request('DeleteBackup', { BackupArn });
    }
    await recovery(database, false);
    const { TableNames } = (await database.request('ListTables', {})) as { readonly TableNames: readonly string[] };
    for (const name of TableNames) await database.request('DeleteTable', { TableName: name });
    while ((await count(space.purges, space.purges + 1)) > 0) await turn();
    expect(await count(space.backups, space.backupJobs + 1)).toBe(0); // exports stay listed
    expect(await count(firstDataSpace, 0xffff_ffff)).toBe(0);
  } finally {
    await store.close();
    await database.close();
  }
}
