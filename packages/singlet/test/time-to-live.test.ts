import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AttributeValue,
  CreateTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, test } from 'vitest';
import {
  createDatabase,
  type Database,
  type DatabaseOptions,
  type EngineLogEvent,
  StorageError,
} from '../src/index.ts';

/** Time to live as an application sees it: the SDK, a controlled clock, and a sweep that the test starts. */

const startMs = Date.parse('2024-01-01T00:00:00Z');
const TableName = 'Sessions';

class Clock {
  #nowMs = startMs;

  nowMs(): number {
    return this.#nowMs;
  }

  advance(seconds: number): void {
    this.#nowMs += seconds * 1000;
  }
}

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

async function open(options: DatabaseOptions = {}): Promise<Database> {
  const database = await createDatabase(options);
  opened.push(database);
  return database;
}

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'singlet-ttl-'));
  opened.push({ close: () => rm(directory, { recursive: true, force: true }) });
  return directory;
}

function clientOf(database: Database): DynamoDBClient {
  const client = new DynamoDBClient(database.clientConfig());
  opened.push({ close: async () => client.destroy() });
  return client;
}

async function createSessions(client: DynamoDBClient): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName,
      AttributeDefinitions: [{ AttributeName: 'token', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'token', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  const TimeToLiveSpecification = { AttributeName: 'expires', Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
}

async function put(client: DynamoDBClient, token: string, expires: AttributeValue): Promise<void> {
  await client.send(new PutItemCommand({ TableName, Item: { token: { S: token }, expires } }));
}

async function tokensIn(client: DynamoDBClient): Promise<readonly string[]> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName }));
  return Items.map((item) => item['token']?.S ?? '').toSorted();
}

const atSecond = (seconds: number): AttributeValue => ({ N: String(startMs / 1000 + seconds) });

describe('DB-258 the sweep that a test asks for', () => {
  test('goes by the clock of the database', async () => {
    const clock = new Clock();
    const database = await open({ clock });
    const client = clientOf(database);
    await createSessions(client);
    await put(client, 'short', atSecond(10));
    await put(client, 'long', atSecond(1000));
    await put(client, 'text', { S: String(startMs / 1000) });
    expect(await database.sweepExpiredItems()).toBe(0);
    clock.advance(11);
    const { Item } = await client.send(new GetItemCommand({ TableName, Key: { token: { S: 'short' } } }));
    expect(Item).toBeDefined();
    expect(await database.sweepExpiredItems()).toBe(1);
    expect(await tokensIn(client)).toEqual(['long', 'text']);
  });

  test('is refused by a database that has been closed', async () => {
    const database = await open();
    await database.close();
    const error = await database.sweepExpiredItems().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StorageError);
    expect(error).toMatchObject({ code: 'closed' });
  });

  test('is finished, or given up, before the database closes', async () => {
    const clock = new Clock();
    const database = await open({ clock, directory: await newDirectory() });
    const client = clientOf(database);
    await createSessions(client);
    await Promise.all(Array.from({ length: 400 }, (_, id) => put(client, `${id}`, atSecond(-1))));
    const sweep = database.sweepExpiredItems();
    await database.close();
    expect(await sweep).toBeLessThanOrEqual(400);
  });

  test('removes each item once when two databases on one directory sweep', async () => {
    const directory = await newDirectory();
    const clock = new Clock();
    const databases = [await open({ clock, directory }), await open({ clock, directory })] as const;
    const client = clientOf(databases[0]);
    await createSessions(client);
    await Promise.all(Array.from({ length: 300 }, (_, id) => put(client, `${id}`, atSecond(id % 3 ? -1 : 1))));
    const counts = await Promise.all(databases.map((database) => database.sweepExpiredItems()));
    expect(counts.reduce((sum, count) => sum + count)).toBe(200);
    expect(await tokensIn(clientOf(databases[1]))).toHaveLength(100);
  });
});

describe('DB-138 time to live on the wire', () => {
  test('is described by the SDK as the service does', async () => {
    const database = await open();
    const client = clientOf(database);
    await createSessions(client);
    const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
    expect(TimeToLiveDescription).toEqual({ TimeToLiveStatus: 'ENABLED', AttributeName: 'expires' });
  });

  test.each<[string, object, string]>([
    [
      'no attribute',
      { Enabled: true },
      "1 validation error detected: Value null at 'timeToLiveSpecification.attributeName' failed to satisfy constraint: Member must not be null",
    ],
    [
      'neither on nor off',
      { AttributeName: 'x' },
      "1 validation error detected: Value null at 'timeToLiveSpecification.enabled' failed to satisfy constraint: Member must not be null",
    ],
    [
      'an empty name',
      { AttributeName: '', Enabled: true },
      "1 validation error detected: Value '' at 'timeToLiveSpecification.attributeName' failed to satisfy constraint: Member must have length greater than or equal to 1",
    ],
    [
      'a long name',
      { AttributeName: 'x'.repeat(256), Enabled: true },
      `1 validation error detected: Value '${'x'.repeat(256)}' at 'timeToLiveSpecification.attributeName' failed to satisfy constraint: Member must have length less than or equal to 255`,
    ],
  ])('refuses %s', async (_what, TimeToLiveSpecification, message) => {
    const database = await open();
    await createSessions(clientOf(database));
    await expect(database.request('UpdateTimeToLive', { TableName, TimeToLiveSpecification })).rejects.toMatchObject({
      name: 'ValidationException',
      message,
    });
  });
});

describe('DB-260 a database of its own clock', () => {
  test('sweeps by itself, as often as it is told to', async () => {
    const removed: unknown[] = [];
    const log = (event: EngineLogEvent): void => {
      if (event.event === 'expired-items-swept') removed.push(event['removedCount']);
    };
    const client = clientOf(await open({ log, expirySweepMs: 1 }));
    await createSessions(client);
    await put(client, 'x', { N: String(Math.floor(Date.now() / 1000) - 60) });
    await expect.poll(() => removed).toEqual([1]);
    expect(await tokensIn(client)).toEqual([]);
  });
});
