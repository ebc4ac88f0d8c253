import * as v from 'valibot';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { append, entity, include, model, ref, remove } from '../../src/index.ts';
import { prove } from '../../src/prove/index.ts';
import { openModel } from './open-model.ts';

/*
 * What a change writes within an attribute is checked by the attribute's schema: that of the input may take more.
 */

const customers = model('customers')
  .entities({
    Customer: entity({
      id: z.string().min(1),
      addresses: z.record(z.string(), z.object({ city: z.string().min(2), zip: z.int().max(99_999).default(1) })),
      log: z.array(z.string().max(3)).default([]),
      tags: z.set(z.enum(['A', 'B'])).optional(),
      plan: v.object({ level: v.pipe(v.number(), v.maxValue(3)) }),
    }),
  })
  .relationships([])
  .patterns({
    create: { creates: 'Customer' },
    customer: { reads: 'Customer', by: ['id'] },
    move: {
      updates: 'Customer',
      by: ['id'],
      takes: { label: z.string().regex(/^[a-z]+$/), address: z.object({ city: z.string(), zip: z.int().optional() }) },
      changes: { 'addresses.{label}': ref('address') },
    },
    write: {
      updates: 'Customer',
      by: ['id'],
      takes: { lines: z.array(z.string()) },
      changes: { log: append(ref('lines')) },
    },
    tag: { updates: 'Customer', by: ['id'], takes: { tag: z.string() }, changes: { tags: include(ref('tag')) } },
    raise: { updates: 'Customer', by: ['id'], takes: { level: z.number() }, changes: { 'plan.level': ref('level') } },
  })
  .tables({ Customers: { key: ['PK'] } })
  .keys({ Customer: { Customers: ['C#{id}'] } })
  .served({
    create: 'PutItem',
    customer: 'GetItem',
    move: 'UpdateItem',
    write: 'UpdateItem',
    tag: 'UpdateItem',
    raise: 'UpdateItem',
  });

const customer = { id: 'a', addresses: {}, log: [], plan: { level: 1 } };

test('what the schema of the attribute refuses is not written', async () => {
  await using open = await openModel(customers);
  const { db } = open;
  await db.create(customer);
  const invalid = { name: 'InputError', code: 'invalid' };
  await expect(db.move({ id: 'a', label: 'home', address: { city: 'X' } })).rejects.toMatchObject(invalid);
  await expect(db.write({ id: 'a', lines: ['abc', 'long'] })).rejects.toMatchObject(invalid);
  await expect(db.tag({ id: 'a', tag: 'C' })).rejects.toMatchObject(invalid);
  await expect(db.raise({ id: 'a', level: 4 })).rejects.toMatchObject(invalid);
  expect(await db.customer({ id: 'a' })).toEqual(customer);
});

test('what it accepts is written as it yields it', async () => {
  await using open = await openModel(customers);
  const { db } = open;
  await db.create(customer);
  await db.move({ id: 'a', label: 'home', address: { city: 'Rome' } });
  await db.write({ id: 'a', lines: ['abc'] });
  await db.tag({ id: 'a', tag: 'A' });
  await db.raise({ id: 'a', level: 3 });
  expect(await db.customer({ id: 'a' })).toEqual({
    id: 'a',
    addresses: { home: { city: 'Rome', zip: 1 } },
    log: ['abc'],
    tags: new Set(['A']),
    plan: { level: 3 },
  });
});

test('inputs in a list that is appended are taken', async () => {
  const { write, ...patterns } = customers.patterns;
  const line = { ...write, takes: { line: z.string() }, changes: { log: append(['at', ref('line')] as never) } };
  const lines = { ...customers, patterns: { ...patterns, write: line } };
  await using open = await openModel(lines as never);
  const db = open.db as unknown as Record<'create' | 'write' | 'customer', (input: object) => Promise<unknown>>;
  await db.create(customer);
  await db.write({ id: 'a', line: 'now' });
  expect(await db.customer({ id: 'a' })).toEqual({ ...customer, log: ['at', 'now'] });
  await expect(db.write({ id: 'a', line: 'later' })).rejects.toMatchObject({ code: 'invalid' });
});

test('items stay what their schemas say, whatever is written', async () => {
  await using open = await openModel(customers);
  const { wrongWrites } = await prove(customers, { client: open.database.client, runs: 6, writes: true });
  expect(wrongWrites).toBeUndefined();
});

const shelves = model('shelves')
  .entities({
    Shelf: entity({
      id: z.string().min(1),
      byRow: z.record(z.string().regex(/^[a-z]$/), z.int()),
      size: z.object({ high: z.int(), deep: z.int().optional() }),
      rest: z.looseObject({ high: z.int() }).optional(),
      both: z.record(z.enum(['left', 'right']), z.int()),
      plan: v.object({ level: v.number(), note: v.optional(v.number()) }),
      notes: v.record(v.pipe(v.string(), v.maxLength(2)), v.number()),
    }),
  })
  .relationships([])
  .patterns({
    create: { creates: 'Shelf' },
    shelf: { reads: 'Shelf', by: ['id'] },
    ...(Object.fromEntries(
      ['byRow', 'size', 'rest', 'both', 'plan', 'notes'].flatMap((name) => [
        [name, { updates: 'Shelf', by: ['id'], takes: { at: z.string() }, changes: { [`${name}.{at}`]: 1 } }],
        [
          `${name}Less`,
          { updates: 'Shelf', by: ['id'], takes: { at: z.string() }, changes: { [`${name}.{at}`]: remove() } },
        ],
      ]),
    ) as Record<string, { updates: 'Shelf'; by: ['id']; takes: { at: z.ZodString } }>),
  })
  .tables({ Shelves: { key: ['PK'] } })
  .keys({ Shelf: { Shelves: ['S#{id}'] } })
  .served(
    Object.fromEntries(
      ['byRow', 'size', 'rest', 'both', 'plan', 'notes']
        .flatMap((name) => [
          [name, 'UpdateItem'],
          [`${name}Less`, 'UpdateItem'],
        ])
        .concat([
          ['create', 'PutItem'],
          ['shelf', 'GetItem'],
        ]),
    ) as never,
  );

test('a name in a path is one that the schema has, and no required field is removed', async () => {
  await using open = await openModel(shelves);
  const db = open.db as unknown as Record<string, (input: object) => Promise<unknown>>;
  const call = async (name: string, at: string): Promise<unknown> =>
    db[name]?.({ id: 'a', at }).then(
      () => 'written',
      ({ name: error, code }: { name: string; code: string }) => `${error} ${code}`,
    );
  const whole = { high: 5, deep: 5 };
  await db['create']?.({
    id: 'a',
    byRow: { q: 1 },
    size: whole,
    rest: whole,
    both: { left: 1, right: 1 },
    plan: { level: 1, note: 1 },
    notes: { ab: 1 },
  });
  const refused = 'InputError invalid';
  for (const [name, at, expected] of [
    ['byRow', 'b', 'written'],
    ['byRow', 'B', refused],
    ['byRow', '', refused],
    ['byRow', '__proto__', refused],
    ['size', 'deep', 'written'],
    ['size', 'wide', refused],
    ['sizeLess', 'deep', 'written'],
    ['sizeLess', 'high', refused],
    ['rest', 'wide', 'written'],
    ['rest', '', refused],
    ['rest', '__proto__', refused],
    ['restLess', 'wide', 'written'],
    ['restLess', 'high', refused],
    ['both', 'left', 'written'],
    ['both', 'top', refused],
    ['bothLess', 'left', refused],
    ['plan', 'level', 'written'],
    ['plan', 'other', refused],
    ['planLess', 'note', 'written'],
    ['planLess', 'level', refused],
    ['notes', 'cd', 'written'],
    ['notes', 'long', refused],
    ['byRowLess', 'q', 'written'],
  ] as const)
    expect([name, at, await call(name, at)]).toEqual([name, at, expected]);
  expect(await db['shelf']?.({ id: 'a' })).toMatchObject({ byRow: { b: 1 }, size: { high: 5 }, rest: { high: 5 } });
});
