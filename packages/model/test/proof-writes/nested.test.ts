import * as v from 'valibot';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { append, entity, include, model, ref } from '../../src/index.ts';
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
