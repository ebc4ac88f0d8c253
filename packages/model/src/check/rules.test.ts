import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { entity } from '../entities/entity.ts';
import type { Model } from '../model.ts';
import { add, append, ref } from '../patterns/value.ts';
import { check } from './check.ts';
import { indexOf, pageOf } from './page.ts';
import { rules } from './rules/index.ts';

/** Parts of a model, in place of those of a small shop without faults. */
interface Parts {
  readonly entities?: Record<string, unknown>;
  readonly relationships?: readonly unknown[];
  readonly patterns?: Record<string, unknown> | 'none';
  readonly tables?: Record<string, unknown>;
  readonly keys?: Record<string, unknown>;
  readonly storage?: Record<string, unknown>;
  readonly served?: Record<string, unknown> | 'none';
}

const id = z.string().regex(/^[a-z0-9]+$/);
const time = z.iso.datetime();
const customer = { customerId: id, name: z.string(), orderCount: z.number().default(0) };
const order = { customerId: id, orderId: id, placedAt: time, status: z.enum(['OPEN', 'SHIPPED']), amount: z.number() };

const faultless = {
  entities: { Customer: entity(customer), Order: entity(order) },
  relationships: [['Customer', '1:N', 'Order']],
  patterns: {
    customer: { actor: 'customer', reads: 'Customer', by: ['customerId'] },
    createCustomer: { creates: 'Customer' },
    createOrder: { creates: 'Order' },
    orders: { reads: ['Order'], by: ['customerId'], order: 'orderId desc', limit: 10 },
  },
  tables: { Shop: { key: ['PK', 'SK'] } },
  keys: {
    Customer: { Shop: ['CUSTOMER#{customerId}', 'PROFILE'] },
    Order: { Shop: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'] },
  },
  storage: {},
  served: { customer: 'GetItem', createCustomer: 'PutItem', createOrder: 'PutItem', orders: { query: 'Shop' } },
};

/** A model of these parts and, but for patterns and how they are served, those of the shop besides. */
function modelOf(parts: Parts): Model {
  const merged = Object.fromEntries(
    Object.entries(faultless).map(([name, usual]) => {
      const given = parts[name as keyof Parts];
      if (given === 'none') return [name, {}];
      return [
        name,
        Array.isArray(usual) || name === 'tables' ? (given ?? usual) : { ...usual, ...(given as object | undefined) },
      ];
    }),
  );
  return { name: 'shop', ...merged } as unknown as Model;
}

/** One pattern more. */
const pattern = (need: unknown, served: unknown): Parts => ({ patterns: { more: need }, served: { more: served } });

const found = (parts: Parts): string[] =>
  check(modelOf(parts))
    .findings.filter(({ level }) => level !== 'accepted')
    .map(({ code }) => code);

const withIndex = { Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } };
const byStatus = (templates: unknown, need: object, served: object = { query: 'GSI1' }): Parts => ({
  tables: withIndex,
  keys: { Order: { Shop: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'], GSI1: templates } },
  ...pattern(need, served),
});
const open = { reads: ['Order'], where: { status: 'OPEN' }, order: 'placedAt asc', limit: 10 };
const orderKey = (sort: string, attributes: object = {}): Parts => ({
  entities: { Order: entity({ ...order, ...attributes }) },
  keys: { Order: { Shop: ['CUSTOMER#{customerId}', sort] } },
});
const rate = (perSecond: number): Parts => ({
  ...byStatus(['OPEN', '{placedAt}#{orderId}'], open),
  patterns: { more: open, createOrder: { creates: 'Order', rate: perSecond } },
});

interface Case {
  readonly fires: Parts;
  readonly silent: Parts;
}

/** For each rule, a model that breaks it and one that nearly does. */
const cases: Readonly<Record<string, Case>> = {
  'not-served': {
    fires: pattern({ reads: 'Order', by: ['orderId'] }, 'GetItem'),
    silent: pattern({ reads: 'Order', by: ['orderId', 'customerId'] }, 'GetItem'),
  },
  'bad-declaration': {
    fires: { keys: { Order: { Shop: ['CUSTOMER#{customerId}', 'ORDER#{number}'] } } },
    silent: {},
  },
  'input-not-used': {
    fires: byStatus(['CUSTOMER#{customerId}', '{placedAt}#{status}#{orderId}'], {
      reads: ['Order'],
      by: ['customerId', 'status'],
      limit: 10,
    }),
    silent: byStatus(['CUSTOMER#{customerId}', '{status}#{placedAt}#{orderId}'], {
      reads: ['Order'],
      by: ['customerId', 'status'],
      limit: 10,
    }),
  },
  'order-not-served': {
    fires: pattern({ reads: ['Order'], by: ['customerId'], order: 'placedAt desc', limit: 10 }, { query: 'Shop' }),
    silent: pattern({ reads: ['Order'], by: ['customerId'], order: 'orderId asc', limit: 10 }, { query: 'Shop' }),
  },
  'range-not-served': {
    fires: pattern({ reads: ['Order'], by: ['customerId'], range: 'placedAt', limit: 10 }, { query: 'Shop' }),
    silent: pattern({ reads: ['Order'], by: ['customerId'], range: 'orderId', limit: 10 }, { query: 'Shop' }),
  },
  'reads-neighbours': {
    fires: {
      entities: { Note: entity({ customerId: id, noteId: id }) },
      keys: { Note: { Shop: ['CUSTOMER#{customerId}', 'ORDERNOTE#{noteId}'] } },
      ...pattern({ reads: { customer: 'Customer', orders: ['Order'] }, by: ['customerId'] }, { query: 'Shop' }),
    },
    silent: {
      entities: { Note: entity({ customerId: id, noteId: id }) },
      keys: { Note: { Shop: ['CUSTOMER#{customerId}', 'ANOTE#{noteId}'] } },
      ...pattern({ reads: { customer: 'Customer', orders: ['Order'] }, by: ['customerId'] }, { query: 'Shop' }),
    },
  },
  'parent-at-wrong-end': {
    fires: pattern(
      { reads: { customer: 'Customer', orders: ['Order'] }, by: ['customerId'], order: 'orderId asc', limit: 5 },
      { query: 'Shop' },
    ),
    silent: pattern(
      { reads: { customer: 'Customer', orders: ['Order'] }, by: ['customerId'], order: 'orderId desc', limit: 5 },
      { query: 'Shop' },
    ),
  },
  'filter-with-limit': {
    fires: pattern({ reads: ['Order'], by: ['customerId'], where: { status: 'OPEN' }, limit: 10 }, { query: 'Shop' }),
    silent: pattern(
      { reads: ['Order'], by: ['customerId'], where: { status: 'OPEN' }, limit: 10 },
      { query: 'Shop', readAhead: 50 },
    ),
  },
  'filter-selects': {
    fires: pattern({ reads: ['Order'], by: ['customerId'], where: { status: 'OPEN' } }, { query: 'Shop' }),
    silent: byStatus(
      { when: { status: 'OPEN' }, key: ['CUSTOMER#{customerId}', '{orderId}'] },
      { reads: ['Order'], by: ['customerId'], where: { status: 'OPEN' } },
    ),
  },
  'filter-on-key': {
    fires: {
      entities: { Order: entity({ ...order, SK: id }) },
      keys: { Order: { Shop: ['CUSTOMER#{customerId}', '{SK}'] } },
      ...pattern({ reads: ['Order'], by: ['customerId'], filters: ['SK'] }, { query: 'Shop' }),
    },
    silent: pattern({ reads: ['Order'], by: ['customerId'], filters: ['status'] }, { query: 'Shop' }),
  },
  scan: {
    fires: pattern({ reads: ['Order'] }, { scan: 'Shop', because: 'a report' }),
    silent: byStatus(
      { when: { status: 'OPEN' }, key: ['{status}', '{orderId}'] },
      { reads: ['Order'], where: { status: 'OPEN' } },
      { scan: 'GSI1', because: 'few are open' },
    ),
  },
  'consistent-on-global-index': {
    fires: byStatus(['ORDER#{orderId}', 'ORDER'], { reads: ['Order'], by: ['orderId'], consistent: true }),
    silent: pattern({ reads: ['Order'], by: ['customerId'], consistent: true }, { query: 'Shop' }),
  },
  'consistent-read': {
    fires: pattern({ reads: 'Customer', by: ['customerId'], consistent: true }, 'GetItem'),
    silent: pattern({ reads: 'Customer', by: ['customerId'] }, 'GetItem'),
  },
  'no-limit': {
    fires: pattern({ reads: ['Order'], by: ['customerId'] }, { query: 'Shop' }),
    silent: pattern({ reads: ['Order'], by: ['customerId'], volume: { typical: 3, most: 20 } }, { query: 'Shop' }),
  },
  'serial-requests': {
    fires: {
      entities: { Customer: entity({ ...customer, email: z.string() }, { unique: ['email'] }) },
      patterns: {
        createCustomer: { creates: 'Customer' },
        more: { updates: 'Customer', by: ['customerId'], sets: ['email'] },
      },
      served: { createCustomer: 'TransactWriteItems', more: ['GetItem', 'TransactWriteItems'] },
    },
    silent: pattern({ updates: 'Customer', by: ['customerId'], sets: ['name'] }, 'UpdateItem'),
  },
  'key-collision': {
    fires: {
      keys: { Customer: { Shop: ['{customerId}', '{customerId}'] }, Order: { Shop: ['{customerId}', '{orderId}'] } },
    },
    silent: {
      keys: { Customer: { Shop: ['{customerId}', 'PROFILE'] }, Order: { Shop: ['{customerId}', 'ORDER#{orderId}'] } },
    },
  },
  'no-sort-discriminator': {
    fires: orderKey('PROFILE#{orderId}'),
    silent: orderKey('PAST#{orderId}'),
  },
  'mixed-key-names': {
    fires: {
      tables: { Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'], GSI2: ['GSIPK2', 'GSISK2'] } } },
    },
    silent: { tables: { Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'], Open: ['openSince'] } } } },
  },
  'no-prefix': {
    fires: { keys: { Order: { Shop: ['{customerId}', 'ORDER#{orderId}'] } } },
    silent: {},
  },
  'prefix-case': {
    fires: { keys: { Order: { Shop: ['Customer#{customerId}', 'ORDER#{orderId}'] } } },
    silent: { keys: { Order: { Shop: ['CUSTOMERORDER#{customerId}', 'ORDER#{orderId}'] } } },
  },
  'only-in-key': {
    fires: {
      tables: { Shop: { key: ['customerId', 'SK'] } },
      keys: { Customer: { Shop: ['{customerId}', 'PROFILE'] }, Order: { Shop: ['{customerId}', 'ORDER#{orderId}'] } },
    },
    silent: {},
  },
  'shared-index-attribute': {
    fires: {
      tables: { Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'], GSI2: ['GSI1PK', 'GSI2SK'] } } },
    },
    silent: { tables: { Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['SK', 'PK'], GSI2: ['GSI2PK', 'SK'] } } } },
  },
  'type-not-distinct': {
    fires: { storage: { Order: { type: 'Customer' } } },
    silent: { storage: { Order: { type: 'O' }, Customer: { type: 'C' } } },
  },
  'one-per-parent': {
    fires: orderKey('ORDER'),
    silent: { ...orderKey('ORDER'), relationships: [['Customer', '1:1', 'Order']] },
  },
  'time-only-sort-key': {
    fires: orderKey('ORDER#{placedAt}'),
    silent: orderKey('ORDER#{placedAt}#{orderId}'),
  },
  'changing-key': {
    fires: pattern({ updates: 'Order', by: ['customerId', 'orderId'], sets: ['orderId'] }, 'UpdateItem'),
    silent: pattern({ updates: 'Order', by: ['customerId', 'orderId'], sets: ['status'] }, 'UpdateItem'),
  },
  'random-key': {
    fires: {
      entities: { Customer: entity({ ...customer, email: z.email() }, { unique: ['email'] }) },
      tables: withIndex,
      keys: { Customer: { Shop: ['CUSTOMER#{customerId}', 'PROFILE'], GSI1: ['EMAIL#{email:lower}', 'CUSTOMER'] } },
      ...pattern({ reads: ['Customer'], by: ['email'], limit: 1 }, { query: 'GSI1' }),
    },
    silent: {
      entities: { Customer: entity({ ...customer, email: z.email() }, { unique: ['email'] }) },
      tables: withIndex,
      keys: { Customer: { Shop: ['CUSTOMER#{customerId}', 'PROFILE'], GSI1: ['EMAIL#{email:lower}', 'CUSTOMER'] } },
      patterns: {
        more: { reads: ['Customer'], by: ['email'], limit: 1 },
        change: { updates: 'Customer', by: ['customerId'], sets: ['email'] },
      },
      served: { more: { query: 'GSI1' }, change: ['GetItem', 'TransactWriteItems'] },
    },
  },
  'prefix-without-separator': {
    fires: byStatus(['CUSTOMER#{customerId}', '{status}{placedAt}#{orderId}'], {
      reads: ['Order'],
      by: ['customerId', 'status'],
      limit: 10,
    }),
    silent: byStatus(['CUSTOMER#{customerId}', '{status}#{placedAt}#{orderId}'], {
      reads: ['Order'],
      by: ['customerId', 'status'],
      limit: 10,
    }),
  },
  'separator-in-value': {
    fires: orderKey('ORDER#{title}#{orderId}', { title: z.string() }),
    silent: orderKey('ORDER#{title:escape}#{orderId}', { title: z.string() }),
  },
  'incomplete-index-key': {
    fires: {
      ...byStatus(['SHIPMENT#{shipmentId}', 'ORDER'], { reads: ['Order'], by: ['shipmentId'], limit: 1 }),
      entities: { Order: entity({ ...order, shipmentId: id.optional() }) },
    },
    silent: {
      ...byStatus(
        { when: { shipmentId: { exists: true } }, key: ['SHIPMENT#{shipmentId}', 'ORDER'] },
        { reads: ['Order'], by: ['shipmentId'], limit: 1 },
      ),
      entities: { Order: entity({ ...order, shipmentId: id.optional() }) },
    },
  },
  'key-type': {
    fires: {
      tables: { Shop: { key: ['PK', 'SK:N'] } },
      keys: {
        Customer: { Shop: ['CUSTOMER#{customerId}', '{orderCount}'] },
        Order: { Shop: ['ORDERS#{customerId}', '{orderId}'] },
      },
    },
    silent: {
      tables: { Shop: { key: ['PK', 'SK:N'] } },
      keys: {
        Customer: { Shop: ['CUSTOMER#{customerId}', '{orderCount}'] },
        Order: { Shop: ['ORDERS#{customerId}', '{amount}'] },
      },
    },
  },
  'unpadded-number': {
    fires: orderKey('ORDER#{number}', { number: z.number().int() }),
    silent: orderKey('ORDER#{number:08}', { number: z.number().int() }),
  },
  'unsortable-time': {
    fires: orderKey('ORDER#{placedAt}#{orderId}', { placedAt: z.string() }),
    silent: orderKey('ORDER#{placedAt:utc}#{orderId}', { placedAt: z.string() }),
  },
  'mixed-case': {
    fires: orderKey('ORDER#{city}#{orderId}', { city: z.string() }),
    silent: orderKey('ORDER#{city:lower}#{orderId}', { city: z.string() }),
  },
  'raw-id-order': {
    fires: {
      ...orderKey('ORDER#{uuid}', { uuid: z.uuid() }),
      ...pattern({ reads: ['Order'], by: ['customerId'], order: 'uuid desc', limit: 10 }, { query: 'Shop' }),
    },
    silent: pattern({ reads: ['Order'], by: ['customerId'], order: 'orderId desc', limit: 10 }, { query: 'Shop' }),
  },
  'time-to-live': {
    fires: { entities: { Order: entity({ ...order, expires: z.iso.datetime() }, { expires: 'expires' }) } },
    silent: { entities: { Order: entity({ ...order, expires: z.number() }, { expires: 'expires' }) } },
  },
  'counter-without-start': {
    fires: {
      entities: { Customer: entity({ ...customer, orderCount: z.number() }) },
      relationships: [['Customer', '1:N', 'Order', { count: 'orderCount' }]],
      served: { createOrder: 'TransactWriteItems' },
    },
    silent: {
      relationships: [['Customer', '1:N', 'Order', { count: 'orderCount' }]],
      served: { createOrder: 'TransactWriteItems' },
    },
  },
  'undeclared-duplicate': {
    fires: {
      entities: { Order: entity({ ...order, name: z.string() }) },
      ...pattern({ updates: 'Customer', by: ['customerId'], sets: ['name'] }, 'UpdateItem'),
    },
    silent: {
      entities: {
        Order: entity(
          { ...order, name: z.string() },
          { duplicates: { name: { from: 'Customer.name', rule: 'stream', found: 'orders' } } },
        ),
      },
      ...pattern({ updates: 'Customer', by: ['customerId'], sets: ['name'] }, 'UpdateItem'),
    },
  },
  'broken-duplicate': {
    fires: {
      entities: {
        Order: entity(
          { ...order, name: z.string() },
          { duplicates: { name: { from: 'Customer.name', rule: 'immutable' } } },
        ),
      },
      ...pattern({ updates: 'Customer', by: ['customerId'], sets: ['name'] }, 'UpdateItem'),
    },
    silent: {
      entities: {
        Order: entity(
          { ...order, name: z.string() },
          { duplicates: { name: { from: 'Customer.name', rule: 'immutable' } } },
        ),
      },
    },
  },
  'unbounded-attribute': {
    fires: {
      entities: { Customer: entity({ ...customer, log: z.array(z.string()).default([]) }) },
      ...pattern(
        {
          updates: 'Customer',
          by: ['customerId'],
          takes: { lines: z.array(z.string()) },
          changes: { log: append(ref('lines')) },
        },
        'UpdateItem',
      ),
    },
    silent: {
      entities: { Customer: entity({ ...customer, log: z.array(z.string()).default([]) }) },
      ...pattern(
        {
          updates: 'Customer',
          by: ['customerId'],
          takes: { lines: z.array(z.string()) },
          changes: { log: append(ref('lines')) },
          given: { log: { size: { below: 100 } } },
        },
        'UpdateItem',
      ),
    },
  },
  'read-inside-document': {
    fires: pattern({ reads: ['Order'], by: ['customerId'], where: { 'address.city': 'Berlin' } }, { query: 'Shop' }),
    silent: pattern({ reads: ['Order'], by: ['customerId'], where: { status: 'OPEN' } }, { query: 'Shop' }),
  },
  'not-idempotent': {
    fires: pattern(
      { actor: 'stream consumer', updates: 'Customer', by: ['customerId'], changes: { orderCount: add(1) } },
      'UpdateItem',
    ),
    silent: pattern(
      { actor: 'customer', updates: 'Customer', by: ['customerId'], changes: { orderCount: add(1) } },
      'UpdateItem',
    ),
  },
  'put-replaces': {
    fires: pattern({ puts: 'Customer' }, 'PutItem'),
    silent: pattern({ puts: 'Customer', given: { orderCount: 0 } }, 'PutItem'),
  },
  'transaction-of-one': {
    fires: pattern({ transacts: { order: { creates: 'Order' } } }, 'TransactWriteItems'),
    silent: pattern(
      { transacts: { order: { creates: 'Order' }, customer: { checks: 'Customer', by: ['customerId'] } } },
      'TransactWriteItems',
    ),
  },
  'copies-apart': {
    fires: {
      entities: {
        Listed: entity(
          { customerId: id, orderId: id, amount: z.number() },
          { duplicates: { amount: { from: 'Order.amount', rule: 'immutable' } } },
        ),
      },
      keys: { Listed: { Shop: ['LIST#{customerId}', 'ORDER#{orderId}'] } },
      ...pattern({ creates: 'Listed' }, 'PutItem'),
    },
    silent: {
      entities: {
        Listed: entity(
          { customerId: id, orderId: id, amount: z.number() },
          { duplicates: { amount: { from: 'Order.amount', rule: 'immutable' } } },
        ),
      },
      keys: { Listed: { Shop: ['LIST#{customerId}', 'ORDER#{orderId}'] } },
      ...pattern({ transacts: { order: { creates: 'Order' }, listed: { creates: 'Listed' } } }, 'TransactWriteItems'),
    },
  },
  'no-relationships': { fires: { relationships: [] }, silent: {} },
  'unknown-entity': { fires: { relationships: [['Customer', '1:N', 'Invoice']] }, silent: {} },
  'entity-without-pattern': {
    fires: { entities: { Note: entity({ customerId: id }) }, keys: { Note: { Shop: ['NOTE#{customerId}', 'NOTE'] } } },
    silent: {
      entities: { Note: entity({ customerId: id }) },
      keys: { Note: { Shop: ['NOTE#{customerId}', 'NOTE'] } },
      ...pattern({ creates: 'Note' }, 'PutItem'),
    },
  },
  'no-patterns': { fires: { patterns: 'none', served: 'none' }, silent: {} },
  'no-actors': {
    fires: { patterns: { customer: { reads: 'Customer', by: ['customerId'] } } },
    silent: {},
  },
  'several-tables': {
    fires: { tables: { Shop: { key: ['PK', 'SK'] }, Log: { key: ['PK', 'SK'] } } },
    silent: {},
  },
  'mergeable-indexes': {
    fires: {
      tables: { Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'], GSI2: ['GSI2PK', 'GSI2SK'] } } },
      keys: {
        Customer: { Shop: ['CUSTOMER#{customerId}', 'PROFILE'], GSI1: ['NAME#{name}', 'X'] },
        Order: { Shop: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'], GSI2: ['ORDER#{orderId}', 'X'] },
      },
    },
    silent: {
      tables: withIndex,
      keys: {
        Customer: { Shop: ['CUSTOMER#{customerId}', 'PROFILE'], GSI1: ['NAME#{name}', 'X'] },
        Order: { Shop: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'], GSI1: ['ORDER#{orderId}', 'X'] },
      },
    },
  },
  'too-many-indexes': {
    fires: { tables: { Shop: { key: ['PK', 'SK'], indexes: indexes(21) } } },
    silent: { tables: { Shop: { key: ['PK', 'SK'], indexes: indexes(20) } } },
  },
  'unused-index': {
    fires: { tables: withIndex },
    silent: byStatus(['ORDER#{orderId}', 'ORDER'], { reads: ['Order'], by: ['orderId'], limit: 1 }),
  },
  'local-index': {
    fires: { tables: { Shop: { key: ['PK', 'SK'], indexes: { LSI1: { local: 'LSI1SK' } } } } },
    silent: {
      tables: { Shop: { key: ['PK', 'SK'], indexes: { LSI1: { local: 'LSI1SK' } } } },
      keys: { Order: { Shop: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'], LSI1: ['{placedAt}'] } },
      ...pattern(
        { reads: ['Order'], by: ['customerId'], order: 'placedAt desc', limit: 10, consistent: true },
        { query: 'LSI1' },
      ),
    },
  },
  'hot-partition': { fires: rate(500), silent: rate(5) },
};

function indexes(count: number): Record<string, readonly string[]> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`GSI${i + 1}`, [`GSI${i + 1}PK`, `GSI${i + 1}SK`]]),
  );
}

test('the shop has no faults', () => {
  expect(check(modelOf({})).findings).toEqual([]);
});

describe.each(rules)('$code', ({ code, ids }) => {
  const { fires, silent } = cases[code] ?? { fires: {}, silent: {} };

  test(`${ids.join(', ')}: is found, and not where all is well`, () => {
    expect(cases[code]).toBeDefined();
    expect(found(fires)).toContain(code);
    expect(found(silent)).not.toContain(code);
  });

  test('names a place in the model and a remedy', () => {
    for (const { path, message, remedy } of check(modelOf(fires)).findings) {
      expect(path).toMatch(/^(entities|relationships|patterns|tables|keys|storage|served)(\.|$)/);
      expect(message.length).toBeGreaterThan(10);
      expect(remedy.length).toBeGreaterThan(10);
    }
  });

  test('has a page in the documentation', async () => {
    const rule = rules.find((each) => each.code === code);
    if (rule === undefined) throw new TypeError(code);
    await expect(pageOf(rule)).toMatchFileSnapshot(`../../../../docs/rules/${code}.md`);
  });
});

test('every page belongs to a rule', async () => {
  await expect(indexOf(rules)).toMatchFileSnapshot('../../../../docs/rules/README.md');
  const pages = readdirSync(fileURLToPath(new URL('../../../../docs/rules/', import.meta.url)));
  expect(pages.toSorted()).toEqual(['README.md', ...rules.map(({ code }) => `${code}.md`)].toSorted());
});

test('every principle of modelling has a rule', () => {
  const covered = new Set(rules.flatMap(({ ids }) => ids));
  const numbered = (prefix: string, count: number, width: number): string[] =>
    Array.from({ length: count }, (_, i) => `${prefix}-${String(i + 1).padStart(width, '0')}`);
  const strategies = [
    '06',
    '07',
    '08',
    '09',
    '10',
    '12',
    '19',
    '21',
    '22',
    '27',
    '31',
    '33',
    '42',
    '45',
    '48',
    '49',
    '50',
    '52',
    '53',
    '55',
    '66',
    '69',
    '78',
  ];
  const wanted = [...numbered('LP', 28, 2), ...numbered('LB', 16, 1), ...strategies.map((number) => `S-${number}`)];
  expect(wanted.filter((name) => !covered.has(name))).toEqual([]);
});

test('hot-partition: an item that everybody reads is too much for one partition, and not for its copies', () => {
  const settings = (perSecond: number, copies?: number): Parts => ({
    entities: { Settings: entity({ banner: z.string() }, copies === undefined ? {} : { copies }) },
    keys: {
      Settings:
        copies === undefined ? { Shop: ['SETTINGS', 'SETTINGS'] } : { Shop: ['SETTINGS_{copy}', 'SETTINGS_{copy}'] },
    },
    ...pattern({ reads: 'Settings', rate: perSecond }, 'GetItem'),
  });
  const levels = (parts: Parts): string[] =>
    check(modelOf(parts)).findings.flatMap(({ code, level }) => (code === 'hot-partition' ? [level] : []));
  expect(levels(settings(100))).toEqual([]);
  expect(levels(settings(9000))).toEqual(['error']);
  expect(levels(settings(9000, 20))).toEqual([]);
});
