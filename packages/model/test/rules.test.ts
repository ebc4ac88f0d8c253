import { type } from 'arktype';
import * as v from 'valibot';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { add, connect, entity, model, remove, RuleError, transact } from '../src/index.ts';
import { testDatabase, type TestDatabase } from './test-database.ts';

let database: TestDatabase | undefined;

afterEach(async () => {
  await database?.[Symbol.asyncDispose]();
  database = undefined;
});

const refused = async (attempt: Promise<unknown>): Promise<RuleError> => {
  const error: unknown = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RuleError);
  return error as RuleError;
};

const crew = model('crew')
  .entities({
    Team: entity({ team: z.string(), members: z.number().default(0) }),
    Member: entity(
      {
        id: z.string(),
        email: z.string().optional(),
        team: z.string().optional(),
        role: z.string(),
        since: z.string(),
        score: z.number().default(0),
      },
      { unique: ['email'] },
    ),
  })
  .relationships([['Team', '1:N', 'Member', { count: 'members' }]])
  .patterns({
    createTeam: { creates: 'Team' },
    team: { reads: 'Team', by: ['team'] },
    disband: { deletes: 'Team', by: ['team'] },
    join: { creates: 'Member' },
    save: { upserts: 'Member' },
    member: { reads: 'Member', by: ['id'] },
    move: { updates: 'Member', by: ['id'], maySet: ['team'] },
    leave: { deletes: 'Member', by: ['id'] },
    setEmail: { updates: 'Member', by: ['id'], maySet: ['email'] },
    setRole: { updates: 'Member', by: ['id'], sets: ['role'] },
    seeScore: { checks: 'Member', by: ['id'], given: { score: { atLeast: 10 } } },
    score: { updates: 'Member', by: ['id'], changes: { score: add(10) }, given: { score: { below: 20 } } },
    drop: { updates: 'Member', by: ['id'], changes: { since: remove() } },
    byRole: { reads: ['Member'], by: ['role'], order: 'since asc' },
    top: { reads: ['Member'], by: ['role'], range: 'score', order: 'score desc' },
  })
  .tables({ Crew: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'], GSI2: ['GSI2PK', 'GSI2SK'] } } })
  .keys({
    Team: { Crew: ['TEAM#{team}', 'TEAM#{team}'] },
    Member: {
      Crew: ['MEMBER#{id}', 'MEMBER#{id}'],
      GSI1: ['ROLE#{role}', '{since:date}#{id}'],
      GSI2: ['ROLE#{role}', 'SCORE#{score:05}'],
    },
  })
  .served({
    createTeam: 'PutItem',
    team: 'GetItem',
    disband: 'DeleteItem',
    join: 'TransactWriteItems',
    save: ['GetItem', 'TransactWriteItems'],
    member: 'GetItem',
    move: ['GetItem', 'TransactWriteItems'],
    leave: ['GetItem', 'TransactWriteItems'],
    setEmail: ['GetItem', 'TransactWriteItems'],
    setRole: ['GetItem', 'UpdateItem'],
    seeScore: 'TransactWriteItems',
    score: ['GetItem', 'UpdateItem'],
    drop: ['GetItem', 'UpdateItem'],
    byRole: { query: 'GSI1' },
    top: { query: 'GSI2' },
  });

const openCrew = async () => {
  database = await testDatabase(crew);
  const db = connect(crew, { client: database.client, pause: async () => undefined });
  for (const team of ['red', 'blue']) await db.createTeam({ team });
  return db;
};

const ann = { id: 'ann', email: 'ann@x.org', team: 'red', role: 'dev', since: '2020-01-01' };

describe('rules hold through every kind of write', () => {
  test('a condition on an item does not go unheeded where the same transaction writes the item', async () => {
    const db = await openCrew();
    await db.join(ann);
    const look = db.seeScore.op({ id: 'ann' });
    const write = db.setRole.op({ id: 'ann', role: 'lead' });
    for (const operations of [
      [look, write],
      [write, look],
    ]) {
      await expect(transact(db, operations)).rejects.toMatchObject({ name: 'RuleError', code: 'condition-failed' });
    }
    expect(await db.member({ id: 'ann' })).toMatchObject({ role: 'dev' });
    await db.score({ id: 'ann' });
    await transact(db, [write, look]);
    expect(await db.member({ id: 'ann' })).toMatchObject({ role: 'lead', score: 10 });
  });

  test('a child that changes its parent is counted there', async () => {
    const db = await openCrew();
    const members = async (): Promise<unknown[]> => [
      (await db.team({ team: 'red' }))?.members,
      (await db.team({ team: 'blue' }))?.members,
    ];
    await db.join(ann);
    expect(await members()).toEqual([1, 0]);
    await db.move({ id: 'ann', team: 'blue' });
    expect(await members()).toEqual([0, 1]);
    expect(await refused(db.move({ id: 'ann', team: 'green' }))).toMatchObject({
      code: 'parent-missing',
      entity: 'Team',
    });
    expect(await members()).toEqual([0, 1]);
    await db.move({ id: 'ann', team: undefined });
    expect(await members()).toEqual([0, 0]);
    expect(await db.member({ id: 'ann' })).not.toHaveProperty('team');
    await db.move({ id: 'ann', team: 'red' });
    await db.leave({ id: 'ann' });
    expect(await members()).toEqual([0, 0]);
    await db.leave({ id: 'ann' });
  });

  test('a child outlives its parent and can still be moved and deleted', async () => {
    const db = await openCrew();
    await db.join(ann);
    await db.join({ ...ann, id: 'bob', email: 'bob@x.org' });
    await db.disband({ team: 'red' });
    await db.move({ id: 'ann', team: 'blue' });
    expect((await db.team({ team: 'blue' }))?.members).toBe(1);
    await db.leave({ id: 'bob' });
    expect(await db.member({ id: 'bob' })).toBeUndefined();
    expect(await db.team({ team: 'red' })).toBeUndefined();
  });

  test('unique values are claimed, changed, released and taken away', async () => {
    const db = await openCrew();
    await db.join(ann);
    await db.join({ ...ann, id: 'bob', email: 'bob@x.org' });
    expect(await refused(db.setEmail({ id: 'bob', email: 'ann@x.org' }))).toMatchObject({
      code: 'not-unique',
      attribute: 'email',
    });
    await db.setEmail({ id: 'ann', email: undefined });
    await db.setEmail({ id: 'bob', email: 'ann@x.org' });
    expect(await refused(db.setEmail({ id: 'ann', email: 'ann@x.org' }))).toMatchObject({ code: 'not-unique' });
    await db.leave({ id: 'bob' });
    await db.setEmail({ id: 'ann', email: 'ann@x.org' });
    const guards = (await database!.stored('Crew')).filter(({ Type }) => Type === 'Member.email');
    expect(guards).toEqual([expect.objectContaining({ email: 'ann@x.org', id: 'ann' })]);
  });

  test('an upsert creates, replaces and keeps guards and counts right', async () => {
    const db = await openCrew();
    await db.save(ann);
    await db.save({ ...ann, email: 'new@x.org', team: 'blue', role: 'ops' });
    expect(await db.member({ id: 'ann' })).toEqual({ ...ann, email: 'new@x.org', team: 'blue', role: 'ops', score: 0 });
    expect([(await db.team({ team: 'red' }))?.members, (await db.team({ team: 'blue' }))?.members]).toEqual([0, 1]);
    await db.join({ ...ann, id: 'bob' });
    expect(await refused(db.save({ ...ann, email: 'ann@x.org' }))).toMatchObject({ code: 'not-unique' });
    expect((await db.byRole({ role: 'ops' })).items).toHaveLength(1);
  });

  test('index keys follow updates that name only a part of them', async () => {
    const db = await openCrew();
    await db.join(ann);
    await db.setRole({ id: 'ann', role: 'ops' });
    expect([(await db.byRole({ role: 'dev' })).items.length, (await db.byRole({ role: 'ops' })).items.length]).toEqual([
      0, 1,
    ]);
    await db.score({ id: 'ann' });
    expect((await db.top({ role: 'ops', score: { from: 10 } })).items.map(({ score }) => score)).toEqual([10]);
    await db.score({ id: 'ann' });
    expect(await refused(db.score({ id: 'ann' }))).toMatchObject({ code: 'condition-failed' });
    expect((await database!.stored('Crew', 'GSI2'))[0]?.GSI2SK).toBe('SCORE#00020');
    await db.drop({ id: 'ann' });
    expect((await db.byRole({ role: 'ops' })).items).toEqual([]);
    expect((await db.top({ role: 'ops' })).items).toHaveLength(1);
  });

  test('a condition that fails on the item as it was read is not a race: it is refused at once', async () => {
    await openCrew();
    let pauses = 0;
    const pause = async (): Promise<void> => {
      pauses += 1;
      return Promise.resolve();
    };
    const db = connect(crew, { client: database!.client, pause });
    await db.join({ ...ann, score: 20 });
    const { failures } = await refused(db.score({ id: 'ann' }));
    expect(failures).toMatchObject([{ code: 'condition-failed', item: { score: 20 } }]);
    expect(pauses).toBe(0);
  });

  test('updates that race all count, in the attribute and in the index key', async () => {
    const db = await openCrew();
    await db.join(ann);
    await Promise.all(['a', 'b', 'c', 'd'].map(async (role) => db.setRole({ id: 'ann', role })));
    const { role = '' } = (await db.member({ id: 'ann' })) ?? {};
    expect((await database!.stored('Crew', 'GSI1')).map(({ GSI1PK }) => GSI1PK)).toEqual([`ROLE#${role}`]);
  });

  test('operations are composed into one transaction', async () => {
    const db = await openCrew();
    const bob = { ...ann, id: 'bob', email: 'bob@x.org' };
    await transact(db, [db.join.op(ann), db.join.op(bob)]);
    expect((await db.team({ team: 'red' }))?.members).toBe(2);
    const error = await refused(transact(db, [db.join.op({ ...ann, id: 'cid' }), db.join.op(bob)]));
    expect(error.failures.map(({ code, part }) => [code, part])).toEqual([
      ['not-unique', '0:join'],
      ['already-exists', '1:join'],
      ['not-unique', '1:join'],
    ]);
    expect((await db.team({ team: 'red' }))?.members).toBe(2);
    await transact(db, [
      db.createTeam.op({ team: 'green' }),
      db.join.op({ ...ann, id: 'dan', email: 'd@x.org', team: 'green' }),
    ]);
    expect((await db.team({ team: 'green' }))?.members).toBe(1);
  });
});

test('one key may hold items of several entities', async () => {
  const accounts = model('accounts')
    .entities({ User: entity({ username: z.string() }), Organization: entity({ organization: z.string() }) })
    .relationships([])
    .patterns({
      createUser: { creates: 'User' },
      createOrganization: { creates: 'Organization' },
      account: { reads: { user: 'User', organization: 'Organization' }, by: ['username'] },
      user: { reads: 'User', by: ['username'] },
    })
    .tables({ Accounts: { key: ['PK', 'SK'] } })
    .keys({
      User: { Accounts: ['ACCOUNT#{username}', 'ACCOUNT#{username}'] },
      Organization: { Accounts: ['ACCOUNT#{organization}', 'ACCOUNT#{organization}'] },
    })
    .served({ createUser: 'PutItem', createOrganization: 'PutItem', account: 'GetItem', user: 'GetItem' });
  database = await testDatabase(accounts);
  const db = connect(accounts, { client: database.client });
  await db.createUser({ username: 'alex' });
  await db.createOrganization({ organization: 'megacorp' });
  expect(await refused(db.createOrganization({ organization: 'alex' }))).toMatchObject({ code: 'already-exists' });
  // Every part is there, as the type says, and as in a result of a query.
  const none = { user: undefined, organization: undefined, cursor: undefined };
  expect(await db.account({ username: 'alex' })).toStrictEqual({ ...none, user: { username: 'alex' } });
  expect((await db.account({ username: 'megacorp' })).organization).toEqual({ organization: 'megacorp' });
  expect(await db.account({ username: 'absent' })).toStrictEqual(none);
  await expect(db.user({ username: 'megacorp' })).rejects.toThrow('an item of type "Organization" was not expected');
});

test('a guard is not written for an item that neither expired nor expires', async () => {
  const guests = model('guests')
    .entities({
      Guest: entity(
        { id: z.string(), email: z.string(), name: z.string(), until: z.int().optional() },
        { unique: ['email'], expires: 'until' },
      ),
    })
    .relationships([])
    .patterns({
      join: { creates: 'Guest' },
      save: { upserts: 'Guest' },
    })
    .tables({ Guests: { key: ['PK', 'SK'] } })
    .keys({ Guest: { Guests: ['GUEST#{id}', 'GUEST'] } })
    .served({ join: 'TransactWriteItems', save: ['GetItem', 'TransactWriteItems'] });
  database = await testDatabase(guests);
  const operations: string[] = [];
  const db = connect(guests, {
    client: database.client,
    onRequest: ({ operation }) => void operations.push(operation),
  });
  const ann = { id: 'ann', email: 'ann@x.org', name: 'Ann' };
  await db.join(ann);
  operations.length = 0;
  await db.save({ ...ann, name: 'Anne' });
  expect(operations).toEqual(['GetItem', 'UpdateItem']);
  operations.length = 0;
  await db.save({ ...ann, until: 4_000_000_000 });
  expect(operations).toEqual(['GetItem', 'TransactWriteItems']);
});

describe('schemas of any library', () => {
  const notes = {
    zod: entity(z.object({ id: z.string(), stars: z.number().int().default(3), note: z.string().optional() }).shape),
    valibot: entity(
      v.object({ id: v.string(), stars: v.optional(v.pipe(v.number(), v.integer()), 3), note: v.optional(v.string()) })
        .entries,
    ),
    arktype: entity({ id: type('string'), stars: type('number.integer'), note: type('string | undefined') }),
  };

  test.each(Object.entries(notes))('%s', async (_, Note) => {
    const book = model('book')
      .entities({ Note: Note as typeof notes.zod })
      .relationships([])
      .patterns({ write: { creates: 'Note' }, read: { reads: 'Note', by: ['id'] } })
      .tables({ Notes: { key: ['id'] } })
      .keys({ Note: { Notes: ['{id}'] } })
      .served({ write: 'PutItem', read: 'GetItem' });
    database = await testDatabase(book);
    const db = connect(book, { client: database.client });
    await db.write({ id: 'a', stars: 3 });
    expect(await db.read({ id: 'a' })).toEqual({ id: 'a', stars: 3 });
    await expect(db.write({ id: 'b', stars: 1.5 })).rejects.toMatchObject({ code: 'invalid', path: 'Note.stars' });
    await expect(db.write({ id: 5, stars: 1 } as never)).rejects.toMatchObject({ code: 'invalid', path: 'Note.id' });
    expect(await database.stored('Notes')).toEqual([{ id: 'a', stars: 3, Type: 'Note' }]);
  });
});

describe('checks of what may be absent', () => {
  const doors = model('doors')
    .entities({ Door: entity({ door: z.string(), open: z.boolean().optional() }), Log: entity({ entry: z.string() }) })
    .relationships([])
    .patterns({
      build: { puts: 'Door' },
      pass: {
        transacts: {
          door: {
            checks: 'Door',
            by: ['door'],
            mustExist: false,
            given: { any: [{ door: { exists: false } }, { open: true }] },
          },
          log: { creates: 'Log' },
        },
      },
      see: { transacts: { door: { checks: 'Door', by: ['door'] }, log: { creates: 'Log' } } },
    })
    .tables({ Doors: { key: ['PK'] } })
    .keys({ Door: { Doors: ['DOOR#{door}'] }, Log: { Doors: ['LOG#{entry}'] } })
    .served({ build: 'PutItem', pass: 'TransactWriteItems', see: 'TransactWriteItems' });

  test('pass where there is none and where it meets the condition, and fail where it does not', async () => {
    database = await testDatabase(doors);
    const db = connect(doors, { client: database.client });
    await db.pass({ door: { door: 'a' }, log: { entry: '1' } });
    await db.build({ door: 'a', open: true });
    await db.pass({ door: { door: 'a' }, log: { entry: '2' } });
    await db.build({ door: 'a', open: false });
    const error = await refused(db.pass({ door: { door: 'a' }, log: { entry: '3' } }));
    expect(error.failures).toEqual([
      { code: 'condition-failed', entity: 'Door', part: 'door', item: { door: 'a', open: false } },
    ]);
    expect((await refused(db.see({ door: { door: 'b' }, log: { entry: '4' } }))).code).toBe('not-found');
  });
});

test('an index may have the partition key of the table as its sort key', async () => {
  const clubs = model('clubs')
    .entities({ Person: entity({ person: z.string(), club: z.string() }) })
    .relationships([])
    .patterns({
      join: { updates: 'Person', by: ['person'], sets: ['club'], orCreates: true },
      members: { reads: ['Person'], by: ['club'], order: 'person desc' },
    })
    .tables({ Clubs: { key: ['PK'], indexes: { GSI1: ['GSI1PK', 'PK'] } } })
    .keys({ Person: { Clubs: ['PERSON#{person}'], GSI1: ['CLUB#{club}', 'PERSON#{person}'] } })
    .served({ join: 'UpdateItem', members: { query: 'GSI1' } });
  database = await testDatabase(clubs);
  const db = connect(clubs, { client: database.client });
  for (const person of ['b', 'a', 'c']) await db.join({ person, club: 'x' });
  await db.join({ person: 'b', club: 'y' });
  const { items } = await db.members({ club: 'x' });
  expect(items.map(({ person }) => person)).toEqual(['c', 'a']);
});

test('an index key goes whole with an attribute of the application that is part of it', async () => {
  const tasks = model('tasks')
    .entities({ Task: entity({ task: z.string(), due: z.string().optional() }) })
    .relationships([])
    .patterns({
      add: { creates: 'Task' },
      finish: { updates: 'Task', by: ['task'], changes: { due: remove() } },
      due: { reads: ['Task'], range: 'due', order: 'due asc' },
    })
    .tables({ Tasks: { key: ['PK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
    .keys({ Task: { Tasks: ['TASK#{task}'], GSI1: ['TASKS', '{due}'] } }, { Task: { stored: { due: 'GSI1SK' } } })
    .served({ add: 'PutItem', finish: 'UpdateItem', due: { query: 'GSI1' } });
  database = await testDatabase(tasks);
  const db = connect(tasks, { client: database.client });
  await db.add({ task: 'a', due: '2026-01-01' });
  await db.add({ task: 'b' });
  expect((await db.due({})).items).toEqual([{ task: 'a', due: '2026-01-01' }]);
  // A key that is one variable accepts any text, and so does a range of it.
  expect((await db.due({ due: { from: '2026#1', to: '2026#2' } })).items).toEqual([]);
  await db.finish({ task: 'a' });
  expect(await database.stored('Tasks')).toEqual([
    { PK: 'TASK#a', Type: 'Task', task: 'a' },
    { PK: 'TASK#b', Type: 'Task', task: 'b' },
  ]);
});
