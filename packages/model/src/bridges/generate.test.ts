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
import { type Connected, entity, type Model, model as declare, ref } from '../index.ts';
import type { StandardSchema } from '../schema/standard-schema.ts';
import { generateClient } from './generate.ts';
import { isCoerced, shapeOfSchema } from './shape-of-schema.ts';
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

/** The member lines of an interface. */
function membersOf(types: string, name: string): string[] {
  const [, body = ''] = new RegExp(`export interface ${name} \\{\\n([^}]*)\\}`).exec(types) ?? [];
  return body.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}

test('inputs that are no attributes, that several entities or conditions share, and that a schema changes', () => {
  const parts = declare('parts')
    .entities({
      Bin: entity({ site: z.string(), bin: z.string(), words: z.string().transform((text) => text.length) }),
      Part: entity({ site: z.string(), part: z.number(), other: z.string().nullable(), level: z.coerce.number() }),
    })
    .relationships([])
    .patterns({
      add: { creates: 'Part', given: { level: { not: ref('worst') } }, takes: { worst: z.number() } },
      addAll: { creates: ['Part'], given: { level: { not: ref('worst') } }, takes: { worst: z.number().default(0) } },
      correct: { updates: 'Bin', by: ['site', 'bin'], sets: ['words'] },
      either: { reads: ['Part'], by: ['site'], aka: { either: ['part', 'other'] } },
      filtered: { reads: ['Part'], by: ['site', 'level'], filters: ['level', 'other'] },
      above: { reads: ['Part'], by: ['site'], where: { level: { above: ref('n') } }, takes: { n: z.number() } },
      every: { reads: ['Part'] },
    })
    .tables({ Parts: { key: ['PK', 'SK'], indexes: { All: ['AllPK', 'AllSK'] } } })
    .keys({
      Bin: { Parts: ['SITE#{site}', 'BIN#{bin}'] },
      Part: { Parts: ['SITE#{site}', 'PART#{part:08}'], All: ['PARTS', '{part:08}'] },
    })
    .served({
      add: 'PutItem',
      addAll: 'TransactWriteItems',
      correct: 'UpdateItem',
      either: { query: 'Parts' },
      filtered: { query: 'Parts' },
      above: { query: 'Parts' },
      every: { query: 'All' },
    });
  const { types } = generateClient(parts, { model: './parts.ts', exported: 'parts' });
  expect(types).toContain('add: Write<NewPart & { worst: number }, Part>;');
  expect(types).toContain('addAll: Write<readonly (NewPart & { worst?: number | undefined })[], Part[]>;');
  expect(membersOf(types, 'NewPart')).toContain('level: unknown;');
  expect(membersOf(types, 'CorrectInput')).toEqual(['site: string;', 'bin: string;', 'words: string;']);
  expect(membersOf(types, 'EitherInput')).toEqual(['site: string;', 'either: number | string;']);
  expect(membersOf(types, 'FilteredInput')).toEqual([
    'site: string;',
    'level: number;',
    'other?: string | null | undefined;',
  ]);
  expect(membersOf(types, 'AboveInput')).toEqual(['site: string;', 'n: number;']);
  expect(types).toContain('export type EveryInput = Readonly<Record<string, never>>;');
});

test('each name is declared once, whatever entities and patterns are called', () => {
  const names = declare('names')
    .entities({
      Order: entity({ id: z.string(), tags: z.set(z.string()) }),
      NewOrder: entity({ id: z.string(), at: z.number() }),
      Set: entity({ id: z.string(), note: z.string() }),
      ReadInput: entity({ id: z.string() }),
    })
    .relationships([])
    .patterns({ read: { reads: 'Order', by: ['id'] }, add: { creates: 'Set' } })
    .tables({ Names: { key: ['PK'] } })
    .keys({
      Order: { Names: ['ORDER#{id}'] },
      NewOrder: { Names: ['NEW#{id}'] },
      Set: { Names: ['SET#{id}'] },
      ReadInput: { Names: ['READ#{id}'] },
    })
    .served({ read: 'GetItem', add: 'PutItem' });
  const { types } = generateClient(names, { model: './names.ts', exported: 'names' });
  const declared = [...types.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name);
  expect(new Set(declared).size).toBe(declared.length);
  expect(declared).not.toContain('Set');
  expect(membersOf(types, 'Order')).toEqual(['id: string;', 'tags: Set<string>;']);
  expect(types).toContain('read: ReadOne<ReadInput_, Order>;');
  expect(types).toContain('add: Write<NewSet, Set_>;');
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
    [z.record(z.enum(['a', 'b']), z.number()), '{ a: number; b: number }'],
    [z.partialRecord(z.enum(['a', 'b']), z.number()), '{ a?: number | undefined; b?: number | undefined }'],
    [z.object({ a: z.exactOptional(z.string()) }), '{ a?: string | undefined }'],
    [v.record(v.picklist(['a', 'b']), v.number()), '{ a?: number | undefined; b?: number | undefined }'],
    [v.object({ a: v.exactOptional(v.string()) }), '{ a?: string | undefined }'],
    [v.nullable(v.number(), 4), 'number'],
    [v.nullish(v.number()), 'number | null'],
    [type('number | undefined'), 'number'],
    [type("'x' | undefined"), "'x'"],
    [z.instanceof(Uint8Array), 'Uint8Array'],
    [v.instance(Uint8Array), 'Uint8Array'],
    [type('string.email'), 'string'],
    [type("'x' | 'y'"), "'x' | 'y'"],
    [type({ name: 'string', 'age?': 'number' }), '{ name: string; age?: number | undefined }'],
  ];
  test.each(cases)('%#: %s', (schema, expected) => {
    expect(typeText(shapeOfSchema(schema, 'output').shape)).toBe(expected);
  });

  test('what is converted has its own type for a command line and forms, and takes anything in TypeScript', () => {
    const flag = z.coerce.boolean().default(false);
    expect(shapeOfSchema(flag, 'input').shape).toEqual({ kind: 'boolean' });
    expect(isCoerced(flag)).toBe(true);
    expect(isCoerced(z.boolean().default(false))).toBe(false);
  });
});
