import { CreateTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { createDatabase } from 'singlet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fastClient } from '../../test/random-models/fast-client.ts';
import { codec } from '../entities/codec.ts';
import { entity } from '../entities/entity.ts';
import { model } from '../model.ts';
import { add } from '../patterns/value.ts';
import { counterexampleTest } from './counterexample.ts';
import { prove } from './prove.ts';
import { proveCall } from './prove-call.ts';
import { proveSteps, type WriteStep } from './prove-writes.ts';

const shop = model('shop')
  .entities({
    Customer: entity({ customer: z.string().regex(/^[a-z]{1,3}$/), name: z.string().optional() }),
    Order: entity({
      customer: z.string().regex(/^[a-z]{1,3}$/),
      number: z.int().min(0).max(999),
      status: z.enum(['open', 'paid']),
    }),
  })
  .relationships([])
  .patterns({
    order: { reads: 'Order', by: ['customer', 'number'] },
    orders: { reads: ['Order'], by: ['customer'], order: 'number desc', limit: 3 },
    several: { reads: 'Order', by: ['customer', 'number'], each: true },
    paid: { reads: ['Order'], by: ['customer'], order: 'number asc', where: { status: 'paid' } },
    place: { creates: 'Order' },
  })
  .tables({ Shop: { key: ['PK', 'SK'] } })
  .keys({
    Customer: { Shop: ['C#{customer}', '!'] },
    Order: { Shop: ['C#{customer}', 'O#{number:03}'] },
  })
  .served({
    order: 'GetItem',
    orders: { query: 'Shop' },
    several: 'BatchGetItem',
    paid: { query: 'Shop' },
    place: 'PutItem',
  });

let database: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(async () => {
  await database.close();
});

const list = async (): Promise<string[]> => {
  const client = new DynamoDBClient(database.clientConfig());
  const { TableNames = [] } = await client.send(new ListTablesCommand({}));
  client.destroy();
  return TableNames;
};

describe('a model that answers rightly', () => {
  test('agrees, and leaves no table behind', async () => {
    const seen: number[] = [];
    const client = fastClient(database);
    const report = await prove(shop, { client, runs: 12, onProgress: ({ run }) => seen.push(run) });
    expect(report.counterexamples).toEqual([]);
    expect(report.ok).toBe(true);
    expect(report.patterns.map(({ pattern, verdict }) => [pattern, verdict])).toEqual([
      ['order', 'agrees'],
      ['orders', 'agrees'],
      ['several', 'agrees'],
      ['paid', 'agrees'],
      ['place', 'not run'],
    ]);
    expect(report.calls).toBeGreaterThan(200);
    expect(seen).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
    expect(await list()).toEqual([]);
  });

  test('is proven through the SDK, too', async () => {
    const client = new DynamoDBClient(database.clientConfig());
    expect((await prove(shop, { client, runs: 2 })).ok).toBe(true);
    client.destroy();
  });

  test('stops in time', async () => {
    const report = await prove(shop, { client: fastClient(database), runs: 1000, seconds: 0 });
    expect(report.calls).toBe(0);
  });
});

test('an input that is a list under another name is called with lists', async () => {
  const id = z.string().min(1).max(8);
  const places = model('places')
    .entities({
      Hotel: entity({ cell: codec(z.string().min(1).max(8), { decode: (text) => text, encode: (text) => text }), id }),
    })
    .relationships([])
    .patterns({
      near: {
        reads: ['Hotel'],
        aka: { where: 'cell' },
        among: { where: 3 },
      },
    })
    .tables({ Places: { key: ['PK', 'SK'] } })
    .keys({ Hotel: { Places: ['{cell}', '{id}'] } })
    .served({ near: { query: 'Places', fanOut: 3 } });
  const report = await prove(places, { client: fastClient(database), runs: 4 });
  expect(report.counterexamples).toEqual([]);
  expect(report.patterns).toMatchObject([{ pattern: 'near', verdict: 'agrees' }]);
});

test('a write that check refuses is left out of the sequences', async () => {
  const stocks = model('stocks')
    .entities({ Stock: entity({ sku: z.string().regex(/^[a-z]{1,3}$/), left: z.int().min(0).max(5) }) })
    .relationships([])
    .patterns({
      stock: { puts: 'Stock' },
      sell: { updates: 'Stock', by: ['sku'], changes: { left: add(-1) } },
      sellLast: { updates: 'Stock', by: ['sku'], changes: { left: add(-1) }, given: { left: { above: 0 } } },
    })
    .tables({ Stocks: { key: ['PK'] } })
    .keys({ Stock: { Stocks: ['S#{sku}'] } })
    .served({ stock: 'PutItem', sell: 'UpdateItem', sellLast: 'UpdateItem' });
  const { wrongWrites, patterns } = await prove(stocks, { client: fastClient(database), runs: 8, writes: true });
  expect(wrongWrites).toBeUndefined();
  expect(patterns).toMatchObject([
    { pattern: 'stock', verdict: 'agrees' },
    { pattern: 'sell', verdict: 'not run', refusedBy: ['bound-not-kept'] },
    { pattern: 'sellLast', verdict: 'agrees' },
  ]);
});

test('parts of a transaction have no order, and a type of two entities is told by the key', async () => {
  const id = z.string().regex(/^[a-z]$/);
  const boards = model('boards')
    .entities({ Note: entity({ id, open: z.boolean() }), Copy: entity({ id, open: z.boolean() }) })
    .relationships([])
    .patterns({
      note: {
        transacts: {
          before: { checks: 'Note', by: ['id'], given: { open: true } },
          note: { puts: 'Note' },
          copy: { puts: 'Copy' },
        },
      },
    })
    .tables({ Boards: { key: ['PK', 'SK'], type: 'Type' } })
    .keys({ Note: { Boards: ['N#{id}', 'NOTE'] }, Copy: { Boards: ['N#{id}', 'COPY'] } }, { Copy: { type: 'Note' } })
    .served({ note: 'TransactWriteItems' });
  const item = { id: 'a', open: true };
  const note = (before: object): WriteStep => ({
    calls: [{ pattern: 'note', input: { before, note: item, copy: item } }],
    now: Date.UTC(2024, 0, 1),
    order: 1,
  });
  // The check looks at the item that is written in its place.
  expect(await proveSteps(boards, { client: fastClient(database), steps: [note({ id: 'a' })] })).toBeUndefined();
  expect(await proveSteps(boards, { client: fastClient(database), steps: [note({ id: 'b' })] })).toBeUndefined();
});

test('an item in a table without types is of the entity of its table, although it has the key of another as well', async () => {
  const name = z.string().regex(/^[a-z]{1,2}$/);
  const lists = model('lists')
    .entities({ List: entity({ list: name }), Entry: entity({ list: name, entry: name, done: z.boolean() }) })
    .relationships([])
    .patterns({ addList: { creates: 'List' }, addEntry: { creates: 'Entry' } })
    .tables({ Lists: { key: ['list'], type: false }, Entries: { key: ['list', 'entry'], type: false } })
    .keys({ List: { Lists: ['{list}'] }, Entry: { Entries: ['{list}', '{entry}'] } })
    .served({ addList: 'PutItem', addEntry: 'PutItem' });
  const { wrongWrites } = await prove(lists, { client: fastClient(database), runs: 3, writes: true });
  expect(wrongWrites).toBeUndefined();
});

test('items that are created at once may be parents of one another', async () => {
  const id = z.string().regex(/^[a-z]$/);
  const trees = model('trees')
    .entities({ Node: entity({ id, above: id.optional(), below: z.int().default(0) }) })
    .relationships([['Node', '1:N', 'Node', { count: 'below', by: { id: 'above' } }]])
    .patterns({ createNode: { creates: 'Node' }, createNodes: { creates: ['Node'] } })
    .tables({ Trees: { key: ['PK'] } })
    .keys({ Node: { Trees: ['N#{id}'] } })
    .served({ createNode: 'TransactWriteItems', createNodes: 'TransactWriteItems' });
  const after = async (pattern: string, input: unknown): Promise<unknown> => {
    const steps = [{ calls: [{ pattern, input }], now: Date.UTC(2024, 0, 1), order: 1 }];
    return proveSteps(trees, { client: fastClient(database), steps });
  };
  expect(await after('createNodes', [{ id: 'a', above: 'b' }, { id: 'b' }])).toBeUndefined();
  expect(
    await after('createNodes', [
      { id: 'a', above: 'b' },
      { id: 'b', above: 'a' },
    ]),
  ).toBeUndefined();
  expect(await after('createNode', { id: 'a', above: 'b' })).toBeUndefined();
});

test('what writes return is compared as well', async () => {
  const notes = model('notes')
    .entities({ Note: entity({ id: z.string(), text: z.string(), seen: z.int().default(0) }) })
    .relationships([])
    .patterns({
      write: { creates: 'Note' },
      see: { updates: 'Note', by: ['id'], changes: { seen: add(1) }, returns: 'new' },
      take: { deletes: 'Note', by: ['id'], returns: 'old' },
    })
    .tables({ Notes: { key: ['PK'] } })
    .keys({ Note: { Notes: ['N#{id}'] } })
    .served({ write: 'PutItem', see: 'UpdateItem', take: 'DeleteItem' });
  const after = async (client: DynamoDBClient, ...patterns: readonly string[]): Promise<unknown> => {
    const written = { pattern: 'write', input: { id: 'a', text: 't' } };
    const calls = [written, ...patterns.map((pattern) => ({ pattern, input: { id: 'a' } }))];
    const steps = calls.map((call, order) => ({ calls: [call], now: Date.UTC(2024, 0, 1), order }));
    return proveSteps(notes, { client, steps });
  };
  expect(await after(fastClient(database), 'see', 'take', 'take')).toBeUndefined();
  const stale = new DynamoDBClient(database.clientConfig());
  stale.middlewareStack.add(
    (next) => async (args) => next({ ...args, input: { ...args.input, ReturnValues: undefined } }),
    { step: 'initialize' },
  );
  expect(await after(stale, 'see')).toEqual({
    kind: 'wrong result',
    message: 'see: should return id=S"a", seen=N1e0, text=S"t", and returns nothing',
  });
  stale.destroy();
});

test('a sum within a document is exact, too', async () => {
  const limits = z.object({ most: z.int(), by: z.array(z.int()) }).default({ most: 0, by: [] });
  const gauges = model('gauges')
    .entities({ Gauge: entity({ id: z.string(), limits }) })
    .relationships([])
    .patterns({
      set: { upserts: 'Gauge' },
      raise: { updates: 'Gauge', by: ['id'], changes: { 'limits.most': add(1) } },
    })
    .tables({ Gauges: { key: ['PK'] } })
    .keys({ Gauge: { Gauges: ['G#{id}'] } })
    .served({ set: 'UpdateItem', raise: 'UpdateItem' });
  const step = (pattern: string, input: object): WriteStep => ({ calls: [{ pattern, input }], now: 0, order: 1 });
  const set = step('set', { id: 'a', limits: { most: Number.MAX_SAFE_INTEGER, by: [1] } });
  const steps = [set, step('raise', { id: 'a' })];
  expect(await proveSteps(gauges, { client: fastClient(database), steps })).toBeUndefined();
});

test('tables that exist are refused and left alone', async () => {
  const client = fastClient(database);
  await client.send(
    new CreateTableCommand({
      TableName: 'mine-Shop',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    }),
  );
  await expect(prove(shop, { client, tablePrefix: 'mine-' })).rejects.toThrow('already exists');
  expect(await list()).toEqual(['mine-Shop']);
});

test('a table that the service refuses is a fault of the model, and no other table is left behind', async () => {
  const id = z.string().min(1).max(8);
  const bees = model('bees')
    .entities({ Hive: entity({ hive: id }), Jar: entity({ jar: id }) })
    .relationships([])
    .patterns({ hive: { reads: 'Hive', by: ['hive'] }, jar: { reads: 'Jar', by: ['jar'] } })
    .tables({ Hives: { key: ['PK'] }, Jars: { key: ['PK'], indexes: { G1: ['GSI1PK'] } } })
    .keys({ Hive: { Hives: ['HIVE#{hive}'] }, Jar: { Jars: ['JAR#{jar}'], G1: ['{jar}'] } })
    .served({ hive: 'GetItem', jar: 'GetItem' });
  const client = new DynamoDBClient(database.clientConfig());
  const before = await list();
  await expect(prove(bees, { client })).rejects.toMatchObject({
    name: 'ModelError',
    problems: [{ code: 'refused-table', path: 'tables.Jars', message: expect.stringContaining("'G1'") as string }],
  });
  expect(await list()).toEqual(before);
  client.destroy();
});

/** A service that answers wrongly: the answers to queries are changed. */
function tampered(change: (answer: Answer, input: Input) => Answer): DynamoDBClient {
  const honest = fastClient(database);
  const send = async (command: { readonly input: Input; readonly constructor: { readonly name: string } }) => {
    const answer = (await honest.send(command as never)) as Answer;
    return command.constructor.name === 'QueryCommand' ? change(answer, command.input) : answer;
  };
  return { send, destroy: () => undefined } as unknown as DynamoDBClient;
}
interface Answer {
  readonly Items: readonly Readonly<Record<string, { readonly S?: string; readonly N?: string }>>[];
  readonly LastEvaluatedKey?: object;
}
interface Input {
  readonly Limit?: number;
  readonly ScanIndexForward?: boolean;
}

describe('a service that answers wrongly is found out', () => {
  test.each<[string, (answer: Answer, input: Input) => Answer, string]>([
    ['the last item is left out', (answer) => ({ ...answer, Items: answer.Items.slice(0, -1) }), 'lost item'],
    [
      'the first item comes twice',
      (answer) => ({ ...answer, Items: [...answer.Items.slice(0, 1), ...answer.Items] }),
      'repeated item',
    ],
    ['the order is turned round', (answer) => ({ ...answer, Items: answer.Items.toReversed() }), 'wrong order'],
    ['reads end with the first page', ({ Items }) => ({ Items }), 'lost item'],
    [
      'a status is another',
      (answer) => ({
        ...answer,
        Items: answer.Items.map((item) => ('status' in item ? { ...item, status: { S: 'paid' } } : item)),
      }),
      'foreign item',
    ],
  ])('%s', async (_, change, kind) => {
    const client = tampered(change);
    const report = await prove(shop, { client, runs: 8, tablePrefix: 'tampered-' });
    const found = report.counterexamples.find(({ pattern }) => pattern === 'orders');
    expect(found?.kind).toBe(kind);
    expect(report.ok).toBe(false);
    // No item could be left out: a wrong order takes two, every other fault takes one.
    expect([...(found?.state.values() ?? [])].flat().length).toBeLessThanOrEqual(2);
  });

  test('a counterexample is found again by its path, and by its call alone', async () => {
    const client = tampered((answer) => ({ ...answer, Items: answer.Items.slice(0, -1) }));
    const { counterexamples } = await prove(shop, { client, seed: 9, tablePrefix: 'tampered-' });
    const found = counterexamples.find(({ pattern }) => pattern === 'orders');
    expect(found).toBeDefined();
    if (found === undefined) return;
    const again = await prove(shop, { client, seed: 9, path: found.path, tablePrefix: 'tampered-' });
    expect(again.counterexamples).toEqual([found]);
    expect(again.calls).toBe(1);
    const { call, state, now } = found;
    const options = { call, items: Object.fromEntries(state), now, tablePrefix: 'tampered-' };
    expect((await proveCall(shop, { client, ...options }))?.difference.kind).toBe('lost item');
    expect(await proveCall(shop, { client: fastClient(database), ...options })).toBeUndefined();
  });

  test('a counterexample is printed as a test', async () => {
    const client = tampered((answer) => ({ ...answer, Items: answer.Items.slice(0, -1) }));
    const { counterexamples } = await prove(shop, { client, seed: 9, tablePrefix: 'tampered-' });
    const found = counterexamples.find(({ pattern }) => pattern === 'orders');
    if (found === undefined) throw new TypeError('nothing was found');
    const text = counterexampleTest(found, { name: 'shop', lines: [`import { shop } from './shop.model.ts';`] });
    expect(text).toContain(`import { shop } from './shop.model.ts';`);
    expect(text).toContain(`test('orders answers as declared'`);
    expect(text).toMatch(/Order: \[\n {6}\{ customer: /);
    expect(text).toContain('// Got: nothing');
  });
});
