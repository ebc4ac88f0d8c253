import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { add, connect, entity, model, type RuleError, transact } from '../../src/index.ts';
import { openModel } from './open-model.ts';

const sessions = model('sessions')
  .entities({
    Session: entity(
      {
        id: z.string(),
        user: z.string(),
        device: z.string().optional(),
        uses: z.number().default(0),
        ends: z.number(),
      },
      { expires: 'ends', unique: ['device'] },
    ),
    Visit: entity(
      { id: z.string(), page: z.string(), seen: z.number().default(0), note: z.string().optional(), ends: z.number() },
      { expires: 'ends' },
    ),
    Step: entity({ id: z.string(), page: z.string(), step: z.number() }),
  })
  .relationships([['Visit', '1:N', 'Step', { required: true }]])
  .patterns({
    open: { creates: 'Session' },
    save: { upserts: 'Session' },
    use: { updates: 'Session', by: ['id'], changes: { uses: add(1) }, returns: 'new' },
    extend: { updates: 'Session', by: ['id'], sets: ['ends'] },
    look: { checks: 'Session', by: ['id'] },
    isFree: { checks: 'Visit', by: ['id', 'page'], mustExist: false, given: { seen: { exists: false } } },
    close: { deletes: 'Session', by: ['id'], mustExist: true },
    forget: { deletes: 'Visit', by: ['id', 'page'], returns: 'old' },
    session: { reads: 'Session', by: ['id'] },
    visit: { upserts: 'Visit' },
    enter: { creates: 'Visit' },
    see: { updates: 'Visit', by: ['id', 'page'], sets: ['ends'], changes: { seen: add(1) }, orCreates: true },
    mark: { updates: 'Visit', by: ['id', 'page'], sets: ['note'], given: { seen: { above: 0 } } },
    visitAgain: { upserts: 'Visit', given: { seen: { above: 0 } } },
    seeAgain: {
      updates: 'Visit',
      by: ['id', 'page'],
      sets: ['ends'],
      changes: { seen: add(1) },
      given: { seen: { above: 0 } },
      orCreates: true,
    },
    replace: { puts: 'Visit', given: { note: { exists: false } } },
    enterSeen: { creates: 'Visit', given: { seen: { above: 0 } } },
    enterUnseen: { creates: 'Visit', given: { seen: { exists: false } } },
    visited: { reads: 'Visit', by: ['id', 'page'] },
    step: { creates: 'Step' },
  })
  .tables({ Sessions: { key: ['PK', 'SK'] } })
  .keys({
    Session: { Sessions: ['SESSION#{id}', 'SESSION#{id}'] },
    Visit: { Sessions: ['VISIT#{id}', 'PAGE#{page}'] },
    Step: { Sessions: ['VISIT#{id}', 'STEP#{page}#{step:03}'] },
  })
  .served({
    open: 'TransactWriteItems',
    save: ['GetItem', 'TransactWriteItems'],
    use: 'UpdateItem',
    extend: ['GetItem', 'TransactWriteItems'],
    look: 'TransactWriteItems',
    isFree: 'TransactWriteItems',
    close: ['GetItem', 'TransactWriteItems'],
    forget: 'DeleteItem',
    session: 'GetItem',
    visit: 'UpdateItem',
    enter: 'PutItem',
    see: 'UpdateItem',
    mark: 'UpdateItem',
    visitAgain: 'UpdateItem',
    seeAgain: 'UpdateItem',
    replace: 'PutItem',
    enterSeen: 'PutItem',
    enterUnseen: 'PutItem',
    visited: 'GetItem',
    step: 'TransactWriteItems',
  });

/** A refusal that shows nothing of the item. */
const notFound: unknown = expect.toSatisfy(
  (error: RuleError) => error.code === 'not-found' && error.item === undefined,
);

describe('an item whose time has passed is absent', () => {
  test('for updates, checks and deletes that need one', async () => {
    await using opened = await openModel(sessions);
    const { db, at } = opened;
    await db.open({ id: 's', user: 'ann', device: 'd1', ends: 110 });
    at(109);
    expect(await db.use({ id: 's' })).toMatchObject({ uses: 1 });
    at(110);
    await expect(db.use({ id: 's' })).rejects.toEqual(notFound);
    await expect(db.extend({ id: 's', ends: 200 })).rejects.toEqual(notFound);
    await expect(db.look({ id: 's' })).rejects.toEqual(notFound);
    await expect(db.close({ id: 's' })).rejects.toEqual(notFound);
    expect(await db.session({ id: 's' })).toBeUndefined();
  });

  test('for a check that passes where there is none, and for what a delete returns', async () => {
    await using opened = await openModel(sessions);
    const { db, at } = opened;
    await db.isFree({ id: 'v', page: '/' });
    await db.visit({ id: 'v', page: '/', ends: 110 });
    await expect(db.isFree({ id: 'v', page: '/' })).rejects.toMatchObject({ code: 'condition-failed' });
    at(110);
    await db.isFree({ id: 'v', page: '/' });
    expect(await db.forget({ id: 'v', page: '/' })).toBeUndefined();
    await db.visit({ id: 'v', page: '/', ends: 150 });
    expect(await db.forget({ id: 'v', page: '/' })).toMatchObject({ ends: 150 });
  });

  test('for its children', async () => {
    await using opened = await openModel(sessions);
    const { db, at } = opened;
    await db.visit({ id: 'v', page: '/', ends: 110 });
    await db.step({ id: 'v', page: '/', step: 1 });
    at(110);
    await expect(db.step({ id: 'v', page: '/', step: 2 })).rejects.toMatchObject({ code: 'parent-missing' });
  });

  test('for an upsert, which makes a new one without anything of the old', async () => {
    await using opened = await openModel(sessions);
    const { db, at } = opened;
    await db.visit({ id: 'v', page: '/', note: 'old', seen: 7, ends: 110 });
    await db.visit({ id: 'v', page: '/', ends: 111 });
    expect(await db.visited({ id: 'v', page: '/' })).toEqual({ id: 'v', page: '/', note: 'old', seen: 7, ends: 111 });
    at(111);
    await db.visit({ id: 'v', page: '/', ends: 200 });
    expect(await db.visited({ id: 'v', page: '/' })).toEqual({ id: 'v', page: '/', seen: 0, ends: 200 });
  });

  test('for the other parts of the transaction that writes it', async () => {
    await using opened = await openModel(sessions);
    const { db, at, database } = opened;
    at(110);
    const write = (ends: number) => db.visit.op({ id: 'v', page: '/', ends });
    const see = db.see.op({ id: 'v', page: '/', ends: 120 });
    const create = db.enter.op({ id: 'v', page: '/', ends: 110 });
    for (const other of [write(110), see])
      for (const parts of [
        [create, other],
        [other, create],
      ]) {
        await expect(transact(db, parts)).rejects.toMatchObject({
          code: 'same-item',
          message: expect.stringContaining('has expired when it is first written'),
        });
      }
    expect(await database.stored('Sessions')).toEqual([]);
    await transact(db, [db.enter.op({ id: 'v', page: '/', ends: 120 }), write(120)]);
    expect(await db.visited({ id: 'v', page: '/' })).toMatchObject({ ends: 120 });
  });

  test('for a part that changes it beside one that creates it again', async () => {
    await using opened = await openModel(sessions);
    const { db, at } = opened;
    const mark = db.mark.op({ id: 'v', page: '/', note: 'new' });
    const visit = (seen: number) => db.visit.op({ id: 'v', page: '/', seen, ends: 200 });
    for (const isExpired of [false, true])
      for (const turn of [<T>(parts: T[]) => parts, <T>(parts: T[]) => parts.toReversed()]) {
        await db.forget({ id: 'v', page: '/' });
        at(109);
        // Neither its number nor that of the expired item is compared: the parts see what is created.
        if (isExpired) await db.visit({ id: 'v', page: '/', seen: 0, ends: 110 });
        at(110);
        await expect(transact(db, turn([mark, visit(0)]))).rejects.toMatchObject({
          failures: [{ code: 'condition-failed' }],
        });
        await transact(db, turn([mark, visit(3)]));
        expect(await db.visited({ id: 'v', page: '/' })).toEqual({
          id: 'v',
          page: '/',
          seen: 3,
          note: 'new',
          ends: 200,
        });
      }
  });

  test('for the condition of a write that creates or puts', async () => {
    await using opened = await openModel(sessions);
    const { db, at } = opened;
    const visit = { id: 'v', page: '/', ends: 120 };
    for (const isExpired of [false, true]) {
      at(100);
      if (isExpired) await db.visit({ ...visit, seen: 7, note: 'old', ends: 110 });
      at(110);
      // A missing item has not been seen, so that these need an item.
      await expect(db.visitAgain(visit)).rejects.toEqual(notFound);
      await expect(db.seeAgain(visit)).rejects.toEqual(notFound);
      await expect(db.enterSeen(visit)).rejects.toMatchObject({ code: 'condition-failed' });
      await db.enterUnseen(visit);
      expect(await db.visited(visit)).toEqual({ ...visit, seen: 0 });
      await db.forget(visit);
      if (isExpired) await db.visit({ ...visit, seen: 7, note: 'old', ends: 110 });
      await db.replace(visit);
      expect(await db.visited(visit)).toEqual({ ...visit, seen: 0 });
      await db.see(visit);
      await db.visitAgain({ ...visit, note: 'kept' });
      await db.seeAgain(visit);
      expect(await db.visited(visit)).toEqual({ ...visit, seen: 2, note: 'kept' });
      await expect(db.replace(visit)).rejects.toMatchObject({ code: 'condition-failed' });
      await db.forget(visit);
    }
  });

  test('for an update that also creates', async () => {
    await using opened = await openModel(sessions);
    const { db, at } = opened;
    await db.see({ id: 'v', page: '/', ends: 110 });
    await db.see({ id: 'v', page: '/', ends: 120 });
    await db.visit({ id: 'v', page: '/', note: 'old', ends: 120 });
    expect(await db.visited({ id: 'v', page: '/' })).toMatchObject({ seen: 2, note: 'old' });
    at(120);
    await db.see({ id: 'v', page: '/', ends: 200 });
    expect(await db.visited({ id: 'v', page: '/' })).toEqual({ id: 'v', page: '/', seen: 1, ends: 200 });
  });
});

describe('the guard of a unique value', () => {
  test('expires with its item: the value is free again', async () => {
    await using opened = await openModel(sessions);
    const { db, at } = opened;
    await db.open({ id: 's', user: 'ann', device: 'd1', ends: 110 });
    await expect(db.open({ id: 't', user: 'bob', device: 'd1', ends: 200 })).rejects.toMatchObject({
      code: 'not-unique',
    });
    at(110);
    await db.open({ id: 't', user: 'bob', device: 'd1', ends: 200 });
    await expect(db.open({ id: 'u', user: 'cay', device: 'd1', ends: 200 })).rejects.toMatchObject({
      code: 'not-unique',
    });
    // The remains of the first session neither free the value of the second nor reappear with it.
    await db.save({ id: 's', user: 'ann', ends: 300 });
    await expect(db.open({ id: 'u', user: 'cay', device: 'd1', ends: 200 })).rejects.toMatchObject({
      code: 'not-unique',
    });
    expect(await db.session({ id: 's' })).toEqual({ id: 's', user: 'ann', uses: 0, ends: 300 });
  });

  test('lasts as long as its item, also where that is extended', async () => {
    await using opened = await openModel(sessions);
    const { db, at, database } = opened;
    await db.open({ id: 's', user: 'ann', device: 'd1', ends: 110 });
    await db.extend({ id: 's', ends: 150 });
    at(120);
    await expect(db.open({ id: 't', user: 'bob', device: 'd1', ends: 200 })).rejects.toMatchObject({
      code: 'not-unique',
    });
    await db.save({ id: 's', user: 'ann', ends: 180 });
    at(160);
    await expect(db.open({ id: 't', user: 'bob', device: 'd1', ends: 200 })).rejects.toMatchObject({
      code: 'not-unique',
    });
    expect(new Set((await database.stored('Sessions')).map(({ ends }) => ends))).toEqual(new Set([180]));
    await db.close({ id: 's' });
    await db.open({ id: 't', user: 'bob', device: 'd1', ends: 200 });
  });
});

test.each(['visit', 'see'] as const)(
  '%s changes an item that another writer created in the place of an expired one',
  async (name) => {
    await using opened = await openModel(sessions);
    const { db, database, at } = opened;
    const key = { id: 'a', page: 'p' };
    await db.enter({ ...key, ends: 200 });
    at(200);
    let refused = 0;
    const write = connect(sessions, {
      client: database.client,
      now: () => 200_000,
      random: () => 0.5,
      pause: async () => {
        // The first request finds the expired item. Before the second one, the other writer replaces it.
        if (refused++ === 0) await db.enter({ ...key, note: 'new', ends: 400 });
      },
    });
    await write[name]({ ...key, ends: 500 });
    expect(await db.visited(key)).toMatchObject({ note: 'new', ends: 500 });
  },
);
