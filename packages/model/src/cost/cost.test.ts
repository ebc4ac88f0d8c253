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

test('the keys that a write maintains are those of the guards and parents that it changes, also for a delete', () => {
  const firms = model('firms')
    .entities({
      Firm: entity({ firm: z.string(), staff: z.int().default(0) }),
      Person: entity(
        { firm: z.string(), id: z.string(), email: z.string(), name: z.string(), until: z.int() },
        { unique: ['email'], expires: 'until' },
      ),
      Desk: entity({ firm: z.string(), desk: z.string() }),
    })
    .relationships([
      ['Firm', '1:N', 'Person'],
      ['Firm', '1:N', 'Desk', { count: 'staff' }],
    ])
    .patterns({
      add: { creates: 'Desk' },
      clear: { deletes: 'Desk', by: ['firm', 'desk'] },
      leave: { deletes: 'Person', by: ['firm', 'id'] },
      rename: { updates: 'Person', by: ['firm', 'id'], sets: ['name'] },
      extend: { updates: 'Person', by: ['firm', 'id'], sets: ['until'] },
    })
    .tables({ Firms: { key: ['PK', 'SK'] } })
    .keys({
      Firm: { Firms: ['FIRM#{firm}', 'FIRM'] },
      Person: { Firms: ['FIRM#{firm}', 'PERSON#{id}'] },
      Desk: { Firms: ['FIRM#{firm}', 'DESK#{desk}'] },
    })
    .served({
      add: 'TransactWriteItems',
      clear: 'TransactWriteItems',
      leave: ['GetItem', 'TransactWriteItems'],
      rename: 'UpdateItem',
      extend: ['GetItem', 'TransactWriteItems'],
    });
  const keysOf = (pattern: string): readonly string[] | undefined => explain(firms, pattern)?.writes;
  const person = 'PK = FIRM#{firm}, SK = PERSON#{id}';
  const guard = 'PK = PERSONEMAIL#{email}, SK = PERSONEMAIL#{email}';
  expect(keysOf('add')).toEqual(['PK = FIRM#{firm}, SK = DESK#{desk}', 'PK = FIRM#{firm}, SK = FIRM']);
  expect(keysOf('clear')).toEqual(keysOf('add'));
  expect(keysOf('leave')).toEqual([person, guard]);
  expect(keysOf('rename')).toEqual([person]);
  expect(keysOf('extend')).toEqual([person, guard]);
});
