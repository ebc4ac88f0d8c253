/** What a table consumes by ranges of hashes and time: `/_singlet/heat/` and `/_singlet/what-if/`. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDatabase, type Database } from '../src/index.ts';

let nowMs = Date.UTC(2026, 0, 1);
let database: Database;

beforeEach(async () => {
  nowMs = Date.UTC(2026, 0, 1);
  database = await createDatabase({
    clock: { nowMs: () => nowMs },
    throttle: true,
    limits: { partitionWriteCapacityUnitsMax: 100 },
  });
  await database.request('CreateTable', {
    TableName: 'Orders',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['PK', 'SK', 'status'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: [
      { AttributeName: 'PK', KeyType: 'HASH' },
      { AttributeName: 'SK', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'byStatus',
        KeySchema: [{ AttributeName: 'status', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  });
});

afterEach(async () => await database.close());

interface Heat {
  readonly at: number;
  readonly from: number;
  readonly stepMs: number;
  readonly rows: readonly { hashFrom: string; reads: number[]; writes: number[]; throttled: number[] }[];
  readonly keys: readonly { key: object; share: number; reads: number; writes: number; throttled: number }[];
}

async function ask<Answer>(path: string, body?: object): Promise<Answer> {
  const answer = await database.handle({
    method: body === undefined ? 'GET' : 'POST',
    url: `/_singlet/${path}`,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
  });
  return JSON.parse(Buffer.from(answer.body).toString('utf8')) as Answer;
}

async function put(PK: string, SK: string): Promise<void> {
  await database.request('PutItem', {
    TableName: 'Orders',
    Item: { PK: { S: PK }, SK: { S: SK }, status: { S: 'PLACED' } },
  });
}

/** The row of a partition key, at the position that the server reports. */
async function rowOf(PK: string): Promise<number> {
  const { fraction } = await ask<{ fraction: number }>(`place/Orders?key=${JSON.stringify({ PK: { S: PK } })}`);
  return Math.floor(fraction * 64);
}

test('WB-48: units are in the row of their key and the step of their time, and the planted hot key is the first', async () => {
  await ask('heat/Orders'); // recording starts here
  for (let n = 0; n < 60; n += 1) {
    await put('hot', String(n));
    if (n % 6 === 0) await put(`cold${n}`, '1');
    nowMs += 100;
  }
  const { rows, keys, stepMs } = await ask<Heat>('heat/Orders');
  expect(stepMs).toBe(5000);
  const sum = (row: number): number => (rows[row]?.writes ?? []).reduce((total, units) => total + units, 0) * 5;
  expect(rows).toHaveLength(64);
  expect(rows[16]?.hashFrom).toBe('40000000000000000000000000000000');
  const hot = await rowOf('hot');
  const cold = await Promise.all([0, 6, 12, 18, 24, 30, 36, 42, 48, 54].map((n) => rowOf(`cold${n}`)));
  for (let row = 0; row < 64; row += 1) {
    const wanted = (row === hot ? 60 : 0) + cold.filter((each) => each === row).length;
    expect(sum(row)).toBeCloseTo(wanted, 1);
  }
  expect(rows[hot]?.writes.at(-2)).toBeGreaterThan(0); // five seconds, and one
  expect(keys[0]?.key).toEqual({ PK: { S: 'hot' } });
  expect(keys[0]?.share).toBeGreaterThan(0.5);
  nowMs += 70 * 60_000;
  expect(
    (await ask<Heat>('heat/Orders?minutes=60')).rows.every(({ writes }) => writes.every((units) => units === 0)),
  ).toBe(true);
});

test('a time in the past is shown as it was seen then, in steps of any length', async () => {
  await ask('heat/Orders'); // recording starts here
  const startMs = nowMs;
  const written = async (query: string): Promise<readonly number[]> => {
    const { rows, stepMs } = await ask<Heat>(`heat/Orders?${query}`);
    const columns = rows[0]?.writes.length ?? 0;
    return Array.from({ length: columns }, (_, at) =>
      Math.round(rows.reduce((sum, { writes }) => sum + (writes[at] ?? 0) * (stepMs / 1000), 0)),
    );
  };
  for (let second = 0; second < 120; second += 1) {
    if (second >= 60 && second < 70) await put('then', String(second));
    nowMs += 1_000;
  }
  nowMs = startMs + 40 * 60_000;
  expect(await written('minutes=5')).toEqual(Array.from({ length: 60 }, () => 0));
  const from = startMs + 55_000;
  expect(await written(`from=${from}&minutes=1`)).toEqual([0, 5, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  expect(await written(`from=${from + 4_999}&minutes=1&stepMs=30000`)).toEqual([10, 0]);
  expect(await written('minutes=60&stepMs=5000')).toHaveLength(720);
  expect((await written('minutes=60&stepMs=5000')).reduce((sum, units) => sum + units, 0)).toBe(10);
  expect(await ask<Heat>(`heat/Orders?from=${from}&minutes=2`)).toMatchObject({ from, at: nowMs, stepMs: 5000 });
  // Steps that have not begun are empty, and are not those of an hour ago.
  expect(await written(`from=${nowMs}&minutes=60`)).toEqual(Array.from({ length: 60 }, () => 0));
  for (const refused of [
    `from=${nowMs + 5_000}`,
    `from=${startMs - 24 * 60 * 60_000}`,
    'from=soon',
    'stepMs=1000',
    'stepMs=0',
    'minutes=1&stepMs=65000',
  ]) {
    expect(await ask(`heat/Orders?${refused}`)).toMatchObject({ error: 'ValidationException' });
  }
});

test('reads of items, of collections and of the whole table; an index has a heat of its own', async () => {
  await put('a', '1');
  await put('b', '1');
  await ask('heat/Orders');
  await ask('heat/Orders?index=byStatus');
  await database.request('GetItem', {
    TableName: 'Orders',
    Key: { PK: { S: 'a' }, SK: { S: '1' } },
    ConsistentRead: true,
  });
  const key = { ':pk': { S: 'b' } };
  await database.request('Query', {
    TableName: 'Orders',
    KeyConditionExpression: 'PK = :pk',
    ExpressionAttributeValues: key,
  });
  const totals = ({ rows }: Heat): readonly number[] => rows.map(({ reads }) => reads.reduce((a, b) => a + b, 0) * 5);
  const before = totals(await ask<Heat>('heat/Orders'));
  expect(before[await rowOf('a')]).toBeCloseTo(1, 3);
  expect(before[await rowOf('b')]).toBeCloseTo(0.5, 3);
  await database.request('Scan', { TableName: 'Orders' });
  const after = totals(await ask<Heat>('heat/Orders'));
  expect(after.reduce((a, b) => a + b, 0)).toBeCloseTo(2, 3);
  await database.request('Query', {
    TableName: 'Orders',
    IndexName: 'byStatus',
    KeyConditionExpression: '#s = :s',
    ExpressionAttributeNames: { '#s': 'status' },
    ExpressionAttributeValues: { ':s': { S: 'PLACED' } },
  });
  expect(totals(await ask<Heat>('heat/Orders?index=byStatus')).reduce((a, b) => a + b, 0)).toBeCloseTo(0.5, 3);
});

test('throttled requests are counted where they were refused', async () => {
  await ask('heat/Orders');
  let refused = 0;
  for (let n = 0; n < 150; n += 1) {
    await put('hot', String(n)).catch(() => (refused += 1));
  }
  expect(refused).toBeGreaterThan(0);
  const { rows, keys } = await ask<Heat>('heat/Orders');
  const counts = rows.map(({ throttled }) => throttled.reduce((a, b) => a + b, 0));
  expect(counts[await rowOf('hot')]).toBe(refused);
  expect(counts.reduce((a, b) => a + b, 0)).toBe(refused);
  expect(keys[0]?.throttled).toBe(refused);
});

test('WB-49: with n shards the planted key is at one n-th, and its query takes n requests', async () => {
  await ask('heat/Orders');
  for (let n = 0; n < 600; n += 1) {
    await put('hot', `order${n}`);
    nowMs += 20;
  }
  interface WhatIf {
    readonly key: object;
    readonly now: { readonly writes: number };
    readonly random: { readonly writes: number };
    readonly bySortKey: { readonly writes: number };
    readonly requestsPerQuery: number;
  }
  for (const shards of [4, 10]) {
    const answer = await ask<WhatIf>('what-if/Orders', { shards });
    expect(answer).toMatchObject({ key: { PK: { S: 'hot' } }, requestsPerQuery: shards });
    expect(answer.now.writes).toBeGreaterThan(35); // 50 a second, in a sample
    expect(answer.random.writes / answer.now.writes).toBeCloseTo(1 / shards, 2);
    expect(answer.bySortKey.writes / answer.now.writes).toBeGreaterThan(0.8 / shards);
    expect(answer.bySortKey.writes / answer.now.writes).toBeLessThan(2 / shards);
  }
  // The sort key does not spread a single item.
  nowMs += 2 * 60 * 60_000;
  for (let n = 0; n < 100; n += 1) {
    await put('single', 'one');
    nowMs += 20;
  }
  const single = await ask<WhatIf>('what-if/Orders', { shards: 10 });
  expect(single.bySortKey.writes).toBe(single.now.writes);
});

test('what cannot be is refused', async () => {
  expect(await ask('heat/None')).toMatchObject({ error: 'ResourceNotFoundException' });
  expect(await ask('heat/Orders?index=none')).toMatchObject({ error: 'ValidationException' });
  expect(await ask('heat/Orders?minutes=0')).toMatchObject({ error: 'ValidationException' });
  expect(await ask('heat/Orders?minutes=1441')).toMatchObject({ error: 'ValidationException' });
  expect(await ask('what-if/Orders', { shards: 0 })).toMatchObject({ error: 'ValidationException' });
  expect(await ask('what-if/Orders', { shards: 1001 })).toMatchObject({ error: 'ValidationException' });
  expect(await ask('what-if/Orders', { shards: '2' })).toMatchObject({ error: 'ValidationException' });
});

test('a day is remembered in steps of five minutes, and forgotten after it', async () => {
  await ask('heat/Orders'); // recording starts here
  const startMs = nowMs;
  const hourMs = 3_600_000;
  for (let hour = 0; hour < 20; hour += 1) {
    await put('hourly', String(hour));
    nowMs += hourMs;
  }
  const written = ({ rows, stepMs }: Heat): number =>
    rows.reduce((sum, { writes }) => sum + writes.reduce((units, each) => units + each * (stepMs / 1000), 0), 0);
  const day = await ask<Heat>('heat/Orders?minutes=1440');
  expect(day.stepMs).toBe(1_500_000); // 58 columns
  expect(Math.round(written(day))).toBe(20);
  const row = day.rows[await rowOf('hourly')];
  expect(row?.writes.filter((units) => units > 0)).toHaveLength(20);
  const early = await ask<Heat>(`heat/Orders?from=${startMs}&minutes=120&stepMs=300000`);
  expect(Math.round(written(early))).toBe(2);
  expect(early.rows[0]?.writes).toHaveLength(24);
  nowMs = startMs + 25 * hourMs;
  expect(Math.round(written(await ask<Heat>('heat/Orders?minutes=1440')))).toBe(18);
});

test('neighbouring rows are added up on demand', async () => {
  await ask('heat/Orders'); // recording starts here
  await put('one', '1');
  await put('two', '1');
  const all = await ask<Heat>('heat/Orders');
  const four = await ask<Heat>('heat/Orders?rows=4');
  expect(four.rows.map(({ hashFrom }) => hashFrom.slice(0, 4))).toEqual(['0000', '4000', '8000', 'c000']);
  for (const [at, { writes }] of four.rows.entries()) {
    const parts = all.rows.slice(at * 16, (at + 1) * 16);
    expect(writes).toEqual(writes.map((_, column) => parts.reduce((sum, part) => sum + (part.writes[column] ?? 0), 0)));
  }
  expect(await ask('heat/Orders?rows=5')).toMatchObject({ error: 'ValidationException' });
  expect(await ask('heat/Orders?rows=128')).toMatchObject({ error: 'ValidationException' });
});
