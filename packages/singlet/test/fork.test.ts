import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cpuTimeMs } from '../src/values/testing/cpu-time.ts';
import { createDatabase, type Database, type DatabaseOptions } from '../src/index.ts';

const songs = {
  TableName: 'Songs',
  AttributeDefinitions: [
    { AttributeName: 'artist', AttributeType: 'S' },
    { AttributeName: 'title', AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: 'artist', KeyType: 'HASH' },
    { AttributeName: 'title', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byTitle',
      KeySchema: [{ AttributeName: 'title', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
  BillingMode: 'PAY_PER_REQUEST',
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
};

async function put(database: Database, artist: string, title: string, plays = 0): Promise<void> {
  const Item = { artist: { S: artist }, title: { S: title }, plays: { N: String(plays) } };
  await database.request('PutItem', { TableName: 'Songs', Item });
}

async function titles(database: Database, IndexName?: string): Promise<string[]> {
  const { Items } = (await database.request('Scan', { TableName: 'Songs', IndexName })) as {
    readonly Items: readonly { readonly title: { readonly S: string } }[];
  };
  return Items.map(({ title }) => title.S).toSorted();
}

test.each(['memory', 'directory'])('a fork of a database in %s copies none of its items', async (where) => {
  /** CPU time of forks of a database with this many items, each of which writes one. */
  async function forksMs(itemCount: number): Promise<number> {
    const directory = await mkdtemp(join(tmpdir(), 'singlet-fork-'));
    const seeded = await createDatabase(where === 'memory' ? {} : { directory: join(directory, 'data') });
    await seeded.request('CreateTable', songs);
    for (let from = 0; from < itemCount; from += 25) {
      const puts = Array.from({ length: 25 }, (_, n) => ({
        PutRequest: { Item: { artist: { S: `artist ${from % 7}` }, title: { S: `title ${from + n}` } } },
      }));
      await seeded.request('BatchWriteItem', { RequestItems: { Songs: puts } });
    }
    const startedMs = cpuTimeMs();
    for (let n = 0; n < 300; n += 1) {
      const forked = await seeded.fork();
      await put(forked, 'A', 'One');
      await forked.close();
    }
    const tookMs = cpuTimeMs() - startedMs;
    await seeded.close();
    await rm(directory, { recursive: true });
    return tookMs;
  }
  const fewMs = await forksMs(25);
  expect(await forksMs(20_000)).toBeLessThan(2 * fewMs + 200);
});

describe.each(['memory', 'directory'] as const)('fork of a database in %s', (where) => {
  let directory: string;
  let seeded: Database;
  let forks: Database[];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'singlet-fork-'));
    seeded = await createDatabase(where === 'memory' ? {} : { directory: join(directory, 'data') });
    forks = [];
    await seeded.request('CreateTable', songs);
    await put(seeded, 'A', 'One');
    await put(seeded, 'B', 'Two');
  });

  afterEach(async () => {
    await Promise.all(forks.map((fork) => fork.close()));
    await seeded.close();
    await rm(directory, { recursive: true });
  });

  async function fork(options?: Omit<DatabaseOptions, 'directory' | 'store'>): Promise<Database> {
    const forked = await seeded.fork(options);
    forks.push(forked);
    return forked;
  }

  test('begins with the tables and items of the other, and neither sees what the next one writes', async () => {
    const [one, two] = [await fork(), await fork()];
    await put(one, 'A', 'Three');
    await one.request('DeleteItem', { TableName: 'Songs', Key: { artist: { S: 'B' }, title: { S: 'Two' } } });
    await two.request('DeleteTable', { TableName: 'Songs' });
    expect(await titles(one)).toEqual(['One', 'Three']);
    expect(await titles(one, 'byTitle')).toEqual(['One', 'Three']);
    await expect(two.request('DescribeTable', { TableName: 'Songs' })).rejects.toThrow('not found');
    expect(await titles(await fork())).toEqual(['One', 'Two']);
    if (where === 'memory') expect(await titles(seeded)).toEqual(['One', 'Two']);
  });

  test('counts, streams and transactions continue from where they were', async () => {
    const forked = await fork();
    await put(forked, 'C', 'Three');
    const described = (await forked.request('DescribeTable', { TableName: 'Songs' })) as {
      readonly Table: { readonly ItemCount: number; readonly LatestStreamArn: string };
    };
    expect(described.Table.ItemCount).toBe(3);
    const StreamArn = described.Table.LatestStreamArn;
    const { StreamDescription } = (await forked.request('DescribeStream', { StreamArn })) as {
      readonly StreamDescription: { readonly Shards: readonly { readonly ShardId: string }[] };
    };
    const records = await Promise.all(
      StreamDescription.Shards.map(async ({ ShardId }) => {
        const { ShardIterator } = (await forked.request('GetShardIterator', {
          StreamArn,
          ShardId,
          ShardIteratorType: 'TRIM_HORIZON',
        })) as { readonly ShardIterator: string };
        return ((await forked.request('GetRecords', { ShardIterator })) as { readonly Records: readonly object[] })
          .Records;
      }),
    );
    expect(records.flat()).toHaveLength(3);
    await expect(
      forked.request('TransactWriteItems', {
        TransactItems: [
          {
            ConditionCheck: {
              TableName: 'Songs',
              Key: { artist: { S: 'A' }, title: { S: 'One' } },
              ConditionExpression: 'attribute_not_exists(artist)',
            },
          },
        ],
      }),
    ).rejects.toThrow('ConditionalCheckFailed');
  });

  test('a fork can be forked, and has options of its own', async () => {
    const first = await fork({ clock: { nowMs: () => Date.UTC(2040, 0, 1) } });
    await put(first, 'A', 'Three');
    const second = await first.fork({ region: 'eu-west-1' });
    forks.push(second);
    await put(first, 'A', 'Four');
    await expect(second.request('DescribeTable', { TableName: 'Songs' })).rejects.toThrow('not found');
    const inRegion = { region: 'us-east-1' };
    expect(await second.request('Scan', { TableName: 'Songs', Select: 'COUNT' }, inRegion)).toMatchObject({ Count: 3 });
  });

  test('serves the SDK', async () => {
    const client = new DynamoDBClient((await fork()).clientConfig());
    const Key = { artist: { S: 'A' }, title: { S: 'One' } };
    expect((await client.send(new GetItemCommand({ TableName: 'Songs', Key }))).Item).toEqual({
      ...Key,
      plays: { N: '0' },
    });
    client.destroy();
  });

  test('a closed database has none', async () => {
    await seeded.close();
    await expect(seeded.fork()).rejects.toThrow('The database has been closed.');
  });
});

test('a database on a directory is the template of its forks: requests are refused, and the directory stays as it was', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'singlet-fork-'));
  try {
    const data = join(directory, 'data');
    const seeded = await createDatabase({ directory: data });
    await seeded.request('CreateTable', songs);
    await put(seeded, 'A', 'One');
    const fork = await seeded.fork();
    await put(fork, 'A', 'Two');
    await expect(put(seeded, 'A', 'Three')).rejects.toThrow('closed');
    await fork.close();
    await seeded.close();
    const again = await createDatabase({ directory: data });
    expect(await titles(again)).toEqual(['One']);
    await again.close();
    expect(await readdir(data)).not.toContain('log-0');
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('a database on a store of its own cannot be forked', async () => {
  const { openMemoryStore } = await import('../src/storage/memory/memory-store.ts');
  const database = await createDatabase({ store: openMemoryStore() });
  await expect(database.fork()).rejects.toThrow(TypeError);
  await database.close();
});
