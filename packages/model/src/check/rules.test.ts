import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { codec } from '../entities/codec.ts';
import { entity } from '../entities/entity.ts';
import type { Model } from '../model.ts';
import type { Need } from '../patterns/need.ts';
import { add, append, attribute, exclude, include, initial, ref, remove } from '../patterns/value.ts';
import { check } from './check.ts';
import { indexOf, pageOf } from './page.ts';
import { rules } from './rules/index.ts';

/** Parts of a model that replace those of a small shop without faults. */
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
/** One form only, so that the texts have the same order as the times. */
const time = z.iso.datetime({ precision: 0 });
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

/** A model of these parts, plus the parts of the shop other than its patterns and how they are served. */
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

/** With one more pattern. */
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
const ofCustomer = { reads: ['Order'], by: ['customerId'], order: 'placedAt desc', limit: 10 };
const orderKey = (sort: string, attributes: object = {}): Parts => ({
  entities: { Order: entity({ ...order, ...attributes }) },
  keys: { Order: { Shop: ['CUSTOMER#{customerId}', sort] } },
});
const createdOrder: Parts = {
  patterns: { createOrder: { creates: 'Order' } },
  served: { createOrder: 'PutItem' },
};
const rate = (perSecond: number): Parts => ({
  ...byStatus(['OPEN', '{placedAt}#{orderId}'], open),
  patterns: { more: open, createOrder: { creates: 'Order', rate: perSecond } },
});

/** Customers and companies with one namespace, both parents of orders. */
function twoOwners(customers: object, companies: object): Parts {
  const accepts = { 'key-collision': 'one namespace' };
  return {
    entities: {
      Customer: { ...entity(customer), accepts },
      Company: { ...entity({ customerId: id, country: z.string() }), accepts },
    },
    relationships: [
      ['Customer', '1:N', 'Order', customers],
      ['Company', '1:N', 'Order', companies],
    ],
    patterns: { createCompany: { creates: 'Company' } },
    keys: { Company: { Shop: ['CUSTOMER#{customerId}', 'PROFILE'] } },
    served: { createCompany: 'TransactWriteItems', createOrder: 'TransactWriteItems' },
  };
}

/** A change of a list by an input. */
function appended(line: z.ZodType): Parts {
  return {
    ...pattern(
      {
        updates: 'Order',
        by: ['customerId', 'orderId'],
        takes: { line },
        changes: { log: { append: { ref: 'line' } } },
        given: { log: { size: { below: 10 } } },
      },
      'UpdateItem',
    ),
    entities: { Order: entity({ ...order, log: z.array(z.string()) }) },
  };
}

interface Case {
  readonly fires: Parts;
  readonly silent: Parts;
}

/** For each rule, a model that breaks it and a similar one that does not. */
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
  'several-items': {
    fires: byStatus(['CUSTOMER#{customerId}', '{orderId}'], { reads: 'Order', by: ['customerId'] }),
    silent: byStatus(['CUSTOMER#{customerId}', '{orderId}'], { reads: 'Order', by: ['customerId', 'orderId'] }),
  },
  'walk-not-bounded': {
    fires: byStatus(
      ['DAY#{placedAt:day}', '{placedAt}'],
      { reads: ['Order'], order: 'placedAt desc', limit: 10 },
      { query: 'GSI1', walk: { unit: 'day', most: 5 } },
    ),
    silent: byStatus(
      ['DAY#{placedAt:day}', '{placedAt}'],
      { reads: ['Order'], window: { of: 'placedAt', from: '2020-01-01' }, order: 'placedAt desc', limit: 10 },
      { query: 'GSI1', walk: { unit: 'day', most: 5 } },
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
  'part-of-items': {
    fires: byStatus({ when: { status: 'OPEN' }, key: ['CUSTOMER#{customerId}', '{placedAt}#{orderId}'] }, ofCustomer),
    silent: byStatus(
      { when: { status: 'OPEN' }, key: ['CUSTOMER#{customerId}', '{placedAt}#{orderId}'] },
      { ...ofCustomer, where: { status: 'OPEN' } },
    ),
  },
  'unknown-name': {
    fires: pattern(
      { updates: 'Order', by: ['customerId', 'orderId'], sets: ['amount'], given: { statsu: 'OPEN' } },
      'UpdateItem',
    ),
    silent: pattern(
      { updates: 'Order', by: ['customerId', 'orderId'], sets: ['amount'], given: { status: 'OPEN' } },
      'UpdateItem',
    ),
  },
  'impossible-value': {
    fires: pattern({ updates: 'Order', by: ['customerId', 'orderId'], changes: { status: 'CLOSED' } }, 'UpdateItem'),
    silent: pattern({ updates: 'Order', by: ['customerId', 'orderId'], changes: { status: 'SHIPPED' } }, 'UpdateItem'),
  },
  'operand-type': {
    fires: pattern(
      {
        reads: ['Order'],
        by: ['customerId'],
        takes: { least: z.number().nullable() },
        where: { number: { atLeast: { ref: 'least' } } },
      },
      { query: 'Shop' },
    ),
    silent: pattern(
      {
        reads: ['Order'],
        by: ['customerId'],
        takes: { least: z.number() },
        where: { number: { atLeast: { ref: 'least' } } },
      },
      { query: 'Shop' },
    ),
  },
  'operand-type of a change': {
    fires: appended(z.string()),
    silent: appended(z.array(z.string())),
  },
  'operand-type of two attributes': {
    fires: pattern(
      {
        updates: 'Order',
        by: ['customerId', 'orderId'],
        changes: { number: { add: 1 } },
        given: { any: [{ number: { below: { attribute: 'status' } } }, { status: { not: { attribute: 'status' } } }] },
      },
      'UpdateItem',
    ),
    silent: pattern(
      {
        updates: 'Order',
        by: ['customerId', 'orderId'],
        changes: { number: { add: 1 } },
        given: { orderId: { not: { attribute: 'status' } } },
      },
      'UpdateItem',
    ),
  },
  'item-size': {
    fires: { entities: { Order: entity(order, { expects: { items: 10, bytes: 150_000 } }) } },
    silent: { entities: { Order: entity(order, { expects: { items: 10, bytes: 50_000 } }) } },
  },
  'more-than-a-request': {
    fires: pattern({ creates: ['Order'], volume: { typical: 50, most: 101 } }, 'TransactWriteItems'),
    silent: pattern({ creates: ['Order'], volume: { typical: 50, most: 100 } }, 'TransactWriteItems'),
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
  'dear-count': {
    fires: pattern(
      { reads: ['Order'], by: ['customerId'], count: true, rate: 50, volume: { typical: 500, most: 2000 } },
      { query: 'Shop' },
    ),
    silent: pattern(
      { reads: ['Order'], by: ['customerId'], count: true, rate: 0.1, volume: { typical: 2, most: 20 } },
      { query: 'Shop' },
    ),
  },
  'no-limit': {
    fires: pattern({ reads: ['Order'], by: ['customerId'] }, { query: 'Shop' }),
    silent: pattern({ reads: ['Order'], by: ['customerId'], volume: { typical: 3, most: 20 } }, { query: 'Shop' }),
  },
  'faulty-write': {
    fires: pattern({ updates: 'Customer', by: ['customerId', 'name'], sets: ['name'] }, 'UpdateItem'),
    silent: pattern({ updates: 'Customer', by: ['customerId', 'name'], changes: { orderCount: add(1) } }, 'UpdateItem'),
  },
  'guard-not-exact': {
    fires: {
      entities: { Order: entity({ ...order, code: id }, { unique: ['code'] }) },
      storage: { Order: { unique: { code: { key: ['CODE#{customerId}', 'CODE'] } } } },
    },
    silent: {
      entities: { Order: entity({ ...order, code: id }, { unique: ['code'] }) },
      storage: { Order: { unique: { code: { key: ['CODE#{customerId}#{code}', 'CODE'] } } } },
    },
  },
  'serial-requests': {
    fires: byStatus(
      ['STATUS#{status}', '{placedAt}#{orderId}'],
      { updates: 'Order', by: ['customerId', 'orderId'], sets: ['status'] },
      ['GetItem', 'UpdateItem'],
    ),
    silent: {
      entities: { Customer: entity({ ...customer, email: z.string() }, { unique: ['email'] }) },
      patterns: {
        createCustomer: { creates: 'Customer' },
        more: { updates: 'Customer', by: ['customerId'], sets: ['email'] },
      },
      served: { createCustomer: 'TransactWriteItems', more: ['GetItem', 'TransactWriteItems'] },
    },
  },
  'unstorable-schema': {
    fires: { entities: { Order: entity({ ...order, at: z.date() }) } },
    silent: { entities: { Order: entity({ ...order, at: z.iso.date() }) } },
  },
  'unkeyable-value': {
    fires: { entities: { Order: entity({ ...order, orderId: id.optional() }) } },
    silent: { entities: { Order: entity({ ...order, orderId: id.default('0') }) } },
  },
  'empty-key': {
    fires: {
      entities: { Order: entity({ ...order, orderId: z.string() }) },
      keys: { Order: { Shop: ['CUSTOMER#{customerId}', '{orderId}'] } },
    },
    silent: {
      entities: { Order: entity({ ...order, orderId: z.string().min(1) }) },
      keys: { Order: { Shop: ['CUSTOMER#{customerId}', '{orderId}'] } },
    },
  },
  'key-too-long': {
    fires: { entities: { Order: entity({ ...order, orderId: z.string().max(1020) }) } },
    silent: { entities: { Order: entity({ ...order, orderId: z.string().max(300) }) } },
  },
  'bad-name': {
    fires: { tables: { Shop: { key: ['PK', 'SK'], indexes: { G1: ['GSI1PK', 'GSI1SK'] } } } },
    silent: { tables: withIndex },
  },
  'refused-table': {
    fires: { tables: { Shop: { key: ['PK', 'PK'] } } },
    silent: { tables: { Shop: { key: ['PK', 'SK'], indexes: { ByPrice: { local: 'price:N' } } } } },
  },
  'bound-not-kept': {
    fires: {
      entities: { Customer: entity({ ...customer, credit: z.number().min(0) }) },
      ...pattern({ updates: 'Customer', by: ['customerId'], changes: { credit: add(-1) } }, 'UpdateItem'),
    },
    silent: {
      entities: { Customer: entity({ ...customer, credit: z.number().min(0) }) },
      ...pattern(
        { updates: 'Customer', by: ['customerId'], changes: { credit: add(-1) }, given: { credit: { atLeast: 1 } } },
        'UpdateItem',
      ),
    },
  },
  'guard-over-all': {
    fires: {
      entities: { Order: entity({ ...order, code: id }, { unique: ['code'] }) },
      served: { createOrder: 'TransactWriteItems' },
    },
    silent: {
      entities: { Order: entity({ ...order, code: id }, { unique: ['code'] }) },
      storage: { Order: { unique: { code: { key: ['CODE#{customerId}#{code}', 'CODE'] } } } },
      served: { createOrder: 'TransactWriteItems' },
    },
  },
  'counted-expires': {
    fires: {
      entities: { Order: entity({ ...order, ends: z.int().max(9_999_999_999) }, { expires: 'ends' }) },
      relationships: [['Customer', '1:N', 'Order', { count: 'orderCount' }]],
      served: { createOrder: 'TransactWriteItems' },
    },
    silent: {
      relationships: [['Customer', '1:N', 'Order', { count: 'orderCount' }]],
      served: { createOrder: 'TransactWriteItems' },
    },
  },
  'counted-parent-only': {
    fires: twoOwners({ count: 'orderCount' }, { required: true }),
    silent: twoOwners({ required: true }, { required: true }),
  },
  'count-not-kept': {
    fires: {
      relationships: [['Customer', '1:N', 'Order', { count: 'orderCount' }]],
      ...pattern({ deletes: 'Customer', by: ['customerId'] }, 'DeleteItem'),
      served: { createOrder: 'TransactWriteItems', more: 'DeleteItem' },
    },
    silent: {
      relationships: [['Customer', '1:N', 'Order', { count: 'orderCount' }]],
      ...pattern({ deletes: 'Customer', by: ['customerId'], given: { orderCount: 0 } }, 'DeleteItem'),
      served: { createOrder: 'TransactWriteItems', more: 'DeleteItem' },
    },
  },
  'counter-in-key': {
    fires: {
      tables: withIndex,
      keys: { Customer: { Shop: ['CUSTOMER#{customerId}', 'PROFILE'], GSI1: ['BUSY', '{orderCount:06}'] } },
      relationships: [['Customer', '1:N', 'Order', { count: 'orderCount' }]],
      served: { createOrder: 'TransactWriteItems' },
    },
    silent: {
      tables: withIndex,
      keys: { Customer: { Shop: ['CUSTOMER#{customerId}', 'PROFILE'], GSI1: ['BUSY', '{orderCount:06}'] } },
    },
  },
  'returns-nothing': {
    fires: pattern(
      { transacts: { a: { updates: 'Customer', by: ['customerId'], sets: ['name'], returns: 'new' } } },
      'TransactWriteItems',
    ),
    silent: pattern({ updates: 'Customer', by: ['customerId'], sets: ['name'], returns: 'new' }, 'UpdateItem'),
  },
  'without-effect': {
    fires: pattern({ updates: 'Customer', by: ['customerId'], sets: ['name'], where: { name: 'Ann' } }, 'UpdateItem'),
    silent: pattern({ updates: 'Customer', by: ['customerId'], sets: ['name'], given: { name: 'Ann' } }, 'UpdateItem'),
  },
  'collection-size': { fires: local(30_000_000), silent: local(2_000_000) },
  'key-collision': {
    fires: {
      keys: { Customer: { Shop: ['{customerId}', '{customerId}'] }, Order: { Shop: ['{customerId}', '{orderId}'] } },
    },
    silent: {
      keys: { Customer: { Shop: ['{customerId}', 'PROFILE'] }, Order: { Shop: ['{customerId}', 'ORDER#{orderId}'] } },
    },
  },
  'key-not-exact': {
    fires: { ...createdOrder, ...orderKey('ORDER#{placedAt:day}#{orderId}') },
    silent: { ...createdOrder, ...orderKey('ORDER#{placedAt}#{orderId}') },
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
  'index-key-written-twice': {
    fires: {
      tables: { Shop: { key: ['PK', 'SK'], indexes: { Inverted: ['SK', 'PK'] } } },
      keys: {
        Order: {
          Shop: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'],
          Inverted: { when: { status: 'OPEN' }, key: ['ORDER#{orderId}', 'CUSTOMER#{customerId}'] },
        },
      },
    },
    silent: {
      tables: { Shop: { key: ['PK', 'SK'], indexes: { Inverted: ['SK', 'PK'] } } },
      keys: {
        Order: {
          Shop: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'],
          Inverted: ['ORDER#{orderId}', 'CUSTOMER#{customerId}'],
        },
      },
    },
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
  'value-beyond-key': {
    fires: orderKey('ORDER#{number:03}', { number: z.int().min(0).max(9999) }),
    silent: orderKey('ORDER#{number:03}', { number: z.int().min(0).max(999) }),
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
    silent: { entities: { Order: entity({ ...order, expires: z.int().max(9_999_999_999) }, { expires: 'expires' }) } },
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
  'no-tenant': {
    fires: ofTenants({ entities: { Order: entity({ ...owned(order), tenantId: id.optional() }) } }),
    silent: ofTenants({}),
  },
  'tenant-not-leading': {
    fires: ofTenants({ keys: { Order: { Shop: ['CUSTOMER#{customerId}#{tenantId}', 'ORDER#{orderId}'] } } }),
    silent: ofTenants({}),
  },
  'crosses-tenants': {
    fires: ofTenants({
      patterns: { all: { reads: ['Order'], limit: 10 } },
      served: { all: { scan: 'Shop', because: 'a report' } },
    }),
    silent: ofTenants({}),
  },
};

function owned<A extends object>(attributes: A): A & { readonly tenantId: typeof id } {
  return { ...attributes, tenantId: id };
}

/** The shop, with many tenants. */
function ofTenants(parts: Parts): Parts {
  return {
    ...parts,
    entities: { Customer: entity(owned(customer)), Order: entity(owned(order)), ...parts.entities },
    relationships: [],
    patterns: {
      customer: { reads: 'Customer', by: ['tenantId', 'customerId'] },
      orders: { reads: ['Order'], by: ['tenantId', 'customerId'], order: 'orderId desc', limit: 10 },
      ...(parts.patterns as object | undefined),
    },
    tables: { Shop: { key: ['PK', 'SK'], tenant: 'tenantId' } },
    keys: {
      Customer: { Shop: ['T#{tenantId}#CUSTOMER#{customerId}', 'PROFILE'] },
      Order: { Shop: ['T#{tenantId}#CUSTOMER#{customerId}', 'ORDER#{orderId}'] },
      ...parts.keys,
    },
  };
}

/** A hundred customers and their orders, in a table with a local index. */
function local(orders: number): Parts {
  return {
    entities: {
      Customer: entity(customer, { expects: { items: 100, bytes: 200 } }),
      Order: entity(order, { expects: { items: orders, bytes: 50_000 } }),
    },
    tables: { Shop: { key: ['PK', 'SK'], indexes: { LSI1: { local: 'LSI1SK' } } } },
  };
}

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

/** Rules about models that the compiler would reject. */
const misspelt = (rules: object): object => rules;

describe('what a name refers to', () => {
  test('a wrong name is one error, without what follows from it', () => {
    const wrong = { reads: ['Order'], by: ['costumerId'], order: 'orderId asc', limit: 10 };
    const { findings } = check(modelOf(pattern(wrong, { query: 'Shop' })));
    const ofPattern = findings.filter(({ path }) => /^(patterns|served)\.more/.test(path));
    expect(ofPattern.map(({ code, path }) => [code, path])).toEqual([['unknown-name', 'patterns.more.by']]);
  });

  test('a name that is only inside a document is said so', () => {
    const more = { address: z.object({ city: id }), lines: z.array(z.object({ sku: id })) };
    const found = (by: string): string[] =>
      check(
        modelOf({
          ...pattern({ reads: ['Order'], by: [by], limit: 10 }, { query: 'Shop' }),
          entities: { Order: entity({ ...order, ...more }) },
        }),
      ).findings.flatMap(({ path, message, remedy }) =>
        /^(patterns|served)\.more/.test(path) ? [`${message}. ${remedy}`] : [],
      );
    const city =
      'Order has no attribute "city": address.city is inside a document, and no key can have it. Store city as an attribute of its own as well, or filter by it, `where: { \'address.city\': … }`.';
    expect(found('city')).toEqual([city]);
    expect(found('address.city')).toEqual([city.replace('"city"', '"address.city"')]);
    expect(found('sku')).toEqual([
      'Order has no attribute "sku": lines[].sku is inside a document, and no key can have it. Store sku as an attribute of its own as well, or store each element of lines as an item.',
    ]);
    expect(found('zip')).toEqual([expect.stringContaining('Order has no attribute "zip".')]);
  });

  test('an order without its direction has the two that it may have as its remedy', () => {
    const { findings } = check(modelOf(pattern({ ...read, order: 'orderId' }, { query: 'Shop' })));
    expect(findings.find(({ path }) => path === 'patterns.more.order')?.remedy).toBe(
      "Write an attribute and its direction: `order: 'orderId asc'` or `order: 'orderId desc'`.",
    );
  });

  const messages = (parts: Parts): string[] =>
    check(modelOf(parts)).findings.flatMap(({ code, path, message }) =>
      code === 'unknown-name' ? [`${path}: ${message}`] : [],
    );
  const ofOrder = { updates: 'Order', by: ['customerId', 'orderId'] };
  const read = { reads: ['Order'], by: ['customerId'], limit: 10 };

  test.each([
    [
      'a field',
      pattern({ ...read, limmit: 5 }, { query: 'Shop' }),
      'patterns.more.limmit: there is no "limmit" here; did you mean "limit"?',
    ],
    [
      'a field of how it is served',
      pattern(read, { query: 'Shop', readahead: 5 }),
      'served.more.readahead: there is no "readahead" here; did you mean "readAhead"?',
    ],
    [
      'the attribute of an order',
      pattern({ ...read, order: 'name desc' }, { query: 'Shop' }),
      'patterns.more.order: Order has no attribute "name"',
    ],
    [
      'the direction of an order',
      pattern({ ...read, order: 'orderId descending' }, { query: 'Shop' }),
      'patterns.more.order: "orderId descending" is not an attribute with its direction, asc or desc',
    ],
    [
      'an attribute that is set',
      pattern({ ...ofOrder, sets: ['name'] }, 'UpdateItem'),
      'patterns.more.sets: Order has no attribute "name"',
    ],
    [
      'an attribute that is changed',
      pattern({ ...ofOrder, changes: { statuss: 'OPEN' } }, 'UpdateItem'),
      'patterns.more.changes: Order has no attribute "statuss"; did you mean "status"?',
    ],
    [
      'an attribute of a part of a transaction',
      pattern(
        { transacts: { one: { ...ofOrder, given: { any: [{ amuont: 1 }] } }, two: { creates: 'Customer' } } },
        'TransactWriteItems',
      ),
      'patterns.more.transacts.one.given: Order has no attribute "amuont"; did you mean "amount"?',
    ],
    [
      'a comparison',
      pattern({ ...ofOrder, sets: ['status'], given: { amount: { greater: 1 } } }, 'UpdateItem'),
      'patterns.more.given.greater: there is no "greater" here',
    ],
    [
      'an input',
      pattern({ ...ofOrder, changes: { amount: add(ref('more')) } }, 'UpdateItem'),
      'patterns.more.changes: "more" is not an input of the pattern: add it to `takes`',
    ],
    [
      'an input in a path',
      pattern({ ...ofOrder, changes: { 'status.{label}': 1 } }, 'UpdateItem'),
      'patterns.more.changes: "label" is not an input of the pattern: add it to `takes`',
    ],
    [
      'a lock',
      { entities: { Order: entity(order, misspelt({ lock: 'version' })) } },
      'entities.Order.lock: Order has no attribute "version"',
    ],
    [
      'a rule',
      { entities: { Order: entity(order, misspelt({ uniqe: ['orderId'] })) } },
      'entities.Order.uniqe: there is no "uniqe" here; did you mean "unique"?',
    ],
    [
      'a field of a volume',
      pattern({ ...read, volume: { typical: 5, mots: 9 } }, { query: 'Shop' }),
      'patterns.more.volume.mots: there is no "mots" here; did you mean "most"?',
    ],
    [
      'a field of a window',
      pattern({ ...read, window: { of: 'orderId', from: '2020-01-01', til: 'now' } }, { query: 'Shop' }),
      'patterns.more.window.til: there is no "til" here',
    ],
    [
      'a field of a walk',
      pattern(read, { query: 'Shop', walk: { unit: 'day', most: 3, until: 'now' } }),
      'served.more.walk.until: there is no "until" here; did you mean "unit"?',
    ],
    [
      'a field of what is expected',
      { entities: { Order: entity(order, misspelt({ expects: { itms: 5 } })) } },
      'entities.Order.expects.itms: there is no "itms" here; did you mean "items"?',
    ],
    [
      'a field of a copy',
      {
        entities: {
          Order: entity(
            order,
            misspelt({ duplicates: { amount: { from: 'Customer.name', rule: 'stream', fuond: 'x' } } }),
          ),
        },
      },
      'entities.Order.duplicates.amount.fuond: there is no "fuond" here; did you mean "found"?',
    ],
    [
      'a field of what is computed',
      {
        entities: {
          Order: entity(order, misspelt({ computed: { amount: { from: ['orderId'], as: () => 1, fro: [] } } })),
        },
      },
      'entities.Order.computed.amount.fro: there is no "fro" here; did you mean "from"?',
    ],
    [
      'a cardinality',
      { relationships: [['Customer', '1:n', 'Order']] },
      'relationships.Customer.Order: "1:n" is not a cardinality: 1:1, 1:N or N:M',
    ],
    [
      'the condition of a key',
      byStatus({ when: { open: true }, key: ['CUSTOMER#{customerId}', '{orderId}'] }, read),
      'keys.Order.GSI1: Order has no attribute "open"',
    ],
    [
      'what an index is made of',
      { tables: { Shop: { key: ['PK', 'SK'], indexes: { GSI1: { key: ['GSI1PK'] } } } } },
      'tables.Shop.indexes.GSI1: GSI1 has no `partition`',
    ],
    [
      'what an index holds',
      { tables: { Shop: { key: ['PK', 'SK'], indexes: { GSI1: { partition: ['GSI1PK'], project: ['amuont'] } } } } },
      'tables.Shop.indexes.GSI1: nothing is stored as "amuont"; did you mean "amount"?',
    ],
    ['a pattern', { served: { order: 'GetItem' } }, 'served.order: there is no pattern order'],
    ['an entity', { keys: { Orders: { Shop: ['A', 'B'] } } }, 'keys.Orders: there is no entity Orders'],
    [
      'copies that would be one item',
      { entities: { Customer: entity(customer, { copies: 3 }) }, served: { createCustomer: 'TransactWriteItems' } },
      'keys.Customer.Shop: 3 copies would have one key: none of its templates has {copy}',
    ],
  ] as const)('%s', (_what, parts, expected) => {
    expect(messages(parts)).toContain(expected);
  });
});

describe('a value that the schema refuses', () => {
  const refused = (parts: Parts): string[] =>
    check(modelOf(parts)).findings.flatMap(({ code, message }) => (code === 'impossible-value' ? [message] : []));

  test.each([
    [
      'in a condition',
      pattern({ reads: ['Order'], by: ['customerId'], where: { status: ['OPEN', 'LOST'] } }, { query: 'Shop' }),
      'status is never "LOST"',
    ],
    [
      'in the condition of a key',
      byStatus({ when: { status: 'LOST' }, key: ['A', '{orderId}'] }, open),
      'status is never "LOST"',
    ],
    [
      'a null',
      pattern({ reads: ['Order'], by: ['customerId'], where: { status: null } }, { query: 'Shop' }),
      'status is never null',
    ],
    [
      'a null in a list',
      pattern({ reads: ['Order'], by: ['customerId'], where: { status: ['OPEN', null] } }, { query: 'Shop' }),
      'status is never null',
    ],
    [
      'a null that is set',
      pattern({ updates: 'Order', by: ['customerId', 'orderId'], changes: { status: null } }, 'UpdateItem'),
      'status is never null',
    ],
    [
      'a counter that is text',
      {
        relationships: [['Customer', '1:N', 'Order', { count: 'name' }]],
        served: { createOrder: 'TransactWriteItems' },
      },
      'name of Customer counts Order, and takes no numbers',
    ],
    [
      'text that is added to',
      pattern({ updates: 'Customer', by: ['customerId'], changes: { name: add(1) } }, 'UpdateItem'),
      'name of Customer is added to, and takes no numbers',
    ],
  ] as const)('%s', (_what, parts, expected) => {
    expect(refused(parts)).toContain(expected);
  });

  test('a default that the schema fills in, and what may be missing, are none', () => {
    const parts = pattern(
      {
        updates: 'Customer',
        by: ['customerId'],
        changes: { orderCount: 0, name: 'none' },
        given: { orderCount: { exists: true } },
      },
      'UpdateItem',
    );
    expect(refused(parts)).toEqual([]);
  });
});

describe('order-not-served', () => {
  const onlyPartition = { Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK'] } } };
  const inOrder = { reads: ['Order'], by: ['status'], order: 'placedAt desc', limit: 10 };

  test('entries of an index without a sort key, or of one sort key, are in no order', () => {
    expect(found({ ...byStatus(['STATUS#{status}'], inOrder), tables: onlyPartition })).toContain('order-not-served');
    expect(found(byStatus(['ALL', '{status}'], inOrder))).toContain('order-not-served');
    expect(found(byStatus(['STATUS#{status}', '{placedAt}'], inOrder))).not.toContain('order-not-served');
  });
});

describe('part-of-items', () => {
  const keys = (...when: readonly (object | undefined)[]): unknown =>
    when.map((each) => ({ when: each, key: ['CUSTOMER#{customerId}', '{placedAt}#{orderId}'] }));

  test('forms that together hold every value of an enumeration hold all', () => {
    expect(found(byStatus(keys({ status: 'OPEN' }, { status: 'SHIPPED' }), ofCustomer))).not.toContain('part-of-items');
    expect(
      found(byStatus(keys({ amount: { exists: true } }, { amount: { exists: false } }), ofCustomer)),
    ).not.toContain('part-of-items');
    expect(found(byStatus(keys({ status: 'OPEN' }, { amount: 5 }), ofCustomer))).toContain('part-of-items');
  });

  test('a condition of the pattern that is that of the index needs no filter', () => {
    for (const test of [{ status: ['OPEN'] }, { amount: { above: 5 } }, { amount: { exists: true } }]) {
      const findings = found(byStatus(keys(test), { ...ofCustomer, where: test }));
      expect(findings).not.toContain('part-of-items');
      expect(findings).not.toContain('filter-with-limit');
    }
  });
});

test('time-to-live: a filter that keeps the expired is reported, and not where they are meant', () => {
  const expiring = (need: object): Parts => ({
    entities: { Order: entity({ ...order, expires: z.int().max(9_999_999_999) }, { expires: 'expires' }) },
    ...pattern(
      { reads: ['Order'], by: ['customerId'], takes: { now: z.number() }, volume: { typical: 1, most: 9 }, ...need },
      { query: 'Shop' },
    ),
  });
  expect(found(expiring({ where: { expires: { atMost: ref('now') } } }))).toContain('time-to-live');
  expect(found(expiring({ where: { expires: { above: ref('now') } } }))).not.toContain('time-to-live');
  expect(found(expiring({ where: { expires: { atMost: ref('now') } }, expired: true }))).not.toContain('time-to-live');
});

test('raw-id-order: a schema of drawn ids is known by what it takes', () => {
  const ordered = (schema: unknown): Parts => ({
    ...orderKey('ORDER#{no}', { no: schema }),
    ...pattern({ reads: ['Order'], by: ['customerId'], order: 'no desc', limit: 10 }, { query: 'Shop' }),
  });
  expect(found(ordered(z.uuidv4()))).toContain('raw-id-order');
  expect(found(ordered(z.uuidv7()))).not.toContain('raw-id-order');
  expect(found(ordered(z.ulid()))).not.toContain('raw-id-order');
});

test('more-than-a-request: a page that one query cannot read, and one that has no items', () => {
  const page = (limit: number, bytes: number): Parts => ({
    entities: { Order: entity(order, { expects: { items: 1000, bytes } }) },
    ...pattern({ reads: ['Order'], by: ['customerId'], limit }, { query: 'Shop' }),
  });
  expect(found(page(100, 20_000))).toContain('more-than-a-request');
  expect(found(page(50, 20_000))).not.toContain('more-than-a-request');
  expect(found(page(0, 100))).toContain('more-than-a-request');
});

test('hot-partition: one of few tenants whose patterns ask for more than a partition serves', () => {
  const busy = (rate: number, customers: number): string[] =>
    check(
      modelOf({
        entities: {
          Customer: entity(customer, { expects: { items: customers, bytes: 200 } }),
          Order: entity(order, { expects: { items: 1_000_000, bytes: 1500 } }),
        },
        patterns: { createOrder: { creates: 'Order', rate } },
      }),
    ).findings.flatMap(({ code, message }) => (code === 'hot-partition' ? [message] : []));
  expect(busy(6000, 10)).toEqual([
    'one of 10 values of CUSTOMER#{customerId} in Shop takes 0 read and 1200 write units per second, of 3,000 and 1,000',
  ]);
  expect(busy(6000, 100)).toEqual([]);
});

test('hot-partition: reads of a local index are reads of a partition of the table', () => {
  const need = { reads: ['Order'], by: ['customerId'], order: 'placedAt desc', limit: 100, rate: 4000 };
  const parts = {
    ...pattern(need, { query: 'ByTime' }),
    tables: { Shop: { key: ['PK', 'SK'], indexes: { ByTime: { local: 'placedAt' } } } },
    entities: {
      Customer: entity(customer, { expects: { items: 10, bytes: 200 } }),
      Order: entity(order, { expects: { items: 1_000_000, bytes: 1500 } }),
    },
    keys: { Order: { Shop: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'], ByTime: ['{placedAt}'] } },
  };
  expect(
    check(modelOf(parts)).findings.flatMap(({ code, message }) => (code === 'hot-partition' ? [message] : [])),
  ).toEqual([
    'one of 10 values of CUSTOMER#{customerId} in Shop takes 7400 read and 0 write units per second, of 3,000 and 1,000',
  ]);
});

test('operand-type: a change says what it takes, and what it is given', () => {
  const messages = (attributes: Readonly<Record<string, z.ZodType>>, changes: object): string[] =>
    check(
      modelOf({
        ...pattern(
          { updates: 'Order', by: ['customerId', 'orderId'], takes: { line: z.string().nullable() }, changes },
          ['UpdateItem'],
        ),
        entities: { Order: entity({ ...order, ...attributes } as never) },
      }),
    ).findings.flatMap(({ code, message }) => (code === 'operand-type' ? [message] : []));
  const line = { ref: 'line' };
  expect(messages({ log: z.array(z.string()).optional() }, { log: { append: line } })).toEqual([
    'the input line is appended to log, and may be text or null',
  ]);
  expect(messages({ log: z.string() }, { log: { append: { ref: 'unknown' } } })).toEqual([
    'log is changed by `append`, and may be text',
  ]);
  expect(messages({ tags: z.array(z.string()) }, { tags: { include: line } })).toEqual([
    'tags is changed by `include`, and may be a list',
  ]);
  expect(messages({ tags: z.set(z.string()).optional() }, { tags: { exclude: line } })).toEqual([]);
  expect(messages({ tags: z.unknown() }, { tags: { include: line } })).toEqual([]);
});

test('item-size: what the schemas allow is more than an item may have', () => {
  const sized = (note: unknown): string[] =>
    check(modelOf({ entities: { Order: entity({ ...order, note } as never) } })).findings.flatMap(
      ({ code, message }) => (code === 'item-size' ? [message] : []),
    );
  expect(sized(z.string().max(150_000))).toEqual([
    expect.stringMatching(/allow items of 440 KB, 439 KB of them in note; 400 KB/),
  ]);
  expect(sized(z.array(z.string().max(1000)).max(500))).toHaveLength(1);
  expect(sized(z.string().max(100_000))).toEqual([]);
  expect(sized(z.string())).toEqual([]);
});

test('more-than-a-request: guards and parents count among the actions', () => {
  const lines = (most: number): string[] =>
    check(
      modelOf({
        entities: { Order: entity({ ...order, code: id }, { unique: ['code'] }) },
        relationships: [['Customer', '1:N', 'Order', { count: 'orderCount' }]],
        patterns: { more: { creates: ['Order'], volume: { typical: 2, most } } },
        served: { createOrder: 'TransactWriteItems', more: 'TransactWriteItems' },
      }),
    ).findings.flatMap(({ code, message }) => (code === 'more-than-a-request' ? [message] : []));
  expect(lines(50)).toEqual([
    'comes to 101 actions of the 100 that a transaction may have: 50 of Order with 50 guards with 1 parents',
  ]);
  expect(lines(49)).toEqual([]);
});

test('unkeyable-value: what a schema takes beyond text and numbers', () => {
  const saidOf = (orderId: z.ZodType): string[] =>
    check(modelOf({ entities: { Order: entity({ ...order, orderId }) } })).findings.flatMap(({ code, message }) =>
      code === 'unkeyable-value' ? [message] : [],
    );
  const said = ['orderId of Order takes more than text and numbers, which is not part of a key'];
  expect(saidOf(z.object({ shop: z.string(), number: z.int() }))).toEqual(said);
  expect(saidOf(z.array(z.string()).min(1))).toEqual(said);
  expect(saidOf(z.union([id, z.object({ shop: z.string() })]))).toEqual(said);
  for (const right of [id, z.int().min(0), z.union([id, z.int().min(0)]), z.enum(['a', 'b'])])
    expect(saidOf(right)).toEqual([]);
  // Each of these keys is text, and holds no bytes.
  expect(saidOf(z.instanceof(Uint8Array))).toEqual(['orderId of Order takes binary, which is not part of a key']);
  const tables = { Shop: { key: ['PK', 'SK:B'] } } as const;
  const keys = { Order: { Shop: ['CUSTOMER#{customerId}', '{orderId}'] } };
  const ofBytes = entity({ ...order, orderId: z.instanceof(Uint8Array) });
  expect(found({ entities: { Order: ofBytes }, tables, keys })).not.toContain('unkeyable-value');
});

test('time-to-live: a number that may be milliseconds', () => {
  const ends = (schema: unknown): Parts => ({
    entities: { Order: entity({ ...order, ends: schema } as never, { expires: 'ends' } as never) },
  });
  expect(found(ends(z.number()))).toContain('time-to-live');
  expect(found(ends(z.int().max(9_999_999_999)))).not.toContain('time-to-live');
});

test('bound-not-kept: an amount that is an input, and bounds in both directions', () => {
  const update = (amount: z.ZodNumber, given?: object): Parts => ({
    entities: { Customer: entity({ ...customer, credit: z.number().min(0).max(100) }) },
    ...pattern(
      {
        updates: 'Customer',
        by: ['customerId'],
        takes: { by: amount },
        changes: { credit: add(ref('by')) },
        ...(given !== undefined && { given }),
      },
      'UpdateItem',
    ),
  });
  const count = (parts: Parts): number => found(parts).filter((code) => code === 'bound-not-kept').length;
  expect(count(update(z.number()))).toBe(2);
  expect(count(update(z.number().positive()))).toBe(1);
  // An amount that may be negative is not kept from going below, by whatever it is compared with.
  expect(count(update(z.number(), { credit: { atLeast: ref('by'), atMost: 50 } }))).toBe(2);
  expect(count(update(z.number().positive().max(50), { credit: { atMost: 50 } }))).toBe(0);
});

/** An update that adds to an attribute of the schema, under a condition. */
const adding = (schema: unknown, change: unknown, given?: object, takes: object = {}): readonly string[] =>
  check(
    modelOf({
      entities: { Customer: entity({ ...customer, total: z.number().max(100), c: schema } as never) },
      ...pattern(
        {
          updates: 'Customer',
          by: ['customerId'],
          takes,
          changes: { c: change },
          ...(given !== undefined && { given }),
        },
        'UpdateItem',
      ),
    }),
  ).findings.flatMap(({ code, remedy }) => (code === 'bound-not-kept' ? [remedy] : []));

const [whole, positive] = [z.int().min(0), z.int().positive()];

test.each<[string, unknown, unknown, object | undefined, object, string | undefined]>([
  ['too little is required', whole, add(-1), { c: { atLeast: 0 } }, {}, 'atLeast: 1'],
  ['less than the amount is required', whole, add(-5), { c: { atLeast: 1 } }, {}, 'atLeast: 5'],
  ['a fraction may be above', z.number().min(0), add(-1), { c: { above: 0 } }, {}, 'atLeast: 1'],
  ['a whole number is above', whole, add(-1), { c: { above: 0 } }, {}, undefined],
  ['the bound is excluded', z.number().gt(0), add(-1), { c: { atLeast: 1 } }, {}, 'above: 1'],
  ['what is above an excluded bound is required', z.number().gt(0), add(-1), { c: { above: 1 } }, {}, undefined],
  ['an upper bound is excluded', z.number().lt(10), add(1), undefined, {}, 'below: 9'],
  ['its own value is the bound', whole, add(-1), { c: 0 }, {}, 'atLeast: 1'],
  ['one of several values is the bound', whole, add(-1), { c: [0, 1] }, {}, 'atLeast: 1'],
  ['several values are enough', whole, add(-1), { c: [1, 2] }, {}, undefined],
  ['another value is excluded', whole, add(-1), { c: { not: 0 } }, {}, 'atLeast: 1'],
  ['one alternative is not enough', whole, add(-1), { any: [{ c: { atLeast: 1 } }, { name: 'x' }] }, {}, 'atLeast: 1'],
  ['each alternative is enough', whole, add(-1), { any: [{ c: { atLeast: 1 } }, { c: 5 }] }, {}, undefined],
  ['as much as is taken is there', whole, add(ref('q'), -1), { c: { atLeast: ref('q') } }, { q: positive }, undefined],
  [
    'the bound is above nought',
    z.int().min(1),
    add(ref('q'), -1),
    { c: { atLeast: ref('q') } },
    { q: positive },
    "ref('limit')",
  ],
  ['more than nought is there', whole, add(ref('q'), -1), { c: { above: 0 } }, { q: positive }, "atLeast: ref('q')"],
  [
    'as much as may be taken is there',
    whole,
    add(ref('q'), -1),
    { c: { atLeast: 5 } },
    { q: z.int().min(1).max(5) },
    undefined,
  ],
  [
    'the caller computes the limit',
    z.int().max(9),
    add(ref('q')),
    { c: { atMost: ref('room') } },
    { q: positive, room: z.int() },
    undefined,
  ],
  ['another attribute has the bound', z.int().max(100), add(1), { c: { below: attribute('total') } }, {}, undefined],
  [
    'another attribute has a larger one',
    z.int().max(50),
    add(1),
    { c: { below: attribute('total') } },
    {},
    'atMost: 49',
  ],
  ['a missing number counts as nought', z.int().min(10).optional(), add(1), undefined, {}, 'atLeast: 9'],
  ['a number has to be there', z.int().min(10).optional(), add(1), { c: { exists: true } }, {}, undefined],
  ['a number is missing', z.int().max(5).optional(), add(5), { c: { exists: false } }, {}, undefined],
  [
    'a number is missing, and more is added',
    z.int().max(5).optional(),
    add(6),
    { c: { exists: false } },
    {},
    'atMost: -1',
  ],
  ['the values are few', z.union([z.literal(1), z.literal(2)]), add(1), undefined, {}, 'Set the value'],
  ['a fraction is added', z.int(), add(0.5), undefined, {}, 'whole numbers'],
  ['a fraction may be given', z.int(), add(ref('q')), undefined, { q: z.number() }, 'whole numbers'],
  ['nothing is bounded', z.int(), add(-1), undefined, {}, undefined],
])('bound-not-kept: where %s', (_, schema, change, given, takes, remedy) => {
  expect(adding(schema, change, given, takes)).toEqual(remedy === undefined ? [] : [expect.stringContaining(remedy)]);
});

test.each([
  [z.int().min(0), add(-2)],
  [z.int().max(9), add(3)],
  [z.number().gt(0), add(-1.5)],
  [z.number().lt(0), add(1)],
  [z.int().min(5).max(20).optional(), add(2)],
])('bound-not-kept: the condition of its remedy is enough (%#)', (schema, change) => {
  let given: Record<string, unknown> = {};
  for (const remedy of adding(schema, change)) {
    const [, test = '', limit = ''] = /\{ c: \{ (\w+): (\S+) \} \}/.exec(remedy) ?? [];
    given = { ...given, [test]: Number(limit) };
  }
  expect(Object.keys(given)).not.toEqual([]);
  expect(adding(schema, change, { c: given })).toEqual([]);
});

test.each<[string, unknown, boolean]>([
  ['a date', z.date(), false],
  ['a date made of text', z.coerce.date(), false],
  ['text or a date', z.union([z.string(), z.date()]), false],
  ['a date in a map', z.object({ at: z.date() }), false],
  ['dates in a list', z.array(z.date().optional()), false],
  ['a date in a map of valibot', v.object({ at: v.optional(v.date()) }), false],
  ['a map of JavaScript', z.map(z.string(), z.string()), false],
  ['a function', z.function(), false],
  ['no number', z.nan(), false],
  ['a date that becomes text', z.date().transform((date) => date.toISOString()), true],
  ['such a date of valibot', v.pipe(v.date(), v.transform((date) => date.toISOString())), true], // prettier-ignore
  ['a map of text', z.record(z.string(), z.string()), true],
  ['a list within itself', z.lazy((): z.ZodType => z.array(z.lazy(() => z.string()))), true],
  ['asynchronous', z.string().refine(async (text) => Promise.resolve(text !== '')), false],
  ['a big integer', z.bigint().nullable().default(1n), true],
  ['such a one of valibot', v.optional(v.pipe(v.bigint(), v.minValue(1n))), true],
  ['one of arktype, which is read as a number', type('bigint'), false],
  ['big integers in a list', z.array(z.bigint()), false],
  ['big integers in a set of valibot', v.set(v.bigint()), false],
  ['big integers in a map', z.object({ cents: z.bigint().optional() }), false],
  ['big integers in a record', z.record(z.string(), z.bigint()), false],
  ['big integers in a list of arktype', type('bigint[]'), false],
  ['a big integer or text', z.union([z.bigint(), z.string()]), false],
  ['numbers of any size in a list', z.array(z.union([z.bigint(), z.number()])), true],
  [
    'a list that a codec makes big integers of',
    codec(z.array(z.union([z.bigint(), z.number()])), { decode: (list) => list.map(BigInt), encode: (list) => list }),
    true,
  ],
])('unstorable-schema: %s', (_, schema, right) => {
  const { findings } = check(modelOf({ entities: { Order: entity({ ...order, extra: schema } as never) } }));
  expect(findings.map(({ code }) => code).includes('unstorable-schema')).toBe(!right);
});

test('unkeyable-value: what may be null has no primary key', () => {
  const found = (orderId: unknown): string[] =>
    check(modelOf({ entities: { Order: entity({ ...order, orderId } as never) } })).findings.flatMap(
      ({ code, message }) => (code === 'unkeyable-value' ? [message] : []),
    );
  expect(found(id.nullable())).toEqual(['an item of Order whose orderId is null has no primary key']);
  expect(found(id)).toEqual([]);
});

test('big integers are exact in keys', () => {
  for (const orderId of [z.bigint(), v.bigint()])
    expect(found({ entities: { Order: entity({ ...order, orderId } as never) } })).not.toContain('part-of-items');
});

test('impossible-value: a required attribute is not removed', () => {
  const removed = (name: unknown): string[] =>
    check(
      modelOf({
        entities: { Customer: entity({ ...customer, name } as never) },
        ...pattern({ updates: 'Customer', by: ['customerId'], changes: { name: remove() } }, 'UpdateItem'),
      }),
    ).findings.flatMap(({ code, message }) => (code === 'impossible-value' ? [message] : []));
  expect(removed(z.string())).toEqual(['name of Customer is required, and is removed']);
  expect(removed(z.string().optional())).toEqual([]);
});

test('impossible-value: what is computed from an attribute that may be missing may be missing too', () => {
  const computed = (name: unknown, code: unknown): string[] =>
    check(
      modelOf({
        entities: {
          Customer: entity(
            { ...customer, name, code } as never,
            { computed: { code: { from: ['customerId', 'name'], as: () => 'x' } } } as never,
          ),
        },
      }),
    ).findings.flatMap(({ code: found, message }) => (found === 'impossible-value' ? [message] : []));
  expect(computed(z.string().optional(), z.string())).toEqual([
    'code is required, and computed from name, which may be missing',
  ]);
  expect(computed(z.string().optional(), z.string().optional())).toEqual([]);
  expect(computed(z.string().optional(), z.string().default('none'))).toEqual([]);
  expect(computed(z.string().default(''), z.string())).toEqual([]);
  expect(computed(z.string(), z.string())).toEqual([]);
});

test.each<[string, object, string[]]>([
  ['two creations', { a: { creates: 'Front' }, b: { creates: 'Front' } }, ['an item is created once']],
  ['a creation and a put', { a: { puts: 'Front' }, b: { creates: 'Front' } }, ['an item is created once']],
  ['a deletion and a change', { a: { updates: 'Front', changes: { top: 'x' } }, b: { deletes: 'Front' } }, ['a deleted item is not written']], // prettier-ignore
  ['two values', { a: { updates: 'Front', changes: { top: 'x' } }, b: { updates: 'Front', changes: { top: 'y' } } }, ['top gets two values']], // prettier-ignore
  ['one value', { a: { updates: 'Front', changes: { top: 'x' } }, b: { updates: 'Front', changes: { top: 'x' } } }, []], // prettier-ignore
  ['two attributes', { a: { updates: 'Front', changes: { top: 'x' } }, b: { updates: 'Front', changes: { end: 'y' } } }, []], // prettier-ignore
  ['additions', { a: { updates: 'Front', changes: { seen: add(1) } }, b: { updates: 'Front', changes: { seen: add(2) } } }, []], // prettier-ignore
  ['a creation and a change', { a: { creates: 'Front' }, b: { updates: 'Front', changes: { top: 'x' } } }, []],
  ['a deletion and a look', { a: { deletes: 'Front' }, b: { checks: 'Front' } }, []],
  ['items by their inputs', { a: { creates: 'Customer' }, b: { creates: 'Customer' } }, []],
])('faulty-write: one item in a transaction, by %s', (_, parts, whys) => {
  const transacts = Object.fromEntries(Object.entries(parts).map(([part, need]) => [part, { by: [], ...need }]));
  const { findings } = check(
    modelOf({
      entities: { Front: entity({ top: z.string(), end: z.string(), seen: z.int() }) },
      keys: { Front: { Shop: ['FRONT', 'FRONT'] } },
      ...pattern({ transacts }, 'TransactWriteItems'),
    }),
  );
  const found = findings.flatMap(({ code, message }) => (code === 'faulty-write' ? [message] : []));
  expect(found).toEqual(whys.map((why) => `a and b write one item, the Front, and ${why}`));
});

test.each<[string, Need, boolean]>([
  ['created', { updates: 'Customer', by: ['customerId'], changes: { orderCount: add(1) }, orCreates: true }, true],
  ['changed', { updates: 'Customer', by: ['customerId'], sets: ['name'] }, true],
  ['left alone', { updates: 'Customer', by: ['customerId'], changes: { orderCount: add(1) } }, false],
  ['written with its source', { upserts: 'Customer' }, false],
])('faulty-write: an attribute computed from what counts as the same, %s', (_, need, isReported) => {
  const label = { computed: { label: { from: ['customerId', 'name'], as: () => 'x' } }, same: { customerId: 'lower' } };
  const { findings } = check(
    modelOf({
      entities: {
        Customer: entity({ ...customer, name: z.string().default(''), label: z.string() } as never, label as never),
      },
      ...pattern({ ...need, ...(need.orCreates === true && { maySet: ['name'] }) }, 'UpdateItem'),
    }),
  );
  const found = findings.flatMap(({ code, message }) => (code === 'faulty-write' ? [message] : []));
  expect(found.some((message) => message.includes('another value that counts as the same'))).toBe(isReported);
});

test('counter-in-key: a version is in no key, and no counter in what is computed or in a guard', () => {
  const versioned = (parts: object, rules: object = {}): string[] =>
    check(
      modelOf({
        entities: {
          Customer: entity(
            { ...customer, version: z.int(), code: z.string().optional() },
            { lock: 'version', ...rules },
          ),
        },
        tables: withIndex,
        ...parts,
      }),
    ).findings.flatMap(({ code, message }) => (code === 'counter-in-key' ? [message] : []));
  const keys = (index: string): object => ({
    keys: { Customer: { Shop: ['CUSTOMER#{customerId}', 'PROFILE'], GSI1: ['C', index] } },
  });
  expect(versioned(keys('{customerId}'))).toEqual([]);
  expect(versioned(keys('{version:06}'))).toEqual([
    'Customer.version rises with each update, and the key in GSI1 stays',
  ]);
  const counted = { relationships: [['Customer', '1:N', 'Order', { count: 'orderCount' }]] };
  const computed = { computed: { code: { from: ['orderCount'], as: () => 'x' } } };
  expect(versioned(counted, computed)).toEqual([
    'Customer.orderCount rises with each Order, and code, which is computed from it, stays',
  ]);
  const guard = { storage: { Customer: { unique: { name: { key: ['N#{name}#{orderCount}', 'N'] } } } } };
  expect(versioned({ ...counted, ...guard }, { unique: ['name'] })).toEqual([
    'Customer.orderCount rises with each Order, and the key in Shop stays',
  ]);
});

describe('a number that a rule keeps is not what another number is kept by', () => {
  const found = (parts: {
    readonly child?: object;
    readonly relations: readonly unknown[];
    readonly last?: object;
  }): string[] =>
    check(
      modelOf({
        entities: {
          Team: entity({ team: id, points: z.int().default(0), size: z.int().default(0), ...parts.last }),
          Player: entity(
            { team: id, player: id, goals: z.int().default(0), own: z.int().default(0), version: z.int() },
            { lock: 'version', ...parts.child },
          ),
          Goal: entity({ team: id, player: id, goal: id, weight: z.int() }),
        },
        relationships: parts.relations,
        keys: {
          Team: { Shop: ['TEAM#{team}', 'TEAM'] },
          Player: { Shop: ['TEAM#{team}', 'PLAYER#{player}'] },
          Goal: { Shop: ['PLAYER#{team}#{player}', 'GOAL#{goal}'] },
        },
        patterns: { createTeam: { creates: 'Team' } },
        served: { createTeam: 'PutItem' },
      }),
    ).findings.flatMap(({ code, message }) =>
      code === 'counter-in-key' || code === 'count-not-kept' ? [message] : [],
    );
  const goals = ['Player', '1:N', 'Goal', { count: 'goals', sum: { own: 'weight' } }];

  test('a sum of what others count, add up or compare is not kept', () => {
    expect(found({ relations: [goals, ['Team', '1:N', 'Player', { count: 'size' }]] })).toEqual([]);
    expect(
      found({ relations: [goals, ['Team', '1:N', 'Player', { sum: { points: 'goals', size: 'version' } }]] }),
    ).toEqual([
      'Player.version rises with each update, and Team.size, which adds it up, stays',
      'Player.goals rises with each Goal, and Team.points, which adds it up, stays',
    ]);
    expect(found({ relations: [goals, ['Team', '1:N', 'Player', { sum: { points: 'own' } }]] })).toEqual([
      'Player.own rises with each Goal, and Team.points, which adds it up, stays',
    ]);
    // The items that change the number are added up by the team itself.
    expect(found({ relations: [goals, ['Team', '1:N', 'Goal', { sum: { points: 'weight' } }]] })).toEqual([]);
  });

  test('a number is kept by one rule', () => {
    const players = ['Team', '1:N', 'Player', { count: 'size' }];
    const twice = (relation: object): string[] => found({ relations: [players, ['Team', '1:N', 'Goal', relation]] });
    expect(twice({ count: 'points' })).toEqual([]);
    expect(twice({ count: 'size' })).toEqual([
      'size of Team is the number of Player by team and the number of Goal by team at once, and each rule writes it without the other',
    ]);
    expect(twice({ count: 'points', sum: { points: 'weight' } })).toEqual([
      'points of Team is the number of Goal by team and the sum of weight of Goal by team at once, and each rule writes it without the other',
    ]);
    expect(found({ relations: [['Player', '1:N', 'Goal', { count: 'version' }]] })).toContain(
      'version of Player is the version and the number of Goal by team, player at once, and each rule writes it without the other',
    );
    expect(found({ relations: [goals], child: { computed: { own: { from: ['goals'], as: () => 1 } } } })).toContain(
      'own of Player is a computed value and the sum of weight of Goal by team, player at once, and each rule writes it without the other',
    );
  });

  test('several entities take their numbers from one counter', () => {
    const child = { sequence: { own: 'Team.points', goals: 'Team.points' } };
    expect(found({ relations: [['Team', '1:N', 'Player']], child })).toEqual([]);
  });

  test('a count begins at 0', () => {
    const relations = [['Team', '1:N', 'Player', { count: 'size' }]];
    expect(found({ relations, last: { size: z.int().optional() } })).toEqual([]);
    expect(found({ relations, last: { size: z.int().default(5) } })).toEqual([
      'size of Team is 5 by default, where it has no Player',
    ]);
  });
});

test('impossible-value: a number that is added to may have bounds that no usual number meets, and what is set at first is checked', () => {
  const changed = (schema: unknown, change: unknown): string[] =>
    check(
      modelOf({
        entities: { Customer: entity({ ...customer, c: schema } as never) },
        ...pattern({ updates: 'Customer', by: ['customerId'], changes: { c: change } }, 'UpdateItem'),
      }),
    ).findings.flatMap(({ code, message }) => (code === 'impossible-value' ? [message] : []));
  expect(changed(z.int().min(10).max(99), add(1))).toEqual([]);
  expect(changed(z.string(), add(1))).toEqual(['c of Customer is added to, and takes no numbers']);
  expect(changed(z.int().min(10), initial(5))).toEqual(['c is never 5']);
  expect(changed(z.int().min(10), initial(50))).toEqual([]);
});

test('a list of unique attributes that is no list is said so', () => {
  const { findings } = check(modelOf({ entities: { Customer: entity(customer, { unique: { name: {} } } as never) } }));
  expect(findings.map(({ message }) => message)).toEqual([
    "entities.Customer.unique is not a list of attributes, such as ['customerId']",
  ]);
});

test.each([
  ['asc', 'PROFILE', 'ORDER#{orderId}', '#PROFILE', 'before'],
  ['asc', 'PROFILE', '#ORDER#{orderId}', '!PROFILE', 'before'],
  ['desc', 'AA', 'ORDER#{orderId}', '~AA', 'behind'],
])('parent-at-wrong-end: %s, %s beside %s becomes %s', (order, parent, child, key, side) => {
  const found = (sort: string) =>
    check(
      modelOf({
        keys: {
          Customer: { Shop: ['CUSTOMER#{customerId}', sort] },
          Order: { Shop: ['CUSTOMER#{customerId}', child] },
        },
        ...pattern(
          {
            reads: { customer: 'Customer', orders: ['Order'] },
            by: ['customerId'],
            order: `orderId ${order}`,
            limit: 5,
          },
          { query: 'Shop' },
        ),
      }),
    ).findings.flatMap(({ code, level, remedy }) => (level === 'error' ? [`${code}: ${remedy}`] : []));
  expect(found(parent)).toEqual([
    `parent-at-wrong-end: Let the sort key of Customer in Shop be '${key}', which sorts ${side} the others, or order them the other way.`,
  ]);
  expect(found(key)).toEqual([]);
});

test('tenant-not-leading: the guards of two entities get keys that differ', () => {
  const person = { tenant: id, id, email: z.email() };
  const { findings } = check(
    modelOf({
      entities: { Pupil: entity(person, { unique: ['email'] }), Tutor: entity(person, { unique: ['email'] }) },
      tables: { Shop: { key: ['PK', 'SK'], tenant: 'tenant' } },
      keys: { Pupil: { Shop: ['T#{tenant}#PUPIL#{id}', 'P'] }, Tutor: { Shop: ['T#{tenant}#TUTOR#{id}', 'T'] } },
    }),
  );
  const keys = findings.flatMap(({ code, remedy }) =>
    code === 'tenant-not-leading' ? [/key: (\[[^\]]+\])/.exec(remedy)?.[1]] : [],
  );
  expect(keys).toEqual([
    "['TENANT#{tenant}#PUPILEMAIL#{email}', 'PUPILEMAIL']",
    "['TENANT#{tenant}#TUTOREMAIL#{email}', 'TUTOREMAIL']",
  ]);
});

test('unknown-name: of several entities', () => {
  const { findings } = check(
    modelOf(
      pattern({ reads: { customer: 'Customer', orders: ['Order'] }, by: ['customer'], limit: 10 }, { query: 'Shop' }),
    ),
  );
  expect(findings.flatMap(({ code, message }) => (code === 'unknown-name' ? [message] : []))).toEqual([
    expect.stringContaining('Customer and Order have no attribute "customer"'),
  ]);
});

test('value-beyond-key: names a value, and what would take it', () => {
  const said = (variable: string, schema: z.ZodType): string | undefined =>
    check(modelOf(orderKey(`ORDER#{number${variable}}`, { number: schema })))
      .findings.filter(({ code }) => code === 'value-beyond-key')
      .map(({ message, remedy }) => `${message} | ${remedy}`)[0];
  expect(said(':03', z.int().min(0).max(9999))).toBe(
    'number of Order may be 9999, which ORDER#{number:03} does not take | Widen the key, `{number:04}`, or narrow the schema: `.max(999)`.',
  );
  expect(said(':03', z.int().min(-5).max(99))).toContain('may be -5, which');
  expect(said(':03', z.int().min(-5).max(99))).toContain('`.min(0)`');
  expect(said(':tens3', z.int().min(0).max(999))).toContain('`.min(1)`');
  expect(said(':tens3', z.int().min(1).max(1000))).toBeUndefined();
  expect(said(':inverse2', z.literal([5, 100]))).toContain('`{number:inverse3}`, or narrow the schema: `.max(99)`');
  expect(said(':inverseTime', z.int().min(0).max(20_000_000_000_000))).toContain(
    '| Narrow the schema: `.max(9999999999999)`',
  );
  // Without a bound in the schema, the key is the bound.
  expect(said(':03', z.int())).toBeUndefined();
  const times = [
    [z.iso.datetime(), '1969-12-31T23:59:59.999Z'],
    [z.iso.datetime({ precision: 0 }), '1969-12-31T23:59:59Z'],
    [z.iso.datetime({ precision: -1 }), '1969-12-31T23:59Z'],
    [z.iso.datetime({ precision: 0, local: true, offset: true }), '1969-12-31T23:59:59Z'],
    [z.iso.date(), '1969-12-31'],
    [z.iso.date().regex(/^[2-9]/), '2286-11-21'],
  ] as const;
  for (const [schema, time] of times)
    expect(said(':inverseTime', schema)).toBe(
      `number of Order may be "${time}", which ORDER#{number:inverseTime} does not take | Write \`{number:utc}\` and read it in descending order, or let the schema take only times of 1970 to 2286-11-20: \`.regex(/^(19[7-9]|2[01]|22[0-7])/)\`.`,
    );
  expect(said(':inverseTime', z.iso.datetime().regex(/^(19[7-9]|2[01]|22[0-7])/))).toBeUndefined();
  expect(said(':utc', z.iso.datetime())).toBeUndefined();
});

test.each([
  [':inverseTime', z.literal(['1969-07-20', '1912-06-23']), 'error'],
  [':inverseTime', z.literal(['1969-07-20', '1991-08-06']), 'warning'],
  [':inverseTime', z.int().min(-100).max(-1), 'error'],
  [':inverseTime', z.int().min(-100).max(1), 'warning'],
  [':03', z.int().min(1000).max(2000), 'error'],
])('value-beyond-key: %s of what it never takes is an error (%#)', (variable, schema, level) => {
  const { findings } = check(modelOf(orderKey(`ORDER#{number${variable}}`, { number: schema })));
  expect(findings.filter(({ code }) => code === 'value-beyond-key').map((each) => each.level)).toEqual([level]);
});

test('consistent-read: not where a local index is read, which has no other purpose', () => {
  const local = cases['local-index']?.silent ?? {};
  expect(found(local)).not.toContain('consistent-read');
  expect(found(local)).not.toContain('local-index');
});

test('mixed-case: the remedy of a key that is escaped stays escaped', () => {
  const findings = (key: string): string | undefined =>
    check(modelOf(orderKey(`ORDER#{city${key}}#{orderId}`, { city: z.string() }))).findings.find(
      ({ code }) => code === 'mixed-case',
    )?.remedy;
  expect(findings(':escape')).toContain('writes {city:lower:escape}.');
  expect(findings('')).toContain('writes {city:lower}.');
});

test('mixed-case: the remedy of a guard is one rule, and then nothing is found', () => {
  const found = (same: object): string[] =>
    check(
      modelOf({ entities: { Customer: entity({ ...customer, email: z.string() }, { unique: ['email'], ...same }) } }),
    )
      .findings.filter(({ path }) => path === 'storage.Customer.unique.email')
      .map(({ code, remedy }) => `${code}: ${remedy}`);
  const remedy =
    "Declare the spellings equal, in the rules of Customer: `same: { email: 'lower' }`; every key then writes {email:lower}.";
  expect(new Set(found({}))).toEqual(new Set([`mixed-case: ${remedy}`]));
  expect(found({ same: { email: 'lower' } })).toEqual([]);
});

test('guard-not-exact: the key of a guard has its attribute, and writes no two values alike', () => {
  const found = (key: string, rules: object = {}): string[] =>
    check(
      modelOf({
        entities: { Customer: entity({ ...customer, email: z.string() }, { unique: ['email'], ...rules }) },
        storage: { Customer: { unique: { email: { key: [key, 'GUARD'] } } } },
      }),
    ).findings.flatMap(({ code, message, remedy }) => (code === 'guard-not-exact' ? [`${message} | ${remedy}`] : []));
  expect(found('E#{name}')).toEqual([
    'the key of the guard of email has no {email} | Write {email} into the key of the guard.',
  ]);
  expect(found('E#{email:lower}')).toEqual([
    "two values of email may have one guard: two values of email may be written alike by lower in E#{email:lower} | Say that such values are the same, in the rules of Customer: `same: { email: 'lower' }`, or write {email} as it is.",
  ]);
  expect(found('E#{email:lower}', { same: { email: 'lower' } })).toEqual([]);
  expect(found('E#{name}{email}').length).toBe(1);
  expect(found('E#{name}#{email}')).toEqual([]);
});

test('guard-not-exact: what the guard has of its owner is no other part of its key', () => {
  const text = z.string().regex(/^[a-z]+$/);
  const found = (key: readonly string[], templates: readonly string[], guard?: readonly string[], expires?: object) =>
    check(
      modelOf({
        entities: {
          Customer: entity({ ...customer, email: text, until: z.int() }, { unique: ['email'], ...expires }),
          Order: entity(order),
        },
        tables: { Shop: { key: ['PK', 'SK'] }, Customers: { key } },
        keys: { Customer: { Customers: templates } },
        storage: guard === undefined ? {} : { Customer: { unique: { email: { key: guard } } } },
      }),
    ).findings.flatMap(({ code, message }) => (code === 'guard-not-exact' ? [message] : []));
  const named = ['customerId', 'SK'];
  expect(found(named, ['{customerId}', 'C'])).toEqual([
    'the guard has the customerId of its owner as customerId, in place of CUSTOMEREMAIL#{email}: no other item finds the guard',
  ]);
  expect(found(named, ['{customerId}', 'C'], ['{customerId}', 'EMAIL#{email}'])).toEqual([]);
  expect(found(['PK', 'email'], ['C#{customerId}', '{email}'])).toHaveLength(1);
  expect(found(['PK', 'email'], ['C#{customerId}', '{email}'], ['EMAIL', '{email}'])).toEqual([]);
  expect(found(['PK', 'until:N'], ['C#{customerId}', '0'], ['EMAIL#{email}', '0'], { expires: 'until' })).toHaveLength(
    1,
  );
  expect(found(['PK', 'SK'], ['C#{customerId}', 'C'])).toEqual([]);
});

test.each([
  ['#', true],
  ['~', true],
  ['::', false],
  ['', false],
  ['T', false],
  ['0', false],
  ['é', false],
])('separator-in-value: %s separates, or is an error with a remedy', (separator, right) => {
  const { findings } = check(modelOf({ tables: { Shop: { key: ['PK', 'SK'], separator } } }));
  expect(findings.filter(({ path, level }) => path === 'tables.Shop.separator' && level === 'error')).toHaveLength(
    right ? 0 : 1,
  );
});

test.each(['-', ':', '.'])('key-collision: times have "%s" in them, which no key reads as a separator', (s) => {
  const found = (sort: string, time: string): string[] =>
    check(
      modelOf({
        entities: { Note: entity({ customerId: id, a: id, b: id, c: id }) },
        tables: { Shop: { key: ['PK', 'SK'], separator: s } },
        keys: {
          Customer: { Shop: [`CUSTOMER${s}{customerId}`, 'PROFILE'] },
          Order: { Shop: [`CUSTOMER${s}{customerId}`, `X${s}{placedAt:${time}}`] },
          Note: { Shop: [`CUSTOMER${s}{customerId}`, sort] },
        },
      }),
    ).findings.flatMap(({ code, path }) => (code === 'key-collision' ? [path] : []));
  for (const time of ['utc', 'date', 'seconds'])
    expect(found(`X${s}{a}${s}{b}${s}{c}`, time)).toEqual(['keys.Note.Shop']);
  expect(found(`Y${s}{a}${s}{b}${s}{c}`, 'utc')).toEqual([]);
});

test('mixed-key-names: a local index has a name of its own', () => {
  const names = (local: string): Parts => ({
    tables: { Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'], ByPrice: { local } } } },
  });
  expect(found(names('LSISK'))).not.toContain('mixed-key-names');
  expect(found(names('LSI1SK'))).not.toContain('mixed-key-names');
});

test.each<[string, object, string]>([
  ['three attributes', { key: ['PK', 'SK', 'TK'] }, 'the key of a table has at most 2 attributes, and Shop has 3'],
  ['one attribute twice', { key: ['PK', 'PK'] }, 'PK is twice in the key of Shop'],
  ['one twice in an index', { key: ['PK', 'SK'], indexes: { GSI1: ['A', 'A'] } }, 'A is twice in the key of GSI1'],
  [
    'one twice in a key of several',
    { key: ['PK', 'SK'], indexes: { GSI1: { partition: ['A'], sort: ['B:N', 'B:N'] } } },
    'B is twice in the key of GSI1',
  ],
  ['two types', { key: ['PK', 'SK'], indexes: { GSI1: ['A', 'B:N'], GSI2: ['C', 'B'] } }, 'B is of the types N and S'],
  [
    'a local index without a sort key',
    { key: ['PK'], indexes: { ByAge: { local: 'B' } } },
    'ByAge is a local index, and Shop has no sort key',
  ],
  [
    'a local index by the partition key',
    { key: ['PK', 'SK'], indexes: { ByAge: { local: 'PK' } } },
    'ByAge sorts by the partition key',
  ],
  [
    'no attributes',
    { key: ['PK', 'SK'], indexes: { GSI1: { partition: ['A'], sort: ['B'], project: [] } } },
    "GSI1 holds no attributes: say `project: 'KEYS_ONLY'`",
  ],
  [
    'an attribute held twice',
    { key: ['PK', 'SK'], indexes: { GSI1: { partition: ['A'], sort: ['B'], project: ['name', 'name'] } } },
    'GSI1 holds name twice',
  ],
  [
    'another stream',
    { key: ['PK', 'SK'], stream: 'ALL' },
    '"ALL" is not a stream: KEYS_ONLY, NEW_IMAGE, OLD_IMAGE, NEW_AND_OLD_IMAGES',
  ],
])('refused-table: %s', (_, table, message) => {
  const { findings } = check(modelOf({ tables: { Shop: table } }));
  expect(findings).toContainEqual(expect.objectContaining({ code: 'refused-table', level: 'error', message }));
});

describe('a copy that is declared immutable', () => {
  const copied = (source: string, parts: Parts = {}, rules: object = {}): string[] =>
    check(
      modelOf({
        ...parts,
        entities: {
          Customer: entity({ ...customer, version: z.int(), twice: z.number() }, rules),
          Order: entity(
            { ...order, seen: z.number().optional() },
            { duplicates: { seen: { from: `Customer.${source}`, rule: 'immutable' } } },
          ),
        },
      }),
    ).findings.flatMap(({ code, message }) => (code === 'broken-duplicate' ? [message] : []));

  test('is not of a number that changes with others', () => {
    const counted: Parts = { relationships: [['Customer', '1:N', 'Order', { count: 'orderCount' }]] };
    const summed: Parts = { relationships: [['Customer', '1:N', 'Order', { sum: { orderCount: 'amount' } }]] };
    expect(copied('orderCount')).toEqual([]);
    const each = ['is immutable, and Customer.orderCount changes with each Order'];
    expect(copied('orderCount', counted)).toEqual(each);
    expect(copied('orderCount', summed)).toEqual(each);
    expect(copied('version', {}, { lock: 'version' })).toEqual([
      'is immutable, and Customer.version changes with each update',
    ]);
    const twice = { twice: { from: ['orderCount'], as: ({ orderCount }: { orderCount: number }) => orderCount * 2 } };
    expect(copied('twice', counted, { computed: twice })).toEqual([
      'is immutable, and Customer.twice changes with each Order',
    ]);
  });
});

test.each<[string, unknown, object, string[]]>([
  ['an entry of an object', z.object({ vip: z.boolean() }), { 'extra.vip': 'yes' }, ['extra.vip is never "yes"']],
  ['such an entry', z.object({ vip: z.boolean() }), { 'extra.vip': true }, []],
  [
    'an entry of an optional object',
    z.object({ n: z.int().max(9) }).optional(),
    { 'extra.n': 10 },
    ['extra.n is never 10'],
  ],
  [
    'an entry of any name',
    z.record(z.string(), z.enum(['A', 'B'])),
    { 'extra.{name}': 'C' },
    ['extra.{name} is never "C"'],
  ],
  ['an element', z.array(z.object({ at: z.iso.date() })), { 'extra[0].at': 'now' }, ['extra[0].at is never "now"']],
  ['an appended element', z.array(z.enum(['A', 'B'])), { extra: append(['A', 'C'] as never) }, ['extra is never "C"']],
  ['an element of a set', z.set(z.enum(['A', 'B'])), { extra: include('C') }, ['extra is never "C"']],
  [
    'an entry of valibot',
    v.object({ n: v.pipe(v.number(), v.maxValue(9)) }),
    { 'extra.n': 10 },
    ['extra.n is never 10'],
  ],
  ['an entry of a schema of any kind', z.any(), { 'extra.n': 10 }, []],
])('a change of %s', (_, extra, changes, expected) => {
  const parts = {
    entities: { Customer: entity({ ...customer, extra } as never) },
    ...pattern({ updates: 'Customer', by: ['customerId'], takes: { name: z.string() }, changes }, 'UpdateItem'),
  };
  const messages = check(modelOf(parts)).findings.flatMap(({ code, message }) =>
    code === 'impossible-value' ? [message] : [],
  );
  expect(messages).toEqual(expected);
});

test('count-not-kept: what else makes the number of the children wrong', () => {
  const operations: Readonly<Record<string, string>> = {
    transacts: 'TransactWriteItems',
    puts: 'PutItem',
    deletes: 'DeleteItem',
  };
  const found = (
    need: object,
    rules: object = {},
    relation: object = { count: 'orderCount' },
    attributes: object = {},
  ): string[] =>
    check(
      modelOf({
        entities: { Customer: entity({ ...customer, total: z.number().default(0), ...attributes }, rules) },
        relationships: [['Customer', '1:N', 'Order', relation]],
        ...pattern(need, operations[Object.keys(need)[0] ?? ''] ?? 'UpdateItem'),
      }),
    ).findings.flatMap(({ code, message }) => (code === 'count-not-kept' ? [message] : []));
  const one = { by: ['customerId'] };
  const deleted = ['deletes Customer while it may have items of Order: created again, it would not count them'];
  expect(found({ updates: 'Customer', ...one, sets: ['orderCount'] })).toEqual([
    'writes Customer.orderCount, which the items of Order determine',
  ]);
  expect(
    found({
      transacts: { a: { creates: 'Order' }, b: { updates: 'Customer', ...one, changes: { orderCount: add(1) } } },
    }),
  ).toHaveLength(1);
  expect(found({ updates: 'Customer', ...one, sets: ['name'] })).toEqual([]);
  expect(found({ upserts: 'Customer' })).toEqual([]);
  expect(found({ upserts: 'Customer' }, {}, undefined, { orderCount: z.int().optional() })).toEqual([]);
  expect(found({ upserts: 'Customer' }, {}, undefined, { orderCount: z.int() })).toEqual([
    'takes Customer.orderCount, which the items of Order determine, also for one that is there',
  ]);
  expect(found({ puts: 'Customer' })).toEqual([
    'replaces Customer with its orderCount, which the items of Order determine',
  ]);
  expect(found({ deletes: 'Customer', ...one, given: { orderCount: { above: 0 } } })).toEqual(deleted);
  expect(found({ deletes: 'Customer', ...one, given: { orderCount: { below: 1 } } })).toEqual([]);
  expect(found({ deletes: 'Customer', ...one }, { generated: ['customerId'] })).toEqual([]);
  expect(found({ deletes: 'Customer', ...one }, {}, { sum: { total: 'amount' } })).toEqual(deleted);
  expect(found({ deletes: 'Customer', ...one }, {}, {})).toEqual([]);
});

test('counted-expires: a parent that expires leaves its children behind', () => {
  const found = (rules: object): string[] =>
    check(
      modelOf({
        entities: {
          Customer: entity({ ...customer, ends: z.int().max(9_999_999_999) }, { expires: 'ends', ...rules }),
        },
        relationships: [['Customer', '1:N', 'Order', { count: 'orderCount' }]],
        served: { createOrder: 'TransactWriteItems' },
      }),
    ).findings.flatMap(({ code, message }) => (code === 'counted-expires' ? [message] : []));
  expect(found({})).toEqual(['Customer.orderCount goes at ends, and its items of Order stay']);
  expect(found({ generated: ['customerId'] })).toEqual([]);
});

/** The findings about one update of a customer with an attribute of the schema. */
const updating = (
  schema: unknown,
  need: object,
  rules: object = {},
): { code: string; message: string; remedy: string }[] =>
  check(
    modelOf({
      entities: { Customer: entity({ ...customer, c: schema } as never, rules) },
      ...pattern({ updates: 'Customer', by: ['customerId'], ...need }, 'UpdateItem'),
    }),
  ).findings.filter(({ level }) => level === 'error');

const texts = z.set(z.string().min(1));
const element = { takes: { e: z.string().min(1) } };

test.each<[string, unknown, object, object | undefined, string | undefined]>([
  ['the last element of a required set', texts, { c: exclude(ref('e')) }, undefined, '{ c: { size: { atLeast: 2 } } }'],
  ['an element of a larger set', texts, { c: exclude(ref('e')) }, { c: { size: { above: 1 } } }, undefined],
  ['the last element of an optional set', texts.optional(), { c: exclude('x') }, undefined, undefined],
  ['the last element of a set that may be empty', texts.default(new Set()), { c: exclude('x') }, undefined, undefined],
  [
    'the last element of a set with a default',
    texts.default(new Set(['x'])),
    { c: exclude('x') },
    undefined,
    '{ c: { size: { atLeast: 2 } } }',
  ],
  [
    'one of two elements at least',
    texts.min(2).optional(),
    { c: exclude('x') },
    undefined,
    '{ c: { size: { atLeast: 3 } } }',
  ],
  ['one more in a full set', texts.max(2), { c: include(ref('e')) }, undefined, '{ c: { size: { atMost: 1 } } }'],
  [
    'one more in a set that may be missing',
    texts.max(2).optional(),
    { c: include(ref('e')) },
    undefined,
    '{ any: [{ c: { exists: false } }, { c: { size: { atMost: 1 } } }] }',
  ],
  [
    'one more in a set that is missing or small',
    texts.max(2).optional(),
    { c: include(ref('e')) },
    { any: [{ c: { exists: false } }, { c: { size: { below: 2 } } }] },
    undefined,
  ],
  [
    'one more in a set of valibot',
    v.pipe(v.set(v.string()), v.maxSize(3)),
    { c: include('x') },
    undefined,
    'atMost: 2',
  ],
  ['several more in a list', z.array(z.string()).max(5), { c: append(ref('l')) }, undefined, 'atMost: 3'],
  [
    'several more in a small list',
    z.array(z.string()).max(5),
    { c: append(ref('l')) },
    { c: { size: { below: 4 } } },
    undefined,
  ],
  [
    'any number more in a list',
    z.array(z.string()).max(5),
    { c: append(ref('m')) },
    undefined,
    'Let the schema of the input',
  ],
  ['an element of a list that has one', z.array(z.string()).nonempty(), { 'c[0]': remove() }, undefined, 'atLeast: 2'],
  ['an element of any list', z.array(z.string()), { 'c[0]': remove() }, { c: { size: { above: 0 } } }, undefined],
  [
    'a number within a document',
    z.object({ n: z.int().max(3) }),
    { 'c.n': add(1) },
    undefined,
    "{ 'c.n': { atMost: 2 } }",
  ],
  [
    'a list within a document',
    z.object({ l: z.array(z.string()).max(2) }),
    { 'c.l': append(ref('l')) },
    undefined,
    'atMost: 0',
  ],
  ['a number that is a multiple', z.int().multipleOf(5), { c: add(3) }, undefined, '.multipleOf(5)'],
  ['a number that stays a multiple', z.int().multipleOf(5), { c: add(10) }, undefined, undefined],
  ['an input that is a multiple', z.int().multipleOf(5), { c: add(ref('n')) }, undefined, undefined],
])('bound-not-kept: %s', (_, schema, changes, given, remedy) => {
  const takes = {
    ...element.takes,
    l: z.array(z.string()).max(2),
    m: z.array(z.string()),
    n: z.int().multipleOf(10),
  };
  const found = updating(schema, { takes, changes, ...(given !== undefined && { given }) });
  expect(found.map(({ code }) => code)).toEqual(remedy === undefined ? [] : ['bound-not-kept']);
  if (remedy !== undefined) expect(found[0]?.remedy).toContain(remedy);
});

test('bound-not-kept: a version has no upper bound', () => {
  const codes = (schema: unknown): string[] =>
    updating(schema, { sets: ['name'] }, { lock: 'c' }).map(({ code }) => code);
  expect(codes(z.int())).toEqual([]);
  expect(codes(z.int().min(1))).toEqual([]);
  expect(codes(z.int().max(99))).toEqual(['bound-not-kept']);
  expect(codes(z.int().min(2))).toEqual(['bound-not-kept']);
});

test('unbounded-attribute: nothing is missing where something is written within it', () => {
  const bounds = (schema: unknown): string[] =>
    check(
      modelOf({
        entities: { Customer: entity({ ...customer, c: schema } as never) },
        ...pattern(
          { updates: 'Customer', by: ['customerId'], takes: { l: z.string() }, changes: { 'c.{l}': 'x' } },
          'UpdateItem',
        ),
      }),
    ).findings.flatMap(({ code, remedy }) => (code === 'unbounded-attribute' ? [remedy] : []));
  expect(bounds(z.record(z.string(), z.string()).optional())).toEqual([
    expect.stringContaining('`given: { c: { size: { below: 100 } } }`'),
  ]);
});

test('bound-not-kept: an element beyond the end of a list is appended', () => {
  const list = z.array(z.int()).max(2).default([]);
  const found = (changes: object): string[] =>
    updating(list, { changes, given: undefined }).flatMap(({ code, message }) =>
      code === 'bound-not-kept' ? [message] : [],
    );
  expect(found({ 'c[1]': 3 })).toEqual([]);
  expect(found({ 'c[2]': remove() })).toEqual([]);
  expect(found({ 'c[2]': 3 })).toEqual(['c of Customer has at most 2 elements, and c[2] is one more']);
});

test('unbounded-attribute: an enumeration names a few entries and elements', () => {
  const found = (kind: unknown, changes: object): string[] =>
    check(
      modelOf({
        entities: {
          Customer: entity({
            ...customer,
            c: z.record(z.string(), z.string()).default({}),
            tags: z.set(z.string()).optional(),
            lines: z.array(z.string()).default([]),
          }),
        },
        ...pattern({ updates: 'Customer', by: ['customerId'], takes: { kind }, changes }, 'UpdateItem'),
      }),
    ).findings.flatMap(({ code }) => (code === 'unbounded-attribute' ? [code] : []));
  const few = z.enum(['home', 'work']);
  expect(found(few, { 'c.{kind}': 'x' })).toEqual([]);
  expect(found(few, { tags: include(ref('kind')) })).toEqual([]);
  expect(found(z.string(), { 'c.{kind}': 'x' })).toHaveLength(1);
  expect(found(z.string(), { tags: include(ref('kind')) })).toHaveLength(1);
  expect(found(few, { 'c.{kind}{customerId}': 'x' })).toHaveLength(1);
  expect(found(few, { lines: append(ref('kind')) })).toHaveLength(1);
});

test.each<[string, unknown, object, object | undefined, string | undefined]>([
  ['a default', z.string().default('x'), { c: remove() }, undefined, 'has a default'],
  ['an empty set as a default', texts.default(new Set()), { c: remove() }, undefined, undefined],
  ['a required field', z.object({ a: z.string() }), { 'c.a': remove() }, undefined, 'c.a of Customer is required'],
  ['an optional field', z.object({ a: z.string().optional() }), { 'c.a': remove() }, undefined, undefined],
  ['an entry', z.record(z.string(), z.string()), { 'c.{customerId}': remove() }, undefined, undefined],
])('impossible-value: %s is removed', (_, schema, changes, given, message) => {
  const found = updating(schema, { changes, given });
  expect(found.map(({ code }) => code)).toEqual(message === undefined ? [] : ['impossible-value']);
  if (message !== undefined) expect(found[0]?.message).toContain(message);
});

const documents = z.object({ a: z.string(), b: z.object({ n: z.int() }).optional() });

test.each<[string, unknown, object, object | undefined, string | undefined]>([
  ['an optional document', documents.optional(), { 'c.a': 'x' }, undefined, '{ c: { exists: true } }'],
  ['a document that is required', documents, { 'c.a': 'x' }, undefined, undefined],
  ['a document with a default', z.record(z.string(), z.string()).default({}), { 'c.x': 'x' }, undefined, undefined],
  ['a document that the condition requires', documents.optional(), { 'c.a': 'x' }, { c: { exists: true } }, undefined],
  ['a document within which something is tested', documents.optional(), { 'c.a': 'x' }, { 'c.a': 'y' }, undefined],
  [
    'a document that may be another',
    documents.optional(),
    { 'c.a': 'x' },
    { 'c.a': { not: 'y' } },
    '{ c: { exists: true } }',
  ],
  [
    'a document that one alternative requires',
    documents.optional(),
    { 'c.a': 'x' },
    { any: [{ c: { exists: true } }, { name: 'x' }] },
    '{ c: { exists: true } }',
  ],
  ['an optional document within another', documents, { 'c.b.n': 1 }, undefined, "{ 'c.b': { exists: true } }"],
  ['a text', z.string(), { 'c.a': remove() }, undefined, 'Change c as a whole, or let its schema take only a map'],
  ['a text by an input', z.string(), { 'c.{customerId}': remove() }, undefined, 'Change c as a whole'],
  ['a text within a document', documents, { 'c.a.x': 'x' }, undefined, "Change 'c.a' as a whole"],
  ['a set', texts, { 'c.a': 'x' }, undefined, 'Change c as a whole'],
  ['a list, by a name', z.array(z.string()), { 'c.a': 'x' }, undefined, 'Change c as a whole'],
  ['a list, by a number', z.array(z.string()), { 'c[0]': 'x' }, undefined, undefined],
  ['a map, by a number', z.record(z.string(), z.string()), { 'c[0]': 'x' }, undefined, 'take only a list'],
  ['a document or null', documents.nullable(), { 'c.a': 'x' }, undefined, 'Change c as a whole'],
  ['a document or null that is tested', documents.nullable(), { 'c.a': 'x' }, { 'c.a': 'y' }, undefined],
  ['a text or a map', z.union([z.string(), documents]), { 'c.a': 'x' }, { c: { exists: true } }, 'Change c as a whole'],
])('operand-type: a change within %s', (_, schema, changes, given, remedy) => {
  const found = updating(schema, { changes, ...(given !== undefined && { given }) });
  expect(found.map(({ code }) => code)).toEqual(remedy === undefined ? [] : ['operand-type']);
  if (remedy !== undefined) expect(found[0]?.remedy).toContain(remedy);
});

test('operand-type: a list with an input in it is stored as it is written', () => {
  const changes = { c: { append: [ref('e')] } };
  const given = { c: { size: { below: 9 } } };
  expect(updating(z.array(z.string()), { ...element, changes, given })).toMatchObject([
    { code: 'operand-type', remedy: expect.stringContaining("`append(ref('e'))`") },
  ]);
});

test.each<[string, unknown, object, object, string | undefined]>([
  ['set and added to', z.number(), { sets: ['c'], changes: { c: add(1) } }, {}, 'c is changed twice'],
  ['set, and perhaps set', z.number(), { sets: ['c'], maySet: ['c'] }, {}, 'c is changed twice'],
  [
    'set, and something within it',
    documents,
    { sets: ['c'], changes: { 'c.a': 'x' } },
    {},
    'c is set, and c.a within it',
  ],
  ['changed in two places', documents, { changes: { 'c.a': 'x', 'c.b': { n: 1 } } }, {}, undefined],
  ['a version that is set', z.int(), { sets: ['c'] }, { lock: 'c' }, 'c is the version of Customer'],
  ['a version that is added to', z.int(), { changes: { c: add(1) } }, { lock: 'c' }, 'c is the version of Customer'],
])('faulty-write: %s', (_, schema, need, rules, message) => {
  const found = updating(schema, need, rules);
  expect(found.map(({ code }) => code)).toEqual(message === undefined ? [] : ['faulty-write']);
  if (message !== undefined) expect(found[0]?.message).toContain(message);
});

test('count-not-kept: a sequence gives no number twice', () => {
  const found = (need: object, rules: object = {}, attributes: object = {}): string[] =>
    check(
      modelOf({
        entities: {
          Customer: entity({ ...customer, ...attributes }, rules),
          Order: entity({ ...order, number: z.int() }, { sequence: { number: 'Customer.orderCount' } }),
        },
        ...pattern(need, 'puts' in need ? 'PutItem' : 'deletes' in need ? 'DeleteItem' : 'UpdateItem'),
        served: {
          createOrder: ['UpdateItem', 'PutItem'],
          more: 'puts' in need ? 'PutItem' : 'deletes' in need ? 'DeleteItem' : 'UpdateItem',
        },
      }),
    ).findings.flatMap(({ code, message }) => (code === 'count-not-kept' ? [message] : []));
  const one = { by: ['customerId'] };
  const writes = ['writes Customer.orderCount, from which each Order takes its number'];
  expect(found({ updates: 'Customer', ...one, changes: { orderCount: 0 } })).toEqual(writes);
  expect(found({ updates: 'Customer', ...one, sets: ['orderCount'] })).toEqual(writes);
  expect(found({ updates: 'Customer', ...one, changes: { orderCount: add(-1) } })).toEqual(writes);
  // Numbers may be left out.
  expect(found({ updates: 'Customer', ...one, changes: { orderCount: add(10) } })).toEqual([]);
  expect(found({ updates: 'Customer', ...one, sets: ['name'] })).toEqual([]);
  expect(found({ puts: 'Customer' })).toEqual([
    'replaces Customer with its orderCount, from which each Order takes its number',
  ]);
  expect(found({ upserts: 'Customer' })).toEqual([]);
  expect(found({ upserts: 'Customer' }, {}, { orderCount: z.int() })).toEqual([
    'takes Customer.orderCount, from which each Order takes its number, also for one that is there',
  ]);
  expect(found({ deletes: 'Customer', ...one })).toEqual([
    'deletes Customer after items of Order have taken numbers: created again, it would give the same numbers',
  ]);
  expect(found({ deletes: 'Customer', ...one, given: { orderCount: 0 } })).toEqual([]);
  expect(found({ deletes: 'Customer', ...one }, { generated: ['customerId'] })).toEqual([]);
});

test('mergeable-indexes: the keys of both have the same types', () => {
  const merge = (sort: string): boolean =>
    found({
      tables: { Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'], GSI2: ['GSI2PK', sort] } } },
      keys: {
        Customer: { Shop: ['CUSTOMER#{customerId}', 'PROFILE'], GSI1: ['NAME#{name}', '{customerId}'] },
        Order: { Shop: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'], GSI2: ['OF#{customerId}', '{amount}'] },
      },
    }).includes('mergeable-indexes');
  expect(merge('GSI2SK')).toBe(true);
  expect(merge('GSI2SK:N')).toBe(false);
});

test('value-beyond-key: the condition of a form leaves values out', () => {
  const said = (when: object): (string | undefined)[] =>
    check(
      modelOf({
        entities: { Order: entity({ ...order, points: z.int().min(-50).max(150) }) },
        tables: { Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } },
        keys: {
          Order: {
            Shop: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'],
            GSI1: { when, key: ['CUSTOMER#{customerId}', 'P#{points:03}#{orderId}'] },
          },
        },
      }),
    ).findings.flatMap(({ code, message }) => (code === 'value-beyond-key' ? [message] : []));
  expect(said({ points: { atLeast: 0 } })).toEqual([]);
  expect(said({ points: { above: -1, below: 100 } })).toEqual([]);
  expect(said({ points: { above: -20 } })).toEqual([expect.stringContaining('points of Order may be -19')]);
  expect(said({ status: 'OPEN' })).toEqual([expect.stringContaining('points of Order may be -50')]);
  // What another attribute is, or an input that a key does not have, is not known.
  expect(said({ points: { above: { attribute: 'total' } } })).toEqual([expect.stringContaining('may be -50')]);
  expect(said({ points: { above: { ref: 'least' } } })).toEqual([expect.stringContaining('may be -50')]);
});

test('a condition of a key that names an input is reported, and ends no proof', () => {
  const { findings } = check(
    modelOf({
      entities: { Order: entity({ ...order, points: z.int().nullable() }) },
      tables: { Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } },
      keys: {
        Order: {
          Shop: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'],
          GSI1: { when: { points: { above: { ref: 'least' } } }, key: ['CUSTOMER#{customerId}', '{points:08}'] },
        },
      },
      ...pattern({ reads: ['Order'], by: ['customerId'], where: { points: 7 } }, { query: 'GSI1' }),
    }),
  );
  expect(findings.filter(({ level, message }) => level === 'error' && message.includes('least'))).not.toEqual([]);
});

test('value-beyond-key: nothing is left of some texts', () => {
  const beyond = (name: z.ZodString): string[] =>
    check(
      modelOf({
        entities: { Customer: entity({ ...customer, name }, { same: { name: 'slug' } }) },
        tables: withIndex,
        keys: { Customer: { Shop: ['CUSTOMER#{customerId}', 'PROFILE'], GSI1: ['NAME#{name:slug}', '{customerId}'] } },
      }),
    ).findings.flatMap(({ code, remedy }) => (code === 'value-beyond-key' ? [remedy] : []));
  expect(beyond(z.string())).toEqual([expect.stringContaining('`.regex(/[a-z0-9]/i)`')]);
  expect(beyond(z.string().regex(/[a-z0-9]/i))).toEqual([]);
});

test('value-beyond-key: fractions, large ends, and texts of another kind than the encoder takes', () => {
  const said = (variable: string, schema: z.ZodType): string | undefined =>
    check(modelOf(orderKey(`ORDER#{number:${variable}}#{orderId}`, { number: schema })))
      .findings.filter(({ code }) => code === 'value-beyond-key')
      .map(({ message, remedy }) => `${message} | ${remedy}`)[0];
  expect(said('05', z.number())).toContain('may be 0.5, which');
  expect(said('05', z.number())).toContain('| Let the schema take whole numbers only: `z.int()`.');
  expect(said('inverse5', z.number().multipleOf(0.01).min(1).max(99))).toContain('may be 1.5, which');
  expect(said('tens3', z.number().gt(1).lt(2))).toContain('may be 1.5, which');
  for (const whole of [z.int(), z.number().multipleOf(5).min(0).max(95), z.bigint()])
    expect(said('05', whole)).toBeUndefined();
  expect(said('epoch:utc', z.number().min(0).max(99))).toBeUndefined();
  expect(said('05', z.number().min(1e21).max(9e21).multipleOf(1))).toContain('may be 1e+21, which');

  expect(said('utc', z.uuid())).toContain('| Write it as it is, `{number}`, or let the schema take only what');
  expect(said('05', z.uuid())).toContain('may be "00000000-');
  expect(said('inverse3', z.iso.datetime({ precision: 0 }))).toContain('may be "2024-02-29T00:00:00Z"');
  expect(said('seconds', z.string().regex(/^[a-z]$/))).toContain('may be "a"');
  expect(said('ksuid', z.ulid())).toContain('which ORDER#{number:ksuid}');
  // Some of these texts are taken.
  for (const [encoder, schema] of [
    ['utc', z.string()],
    ['day', z.string().max(20)],
    ['month', z.iso.date()],
    ['hour', z.iso.datetime({ local: true, precision: 6 })],
    ['05', z.string().regex(/^\d{4}$/)],
    ['ksuid', z.ksuid()],
    ['ulid:day', z.ulid()],
    ['ulid:day', z.string().length(26)],
    ['lower', z.uuid()],
  ] as const)
    expect(said(encoder, schema)).toBeUndefined();
});

test('unstorable-schema: a function that throws is reported, and ends neither the check nor the process', async () => {
  const thrown: unknown[] = [];
  const note = (error: unknown): void => void thrown.push(error);
  process.on('unhandledRejection', note);
  const url = (text: string): string => new URL(text).href;
  for (const site of [
    z.string().transform(url),
    z.preprocess((value) => BigInt(value as string), z.bigint()),
    v.pipe(v.string(), v.transform(url)),
    type('string').pipe(url),
  ]) {
    const { findings } = check(modelOf({ entities: { Order: entity({ ...order, site } as never) } }));
    expect(findings.filter(({ code }) => code === 'unstorable-schema').map(({ message }) => message)).toEqual([
      'the schema of site is asynchronous, or throws an error',
    ]);
  }
  // Node reports rejections before it runs what is immediate.
  await new Promise((done) => setImmediate(done));
  process.off('unhandledRejection', note);
  expect(thrown).toEqual([]);
});

test.each([
  ['a text that becomes a number', type('string.numeric.parse'), '99', 'number is never "99"'],
  ['such a number', z.string().transform(Number).pipe(z.int()), '99', 'number is never "99"'],
  ['a text in upper case that becomes one in lower case', z.string().toLowerCase(), 'Open', 'number is never "Open"'],
  ['a text that is as it is stored', z.string().toLowerCase(), 'open', undefined],
  ['a text with spaces', z.string().trim(), ' a', 'number is never " a"'],
  ['a text that each validation makes longer', z.string().transform((text) => `${text}!`), 'a!', undefined],
  ['a number that is rounded', z.number().transform(Math.round), 1.5, 'number is never 1.5'],
  ['a coerced number', z.coerce.number(), 5, undefined],
  ['a number that becomes a big integer', z.coerce.bigint(), 5, undefined],
  ['a default', z.int().default(5), 7, undefined],
])('impossible-value: %s', (_, number, constant, said) => {
  const where = { number: constant };
  const { findings } = check(
    modelOf({
      ...pattern({ reads: ['Order'], by: ['customerId'], where }, { query: 'Shop' }),
      entities: { Order: entity({ ...order, number } as never) },
    }),
  );
  expect(findings.flatMap(({ code, message }) => (code === 'impossible-value' ? [message] : []))).toEqual(
    said === undefined ? [] : [said],
  );
});

test.each([
  ['text and a number', z.string(), z.int().min(0).max(9), '{code}', true],
  ['text and true', z.enum(['true', 'false']), z.boolean(), '{code}', true],
  ['times of two precisions', z.iso.datetime({ precision: 3 }), z.iso.datetime({ precision: 0 }), '{code:utc}', true],
  ['a time and a number', z.iso.datetime({ precision: 3 }), z.int().min(0), '{code:utc}', true],
  ['letters in two cases', z.enum(['a']), z.enum(['A']), '{code:lower}', true],
  ['references with two prefixes', z.literal('x:a'), z.literal('y:a'), '{code:bare}', true],
  ['text of two lengths', z.string().length(2), z.string().length(3), '{code}', false],
  ['numbers of two widths', z.int().min(0).max(9), z.int().min(0).max(99), '{code:02}', false],
  ['big and other integers', z.bigint(), z.int(), '{code}', false],
  ['one schema twice', z.iso.datetime({ precision: 3 }), z.iso.datetime({ precision: 3 }), '{code:utc}', false],
])('input-not-used: an input for two schemas, %s', (_, one, other, hole, said) => {
  const parts = (reads: object, sort: string): Parts => ({
    entities: {
      Customer: entity({ code: one, name: z.string() }),
      Order: entity({ code: other, orderId: id }),
    },
    relationships: [],
    patterns: { read: { reads, by: ['code'] } },
    tables: { Shop: { key: ['PK', 'SK'] } },
    keys: { Customer: { Shop: [`C#${hole}`, '!'] }, Order: { Shop: [`C#${hole}`, sort] } },
    served: { read: { query: 'Shop' } },
  });
  for (const [reads, sort] of [
    [{ customer: 'Customer', orders: ['Order'] }, 'O#{orderId}'],
    [{ customer: 'Customer', order: 'Order' }, 'O'],
  ] as const)
    expect(found(parts(reads, sort)).includes('input-not-used')).toBe(said);
  // Read alone, each is told apart.
  expect(found(parts(['Order'], 'O#{orderId}'))).not.toContain('input-not-used');
});

test('input-not-used: an input that may be one of two attributes with two schemas', () => {
  const read = (buyer: z.ZodType, seller: z.ZodType): boolean =>
    found({
      entities: { Deal: entity({ id, buyer, seller }) },
      relationships: [],
      patterns: { read: { reads: ['Deal'], by: [], aka: { who: ['buyer', 'seller'] } } },
      tables: { Shop: { key: ['PK', 'SK'], indexes: { A: ['APK', 'ASK'], B: ['BPK', 'BSK'] } } },
      keys: { Deal: { Shop: ['D#{id}', 'D'], A: ['A#{buyer}', '{id}'], B: ['B#{seller}', '{id}'] } },
      served: { read: { query: ['A', 'B'] } },
    }).includes('input-not-used');
  expect(read(z.string().min(1), z.int().min(0).max(9))).toBe(true);
  expect(read(z.string().min(1), z.string().min(2))).toBe(false);
});

test('key-not-exact: a parent that is found by values of another schema', () => {
  const said = (child: z.ZodType, parent: z.ZodType, hole: string, rules: object): string[] =>
    check(
      modelOf({
        entities: {
          Customer: entity({ customerId: parent, orderCount: z.int().default(0) }),
          Order: entity({ customerId: child, orderId: id }),
        },
        relationships: [['Customer', '1:N', 'Order', rules]] as never,
        patterns: { place: { creates: 'Order' } },
        tables: { Shop: { key: ['PK', 'SK'] } },
        keys: {
          Customer: { Shop: [`C#${hole}`, 'C'] },
          Order: { Shop: ['O#{orderId}', 'O'] },
        },
        served: { place: 'TransactWriteItems' },
      }),
    ).findings.flatMap(({ code, message }) => (code === 'key-not-exact' ? [message] : []));
  const text = z.string().regex(/^\d$/);
  for (const rules of [{ required: true }, { count: 'orderCount' }]) {
    expect(said(text, z.int().min(0).max(9), '{customerId}', rules)).toEqual([
      'Order refers to Customer by values of another schema than that of customerId, of which two may have one key: 1 and "1" of customerId are one text in C#{customerId}',
    ]);
    expect(said(z.enum(['a']), z.enum(['A']), '{customerId:lower}', rules)).toHaveLength(1);
    expect(said(text, z.string().min(1), '{customerId}', rules)).toEqual([]);
    expect(said(z.int().min(0).max(9), z.int().min(0).max(99), '{customerId:02}', rules)).toEqual([]);
  }
  expect(said(text, z.int().min(0).max(9), '{customerId}', {})).toEqual([]);
});

test('key-not-exact: a shard tells some values of an attribute apart, and not others', () => {
  const said = (template: string): string[] =>
    check(modelOf({ ...createdOrder, ...orderKey(template) })).findings.flatMap(({ code, message }) =>
      code === 'key-not-exact' ? [message] : [],
    );
  expect(said('ORDER#{placedAt}#{orderId:shard4}')).toEqual([
    'two values of orderId may have one key: it has their shard alone',
  ]);
  expect(said('ORDER#{orderId:shard4}#{orderId}')).toEqual([]);
});

test('unknown-name: {copy} is in keys of an entity with copies', () => {
  const { findings } = check(
    modelOf({
      tables: { Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } },
      keys: { Order: { Shop: ['C#{customerId}', 'ORDER#{orderId}'], GSI1: ['S#{status}', '{orderId}#{copy}'] } },
    }),
  );
  expect(findings.flatMap(({ path, message }) => (message.includes('{copy}') ? [`${path} ${message}`] : []))).toEqual([
    'keys.Order.GSI1 has {copy}, and Order no `copies`',
  ]);
});

test('consistent-on-global-index: a scan of the table can be consistent, and not one of an index', () => {
  const codes = (scan: string): string[] =>
    check(
      modelOf({
        patterns: { all: { reads: ['Order'], consistent: true } },
        tables: { Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK'] } } },
        keys: { Order: { Shop: ['C#{customerId}', 'ORDER#{orderId}'], GSI1: ['S#{status}'] } },
        served: { all: { scan, because: 'few are there' } },
      }),
    ).findings.map(({ code }) => code);
  expect(codes('GSI1')).toContain('consistent-on-global-index');
  expect(codes('Shop')).not.toContain('consistent-on-global-index');
});

test('operand-type: a number begins nothing', () => {
  const begun = (begins: string | number): boolean =>
    found(pattern({ reads: ['Order'], by: ['customerId'], where: { number: { begins } } }, { query: 'Shop' })).includes(
      'operand-type',
    );
  expect(begun(9)).toBe(true);
  expect(begun('9')).toBe(false);
});

/** Orders that Customer counts, adds up or numbers, with a schema of the number and one of the amount. */
const derived = (number: unknown, amount: unknown, relation: object, need?: object): string[] => {
  const isSequence = 'sequence' in relation;
  return check(
    modelOf({
      entities: {
        Customer: entity({ ...customer, total: number } as never),
        Order: entity({ ...order, amount } as never, (isSequence ? relation : {}) as never),
      },
      relationships: [['Customer', '1:N', 'Order', isSequence ? {} : relation]],
      patterns: { createOrder: need ?? { creates: 'Order' } },
      served: { createOrder: isSequence ? ['UpdateItem', 'PutItem'] : 'TransactWriteItems' },
    }),
  ).findings.flatMap(({ code, message }) => (code === 'bound-not-kept' ? [message] : []));
};

const counts = { count: 'total' };
const sums = { sum: { total: 'amount' } };
const numbers = { sequence: { amount: 'Customer.total' } };
const beyond = (what: string): string[] => [
  `Customer.total ${what}, and nothing keeps it within the bounds of its schema`,
];
const checking = (given: object): object => ({
  transacts: { order: { creates: 'Order' }, customer: { checks: 'Customer', by: ['customerId'], given } },
});

test.each<[string, unknown, unknown, object, object | undefined, string[]]>([
  ['a count has no bound', z.int().min(0).default(0), z.int(), counts, undefined, []],
  ['a count has an upper bound', z.int().max(9).default(0), z.int(), counts, undefined, beyond('counts Order')],
  ['a count is above nought', z.int().min(1).default(1), z.int(), counts, undefined, beyond('counts Order')],
  [
    'each transaction checks it, or another parent',
    z.int().max(9).default(0),
    z.int(),
    counts,
    checking({ total: { below: 9 } }),
    beyond('counts Order'),
  ],
  ['each transaction limits it', z.int().min(0).default(0), z.int(), counts, checking({ total: { below: 9 } }), []],
  [
    'a sum of any numbers is at least nought',
    z.int().min(0).default(0),
    z.int(),
    sums,
    undefined,
    beyond('adds up Order.amount'),
  ],
  ['a sum of positive numbers is at least nought', z.int().min(0).default(0), z.int().min(0), sums, undefined, []],
  [
    'a sum has an upper bound',
    z.int().max(99).default(0),
    z.int().min(0),
    sums,
    undefined,
    beyond('adds up Order.amount'),
  ],
  ['a sum of negative numbers has an upper bound', z.int().max(99).default(0), z.int().max(0), sums, undefined, []],
  ['a sequence has an upper bound', z.int().max(9).default(0), z.int(), numbers, undefined, beyond('numbers Order')],
  ['a sequence has none', z.int().default(0), z.int().max(9), numbers, undefined, []],
])('bound-not-kept: where %s', (_, number, amount, relation, need, messages) => {
  expect(derived(number, amount, relation, need)).toEqual(messages);
});
