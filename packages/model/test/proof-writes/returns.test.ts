import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { check } from '../../src/check/index.ts';
import { add, connect, entity, model, type Model, remove } from '../../src/index.ts';
import { openModel } from './open-model.ts';

const people = model('people')
  .entities({
    Person: entity(
      {
        id: z.string(),
        email: z.string(),
        visits: z.number().default(0),
        weight: z.number().default(0.1),
        note: z.string().optional(),
      },
      { unique: ['email'] },
    ),
  })
  .relationships([])
  .patterns({
    join: { creates: 'Person' },
    person: { reads: 'Person', by: ['id'] },
    visit: { updates: 'Person', by: ['id'], changes: { visits: add(1) } },
    move: {
      updates: 'Person',
      by: ['id'],
      sets: ['email'],
      changes: { weight: add(0.2), note: remove() },
      returns: 'new',
    },
    moveOld: { updates: 'Person', by: ['id'], sets: ['email'], returns: 'old' },
    leave: { deletes: 'Person', by: ['id'], returns: 'old' },
  })
  .tables({ People: { key: ['PK'] } })
  .keys({ Person: { People: ['PERSON#{id}'] } })
  .served({
    join: 'TransactWriteItems',
    person: 'GetItem',
    visit: 'UpdateItem',
    move: ['GetItem', 'TransactWriteItems'],
    moveOld: ['GetItem', 'TransactWriteItems'],
    leave: ['GetItem', 'TransactWriteItems'],
  });

test('a part of a transaction has nothing to return, and its type says so', () => {
  const { patterns } = people;
  const typed: Model['patterns'] = { a: { transacts: { visit: patterns.visit } } };
  // @ts-expect-error -- a transaction returns no items
  const faulty: Model['patterns'] = { a: { transacts: { visit: { ...patterns.visit, returns: 'new' } } } };
  const codes = (needs: Model['patterns']): string[] =>
    check({ ...people, patterns: needs, served: { a: 'TransactWriteItems' } }).findings.map(({ code }) => code);
  expect(codes(typed)).not.toContain('returns-nothing');
  expect(codes(faulty)).toContain('returns-nothing');
});

describe('what a write returns that is a transaction', () => {
  test('is the item as it was and as it is', async () => {
    await using opened = await openModel(people);
    const { db } = opened;
    await db.join({ id: 'p', email: 'a', note: 'n' });
    const moved = await db.move({ id: 'p', email: 'b' });
    expect(moved).toEqual({ id: 'p', email: 'b', visits: 0, weight: 0.3 });
    expect(await db.person({ id: 'p' })).toEqual(moved);
    expect(await db.moveOld({ id: 'p', email: 'c' })).toEqual(moved);
    expect(await db.leave({ id: 'p' })).toEqual({ ...moved, email: 'c' });
    expect(await db.leave({ id: 'p' })).toBeUndefined();
  });

  test('is never a mixture: where another writer comes between, it is read again', async () => {
    await using opened = await openModel(people);
    const { db, database } = opened;
    await db.join({ id: 'p', email: 'a' });
    const other = connect(people, { client: database.newClient() });
    let visits = 0;
    const { client } = database;
    client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName === 'TransactWriteItemsCommand' && visits < 2) {
            visits += 1;
            await other.visit({ id: 'p' });
          }
          return next(args);
        },
      { step: 'initialize' },
    );
    expect(await db.move({ id: 'p', email: 'b' })).toMatchObject({ email: 'b', visits: 2 });
    expect(await other.person({ id: 'p' })).toMatchObject({ email: 'b', visits: 2 });
  });
});

test('an item that a write makes expire is what the write made of it, and one that had expired is none', async () => {
  const sessions = model('sessions')
    .entities({
      Session: entity({ id: z.string(), until: z.int() }, { expires: 'until' }),
    })
    .relationships([])
    .patterns({
      begin: { creates: 'Session' },
      end: { updates: 'Session', by: ['id'], sets: ['until'], returns: 'new' },
      forget: { deletes: 'Session', by: ['id'], returns: 'old' },
    })
    .tables({ Sessions: { key: ['PK'] } })
    .keys({ Session: { Sessions: ['S#{id}'] } })
    .served({ begin: 'PutItem', end: 'UpdateItem', forget: 'DeleteItem' });
  await using opened = await openModel(sessions);
  const { db } = opened;
  await db.begin({ id: 's', until: 200 });
  expect(await db.end({ id: 's', until: 100 })).toEqual({ id: 's', until: 100 });
  expect(await db.forget({ id: 's' })).toBeUndefined();
});

test('an item that is created with its children is returned with their number', async () => {
  const trees = model('trees')
    .entities({ Node: entity({ id: z.string(), above: z.string().optional(), below: z.int().default(0) }) })
    .relationships([['Node', '1:N', 'Node', { count: 'below', by: { id: 'above' } }]])
    .patterns({ createNodes: { creates: ['Node'] }, node: { reads: 'Node', by: ['id'], consistent: true } })
    .tables({ Trees: { key: ['PK'] } })
    .keys({ Node: { Trees: ['N#{id}'] } })
    .served({ createNodes: 'TransactWriteItems', node: 'GetItem' });
  await using opened = await openModel(trees);
  const { db } = opened;
  const made = await db.createNodes([{ id: 'b', above: 'a' }, { id: 'a' }]);
  expect(made).toEqual([
    { id: 'b', above: 'a', below: 0 },
    { id: 'a', below: 1 },
  ]);
  expect(await db.node({ id: 'a' })).toEqual(made[1]);
});
