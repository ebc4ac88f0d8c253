/**
 * Compares the preview of a write with the write itself, for random tables, items and requests. Everything in a preview must be
 * true after the request has been carried out, and a preview must leave no trace.
 */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDatabase, type Database, DynamoError } from '../src/index.ts';
import { openMemoryStore } from '../src/storage/memory/memory-store.ts';
import type { Store } from '../src/storage/store.ts';

type Item = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface World {
  readonly database: Database;
  readonly store: Store;
}

interface Effect {
  readonly table: string;
  readonly key: Item;
  readonly old: Item | null;
  readonly new: Item | null;
  readonly oldBytes: number;
  readonly newBytes: number;
  readonly indexes: readonly {
    readonly name: string;
    readonly change: string;
    readonly reason?: string;
    readonly oldKey?: Item;
    readonly newKey?: Item;
    readonly writes: number;
  }[];
  readonly stream: { readonly eventName: string; readonly view: string } | null;
  readonly ttl: { readonly expiresAtEpochMs: number | null } | null;
  readonly collectionBytes: number | null;
  readonly writes: number;
}

interface Preview {
  readonly ok: boolean;
  readonly error?: { readonly name: string; readonly message: string; readonly reasons?: readonly object[] };
  readonly items: readonly Effect[];
  readonly capacity: {
    readonly reads: number;
    readonly writes: number;
    readonly tables: Readonly<Record<string, { readonly writes: number }>>;
    readonly indexes: Readonly<Record<string, { readonly writes: number }>>;
  };
}

async function open(): Promise<World> {
  const store = openMemoryStore();
  const database = await createDatabase({
    store,
    clock: { nowMs: () => 1_700_000_000_000 },
    backgroundWork: 'on-demand',
  });
  return { database, store };
}

async function preview({ database }: World, operation: string, input: object): Promise<Preview> {
  const answer = await database.handle({
    method: 'POST',
    url: '/_singlet/preview',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ operation, input })),
  });
  const text = Buffer.from(answer.body).toString('utf8');
  expect(answer.status, text).toBe(200);
  return JSON.parse(text) as Preview;
}

/** Everything that is stored. */
async function contents(store: Store): Promise<readonly string[]> {
  const all: string[] = [];
  await store.range({ from: Buffer.alloc(1), to: Buffer.alloc(8, 0xff) }, (key, value) => {
    all.push(`${Buffer.from(key).toString('hex')}=${Buffer.from(value).toString('hex')}`);
    return true;
  });
  return all;
}

interface TableShape {
  readonly isComposite: boolean;
  readonly projection: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
  readonly globals: number;
  readonly hasLocal: boolean;
  readonly view: 'NEW_AND_OLD_IMAGES' | 'KEYS_ONLY' | undefined;
}

const tableShape: fc.Arbitrary<TableShape> = fc.record({
  isComposite: fc.boolean(),
  projection: fc.constantFrom('ALL', 'KEYS_ONLY', 'INCLUDE'),
  globals: fc.integer({ min: 0, max: 2 }),
  hasLocal: fc.boolean(),
  view: fc.constantFrom('NEW_AND_OLD_IMAGES', 'KEYS_ONLY', undefined),
});

function createInput({ isComposite, projection, globals, hasLocal, view }: TableShape): object {
  const local = isComposite && hasLocal;
  const Projection = {
    ProjectionType: projection,
    ...(projection === 'INCLUDE' && { NonKeyAttributes: ['note'] }),
  };
  const key = (hash: string, range?: string): object[] => [
    { AttributeName: hash, KeyType: 'HASH' },
    ...(range === undefined ? [] : [{ AttributeName: range, KeyType: 'RANGE' }]),
  ];
  const names = [
    'pk',
    ...(isComposite ? ['sk'] : []),
    ...(globals > 0 ? ['g'] : []),
    ...(globals > 1 || local ? ['n'] : []),
  ];
  return {
    TableName: 'Things',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: names.map((name) => ({ AttributeName: name, AttributeType: name === 'n' ? 'N' : 'S' })),
    KeySchema: key('pk', isComposite ? 'sk' : undefined),
    ...(local && { LocalSecondaryIndexes: [{ IndexName: 'local', KeySchema: key('pk', 'n'), Projection }] }),
    ...(globals > 0 && {
      GlobalSecondaryIndexes: [
        { IndexName: 'first', KeySchema: key('g'), Projection },
        { IndexName: 'second', KeySchema: key('g', 'n'), Projection },
      ].slice(0, globals),
    }),
    ...(view !== undefined && { StreamSpecification: { StreamEnabled: true, StreamViewType: view } }),
  };
}

const few = fc.constantFrom('a', 'b');
const attributes = fc.record(
  {
    g: fc.oneof(
      { weight: 5, arbitrary: fc.record({ S: fc.constantFrom('x', 'y') }) },
      fc.constant({ N: '1' }),
      fc.constant({ S: '' }),
    ),
    n: fc.oneof(
      { weight: 5, arbitrary: fc.record({ N: fc.constantFrom('1', '2.50') }) },
      fc.constant({ S: 'no number' }),
    ),
    note: fc.record({ S: fc.constantFrom('short', 'z'.repeat(1500)) }),
    expires: fc.record({ N: fc.constantFrom('1800000000', '-1') }),
  },
  { requiredKeys: [] },
);

type Write = { readonly operation: string; readonly input: (shape: TableShape) => object };

const keyOf = ({ isComposite }: TableShape, pk: string, sk: string): Item => ({
  pk: { S: pk },
  ...(isComposite && { sk: { S: sk } }),
});

const oneWrite: fc.Arbitrary<{
  readonly kind: 'Put' | 'Update' | 'Delete';
  readonly of: (shape: TableShape) => object;
}> = fc
  .record({
    kind: fc.constantFrom('Put' as const, 'Update' as const, 'Delete' as const),
    pk: few,
    sk: few,
    more: attributes,
    removed: fc.constantFrom('g', 'n', 'note'),
    condition: fc.constantFrom(undefined, undefined, 'attribute_exists(pk)', 'attribute_not_exists(g)'),
    returns: fc.constantFrom(undefined, 'ALL_OLD'),
  })
  .map(({ kind, pk, sk, more, removed, condition, returns }) => ({
    kind,
    of: (shape) => {
      const common = {
        TableName: 'Things',
        ...(condition !== undefined && { ConditionExpression: condition }),
        ...(returns !== undefined && { ReturnValuesOnConditionCheckFailure: returns }),
      };
      const key = keyOf(shape, pk, sk);
      if (kind === 'Put') return { ...common, Item: { ...key, ...more } };
      if (kind === 'Delete') return { ...common, Key: key };
      const set = Object.entries(more).filter(([name]) => name !== removed);
      return {
        ...common,
        Key: key,
        UpdateExpression: [
          ...(set.length > 0 ? [`SET ${set.map(([name]) => `${name} = :${name}`).join(', ')}`] : []),
          `REMOVE ${removed}`,
        ].join(' '),
        ...(set.length > 0 && {
          ExpressionAttributeValues: Object.fromEntries(set.map(([name, value]) => [`:${name}`, value])),
        }),
      };
    },
  }));

const write: fc.Arbitrary<Write> = fc.oneof(
  { weight: 6, arbitrary: oneWrite.map(({ kind, of }) => ({ operation: `${kind}Item`, input: of })) },
  {
    weight: 2,
    arbitrary: fc.array(oneWrite, { minLength: 1, maxLength: 3 }).map((writes) => ({
      operation: 'TransactWriteItems',
      input: (shape: TableShape) => ({ TransactItems: writes.map(({ kind, of }) => ({ [kind]: of(shape) })) }),
    })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(attributes, attributes).map(([first, second]) => ({
      operation: 'BatchWriteItem',
      input: (shape: TableShape) => ({
        RequestItems: {
          Things: [
            { PutRequest: { Item: { ...keyOf(shape, 'a', 'a'), ...first } } },
            { PutRequest: { Item: { ...keyOf(shape, 'b', 'b'), ...second } } },
          ],
        },
      }),
    })),
  },
);

interface Seen {
  readonly items: readonly Item[];
  readonly byIndex: ReadonlyMap<string, readonly Item[]>;
  readonly records: readonly { readonly id: string; readonly eventName: string; readonly keys: Item }[];
}

async function look({ database }: World, shape: TableShape): Promise<Seen> {
  const scan = async (IndexName?: string): Promise<readonly Item[]> =>
    ((await database.request('Scan', { TableName: 'Things', IndexName })) as { Items: readonly Item[] }).Items;
  const { Table } = (await database.request('DescribeTable', { TableName: 'Things' })) as {
    Table: Record<string, { IndexName: string }[] | undefined> & { LatestStreamArn?: string };
  };
  const names = [...(Table['LocalSecondaryIndexes'] ?? []), ...(Table['GlobalSecondaryIndexes'] ?? [])].map(
    ({ IndexName }) => IndexName,
  );
  const byIndex = new Map<string, readonly Item[]>();
  for (const name of names) byIndex.set(name, await scan(name));
  const records = shape.view === undefined ? [] : await recordsOf(database, String(Table.LatestStreamArn));
  return { items: await scan(), byIndex, records };
}

async function recordsOf(database: Database, StreamArn: string): Promise<Seen['records']> {
  const { StreamDescription } = (await database.request('DescribeStream', { StreamArn })) as {
    StreamDescription: { Shards: { ShardId: string }[] };
  };
  const all: { id: string; eventName: string; keys: Item }[] = [];
  for (const { ShardId } of StreamDescription.Shards) {
    const { ShardIterator } = (await database.request('GetShardIterator', {
      StreamArn,
      ShardId,
      ShardIteratorType: 'TRIM_HORIZON',
    })) as { ShardIterator: string };
    const { Records } = (await database.request('GetRecords', { ShardIterator })) as {
      Records: { eventID: string; eventName: string; dynamodb: { Keys: Item } }[];
    };
    all.push(...Records.map(({ eventID, eventName, dynamodb }) => ({ id: eventID, eventName, keys: dynamodb.Keys })));
  }
  return all;
}

const matches = (item: Item, key: Item): boolean =>
  Object.entries(key).every(([name, value]) => JSON.stringify(item[name]) === JSON.stringify(value));
const find = (items: readonly Item[], key: Item): Item | undefined => items.find((item) => matches(item, key));
const sorted = (item: Item | null | undefined): unknown =>
  item && Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1));

interface Answer {
  readonly error?: { readonly name: string; readonly message: string };
  readonly units: number;
  readonly indexUnits: Readonly<Record<string, number>>;
  readonly collectionSizes: number;
}

type Units = Readonly<Record<string, { readonly CapacityUnits: number }>>;
interface Consumed {
  readonly CapacityUnits: number;
  readonly GlobalSecondaryIndexes?: Units;
  readonly LocalSecondaryIndexes?: Units;
}

async function carryOut({ database }: World, operation: string, input: object): Promise<Answer> {
  const none = { units: 0, indexUnits: {}, collectionSizes: 0 };
  try {
    const answer = (await database.request(operation, {
      ...input,
      ReturnConsumedCapacity: 'INDEXES',
      ReturnItemCollectionMetrics: 'SIZE',
    })) as { ConsumedCapacity: Consumed | readonly Consumed[] };
    const [consumed] = [answer.ConsumedCapacity].flat() as readonly Consumed[];
    if (consumed === undefined) return none;
    const indexes = { ...consumed.GlobalSecondaryIndexes, ...consumed.LocalSecondaryIndexes };
    return {
      ...none,
      units: consumed.CapacityUnits,
      indexUnits: Object.fromEntries(Object.entries(indexes).map(([name, { CapacityUnits }]) => [name, CapacityUnits])),
    };
  } catch (error) {
    if (!(error instanceof DynamoError)) throw error;
    return { ...none, error: { name: error.name, message: error.message } };
  }
}

function checkEffects(previewed: Preview, before: Seen, after: Seen): void {
  for (const effect of previewed.items) {
    const { key } = effect;
    expect(sorted(effect.old ?? undefined)).toEqual(sorted(find(before.items, key)));
    expect(sorted(effect.new ?? undefined)).toEqual(sorted(find(after.items, key)));
    for (const index of effect.indexes) {
      const [was, is] = [before, after].map((seen) => find(seen.byIndex.get(index.name) ?? [], key));
      const moved = index.oldKey !== undefined && JSON.stringify(index.oldKey) !== JSON.stringify(index.newKey);
      const change =
        was === undefined
          ? is === undefined
            ? 'absent'
            : 'put'
          : is === undefined
            ? 'delete'
            : moved
              ? 'move'
              : JSON.stringify(sorted(was)) === JSON.stringify(sorted(is))
                ? 'none'
                : 'replace';
      expect(index.change, `${index.name} of ${JSON.stringify(key)}`).toBe(change);
      if (was !== undefined) expect(matches(was, index.oldKey ?? {})).toBe(true);
      if (is !== undefined) expect(matches(is, index.newKey ?? {})).toBe(true);
      expect(index.reason !== undefined).toBe(effect.new !== null && is === undefined);
      expect(index.writes > 0).toBe(index.change !== 'none' && index.change !== 'absent');
    }
  }
  const known = new Set(before.records.map(({ id }) => id));
  const added = after.records.filter(({ id }) => !known.has(id));
  const expected = previewed.items.flatMap(({ key, stream }) =>
    stream === null ? [] : [{ eventName: stream.eventName, keys: sorted(key) }],
  );
  const named = added.map(({ eventName, keys }) => ({ eventName, keys: sorted(keys) }));
  const text = (all: readonly object[]): readonly string[] => all.map((one) => JSON.stringify(one)).toSorted();
  expect(text(named)).toEqual(text(expected));
}

describe('a preview', () => {
  test('says what the write then does, and leaves no trace', async () => {
    let refused = 0;
    let changedIndexes = 0;
    await fc.assert(
      fc.asyncProperty(tableShape, fc.array(write, { minLength: 3, maxLength: 8 }), async (shape, writes) => {
        const world = await open();
        try {
          await world.database.request('CreateTable', createInput(shape));
          for (const { operation, input } of writes) {
            const request = input(shape);
            const before = await look(world, shape);
            const stored = await contents(world.store);
            const previewed = await preview(world, operation, request);
            expect(await contents(world.store)).toEqual(stored);
            const answer = await carryOut(world, operation, request);
            expect(previewed.error && { name: previewed.error.name, message: previewed.error.message }).toEqual(
              answer.error,
            );
            expect(previewed.ok).toBe(answer.error === undefined);
            if (previewed.ok) {
              expect(previewed.capacity.writes).toBe(answer.units);
              const units = Object.entries(previewed.capacity.indexes).map(
                ([name, { writes }]) => [name, writes] as const,
              );
              expect(Object.fromEntries(units)).toEqual(answer.indexUnits);
            }
            checkEffects(previewed, before, await look(world, shape));
            if (!previewed.ok) refused += 1;
            changedIndexes += previewed.items
              .flatMap(({ indexes }) => indexes)
              .filter(({ writes }) => writes > 0).length;
          }
        } finally {
          await world.database.close();
        }
      }),
      { numRuns: 60 },
    );
    // The requests covered enough cases.
    expect(refused).toBeGreaterThan(2);
    expect(changedIndexes).toBeGreaterThan(5);
  });
});
