import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drawn } from '../../../systems/testing/drawn.ts';
import { createDatabase, type Database, type DatabaseServer, serve } from '../src/index.ts';
import { targetOf } from '../src/server/operations/index.ts';
import { cpuTimeMs } from '../src/values/testing/cpu-time.ts';

/**
 * Expensive requests: each is answered, never with a 5xx, has no unintended effects, and does not delay others. Effort that
 * is bounded by design is counted (turns, units). The bounds of CPU time are generous, since the machine may be slow.
 */

type Json = unknown;

/** Others wait less than a second of CPU time, because this machine may be busy or slow. */
const waitMsMax = 5_000;

const megabyte = 1024 * 1024;
const TableName = 'Expensive';
const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const record = (count: number, entry: (at: number) => [string, Json]): Json => Object.fromEntries(times(count, entry));

let database: Database;
let failures: unknown[];
/** What is in the table from its beginning to its end. */
let unchanged: string;

beforeAll(async () => {
  failures = [];
  database = await createDatabase({
    log: (event) => {
      if (event.level === 'error') failures.push(event);
    },
  });
  await database.request('CreateTable', {
    TableName,
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'sk', AttributeType: 'N' },
    ],
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    BillingMode: 'PAY_PER_REQUEST',
  });
  const items: Readonly<Record<string, Json>> = {
    0: { S: 'a'.repeat(330_000) },
    1: { S: 'a'.repeat(330_000) },
    2: { S: 'a'.repeat(330_000) },
    3: { B: Buffer.alloc(300_000, 1).toString('base64') },
    4: { SS: times(25_000, (at) => `element ${at}`) },
    5: { L: times(60_000, (at) => ({ N: String(at % 10) })) },
    6: { M: record(20_000, (at) => [`name ${at}`, { BOOL: true }]) },
    7: { S: '"\\'.repeat(90_000) },
  };
  for (const [sk, value] of Object.entries(items)) {
    await database.request('PutItem', { TableName, Item: { pk: { S: 'large' }, sk: { N: sk }, value } });
  }
  await database.request('PutItem', { TableName, Item: { pk: { S: 'small' }, sk: { N: '0' }, a: { N: '1' } } });
  unchanged = await contents();
});

afterAll(async () => {
  await database.close();
  expect(failures).toEqual([]);
});

async function send(
  action: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await database.handle({
    method: 'POST',
    url: '/',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': targetOf(action), ...headers },
    body: typeof body === 'string' ? Buffer.from(body) : body,
  });
  return { status: response.status, text: Buffer.from(response.body).toString() };
}

/** Everything in the table, in a form that shows every change. */
async function contents(): Promise<string> {
  const texts: string[] = [];
  for (let start: Json; ;) {
    const page = (await database.request('Scan', {
      TableName,
      ...(start !== undefined && { ExclusiveStartKey: start }),
    })) as {
      Items: Json[];
      LastEvaluatedKey?: Json;
    };
    texts.push(...page.Items.map((item) => JSON.stringify(item)));
    if (page.LastEvaluatedKey === undefined) return texts.toSorted().join('\n');
    start = page.LastEvaluatedKey;
  }
}

/** Sends a request while others repeatedly read an item, and returns how long the slowest of them waited, in CPU time. */
async function longestWaitDuring(request: () => Promise<unknown>): Promise<number> {
  const over = new AbortController();
  let longestMs = 0;
  const others = times(3, async () => {
    while (!over.signal.aborted) {
      const startedMs = cpuTimeMs();
      await send('GetItem', JSON.stringify({ TableName, Key: { pk: { S: 'small' }, sk: { N: '0' } } }));
      longestMs = Math.max(longestMs, cpuTimeMs() - startedMs);
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  await request();
  over.abort();
  await Promise.all(others);
  return longestMs;
}

const Key = { pk: { S: 'small' }, sk: { N: '0' } };
const large = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeNames: { '#v': 'value' } };
const needle = (at: number): string => `${'a'.repeat(3000 + at)}b${'a'.repeat(3000)}`;

/** Searches for `count` needles in all large items. */
function search(count: number, value: (at: number) => Json, isScan = false): Json {
  const searches = times(count, (at) => `contains(#v,:n${at})`).join(' OR ');
  return {
    TableName,
    ...(isScan ? { ExpressionAttributeNames: large.ExpressionAttributeNames } : large),
    FilterExpression: isScan ? `pk = :pk AND (${searches})` : searches,
    ExpressionAttributeValues: { ':pk': { S: 'large' }, ...Object(record(count, (at) => [`:n${at}`, value(at)])) },
  };
}

const ors = (count: number, condition: (at: number) => string): string => times(count, condition).join(' OR ');

/** PartiQL statements with conditions nested to this depth. */
const nestedStatements: readonly [string, (depth: number) => string][] = [
  ['equalities of conditions', (depth) => times(depth, () => 0).reduce((inner) => `(${inner}) = (a = 1)`, 'a = 1')],
  [
    'ranges of conditions',
    (depth) => times(depth, () => 0).reduce((inner) => `((${inner}) BETWEEN (a=1) AND (a=1))`, 'a=1'),
  ],
  ['IN with conditions', (depth) => times(depth, () => 0).reduce((inner) => `(${inner}) IN [a=1, (a=2)]`, 'a=1')],
  ['NOT', (depth) => `${'NOT '.repeat(depth)}a = 1`],
  ['parentheses', (depth) => `${'('.repeat(depth)}a = 1${')'.repeat(depth)}`],
  ['alternatives of the key', (depth) => times(depth, (at) => `(pk = 'x' OR pk = '${at}')`).join(' AND ')],
  ['lists', (depth) => `a = ${'['.repeat(depth)}1${']'.repeat(depth)}`],
  ['maps', (depth) => `a = ${"{'a':".repeat(depth)}1${'}'.repeat(depth)}`],
  ['size', (depth) => `${'size('.repeat(depth)}a${')'.repeat(depth)} = 1`],
];

const tooExpensive = 'The expression is too expensive to evaluate';

/** By name: action, input, and a part of the answer. All are answered with 200 or 400, and none writes. */
const requests: readonly (readonly [name: string, action: string, input: () => Json, answer?: string])[] = [
  [
    'a hundred searches in three strings of 330 KB',
    'Query',
    () => search(100, (at) => ({ S: needle(at) })),
    '"Count":0,"ScannedCount":',
  ],
  ['the same as a scan', 'Scan', () => search(100, (at) => ({ S: needle(at) }), true), '"Count":0,"ScannedCount":'],
  ['as many searches as an expression can hold', 'Query', () => search(170, (at) => ({ S: `b${at}` })), tooExpensive],
  [
    'searches for bytes',
    'Query',
    () => search(80, (at) => ({ B: Buffer.from(`${'\u0001'.repeat(400)}\u0002${at}`).toString('base64') })),
    '"Count":0,"ScannedCount":',
  ],
  [
    'searches in lists, for lists',
    'Query',
    () => ({
      ...Object(search(50, () => ({ L: times(1000, () => ({ N: '1' })) }))),
      ExclusiveStartKey: { pk: { S: 'large' }, sk: { N: '3' } },
    }),
    '"Count":0,"ScannedCount":',
  ],
  [
    'legacy conditions that search',
    'Scan',
    () => ({
      TableName,
      ScanFilter: { value: { ComparisonOperator: 'NOT_CONTAINS', AttributeValueList: [{ S: needle(0) }] } },
      Select: 'COUNT',
    }),
    '"Count":4,"ScannedCount":',
  ],
  [
    'comparisons of large documents',
    'Query',
    () => ({
      TableName,
      ...large,
      FilterExpression: ors(30, () => '#v = :d'),
      ExclusiveStartKey: { pk: { S: 'large' }, sk: { N: '3' } },
      ExpressionAttributeValues: {
        ':pk': { S: 'large' },
        ':d': { L: times(60_000, (at) => ({ N: at === 59_999 ? '99' : String(at % 10) })) },
      },
    }),
    '"Count":0,"ScannedCount":',
  ],
  [
    'IN with a hundred large values',
    'Query',
    () => ({
      TableName,
      ...large,
      FilterExpression: `#v IN (${times(100, (at) => `:n${at}`).join()})`,
      ExpressionAttributeValues: {
        ':pk': { S: 'large' },
        ...Object(record(100, (at) => [`:n${at}`, { S: 'a'.repeat(19_000 + at) }])),
      },
    }),
    '"Count":0,"ScannedCount":',
  ],
  [
    'a condition on an item of 330 KB, as often as an expression can hold',
    'UpdateItem',
    () => ({
      TableName,
      Key: { pk: { S: 'large' }, sk: { N: '0' } },
      UpdateExpression: 'SET x = :n0',
      ConditionExpression: ors(170, (at) => `contains(#v,:n${at})`),
      ExpressionAttributeNames: { '#v': 'value' },
      ExpressionAttributeValues: record(170, (at) => [`:n${at}`, { S: needle(at) }]),
    }),
    tooExpensive,
  ],
  [
    'a transaction of conditions on large items',
    'TransactWriteItems',
    () => ({
      TransactItems: times(8, (at) => ({
        ConditionCheck: {
          TableName,
          Key: { pk: { S: 'large' }, sk: { N: String(at) } },
          ConditionExpression: ors(100, (each) => `NOT contains(#v,:n${each})`),
          ExpressionAttributeNames: { '#v': 'value' },
          ExpressionAttributeValues: record(100, (each) => [`:n${each}`, { S: `${'a'.repeat(600)}b${each}` }]),
        },
      })),
    }),
    '{}',
  ],
  [
    'a transaction of more of them than one may have',
    'TransactWriteItems',
    () => ({
      TransactItems: times(4, (at) => ({
        ConditionCheck: {
          TableName,
          Key: { pk: { S: 'large' }, sk: { N: String(at) } },
          ConditionExpression: times(100, (each) => `NOT contains(#v,:n${each})`).join(' AND '),
          ExpressionAttributeNames: { '#v': 'value' },
          ExpressionAttributeValues: record(100, (each) => [`:n${each}`, { S: `${'a'.repeat(600)}b${each}` }]),
        },
      })),
    }),
    tooExpensive,
  ],
  ...nestedStatements.map(([name, condition]): [string, string, () => Json] => [
    `a statement of 8 KB of ${name}`,
    'ExecuteStatement',
    () => {
      let depth = 1;
      const statement = (): string => `SELECT * FROM "${TableName}" WHERE ${condition(depth)}`;
      while (statement().length <= 8000) depth += 10;
      depth -= 10;
      return { Statement: statement() };
    },
  ]),
  [
    'a statement of conditions that are nested a hundred deep',
    'ExecuteStatement',
    () => ({ Statement: `SELECT * FROM "${TableName}" WHERE ${nestedStatements[0]?.[1](100)}` }),
    '"Items":[',
  ],
  [
    '100,000 placeholders',
    'Query',
    () => ({ TableName, ...large, ExpressionAttributeValues: record(100_000, (at) => [`:n${at}`, { N: '1' }]) }),
  ],
  [
    '100,000 names',
    'GetItem',
    () => ({ TableName, Key, ExpressionAttributeNames: record(100_000, (at) => [`#n${at}`, 'x']) }),
  ],
  [
    'a start key of 100,000 attributes',
    'Scan',
    () => ({ TableName, ExclusiveStartKey: record(100_000, (at) => [`n${at}`, { S: 'x' }]) }),
  ],
  [
    'a start key of 10 MB',
    'Scan',
    () => ({ TableName, ExclusiveStartKey: { pk: { S: 'x'.repeat(10 * megabyte) }, sk: { N: '1' } } }),
  ],
  [
    'a projection of a hundred thousand paths',
    'Scan',
    () => ({ TableName, ProjectionExpression: times(100_000, (at) => `a${at}`).join() }),
  ],
  [
    'a projection of the most paths there is room for',
    'Scan',
    () => ({ TableName, ProjectionExpression: times(800, (at) => `a${at}`).join() }),
  ],
  [
    'an attribute name of 15 MB',
    'PutItem',
    () => ({ TableName, Item: { ...Key, ['n'.repeat(15 * megabyte)]: { N: '1' } } }),
  ],
  [
    'a number of 15 million digits',
    'PutItem',
    () => ({ TableName, Item: { ...Key, n: { N: `1${'0'.repeat(15 * megabyte)}` } } }),
  ],
  [
    'a set of 400,000 elements with one twice',
    'PutItem',
    () => ({ TableName, Item: { ...Key, n: { SS: times(400_000, (at) => `x${at % 399_999}`) } } }),
  ],
  [
    'a set of 400,000 numbers',
    'PutItem',
    () => ({ TableName, Item: { ...Key, n: { NS: times(400_000, (at) => `${at}e1`) } } }),
  ],
  [
    'a document of a million nodes',
    'PutItem',
    () => ({ TableName, Item: { ...Key, n: { L: times(1_000_000, () => ({ NULL: true })) } } }),
  ],
  [
    'an item of 300,000 attributes',
    'PutItem',
    () => ({ TableName, Item: { ...Key, ...Object(record(300_000, (at) => [`n${at}`, { N: '1' }])) } }),
  ],
  [
    'a batch with items that are all too large',
    'BatchWriteItem',
    () => ({
      RequestItems: {
        [TableName]: times(25, (at) => ({
          PutRequest: { Item: { pk: { S: 'no' }, sk: { N: String(at) }, v: { S: 'x'.repeat(600_000) } } },
        })),
      },
    }),
  ],
  [
    '100,000 keys',
    'BatchGetItem',
    () => ({
      RequestItems: { [TableName]: { Keys: times(80_000, (at) => ({ pk: { S: 'x' }, sk: { N: String(at) } })) } },
    }),
  ],
  ['50,000 tables', 'BatchGetItem', () => ({ RequestItems: record(50_000, (at) => [`Table${at}`, { Keys: [Key] }]) })],
  [
    '50,000 actions',
    'TransactWriteItems',
    () => ({ TransactItems: times(50_000, () => ({ Delete: { TableName, Key } })) }),
  ],
  [
    '80,000 definitions and indexes',
    'CreateTable',
    () => ({
      TableName: 'Other',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: times(80_000, (at) => ({ AttributeName: `a${at}`, AttributeType: 'S' })),
      KeySchema: [{ AttributeName: 'a0', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: times(30_000, (at) => ({
        IndexName: `index${at}`,
        KeySchema: [{ AttributeName: 'a79999', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'ALL' },
      })),
    }),
  ],
  [
    '100,000 parameters',
    'ExecuteStatement',
    () => ({ Statement: `SELECT * FROM "${TableName}" WHERE pk = ?`, Parameters: times(100_000, () => ({ S: 'x' })) }),
  ],
  [
    '20,000 statements',
    'BatchExecuteStatement',
    () => ({ Statements: times(20_000, () => ({ Statement: 'SELECT * FROM "a"' })) }),
  ],
];

describe('one request cannot stop everybody', () => {
  // A run draws half of them. Each kind of effort, such as searches or long lists, has several.
  const tried = drawn('expensive requests', requests, 2);
  test.each(tried.map(([name, ...rest]) => ({ name, rest })))('$name', async ({ rest }) => {
    const [action, input, expected = ''] = rest;
    const body = JSON.stringify(input());
    expect(body.length).toBeLessThanOrEqual(16 * megabyte);
    let answer: { readonly status: number; readonly text: string } | undefined;
    const waitedMs = await longestWaitDuring(async () => (answer = await send(action, body)));
    expect([200, 400], answer?.text.slice(0, 300)).toContain(answer?.status);
    expect(answer?.text.slice(-5000)).toContain(expected);
    expect(waitedMs).toBeLessThan(waitMsMax);
    expect(await contents()).toBe(unchanged);
  });

  const bodies: readonly (readonly [what: string, text: () => string])[] = [
    ['lists', () => '['.repeat(16_000_000)],
    ['objects', () => `[${'{},'.repeat(5_000_000)}{}]`],
    ['objects that an action with items takes for a while', () => `{"Item":[${'{},'.repeat(5_000_000)}{}]}`],
    ['quotes', () => `"${'\\"'.repeat(8_000_000)}"`],
    ['backslashes', () => `"${'\\\\'.repeat(8_000_000)}"`],
    ['halves of characters', () => `["${'\\ud800'.repeat(2_700_000)}"]`],
    ['members of one name', () => `{${'"a":1,'.repeat(2_700_000)}"a":1}`],
    ['short numbers', () => `[${'1,'.repeat(8_000_000)}1]`],
  ];

  test.each(drawn('bodies of 16 MB', bodies, 2))('16 MB of %s', async (_, text) => {
    const body = Buffer.from(text());
    expect((await send('PutItem', body)).status).toBe(400);
    expect([200, 400]).toContain((await send('ListTables', body)).status);
  });

  test('16 MB of lists, compressed', async () => {
    const compressed = gzipSync('['.repeat(16_000_000), { level: 1 });
    const { status } = await send('PutItem', compressed, { 'content-encoding': 'gzip' });
    expect([400, 413]).toContain(status);
  });

  test('work that grows with the square of its input would take far longer for twice as much', async () => {
    // The minimum CPU time of a few runs. Time of other processes on the machine does not count.
    const cpuMs = async (action: string, body: Buffer): Promise<number> => {
      let least = Infinity;
      for (let round = 0; round < 3; round += 1) {
        const before = process.cpuUsage();
        await send(action, body);
        const { user, system } = process.cpuUsage(before);
        least = Math.min(least, (user + system) / 1000);
      }
      return least;
    };
    const growing: readonly (readonly [string, string, number, (count: number) => Json])[] = [
      [
        'a set with one element twice',
        'PutItem',
        40_000,
        (count) => ({ TableName, Item: { ...Key, n: { SS: times(count, (at) => `x${at % (count - 1)}`) } } }),
      ],
      [
        'definitions',
        'CreateTable',
        20_000,
        (count) => ({
          TableName: 'Other',
          AttributeDefinitions: times(count, (at) => ({ AttributeName: `a${at}`, AttributeType: 'S' })),
          KeySchema: [{ AttributeName: 'a0', KeyType: 'HASH' }],
        }),
      ],
      [
        'placeholders',
        'Query',
        20_000,
        (count) => ({ TableName, ...large, ExpressionAttributeValues: record(count, (at) => [`:n${at}`, { N: '1' }]) }),
      ],
      [
        'legacy conditions',
        'Scan',
        10_000,
        (count) => ({ TableName, ScanFilter: record(count, (at) => [`a${at}`, { ComparisonOperator: 'NOT_NULL' }]) }),
      ],
      [
        'attributes',
        'PutItem',
        20_000,
        (count) => ({
          TableName,
          Item: { ...Key, ...Object(record(count, (at) => [`attribute number ${at}`, { N: '1' }])) },
        }),
      ],
      [
        'keys',
        'BatchGetItem',
        20_000,
        (count) => ({
          RequestItems: { [TableName]: { Keys: times(count, (at) => ({ pk: { S: 'x' }, sk: { N: String(at) } })) } },
        }),
      ],
    ];
    for (const [name, action, count, input] of growing) {
      const one = await cpuMs(action, Buffer.from(JSON.stringify(input(count))));
      const four = await cpuMs(action, Buffer.from(JSON.stringify(input(4 * count))));
      // Four times as much takes four times as long, or sixteen. Garbage collection adds to both.
      expect(four, `${name}: ${one} and ${four} ms`).toBeLessThan(9 * one + 100);
    }
  });
});

describe('many connections', () => {
  let server: DatabaseServer;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    server = await serve(database);
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await server.close();
  });

  async function open(): Promise<Socket> {
    const socket = connect(server.port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  }

  test('sixty unfinished bodies of 15 MB hold no more than the budget, and others are served', async () => {
    const before = process.memoryUsage().rss;
    const head =
      'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-amz-json-1.0\r\n' +
      `x-amz-target: ${targetOf('PutItem')}\r\ncontent-length: ${15 * megabyte}\r\n\r\n`;
    const piece = Buffer.alloc(14 * megabyte, 'x');
    for (const socket of await Promise.all(times(60, open))) {
      socket.write(head);
      socket.write(piece);
    }
    for (let round = 0; round < 20; round += 1) {
      const response = await fetch(server.url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': targetOf('GetItem') },
        body: JSON.stringify({ TableName, Key }),
      });
      expect(response.status).toBe(200);
    }
    // The sockets of the sending side share one buffer. Without a budget it would be 840 MB.
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * megabyte);
  });
});
