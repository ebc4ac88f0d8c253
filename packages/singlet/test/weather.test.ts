/** Weather as an application sees it, with the AWS SDK: each kind, and none unless requested. */
import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDatabase, type Database, type WeatherForecast } from '../src/index.ts';
import { SingletProcess } from './singlet-process.ts';
import { wireCall, wireResult } from './wire-call.ts';

let database: Database;
let client: DynamoDBClient;
let nowMs: number;

beforeEach(async () => {
  nowMs = 1_700_000_000_000;
  database = await createDatabase({ weather: {}, clock: { nowMs: () => nowMs } });
  client = new DynamoDBClient({ ...database.clientConfig(), maxAttempts: 1 });
  await client.send(
    new CreateTableCommand({
      TableName: 'Orders',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
        { AttributeName: 'state', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'byState',
          KeySchema: [{ AttributeName: 'state', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    }),
  );
});

afterEach(async () => {
  client.destroy();
  await database.close();
});

const key = (at: number) => ({ pk: { S: 'customer' }, sk: { S: `order-${at}` } });
const put = (at: number, state = 'open') =>
  client.send(new PutItemCommand({ TableName: 'Orders', Item: { ...key(at), state: { S: state } } }));
const get = async (at: number, ConsistentRead = false): Promise<string | undefined> =>
  (await client.send(new GetItemCommand({ TableName: 'Orders', Key: key(at), ConsistentRead }))).Item?.['state']?.S;
const stored = async (): Promise<number> => {
  await database.setWeather({});
  return (await client.send(new ScanCommand({ TableName: 'Orders' }))).Count ?? -1;
};
const nameOf = async (attempt: Promise<unknown>): Promise<string> => {
  const error: unknown = await attempt.catch((cause: unknown) => cause);
  return error instanceof Error ? error.name : 'no error';
};
const always = (settings: WeatherForecast['everywhere']): Promise<unknown> =>
  database.setWeather({ everywhere: settings });

describe('each kind of weather', () => {
  test('an internal error: the request was not carried out', async () => {
    await always({ internalErrorRate: 1 });
    expect(await nameOf(put(1))).toBe('InternalServerError');
    expect(await stored()).toBe(0);
  });

  test('a lost answer: the write was carried out', async () => {
    await always({ lostAnswerRate: 1 });
    expect(await nameOf(put(1))).toBe('InternalServerError');
    expect(await nameOf(get(1))).toBe('no error');
    expect(await stored()).toBe(1);
  });

  test('throttling, for the key range', async () => {
    await always({ throttleRate: 1 });
    const error = (await put(1).catch((cause: unknown) => cause)) as { name: string; throttlingReasons?: unknown };
    expect(error.name).toBe('ThrottlingException');
    expect(await nameOf(get(1))).toBe('ThrottlingException');
    expect(await nameOf(client.send(new ScanCommand({ TableName: 'Orders' })))).toBe('ThrottlingException');
  });

  test('unprocessed items, which can be sent again until all are stored', async () => {
    await always({ throttleRate: 0.4 });
    let pending: WriteRequest[] = Array.from({ length: 25 }, (_, at) => ({ PutRequest: { Item: key(at) } }));
    let returned = 0;
    while (pending.length > 0) {
      const RequestItems = { Orders: pending };
      const { UnprocessedItems } = await client.send(new BatchWriteItemCommand({ RequestItems }));
      pending = UnprocessedItems?.['Orders'] ?? [];
      returned += pending.length;
    }
    expect(returned).toBeGreaterThan(0);
    expect(await stored()).toBe(25);
  });

  test('conflicts, of single writes and of transactions', async () => {
    await always({ conflictRate: 1 });
    expect(await nameOf(put(1))).toBe('TransactionConflictException');
    expect(await nameOf(client.send(new DeleteItemCommand({ TableName: 'Orders', Key: key(1) })))).toBe(
      'TransactionConflictException',
    );
    const TransactItems = [1, 2].map((at) => ({ Put: { TableName: 'Orders', Item: key(at) } }));
    const cancelled = (await client
      .send(new TransactWriteItemsCommand({ TransactItems }))
      .catch((cause: unknown) => cause)) as { CancellationReasons: readonly { Code: string }[] };
    expect(cancelled.CancellationReasons.map(({ Code }) => Code).toSorted()).toEqual(['None', 'TransactionConflict']);
    expect(await stored()).toBe(0);
  });

  test('short pages, which together are all items once', async () => {
    for (let at = 0; at < 20; at += 1) await put(at);
    await always({ shortPageRate: 1 });
    const found: (string | undefined)[] = [];
    let pages = 0;
    let ExclusiveStartKey;
    do {
      const page: { Items?: Record<string, { S?: string }>[]; LastEvaluatedKey?: never } = (await client.send(
        new QueryCommand({
          TableName: 'Orders',
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': { S: 'customer' } },
          ExclusiveStartKey,
        }),
      )) as never;
      found.push(...(page.Items ?? []).map(({ sk }) => sk?.S));
      ExclusiveStartKey = page.LastEvaluatedKey;
      pages += 1;
    } while (ExclusiveStartKey !== undefined);
    expect(pages).toBeGreaterThan(3);
    expect(found).toEqual(Array.from({ length: 20 }, (_, at) => `order-${at}`).toSorted());
  });

  test('stale reads, unless they are consistent; and never once the time is over', async () => {
    await always({ staleReadMs: 1000 });
    await put(1, 'open');
    nowMs += 500;
    await put(1, 'paid');
    nowMs += 100;
    const seen = new Set<string | undefined>();
    for (let attempt = 0; attempt < 100; attempt += 1) {
      seen.add(await get(1));
      expect(await get(1, true)).toBe('paid');
    }
    expect(seen).toEqual(new Set([undefined, 'open', 'paid']));
    nowMs += 1001;
    for (let attempt = 0; attempt < 20; attempt += 1) expect(await get(1)).toBe('paid');
  });

  test('a global index that is behind its table', async () => {
    await always({ indexLagMs: 1000 });
    await put(1, 'open');
    nowMs += 2000;
    await put(1, 'paid');
    nowMs += 300;
    const countIn = async (state: string): Promise<number | undefined> =>
      (
        await client.send(
          new QueryCommand({
            TableName: 'Orders',
            IndexName: 'byState',
            KeyConditionExpression: '#s = :s',
            ExpressionAttributeNames: { '#s': 'state' },
            ExpressionAttributeValues: { ':s': { S: state } },
          }),
        )
      ).Count;
    const seen = new Set<string>();
    for (let attempt = 0; attempt < 60; attempt += 1) {
      seen.add(`open ${await countIn('open')}`).add(`paid ${await countIn('paid')}`);
      expect(await get(1)).toBe('paid');
    }
    expect(seen).toEqual(new Set(['open 1', 'paid 0', 'open 0', 'paid 1']));
    nowMs += 1001;
    expect(await countIn('open')).toBe(0);
    expect(await countIn('paid')).toBe(1);
  });

  test('items that outlive their time', async () => {
    await database.request('UpdateTimeToLive', {
      TableName: 'Orders',
      TimeToLiveSpecification: { AttributeName: 'until', Enabled: true },
    });
    await always({ expiryDelayMs: 60_000 });
    const until = { N: `${Math.floor(nowMs / 1000) + 1}` };
    await client.send(new PutItemCommand({ TableName: 'Orders', Item: { ...key(1), until } }));
    nowMs += 30_000;
    expect(await database.sweepExpiredItems()).toBe(0);
    nowMs += 40_000;
    expect(await database.sweepExpiredItems()).toBe(1);
  });
});

describe('the forecast', () => {
  test('is of single tables, too', async () => {
    await database.setWeather({ everywhere: 'clear', tables: { Orders: { internalErrorRate: 1 } } });
    expect(await nameOf(put(1))).toBe('InternalServerError');
    const other = client.send(new GetItemCommand({ TableName: 'Absent', Key: key(1) }));
    expect(await nameOf(other)).toBe('ResourceNotFoundException');
  });

  test('gives the same weather for the same seed', async () => {
    const outcomes = async (seed: number): Promise<string> => {
      await database.setWeather({ seed, everywhere: { internalErrorRate: 0.5 } });
      const names: string[] = [];
      for (let at = 0; at < 30; at += 1) names.push(await nameOf(get(at)));
      return names.join();
    };
    expect(await outcomes(3)).toBe(await outcomes(3));
    expect(await outcomes(3)).not.toBe(await outcomes(4));
  });

  test('is counted by table and kind', async () => {
    await database.setWeather({ everywhere: { internalErrorRate: 1 } });
    await nameOf(put(1));
    await nameOf(put(2));
    expect((await database.weatherReport()).acted).toEqual({ Orders: { 'internal-error': 2 } });
  });

  test('that cannot be is refused, and changes nothing', async () => {
    await expect(database.setWeather({ everywhere: { throttleRate: 2 } })).rejects.toThrow(
      "The weather's throttleRate takes a number from 0 to 1, not 2.",
    );
    await expect(database.setWeather({ everywhere: 'hail' as 'storm' })).rejects.toThrow('There is no weather "hail"');
    await expect(createDatabase({ weather: { tables: { T: { rain: 1 } as object } } })).rejects.toThrow(
      'The weather has no setting "rain".',
    );
    expect(await nameOf(put(1))).toBe('no error');
  });

  test('cannot be made where none was asked for', async () => {
    const plain = await createDatabase();
    await expect(plain.setWeather({ everywhere: 'storm' })).rejects.toThrow('was opened without weather');
    await plain.close();
  });
});

describe('singlet serve --weather', () => {
  let directory: string;
  let server: SingletProcess | undefined;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'singlet-weather-'));
  });

  afterEach(async () => {
    await server?.end('SIGKILL');
    server = undefined;
    await rm(directory, { recursive: true });
  });

  test('by file, shown in the log, and changed over HTTP', async () => {
    const file = join(directory, 'weather.json');
    await writeFile(file, JSON.stringify({ tables: { Absent: { internalErrorRate: 1 } } }));
    server = new SingletProcess(['serve', '--memory', '--port', '0', '--weather', file]);
    const url = await server.ready();
    const input = { TableName: 'Absent', Key: { pk: { S: 'a' } } };
    expect((await wireCall(url, 'GetItem', input)).status).toBe(500);
    await server.until(() => server?.stderr.includes('internal-error') === true);
    await wireResult(url, 'Singlet_20261120.SetWeather', {});
    expect((await wireCall(url, 'GetItem', input)).status).toBe(400);
    const report = await wireResult(url, 'Singlet_20261120.GetWeather', {});
    expect(report).toEqual({ Forecast: {}, Acted: { Absent: { 'internal-error': 1 } } });
  });

  test.each([
    [['--weather', 'hail'], 'singlet: --weather hail: There is no weather "hail"'],
    [['--weather', './absent.json'], 'singlet: --weather takes clear, breeze, storm, or a JSON file; ./absent.json'],
    [['--weather', 'storm', '--workers', '2'], 'singlet: --weather works within one process: leave out --workers.'],
  ])('%s is refused in a sentence', async (flags, message) => {
    server = new SingletProcess(['serve', '--data', join(directory, 'data'), '--port', '0', ...flags]);
    expect((await server.ended).code).toBe(1);
    expect(server.stderr).toContain(message);
    server = undefined;
  });
});
