import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDatabase, type Database } from '../src/index.ts';

/*
 * Data directories written by a release, with everything that a database stores: tables, indexes, a stream, time to live, tags, a
 * backup, and the log of recovery. They are kept unchanged, and every later release opens them. Those of format 1 of the log are in
 * packages/singlet/src/storage/lmdb/testdata. When a stored format changes, a directory of the new one is added:
 * NEW_STORED_FORMAT=NAME npx vitest run packages/singlet/test/stored-formats.test.ts writes NAME-closed.json and NAME-killed.json.
 */
const folder = fileURLToPath(new URL('testdata/stored/', import.meta.url));
const key = Buffer.alloc(32, 7).toString('base64');
const kept = ['format-2', 'format-2-encrypted'];
const clock = { nowMs: () => Date.UTC(2026, 10, 22) };

let parent: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'singlet-stored-'));
});

afterEach(async () => rm(parent, { recursive: true }));

const open = async (directory: string, name: string): Promise<Database> =>
  createDatabase({ directory, clock, ...(name.includes('encrypted') && { encryptionKeys: key }) });

const songs = {
  TableName: 'Songs',
  AttributeDefinitions: ['artist', 'title', 'album'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
  KeySchema: [
    { AttributeName: 'artist', KeyType: 'HASH' },
    { AttributeName: 'title', KeyType: 'RANGE' },
  ],
  LocalSecondaryIndexes: [
    {
      IndexName: 'by-album',
      KeySchema: [
        { AttributeName: 'artist', KeyType: 'HASH' },
        { AttributeName: 'album', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'albums',
      KeySchema: [{ AttributeName: 'album', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['plays'] },
    },
  ],
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  Tags: [{ Key: 'kept', Value: 'for ever' }],
  BillingMode: 'PAY_PER_REQUEST',
};

/** An attribute of every type. */
const item = {
  artist: { S: 'Nina Simone' },
  title: { S: 'Sinnerman' },
  album: { S: 'Pastel Blues' },
  plays: { N: '12345678901234567890.123' },
  cover: { B: 'AAEC/w==' },
  live: { BOOL: false },
  sample: { NULL: true },
  tags: { SS: ['jazz', 'long'] },
  charts: { NS: ['1', '2.5'] },
  keys: { BS: ['AA==', 'AQ=='] },
  notes: { L: [{ S: 'a' }, { M: { b: { N: '-0.1' } } }] },
  until: { N: '4102444800' },
};
const later = { ...item, title: { S: 'Feeling Good' }, album: { S: 'I Put a Spell on You' } };

async function fill(database: Database): Promise<void> {
  await database.request('CreateTable', songs);
  const TimeToLiveSpecification = { AttributeName: 'until', Enabled: true };
  await database.request('UpdateTimeToLive', { TableName: 'Songs', TimeToLiveSpecification });
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  await database.request('UpdateContinuousBackups', { TableName: 'Songs', PointInTimeRecoverySpecification });
  await database.request('PutItem', { TableName: 'Songs', Item: item });
  await database.request('CreateBackup', { TableName: 'Songs', BackupName: 'with-one-song' });
  await database.request('PutItem', { TableName: 'Songs', Item: later });
}

const read = async (database: Database, action: string, request: object): Promise<Record<string, unknown>> =>
  (await database.request(action, request)) as Record<string, unknown>;

async function expectAll(database: Database, more: readonly string[] = []): Promise<void> {
  const TableName = 'Songs';
  const whole = await read(database, 'Query', {
    TableName,
    KeyConditionExpression: 'artist = :a',
    ExpressionAttributeValues: { ':a': item.artist },
  });
  expect(whole['Items']).toEqual([later, item]);
  const album = { ':a': item.album };
  const indexed = { TableName, IndexName: 'albums', KeyConditionExpression: 'album = :a' };
  expect(await read(database, 'Query', { ...indexed, ExpressionAttributeValues: album })).toMatchObject({
    Items: [{ artist: item.artist, title: item.title, album: item.album, plays: item.plays }],
  });
  const local = { TableName, IndexName: 'by-album', KeyConditionExpression: 'artist = :n AND album = :a' };
  const values = { ':n': item.artist, ...album };
  expect((await read(database, 'Query', { ...local, ExpressionAttributeValues: values }))['Items']).toEqual([item]);
  const { Table } = (await read(database, 'DescribeTable', { TableName })) as {
    Table: { readonly ItemCount: number; readonly TableArn: string; readonly LatestStreamArn: string };
  };
  expect(Table.ItemCount).toBe(2 + more.length);
  expect(await read(database, 'DescribeTimeToLive', { TableName })).toMatchObject({
    TimeToLiveDescription: { AttributeName: 'until', TimeToLiveStatus: 'ENABLED' },
  });
  expect(await read(database, 'ListTagsOfResource', { ResourceArn: Table.TableArn })).toEqual({ Tags: songs.Tags });
  expect(await read(database, 'DescribeContinuousBackups', { TableName })).toMatchObject({
    ContinuousBackupsDescription: { PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: 'ENABLED' } },
  });
  // Shards are read one after the other. There is no order between them.
  const streamed = await streamedTitles(database, Table.LatestStreamArn);
  expect(new Set(streamed)).toEqual(new Set(['Sinnerman', 'Feeling Good', ...more]));
  expect(streamed.length).toBe(2 + more.length);
}

async function streamedTitles(database: Database, StreamArn: string): Promise<readonly unknown[]> {
  const { StreamDescription } = (await read(database, 'DescribeStream', { StreamArn })) as {
    StreamDescription: { readonly Shards: readonly { readonly ShardId: string }[] };
  };
  const titles: unknown[] = [];
  for (const { ShardId } of StreamDescription.Shards) {
    const at = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' };
    const { ShardIterator } = await read(database, 'GetShardIterator', at);
    const { Records } = (await read(database, 'GetRecords', { ShardIterator })) as {
      Records: readonly { readonly dynamodb: { readonly NewImage: typeof item } }[];
    };
    titles.push(...Records.map(({ dynamodb }) => dynamodb.NewImage.title.S));
  }
  return titles;
}

async function unpack(name: string): Promise<string> {
  const packed = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) as Record<string, string>;
  const directory = join(parent, name);
  await mkdir(directory);
  for (const [file, content] of Object.entries(packed))
    await writeFile(join(directory, file), gunzipSync(Buffer.from(content, 'base64')));
  return directory;
}

async function pack(directory: string): Promise<Record<string, string>> {
  const files = (await readdir(directory)).filter((file) => file !== 'lock.mdb');
  const contents = await Promise.all(
    files.map(async (file) => gzipSync(await readFile(join(directory, file)), { level: 9 }).toString('base64')),
  );
  return Object.fromEntries(files.map((file, at) => [file, contents[at] ?? '']));
}

/**
 * Fills a directory.
 *
 * @param atEnd - sees the directory as it is when the process is killed, before the database is closed.
 */
async function written(
  name: string,
  atEnd: (directory: string) => Promise<void> = async () => undefined,
): Promise<string> {
  const directory = join(parent, `new-${name}`);
  const database = await open(directory, name);
  await fill(database);
  await atEnd(directory);
  await database.close();
  return directory;
}

const asked = process.env['NEW_STORED_FORMAT'];
test.runIf(asked !== undefined)('writes a directory of this release', async () => {
  const save = async (state: string, directory: string): Promise<void> => {
    const file = join(folder, `${asked}-${state}.json`);
    expect(existsSync(file), `${file} is kept as it is`).toBe(false);
    await writeFile(file, `${JSON.stringify(await pack(directory), undefined, 2)}\n`);
  };
  await save('closed', await written(asked ?? '', async (directory) => save('killed', directory)));
});

describe.each(kept.flatMap((name) => [`${name}-closed`, `${name}-killed`]))('the directory %s', (name) => {
  test('opens with all that is in it, and again after it was written to', async () => {
    const directory = await unpack(name);
    const first = await open(directory, name);
    await expectAll(first);
    await first.request('PutItem', { TableName: 'Songs', Item: { artist: { S: 'New' }, title: { S: 'New' } } });
    await first.close();
    const second = await open(directory, name);
    await expectAll(second, ['New']);
    await second.close();
  });

  test('restores its backup', async () => {
    const database = await open(await unpack(name), name);
    const { BackupSummaries } = (await read(database, 'ListBackups', {})) as {
      BackupSummaries: readonly { readonly BackupArn: string }[];
    };
    const BackupArn = BackupSummaries[0]?.BackupArn;
    // If the process was killed before the backup was complete, it is completed now.
    await expect
      .poll(async () => read(database, 'DescribeBackup', { BackupArn }))
      .toMatchObject({ BackupDescription: { BackupDetails: { BackupStatus: 'AVAILABLE' } } });
    await database.request('RestoreTableFromBackup', { BackupArn, TargetTableName: 'Restored' });
    await expect
      .poll(async () => read(database, 'DescribeTable', { TableName: 'Restored' }))
      .toMatchObject({ Table: { TableStatus: 'ACTIVE' } });
    expect((await read(database, 'Scan', { TableName: 'Restored' }))['Items']).toEqual([item]);
    await database.close();
  });
});

test('a directory of the format that this release writes is kept', async () => {
  const directory = await written('any');
  const { format } = JSON.parse(await readFile(join(directory, 'singlet.json'), 'utf8')) as {
    readonly format: unknown;
  };
  expect(kept).toContain(`format-${String(format)}`);
});
