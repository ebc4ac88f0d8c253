import { expect, test } from 'vitest';
import { z } from 'zod';
import { check } from '../src/check/index.ts';
import { explain } from '../src/cost/index.ts';
import { add, entity, model, ref, transact } from '../src/index.ts';
import { openModel } from './proof-writes/open-model.ts';

const line = { order: z.string(), line: z.string(), amount: z.number().optional(), pieces: z.int().default(1) };

const begun = model('orders').entities({
  Order: entity({
    order: z.string(),
    lines: z.number().default(0),
    total: z.number().default(0),
    pieces: z.number().default(0),
  }),
  Line: entity(line),
});

const orders = begun
  .relationships([['Order', '1:N', 'Line', { count: 'lines', sum: { total: 'amount', pieces: 'pieces' } }]])
  .patterns({
    open: { creates: 'Order' },
    order: { reads: 'Order', by: ['order'] },
    addLine: { creates: 'Line' },
    addLines: { creates: ['Line'] },
    saveLine: { upserts: 'Line' },
    setAmount: { updates: 'Line', by: ['order', 'line'], maySet: ['amount'] },
    more: {
      updates: 'Line',
      by: ['order', 'line'],
      takes: { more: z.number() },
      changes: { amount: add(ref('more')) },
    },
    drop: { deletes: 'Line', by: ['order', 'line'] },
  })
  .tables({ Orders: { key: ['PK', 'SK'] } })
  .keys({
    Order: { Orders: ['ORDER#{order}', 'ORDER'] },
    Line: { Orders: ['ORDER#{order}', 'LINE#{line}'] },
  })
  .served({
    open: 'PutItem',
    order: 'GetItem',
    addLine: 'TransactWriteItems',
    addLines: 'TransactWriteItems',
    saveLine: ['GetItem', 'TransactWriteItems'],
    setAmount: ['GetItem', 'TransactWriteItems'],
    more: ['GetItem', 'TransactWriteItems'],
    drop: ['GetItem', 'TransactWriteItems'],
  });

test('a sum follows its children through every write, exactly', async () => {
  await using opened = await openModel(orders);
  const { db } = opened;
  const order = 'o';
  const sums = async () => {
    const { lines, total, pieces } = (await db.order({ order })) ?? {};
    return [lines, total, pieces];
  };
  await expect(db.addLine({ order, line: 'a', amount: 1 })).rejects.toMatchObject({ code: 'parent-missing' });
  await db.open({ order });
  await db.addLine({ order, line: 'a', amount: 0.1 });
  await db.addLines([
    { order, line: 'b', amount: 0.2, pieces: 3 },
    { order, line: 'c' },
  ]);
  expect(await sums()).toEqual([3, 0.3, 5]);
  await db.setAmount({ order, line: 'c', amount: -1.5 });
  expect(await sums()).toEqual([3, -1.2, 5]);
  await db.more({ order, line: 'c', more: 2 });
  expect(await sums()).toEqual([3, 0.8, 5]);
  await db.setAmount({ order, line: 'b', amount: undefined });
  await db.saveLine({ order, line: 'a', amount: 10, pieces: 2 });
  await db.saveLine({ order, line: 'd', amount: 5 });
  expect(await sums()).toEqual([4, 15.5, 7]);
  await db.drop({ order, line: 'c' });
  await db.drop({ order, line: 'never' });
  expect(await sums()).toEqual([3, 15, 6]);
});

test('a sum stays true where two writers change one child', async () => {
  await using opened = await openModel(orders);
  const { db } = opened;
  const order = 'o';
  await db.open({ order });
  await db.addLine({ order, line: 'a', amount: 1 });
  await Promise.all([
    db.setAmount({ order, line: 'a', amount: 7 }),
    db.more({ order, line: 'a', more: 1 }),
    db.drop({ order, line: 'a' }).then(async () => db.addLine({ order, line: 'b', amount: 4 })),
  ]).catch(() => undefined);
  const { total, lines } = (await db.order({ order })) ?? {};
  expect([total, lines]).toEqual([4, 1]);
});

test('two parts of a transaction that change one child count once', async () => {
  await using opened = await openModel(orders);
  const { db } = opened;
  const order = 'o';
  const line = 'a';
  const total = async (): Promise<unknown> => (await db.order({ order }))?.total;
  await db.open({ order });
  await db.addLine({ order, line, amount: 1 });
  const set = db.setAmount.op({ order, line, amount: 7 });
  const save = db.saveLine.op({ order, line, amount: 5, pieces: 2 });
  await transact(db, [set, set]);
  expect(await total()).toBe(7);
  await transact(db, [save, db.setAmount.op({ order, line, amount: 5 })]);
  expect(await db.order({ order })).toMatchObject({ lines: 1, total: 5, pieces: 2 });
  await transact(db, [db.more.op({ order, line, more: 2 }), db.more.op({ order, line, more: 0.5 })]);
  expect(await total()).toBe(7.5);
  const remove = db.setAmount.op({ order, line, amount: undefined });
  await transact(db, [remove, remove]);
  expect(await total()).toBe(0);
  await expect(transact(db, [set, db.more.op({ order, line, more: 2 })])).rejects.toMatchObject({ code: 'same-item' });
});

test('a sum has its price, and what it cannot be kept of is refused', () => {
  expect(check(orders).findings.filter(({ level }) => level === 'error')).toEqual([]);
  expect(explain(orders, 'setAmount')?.cost).toMatchObject({ requests: 2, items: 2 });
  const found = (amount: unknown, rules: object, sum: object): string[] =>
    check(
      model('refused')
        .entities({
          ...orders.entities,
          Line: entity({ ...line, amount: amount as z.ZodNumber, until: z.int() }, rules),
        })
        .relationships([['Order', '1:N', 'Line', { sum: sum as Record<string, string> }]])
        .patterns({ order: { reads: 'Order', by: ['order'] } })
        .tables(orders.tables as never)
        .keys(orders.keys as never)
        .served({ order: 'GetItem' } as never),
    ).findings.flatMap(({ level, code, message }) => (level === 'error' ? [`${code}: ${message}`] : []));
  expect(found(z.number(), {}, { total: 'amount' })).toEqual([]);
  expect(found(z.bigint(), {}, { total: 'amount' })).toEqual([]);
  expect(found(z.string(), {}, { total: 'amount' }).join('\n')).toContain('takes no numbers');
  expect(found(z.union([z.number(), z.string()]), {}, { total: 'amount' }).join('\n')).toContain('takes text as well');
  expect(found(z.number(), { expires: 'until' }, { total: 'amount' }).join('\n')).toContain('counted-expires');
  expect(found(z.number(), {}, { none: 'amount' }).join('\n')).toContain('no attribute "none"');
  expect(found(z.number(), {}, { total: 'none' }).join('\n')).toContain('no attribute "none"');
});

test('a least or a greatest value has a remedy that says why, and what to read instead', () => {
  const extreme = (kind: string): string[] =>
    check({ ...orders, relationships: [['Order', '1:N', 'Line', { [kind]: { total: 'amount' } }]] } as never)
      .findings.filter(({ path }) => path === `relationships.Order.Line.${kind}`)
      .map(({ remedy }) => remedy);
  expect(extreme('min')).toEqual([expect.stringContaining("reads: ['Line'], by: […], order: '… asc', limit: 1")]);
  expect(extreme('max')).toEqual([expect.stringContaining("order: '… desc', limit: 1")]);
});
