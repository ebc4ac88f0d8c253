import { expect, test } from 'vitest';
import { z } from 'zod';
import { connect, entity, model, type SentRequest, transact } from '../src/index.ts';
import { testDatabase } from './test-database.ts';

const notes = model('notes')
  .entities({ Note: entity({ user: z.string(), id: z.string(), text: z.string() }, { unique: ['text'] }) })
  .relationships([])
  .patterns({
    add: { creates: 'Note' },
    note: { reads: 'Note', by: ['user', 'id'] },
    byText: { reads: ['Note'], by: ['text'] },
  })
  .tables({ Notes: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({ Note: { Notes: ['USER#{user}', 'NOTE#{id}'], GSI1: ['TEXT#{text}', '{id}'] } })
  .served({ add: 'TransactWriteItems', note: 'GetItem', byText: { query: 'GSI1' } });

test('a hook is told of each request, with pattern, table, capacity and duration', async () => {
  await using database = await testDatabase(notes);
  const told: SentRequest[] = [];
  let clock = 0;
  const db = connect(notes, {
    client: database.client,
    now: () => (clock += 7),
    pause: async () => undefined,
    onRequest: (request) => told.push(request),
  });
  const first = { user: 'u', id: '1', text: 'x' };
  await db.add(first);
  await db.note({ user: 'u', id: '1' });
  await db.byText({ text: 'x' });
  await transact(db, [db.add.op({ user: 'u', id: '2', text: 'y' })]);
  await expect(db.add(first)).rejects.toMatchObject({ code: 'already-exists' });
  expect(told.slice(0, 4)).toEqual([
    { pattern: 'add', operation: 'TransactWriteItems', tables: ['Notes'], capacityUnits: 5, milliseconds: 7 },
    { pattern: 'note', operation: 'GetItem', tables: ['Notes'], capacityUnits: 0.5, milliseconds: 7 },
    { pattern: 'byText', operation: 'Query', tables: ['Notes'], index: 'GSI1', capacityUnits: 0.5, milliseconds: 7 },
    { pattern: 'transact', operation: 'TransactWriteItems', tables: ['Notes'], capacityUnits: 5, milliseconds: 7 },
  ]);
  expect(told[4]).toMatchObject({
    pattern: 'add',
    capacityUnits: undefined,
    error: { name: 'TransactionCanceledException' },
  });
});
