import { expect, test } from 'vitest';
import { z } from 'zod';
import { check } from '../src/check/index.ts';
import { explain } from '../src/cost/index.ts';
import { connect, entity, model } from '../src/index.ts';
import { load } from '../src/samples/index.ts';
import { testDatabase } from './test-database.ts';

const begun = model('orders')
  .entities({
    Order: entity(
      {
        user: z.string(),
        at: z.number().int().min(0).max(999_999),
        state: z.enum(['OPEN', 'DONE']),
        until: z.number().optional(),
        note: z.string().optional(),
      },
      { expires: 'until' },
    ),
  })
  .relationships([]);

const orders = begun
  .patterns({
    all: { reads: ['Order'], by: ['user'], count: true, volume: { typical: 5000, most: 100_000 } },
    done: {
      reads: ['Order'],
      by: ['user'],
      count: true,
      where: { state: 'DONE' },
      range: 'at',
      volume: { typical: 50, most: 100 },
    },
    ofUsers: { reads: ['Order'], by: ['user'], among: { user: 3 }, count: true, volume: { typical: 50, most: 100 } },
  })
  .tables({ Orders: { key: ['PK', 'SK'] } })
  .keys({ Order: { Orders: ['USER#{user}', '{at:06}'] } })
  .served({ all: { query: 'Orders' }, done: { query: 'Orders' }, ofUsers: { query: 'Orders', fanOut: 3 } });

test('a count is of all pages, without what has expired, what a filter leaves out and open ends', async () => {
  await using database = await testDatabase(orders);
  const note = 'x'.repeat(100_000);
  await load(
    orders,
    'Order',
    Array.from({ length: 24 }, (_, at) => ({
      user: at % 4 === 3 ? 'b' : 'a',
      at,
      state: at % 2 === 0 ? 'DONE' : 'OPEN',
      note,
      ...(at === 0 && { until: 99 }),
    })),
    { client: database.client },
  );
  const db = connect(orders, { client: database.client, now: () => 100_000 });
  database.sent();
  expect(await db.all({ user: 'a' })).toBe(17);
  expect(database.sent()).toEqual(['Query', 'Query']); // 1.8 MB
  expect(await db.all({ user: 'none' })).toBe(0);
  expect(await db.done({ user: 'a' })).toBe(11);
  expect(await db.done({ user: 'a', at: { from: 2, to: 8 } })).toBe(4);
  expect(await db.done({ user: 'a', at: { after: 2, before: 8 } })).toBe(2);
  expect(await db.done({ user: 'a', at: { from: 8, to: 2 } })).toBe(0);
  expect(await db.ofUsers({ user: ['a', 'b', 'a'] })).toBe(23);
  expect(db.all.request({ user: 'a' })).toMatchObject([{ operation: 'Query', input: { Select: 'COUNT' } }]);
  // @ts-expect-error a count has no pages
  await expect(db.all({ user: 'a' }, { limit: 2 })).rejects.toMatchObject({ code: 'bad-limit' });
  expect(check(orders).findings.filter(({ level }) => level === 'error')).toEqual([]);
  expect(explain(orders, 'all')?.cost).toMatchObject({ requests: 1, items: 5000 });
});

test.each([
  ['with an order', { order: 'at desc' }, { query: 'Orders' }, 'unknown-name'],
  ['of what a scan reads', {}, { scan: 'Orders', because: 'all' }, 'not-served'],
  ['of a parent and its children', { reads: { orders: ['Order'] } }, { query: 'Orders' }, 'several-items'],
])('a count %s is refused', (_, need, served, code) => {
  const faulty = begun
    .patterns({ all: { reads: ['Order'], by: ['user'], count: true, ...(need as { order?: 'at desc' }) } })
    .tables({ Orders: { key: ['PK', 'SK'] } })
    .keys({ Order: { Orders: ['USER#{user}', '{at:06}'] } })
    .served({ all: served as { query: 'Orders' } });
  expect(
    check(faulty)
      .findings.filter(({ level }) => level === 'error')
      .map((finding) => finding.code),
  ).toContain(code);
});
