import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { check } from '../src/check/index.ts';
import { entity, itemReader, model, ref, transact } from '../src/index.ts';
import { prove } from '../src/prove/index.ts';
import { openModel } from './proof-writes/open-model.ts';
import { bookings, isoTime, time } from './bookings.model.ts';
import { testDatabase } from './test-database.ts';

const room = 'a';
const [first, second, third] = [new Date('2024-03-01T10:00:00Z'), new Date('2024-03-02'), new Date('2024-03-03')];
const made = new Date('2020-01-01');

describe('attributes that the application has as dates', () => {
  test('are stored as their schema says, also in keys, and come back as dates', async () => {
    await using opened = await openModel(bookings);
    const { db, database } = opened;
    const until = new Date(500_000);
    const created: { readonly from: Date } = await db.book({ room, from: first, until, guest: 'ann' });
    expect(created).toEqual({ room, from: first, until, guest: 'ann', made });
    expect(await database.stored('Bookings')).toEqual([
      expect.objectContaining({ SK: 'FROM#2024-03-01T10:00:00.000Z', from: '2024-03-01T10:00:00.000Z', until: 500 }),
    ]);
    await db.bookAll([
      { room, from: second, seen: third },
      { room, from: third, made: third },
    ]);
    expect(await db.booking({ room, from: second })).toEqual({ room, from: second, seen: third, made });
    expect(
      (
        await db.some([
          { room, from: third },
          { room, from: made },
        ])
      ).map((each) => each?.made),
    ).toEqual([third, undefined]);
    const { items } = await db.ofRoom({ room, from: { after: first, to: third } });
    expect(items.map(({ from }) => from)).toEqual([second, third]);
    expect((await db.ofRoom({ room, made: third })).items).toMatchObject([{ from: third }]);
    expect((await db.ofRoom({ room, from: { begins: '2024-03-02' } })).items).toMatchObject([{ from: second }]);
    expect(await db.countOf({ room, from: { before: third } })).toBe(2);
    const all: Date[] = [];
    for await (const { from } of db.ofRoom.each({ room }, { limit: 1 })) all.push(from);
    expect(all).toEqual([first, second, third]);
    expect(db.booking.request({ room, from: first })).toMatchObject([
      { input: { Key: { SK: { S: 'FROM#2024-03-01T10:00:00.000Z' } } } },
    ]);
    const { Items = [] } = await database.client.send(new ScanCommand({ TableName: 'Bookings' }));
    const stored = Items.find(({ from }) => from?.S?.startsWith('2024-03-01'));
    expect(itemReader(bookings)(stored ?? {})).toEqual({ entity: 'Booking', item: created });
    opened.at(500);
    expect(await db.booking({ room, from: first })).toBeUndefined();
  });

  test('in conditions, unique values, refusals, transactions and updates', async () => {
    await using opened = await openModel(bookings);
    const { db } = opened;
    await db.book({ room, from: first, seen: third });
    await expect(db.book({ room, from: first })).rejects.toMatchObject({
      code: 'already-exists',
      item: { from: first, seen: third },
    });
    await expect(db.book({ room, from: second, seen: third })).rejects.toMatchObject({ code: 'not-unique' });
    await expect(db.see({ room, from: first, seen: second, now: made })).rejects.toMatchObject({
      code: 'condition-failed',
    });
    await db.see({ room, from: first, seen: second, now: third });
    await db.change({ old: { room, from: first }, next: { room, from: second, seen: second } });
    await db.save({ room, from: second, seen: third });
    expect(await db.booking({ room, from: second })).toMatchObject({ seen: third });
    const again = [db.book.op({ room, from: second }), db.book.op({ room, from: first })];
    await expect(transact(db, again)).rejects.toMatchObject({ item: { seen: third } });
    await db.cancel({ room, from: second });
    await transact(db, again);
    expect((await db.ofRoom({ room })).items).toHaveLength(2);
  });

  test('are refused where they have no stored form', async () => {
    await using opened = await openModel(bookings);
    const { db } = opened;
    await expect(db.book({ room, from: new Date(Number.NaN) })).rejects.toMatchObject({
      code: 'invalid',
      path: 'from',
    });
    // @ts-expect-error the stored value is not the application's value
    await expect(db.booking({ room, from: '2024-03-01T10:00:00.000Z' })).rejects.toMatchObject({ code: 'invalid' });
  });

  test('are proven', async () => {
    expect(check(bookings).findings.filter(({ level }) => level === 'error')).toEqual([]);
    await using database = await testDatabase(bookings);
    const report = await prove(bookings, { client: database.client, runs: 2, calls: 10, writes: true });
    expect(report.counterexamples).toEqual([]);
    expect(report.wrongWrites).toBeUndefined();
    expect(report.calls).toBeGreaterThan(20);
  });
});

test('inputs alone may be coded: of a read, an update and a part of a transaction', async () => {
  const text = z.iso.datetime({ precision: 3 });
  const since = { since: time };
  const notes = model('notes')
    .entities({ Note: entity({ room: z.string().regex(/^[a-z]+$/), at: text, seen: text.optional() }) })
    .relationships([])
    .patterns({
      write: { creates: 'Note' },
      see: { updates: 'Note', by: ['room', 'at'], takes: since, changes: { seen: ref('since') } },
      forget: {
        transacts: {
          note: { deletes: 'Note', by: ['room', 'at'], takes: since, given: { at: { atMost: ref('since') } } },
        },
      },
      later: { reads: ['Note'], by: ['room'], where: { at: { above: ref('since') } }, takes: since, order: 'at asc' },
    })
    .tables({ Notes: { key: ['PK', 'SK'] } })
    .keys({ Note: { Notes: ['ROOM#{room}', 'AT#{at}'] } })
    .served({ write: 'PutItem', see: 'UpdateItem', forget: 'TransactWriteItems', later: { query: 'Notes' } });
  await using opened = await openModel(notes);
  const { db } = opened;
  for (const at of [first, second, third]) await db.write({ room, at: at.toISOString() });
  await db.see({ room, at: third.toISOString(), since: second });
  await expect(db.forget({ note: { room, at: third.toISOString(), since: first } })).rejects.toThrow(/condition/);
  await db.forget({ note: { room, at: second.toISOString(), since: second } });
  expect((await db.later({ room, since: first })).items).toEqual([
    { room, at: third.toISOString(), seen: second.toISOString() },
  ]);
});

test('a codec that is not declared as one is an error with a remedy, and so is what is computed of one', () => {
  const errors = (attributes: Record<string, unknown>, rules: object = {}): string =>
    check(
      model('faulty')
        .entities({ Visit: entity({ id: z.string(), ...(attributes as { at: typeof time }) }, rules) })
        .relationships([])
        .patterns({ visit: { creates: 'Visit' } })
        .tables({ Visits: { key: ['PK'] } })
        .keys({ Visit: { Visits: ['VISIT#{id}'] } })
        .served({ visit: 'PutItem' }),
    )
      .findings.filter(({ level }) => level === 'error')
      .map(({ code, remedy }) => `${code} ${remedy}`)
      .join('\n');
  expect(errors({ at: time })).toBe('');
  expect(errors({ at: isoTime })).toMatch(/unstorable-schema .*codec\(/);
  expect(errors({ at: z.coerce.date() })).toMatch(/unstorable-schema/);
  expect(errors({ at: time, day: z.string() }, { computed: { day: { from: ['at'], as: () => 'x' } } })).toMatch(
    /faulty-write/,
  );
});
