import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { check } from '../src/check/index.ts';
import { explain } from '../src/cost/index.ts';
import { connect, entity, model } from '../src/index.ts';
import { expectedRead } from '../src/prove/oracle/index.ts';
import { load } from '../src/samples/index.ts';
import { testDatabase, type TestDatabase } from './test-database.ts';

const begun = model('hotels')
  .entities({
    Hotel: entity({
      id: z.string(),
      cell: z.string().regex(/^[a-z]\d$/),
      rating: z.number().int().min(0).max(99),
      open: z.boolean(),
    }),
  })
  .relationships([]);

/** Hotels around a place: the nine geohash cells at and around it. */
const hotels = begun
  .patterns({
    add: { puts: 'Hotel' },
    near: {
      reads: ['Hotel'],
      by: ['cell'],
      among: { cell: 9 },
      order: 'rating desc',
      limit: 3,
      where: { open: true },
      range: 'rating',
    },
  })
  .tables({ Hotels: { key: ['PK', 'SK'] } })
  .keys({ Hotel: { Hotels: ['CELL#{cell}', '{rating:02}#{id}'] } })
  .served({ add: 'PutItem', near: { query: 'Hotels', fanOut: 9, readAhead: 5 } });

const cells = ['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1', 'c2', 'c3'];
const items = Array.from({ length: 60 }, (_, i) => ({
  id: `h${i}`,
  cell: [...cells, 'z9'][i % 10] ?? '',
  rating: (i * 37) % 20,
  open: i % 7 !== 0,
}));

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase(hotels);
  await load(hotels, 'Hotel', items, { client: database.client });
});
afterAll(async () => database[Symbol.asyncDispose]());

const opened = () => connect(hotels, { client: database.client });

describe('one query over several partitions', () => {
  test.each([1, 2, 3, 7, 60])('is in one order over pages of %i, without an item twice', async (limit) => {
    const db = opened();
    const input = { cell: [...cells, 'a1'], rating: { from: 3 } };
    const found: (typeof items)[number][] = [];
    let cursor: string | undefined;
    do {
      const page = await db.near(input, { limit, cursor });
      expect(page.items.length).toBeLessThanOrEqual(limit);
      found.push(...page.items);
      ({ cursor } = page);
    } while (cursor !== undefined);
    const world = { entities: hotels.entities, items: new Map([['Hotel', items]]), now: 0, isTime: () => false };
    const [expected] = expectedRead(hotels.patterns.near, world, input).parts;
    expect(found.map(({ id }) => id).sort()).toEqual(expected?.items.map(({ id }) => id).sort());
    expect(found.map(({ rating }) => rating)).toEqual(found.map(({ rating }) => rating).sort((a, b) => b - a));
  });

  test('asks each partition once, none for an empty list, and no more than are declared', async () => {
    const db = opened();
    database.sent();
    expect(await db.near({ cell: [] })).toEqual({ items: [], cursor: undefined });
    expect(database.sent()).toEqual([]);
    expect(db.near.request({ cell: ['a1', 'a2', 'a1'] })).toHaveLength(2);
    const page = await db.near({ cell: ['a1', 'a1'] }, { limit: 60 });
    expect(page.items.map(({ cell }) => cell)).toEqual(Array.from({ length: 5 }, () => 'a1'));
    expect((await db.near({ cell: ['no#cell', 'a1'] }, { limit: 60 })).items).toHaveLength(5);
    await expect(db.near({ cell: ['no#cell'] })).rejects.toMatchObject({ name: 'InputError' });
    await expect(db.near({ cell: [...cells, 'z9'] })).rejects.toMatchObject({ code: 'too-many' });
    // @ts-expect-error the cells are a list
    await expect(db.near({ cell: 'a1' })).rejects.toMatchObject({ code: 'not-a-list' });
    const { cursor } = await db.near({ cell: cells });
    await expect(db.near({ cell: cells.slice(1) }, { cursor })).rejects.toMatchObject({ code: 'bad-cursor' });
  });

  test('is proven, and priced as so many queries', () => {
    expect(check(hotels).findings.filter(({ level }) => level === 'error')).toEqual([]);
    expect(explain(hotels, 'near')).toMatchObject({ served: { requests: 9 }, cost: { requests: 9, readUnits: 4.5 } });
  });

  test('may have another name than the attribute', async () => {
    const around = begun
      .patterns({
        around: { reads: ['Hotel'], aka: { cells: 'cell' }, among: { cells: 9 }, order: 'rating desc', limit: 60 },
        badly: { reads: ['Hotel'], aka: { cells: 'cell' }, among: { cells: 9 }, order: 'cell asc' },
        unknown: { reads: ['Hotel'], aka: { cells: 'cell' }, among: { cell: 9 } },
        either: { reads: ['Hotel'], aka: { cells: ['cell', 'id'] }, among: { cells: 9 } },
      })
      .tables({ Hotels: { key: ['PK', 'SK'] } })
      .keys({ Hotel: { Hotels: ['CELL#{cell}', '{rating:02}#{id}'] } })
      .served({
        around: { query: 'Hotels', fanOut: 9 },
        badly: { query: 'Hotels', fanOut: 9 },
        unknown: { query: 'Hotels', fanOut: 9 },
        either: { query: 'Hotels', fanOut: 9 },
      });
    const found = check(around).findings.filter(({ level }) => level === 'error');
    expect(found.map(({ code, path }) => `${path} ${code}`)).toEqual(
      expect.arrayContaining(['served.badly order-not-served', 'patterns.unknown.among unknown-name']),
    );
    expect(found.filter(({ path }) => path === 'served.either').map(({ code }) => code)).toContain('input-not-used');
    expect(found.filter(({ path }) => path.endsWith('.around'))).toEqual([]);
    const db = connect(around, { client: database.client });
    const page = await db.around({ cells: ['a1', 'b2'] });
    expect(new Set(page.items.map(({ cell }) => cell))).toEqual(new Set(['a1', 'b2']));
    // @ts-expect-error the cells are a list
    await expect(db.around({ cells: 'a1' })).rejects.toMatchObject({ code: 'not-a-list' });
  });

  test.each([
    [
      'the list is in the sort key',
      { order: 'rating desc' },
      ['HOTELS', '{cell}#{rating:02}#{id}'],
      9,
      'input-not-used',
    ],
    ['the order is by the list', { order: 'cell asc' }, ['CELL#{cell}', '{rating:02}#{id}'], 9, 'order-not-served'],
    [
      'sort keys begin with the list',
      { order: 'rating desc' },
      ['CELL#{cell}', '{cell}#{rating:02}#{id}'],
      9,
      'order-not-served',
    ],
    ['fewer queries are declared', {}, ['CELL#{cell}', '{rating:02}#{id}'], 8, 'not-served'],
  ])('is refused where %s', (_, need, key, fanOut, code) => {
    const faulty = begun
      .patterns({
        near: { reads: ['Hotel'], by: ['cell'], among: { cell: 9 }, limit: 3, ...(need as { order?: 'rating desc' }) },
      })
      .tables({ Hotels: { key: ['PK', 'SK'] } })
      .keys({ Hotel: { Hotels: key as ['CELL#{cell}', '{id}'] } })
      .served({ near: { query: 'Hotels', fanOut } });
    expect(
      check(faulty)
        .findings.filter(({ level }) => level === 'error')
        .map((finding) => finding.code),
    ).toContain(code);
  });

  test('is refused where one value may be another, and where one item is read', () => {
    const faulty = model('people')
      .entities({ Person: entity({ email: z.string(), id: z.string() }, { same: { email: 'lower' } }) })
      .relationships([])
      .patterns({
        all: { reads: ['Person'], by: ['email'], among: { email: 2 } },
        one: { reads: 'Person', by: ['email'], among: { email: 2 } },
      })
      .tables({ People: { key: ['PK', 'SK'] } })
      .keys({ Person: { People: ['{email:lower}', '{id}'] } })
      .served({ all: { query: 'People', fanOut: 2 }, one: { query: 'People', fanOut: 2 } });
    const found = check(faulty).findings.filter(({ level }) => level === 'error');
    expect(found.map(({ code, path }) => `${path} ${code}`)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/all.* input-not-used/),
        expect.stringMatching(/one.* several-items/),
      ]),
    );
  });
});

test('a list under the name of several attributes is refused for what it is', () => {
  const either = {
    ...hotels,
    patterns: {
      ...hotels.patterns,
      near: { reads: ['Hotel'], aka: { place: ['cell', 'id'] }, among: { place: 9 }, limit: 3 },
    },
  };
  const messages = check(either as never).findings.flatMap(({ level, message }) =>
    level === 'error' ? [message] : [],
  );
  expect(messages).toContain('place is a list, and may be cell or id: an item with two of its values would come twice');
  expect(messages.filter((message) => message.includes('not in the partition key'))).toEqual([]);
});
