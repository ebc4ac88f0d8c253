import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { check } from '../../src/check/index.ts';
import { explain } from '../../src/cost/index.ts';
import { add, attribute, entity, model, ref, transact } from '../../src/index.ts';
import { openModel } from './open-model.ts';

/** A stay takes a room in each of its nights, or in none. */
const begun = model('hotel')
  .entities({
    Night: entity({
      date: z.string(),
      booked: z.number().int().default(0),
      rooms: z.number().int(),
      full: z.boolean().optional(),
      cleaned: z.number().int().default(0),
    }),
  })
  .relationships([]);

const hotel = begun
  .patterns({
    open: { puts: ['Night'] },
    night: { reads: 'Night', by: ['date'] },
    stay: {
      updates: ['Night'],
      by: ['date'],
      changes: { booked: add(1) },
      given: { booked: { below: attribute('rooms') } },
      volume: { typical: 3, most: 30 },
    },
    name: { updates: ['Night'], by: ['date'], sets: ['full'] },
    clean: { updates: ['Night'], by: ['date'], changes: { cleaned: add(1) } },
    shrink: { updates: 'Night', by: ['date'], sets: ['rooms'], given: { booked: { atMost: ref('rooms') } } },
    extend: { updates: 'Night', by: ['date'], sets: ['rooms'] },
  })
  .tables({ Hotel: { key: ['PK'], type: false } })
  .keys({ Night: { Hotel: ['NIGHT#{date}'] } })
  .served({
    open: 'BatchWriteItem',
    night: 'GetItem',
    stay: 'TransactWriteItems',
    name: 'TransactWriteItems',
    clean: 'TransactWriteItems',
    shrink: 'UpdateItem',
    extend: 'UpdateItem',
  });

describe('an update of several items', () => {
  test('is one transaction: all of them or none', async () => {
    await using opened = await openModel(hotel);
    const { db, database } = opened;
    await db.open([1, 2, 3].map((day) => ({ date: `d${day}`, rooms: day })));
    database.sent();
    await db.stay([{ date: 'd1' }, { date: 'd2' }]);
    expect(database.sent()).toEqual(['TransactWriteItems']);
    await expect(db.stay([{ date: 'd3' }, { date: 'd2' }, { date: 'd1' }])).rejects.toMatchObject({
      code: 'condition-failed',
      entity: 'Night',
    });
    await expect(db.stay([{ date: 'd2' }, { date: 'd9' }])).rejects.toMatchObject({ code: 'not-found' });
    // @ts-expect-error the nights are a list
    await expect(db.stay({ date: 'd1' })).rejects.toMatchObject({ code: 'not-a-list' });
    const booked = await Promise.all(['d1', 'd2', 'd3'].map(async (date) => (await db.night({ date }))?.booked));
    expect(booked).toEqual([1, 1, 0]);
    await db.name([
      { date: 'd1', full: true },
      { date: 'd3', full: undefined },
    ]);
    expect(await db.night({ date: 'd1' })).toMatchObject({ full: true });
  });

  test('joins what concerns one item, and refuses what cannot be both', async () => {
    await using opened = await openModel(hotel);
    const { db } = opened;
    await db.open([{ date: 'd1', rooms: 1 }]);
    await db.name([
      { date: 'd1', full: true },
      { date: 'd1', full: true },
    ]);
    await db.clean([{ date: 'd1' }, { date: 'd1' }]);
    expect(await db.night({ date: 'd1' })).toMatchObject({ full: true, cleaned: 2 });
    await expect(
      db.name([
        { date: 'd1', full: true },
        { date: 'd1', full: false },
      ]),
    ).rejects.toMatchObject({ code: 'same-item' });
    // @ts-expect-error the nights are a list
    await expect(db.stay({ date: 'd1' })).rejects.toThrow();
  });

  test('takes no item twice whose condition is on what changes: one room is free, and not two', async () => {
    await using opened = await openModel(hotel);
    const { db, database } = opened;
    await db.open([{ date: 'd1', rooms: 1 }]);
    database.sent();
    const refused = {
      name: 'InputError',
      code: 'same-item',
      message: expect.stringContaining('what the other changes: booked'),
    };
    await expect(db.stay([{ date: 'd1' }, { date: 'd1' }])).rejects.toMatchObject(refused);
    const [stay, shrink] = [db.stay.op([{ date: 'd1' }]), db.shrink.op({ date: 'd1', rooms: 0 })];
    await expect(transact(db, [stay, stay])).rejects.toMatchObject({ code: 'same-item' });
    // Either may come first, and then the other's condition fails.
    await expect(transact(db, [stay, shrink])).rejects.toMatchObject({ code: 'same-item' });
    await expect(transact(db, [shrink, stay])).rejects.toMatchObject({ code: 'same-item' });
    expect(database.sent()).toEqual([]);
    // The stay comes before a change of what it looks at, and has no condition on what it is looked at for.
    await transact(db, [db.clean.op([{ date: 'd1' }]), stay, db.extend.op({ date: 'd1', rooms: 3 })]);
    expect(await db.night({ date: 'd1' })).toMatchObject({ booked: 1, rooms: 3, cleaned: 1 });
  });

  test('is checked against the actions of a transaction, and priced as so many', () => {
    const findings = (most: number): string[] =>
      check(
        begun
          .patterns({ stay: { updates: ['Night'], by: ['date'], sets: ['rooms'], volume: { typical: 3, most } } })
          .tables({ Hotel: { key: ['PK'], type: false } })
          .keys({ Night: { Hotel: ['NIGHT#{date}'] } })
          .served({ stay: 'TransactWriteItems' }),
      ).findings.map(({ code }) => code);
    expect(findings(100)).not.toContain('more-than-a-request');
    expect(findings(101)).toContain('more-than-a-request');
    expect(explain(hotel, 'stay')?.cost).toMatchObject({ requests: 1, items: 3, writeUnits: 6 });
  });
});
