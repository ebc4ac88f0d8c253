import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { add, append, entity, include, model, ref, remove, transact } from '../../src/index.ts';
import { openModel } from './open-model.ts';

const hotels = model('hotels')
  .entities({
    Hotel: entity({
      hotel: z.string(),
      name: z.string(),
      rooms: z.number().default(0),
      beds: z.number().default(0),
      state: z.enum(['OPEN', 'SHUT']).default('OPEN'),
      rank: z.number().default(0),
      tags: z.set(z.string()).optional(),
      log: z.array(z.string()).optional(),
    }),
    Room: entity({ hotel: z.string(), room: z.string(), code: z.string().optional() }, { unique: ['code'] }),
  })
  .relationships([['Hotel', '1:N', 'Room', { count: 'rooms' }]])
  .patterns({
    found: { creates: 'Hotel' },
    hotel: { reads: 'Hotel', by: ['hotel'] },
    ranked: { reads: ['Hotel'], by: ['state'], order: 'rank asc' },
    addBeds: { updates: 'Hotel', by: ['hotel'], takes: { beds: z.number() }, changes: { beds: add(ref('beds')) } },
    setRank: { updates: 'Hotel', by: ['hotel'], sets: ['rank'] },
    setState: { updates: 'Hotel', by: ['hotel'], sets: ['state'] },
    nameOrFound: { updates: 'Hotel', by: ['hotel'], sets: ['name', 'state', 'rank'], orCreates: true },
    tagOpen: {
      updates: 'Hotel',
      by: ['hotel'],
      takes: { tag: z.string() },
      changes: { tags: include(ref('tag')) },
      given: { state: 'OPEN' },
    },
    tag: { updates: 'Hotel', by: ['hotel'], takes: { tag: z.string() }, changes: { tags: include(ref('tag')) } },
    write: {
      updates: 'Hotel',
      by: ['hotel'],
      takes: { lines: z.array(z.string()) },
      changes: { log: append(ref('lines')) },
    },
    isOpen: { checks: 'Hotel', by: ['hotel'], given: { state: 'OPEN' } },
    shut: { deletes: 'Hotel', by: ['hotel'] },
    addRoom: { creates: 'Room' },
    setCode: { updates: 'Room', by: ['hotel', 'room'], maySet: ['code'] },
    dropRoom: { deletes: 'Room', by: ['hotel', 'room'] },
    equip: {
      transacts: {
        room: { creates: 'Room' },
        hotel: { updates: 'Hotel', by: ['hotel'], changes: { beds: add(2) } },
      },
    },
    equipFirst: {
      transacts: {
        hotel: { updates: 'Hotel', by: ['hotel'], changes: { beds: add(2) } },
        room: { creates: 'Room' },
      },
    },
    foundWithRoom: { transacts: { room: { creates: 'Room' }, hotel: { creates: 'Hotel' } } },
  })
  .tables({ Hotels: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    Hotel: { Hotels: ['HOTEL#{hotel}', 'HOTEL'], GSI1: ['STATE#{state}', '{rank:04}#{hotel}'] },
    Room: { Hotels: ['HOTEL#{hotel}', 'ROOM#{room}'] },
  })
  .served({
    found: 'PutItem',
    hotel: 'GetItem',
    ranked: { query: 'GSI1' },
    addBeds: 'UpdateItem',
    setRank: ['GetItem', 'UpdateItem'],
    setState: ['GetItem', 'UpdateItem'],
    nameOrFound: 'UpdateItem',
    tagOpen: 'UpdateItem',
    tag: 'UpdateItem',
    write: 'UpdateItem',
    isOpen: 'TransactWriteItems',
    shut: 'DeleteItem',
    addRoom: 'TransactWriteItems',
    setCode: ['GetItem', 'TransactWriteItems'],
    dropRoom: ['GetItem', 'TransactWriteItems'],
    equip: 'TransactWriteItems',
    equipFirst: 'TransactWriteItems',
    foundWithRoom: 'TransactWriteItems',
  });

const hotel = 'h';

/** Both orders of two operations. */
const orders = <T>(a: T, b: T): (readonly [T, T])[] => [
  [a, b],
  [b, a],
];

describe('parts of a transaction that concern one item', () => {
  test('create a child and update the parent that counts it, whichever comes first', async () => {
    await using opened = await openModel(hotels);
    const { db } = opened;
    await db.found({ hotel, name: 'H' });
    await db.equip({ room: { hotel, room: '1' }, hotel: { hotel } });
    await db.equipFirst({ room: { hotel, room: '2' }, hotel: { hotel } });
    expect(await db.hotel({ hotel })).toMatchObject({ rooms: 2, beds: 4 });
  });

  test('create a child and its parent', async () => {
    await using opened = await openModel(hotels);
    const { db } = opened;
    await db.foundWithRoom({ room: { hotel, room: '1' }, hotel: { hotel, name: 'H' } });
    expect(await db.hotel({ hotel })).toMatchObject({ rooms: 1 });
  });

  test('change what is created, with its index keys', async () => {
    for (const turn of [0, 1]) {
      await using opened = await openModel(hotels);
      const { db } = opened;
      const parts = orders(db.found.op({ hotel, name: 'H', rank: 1 }), db.setState.op({ hotel, state: 'SHUT' }))[turn];
      await transact(db, [...(parts ?? []), db.addBeds.op({ hotel, beds: 3 })]);
      expect(await db.hotel({ hotel })).toMatchObject({ state: 'SHUT', beds: 3, rank: 1 });
      expect((await db.ranked({ state: 'SHUT' })).items).toMatchObject([{ hotel }]);
      expect((await db.ranked({ state: 'OPEN' })).items).toEqual([]);
    }
  });

  test('change different attributes of one index key', async () => {
    for (const turn of [0, 1]) {
      await using opened = await openModel(hotels);
      const { db, database } = opened;
      await db.found({ hotel, name: 'H' });
      const parts = orders(db.setRank.op({ hotel, rank: 7 }), db.setState.op({ hotel, state: 'SHUT' }))[turn];
      await transact(db, parts ?? []);
      expect(await database.stored('Hotels', 'GSI1')).toMatchObject([{ GSI1PK: 'STATE#SHUT', GSI1SK: '0007#h' }]);
    }
  });

  test('add to one number and to one set, and nothing else to one attribute', async () => {
    await using opened = await openModel(hotels);
    const { db } = opened;
    await db.found({ hotel, name: 'H' });
    await transact(db, [
      db.addBeds.op({ hotel, beds: 2 }),
      db.tag.op({ hotel, tag: 'a' }),
      db.addBeds.op({ hotel, beds: 3 }),
      db.tag.op({ hotel, tag: 'b' }),
    ]);
    expect(await db.hotel({ hotel })).toMatchObject({ beds: 5, tags: new Set(['a', 'b']) });
    const conflict = { name: 'InputError', code: 'same-item' };
    for (const parts of [
      ...orders(db.setRank.op({ hotel, rank: 1 }), db.setRank.op({ hotel, rank: 2 })),
      ...orders(db.write.op({ hotel, lines: ['a'] }), db.write.op({ hotel, lines: ['b'] })),
      ...orders(db.shut.op({ hotel }), db.setRank.op({ hotel, rank: 2 })),
      ...orders(db.shut.op({ hotel }), db.addRoom.op({ hotel, room: '9' })),
      ...orders(db.found.op({ hotel, name: 'H' }), db.found.op({ hotel, name: 'H' })),
      ...orders(db.shut.op({ hotel }), db.found.op({ hotel, name: 'H' })),
    ])
      await expect(transact(db, parts)).rejects.toMatchObject(conflict);
    expect(await db.hotel({ hotel })).toMatchObject({ rank: 0, rooms: 0 });
  });

  test('look at an item and change it: both conditions hold', async () => {
    await using opened = await openModel(hotels);
    const { db } = opened;
    for (const parts of orders(db.isOpen.op({ hotel }), db.found.op({ hotel, name: 'H', state: 'SHUT' })))
      await expect(transact(db, parts)).rejects.toMatchObject({ name: 'RuleError', code: 'condition-failed' });
    await transact(db, [db.isOpen.op({ hotel }), db.found.op({ hotel, name: 'H' })]);
    for (const parts of orders(db.isOpen.op({ hotel }), db.addBeds.op({ hotel, beds: 1 }))) await transact(db, parts);
    await db.setState({ hotel, state: 'SHUT' });
    for (const parts of orders(db.isOpen.op({ hotel }), db.addBeds.op({ hotel, beds: 1 })))
      await expect(transact(db, parts)).rejects.toMatchObject({ code: 'condition-failed' });
    for (const parts of orders(db.isOpen.op({ hotel }), db.shut.op({ hotel })))
      await expect(transact(db, parts)).rejects.toMatchObject({ code: 'condition-failed' });
    expect(await db.hotel({ hotel })).toMatchObject({ beds: 2 });
  });

  test('create an item by an update and change it: its condition is met by what is created', async () => {
    await using opened = await openModel(hotels);
    const { db } = opened;
    const tag = db.tagOpen.op({ hotel, tag: 'spa' });
    for (const parts of orders(tag, db.nameOrFound.op({ hotel, name: 'H', state: 'SHUT', rank: 1 })))
      await expect(transact(db, parts)).rejects.toMatchObject({ name: 'RuleError' });
    expect(await db.hotel({ hotel })).toBeUndefined();
    const name = db.nameOrFound.op({ hotel, name: 'H', state: 'OPEN', rank: 1 });
    for (const parts of orders(tag, name)) await transact(db, parts);
    expect(await db.hotel({ hotel })).toMatchObject({ name: 'H', tags: new Set(['spa']) });
    await db.setState({ hotel, state: 'SHUT' });
    for (const parts of orders(tag, name))
      await expect(transact(db, parts)).rejects.toMatchObject({ code: 'condition-failed' });
  });

  test('delete the last child with its parent', async () => {
    for (const turn of [0, 1]) {
      await using opened = await openModel(hotels);
      const { db, database } = opened;
      await db.found({ hotel, name: 'H' });
      await db.addRoom({ hotel, room: '1', code: 'c' });
      await transact(db, orders(db.dropRoom.op({ hotel, room: '1' }), db.shut.op({ hotel }))[turn] ?? []);
      expect(await database.stored('Hotels')).toEqual([]);
    }
  });

  test('change unique values with each other', async () => {
    await using opened = await openModel(hotels);
    const { db, database } = opened;
    await db.found({ hotel, name: 'H' });
    await db.addRoom({ hotel, room: '1', code: 'a' });
    await db.addRoom({ hotel, room: '2', code: 'b' });
    await transact(db, [
      db.setCode.op({ hotel, room: '1', code: 'b' }),
      db.setCode.op({ hotel, room: '2', code: 'a' }),
    ]);
    const guards = (await database.stored('Hotels')).filter(({ Type }) => Type === 'Room.code');
    expect(new Map(guards.map(({ code, room }) => [code, room]))).toEqual(
      new Map([
        ['a', '2'],
        ['b', '1'],
      ]),
    );
    await expect(db.setCode({ hotel, room: '1', code: 'a' })).rejects.toMatchObject({ code: 'not-unique' });
  });

  test('give one item one unique value, twice', async () => {
    await using opened = await openModel(hotels);
    const { db, database } = opened;
    await db.found({ hotel, name: 'H' });
    await db.addRoom({ hotel, room: '1', code: 'a' });
    const rename = db.setCode.op({ hotel, room: '1', code: 'b' });
    await transact(db, [rename, rename]);
    const guards = (await database.stored('Hotels')).filter(({ Type }) => Type === 'Room.code');
    expect(guards).toMatchObject([{ code: 'b', room: '1' }]);
    const other = db.setCode.op({ hotel, room: '1', code: 'c' });
    await expect(transact(db, [rename, other])).rejects.toMatchObject({ code: 'same-item' });
  });
});

test('a check that is merged with an update compares no version of its own', async () => {
  const notes = model('notes')
    .entities({
      Note: entity({ id: z.string(), version: z.int(), state: z.enum(['ON', 'OFF']) }, { lock: 'version' }),
    })
    .relationships([])
    .patterns({
      create: { creates: 'Note' },
      shut: { updates: 'Note', by: ['id'], changes: { state: 'OFF' } },
      isOn: { checks: 'Note', by: ['id'], given: { state: 'ON' } },
    })
    .tables({ Notes: { key: ['PK'] } })
    .keys({ Note: { Notes: ['N#{id}'] } })
    .served({ create: 'PutItem', shut: 'UpdateItem', isOn: 'TransactWriteItems' });
  await using open = await openModel(notes);
  const { db } = open;
  await db.create({ id: 'a', state: 'OFF' });
  const version = { version: 7 };
  const both = transact(db, [db.shut.op({ id: 'a', version: 1 }), db.isOn.op({ id: 'a', ...version })]);
  await expect(both).rejects.toMatchObject({ failures: [{ code: 'condition-failed' }] });
});

test('inputs that name one place within a document are refused', async () => {
  const files = model('files')
    .entities({ File: entity({ id: z.string(), labels: z.record(z.string(), z.string()).default({}) }) })
    .relationships([])
    .patterns({
      create: { creates: 'File' },
      file: { reads: 'File', by: ['id'] },
      rename: {
        updates: 'File',
        by: ['id'],
        takes: { from: z.string(), to: z.string() },
        changes: { 'labels.{from}': remove(), 'labels.{to}': 'x' },
      },
    })
    .tables({ Files: { key: ['PK'] } })
    .keys({ File: { Files: ['F#{id}'] } })
    .served({ create: 'PutItem', file: 'GetItem', rename: 'UpdateItem' });
  await using open = await openModel(files);
  const { db } = open;
  await db.create({ id: 'a', labels: { old: 'x' } });
  await db.rename({ id: 'a', from: 'old', to: 'new' });
  await expect(db.rename({ id: 'a', from: 'new', to: 'new' })).rejects.toMatchObject({
    code: 'same-item',
    path: 'File.labels.{to}',
  });
  expect(await db.file({ id: 'a' })).toEqual({ id: 'a', labels: { new: 'x' } });
});
