import { expect, test } from 'vitest';
import { z } from 'zod';
import { connect, entity, model } from '../../src/index.ts';
import { testDatabase } from '../test-database.ts';

/*
 * The ends of a range of keys. BETWEEN includes both, so a key that only bounds the range has to be left out after the read, and only
 * where the range is: other attributes of the key may have its text.
 */
const jobs = model('jobs')
  .entities({
    Job: entity({ h: z.string(), id: z.string(), state: z.enum(['VOID', 'OPEN', 'DONE']) }),
    Task: entity({ h: z.string(), name: z.string(), id: z.string(), rank: z.bigint() }),
    Note: entity({ h: z.string() }),
  })
  .relationships([])
  .patterns({
    put: { puts: ['Job'] },
    putTasks: { puts: ['Task'] },
    putNote: { puts: 'Note' },
    jobs: { reads: ['Job'], by: ['h'], where: { state: ['OPEN', 'DONE'] }, range: 'id', limit: 2 },
    count: { reads: ['Job'], by: ['h'], where: { state: ['OPEN', 'DONE'] }, range: 'id', count: true },
    tasks: { reads: ['Task'], by: ['h'], range: 'name' },
    countTasks: { reads: ['Task'], by: ['h'], range: 'name', count: true },
    ranked: { reads: ['Task'], by: ['h'], range: 'rank' },
    own: { reads: ['Task'], by: ['h'], range: 'id', limit: 1 },
    last: { reads: ['Task'], by: ['h'], range: 'id', order: 'id desc', limit: 1 },
    countOwn: { reads: ['Task'], by: ['h'], range: 'id', count: true },
  })
  .tables({
    Jobs: {
      key: ['PK', 'SK'],
      indexes: {
        ByState: ['StatePK', 'StateSK'],
        ByName: { partition: ['NamePK'], sort: ['Name', 'NameId'] },
        ByRank: { partition: ['RankPK'], sort: ['Rank:N', 'RankId'] },
      },
    },
  })
  .keys({
    Job: {
      Jobs: ['JOB#{h}', '{id}'],
      ByState: [
        { when: { state: 'OPEN' }, key: ['H#{h}', '{id}'] },
        { when: { state: 'DONE' }, key: ['H#{h}', '{id}'] },
      ],
    },
    Task: {
      Jobs: ['H#{h}', 'TASK#{id}'],
      ByName: ['H#{h}', '{name}', '{id}'],
      ByRank: ['H#{h}', '{rank}', '{id}'],
    },
    // The least key behind all tasks.
    Note: { Jobs: ['H#{h}', 'TASK$'] },
  })
  .served({
    put: 'BatchWriteItem',
    putTasks: 'BatchWriteItem',
    putNote: 'PutItem',
    jobs: { query: 'ByState' },
    count: { query: 'ByState' },
    tasks: { query: 'ByName' },
    countTasks: { query: 'ByName' },
    ranked: { query: 'ByRank' },
    own: { query: 'Jobs' },
    last: { query: 'Jobs' },
    countOwn: { query: 'Jobs' },
  });

async function open() {
  const database = await testDatabase(jobs);
  const db = connect(jobs, { client: database.client });
  return Object.assign(database, { db });
}

test('a beginning in several forms ends before the next text', async () => {
  await using database = await open();
  const { db } = database;
  const ids = ['OPEM', 'OPEN', 'OPENX', 'OPEO', 'OPEOX'];
  await db.put(ids.map((id, i) => ({ h: 'x', id, state: i % 2 === 0 ? ('OPEN' as const) : ('DONE' as const) })));
  const input = { h: 'x', id: { begins: 'OPEN' } };
  expect((await db.jobs(input)).items.map(({ id }) => id)).toEqual(['OPEN', 'OPENX']);
  expect(await db.count(input)).toBe(2);
});

test('an excluded end is that of its own attribute', async () => {
  await using database = await open();
  const { db } = database;
  await db.putTasks([
    { h: 'x', name: 'a', id: 'b', rank: 1n },
    { h: 'x', name: 'b', id: 'a', rank: 2n },
  ]);
  const ids = async (name: { before?: string; after?: string }): Promise<string[]> =>
    (await db.tasks({ h: 'x', name })).items.map(({ id }) => id);
  expect(await ids({ before: 'b' })).toEqual(['b']);
  expect(await ids({ after: 'a' })).toEqual(['a']);
  expect(await db.countTasks({ h: 'x', name: { before: 'b' } })).toBe(1);
});

test('an excluded end of many digits is that number only', async () => {
  await using database = await open();
  const { db } = database;
  const ranks = [2n ** 60n, 2n ** 60n + 1n, 2n ** 60n + 2n];
  await db.putTasks(ranks.map((rank, i) => ({ h: 'x', name: 'a', id: `${i}`, rank })));
  const { items } = await db.ranked({ h: 'x', rank: { after: 2n ** 60n, before: 2n ** 60n + 2n } });
  expect(items.map(({ rank }) => rank)).toEqual([2n ** 60n + 1n]);
});

test('a key that is the least one behind a range is not in it', async () => {
  await using database = await open();
  const { db } = database;
  await db.putTasks(['a', 'b'].map((id) => ({ h: 'x', name: 'n', id, rank: 0n })));
  await db.putNote({ h: 'x' });
  const input = { h: 'x', id: { from: 'b' } };
  expect((await db.own(input)).items).toMatchObject([{ id: 'b' }]);
  expect((await db.last(input)).items).toMatchObject([{ id: 'b' }]);
  expect(await db.countOwn(input)).toBe(1);
});

test('a walk takes ends beyond the years of its keys', async () => {
  const signals = model('signals')
    .entities({ Signal: entity({ id: z.string(), at: z.int() }) })
    .relationships([])
    .patterns({
      add: { creates: 'Signal' },
      signals: {
        reads: ['Signal'],
        range: 'at',
        order: 'at desc',
        limit: 5,
        window: { of: 'at', from: '1969-12-30', to: '1970-01-03' },
      },
    })
    .tables({ Signals: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
    .keys({ Signal: { Signals: ['SIGNAL#{id}', 'SIGNAL'], GSI1: ['DAY#{at:epoch:day}', '{at:epoch:utc}#{id}'] } })
    .served({ add: 'PutItem', signals: { query: 'GSI1', walk: { unit: 'day', most: 9 } } });
  await using database = await testDatabase(signals);
  const db = connect(signals, { client: database.client });
  await db.add({ id: 'a', at: -5 });
  const found = async (at: object): Promise<string[]> => (await db.signals({ at })).items.map(({ id }) => id);
  expect(await found({ to: 1e12 })).toEqual(['a']);
  expect(await found({ from: -1e12, before: 9e15 })).toEqual(['a']);
  expect(await found({ from: 1e12 })).toEqual([]);
  expect(await found({ to: -1e12 })).toEqual([]);
});

test('an end that its offset takes beyond the years of keys bounds all times, or none', async () => {
  const logs = model('logs')
    .entities({ Log: entity({ h: z.string(), id: z.string(), at: z.iso.datetime({ offset: true }) }) })
    .relationships([])
    .patterns({
      create: { creates: 'Log' },
      walked: {
        reads: ['Log'],
        by: ['h'],
        range: 'at',
        order: 'at desc',
        window: { of: 'at', from: '9998-12-01', to: '9999-12-31T23:59:59Z' },
        limit: 5,
      },
      listed: { reads: ['Log'], by: ['h'], range: 'at', order: 'at desc', limit: 5 },
    })
    .tables({ Logs: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'], GSI2: ['GSI2PK', 'GSI2SK'] } } })
    .keys({
      Log: { Logs: ['LOG#{id}', 'LOG'], GSI1: ['H#{h}#{at:month}', '{at:utc}'], GSI2: ['H#{h}', '{at:utc}#{id}'] },
    })
    .served({
      create: 'PutItem',
      walked: { query: 'GSI1', walk: { unit: 'month', most: 20 } },
      listed: { query: 'GSI2' },
    });
  await using database = await testDatabase(logs);
  const db = connect(logs, { client: database.client });
  await db.create({ h: 'a', id: 'late', at: '9999-12-31T23:30:00Z' });
  await db.create({ h: 'a', id: 'early', at: '9999-12-30T23:30:00Z' });
  const all = ['late', 'early'];
  const [above, below] = ['9999-12-31T23:10:00-01:00', '0000-01-01T00:50:00+01:00'];
  for (const read of [db.walked, db.listed])
    for (const [at, ids] of [
      [{ to: above }, all],
      [{ from: below }, all],
      [{ from: above }, []],
      [{ to: below }, []],
      [{ from: above, after: '9999-12-31T23:20:00Z' }, []],
    ] as const)
      expect(
        (await read({ h: 'a', at })).items.map(({ id }) => id),
        JSON.stringify(at),
      ).toEqual(ids);
  await expect(db.listed({ h: 'a', at: { to: '9999-13-31T23:10:00-01:00' } })).rejects.toMatchObject({
    name: 'InputError',
  });
});
