import {
  CreateTableCommand,
  ListTablesCommand,
  PutItemCommand,
  QueryCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { connect, ready, shardNumber } from '@singlet/model';
import { check } from '@singlet/model/check';
import { cachedClient } from 'singlet/cache';
import { expect, test } from 'vitest';
import { errorOf, openExample } from '../testing/example-database.ts';
import { documents, feed, logs, replicated, scores, settings, settingsWith, singleton } from './queries-and-copies.ts';
import { MonthlyEvents } from './service-time-series.ts';

const units = (output: Readonly<Record<string, unknown>> | undefined): number =>
  (output?.['ConsumedCapacity'] as { readonly CapacityUnits: number } | undefined)?.CapacityUnits ?? 0;

test('P-18 the replica has the same items with fewer attributes', async () => {
  const { client, requests } = await openExample(replicated);
  const db = connect(replicated, { client });
  for (const product of ['p1', 'p2'])
    await db.add({ shop: 's1', product, price: 5, description: 'long '.repeat(2000) });
  const { items } = await db.products({ shop: 's1' });
  requests();
  expect((await db.prices({ shop: 's1' })).items).toEqual(items.map(({ product, price }) => ({ product, price }))); // .a
  const [{ output } = {}] = requests();
  expect(output?.['ConsumedCapacity']).toMatchObject({ GlobalSecondaryIndexes: { Replica: { CapacityUnits: 0.5 } } }); // .c
  const consistent = {
    ...replicated,
    patterns: { ...replicated.patterns, prices: { ...replicated.patterns.prices, consistent: true } },
  };
  expect(check(consistent).findings.map(({ code }) => code)).toContain('consistent-on-global-index');
  const [request] = db.prices.request({ shop: 's1' });
  await expect(
    client.send(new QueryCommand({ ...request!.input, ConsistentRead: true } as never)),
  ).rejects.toMatchObject({ name: 'ValidationException' }); // .b
});

test('P-54 three local indexes return their attributes, and reading the rest costs more', async () => {
  const { client, requests } = await openExample();
  const sortedBy = (sort: string) => [
    { AttributeName: 'A1', KeyType: 'HASH' as const },
    { AttributeName: sort, KeyType: 'RANGE' as const },
  ];
  const index = (sort: string, Projection: object) => ({
    IndexName: `By${sort}`,
    KeySchema: sortedBy(sort),
    Projection,
  });
  const AttributeDefinitions = ['A1', 'A2', 'A3', 'A4', 'A5'].map((AttributeName) => ({
    AttributeName,
    AttributeType: 'S' as const,
  }));
  const BillingMode = 'PAY_PER_REQUEST';
  await client.send(
    new CreateTableCommand({
      TableName: 'Local',
      AttributeDefinitions,
      KeySchema: sortedBy('A2'),
      LocalSecondaryIndexes: [
        index('A3', { ProjectionType: 'KEYS_ONLY' }),
        index('A4', { ProjectionType: 'INCLUDE', NonKeyAttributes: ['A3'] }),
        index('A5', { ProjectionType: 'ALL' }),
      ],
      BillingMode,
    }),
  );
  const Item = Object.fromEntries(['A1', 'A2', 'A3', 'A4', 'A5'].map((name) => [name, { S: name.toLowerCase() }]));
  const put = await client.send(
    new PutItemCommand({
      TableName: 'Local',
      Item: { ...Item, text: { S: 'x' } },
      ReturnItemCollectionMetrics: 'SIZE',
    }),
  );
  expect(put.ItemCollectionMetrics?.SizeEstimateRangeGB).toEqual([0, 1]); // .e
  const query = async (IndexName: string, options: object = {}) => {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName: 'Local',
        IndexName,
        KeyConditionExpression: 'A1 = :a1',
        ExpressionAttributeValues: { ':a1': { S: 'a1' } },
        ...options,
      }),
    );
    return Object.keys(Items[0] ?? {}).sort();
  };
  expect(await query('ByA3')).toEqual(['A1', 'A2', 'A3']);
  expect(await query('ByA4')).toEqual(['A1', 'A2', 'A3', 'A4']);
  expect(await query('ByA5')).toEqual(['A1', 'A2', 'A3', 'A4', 'A5', 'text']); // .a
  requests();
  await query('ByA3');
  await query('ByA3', { ProjectionExpression: 'A5' });
  const [projected = 0, fetched = 0] = requests().map(({ output }) => units(output));
  expect(fetched).toBeGreaterThan(projected); // .b
  expect(await query('ByA3', { ConsistentRead: true })).toHaveLength(3); // .d
  const later = { TableName: 'Local', LocalSecondaryIndexes: [index('A3', { ProjectionType: 'ALL' })] };
  await expect(client.send(new UpdateTableCommand(later))).rejects.toMatchObject({
    name: 'ValidationException',
  }); // .c

  await client.send(
    new CreateTableCommand({
      TableName: 'Plain',
      AttributeDefinitions: AttributeDefinitions.slice(0, 2),
      KeySchema: sortedBy('A2'),
      BillingMode,
    }),
  );
  const plain = await client.send(
    new PutItemCommand({ TableName: 'Plain', Item, ReturnItemCollectionMetrics: 'SIZE' }),
  );
  expect(plain.ItemCollectionMetrics).toBeUndefined();
});

test('P-55 the first and the last items, counts and pages of one collection are read', async () => {
  const { client } = await openExample(scores);
  const db = connect(scores, { client });
  for (let n = 1; n <= 20; n += 1) await db.record({ game: 'chess', points: n * 10, player: `p${n}` });
  const points = ({ items }: { readonly items: readonly { readonly points: number }[] }) =>
    items.map((score) => score.points);
  expect(points(await db.top({ game: 'chess' }))).toEqual([200, 190, 180]);
  expect(points(await db.bottom({ game: 'chess' }))).toEqual([10, 20, 30]); // .a
  const pages: number[] = [];
  let cursor: Awaited<ReturnType<typeof db.all>>['cursor'];
  do {
    const page = await db.all({ game: 'chess' }, { cursor });
    pages.push(page.items.length);
    cursor = page.cursor;
  } while (cursor !== undefined);
  expect(pages).toEqual([7, 7, 6]); // .c
  const [request] = db.all.request({ game: 'chess' });
  const counts: number[] = [];
  let ExclusiveStartKey: object | undefined;
  do {
    const page = await client.send(
      new QueryCommand({ ...request!.input, Select: 'COUNT', Limit: 10, ExclusiveStartKey } as never),
    );
    counts.push(page.Count ?? 0);
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  // The second page ends exactly at the end, and its cursor leads to an empty one.
  expect(counts.filter((count) => count > 0)).toEqual([10, 10]);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20); // .b
});

test('P-14 900 KB in three parts take one Query; the summary alone costs half a unit', async () => {
  const { client, operations, requests } = await openExample(documents);
  const db = connect(documents, { client });
  await db.create({ document: 'd1', title: 'War and Peace' });
  for (const part of [1, 2, 3]) await db.save({ document: 'd1', part, text: String(part).repeat(300 * 1024) });
  operations();
  const { meta, parts } = await db.whole({ document: 'd1' });
  expect([meta?.title, parts.map(({ text }) => text.length)]).toEqual(['War and Peace', [307_200, 307_200, 307_200]]);
  expect(operations()).toEqual(['Query']); // .a
  await db.meta({ document: 'd1' });
  expect(requests().map(({ output }) => units(output))).toEqual([0.5]); // .b
  expect((await db.part({ document: 'd1', part: 2 }))?.text.startsWith('2')).toBe(true);
  expect((await db.parts({ document: 'd1' })).items).toHaveLength(3);
  await expect(db.save({ document: 'd1', part: 4, text: 'x'.repeat(400 * 1024) })).rejects.toMatchObject({
    message: expect.stringMatching(/size/i) as string,
  }); // .c
});

test('P-15 twenty summaries cost a unit and a half; both parts are written and deleted together', async () => {
  const { client, requests, stored } = await openExample(feed);
  const db = connect(feed, { client });
  const text = 'x'.repeat(100 * 1024);
  for (let n = 10; n < 30; n += 1) {
    const article = `a${n}`;
    await db.publish({ summary: { feed: 'f1', article, teaser: 't'.repeat(400) }, content: { article, text } });
  }
  requests();
  expect((await db.list({ feed: 'f1' })).items).toHaveLength(20);
  expect(units(requests()[0]?.output)).toBeLessThanOrEqual(1.5); // .a
  expect((await db.open({ article: 'a10' }))?.text).toHaveLength(text.length); // .b
  await db.withdraw({ summary: { feed: 'f1', article: 'a10' }, content: { article: 'a10' } });
  expect(await stored('Feed').then((items) => items.filter(({ article }) => article === 'a10'))).toEqual([]);
  expect(await db.open({ article: 'a10' })).toBeUndefined(); // .c
});

test('P-16 copies are equal, read evenly, and changed by one writer at a time', async () => {
  const { client, stored } = await openExample(settings);
  let turn = 0;
  const db = connect(settings, { client, random: () => ((turn += 1) * 0.618_034) % 1, pause: async () => undefined });
  await db.create({ banner: 'Hello' });
  await db.change({ version: 1, banner: 'Sale' });
  expect((await stored('Settings')).map(({ banner, version }) => [banner, version])).toEqual(
    [1, 2, 3].map(() => ['Sale', 2]),
  ); // .a
  await ready(db);
  const reads = new Map<string, number>();
  for (let n = 0; n < 3000; n += 1) {
    const [request] = db.settings.request({});
    const key = JSON.stringify((request!.input as { readonly Key: object }).Key);
    reads.set(key, (reads.get(key) ?? 0) + 1);
  }
  expect([...reads.values()].every((count) => count > 850 && count < 1150)).toBe(true);
  expect(reads.size).toBe(3); // .b
  const writers = ['a', 'b'].map(async (banner) => await db.change({ version: 2, banner }));
  const outcomes = await Promise.allSettled(writers);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']); // .c

  // More copies: the existing value is written under all the new keys; then readers may use them.
  const more = settingsWith(5);
  const puts = {
    ...more,
    patterns: { ...more.patterns, replace: { puts: 'Settings' } },
    served: { ...more.served, replace: 'TransactWriteItems' },
  } as const;
  await connect(puts, { client }).replace((await db.settings({}))!);
  const wide = connect(more, { client, random: () => 0.99 });
  expect((await stored('Settings')).length).toBe(5);
  expect((await wide.settings({}))?.banner).toBe((await db.settings({}))?.banner); // .d
});

test('P-17 a day in four partitions is read in order; an order’s logs take one request', async () => {
  const { client, operations, stored } = await openExample(logs);
  const db = connect(logs, { client });
  for (const [at, n] of [
    ['2020-10-19T09:19:32Z', 1],
    ['2020-10-19T09:22:52Z', 2],
    ['2020-10-19T09:24:42Z', 3],
    ['2020-10-19T09:30:44Z', 4],
    ['2020-10-20T12:58:14Z', 5],
    ['2020-10-20T12:59:23Z', 6],
    ['2020-10-20T13:02:53Z', 7],
    ['2020-10-20T13:04:34Z', 8],
  ] as const) {
    await db.write({ date: at.slice(0, 10), at, logId: `l${n}`, orderId: `o${n}` });
  }
  operations();
  const first = await db.ofDay({ date: '2020-10-19' });
  expect(operations()).toHaveLength(4);
  const rest = await db.ofDay({ date: '2020-10-19' }, { cursor: first.cursor });
  expect([...first.items, ...rest.items].map(({ logId }) => logId)).toEqual(['l1', 'l2', 'l3', 'l4']); // .a, .e
  const range = { from: '2020-10-19T09:20:00Z', to: '2020-10-19T09:25:00Z' };
  expect((await db.ofDay({ date: '2020-10-19', at: range })).items.map(({ logId }) => logId)).toEqual(['l2', 'l3']); // .b
  operations();
  expect((await db.ofOrder({ date: '2020-10-19', orderId: 'o2' })).items.map(({ logId }) => logId)).toContain('l2');
  expect(operations()).toEqual(['Query']); // .c
  expect(new Set((await stored('Logs')).map(({ PK }) => String(PK))).size).toBeGreaterThan(2);
  const shards = [0, 0, 0, 0];
  for (let n = 0; n < 10_000; n += 1) shards[shardNumber(`order${n}`, 4)]! += 1;
  expect(shards.every((count) => count > 2250 && count < 2750)).toBe(true); // .d
});

test('P-19 settings are changed only with the latest revision', async () => {
  const { client } = await openExample(singleton);
  const db = connect(singleton, { client });
  await db.set({ theme: 'light', revision: 1 });
  expect(await db.settings({})).toEqual({ theme: 'light', revision: 1 }); // .a
  await db.changeTheme({ theme: 'dark', revision: 2, expected: 1 });
  expect(await errorOf(db.changeTheme({ theme: 'blue', revision: 2, expected: 1 }))).toMatchObject({
    code: 'condition-failed',
  }); // .b
  const asked = (rate: number) => ({
    ...singleton,
    patterns: { ...singleton.patterns, settings: { ...singleton.patterns.settings, rate } },
  });
  expect(check(asked(10)).findings.map(({ code }) => code)).not.toContain('hot-partition');
  expect(check(asked(9000)).findings.map(({ code }) => code)).toContain('hot-partition'); // .c
});

test('P-20 each month has a table', async () => {
  const { client, operations } = await openExample();
  const events = new MonthlyEvents(client);
  for (const month of ['2020-10', '2020-11', '2020-11']) await events.prepare(month);
  const { TableNames } = await client.send(new ListTablesCommand({}));
  expect(TableNames).toEqual(['events_2020_10', 'events_2020_11']); // .c
  operations();
  await events.record({ device: 'd1', at: '2020-11-01T00:00:00Z' });
  await events.record({ device: 'd1', at: '2020-10-31T23:59:59Z' }); // .a, and late, .d
  operations();
  const found = await events.between('d1', '2020-10-31T00:00:00Z', '2020-11-01T23:00:00Z');
  expect(found.map(({ at }) => at)).toEqual(['2020-10-31T23:59:59Z', '2020-11-01T00:00:00Z']); // .b
  expect(operations()).toEqual(['Query', 'Query']);
  await events.between('d1', '2020-11-01T00:00:00Z', '2020-11-02T00:00:00Z');
  expect(operations()).toEqual(['Query']);
  expect(await errorOf(events.record({ device: 'd1', at: '2020-09-30T00:00:00Z' }))).toMatchObject({
    name: 'NoTableError',
    tableName: 'events_2020_09',
  }); // .d
});

test('P-39 a cache answers repeated reads, and handles writes through it, writes around it and consistent reads', async () => {
  const answered: (string | undefined)[] = [];
  const { client } = await openExample(singleton, { onRequest: ({ action }) => void answered.push(action) });
  let now = 0;
  const around = connect(singleton, { client });
  const cached = connect(singleton, { client: cachedClient(client, { itemTtlMs: 1000, nowMs: () => now }) });
  await around.set({ theme: 'light', revision: 1 });
  answered.length = 0;
  await cached.settings({});
  await cached.settings({});
  expect(answered).toEqual(['GetItem']); // .a
  await cached.set({ theme: 'dark', revision: 2 });
  expect((await cached.settings({}))?.theme).toBe('dark'); // .b
  await around.set({ theme: 'blue', revision: 3 });
  expect((await cached.settings({}))?.theme).toBe('dark');
  expect((await cached.settings({}, { consistent: true }))?.theme).toBe('blue'); // .d
  now = 1001;
  expect((await cached.settings({}))?.theme).toBe('blue'); // .c
});
