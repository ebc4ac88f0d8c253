import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { check } from '../../src/check/index.ts';
import { add, entity, model, type Model } from '../../src/index.ts';
import { prove } from '../../src/prove/index.ts';
import { openModel } from './open-model.ts';

const letters = z.string().regex(/^[aAbB]$/);

/** Names and badges are the same in capitals and in small letters. */
const staff = model('staff')
  .entities({
    Person: entity(
      { name: letters, badge: letters.optional(), visits: z.int().default(0) },
      { same: { name: 'lower', badge: 'lower' }, unique: ['badge'] },
    ),
    Desk: entity({ desk: letters, uses: z.int().default(0) }, { same: { desk: 'lower' } }),
  })
  .relationships([])
  .patterns({
    save: { upserts: 'Person' },
    remove: { deletes: 'Person', by: ['name'], mustExist: true },
    person: { reads: 'Person', by: ['name'] },
    use: { updates: 'Desk', by: ['desk'], changes: { uses: add(1) }, orCreates: true },
    desk: { reads: 'Desk', by: ['desk'] },
  })
  .tables({ Staff: { key: ['PK'] } })
  .keys({ Person: { Staff: ['PERSON#{name:lower}'] }, Desk: { Staff: ['DESK#{desk:lower}'] } })
  .served({
    save: ['GetItem', 'TransactWriteItems'],
    remove: ['GetItem', 'TransactWriteItems'],
    person: 'GetItem',
    use: 'UpdateItem',
    desk: 'GetItem',
  });

describe('an item whose key has several spellings', () => {
  test('keeps its own, whatever an update that may create it is given', async () => {
    await using opened = await openModel(staff);
    const { db } = opened;
    await db.use({ desk: 'A' });
    await db.use({ desk: 'a' });
    expect(await db.desk({ desk: 'a' })).toEqual({ desk: 'A', uses: 2 });
  });

  test('keeps its guards when an upsert gives it another, and is deleted with them', async () => {
    await using opened = await openModel(staff);
    const { db, database } = opened;
    await db.save({ name: 'a', badge: 'B' });
    await db.save({ name: 'A' });
    expect(await db.person({ name: 'a' })).toEqual({ name: 'A', badge: 'B', visits: 0 });
    await db.remove({ name: 'a' });
    expect(await database.stored('Staff')).toEqual([]);
  });

  test('is proven', async () => {
    await using opened = await openModel(staff);
    const { wrongWrites } = await prove(staff, { client: opened.database.client, runs: 8, writes: true });
    expect(wrongWrites).toBeUndefined();
  });
});

describe('check refuses', () => {
  const errors = (refused: Model): string[] =>
    check(refused).findings.flatMap(({ code, level, message }) => (level === 'error' ? [`${code}: ${message}`] : []));
  const seats = (parents: object) =>
    model('seats')
      .entities({
        Table: entity({ table: letters, seats: z.int().default(0) }, parents),
        Seat: entity({ table: letters, seat: letters }, { same: { table: 'lower' } }),
      })
      .relationships([['Table', '1:N', 'Seat', { count: 'seats' }]])
      .patterns({ free: { deletes: 'Seat', by: ['table', 'seat'] } })
      .tables({ Seats: { key: ['PK', 'SK'] } })
      .keys({
        Table: { Seats: [`TABLE#{table${'same' in parents ? ':lower' : ''}}`, 'TABLE'] },
        Seat: { Seats: ['SEATS#{table:lower}', 'SEAT#{seat}'] },
      })
      .served({ free: 'TransactWriteItems' });

  test('a delete that may count its item out at another parent', () => {
    expect(errors(seats({}))).toEqual([expect.stringMatching(/^count-not-kept: deletes Seat by a table that may be/)]);
    expect(errors(seats({ same: { table: 'lower' } }))).toEqual([]);
  });

  const days = (index: string) =>
    model('days')
      .entities({ Day: entity({ at: z.iso.datetime({ precision: 3 }), note: z.string().max(9) }) })
      .relationships([])
      .patterns({ note: { updates: 'Day', by: ['at'], sets: ['note'] } })
      .tables({ Days: { key: ['PK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
      .keys(
        { Day: { Days: ['DAY#{at:day}'], GSI1: ['NOTE#{note:escape}', index] } },
        { Day: { accepts: { 'key-not-exact': 'one a day' } } },
      )
      .served({ note: 'UpdateItem' });

  test('an index key with a value by which the item is found, and which it may not have', () => {
    expect(errors(days('{at}'))).toEqual([expect.stringMatching(/^faulty-write: an index key has at, and the Day/)]);
    expect(errors(days('{at:day}'))).toEqual([]);
  });
});
