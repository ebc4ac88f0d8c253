import { z } from 'zod';
import { expect, test } from 'vitest';
import { append, connect, entity, model, ref, type RunWarning } from '../src/index.ts';
import { testDatabase } from './test-database.ts';

const board = model('board')
  .entities({
    Board: entity({ board: z.string(), notes: z.array(z.string()) }),
    Task: entity({ board: z.string(), task: z.string(), state: z.string() }),
  })
  .relationships([])
  .patterns({
    addBoard: { id: 'W-1', actor: 'member', creates: 'Board' },
    note: {
      id: 'W-2',
      actor: 'member',
      updates: 'Board',
      by: ['board'],
      takes: { note: z.array(z.string()) },
      changes: { notes: append(ref('note')) },
    },
    theBoard: { id: 'W-3', actor: 'member', reads: 'Board', by: ['board'] },
    addTask: { id: 'W-4', actor: 'member', creates: 'Task' },
    openTasks: { id: 'W-5', actor: 'member', reads: ['Task'], by: ['board'], where: { state: 'open' } },
  })
  .tables({ Board: { key: ['PK', 'SK'] } })
  .keys({
    Board: { Board: ['BOARD#{board}', 'BOARD'] },
    Task: { Board: ['BOARD#{board}', 'TASK#{task}'] },
  })
  .served({
    addBoard: 'PutItem',
    note: 'UpdateItem',
    theBoard: 'GetItem',
    addTask: 'PutItem',
    openTasks: { query: 'Board' },
  });

test('LB-1 a page that is filtered almost empty is told, and only such a one', async () => {
  await using database = await testDatabase(board);
  const warnings: RunWarning[] = [];
  const db = connect(board, { client: database.client, onWarning: (warning) => warnings.push(warning) });
  const add = async (count: number, state: string): Promise<void> => {
    for (let at = 0; at < count; at += 1) await db.addTask({ board: 'b', task: `${state}-${at}`, state });
  };
  await add(5, 'open');
  await add(40, 'done');
  await db.openTasks({ board: 'b' });
  expect(warnings).toEqual([]);
  await add(50, 'old');
  expect((await db.openTasks({ board: 'b' })).items).toHaveLength(5);
  expect(warnings).toEqual([
    {
      code: 'filtered-read',
      severity: 'warning',
      operation: 'Query',
      table: 'Board',
      message:
        'A page of Board read 95 items and returned 5: what is read is paid for, whatever the filter takes away. Put what the filter asks for into a key.',
    },
  ]);
});

test('LB-5 an item that grows is told from 100 KB on, and as an error when it is nearly full', async () => {
  await using database = await testDatabase(board);
  const warnings: RunWarning[] = [];
  const db = connect(board, { client: database.client, onWarning: (warning) => warnings.push(warning) });
  const seen = (): readonly string[] => warnings.splice(0).map(({ severity, message }) => `${severity}: ${message}`);
  await db.addBoard({ board: 'b', notes: ['ü'.repeat(45_000)] });
  await db.theBoard({ board: 'b' });
  expect(seen()).toEqual([]);
  await db.note({ board: 'b', note: ['x'.repeat(20_000)] });
  await db.theBoard({ board: 'b' });
  expect(seen()).toEqual([
    'warning: An item of Board has 107 KB of the 400 KB that an item may have, most of it in notes. Give each element of what grows an item of its own.',
  ]);
  await db.addBoard({ board: 'large', notes: ['x'.repeat(380_000)] });
  expect(seen()).toEqual([expect.stringContaining('error: An item of Board has 371 KB')]);
});

test('an error of the hook is no outcome of a request', async () => {
  await using database = await testDatabase(board);
  const broken = new TypeError('the hook');
  const db = connect(board, {
    client: database.client,
    onRequest: () => {
      throw broken;
    },
  });
  const others = process.rawListeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  const seen: unknown[] = [];
  process.on('unhandledRejection', (error) => seen.push(error));
  try {
    expect(await db.addBoard({ board: 'b', notes: [] })).toEqual({ board: 'b', notes: [] });
    expect(await db.theBoard({ board: 'b' })).toEqual({ board: 'b', notes: [] });
    await expect(db.note({ board: 'absent', note: ['x'] })).rejects.toMatchObject({ code: 'not-found' });
    await expect.poll(() => seen).toEqual([broken, broken, broken]);
  } finally {
    process.removeAllListeners('unhandledRejection');
    for (const listener of others) process.on('unhandledRejection', listener as (error: unknown) => void);
  }
});
