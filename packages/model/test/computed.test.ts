import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { check } from '../src/check/index.ts';
import { add, connect, entity, model, ModelError } from '../src/index.ts';
import { prove } from '../src/prove/index.ts';
import { sampleItems } from '../src/samples/sample-items.ts';
import { resolve } from '../src/resolve/resolve.ts';
import { testDatabase } from './test-database.ts';

const geohash = z.string().regex(/^[a-z]{4}$/);

const begun = model('places')
  .entities({
    Place: entity(
      {
        id: z.string().regex(/^[a-z]+$/),
        geohash,
        area: z.string().regex(/^[a-z]{2}$/),
        name: z.string(),
        full: z.string().optional(),
        note: z.string().optional(),
      },
      {
        computed: {
          area: { from: ['geohash'], as: (place) => place.geohash.slice(0, 2) },
          full: { from: ['name', 'note'], as: ({ name, note }) => `${name}, ${note}` },
        },
      },
    ),
  })
  .relationships([]);

const places = begun
  .patterns({
    add: { creates: 'Place' },
    put: { puts: 'Place' },
    place: { reads: 'Place', by: ['id'] },
    inArea: { reads: ['Place'], by: ['area'], order: 'id asc', limit: 10 },
    move: { updates: 'Place', by: ['id'], sets: ['geohash'] },
    mayMove: { updates: 'Place', by: ['id'], maySet: ['geohash'], returns: 'new' },
    describe: { updates: 'Place', by: ['id'], sets: ['name', 'note'] },
  })
  .tables({ Places: { key: ['PK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({ Place: { Places: ['PLACE#{id}'], GSI1: ['AREA#{area}', '{id}'] } })
  .served({
    add: 'PutItem',
    put: 'PutItem',
    place: 'GetItem',
    inArea: { query: 'GSI1' },
    move: 'UpdateItem',
    mayMove: ['GetItem', 'UpdateItem'],
    describe: 'UpdateItem',
  });

describe('a computed attribute', () => {
  test('follows its sources through creates and updates, in keys too', async () => {
    await using database = await testDatabase(places);
    const db = connect(places, { client: database.client });
    expect(await db.add({ id: 'x', geohash: 'abcd', name: 'X' })).toEqual({
      id: 'x',
      geohash: 'abcd',
      area: 'ab',
      name: 'X',
    });
    expect((await db.inArea({ area: 'ab' })).items).toHaveLength(1);
    await db.move({ id: 'x', geohash: 'zzzz' });
    expect((await db.inArea({ area: 'ab' })).items).toEqual([]);
    expect((await db.inArea({ area: 'zz' })).items).toMatchObject([{ geohash: 'zzzz', area: 'zz' }]);
    await db.mayMove({ id: 'x' });
    expect(await db.mayMove({ id: 'x', geohash: 'abzz' })).toMatchObject({ area: 'ab' });
    await db.describe({ id: 'x', name: 'Y', note: 'new' });
    expect(await db.place({ id: 'x' })).toMatchObject({ full: 'Y, new', area: 'ab' });
    await db.describe({ id: 'x', name: 'Y', note: undefined });
    expect(await db.place({ id: 'x' })).toEqual({ id: 'x', geohash: 'abzz', area: 'ab', name: 'Y' });
    expect(await database.stored('Places', 'GSI1')).toMatchObject([{ GSI1PK: 'AREA#ab' }]);
  });

  test('is not for the caller to say, and not for the schema to refuse in silence', async () => {
    await using database = await testDatabase(places);
    const db = connect(places, { client: database.client });
    const read = { id: 'x', geohash: 'abcd', name: 'X', area: 'ab' };
    await db.put(read); // as it was read

    const wrong = { ...read, area: 'zz' };
    await expect(db.put(wrong)).rejects.toMatchObject({ code: 'computed' });
    await expect(db.add(wrong)).rejects.toMatchObject({
      code: 'computed',
    });
  });

  test('follows an upsert, of an item that is there and of one that is not', async () => {
    const boxes = model('boxes')
      .entities({
        Box: entity(
          { id: z.string(), side: z.number(), size: z.number(), note: z.string().optional() },
          { computed: { size: { from: ['side'], as: ({ side }) => side ** 3 } } },
        ),
      })
      .relationships([])
      .patterns({ save: { upserts: 'Box' }, box: { reads: 'Box', by: ['id'] } })
      .tables({ Boxes: { key: ['PK'] } })
      .keys({ Box: { Boxes: ['BOX#{id}'] } })
      .served({ save: 'UpdateItem', box: 'GetItem' });
    await using database = await testDatabase(boxes);
    const db = connect(boxes, { client: database.client });
    await db.save({ id: 'a', side: 2, note: 'kept' });
    expect(await db.box({ id: 'a' })).toEqual({ id: 'a', side: 2, size: 8, note: 'kept' });
    await db.save({ id: 'a', side: 3 });
    expect(await db.box({ id: 'a' })).toEqual({ id: 'a', side: 3, size: 27, note: 'kept' });
  });

  test('has samples, and is proven with its writes', async () => {
    for (const { values } of sampleItems(resolve(places), { count: () => 5 }))
      expect(values['area']).toBe(String(values['geohash']).slice(0, 2));
    await using database = await testDatabase(
      model('none').entities({}).relationships([]).patterns({}).tables({}).keys({}).served({}),
    );
    const { counterexamples, wrongWrites } = await prove(places, {
      client: database.client,
      runs: 3,
      calls: 6,
      writes: true,
    });
    expect(counterexamples).toEqual([]);
    expect(wrongWrites).toBeUndefined();
  });

  test.each<[string, object, string]>([
    ['an update that takes only some of the sources', { updates: 'Place', by: ['id'], sets: ['name'] }, 'UpdateItem'],
    [
      'an update that changes a source by a function',
      { updates: 'Place', by: ['id'], changes: { name: add(1) } },
      'UpdateItem',
    ],
    ['an update that sets it', { updates: 'Place', by: ['id'], sets: ['full'] }, 'UpdateItem'],
    [
      'an update that creates what it is given',
      { updates: 'Place', by: ['id', 'area'], sets: ['name', 'geohash', 'note'], orCreates: true },
      'UpdateItem',
    ],
    ['an upsert that may leave a source out', { upserts: 'Place' }, 'UpdateItem'],
  ])('refuses %s', async (_, need, served) => {
    const faulty = begun
      .patterns({ change: need as { updates: 'Place'; by: ['id'] } })
      .tables({ Places: { key: ['PK'] } })
      .keys({ Place: { Places: ['PLACE#{id}'] } })
      .served({ change: served as 'UpdateItem' });
    const { findings } = check(faulty);
    expect(findings.filter(({ level }) => level === 'error').map(({ code }) => code)).toContain('faulty-write');
    await using database = await testDatabase(faulty);
    const db = connect(faulty, { client: database.client }) as unknown as { change: (input: object) => Promise<void> };
    await expect(db.change({ id: 'x', name: 'y', geohash: 'abcd' })).rejects.toThrow(ModelError);
  });
});
