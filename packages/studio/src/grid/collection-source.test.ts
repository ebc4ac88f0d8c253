import fc from 'fast-check';
import { createDatabase, type Database, type DatabaseServer, serve } from 'singlet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AttributeMap } from '../../../singlet/src/values/attribute-value.ts';
import { indexesOf, keyNamesOf, type TableDescription } from '../wire/table-description.ts';
import { type Call, CollectionSource, itemsHeldMax, type SourceState } from './collection-source.ts';

let database: Database;
let server: DatabaseServer;
let requests = 0;

const call: Call = async <Output>(operation: string, input: object): Promise<Output> => {
  requests += 1;
  return (await database.request(operation, input)) as Output;
};

beforeAll(async () => {
  database = await createDatabase();
  server = await serve(database);
});
afterAll(async () => {
  await server.close();
  await database.close();
});

let tables = 0;

/** @param sizes - how many items each collection has. */
async function tableOf(sizes: readonly number[]): Promise<TableDescription> {
  tables += 1;
  const TableName = `Table${tables}`;
  const string = (AttributeName: string): object => ({ AttributeName, AttributeType: 'S' });
  await call('CreateTable', {
    TableName,
    AttributeDefinitions: [string('PK'), { AttributeName: 'SK', AttributeType: 'N' }, string('G'), string('H')],
    KeySchema: [
      { AttributeName: 'PK', KeyType: 'HASH' },
      { AttributeName: 'SK', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'ByG',
        KeySchema: [
          { AttributeName: 'G', KeyType: 'HASH' },
          { AttributeName: 'H', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
    LocalSecondaryIndexes: [
      {
        IndexName: 'ByH',
        KeySchema: [
          { AttributeName: 'PK', KeyType: 'HASH' },
          { AttributeName: 'H', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
    BillingMode: 'PAY_PER_REQUEST',
  });
  const items = sizes.flatMap((size, collection) =>
    Array.from({ length: size }, (_, number) => ({
      PK: { S: `c${collection}` },
      SK: { N: String(number - 3) },
      G: { S: `g${(collection + number) % 7}` },
      ...(number % 3 > 0 && { H: { S: `h${number % 5}` } }),
    })),
  );
  for (let from = 0; from < items.length; from += 25) {
    const puts = items.slice(from, from + 25).map((Item) => ({ PutRequest: { Item } }));
    await call('BatchWriteItem', { RequestItems: { [TableName]: puts } });
  }
  return (await call<{ Table: TableDescription }>('DescribeTable', { TableName })).Table;
}

function sourceOf(table: TableDescription, indexName?: string): CollectionSource {
  const index = indexesOf(table).find(({ IndexName }) => IndexName === indexName);
  return new CollectionSource({ table, index, partition: undefined, sort: undefined, call });
}

async function scanned(table: TableDescription, indexName?: string): Promise<readonly AttributeMap[]> {
  const items: AttributeMap[] = [];
  let after: AttributeMap | undefined;
  do {
    const page: { Items: AttributeMap[]; LastEvaluatedKey?: AttributeMap } = await call('Scan', {
      TableName: table.TableName,
      ...(indexName !== undefined && { IndexName: indexName }),
      ...(after && { ExclusiveStartKey: after }),
    });
    items.push(...page.Items);
    after = page.LastEvaluatedKey;
  } while (after !== undefined);
  return items;
}

function loaded(source: CollectionSource): SourceState {
  const state = source.snapshot();
  if (state.error) throw state.error;
  return state;
}

async function readToBothEnds(source: CollectionSource): Promise<readonly AttributeMap[]> {
  for (let steps = 0; !loaded(source).isEnd; steps += 1) {
    expect(steps).toBeLessThan(500);
    await source.after();
  }
  for (let steps = 0; !loaded(source).isStart; steps += 1) {
    expect(steps).toBeLessThan(500);
    await source.before();
  }
  return loaded(source).items;
}

/** Where the server says that an item is. */
async function fractionOf(table: TableDescription, indexName: string | undefined, item: AttributeMap): Promise<number> {
  const index = indexesOf(table).find(({ IndexName }) => IndexName === indexName);
  const { partition } = keyNamesOf(index ?? table);
  const key = encodeURIComponent(JSON.stringify({ [partition]: item[partition] }));
  const query = `key=${key}${indexName === undefined ? '' : `&index=${indexName}`}`;
  const answer = await fetch(`${server.url}/_singlet/place/${table.TableName}?${query}`);
  return ((await answer.json()) as { fraction: number }).fraction;
}

const sizes = fc.oneof(
  fc.array(fc.integer({ min: 1, max: 8 }), { maxLength: 150 }),
  fc.array(fc.oneof(fc.constant(1), fc.integer({ min: 150, max: 1300 })), { minLength: 1, maxLength: 3 }),
);
const place = fc.oneof(fc.constant(0), fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true }));

describe('items from any place on', () => {
  test('WB-19: reading on in both directions reaches every key exactly once, in the order of a scan', async () => {
    await fc.assert(
      fc.asyncProperty(
        sizes,
        fc.constantFrom(undefined, 'ByG', 'ByH'),
        fc.array(place, { minLength: 1, maxLength: 3 }),
        async (lengths, index, places) => {
          const table = await tableOf(lengths);
          const source = sourceOf(table, index);
          for (const fraction of places) await source.jump(fraction);
          expect(await readToBothEnds(source)).toEqual(await scanned(table, index));
        },
      ),
      { numRuns: 12 },
    );
  });

  test('WB-18: a jump on evenly spread data takes at most two requests, and shows what is there', async () => {
    const table = await tableOf(Array.from({ length: 1500 }, (_, at) => (at % 3) + 1));
    const all = await scanned(table);
    const source = sourceOf(table);
    for (const fraction of [0.05, 0.33, 0.5, 0.73, 0.95]) {
      const before = requests;
      await source.jump(fraction);
      expect(requests - before).toBeLessThanOrEqual(2);
      const { items, from, to } = loaded(source);
      const at = all.findIndex((item) => JSON.stringify(item) === JSON.stringify(items[0])) / all.length;
      expect(Math.abs(at - fraction)).toBeLessThan(0.06);
      expect(from).toBeLessThanOrEqual(fraction);
      expect(to).toBeGreaterThan(from);
    }
  });

  test('WB-04, WB-19: an item is shown among its neighbours by few requests, and reading on from it reaches every key once', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, fc.constantFrom(undefined, 'ByG'), fc.nat(), async (lengths, index, choice) => {
        const table = await tableOf(lengths);
        const all = await scanned(table, index);
        const item = all[choice % Math.max(1, all.length)];
        if (item === undefined) return;
        const source = sourceOf(table, index);
        const fraction = await fractionOf(table, index, item);
        const before = requests;
        await source.jumpToItem(() => Promise.resolve({ item, fraction }), 0);
        // A part of hash space has few items, or few collections.
        expect(requests - before).toBeLessThanOrEqual(15);
        expect(loaded(source).items).toContainEqual(item);
        expect(await readToBothEnds(source)).toEqual(all);
      }),
      { numRuns: 25 },
    );
  });

  test('WB-04: an item far within a large collection is shown without reading what is before it', async () => {
    const table = await tableOf([4, 3000, 5, 1]);
    const all = await scanned(table);
    const item = all.find(({ PK, SK }) => JSON.stringify([PK, SK]) === '[{"S":"c1"},{"N":"2500"}]');
    if (item === undefined) throw new TypeError('the item is not there');
    const source = sourceOf(table);
    const fraction = await fractionOf(table, undefined, item);
    const before = requests;
    await source.jumpToItem(() => Promise.resolve({ item, fraction }), 0);
    expect(requests - before).toBeLessThanOrEqual(12);
    expect(loaded(source).items[0]).toEqual(item);
    expect(await readToBothEnds(source)).toEqual(all);
  });

  test('WB-04, WB-19: from an item in one of several large collections, what is before it is read back to the start', async () => {
    // An outdated count makes one part of hash space of all of it.
    const table = { ...(await tableOf([700, 650, 300])), ItemCount: 1 };
    const all = await scanned(table);
    const item = all.at(-100);
    if (item === undefined) throw new TypeError('the item is not there');
    const source = sourceOf(table);
    await source.jumpToItem(async () => ({ item, fraction: await fractionOf(table, undefined, item) }), 0);
    expect(loaded(source).items[0]).toEqual(item);
    const before = requests;
    expect(await readToBothEnds(source)).toEqual(all);
    expect(requests - before).toBeLessThanOrEqual(15);
  });

  test('WB-04: an item that is not found leaves the position as it was asked for', async () => {
    const table = await tableOf(Array.from({ length: 300 }, () => 2));
    const [source, plain] = [sourceOf(table), sourceOf(table)];
    await source.jumpToItem(() => Promise.resolve(undefined), 0.5);
    await plain.jump(0.5);
    expect(loaded(source).items).toEqual(loaded(plain).items);
  });

  test('WB-17: a large collection is skipped by one request', async () => {
    const table = await tableOf([1100, 5, 5]);
    const all = await scanned(table);
    const source = sourceOf(table);
    await source.jump(0);
    while (loaded(source).items.at(-1)?.['PK']?.valueOf() === undefined) await source.after();
    const partitions = (items: readonly AttributeMap[]): Set<string> =>
      new Set(items.map(({ PK }) => JSON.stringify(PK)));
    while (!loaded(source).isEnd) {
      const last = JSON.stringify(loaded(source).items.at(-1)?.['PK']);
      await source.after({ skipCollection: true });
      const next = loaded(source).items.map(({ PK }) => JSON.stringify(PK));
      expect(next.lastIndexOf(last)).toBeLessThan(next.length);
    }
    expect(partitions(loaded(source).items)).toEqual(partitions(all));
    expect(loaded(source).items.length).toBeLessThan(600);
  });

  test('WB-17, WB-19: the rest of a skipped collection is read once it is wanted, and nothing is missing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.constant(2), fc.integer({ min: 150, max: 700 })), { minLength: 1, maxLength: 6 }),
        fc.array(fc.nat(9), { maxLength: 12 }),
        fc.constantFrom(undefined, 'ByG'),
        async (lengths, choices, index) => {
          const table = await tableOf(lengths);
          const source = sourceOf(table, index);
          await source.jump(0);
          for (const choice of choices) {
            const skipped = [...loaded(source).skipped];
            const wanted = skipped[choice % Math.max(1, skipped.length)];
            if (choice % 3 === 0 && wanted !== undefined) await source.resume(wanted);
            else await source.after({ skipCollection: choice % 3 === 1 });
          }
          for (const partition of loaded(source).skipped)
            expect(loaded(source).items.some((item) => source.partitionOf(item) === partition)).toBe(true);
          // All that was skipped is wanted again, the last one first.
          for (let [...left] = loaded(source).skipped; left.length > 0; [...left] = loaded(source).skipped)
            await source.resume(left.at(-1) ?? '');
          expect(await readToBothEnds(source)).toEqual(await scanned(table, index));
        },
      ),
      { numRuns: 15 },
    );
  });

  test('WB-16: at most 20,000 items are held, and what was forgotten is read again', async () => {
    const count = itemsHeldMax + 700;
    const items = Array.from({ length: count }, (_, at) => ({ PK: { S: 'one' }, SK: { N: String(at) } }));
    const table = { ...(await tableOf([1])), ItemCount: 1 };
    const pages: Call = <Output>(_: string, input: object): Promise<Output> => {
      const { ExclusiveStartKey: after } = input as { ExclusiveStartKey?: { SK: { N: string } } };
      const from = after === undefined ? 0 : Number(after.SK.N) + 1;
      const Items = items.slice(from, from + 200);
      const last = from + 200 < count ? { LastEvaluatedKey: Items.at(-1) } : {};
      return Promise.resolve({ Items, ...last } as Output);
    };
    const source = new CollectionSource({
      table,
      index: undefined,
      partition: undefined,
      sort: undefined,
      call: pages,
    });
    await source.jump(0);
    while (!loaded(source).isEnd) {
      await source.after();
      expect(loaded(source).items.length).toBeLessThanOrEqual(itemsHeldMax);
    }
    expect(loaded(source).items.at(-1)).toEqual(items.at(-1));
    expect(loaded(source).isStart).toBe(false);
    while (!loaded(source).isStart) {
      await source.before();
      expect(loaded(source).items.length).toBeLessThanOrEqual(itemsHeldMax);
    }
    expect(loaded(source).items).toEqual(items.slice(0, loaded(source).items.length));
    expect(loaded(source).isEnd).toBe(false);
  });

  test('one collection begins at either end and is read whole', async () => {
    const table = await tableOf([700, 3]);
    for (const from of [0, 1]) {
      const source = new CollectionSource({ table, index: undefined, partition: { S: 'c0' }, sort: undefined, call });
      await source.jump(from);
      expect(loaded(source).items[from === 0 ? 0 : 199]?.['SK']).toEqual({ N: from === 0 ? '-3' : '696' });
      const items = await readToBothEnds(source);
      expect(items.map(({ SK }) => Number((SK as { N: string }).N))).toEqual(
        Array.from({ length: 700 }, (_, at) => at - 3),
      );
    }
  });

  test('a refused request is said, and the next one continues', async () => {
    const table = await tableOf([3]);
    const source = new CollectionSource({
      table,
      index: undefined,
      partition: { S: 'c0' },
      sort: { operator: 'begins_with', values: [{ N: '1' }] },
      call,
    });
    await source.jump(0);
    expect(source.snapshot().error?.message).toContain('begins_with');
    expect(source.snapshot().loading).toBe(false);
  });
});
