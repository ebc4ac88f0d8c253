import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { entity } from '../entities/entity.ts';
import type { Model } from '../model.ts';
import { add, append, include, ref, remove } from '../patterns/value.ts';
import { check } from './check.ts';

/*
 * A remedy that is followed to the letter: the model then has neither the finding nor an error that it did not have. The text of the remedy is
 * compared, so that it names what the followed model contains.
 */
type Section = Readonly<Record<string, unknown>>;
type Parts = { readonly [section in keyof typeof shop]?: Section } & { readonly relationships?: readonly unknown[] };

const id = z.string().regex(/^[a-z0-9]+$/);
const time = z.iso.datetime({ precision: 0 });
const customer = { customerId: id, name: z.string(), orderCount: z.int().min(0).default(0) };
const order = { customerId: id, orderId: id, placedAt: time, status: z.enum(['OPEN', 'SHIPPED']), amount: z.number() };
const indexed = { Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } };
const sorted = (sort: string): Section => ({ Order: { Shop: ['CUSTOMER#{customerId}', sort] } });
const inIndex = (...templates: readonly unknown[]): Section => ({
  Order: {
    Shop: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'],
    GSI1: templates.length === 1 ? templates[0] : templates,
  },
});
const few = { volume: { typical: 1, most: 9 } };

const shop = {
  entities: { Customer: entity(customer), Order: entity(order) },
  patterns: {
    customer: { actor: 'customer', reads: 'Customer', by: ['customerId'] },
    createCustomer: { creates: 'Customer' },
    createOrder: { creates: 'Order' },
  },
  tables: { Shop: { key: ['PK', 'SK'] } },
  keys: {
    Customer: { Shop: ['CUSTOMER#{customerId}', 'PROFILE'] },
    Order: { Shop: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'] },
  },
  storage: {},
  served: { customer: 'GetItem', createCustomer: 'PutItem', createOrder: 'PutItem' },
};

function modelOf(parts: Parts): Model {
  const sections = Object.entries(shop).map(([name, usual]) => [
    name,
    name === 'tables' ? (parts.tables ?? usual) : { ...usual, ...parts[name as keyof typeof shop] },
  ]);
  const { relationships = [['Customer', '1:N', 'Order']] } = parts;
  return { name: 'shop', relationships, ...Object.fromEntries(sections) } as Model;
}

const more = (need: object, served: unknown, others: Parts = {}): Parts => ({
  ...others,
  patterns: { more: need },
  served: { ...others.served, more: served },
});
const owned = { Order: entity({ ...order, tenant: id }), Customer: entity({ ...customer, tenant: id }) };
const noted = { tables: indexed, entities: { Order: entity({ ...order, note: id.optional() }) } };
const list = { reads: ['Order'], by: ['customerId'], limit: 10 };

/** Customers and orders have a depot each, and not the same one. */
const depots: Parts = {
  entities: {
    Customer: entity({ ...customer, depotId: id }),
    Order: entity({ ...order, depotId: id }),
    Depot: entity({ depotId: id }),
  },
  keys: { ...shop.keys, Depot: { Shop: ['DEPOT#{depotId}', 'DEPOT'] } },
};

/** A form of an index key for each status, in a partition of its own. */
const inStatus = ['OPEN', 'SHIPPED'].map((status) => ({
  when: { status },
  key: [`ORDERS#{customerId}#${status}`, '{orderId}'],
}));

/** A list of orders, by an index with these forms. */
function byStatus(forms: unknown, need: object, served: object): Parts {
  return more({ reads: ['Order'], limit: 10, ...need }, served, {
    tables: indexed,
    keys: { Order: { Shop: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'], GSI1: forms } },
  });
}

/** All customers and orders of a depot, with or without a key for orders in the index. */
function inDepot(key?: readonly string[]): Parts {
  return more(
    { reads: { customers: ['Customer'], orders: ['Order'] }, by: ['depotId'], limit: 9 },
    { query: 'GSI1' },
    {
      entities: { Customer: entity({ ...customer, depotId: id }), Order: entity({ ...order, depotId: id }) },
      tables: indexed,
      keys: {
        Customer: { Shop: ['CUSTOMER#{customerId}', 'PROFILE'], GSI1: ['DEPOT#{depotId}', 'CUSTOMER#{customerId}'] },
        Order: { Shop: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'], ...(key && { GSI1: key }) },
      },
    },
  );
}

const counted: Parts = { served: { createOrder: 'TransactWriteItems' } };
const named: Parts = { entities: { Order: entity({ ...order, name: z.string() }) } };
const mail = { ...customer, email: z.email().max(50) };
const letters: Parts = {
  tables: indexed,
  entities: { Customer: entity(mail, { unique: ['email'], same: { email: 'lower' } }) },
  served: { createCustomer: 'TransactWriteItems' },
};

/** Customers of tenants, whose addresses are unique in any letters. */
function mailed(storage: Section = {}): Parts {
  return {
    storage,
    entities: {
      ...owned,
      Customer: entity({ ...mail, tenant: id }, { unique: ['email'], same: { email: 'lower' } }),
    },
    tables: { Shop: { key: ['PK', 'SK'], tenant: 'tenant' } },
    patterns: { customer: { reads: 'Customer', by: ['tenant', 'customerId'] } },
    keys: {
      Customer: { Shop: ['TENANT#{tenant}#CUSTOMER#{customerId}', 'PROFILE'] },
      Order: { Shop: ['TENANT#{tenant}#CUSTOMER#{customerId}', 'ORDER#{orderId}'] },
    },
    served: { createCustomer: 'TransactWriteItems' },
  };
}

/** A transaction of orders, with a guard each, beside a customer with a guard. */
function tooMany(most: number, says: string, volume: { readonly typical: number; readonly most: number }): Remedied {
  const placed = (amount: object): Parts => ({
    ...more(
      { transacts: { customer: { creates: 'Customer' }, orders: { creates: ['Order'] } }, volume: amount },
      'TransactWriteItems',
      {
        served: { createCustomer: 'TransactWriteItems', createOrder: 'TransactWriteItems' },
        storage: { Order: { unique: { code: { key: ['CUSTOMER#{customerId}', 'CODE#{code}'] } } } },
      },
    ),
    entities: {
      Customer: entity({ ...customer, code: id }, { unique: ['code'] }),
      Order: entity({ ...order, code: id }, { unique: ['code'] }),
    },
  });
  return {
    code: 'more-than-a-request',
    faulty: placed({ ...volume, most }),
    says,
    followed: placed(volume),
  };
}

/** A count of orders in a local index by amount. */
function byAmount(local: string, need: object): Parts {
  return more(
    { reads: ['Order'], by: ['customerId'], count: true, ...few, ...need },
    { query: 'ByAmount' },
    {
      tables: { Shop: { key: ['PK', 'SK'], indexes: { ByAmount: { local } } } },
      keys: { Order: { Shop: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'], ByAmount: ['{amount}'] } },
    },
  );
}

/** Some attributes of orders, in an index that holds no others. */
function totals(project: readonly string[]): Parts {
  return more(
    { reads: ['Order'], by: ['customerId'], attributes: ['amount'], limit: 9 },
    { query: 'ByTime' },
    {
      tables: { Shop: { key: ['PK', 'SK'], indexes: { ByTime: { partition: ['P1'], sort: ['S1'], project } } } },
      keys: {
        Order: {
          Shop: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'],
          ByTime: ['C#{customerId}', '{placedAt}#{orderId}'],
        },
      },
    },
  );
}

/** The open orders of all customers, and how many are placed per second. */
function openOrders(rate: number, partition: string, fanOut: number): Parts {
  const isWalked = partition.includes(':day');
  const window = { of: 'placedAt', from: '2024-01-01' };
  const need = { reads: ['Order'], where: { status: 'OPEN' }, limit: 9, ...(isWalked && { window }) };
  const keys = inIndex({ when: { status: 'OPEN' }, key: [partition, '{placedAt}#{orderId}'] });
  const served = {
    query: 'GSI1',
    ...(fanOut > 1 && { fanOut }),
    ...(isWalked && { walk: { unit: 'day', most: 5 } }),
  };
  const parts = more(need, served, { tables: indexed, keys });
  return { ...parts, patterns: { more: need, createOrder: { creates: 'Order', rate } } };
}

/** One item, read so often per second. */
function settings(rate: number, copies?: number): Parts {
  const key = copies === undefined ? 'SETTINGS' : 'SETTINGS_{copy}';
  const more = { reads: 'Settings', rate };
  return {
    entities: { Settings: entity({ banner: z.string() }, copies === undefined ? {} : { copies }) },
    keys: { Settings: { Shop: [key, key] } },
    patterns: { more, set: { puts: 'Settings' } },
    served: { more: 'GetItem', set: copies === undefined ? 'PutItem' : 'TransactWriteItems' },
  };
}

/** Ten customers place more orders than their partitions take. */
function busyCustomers(partition: string): Parts {
  return {
    entities: {
      Customer: entity(customer, { expects: { items: 10, bytes: 200 } }),
      Order: entity(order, { expects: { items: 1_000_000, bytes: 1500 } }),
    },
    keys: { ...shop.keys, Order: { Shop: [partition, 'ORDER#{orderId}'] } },
    patterns: { createOrder: { creates: 'Order', rate: 12_000 } },
  };
}

interface Remedied {
  readonly code: string;
  readonly faulty: Parts;
  /** What the remedy says, among other things. */
  readonly says: string;
  readonly followed: Parts;
}

const cases: Readonly<Record<string, Remedied>> = {
  'an index for a read of one': {
    code: 'not-served',
    faulty: more({ reads: 'Order', by: ['orderId'] }, 'GetItem'),
    says: "Add an index GSI1 to Shop, give Order the key `GSI1: ['ORDER#{orderId}', '{customerId}']` and serve the pattern by `{ query: 'GSI1' }`. As several Order may have these values, read them all, `reads: ['Order']`, or declare what is unique, `unique: ['orderId']`.",
    followed: more(
      { reads: 'Order', by: ['orderId'] },
      { query: 'GSI1' },
      {
        tables: indexed,
        keys: inIndex('ORDER#{orderId}', '{customerId}'),
        entities: { Order: entity(order, { unique: ['orderId'] }) },
        served: { createOrder: 'TransactWriteItems' },
      },
    ),
  },
  'the index that is named, of several without a key': {
    code: 'not-served',
    faulty: more(
      { reads: ['Order'], by: ['status'], limit: 9 },
      { query: 'GSI2' },
      { tables: { Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['P1', 'S1'], GSI2: ['P2', 'S2'] } } } },
    ),
    says: "Give Order the key `GSI2: ['ORDER#{status}', '{customerId}#{orderId}']` and serve the pattern by `{ query: 'GSI2' }`.",
    followed: more(
      { reads: ['Order'], by: ['status'], limit: 9 },
      { query: 'GSI2' },
      {
        tables: { Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['P1', 'S1'], GSI2: ['P2', 'S2'] } } },
        keys: {
          Order: {
            Shop: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'],
            GSI2: ['ORDER#{status}', '{customerId}#{orderId}'],
          },
        },
      },
    ),
  },
  'the index that is named, which has no sort key': {
    code: 'not-served',
    faulty: more(
      { reads: ['Order'], by: ['status'], limit: 9 },
      { query: 'ByStatus' },
      { tables: { Shop: { key: ['PK', 'SK'], indexes: { ByStatus: ['P1'] } } } },
    ),
    says: "Give Order the key `ByStatus: ['ORDER#{status}']` and serve the pattern by `{ query: 'ByStatus' }`.",
    followed: more(
      { reads: ['Order'], by: ['status'], limit: 9 },
      { query: 'ByStatus' },
      {
        tables: { Shop: { key: ['PK', 'SK'], indexes: { ByStatus: ['P1'] } } },
        keys: { Order: { Shop: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'], ByStatus: ['ORDER#{status}'] } },
      },
    ),
  },
  'the index that is named and is not there': {
    code: 'not-served',
    faulty: more({ reads: ['Order'], by: ['status'], limit: 9 }, { query: 'ByStatus' }),
    says: "Add an index ByStatus to Shop, give Order the key `ByStatus: ['ORDER#{status}', '{customerId}#{orderId}']` and serve the pattern by `{ query: 'ByStatus' }`.",
    followed: more(
      { reads: ['Order'], by: ['status'], limit: 9 },
      { query: 'ByStatus' },
      {
        tables: { Shop: { key: ['PK', 'SK'], indexes: { ByStatus: ['P1', 'S1'] } } },
        keys: {
          Order: {
            Shop: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'],
            ByStatus: ['ORDER#{status}', '{customerId}#{orderId}'],
          },
        },
      },
    ),
  },
  'the index that is named, which has the other entity of the read': {
    code: 'not-served',
    faulty: inDepot(),
    says: "Give Order the key `GSI1: ['DEPOT#{depotId}', 'ORDER#{customerId}#{orderId}']`, beside Customer.",
    followed: inDepot(['DEPOT#{depotId}', 'ORDER#{customerId}#{orderId}']),
  },
  'a count that a relationship keeps': {
    code: 'no-limit',
    faulty: {
      ...more({ reads: ['Order'], by: ['customerId'], count: true }, { query: 'Shop' }, counted),
      relationships: [['Customer', '1:N', 'Order', { count: 'orderCount' }]],
    },
    says: 'Declare the maximum, `volume: { typical: 50, most: 500 }`, or read orderCount of Customer, where the relationship counts them.',
    followed: {
      ...counted,
      relationships: [['Customer', '1:N', 'Order', { count: 'orderCount' }]],
    },
  },
  'a count that a relationship could keep': {
    code: 'no-limit',
    faulty: more({ reads: ['Order'], by: ['customerId'], count: true }, { query: 'Shop' }),
    says: "or let the relationship of Customer and Order count, `{ count: '…' }`.",
    followed: {
      ...counted,
      relationships: [['Customer', '1:N', 'Order', { count: 'orderCount' }]],
    },
  },
  'the same index for all': {
    code: 'not-served',
    faulty: more({ reads: 'Order', by: ['orderId'] }, 'GetItem'),
    says: "read them all, `reads: ['Order']`",
    followed: more(
      { reads: ['Order'], by: ['orderId'], ...few },
      { query: 'GSI1' },
      { tables: indexed, keys: inIndex('ORDER#{orderId}', '{customerId}') },
    ),
  },
  'an index for an input that no key has': {
    code: 'not-served',
    faulty: more({ ...list, by: ['customerId', 'status'] }, 'GetItem'),
    says: "Add an index GSI1 to Shop, give Order the key `GSI1: ['ORDER#{customerId}#{status}', '{orderId}']`",
    followed: more(
      { ...list, by: ['customerId', 'status'] },
      { query: 'GSI1' },
      { tables: indexed, keys: inIndex('ORDER#{customerId}#{status}', '{orderId}') },
    ),
  },
  'an index for a constant that would be filtered': {
    code: 'not-served',
    faulty: more({ ...list, where: { status: 'OPEN' } }, 'GetItem'),
    says: "Add an index GSI1 to Shop, give Order the key `GSI1: ['ORDER#{customerId}#{status}', '{orderId}']`",
    followed: more(
      { ...list, where: { status: 'OPEN' } },
      { query: 'GSI1' },
      { tables: indexed, keys: inIndex('ORDER#{customerId}#{status}', '{orderId}') },
    ),
  },
  'a query for each value of a list': {
    code: 'not-served',
    faulty: more({ ...list, among: { customerId: 9 } }, 'GetItem'),
    says: "Serve it by `{ query: 'Shop', fanOut: 9 }`.",
    followed: more({ ...list, among: { customerId: 9 } }, { query: 'Shop', fanOut: 9 }),
  },
  'the condition of a sparse index': {
    code: 'part-of-items',
    faulty: more(
      list,
      { query: 'GSI1' },
      { tables: indexed, keys: inIndex({ when: { status: 'OPEN' }, key: ['C#{customerId}', '{orderId}'] }) },
    ),
    says: 'where: {"status":"OPEN"}',
    followed: more(
      { ...list, where: { status: 'OPEN' } },
      { query: 'GSI1' },
      { tables: indexed, keys: inIndex({ when: { status: 'OPEN' }, key: ['C#{customerId}', '{orderId}'] }) },
    ),
  },
  'an attribute that may be missing': {
    code: 'part-of-items',
    faulty: more(
      list,
      { query: 'GSI1' },
      {
        ...noted,
        keys: inIndex('C#{customerId}', '{note}'),
      },
    ),
    says: 'where: { note: { exists: true } }',
    followed: more(
      { ...list, where: { note: { exists: true } } },
      { query: 'GSI1' },
      {
        ...noted,
        keys: inIndex({ when: { note: { exists: true } }, key: ['C#{customerId}', '{note}'] }),
      },
    ),
  },
  'an index key that some items lack': {
    code: 'incomplete-index-key',
    faulty: more(
      { ...list, where: { note: { exists: true } } },
      { query: 'GSI1' },
      {
        ...noted,
        keys: inIndex('C#{customerId}', '{note}'),
      },
    ),
    says: '{ when: { note: { exists: true } }, key: […] }',
    followed: more(
      { ...list, where: { note: { exists: true } } },
      { query: 'GSI1' },
      {
        ...noted,
        keys: inIndex({ when: { note: { exists: true } }, key: ['C#{customerId}', '{note}'] }),
      },
    ),
  },
  'a primary key of two adjacent texts': {
    code: 'part-of-items',
    faulty: more({ reads: 'Order', by: ['customerId', 'orderId', 'name'] }, 'GetItem', {
      entities: { Order: entity({ ...order, name: id }) },
      keys: sorted('ORDER#{name}{orderId}'),
    }),
    says: 'Write name into the primary key as it is, with the separator # behind it.',
    followed: more({ reads: 'Order', by: ['customerId', 'orderId', 'name'] }, 'GetItem', {
      entities: { Order: entity({ ...order, name: id }) },
      keys: sorted('ORDER#{name}#{orderId}'),
    }),
  },
  'a primary key of an escaped text before a dash': {
    code: 'part-of-items',
    faulty: more({ reads: 'Order', by: ['customerId', 'orderId', 'name'] }, 'GetItem', {
      entities: { Order: entity({ ...order, name: z.string().min(1) }) },
      keys: sorted('ORDER#{name:escape}-{orderId}'),
    }),
    says: 'Write name into the primary key as it is, with the separator # behind it.',
    followed: more({ reads: 'Order', by: ['customerId', 'orderId', 'name'] }, 'GetItem', {
      entities: { Order: entity({ ...order, name: z.string().min(1) }) },
      keys: sorted('ORDER#{name}#{orderId}'),
    }),
  },
  'a primary key of text or a number': {
    code: 'part-of-items',
    faulty: more({ reads: 'Order', by: ['customerId', 'no'] }, 'GetItem', {
      entities: { Order: entity({ ...order, no: z.union([id, z.int()]) }) },
      keys: sorted('ORDER#{no}'),
    }),
    says: 'Let the schema of no yield text only, or numbers only.',
    followed: more({ reads: 'Order', by: ['customerId', 'no'] }, 'GetItem', {
      entities: { Order: entity({ ...order, no: z.int().min(0).max(9) }) },
      keys: sorted('ORDER#{no}'),
    }),
  },
  'a number up to a bound': {
    code: 'order-not-served',
    faulty: more(
      { ...list, order: 'no asc' },
      { query: 'Shop' },
      { entities: { Order: entity({ ...order, no: z.int().min(0).max(9999) }) }, keys: sorted('ORDER#{no}') },
    ),
    says: 'Pad it to the width of the largest, `{no:04}`.',
    followed: more(
      { ...list, order: 'no asc' },
      { query: 'Shop' },
      { entities: { Order: entity({ ...order, no: z.int().min(0).max(9999) }) }, keys: sorted('ORDER#{no:04}') },
    ),
  },
  'a number without a bound': {
    code: 'unpadded-number',
    faulty: more(
      { ...list, order: 'no asc' },
      { query: 'Shop' },
      { entities: { Order: entity({ ...order, no: z.int() }) }, keys: sorted('ORDER#{no}') },
    ),
    says: '`{no:08}`, and bound it in the schema: `z.int().min(0).max(99999999)`',
    followed: more(
      { ...list, order: 'no asc' },
      { query: 'Shop' },
      { entities: { Order: entity({ ...order, no: z.int().min(0).max(99_999_999) }) }, keys: sorted('ORDER#{no:08}') },
    ),
  },
  'a number with a fraction': {
    code: 'order-not-served',
    faulty: more(
      { ...list, order: 'amount asc' },
      { query: 'GSI1' },
      { tables: indexed, keys: inIndex('C#{customerId}', '{amount}#{orderId}') },
    ),
    says: "an index whose sort key is a number: `'amount:N'` with the template `{amount}`",
    followed: more(
      { ...list, order: 'amount asc' },
      { query: 'ByAmount' },
      {
        tables: { Shop: { key: ['PK', 'SK'], indexes: { ByAmount: ['ByAmountPK', 'amount:N'] } } },
        keys: {
          Order: { Shop: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'], ByAmount: ['C#{customerId}', '{amount}'] },
        },
      },
    ),
  },
  'times with an offset': {
    code: 'unsortable-time',
    faulty: more(
      { ...list, order: 'placedAt asc' },
      { query: 'GSI1' },
      {
        tables: indexed,
        entities: { Order: entity({ ...order, placedAt: z.iso.datetime({ offset: true }) }) },
        keys: inIndex('C#{customerId}', '{placedAt}#{orderId}'),
      },
    ),
    says: 'Write the time in one form, `{placedAt:utc}`',
    followed: more(
      { ...list, order: 'placedAt asc' },
      { query: 'GSI1' },
      {
        tables: indexed,
        entities: { Order: entity({ ...order, placedAt: z.iso.datetime({ offset: true }) }) },
        keys: inIndex('C#{customerId}', '{placedAt:utc}#{orderId}'),
      },
    ),
  },
  'times that are any text': {
    code: 'unsortable-time',
    faulty: more(
      { ...list, order: 'placedAt asc' },
      { query: 'GSI1' },
      {
        tables: indexed,
        entities: { Order: entity({ ...order, placedAt: z.string() }) },
        keys: inIndex('C#{customerId}', '{placedAt}#{orderId}'),
      },
    ),
    says: '`z.iso.datetime({ precision: 3 })`',
    followed: more(
      { ...list, order: 'placedAt asc' },
      { query: 'GSI1' },
      {
        tables: indexed,
        entities: { Order: entity({ ...order, placedAt: z.iso.datetime({ precision: 3 }) }) },
        keys: inIndex('C#{customerId}', '{placedAt}#{orderId}'),
      },
    ),
  },
  'capitals in an order': {
    code: 'mixed-case',
    faulty: more(
      { ...list, order: 'city asc' },
      { query: 'GSI1' },
      {
        tables: indexed,
        entities: { Order: entity({ ...order, city: z.string().min(1) }) },
        keys: inIndex('C#{customerId}', 'CITY#{city}'),
      },
    ),
    says: "`same: { city: 'lower' }`; every key then writes {city:lower}.",
    followed: more(
      { ...list, order: 'city asc' },
      { query: 'GSI1' },
      {
        tables: indexed,
        entities: { Order: entity({ ...order, city: z.string().min(1) }, { same: { city: 'lower' } }) },
        keys: inIndex('C#{customerId}', 'CITY#{city:lower}'),
      },
    ),
  },
  'a filter behind a limit': {
    code: 'filter-with-limit',
    faulty: more({ ...list, where: { status: 'OPEN' } }, { query: 'Shop' }),
    says: 'declare `readAhead`',
    followed: more({ ...list, where: { status: 'OPEN' } }, { query: 'Shop', readAhead: 50 }),
  },
  'a read before an update': {
    code: 'serial-requests',
    faulty: more({ updates: 'Order', by: ['customerId', 'orderId'], sets: ['status'] }, ['GetItem', 'UpdateItem'], {
      tables: indexed,
      keys: inIndex('STATUS#{status}', '{placedAt}#{orderId}'),
    }),
    says: 'name them in `by`',
    followed: more({ updates: 'Order', by: ['customerId', 'orderId', 'placedAt'], sets: ['status'] }, 'UpdateItem', {
      tables: indexed,
      keys: inIndex('STATUS#{status}', '{placedAt}#{orderId}'),
    }),
  },
  'a read before an update that may leave an attribute out': {
    code: 'serial-requests',
    faulty: more(
      { updates: 'Order', by: ['customerId', 'orderId', 'placedAt'], maySet: ['status'] },
      ['GetItem', 'UpdateItem'],
      { tables: indexed, keys: inIndex('STATUS#{status}', '{placedAt}#{orderId}') },
    ),
    says: 'Let every call give status: `sets` in place of `maySet`. Otherwise',
    followed: more({ updates: 'Order', by: ['customerId', 'orderId', 'placedAt'], sets: ['status'] }, 'UpdateItem', {
      tables: indexed,
      keys: inIndex('STATUS#{status}', '{placedAt}#{orderId}'),
    }),
  },
  'a read before an update that may leave one of several attributes out': {
    code: 'serial-requests',
    faulty: more({ updates: 'Order', by: ['customerId', 'orderId'], maySet: ['status'] }, ['GetItem', 'UpdateItem'], {
      tables: indexed,
      keys: inIndex('STATUS#{status}', '{placedAt}#{orderId}'),
    }),
    says: '`sets` in place of `maySet`. If the caller knows placedAt, name it in `by`.',
    followed: more({ updates: 'Order', by: ['customerId', 'orderId', 'placedAt'], sets: ['status'] }, 'UpdateItem', {
      tables: indexed,
      keys: inIndex('STATUS#{status}', '{placedAt}#{orderId}'),
    }),
  },
  'a transaction of too many actions': tooMany(60, 'volume: { typical: 40, most: 49 }', { typical: 40, most: 49 }),
  'a transaction of too many actions, of which a few usually': tooMany(50, 'volume: { typical: 2, most: 49 }', {
    typical: 2,
    most: 49,
  }),
  'a hot partition': {
    code: 'hot-partition',
    faulty: {
      ...more(
        { reads: ['Order'], where: { status: 'OPEN' }, limit: 9 },
        { query: 'GSI1' },
        { tables: indexed, keys: inIndex({ when: { status: 'OPEN' }, key: ['OPEN', '{placedAt}#{orderId}'] }) },
      ),
      patterns: {
        more: { reads: ['Order'], where: { status: 'OPEN' }, limit: 9 },
        createOrder: { creates: 'Order', rate: 500 },
      },
    },
    says: 'Spread it over 2 shards: `OPEN#{orderId:shard2}`, and `fanOut: 2` where it is queried.',
    followed: {
      ...more(
        { reads: ['Order'], where: { status: 'OPEN' }, limit: 9 },
        { query: 'GSI1', fanOut: 2 },
        {
          tables: indexed,
          keys: inIndex({ when: { status: 'OPEN' }, key: ['OPEN#{orderId:shard2}', '{placedAt}#{orderId}'] }),
        },
      ),
      patterns: {
        more: { reads: ['Order'], where: { status: 'OPEN' }, limit: 9 },
        createOrder: { creates: 'Order', rate: 500 },
      },
    },
  },
  'an index without the type of its items': {
    code: 'not-served',
    faulty: totals(['amount']),
    says: "ByTime lacks Type; Type says of which entity an item is: `project: ['amount', 'Type']`.",
    followed: totals(['amount', 'Type']),
  },
  'as many shards as the rate needs': {
    code: 'hot-partition',
    faulty: openOrders(7200, 'OPEN#{orderId:shard3}', 3),
    says: 'Spread it over 8 shards: `OPEN#{orderId:shard8}`, and `fanOut: 8` where it is queried.',
    followed: openOrders(7200, 'OPEN#{orderId:shard8}', 8),
  },
  'shards of a day': {
    code: 'hot-partition',
    faulty: openOrders(2500, 'OPEN#{placedAt:day}', 1),
    says: 'Spread it over 3 shards: `OPEN#{placedAt:day}#{orderId:shard3}`',
    followed: openOrders(2500, 'OPEN#{placedAt:day}#{orderId:shard3}', 3),
  },
  'copies of an item that is read often': {
    code: 'hot-partition',
    faulty: settings(13_000),
    says: 'Keep 3 identical copies, `entity({ … }, { copies: 3 })`, with `{copy}` in the partition key',
    followed: settings(13_000, 3),
  },
  'shards of a busy customer': {
    code: 'hot-partition',
    faulty: busyCustomers('CUSTOMER#{customerId}'),
    says: 'Spread it over 3 shards: `CUSTOMER#{customerId}#{orderId:shard3}`.',
    followed: busyCustomers('CUSTOMER#{customerId}#{orderId:shard3}'),
  },
  'a guard across tenants': {
    code: 'guard-over-all',
    faulty: {
      entities: { Order: entity({ ...order, code: id }, { unique: ['code'] }) },
      served: { createOrder: 'TransactWriteItems' },
    },
    says: "{ Order: { unique: { code: { key: ['{customerId}#ORDERCODE#{code}', '{customerId}#ORDERCODE#{code}'] } } } }",
    followed: {
      entities: { Order: entity({ ...order, code: id }, { unique: ['code'] }) },
      served: { createOrder: 'TransactWriteItems' },
      storage: {
        Order: { unique: { code: { key: ['{customerId}#ORDERCODE#{code}', '{customerId}#ORDERCODE#{code}'] } } },
      },
    },
  },
  'a key that does not begin with its tenant': {
    code: 'tenant-not-leading',
    faulty: {
      entities: owned,
      tables: { Shop: { key: ['PK', 'SK'], tenant: 'tenant' } },
      patterns: { customer: { reads: 'Customer', by: ['tenant', 'customerId'] } },
      keys: {
        Customer: { Shop: ['TENANT#{tenant}#CUSTOMER#{customerId}', 'PROFILE'] },
        Order: { Shop: ['CUSTOMER#{customerId}#{tenant}', 'ORDER#{orderId}'] },
      },
    },
    says: "Let the partition key of Order in Shop be 'TENANT#{tenant}#CUSTOMER#{customerId}'",
    followed: {
      entities: owned,
      tables: { Shop: { key: ['PK', 'SK'], tenant: 'tenant' } },
      patterns: { customer: { reads: 'Customer', by: ['tenant', 'customerId'] } },
      keys: {
        Customer: { Shop: ['TENANT#{tenant}#CUSTOMER#{customerId}', 'PROFILE'] },
        Order: { Shop: ['TENANT#{tenant}#CUSTOMER#{customerId}', 'ORDER#{orderId}'] },
      },
    },
  },
  'a sum beyond its bound': {
    code: 'bound-not-kept',
    faulty: more({ updates: 'Customer', by: ['customerId'], changes: { orderCount: add(-3) } }, 'UpdateItem'),
    says: 'given: { orderCount: { atLeast: 3 } }',
    followed: more(
      {
        updates: 'Customer',
        by: ['customerId'],
        changes: { orderCount: add(-3) },
        given: { orderCount: { atLeast: 3 } },
      },
      'UpdateItem',
    ),
  },
  'a separator in a value': {
    code: 'separator-in-value',
    faulty: {
      entities: { Order: entity({ ...order, title: z.string().min(1) }) },
      keys: sorted('ORDER#{title}#{orderId}'),
    },
    says: 'use the encoder `escape`',
    followed: {
      entities: { Order: entity({ ...order, title: z.string().min(1) }) },
      keys: sorted('ORDER#{title:escape}#{orderId}'),
    },
  },
  'no bound of a read': {
    code: 'no-limit',
    faulty: more({ reads: ['Order'], by: ['customerId'] }, { query: 'Shop' }),
    says: '`volume: { typical: 5, most: 50 }`',
    followed: more({ reads: ['Order'], by: ['customerId'], volume: { typical: 5, most: 50 } }, { query: 'Shop' }),
  },
  'a walk without an end': {
    code: 'walk-not-bounded',
    faulty: more(
      { ...list, order: 'placedAt desc' },
      { query: 'GSI1', walk: { unit: 'day', most: 5 } },
      { tables: indexed, keys: inIndex('C#{customerId}#{placedAt:day}', '{placedAt}') },
    ),
    says: "window: { of: 'placedAt', from: '2020-01-01' }",
    followed: more(
      { ...list, order: 'placedAt desc', window: { of: 'placedAt', from: '2020-01-01' } },
      { query: 'GSI1', walk: { unit: 'day', most: 5 } },
      { tables: indexed, keys: inIndex('C#{customerId}#{placedAt:day}', '{placedAt}') },
    ),
  },
  'spellings of one value': {
    code: 'input-not-used',
    faulty: more(
      { reads: ['Order'], by: ['city'], limit: 9 },
      { query: 'GSI1' },
      {
        tables: indexed,
        entities: { Order: entity({ ...order, city: z.string().min(1) }) },
        keys: inIndex('CITY#{city:lower}', '{orderId}'),
      },
    ),
    says: "entity({…}, { same: { city: 'lower' } })",
    followed: more(
      { reads: ['Order'], by: ['city'], limit: 9 },
      { query: 'GSI1' },
      {
        tables: indexed,
        entities: { Order: entity({ ...order, city: z.string().min(1) }, { same: { city: 'lower' } }) },
        keys: inIndex('CITY#{city:lower}', '{orderId}'),
      },
    ),
  },
  'a count without a bound': {
    code: 'no-limit',
    faulty: more({ reads: ['Order'], by: ['customerId'], count: true }, { query: 'Shop' }),
    says: 'Declare the maximum, `volume: { typical: 50, most: 500 }`',
    followed: more(
      { reads: ['Order'], by: ['customerId'], count: true, volume: { typical: 50, most: 500 } },
      { query: 'Shop' },
    ),
  },
  'a limit of a count': {
    code: 'unknown-name',
    faulty: more({ reads: ['Order'], by: ['customerId'], count: true, limit: 9 }, { query: 'Shop' }),
    says: 'Leave `limit` out, and declare the maximum: `volume: { typical: 50, most: 500 }`.',
    followed: more(
      { reads: ['Order'], by: ['customerId'], count: true, volume: { typical: 50, most: 500 } },
      { query: 'Shop' },
    ),
  },
  'a set that may be missing': {
    code: 'unbounded-attribute',
    faulty: more(
      { updates: 'Order', by: ['customerId', 'orderId'], takes: { tag: id }, changes: { tags: include(ref('tag')) } },
      'UpdateItem',
      {
        entities: { Order: entity({ ...order, tags: z.set(id).optional() }) },
      },
    ),
    says: 'given: { any: [{ tags: { exists: false } }, { tags: { size: { below: 100 } } }] }',
    followed: more(
      {
        updates: 'Order',
        by: ['customerId', 'orderId'],
        takes: { tag: id },
        changes: { tags: include(ref('tag')) },
        given: { any: [{ tags: { exists: false } }, { tags: { size: { below: 100 } } }] },
      },
      'UpdateItem',
      { entities: { Order: entity({ ...order, tags: z.set(id).optional() }) } },
    ),
  },
  'a list that is always there': {
    code: 'unbounded-attribute',
    faulty: more(
      {
        updates: 'Order',
        by: ['customerId', 'orderId'],
        takes: { line: z.array(id) },
        changes: { lines: append(ref('line')) },
      },
      'UpdateItem',
      { entities: { Order: entity({ ...order, lines: z.array(id) }) } },
    ),
    says: 'bound it: `given: { lines: { size: { below: 100 } } }`',
    followed: more(
      {
        updates: 'Order',
        by: ['customerId', 'orderId'],
        takes: { line: z.array(id) },
        changes: { lines: append(ref('line')) },
        given: { lines: { size: { below: 100 } } },
      },
      'UpdateItem',
      { entities: { Order: entity({ ...order, lines: z.array(id) }) } },
    ),
  },
  'an input that is not in the sort key': {
    code: 'input-not-used',
    faulty: more({ ...list, by: ['customerId', 'status'] }, { query: 'Shop' }),
    says: "Serve it from an index whose key has {status} in it, or filter by it: `filters: ['status']`.",
    followed: more(
      { ...list, by: ['customerId', 'status'] },
      { query: 'GSI1' },
      { tables: indexed, keys: inIndex('C#{customerId}', '{status}#{orderId}') },
    ),
  },
  'several inputs of a list': {
    code: 'input-not-used',
    faulty: more(
      { ...list, each: true, by: ['status'] },
      { query: 'GSI1' },
      { tables: indexed, keys: inIndex('STATUS#{status}', '{orderId}') },
    ),
    says: 'Leave `each` out. To read for several values of status at once, declare `among: { status: 10 }`, with `fanOut: 10` where it is served.',
    followed: more(
      { ...list, by: ['status'], among: { status: 10 } },
      { query: 'GSI1', fanOut: 10 },
      { tables: indexed, keys: inIndex('STATUS#{status}', '{orderId}') },
    ),
  },
  'several inputs with the primary key': {
    code: 'input-not-used',
    faulty: more({ reads: 'Order', by: ['customerId', 'orderId'], each: true }, { query: 'Shop' }),
    says: "Serve it by `'BatchGetItem'`.",
    followed: more({ reads: 'Order', by: ['customerId', 'orderId'], each: true }, 'BatchGetItem'),
  },
  'the order of a walk': {
    code: 'order-not-served',
    faulty: more(
      { ...list, order: 'amount desc', window: { of: 'placedAt', from: '2020-01-01' } },
      { query: 'GSI1', walk: { unit: 'day', most: 5 } },
      {
        tables: { Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK:N'] } } },
        keys: inIndex('C#{customerId}#{placedAt:day}', '{amount}'),
      },
    ),
    says: 'serve it from an index without {placedAt:day} in its partition key',
    followed: more(
      { ...list, order: 'amount desc' },
      { query: 'GSI1' },
      {
        tables: { Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK:N'] } } },
        keys: inIndex('C#{customerId}', '{amount}'),
      },
    ),
  },
  'text that something follows in an index': {
    code: 'order-not-served',
    faulty: more(
      { ...list, order: 'city asc' },
      { query: 'GSI1' },
      {
        tables: indexed,
        entities: { Order: entity({ ...order, city: z.string().regex(/^[A-Z ]+$/) }) },
        keys: inIndex('C#{customerId}', '{city}#{orderId}'),
      },
    ),
    says: 'In an index, several items may have one key: end it with `{city}`.',
    followed: more(
      { ...list, order: 'city asc' },
      { query: 'GSI1' },
      {
        tables: indexed,
        entities: { Order: entity({ ...order, city: z.string().regex(/^[A-Z ]+$/) }) },
        keys: inIndex('C#{customerId}', '{city}'),
      },
    ),
  },
  'an order of spellings': {
    code: 'order-not-served',
    faulty: more(
      { ...list, order: 'city asc' },
      { query: 'GSI1' },
      {
        tables: indexed,
        entities: { Order: entity({ ...order, city: z.string().min(1) }) },
        keys: inIndex('C#{customerId}', '{city:trim:lower}'),
      },
    ),
    says: "entity({…}, { same: { city: ['trim', 'lower'] } })",
    followed: more(
      { ...list, order: 'city asc' },
      { query: 'GSI1' },
      {
        tables: indexed,
        entities: { Order: entity({ ...order, city: z.string().min(1) }, { same: { city: ['trim', 'lower'] } }) },
        keys: inIndex('C#{customerId}', '{city:trim:lower}'),
      },
    ),
  },
  'two templates for a local index': {
    code: 'bad-declaration',
    faulty: more(
      { ...list, order: 'amount asc', consistent: true },
      { query: 'ByAmount' },
      {
        tables: { Shop: { key: ['PK', 'SK'], indexes: { ByAmount: { local: 'amount:N' } } } },
        keys: {
          Order: { Shop: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'], ByAmount: ['C#{customerId}', '{amount}'] },
        },
      },
    ),
    says: "only its sort key is written: `ByPrice: ['{price}']`",
    followed: more(
      { ...list, order: 'amount asc', consistent: true },
      { query: 'ByAmount' },
      {
        tables: { Shop: { key: ['PK', 'SK'], indexes: { ByAmount: { local: 'amount:N' } } } },
        keys: { Order: { Shop: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'], ByAmount: ['{amount}'] } },
      },
    ),
  },
  'another fact of the same name': {
    code: 'undeclared-duplicate',
    faulty: more({ updates: 'Customer', by: ['customerId'], sets: ['name'] }, 'UpdateItem', named),
    says: "`{ Order: { accepts: { 'undeclared-duplicate': '…' } } }`",
    followed: more({ updates: 'Customer', by: ['customerId'], sets: ['name'] }, 'UpdateItem', {
      ...named,
      storage: { Order: { accepts: { 'undeclared-duplicate': 'an order has a name of its own' } } },
    }),
  },
  'a guard of values that count as equal': {
    code: 'tenant-not-leading',
    faulty: mailed(),
    says: "`{ Customer: { unique: { email: { key: ['TENANT#{tenant}#CUSTOMEREMAIL#{email:lower}', 'CUSTOMEREMAIL'] } } } }`",
    followed: mailed({
      Customer: { unique: { email: { key: ['TENANT#{tenant}#CUSTOMEREMAIL#{email:lower}', 'CUSTOMEREMAIL'] } } },
    }),
  },
  'an index for values that count as equal': {
    code: 'not-served',
    faulty: more({ reads: 'Customer', by: ['email'] }, { query: 'GSI1' }, letters),
    says: "Give Customer the key `GSI1: ['CUSTOMER#{email:lower}', '{customerId}']`",
    followed: more(
      { reads: 'Customer', by: ['email'] },
      { query: 'GSI1' },
      {
        ...letters,
        keys: {
          Customer: { Shop: ['CUSTOMER#{customerId}', 'PROFILE'], GSI1: ['CUSTOMER#{email:lower}', '{customerId}'] },
        },
      },
    ),
  },
  'an input that is not in the key of a table whose partition is known': {
    code: 'not-served',
    faulty: more({ reads: 'Order', by: ['customerId', 'status'] }, 'GetItem', { tables: indexed }),
    says: "Give Order the key `GSI1: ['ORDER#{customerId}#{status}', '{orderId}']` and serve the pattern by `{ query: 'GSI1' }`. As several Order may have these values, read them all, `reads: ['Order']`",
    followed: more(
      { reads: ['Order'], by: ['customerId', 'status'], limit: 10 },
      { query: 'GSI1' },
      { tables: indexed, keys: inIndex('ORDER#{customerId}#{status}', '{orderId}') },
    ),
  },
  'a null where an attribute is missing': {
    code: 'impossible-value',
    faulty: more({ ...list, where: { note: null } }, { query: 'Shop', readAhead: 20 }, noted),
    says: 'For items without the attribute, write `note: { exists: false }`. Or let the schema take null.',
    followed: more({ ...list, where: { note: { exists: false } } }, { query: 'Shop', readAhead: 20 }, noted),
  },
  'a null in the place of a removal': {
    code: 'impossible-value',
    faulty: more({ updates: 'Order', by: ['customerId', 'orderId'], changes: { note: null } }, 'UpdateItem', noted),
    says: 'Remove the attribute, `note: remove()`.',
    followed: more(
      { updates: 'Order', by: ['customerId', 'orderId'], changes: { note: remove() } },
      'UpdateItem',
      noted,
    ),
  },
  'a condition on a key attribute': {
    code: 'filter-on-key',
    faulty: byAmount('amount:N', { where: { amount: { atLeast: 10 } } }),
    says: "by `range: 'amount'` or in `by`. Or let ByAmount have the key attribute 'amountKey:N' in its place, with the template '{amount}'",
    followed: byAmount('amount:N', { range: 'amount' }),
  },
  'a condition on what is written into a key attribute of another name': {
    code: 'filter-on-key',
    faulty: byAmount('amount:N', { where: { amount: { atLeast: 10 } } }),
    says: "the key attribute 'amountKey:N' in its place, with the template '{amount}'",
    followed: byAmount('amountKey:N', { where: { amount: { atLeast: 10 } } }),
  },
  'children in another partition': {
    code: 'part-of-items',
    faulty: more(
      { reads: { customer: 'Customer', orders: ['Order'] }, by: ['customerId'], order: 'orderId desc', limit: 9 },
      { query: 'Shop' },
      {
        keys: { Order: { Shop: ['ORDERS#{customerId}', 'ORDER#{orderId}'] } },
      },
    ),
    says: 'Give them one partition key, or read them by two patterns.',
    followed: more(
      { reads: { customer: 'Customer', orders: ['Order'] }, by: ['customerId'], order: 'orderId desc', limit: 9 },
      { query: 'Shop' },
      {
        keys: { Customer: { Shop: ['CUSTOMER#{customerId}', '~PROFILE'] } },
      },
    ),
  },
  'a list of values with a form each': {
    code: 'part-of-items',
    faulty: byStatus(inStatus, { by: ['customerId'], where: { status: ['OPEN', 'SHIPPED'] } }, { query: 'GSI1' }),
    says: "Add an index with one form for all of the list, `when: { status: ['OPEN', 'SHIPPED'] }`, and serve the pattern by it.",
    followed: byStatus(
      { when: { status: ['OPEN', 'SHIPPED'] }, key: ['ORDERS#{customerId}', '{orderId}'] },
      { by: ['customerId'], where: { status: ['OPEN', 'SHIPPED'] } },
      { query: 'GSI1' },
    ),
  },
  'a list of values with a form each, as an input': {
    code: 'part-of-items',
    faulty: byStatus(inStatus, { by: ['customerId'], where: { status: ['OPEN', 'SHIPPED'] } }, { query: 'GSI1' }),
    says: 'write {status} into the partition key of GSI1, in one form without a condition, and declare `among: { status: 2 }` and `fanOut: 2`',
    followed: byStatus(
      ['ORDERS#{customerId}#{status}', '{orderId}'],
      { by: ['customerId', 'status'], among: { status: 2 } },
      { query: 'GSI1', fanOut: 2 },
    ),
  },
  'another city than the copied one': {
    code: 'undeclared-duplicate',
    faulty: more({ updates: 'Customer', by: ['customerId'], sets: ['depotId'] }, 'UpdateItem', depots),
    says: 'declare that relationship',
    followed: more({ updates: 'Customer', by: ['customerId'], sets: ['depotId'] }, 'UpdateItem', {
      ...depots,
      relationships: [
        ['Customer', '1:N', 'Order'],
        ['Depot', '1:N', 'Order'],
      ],
    }),
  },
};

describe('a remedy that is followed', () => {
  test.each(Object.entries(cases))('%s', (_, { code, faulty, says, followed }) => {
    const before = check(modelOf(faulty)).findings;
    const found = before.filter((finding) => finding.code === code);
    expect(found.map(({ remedy }) => remedy).join(' | ')).toContain(says);
    const after = check(modelOf(followed)).findings;
    expect(after.filter((finding) => finding.code === code && finding.level !== 'accepted')).toEqual([]);
    expect(after.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

test('a key with too many templates is one error, and what would follow from it is none', () => {
  const { faulty } = cases['two templates for a local index'] ?? { faulty: {} };
  const { findings, patterns } = check(modelOf(faulty));
  expect(findings.filter(({ level }) => level === 'error').map(({ path }) => path)).toEqual(['keys.Order.ByAmount']);
  expect(patterns.map(({ pattern }) => pattern)).toContain('more');
});

test.each<[string, Parts, readonly string[]]>([
  ['the parent of a relationship', { relationships: [['Custmer', '1:N', 'Order']] }, ['unknown-entity']],
  ['the child of a relationship', { relationships: [['Customer', '1:N', 'Ordr']] }, ['unknown-entity']],
  [
    'a field of a relationship',
    { relationships: [['Customer', '1:N', 'Order', { requird: true }]], served: { createOrder: 'TransactWriteItems' } },
    ['unknown-name'],
  ],
  [
    'an attribute in a key',
    { keys: { Order: { Shop: ['CUSTOMER#{customrId}', 'ORDER#{orderId}'] } } },
    ['bad-declaration'],
  ],
  ['a pattern that is served', { patterns: { more: list }, served: { mroe: { query: 'Shop' } } }, ['unknown-name']],
  [
    'a condition',
    more(
      { updates: 'Customer', by: ['customerId'], changes: { orderCount: add(-1) }, givn: { orderCount: { above: 0 } } },
      'UpdateItem',
    ),
    ['unknown-name'],
  ],
])('an unknown name is one error, and what would follow from it is none: %s', (_, parts, expected) => {
  const { findings } = check(modelOf(parts));
  expect(findings.flatMap(({ level, code }) => (level === 'error' ? [code] : []))).toEqual(expected);
});

test('children in another partition are one error, and what would follow from it is none', () => {
  const { faulty } = cases['children in another partition'] ?? { faulty: {} };
  const { findings } = check(modelOf(faulty));
  expect(findings.filter(({ level }) => level === 'error').map(({ code }) => code)).toEqual(['part-of-items']);
});

test('a set is bounded only if each alternative bounds it', () => {
  const entities = { Order: entity({ ...order, tags: z.set(id).optional() }) };
  const found = (given: object): string[] => {
    const need = {
      updates: 'Order',
      by: ['customerId', 'orderId'],
      takes: { tag: id },
      changes: { tags: include(ref('tag')) },
      given,
    };
    return check(modelOf(more(need, 'UpdateItem', { entities })))
      .findings.map(({ code }) => code)
      .filter((code) => code === 'unbounded-attribute');
  };
  const small = { tags: { size: { atMost: 9 } } };
  expect(found(small)).toEqual([]);
  expect(found({ any: [small, { status: 'OPEN' }] })).toEqual(['unbounded-attribute']);
  expect(found({ tags: { size: { above: 9 } } })).toEqual(['unbounded-attribute']);
});

test('each kind of schema that cannot be stored has a remedy of its own', () => {
  const remedyOf = (schema: z.ZodType): string | undefined =>
    check(modelOf({ entities: { Order: entity({ ...order, more: schema }) } })).findings.find(
      ({ code }) => code === 'unstorable-schema',
    )?.remedy;
  expect(remedyOf(z.string().refine(async () => true))).toMatch(/^Do asynchronous checks/);
  expect(remedyOf(z.date())).toMatch(/^Let the schema yield text or a number/);
  expect(remedyOf(z.array(z.date()))).toMatch(/^Let the schema yield text or a number/);
  expect(remedyOf(z.map(z.string(), z.string()))).toMatch(/^Let the schema yield text, numbers, booleans/);
});

test('the fault of a name is the one that it has', () => {
  const found = (tables: Section): string[] =>
    check(modelOf({ tables, keys: { Customer: {}, Order: {} } }))
      .findings.filter(({ code }) => code === 'bad-name')
      .map(({ message, remedy }) => `${message} ${remedy ?? ''}`);
  expect(found({ Sh: { key: ['PK', 'SK'] } })[0]).toContain('"Sh" has 2 characters, and a name has 3 to 255');
  expect(found({ 'My shop': { key: ['PK', 'SK'] } })[0]).toContain('"My shop" has " ", which is not part of a name');
  expect(found({ Shop: { key: ['PK', 'SK'], indexes: { G: ['A'] } } })).toEqual([
    '"G" has 1 character, and a name has 3 to 255 Choose another name for the index.',
  ]);
});
