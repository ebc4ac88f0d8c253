import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DescribeTableCommand,
  DynamoDBClient,
  ExecuteStatementCommand,
  GetItemCommand,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { entity, model, tableDefinitions } from '@singlet/model';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Database } from '../index.ts';
import { saveFixture } from './fixture.ts';
import { databasePerTest, type Seed, seedDatabase, type TestHooks } from './seeded-database.ts';
import { testClock } from './test-clock.ts';

const songs = {
  TableName: 'Songs',
  AttributeDefinitions: [{ AttributeName: 'title', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'title', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
};

describe('seedDatabase', () => {
  test('writes tables, items in batches, and what the function adds', async () => {
    const items = Array.from({ length: 60 }, (_, number) => ({ title: { S: `Song ${number}` } }));
    const seeded = await seedDatabase({
      tables: [songs],
      items: { Songs: items },
      fill: async (database) => database.request('PutItem', { TableName: 'Songs', Item: { title: { S: 'One more' } } }),
    });
    const fork = await seeded.fork();
    expect(await fork.request('Scan', { TableName: 'Songs', Select: 'COUNT' })).toMatchObject({ Count: 61 });
    await fork.close();
    await seeded.close();
  });

  test('is written in clear weather, which then changes to that of the seed, also in forks', async () => {
    const items = { Songs: Array.from({ length: 200 }, (_, number) => ({ title: { S: `Song ${number}` } })) };
    const everywhere = { internalErrorRate: 1 };
    const seeded = await seedDatabase({ tables: [songs], items, weather: { seed: 7, everywhere } });
    const fork = await seeded.fork();
    for (const database of [seeded, fork]) {
      await expect(database.request('Scan', { TableName: 'Songs' })).rejects.toThrow('Internal server error');
      expect(await database.weatherReport()).toMatchObject({ forecast: { seed: 7 } });
      await database.setWeather({});
      expect(await database.request('Scan', { TableName: 'Songs', Select: 'COUNT' })).toMatchObject({ Count: 200 });
    }
    const clear = await seeded.fork();
    expect(await clear.request('Scan', { TableName: 'Songs', Select: 'COUNT' })).toMatchObject({ Count: 200 });
    await Promise.all([fork.close(), clear.close()]);
    await seeded.close();
  });

  test.each<[string, object, string]>([
    ['a misspelled member', { tabels: [songs] }, 'there is no option "tabels": is it misspelled?'],
    ['a table instead of a list', { tables: songs }, 'tables is a list'],
    [
      'an item instead of a list',
      { tables: [songs], items: { Songs: { title: { S: 'a' } } } },
      'items.Songs is a list',
    ],
    [
      'a plain item',
      { tables: [songs], items: { Songs: [{ title: { S: 'a' } }, { title: 'b' }] } },
      `items.Songs[1].title is in DynamoDB JSON, such as { S: 'text' } or { N: '1' }, not "b"`,
    ],
    ['items of another table', { tables: [songs], items: { Song: [{ title: { S: 'a' } }] } }, 'there is no table Song'],
    [
      'more items than a table can take',
      {
        tables: [
          {
            ...songs,
            BillingMode: 'PROVISIONED',
            ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
          },
        ],
        items: { Songs: Array.from({ length: 500 }, (_, number) => ({ title: { S: String(number) } })) },
        throttle: true,
        clock: testClock(),
      },
      'Songs has too little write capacity for its 500 items',
    ],
    ['a fixture that is not there', { fixture: 'absent.json' }, 'the fixture absent.json cannot be read'],
    ['what is no model', { failOnUndeclared: {} }, 'failOnUndeclared takes a model'],
  ])('refuses %s', async (_, seed, message) => {
    await expect(seedDatabase(seed)).rejects.toThrow(message);
  });

  test('a fork refuses a misspelled option, too', async () => {
    const seeded = await seedDatabase();
    await expect(seeded.fork({ wheather: {} } as object)).rejects.toThrow('there is no option "wheather"');
    await seeded.close();
  });

  test('says what the service says to an item that it refuses', async () => {
    const wrong = seedDatabase({ tables: [songs], items: { Songs: [{ name: { S: 'a' } }] } });
    await expect(wrong).rejects.toThrow('The provided key element does not match the schema');
  });
});

describe('databasePerTest', () => {
  test('needs the hooks of a test runner', () => {
    expect(() => databasePerTest()).toThrow('pass those of your test runner');
  });

  test('gives each test a database that begins as the seed says, and takes it away again', async () => {
    const runs: Record<keyof TestHooks, () => Promise<void>> = {
      beforeAll: async () => undefined,
      beforeEach: async () => undefined,
      afterEach: async () => undefined,
      afterAll: async () => undefined,
    };
    const hooks = Object.fromEntries(
      Object.keys(runs).map((name) => [name, (run: () => Promise<void>) => (runs[name as keyof TestHooks] = run)]),
    ) as unknown as TestHooks; // one for each name
    const database = databasePerTest({ tables: [songs] }, hooks);
    expect(() => database()).toThrow('use it inside the test');
    await runs.beforeAll();
    for (let round = 0; round < 2; round += 1) {
      await runs.beforeEach();
      await database().request('PutItem', { TableName: 'Songs', Item: { title: { S: 'Blackbird' } } });
      expect(await database().request('Scan', { TableName: 'Songs' })).toMatchObject({ Count: 1 });
      await runs.afterEach();
      expect(() => database()).toThrow('use it inside the test');
    }
    await runs.afterAll();
  });
});

/** Runs one test as a test runner does. */
async function runTest(seed: Seed, test: (database: Database) => Promise<unknown>): Promise<void> {
  const runs = new Map<string, () => Promise<void>>();
  const hook = (name: string) => (run: () => Promise<void>) => runs.set(name, run);
  const names = ['beforeAll', 'beforeEach', 'afterEach', 'afterAll'];
  const database = databasePerTest(
    seed,
    Object.fromEntries(names.map((name) => [name, hook(name)])) as unknown as TestHooks,
  ); // all four
  await runs.get('beforeAll')?.();
  await runs.get('beforeEach')?.();
  try {
    await test(database());
    await runs.get('afterEach')?.();
  } finally {
    await runs.get('afterAll')?.();
  }
}

describe('failOnScan', () => {
  const titled = { title: { S: 'Blackbird' } };
  const seed: Seed = { tables: [songs], items: { Songs: [titled] }, failOnScan: true };
  const send = async (
    database: Database,
    command: GetItemCommand | ScanCommand | ExecuteStatementCommand,
  ): Promise<void> => {
    const client = new DynamoDBClient(database.clientConfig());
    await client.send(command as GetItemCommand);
    client.destroy();
  };

  test.each([
    ['a Scan', new ScanCommand({ TableName: 'Songs' }), 'Scan on Songs'],
    [
      'a statement without a key',
      new ExecuteStatementCommand({ Statement: 'SELECT * FROM Songs' }),
      'ExecuteStatement: SELECT * FROM Songs',
    ],
  ])('a test fails by %s', async (_, command, message) => {
    await expect(runTest(seed, async (database) => send(database, command))).rejects.toThrow(
      `the test scans a table or index: ${message}`,
    );
    await runTest({ ...seed, failOnScan: false }, async (database) => send(database, command));
  });

  test('reads by key do not, nor what the test itself looks at', async () => {
    await runTest(seed, async (database) => {
      await send(database, new GetItemCommand({ TableName: 'Songs', Key: titled }));
      await send(database, new ExecuteStatementCommand({ Statement: "SELECT * FROM Songs WHERE title = 'Blackbird'" }));
      expect(await database.request('Scan', { TableName: 'Songs' })).toMatchObject({ Count: 1 });
    });
  });
});

describe('failOnUndeclared', () => {
  const catalogue = model('catalogue')
    .entities({ Song: entity({ artist: z.string(), title: z.string() }) })
    .relationships([])
    .patterns({ songsOf: { reads: ['Song'], by: ['artist'] } })
    .tables({ Songs: { key: ['pk', 'sk'] } })
    .keys({ Song: { Songs: ['ARTIST#{artist}', 'SONG#{title}'] } })
    .served({ songsOf: { query: 'Songs' } });
  const seed: Seed = { tables: tableDefinitions(catalogue), failOnUndeclared: catalogue };
  const query = (pk: string): QueryCommand =>
    new QueryCommand({
      TableName: 'Songs',
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: pk } },
    });

  test('a program that continues after a refusal fails at the end of the test', async () => {
    const asks = async (database: Database): Promise<void> => {
      const client = new DynamoDBClient(database.clientConfig());
      await expect(client.send(query('CUSTOMER#1'))).rejects.toThrow('is not authorized to perform: dynamodb:Query');
      client.destroy();
    };
    await expect(runTest(seed, asks)).rejects.toThrow(
      'the test sends requests that no pattern of the model sends: Query on Songs',
    );
  });

  test('what a pattern asks for, tables, and what the test itself looks at are taken', async () => {
    await runTest(seed, async (database) => {
      const client = new DynamoDBClient(database.clientConfig());
      await client.send(query('ARTIST#Nina'));
      await client.send(new DescribeTableCommand({ TableName: 'Songs' }));
      client.destroy();
      expect(await database.request('Scan', { TableName: 'Songs' })).toMatchObject({ Count: 0 });
    });
  });
});

test('a policy that is none is refused before anything is opened', async () => {
  await expect(seedDatabase({ policy: { Version: '2012-10-17', Statement: [{ Effect: 'Maybe' }] } })).rejects.toThrow(
    'policy is not an IAM policy: ',
  );
});

describe('fixtures', () => {
  test('hold tables, indexes, time to live and items, and are the same when they are saved again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'singlet-fixture-'));
    try {
      const [first, second] = [join(folder, 'first.json'), join(folder, 'second.json')];
      const items = Array.from({ length: 60 }, (_, number) => ({
        title: { S: `Song ${number}` },
        until: { N: '4102444800' },
      }));
      const plays = {
        TableName: 'Plays',
        AttributeDefinitions: ['song', 'at', 'who'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        KeySchema: [
          { AttributeName: 'song', KeyType: 'HASH' },
          { AttributeName: 'at', KeyType: 'RANGE' },
        ],
        LocalSecondaryIndexes: [
          {
            IndexName: 'by-who',
            KeySchema: [
              { AttributeName: 'song', KeyType: 'HASH' },
              { AttributeName: 'who', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'KEYS_ONLY' },
          },
        ],
        GlobalSecondaryIndexes: [
          {
            IndexName: 'of-who',
            KeySchema: [{ AttributeName: 'who', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'ALL' },
            ProvisionedThroughput: { ReadCapacityUnits: 2, WriteCapacityUnits: 3 },
          },
        ],
        ProvisionedThroughput: { ReadCapacityUnits: 4, WriteCapacityUnits: 5 },
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
      };
      const database = await seedDatabase({ tables: [songs, plays], items: { Songs: items } });
      const TimeToLiveSpecification = { AttributeName: 'until', Enabled: true };
      await database.request('UpdateTimeToLive', { TableName: 'Songs', TimeToLiveSpecification });
      await saveFixture(database, first);
      await database.close();

      const loaded = await seedDatabase({ fixture: first });
      await saveFixture(loaded, second);
      expect(await loaded.request('Scan', { TableName: 'Songs', Select: 'COUNT' })).toMatchObject({ Count: 60 });
      expect(await loaded.request('DescribeTable', { TableName: 'Plays' })).toMatchObject({
        Table: {
          LocalSecondaryIndexes: [{ IndexName: 'by-who', Projection: { ProjectionType: 'KEYS_ONLY' } }],
          GlobalSecondaryIndexes: [
            { IndexName: 'of-who', ProvisionedThroughput: { ReadCapacityUnits: 2, WriteCapacityUnits: 3 } },
          ],
          ProvisionedThroughput: { ReadCapacityUnits: 4, WriteCapacityUnits: 5 },
          StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
        },
      });
      await loaded.close();
      const [text, again] = await Promise.all([readFile(first, 'utf8'), readFile(second, 'utf8')]);
      expect(again).toBe(text);
      expect(text).toContain('"expires":"until"');
      expect(text.split('\n').filter((line) => line.includes('"Song ')).length).toBe(60);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test.each([
    ['{', 'is not a fixture: it is not JSON'],
    ['{"format":2,"tables":[]}', 'is not a fixture of format 1, which saveFixture writes'],
  ])('a file with %s is refused', async (text, message) => {
    const folder = await mkdtemp(join(tmpdir(), 'singlet-fixture-'));
    try {
      await writeFile(join(folder, 'wrong.json'), text);
      await expect(seedDatabase({ fixture: join(folder, 'wrong.json') })).rejects.toThrow(message);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

test.each([-1, Number.NaN, '5'])('a test clock does not advance by %j', (milliseconds) => {
  expect(() => testClock().advance(milliseconds as number)).toThrow('advance takes milliseconds');
});

test('a test clock goes only when it is told to', async () => {
  const clock = testClock(new Date('2026-11-22T00:00:00Z'));
  const begun = clock.nowMs();
  const expiring = { title: { S: 'Gone' }, until: { N: String(begun / 1000 + 60) } };
  const database = await seedDatabase({ clock, tables: [songs], items: { Songs: [expiring] } });
  const TimeToLiveSpecification = { AttributeName: 'until', Enabled: true };
  await database.request('UpdateTimeToLive', { TableName: 'Songs', TimeToLiveSpecification });
  await database.sweepExpiredItems();
  expect(await database.request('Scan', { TableName: 'Songs' })).toMatchObject({ Count: 1 });
  clock.advance(61_000);
  expect(clock.nowMs()).toBe(begun + 61_000);
  await database.sweepExpiredItems();
  expect(await database.request('Scan', { TableName: 'Songs' })).toMatchObject({ Count: 0 });
  await database.close();
});
