import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { connect, entity, include, model, ref } from '../../src/index.ts';
import { Pools } from '../../src/prove/data.ts';
import { proveCall, proveSteps } from '../../src/prove/index.ts';
import { RandomSource } from '../../src/prove/random-source.ts';
import { testDatabase } from '../test-database.ts';

/*
 * UTF-8 has no form of half a surrogate pair. The SDK sends it, and a database stores U+FFFD in its place: another text, which another item
 * may have.
 */
const half = 'a\ud83d';
const stored = 'a\ufffd';

const notes = model('notes')
  .entities({
    Note: entity({
      book: z.string(),
      title: z.string(),
      tags: z.set(z.string()).optional(),
      links: z.record(z.string(), z.string()).optional(),
      pages: z.array(z.string()).optional(),
    }),
  })
  .relationships([])
  .patterns({
    put: { puts: 'Note' },
    save: { upserts: 'Note' },
    note: { reads: 'Note', by: ['book', 'title'] },
    several: { reads: 'Note', by: ['book', 'title'], each: true },
    inBook: { reads: ['Note'], by: ['book'], range: 'title', filters: ['pages'] },
    tag: { updates: 'Note', by: ['book', 'title'], takes: { tag: z.string() }, changes: { tags: include(ref('tag')) } },
    link: {
      updates: 'Note',
      by: ['book', 'title'],
      takes: { name: z.string(), to: z.string() },
      changes: { 'links.{name}': ref('to') },
      given: { links: { exists: true } },
    },
  })
  .tables({ Notes: { key: ['PK', 'SK'] } })
  .keys({ Note: { Notes: ['B#{book}', '{title}'] } })
  .served({
    put: 'PutItem',
    save: 'UpdateItem',
    note: 'GetItem',
    several: 'BatchGetItem',
    inBook: { query: 'Notes' },
    tag: 'UpdateItem',
    link: 'UpdateItem',
  });

const refused = { name: 'InputError', code: 'not-storable' };

describe('text with half of a surrogate pair is refused', () => {
  test('in keys and attributes, and within sets, lists and maps', async () => {
    await using database = await testDatabase(notes);
    const db = connect(notes, { client: database.client });
    const note = { book: 'b', title: stored };
    await db.put({ ...note, links: {} });
    for (const bad of [
      { title: half },
      { book: '\udc00' },
      { tags: new Set(['x', half]) },
      { pages: ['x', half] },
      { links: { x: half } },
      { links: { [half]: 'x' } },
    ]) {
      await expect(db.put({ ...note, ...bad })).rejects.toMatchObject(refused);
      await expect(db.save({ ...note, ...bad })).rejects.toMatchObject(refused);
    }
    await expect(db.tag({ ...note, tag: half })).rejects.toMatchObject(refused);
    await expect(db.link({ ...note, name: half, to: 'x' })).rejects.toMatchObject(refused);
    await expect(db.link({ ...note, name: 'x', to: half })).rejects.toMatchObject(refused);
    expect(await db.note(note)).toEqual({ ...note, links: {} });
  });

  test('in what is read by', async () => {
    await using database = await testDatabase(notes);
    const db = connect(notes, { client: database.client });
    await db.put({ book: 'b', title: stored });
    await expect(db.note({ book: 'b', title: half })).rejects.toMatchObject(refused);
    await expect(db.several([{ book: 'b', title: half }])).rejects.toMatchObject(refused);
    await expect(db.inBook({ book: 'b', pages: [half] })).rejects.toMatchObject(refused);
    for (const title of [{ from: half }, { to: half }, { after: half }, { before: half }, { begins: half }])
      await expect(db.inBook({ book: 'b', title })).rejects.toMatchObject({
        ...refused,
        path: 'Note.title',
        message: expect.stringContaining('half of a surrogate pair'),
      });
    const whole = await db.inBook({ book: 'b', title: { begins: stored, to: 'a\u{1f600}' } });
    expect(whole.items).toEqual([{ book: 'b', title: stored }]);
  });
});

test('an end is not cut within a surrogate pair', async () => {
  const marks = model('marks')
    .entities({ Mark: entity({ set: z.string(), sign: z.string().length(1), id: z.string().length(4) }) })
    .relationships([])
    .patterns({ put: { puts: 'Mark' }, marks: { reads: ['Mark'], by: ['set'], range: 'sign' } })
    .tables({ Marks: { key: ['PK', 'SK'] } })
    .keys({ Mark: { Marks: ['S#{set}', '{sign}{id}'] } })
    .served({ put: 'PutItem', marks: { query: 'Marks' } });
  await using database = await testDatabase(marks);
  const db = connect(marks, { client: database.client });
  const mark = { set: 's', sign: '\uffff', id: '0001' };
  await db.put(mark);
  expect((await db.marks({ set: 's', sign: { to: '\u{1f600}' } })).items).toEqual([mark]);
  expect((await db.marks({ set: 's', sign: { from: '\u{1f600}' } })).items).toEqual([]);
});

test('prove draws such text, and takes a refusal of it for an answer', async () => {
  const drawn = Array.from({ length: 40 }, (_, seed) => {
    const pools = new Pools(notes, new RandomSource(seed), 0);
    return pools.values('Note', 'title').filter((value) => typeof value === 'string');
  });
  const halves = drawn.filter((texts) => texts.some((text) => !text.isWellFormed()));
  expect(halves.length).toBeGreaterThan(0);
  for (const texts of halves) expect(texts.some((text) => text.endsWith('\ufffd'))).toBe(true);

  await using database = await testDatabase(notes);
  const { client } = database;
  const items = { Note: [{ book: 'b', title: stored }] };
  for (const call of [
    { pattern: 'note', inputs: [{ book: 'b', title: half }] },
    { pattern: 'inBook', inputs: [{ book: 'b', title: { from: half } }] },
  ])
    expect(await proveCall(notes, { client, items, call, now: 0 })).toBeUndefined();
  const steps = [{ calls: [{ pattern: 'put', input: { book: half, title: 'x' } }], now: 0, order: 0 }];
  expect(await proveSteps(notes, { client, steps })).toBeUndefined();
});
