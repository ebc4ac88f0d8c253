import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { check } from '../../src/check/index.ts';
import { entity, model, ref, remove } from '../../src/index.ts';
import { resolve } from '../../src/resolve/resolve.ts';
import { writeFaults } from '../../src/resolve/write-faults.ts';
import { openModel } from './open-model.ts';

const declared = model('desk')
  .entities({
    Note: entity({ id: z.string(), state: z.enum(['DRAFT', 'FINAL']) }),
    Queue: entity({ id: z.string(), jobs: z.array(z.string()).default([]) }),
  })
  .relationships([])
  .patterns({
    note: { reads: 'Note', by: ['id'] },
    putDrafts: { puts: ['Note'], given: { state: { not: 'FINAL' } } },
    createAs: { creates: 'Note', takes: { as: z.string() }, given: { state: { not: ref('as') } } },
    putOver: { puts: 'Note', takes: { old: z.string() }, given: { state: ref('old') } },
    putAllOver: { puts: ['Note'], takes: { old: z.string() }, given: { state: ref('old') } },
    upsertOver: { upserts: 'Note', takes: { old: z.string() }, given: { state: ref('old') } },
    createBeside: {
      transacts: {
        note: { creates: 'Note' },
        other: { checks: 'Note', by: ['id'], mustExist: false, given: { state: 'FINAL' } },
      },
    },
    createAny: { creates: 'Note', given: { any: [{ id: { exists: false }, state: { not: 'FINAL' } }] } },
    queue: { reads: 'Queue', by: ['id'] },
    addQueue: { creates: 'Queue' },
    shift: { updates: ['Queue'], by: ['id'], changes: { 'jobs[0]': remove() } },
    place: { updates: ['Queue'], by: ['id'], takes: { job: z.string() }, changes: { 'jobs[9]': ref('job') } },
    createOne: { transacts: { note: { creates: 'Note' } } },
    putOne: { transacts: { note: { puts: 'Note' } } },
  })
  .tables({ Desk: { key: ['PK', 'SK'] } })
  .keys({ Note: { Desk: ['NOTE#{id}', 'NOTE'] }, Queue: { Desk: ['QUEUE#{id}', 'QUEUE'] } });

const operations = {
  note: 'GetItem',
  createAs: 'PutItem',
  putOver: 'PutItem',
  putAllOver: 'TransactWriteItems',
  upsertOver: 'UpdateItem',
  createBeside: 'TransactWriteItems',
  createAny: 'PutItem',
  queue: 'GetItem',
  addQueue: 'PutItem',
  shift: 'TransactWriteItems',
  place: 'TransactWriteItems',
  createOne: 'TransactWriteItems',
  putOne: 'TransactWriteItems',
} as const;
const desk = declared.served({ ...operations, putDrafts: 'TransactWriteItems' });

describe('several items that are put on a condition', () => {
  test('are put all or none', async () => {
    await using open = await openModel(desk);
    const { db } = open;
    await db.createOne({ note: { id: '1', state: 'FINAL' } });
    const drafts = ['2', '1'].map((id) => ({ id, state: 'DRAFT' as const }));
    await expect(db.putDrafts(drafts)).rejects.toMatchObject({ code: 'condition-failed' });
    expect(await db.note({ id: '2' })).toBeUndefined();
    expect(await db.putDrafts(drafts.slice(0, 1))).toEqual([{ id: '2', state: 'DRAFT' }]);
    expect(await db.note({ id: '2' })).toEqual({ id: '2', state: 'DRAFT' });
  });

  test('are not put by a batch, which has no conditions', () => {
    const { problems } = resolve(declared.served({ ...operations, putDrafts: 'BatchWriteItem' }));
    expect(problems.map(({ message }) => message)).toEqual(['takes TransactWriteItems; declared is BatchWriteItem']);
  });
});

test('a transaction of one item takes its part by name', async () => {
  await using open = await openModel(desk);
  const { db } = open;
  await db.createOne({ note: { id: '1', state: 'DRAFT' } });
  await db.putOne({ note: { id: '1', state: 'FINAL' } });
  expect(await db.note({ id: '1' })).toEqual({ id: '1', state: 'FINAL' });
  expect(db.putOne.request({ note: { id: '2', state: 'DRAFT' } })).toHaveLength(1);
});

test('the condition of a write of a whole item refers to an input that is not an attribute', async () => {
  expect(check(desk).findings.filter(({ level }) => level === 'error')).toEqual([]);
  await using open = await openModel(desk);
  const { db } = open;
  expect(await db.createAs({ id: '1', state: 'DRAFT', as: 'x' })).toEqual({ id: '1', state: 'DRAFT' });
  expect(await db.putOver({ id: '1', state: 'FINAL', old: 'DRAFT' })).toEqual({ id: '1', state: 'FINAL' });
  await expect(db.putOver({ id: '1', state: 'FINAL', old: 'DRAFT' })).rejects.toMatchObject({
    code: 'condition-failed',
  });
  await db.upsertOver({ id: '1', state: 'DRAFT', old: 'FINAL' });
  await db.putAllOver([{ id: '1', state: 'FINAL', old: 'DRAFT' }]);
  await expect(db.upsertOver({ id: '1', state: 'DRAFT', old: 'DRAFT' })).rejects.toMatchObject({
    code: 'condition-failed',
  });
  expect(await db.note({ id: '1' })).toEqual({ id: '1', state: 'FINAL' });
});

test('two changes of one element of a list are refused: the second would be of another element', async () => {
  await using open = await openModel(desk);
  const { db } = open;
  await db.addQueue({ id: '1', jobs: ['a', 'b'] });
  await expect(db.shift([{ id: '1' }, { id: '1' }])).rejects.toMatchObject({ code: 'same-item' });
  const last = { id: '1', job: 'c' };
  await expect(db.place([last, last])).rejects.toMatchObject({ code: 'same-item' });
  await db.shift([{ id: '1' }]);
  await db.place([last]);
  expect(await db.queue({ id: '1' })).toEqual({ id: '1', jobs: ['b', 'c'] });
});

test('a part of the name of a parent is completed from the stored item, and a parent that stays is not looked for', async () => {
  const offices = model('offices')
    .entities({
      Office: entity({ town: z.string(), street: z.string() }),
      Desk: entity({ id: z.string(), town: z.string(), street: z.string(), note: z.string().optional() }),
    })
    .relationships([['Office', '1:N', 'Desk', { required: true }]])
    .patterns({
      open: { creates: 'Office' },
      close: { deletes: 'Office', by: ['town', 'street'] },
      place: { creates: 'Desk' },
      carry: { updates: 'Desk', by: ['id'], sets: ['street'] },
      label: { updates: 'Desk', by: ['id'], sets: ['note'] },
    })
    .tables({ Offices: { key: ['PK'] } })
    .keys({ Office: { Offices: ['OFFICE#{town}#{street}'] }, Desk: { Offices: ['DESK#{id}'] } })
    .served({
      open: 'PutItem',
      close: 'DeleteItem',
      place: 'TransactWriteItems',
      carry: ['GetItem', 'TransactWriteItems'],
      label: 'UpdateItem',
    });
  await using open = await openModel(offices);
  const { db } = open;
  await db.open({ town: 'a', street: 'x' });
  await db.open({ town: 'b', street: 'y' });
  await db.place({ id: '1', town: 'a', street: 'x' });
  await expect(db.carry({ id: '1', street: 'y' })).rejects.toMatchObject({ code: 'parent-missing' });
  await db.open({ town: 'a', street: 'y' });
  await db.carry({ id: '1', street: 'y' });
  await db.close({ town: 'a', street: 'y' });
  await db.label({ id: '1', note: 'n' });
  await db.carry({ id: '1', street: 'y' });
  await expect(db.carry({ id: '1', street: 'z' })).rejects.toMatchObject({ code: 'parent-missing' });
});

test('index keys are written again by an update, and in an index that has the entity', () => {
  const faults = (need: object): string[] => {
    const { patterns } = resolve(
      model('desk')
        .entities({ Note: entity({ id: z.string() }) })
        .relationships([])
        .patterns({ write: { by: ['id'], ...need } as { updates: 'Note'; by: ['id'] } })
        .tables({ Desk: { key: ['PK'], indexes: { Ids: ['IdsKey'], Other: ['OtherKey'] } } })
        .keys({ Note: { Desk: ['NOTE#{id}'], Ids: ['{id}'] } })
        .served({ write: 'deletes' in need ? 'DeleteItem' : 'UpdateItem' }),
    );
    const plan = patterns.get('write')?.plan;
    return plan?.kind === 'write' ? plan.writes.flatMap(writeFaults).map(({ message }) => message) : ['no plan'];
  };
  expect(faults({ updates: 'Note', rekeys: ['Ids'] })).toEqual([]);
  expect(faults({ updates: 'Note', rekeys: ['Other'] })).toEqual(['Note has no key in Other']);
  expect(faults({ deletes: 'Note', rekeys: ['Ids'] })).toEqual(['only an update writes index keys again']);
});

test('a check of an item that may be absent has a condition', () => {
  const checked = (condition: object): string[] => {
    const look = { transacts: { note: { checks: 'Note', by: ['id'], mustExist: false, ...condition } } } as const;
    const { patterns } = resolve(
      model('desk')
        .entities({ Note: entity({ id: z.string() }) })
        .relationships([])
        .patterns({ look })
        .tables({ Desk: { key: ['PK', 'SK'] } })
        .keys({ Note: { Desk: ['NOTE#{id}', 'NOTE'] } })
        .served({ look: 'TransactWriteItems' }),
    );
    const plan = patterns.get('look')?.plan;
    return plan?.kind === 'write' ? plan.writes.flatMap(writeFaults).map(({ message }) => message) : [];
  };
  expect(checked({})).toEqual([
    'an item that may be absent is checked for nothing: add a condition, such as `given: { id: { exists: false } }` for one that must be absent',
  ]);
  expect(checked({ given: { id: { exists: false } } })).toEqual([]);
});

const staff = model('staff')
  .entities({
    Team: entity({ team: z.string() }),
    Person: entity(
      { id: z.string(), email: z.string(), team: z.string().optional(), until: z.int().optional() },
      { unique: ['email'], expires: 'until' },
    ),
    Room: entity({ id: z.string(), state: z.string(), until: z.int().optional() }, { expires: 'until' }),
  })
  .relationships([['Team', '1:N', 'Person', { required: true }]])
  .patterns({
    hire: { creates: 'Person' },
    found: { creates: 'Team' },
    move: { updates: 'Person', by: ['id'], sets: ['email', 'team'] },
    moveOnly: { updates: 'Person', by: ['id'], sets: ['team'] },
    person: { reads: 'Person', by: ['id'] },
    room: { reads: 'Room', by: ['id'] },
    open: {
      transacts: { made: { creates: 'Room' }, kept: { updates: ['Room'], by: ['id'], sets: ['state', 'until'] } },
    },
  })
  .tables({ Staff: { key: ['PK', 'SK'] } })
  .keys({
    Team: { Staff: ['TEAM#{team}', 'TEAM'] },
    Person: { Staff: ['PERSON#{id}', 'PERSON'] },
    Room: { Staff: ['ROOM#{id}', 'ROOM'] },
  })
  .served({
    hire: 'TransactWriteItems',
    found: 'PutItem',
    move: ['GetItem', 'TransactWriteItems'],
    moveOnly: 'TransactWriteItems',
    person: 'GetItem',
    room: 'GetItem',
    open: 'TransactWriteItems',
  });

test('a required parent has to be there when the child is created, and when it is moved', async () => {
  await using open = await openModel(staff);
  const { db } = open;
  await expect(db.hire({ id: '1', email: 'a', team: 'x' })).rejects.toMatchObject({ code: 'parent-missing' });
  await db.hire({ id: '1', email: 'a' });
  await expect(db.moveOnly({ id: '1', team: 'x' })).rejects.toMatchObject({ code: 'parent-missing', entity: 'Team' });
  await expect(db.move({ id: '1', email: 'b', team: 'y' })).rejects.toMatchObject({ code: 'parent-missing' });
  expect(await db.person({ id: '1' })).toEqual({ id: '1', email: 'a' });
  await db.found({ team: 'x' });
  await db.moveOnly({ id: '1', team: 'x' });
  await db.found({ team: 'y' });
  await db.move({ id: '1', email: 'b', team: 'y' });
  await db.moveOnly({ id: '1', team: undefined });
  expect(await db.person({ id: '1' })).toEqual({ id: '1', email: 'b' });
});

test('two changes of what a transaction creates are refused if their order would decide', async () => {
  await using open = await openModel(staff);
  const { db } = open;
  const made = { id: '1', state: 'new' };
  const kept = [50, 500].map((until) => ({ id: '1', state: 'kept', until }));
  await expect(db.open({ made, kept })).rejects.toMatchObject({ code: 'same-item' });
  await db.open({ made, kept: kept.slice(1) });
  expect(await db.room({ id: '1' })).toEqual({ id: '1', state: 'kept', until: 500 });
});

test('an empty condition is not a condition, and a key of the table has the type of the attribute of its name', () => {
  const declare = (given: object, id: z.ZodType): string[] => {
    const change = { updates: 'Note', by: ['id'], sets: ['text'], given } as const;
    const notes = model('notes')
      .entities({ Note: entity({ id, text: z.string() }) })
      .relationships([])
      .patterns({ change: change as never })
      .tables({ Notes: { key: ['id'] } })
      .keys({ Note: { Notes: ['{id}'] } })
      .served({ change: 'UpdateItem' });
    return check(notes).findings.flatMap(({ level, message }) => (level === 'error' ? [message] : []));
  };
  expect(declare({ text: 'old' }, z.string().min(1).max(9))).toEqual([]);
  expect(declare({}, z.string().min(1).max(9))).toEqual([
    "patterns.change.given is not a condition, such as { status: 'OPEN' }",
  ]);
  expect(declare({ text: 'old' }, z.int().min(0))).toEqual([
    'id is a key attribute of the table and text, and id of Note is not',
  ]);
});

test('what a check requires of an item that may be absent is a condition that a missing item does not meet', async () => {
  await using open = await openModel(desk);
  const beside = { note: { id: '1', state: 'DRAFT' as const }, other: { id: '2' } };
  await expect(open.db.createBeside(beside)).rejects.toMatchObject({ code: 'condition-failed' });
});

test('a condition with one alternative is that alternative, and tests beside alternatives are refused', async () => {
  await using open = await openModel(desk);
  expect(await open.db.createAny({ id: '1', state: 'DRAFT' })).toEqual({ id: '1', state: 'DRAFT' });
  const change = { updates: 'Note', by: ['id'], sets: ['state'], given: { id: 'a', any: [{ state: 'DRAFT' }] } };
  const mixed = { ...desk, patterns: { ...desk.patterns, change } } as unknown as typeof desk;
  expect(check(mixed).findings.flatMap(({ code, path }) => (code === 'bad-declaration' ? [path] : []))).toEqual([
    'patterns.change.given',
  ]);
});
