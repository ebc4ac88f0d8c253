import { fileURLToPath } from 'node:url';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { BookingsPatterns } from '../../test/generated/bookings.js';
import type { MixedPatterns } from '../../test/generated/mixed.js';
import type { ShopPatterns } from '../../test/generated/shop.js';
import { bookings } from '../../test/bookings.model.ts';
import { mixed } from '../../test/patterns.model.ts';
import { shop } from '../../test/shop.model.ts';
import { testDatabase } from '../../test/test-database.ts';
import { type Connected, entity, type Model, model as declare } from '../index.ts';
import type { StandardSchema } from '../schema/standard-schema.ts';
import { generateClient } from './generate.ts';
import { shapeOfSchema } from './shape-of-schema.ts';
import { typeText } from './shape.ts';

const written = (file: string): string => fileURLToPath(new URL(`../../test/generated/${file}`, import.meta.url));

test.each([
  ['shop', shop as Model, '../shop.model.ts'],
  ['mixed', mixed as Model, '../patterns.model.ts'],
  ['bookings', bookings as unknown as Model, '../bookings.model.ts'],
])('%s is generated', async (exported, model, from) => {
  const { js, types } = generateClient(model, { model: from, exported });
  await expect(js).toMatchFileSnapshot(written(`${exported}.js`));
  await expect(types).toMatchFileSnapshot(written(`${exported}.d.ts`));
});

/** Each can be used in place of the other. */
type Same<A, B> = A extends B ? (B extends A ? true : false) : false;
type Inferred<M> = M extends Model<infer D, infer P> ? Connected<D, P> : never;

test('the generated types are the inferred ones', () => {
  expectTypeOf<Same<ShopPatterns, Inferred<typeof shop>>>().toEqualTypeOf<true>();
  expectTypeOf<Same<MixedPatterns, Inferred<typeof mixed>>>().toEqualTypeOf<true>();
  expectTypeOf<Same<BookingsPatterns, Inferred<typeof bookings>>>().toEqualTypeOf<true>();
});

test('the generated module runs', async () => {
  await using database = await testDatabase(shop);
  const { connect: connectShop } = await import('../../test/generated/shop.js');
  const db = connectShop({ client: database.client });
  const customer = { username: 'alex', email: 'alex@example.com', name: 'Alex', createdAt: '2026-01-01' };
  await db.createCustomer(customer);
  await db.placeOrder({
    order: { username: 'alex', orderId: 'o1', createdAt: '2026-01-02', amount: 12, numberItems: 1 },
    lines: [{ orderId: 'o1', itemId: 'i1', description: 'Tea', price: 12 }],
  });
  const { customer: found, orders } = await db.customerWithOrders({ username: 'alex' });
  expect(found?.email).toBe('alex@example.com');
  expect(orders.map(({ status }) => status)).toEqual(['ACCEPTED']);
});

test('an input that is a list is one under another name, too', () => {
  const places = declare('places')
    .entities({ Hotel: entity({ cell: z.string(), id: z.string() }) })
    .relationships([])
    .patterns({
      near: { reads: ['Hotel'], by: ['cell'], among: { cell: 9 } },
      around: { reads: ['Hotel'], aka: { cells: 'cell' }, among: { cells: 9 } },
      at: { reads: ['Hotel'], aka: { place: 'cell' } },
    })
    .tables({ Places: { key: ['PK', 'SK'] } })
    .keys({ Hotel: { Places: ['{cell}', '{id}'] } })
    .served({
      near: { query: 'Places', fanOut: 9 },
      around: { query: 'Places', fanOut: 9 },
      at: { query: 'Places' },
    });
  const { types } = generateClient(places, { model: './places.ts', exported: 'places' });
  expect(types).toContain('cell: readonly (string)[]');
  expect(types).toContain('cells: readonly (string)[]');
  expect(types).toContain('place: string');
});

describe('the type of a schema', () => {
  const cases: readonly (readonly [StandardSchema, string])[] = [
    [z.string().optional(), 'string'],
    [z.enum(['a', 'b']).default('a'), "'a' | 'b'"],
    [
      z.object({ 'a-b': z.number(), c: z.set(z.string()).optional() }),
      "{ 'a-b': number; c?: Set<string> | undefined }",
    ],
    [z.array(z.union([z.string(), z.null()])), '(string | null)[]'],
    [z.record(z.string(), z.literal(3)), 'Record<string, 3>'],
    [z.string().transform(Number), 'unknown'],
    [v.optional(v.picklist(['x', 'y'])), "'x' | 'y'"],
    [v.object({ at: v.nullable(v.number()), of: v.array(v.boolean()) }), '{ at: number | null; of: boolean[] }'],
    [v.pipe(v.string(), v.trim()), 'unknown'],
    [type('string.email'), 'string'],
    [type("'x' | 'y'"), "'x' | 'y'"],
    [type({ name: 'string', 'age?': 'number' }), '{ name: string; age?: number | undefined }'],
  ];
  test.each(cases)('%#: %s', (schema, expected) => {
    expect(typeText(shapeOfSchema(schema, 'output').shape)).toBe(expected);
  });
});
