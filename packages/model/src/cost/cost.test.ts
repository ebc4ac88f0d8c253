import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { entity, model } from '../index.ts';
import type { Model } from '../model.ts';
import { costOf, explain } from './index.ts';

/** A shop with declared sizes: a customer of 400 bytes, an order of 1,500. */
const shop = model('shop')
  .entities({
    Customer: entity(
      { customerId: z.string(), email: z.string() },
      { unique: ['email'], expects: { items: 2_000_000, bytes: 400 } },
    ),
    Order: entity(
      { customerId: z.string(), orderId: z.string(), status: z.enum(['OPEN', 'SHIPPED']), note: z.string() },
      { expects: { items: 30_000_000, bytes: 1500 } },
    ),
  })
  .relationships([['Customer', '1:N', 'Order', { required: true }]])
  .patterns({
    signUp: { creates: 'Customer', rate: 2 },
    customer: { reads: 'Customer', by: ['customerId'], rate: 90 },
    customerNow: { reads: 'Customer', by: ['customerId'], consistent: true },
    orders: {
      reads: ['Order'],
      by: ['customerId'],
      order: 'orderId desc',
      limit: 10,
      rate: 300,
      volume: { typical: 15 },
    },
    openOrders: { reads: ['Order'], where: { status: 'OPEN' }, attributes: ['orderId'], limit: 20, rate: 5 },
    placeOrder: { creates: 'Order', rate: 30 },
    ship: { updates: 'Order', by: ['customerId', 'orderId'], changes: { status: 'SHIPPED' }, rate: 30 },
    annotate: { updates: 'Order', by: ['customerId', 'orderId'], sets: ['note'] },
  })
  .tables({
    Shop: {
      key: ['PK', 'SK'],
      indexes: { Open: { partition: ['openPK'], sort: ['openSK'], project: ['orderId', 'Type'] } },
    },
  })
  .keys({
    Customer: { Shop: ['CUSTOMER#{customerId}', 'PROFILE'] },
    Order: {
      Shop: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'],
      Open: { when: { status: 'OPEN' }, key: ['OPEN#{orderId:shard8}', '{orderId}'] },
    },
  })
  .served({
    signUp: 'TransactWriteItems',
    customer: 'GetItem',
    customerNow: 'GetItem',
    orders: { query: 'Shop' },
    openOrders: { query: 'Open', fanOut: 8 },
    placeOrder: 'TransactWriteItems',
    ship: 'UpdateItem',
    annotate: 'UpdateItem',
  }) as unknown as Model;

const { patterns, ...totals } = costOf(shop);
const cost = (name: string) => patterns.find(({ pattern }) => pattern === name);

describe('DB-109, DB-111: capacity of one call', () => {
  test('reads are rounded up to 4 KB, once per request, and cost half unless they are consistent', () => {
    expect(cost('customer')).toMatchObject({ requests: 1, items: 1, bytes: 400, readUnits: 0.5, writeUnits: 0 });
    expect(cost('customerNow')).toMatchObject({ readUnits: 1 });
    expect(cost('orders')).toMatchObject({ items: 10, bytes: 15_000, readUnits: 2 });
  });

  test('a sharded read asks every shard', () => {
    const { requests = 0, readUnits = 0 } = cost('openOrders') ?? {};
    expect(requests).toBe(8);
    expect(readUnits).toBeGreaterThanOrEqual(4);
  });

  test('writes are rounded up to 1 KB, doubled in a transaction, and add up with guards, parents and index entries', () => {
    expect(cost('signUp')).toMatchObject({ requests: 1, items: 2, writeUnits: 4 });
    expect(cost('placeOrder')).toMatchObject({ writeUnits: 2 * (2 + 1) + 1 });
  });

  test('an update that names a required parent pays for its check', () => {
    const staff = model('staff')
      .entities({ Team: entity({ team: z.string() }), Person: entity({ id: z.string(), team: z.string() }) })
      .relationships([['Team', '1:N', 'Person', { required: true }]])
      .patterns({ move: { updates: 'Person', by: ['id'], sets: ['team'] } })
      .tables({ Staff: { key: ['PK'] } })
      .keys({ Team: { Staff: ['TEAM#{team}'] }, Person: { Staff: ['PERSON#{id}'] } })
      .served({ move: 'TransactWriteItems' });
    expect(costOf(staff).patterns).toMatchObject([{ pattern: 'move', requests: 1, items: 2, writeUnits: 4 }]);
  });

  test('an update pays for the entries it moves, and for none that it does not show in', () => {
    expect(cost('ship')).toMatchObject({ writeUnits: 2 + 2 });
    expect(cost('annotate')).toMatchObject({ writeUnits: 2 });
  });
});

describe('money', () => {
  test('is the declared rate over the ratio of peak to average, all month', () => {
    const calls = (300 / 3) * 730 * 3600;
    expect(cost('orders')?.onDemandPerMonth).toBeCloseTo((calls / 1e6) * 2 * 0.125, 6);
    expect(cost('annotate')?.onDemandPerMonth).toBeUndefined();
    expect(totals.onDemandPerMonth).toBeCloseTo(
      patterns.reduce((sum, { onDemandPerMonth = 0 }) => sum + onDemandPerMonth, 0),
      6,
    );
  });

  test('goes by the prices that are given', () => {
    const free = {
      ...totals.prices,
      millionReadUnits: 0,
      millionWriteUnits: 0,
      readUnitHour: 0,
      writeUnitHour: 0,
      gigabyteMonth: 1,
    };
    const cheap = costOf(shop, { prices: free });
    expect(cheap.onDemandPerMonth + cheap.provisionedPerMonth).toBe(0);
    expect(cheap.storagePerMonth).toBeCloseTo(cheap.storedBytes / 2 ** 30, 6);
    expect(cheap.storedBytes).toBeGreaterThan(2_000_000 * 400 + 30_000_000 * 1500);
  });
});

test('the most asked partition bears a share that the number of keys tells', () => {
  // 30 million orders, 15 per customer: two million partitions. The hottest one gets ten times the average load.
  expect(cost('orders')?.hottest?.reads).toBeCloseTo((300 * 2 * 10) / 2_000_000, 6);
  expect(cost('openOrders')?.hottest?.reads).toBeCloseTo((5 * (cost('openOrders')?.readUnits ?? 0)) / 8, 6);
});

test('a read of two indexes takes a page of each', () => {
  const letters = z.string().regex(/^[a-z]+$/);
  const deals = model('deals')
    .entities({
      Deal: entity({ id: letters, buyer: letters, seller: letters }, { expects: { items: 10, bytes: 4000 } }),
    })
    .relationships([])
    .patterns({ deals: { reads: ['Deal'], by: [], aka: { who: ['buyer', 'seller'] }, order: 'id asc', limit: 4 } })
    .tables({ Deals: { key: ['PK'], indexes: { ByBuyer: ['B1', 'B2'], BySeller: ['S1', 'S2'] } } })
    .keys({ Deal: { Deals: ['{id}'], ByBuyer: ['{buyer}', '{id}'], BySeller: ['{seller}', '{id}'] } })
    .served({ deals: { query: ['ByBuyer', 'BySeller'] } }) as unknown as Model;
  expect(explain(deals, 'deals')?.cost).toMatchObject({ requests: 2, items: 8, readUnits: 0.5 * 8 });
});

test('a local index that lacks what is read by name costs a read of each item in addition', () => {
  const letters = z.string().regex(/^[a-z]+$/);
  const local = (project: readonly string[]): Model =>
    model('local')
      .entities({ Task: entity({ team: letters, id: letters, at: letters }, { expects: { items: 10, bytes: 5000 } }) })
      .relationships([])
      .patterns({ tasks: { reads: ['Task'], by: ['team'], attributes: ['id'], limit: 4 } })
      .tables({ Team: { key: ['PK', 'SK'], indexes: { ByTime: { local: 'LSK', project } } } })
      .keys({ Task: { Team: ['TEAM#{team}', '{id}'], ByTime: ['{at}'] } })
      .served({ tasks: { query: 'ByTime' } });
  const [all, fetched] = [local(['id', 'Type']), local(['id'])].map((each) => explain(each, 'tasks')?.cost?.readUnits);
  expect(all).toBe(0.5 * 5);
  // Each of four items takes two units, of which an eventually consistent read takes half.
  expect(fetched).toBe(0.5 * (5 + 4 * 2));
});

test('explain puts the operation and its cost together', () => {
  expect(explain(shop, 'orders')).toMatchObject({
    served: {
      operation: 'Query',
      place: 'Shop',
      keyCondition: 'PK = CUSTOMER#{customerId} AND begins_with(SK, ORDER#)',
    },
    problems: [],
    cost: { readUnits: 2 },
  });
  expect(explain(shop, 'nothing')).toBeUndefined();
});

describe('a write that maintains numbers of its parent', () => {
  const firm = z.string().regex(/^\w+$/);
  const model = {
    name: 'firms',
    entities: {
      Firm: entity({ firm, total: z.int().default(0), last: z.int().default(0) }),
      Policy: entity({ firm, number: z.int(), premium: z.int() }, { sequence: { number: 'Firm.last' } }),
    },
    relationships: [['Firm', '1:N', 'Policy', { sum: { total: 'premium' } }]],
    patterns: {
      issue: { creates: 'Policy' },
      reprice: { updates: 'Policy', by: ['firm', 'number'], sets: ['premium'] },
    },
    tables: {
      Firms: {
        key: ['PK', 'SK'],
        indexes: { ByTotal: ['TotalPK', 'TotalSK'], Names: { partition: ['N'], project: ['Type'] } },
      },
    },
    keys: {
      Firm: { Firms: ['FIRM#{firm}', 'FIRM'], ByTotal: ['TOTALS', '{firm}'], Names: ['{firm}'] },
      Policy: { Firms: ['FIRM#{firm}', 'POLICY#{number:07}'] },
    },
    storage: {},
    served: { issue: ['UpdateItem', 'TransactWriteItems'], reprice: ['GetItem', 'TransactWriteItems'] },
  } as unknown as Model;
  const costs = costOf(model).patterns;

  test('pays for the index entries that show them, and for the counter of a sequence', () => {
    // The counter and its entry; the policy, and the parent with its entry.
    expect(costs[0]).toMatchObject({ pattern: 'issue', writeUnits: 1 + 1 + 2 + 2 + 1 });
  });

  test('reads the stored item consistently', () => {
    expect(costs[1]).toMatchObject({ pattern: 'reprice', readUnits: 1, writeUnits: 2 + 2 + 1 });
  });

  test('names the keys of both', () => {
    expect(explain(model, 'issue')?.writes).toEqual([
      'PK = FIRM#{firm}, SK = POLICY#{number:07}',
      'PK = FIRM#{firm}, SK = FIRM',
    ]);
  });
});

describe('a write that depends on stored items', () => {
  const letters = z.string().regex(/^[a-z]+$/);
  const crew = {
    name: 'crew',
    entities: {
      Team: entity({ team: letters, members: z.int().default(0), tasks: z.int().default(0) }),
      Task: entity({ team: letters, task: letters }),
      Member: entity(
        { team: letters, id: letters, email: letters, role: letters, until: z.int().optional() },
        { unique: ['email'], expires: 'until', expects: { items: 10, bytes: 5000 } },
      ),
    },
    relationships: [
      ['Team', '1:N', 'Member', { count: 'members' }],
      ['Team', '1:N', 'Task', { count: 'tasks' }],
    ],
    patterns: {
      finish: { deletes: 'Task', by: ['team', 'task'] },
      leave: { deletes: 'Member', by: ['team', 'id'] },
      extend: { updates: 'Member', by: ['team', 'id'], sets: ['until'] },
      save: { updates: 'Member', by: ['team', 'id'], sets: ['email', 'role'], orCreates: true },
      swap: {
        transacts: {
          one: { updates: 'Member', by: ['team', 'id'], sets: ['email'] },
          two: { updates: 'Member', by: ['team', 'id'], sets: ['email'] },
        },
      },
    },
    tables: { Crew: { key: ['PK', 'SK'] } },
    keys: {
      Team: { Crew: ['TEAM#{team}', 'TEAM'] },
      Task: { Crew: ['TEAM#{team}', 'TASK#{task}'] },
      Member: { Crew: ['TEAM#{team}', 'MEMBER#{id}'] },
    },
    storage: {},
    served: {
      finish: 'TransactWriteItems',
      ...Object.fromEntries(
        ['leave', 'extend', 'save', 'swap'].map((name) => [name, ['GetItem', 'TransactWriteItems']]),
      ),
    },
  } as unknown as Model;
  const member = 'PK = TEAM#{team}, SK = MEMBER#{id}';
  const guard = 'PK = MEMBEREMAIL#{email}, SK = MEMBEREMAIL#{email}';
  const team = 'PK = TEAM#{team}, SK = TEAM';

  test.each([
    ['finish', ['PK = TEAM#{team}, SK = TASK#{task}', team]],
    ['leave', [member, guard, team]],
    ['extend', [member, guard]],
    ['save', [member, guard, team]],
    ['swap', [member, guard]],
  ])('%s names the keys of the guards and parents that it writes', (name, keys) => {
    expect(explain(crew, name)?.writes).toEqual(keys);
  });

  test('reads each of them with a request of its own', () => {
    expect(explain(crew, 'swap')).toMatchObject({ served: { requests: 3 }, cost: { requests: 3, readUnits: 4 } });
    expect(explain(crew, 'leave')).toMatchObject({ served: { requests: 2 }, cost: { requests: 2, readUnits: 2 } });
  });

  test('pays for a guard that moves twice, and for one that is kept longer once', () => {
    expect(explain(crew, 'swap')?.cost?.writeUnits).toBe(2 * 2 * (5 + 2));
    expect(explain(crew, 'extend')?.cost?.writeUnits).toBe(2 * (5 + 1));
    // Both parents and guards of an item that is created.
    expect(explain(crew, 'save')?.cost?.writeUnits).toBe(2 * (5 + 2 + 1));
  });

  test('pays for parents by their size, and for two if a child moves', () => {
    const large = (model: Model, bytes: number): Model => ({
      ...model,
      entities: {
        ...model.entities,
        Team: { ...(model.entities['Team'] as Model['entities'][string]), rules: { expects: { items: 10, bytes } } },
      },
    });
    // A task of less than 1 KB, and its team.
    expect(explain(large(crew, 4000), 'finish')?.cost?.writeUnits).toBe(2 * (1 + 4));
    expect(explain(large(moved, 4000), 'move')?.cost?.writeUnits).toBe(2 * (1 + 4 + 4));
    expect(explain(large(numbered, 4000), 'number')?.cost).toMatchObject({ writeUnits: 1 + 4, items: 2 });
  });

  /** Tasks with a key of their own, which may change their team. */
  const moved = {
    ...crew,
    patterns: { move: { updates: 'Task', by: ['task'], sets: ['team'] } },
    keys: { ...crew.keys, Task: { Crew: ['TASK#{task}', 'TASK'] } },
    served: { move: ['GetItem', 'TransactWriteItems'] },
  } as unknown as Model;

  /** Tasks that their team numbers. */
  const numbered = {
    ...crew,
    entities: {
      Team: entity({ team: letters, last: z.int().default(0) }),
      Task: entity({ team: letters, task: z.int() }, { sequence: { task: 'Team.last' } }),
    },
    relationships: [['Team', '1:N', 'Task']],
    patterns: { number: { creates: 'Task' } },
    keys: { Team: crew.keys['Team'], Task: { Crew: ['TEAM#{team}', 'TASK#{task:05}'] } },
    served: { number: ['UpdateItem', 'PutItem'] },
  } as unknown as Model;
});
