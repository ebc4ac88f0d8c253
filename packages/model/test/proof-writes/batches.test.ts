import { expect, test } from 'vitest';
import { z } from 'zod';
import { connect, entity, model } from '../../src/index.ts';
import { testDatabase } from '../test-database.ts';

const accounts = model('accounts')
  .entities({
    Account: entity(
      { id: z.string(), email: z.string(), version: z.number() },
      { lock: 'version', unique: ['email'], same: { email: 'lower' } },
    ),
    Note: entity({ id: z.string(), text: z.string(), version: z.number() }, { lock: 'version' }),
  })
  .relationships([])
  .patterns({
    create: { creates: 'Account' },
    respell: { updates: 'Account', by: ['id'], sets: ['email'] },
    putNotes: { puts: ['Note'] },
    note: { reads: 'Note', by: ['id'] },
  })
  .tables({ Accounts: { key: ['PK', 'SK'] } })
  .keys({
    Account: { Accounts: ['ACCOUNT#{id}', 'ACCOUNT'] },
    Note: { Accounts: ['NOTE#{id}', 'NOTE'] },
  })
  .served({
    create: 'TransactWriteItems',
    respell: ['GetItem', 'TransactWriteItems'],
    putNotes: 'BatchWriteItem',
    note: 'GetItem',
  });

test('several items with versions are put at once, and are returned as they are stored', async () => {
  await using database = await testDatabase(accounts);
  const db = connect(accounts, { client: database.client });
  const notes = await db.putNotes([
    { id: '1', text: 'a' },
    { id: '2', text: 'b' },
  ]);
  expect(notes).toEqual([
    { id: '1', text: 'a', version: 1 },
    { id: '2', text: 'b', version: 1 },
  ]);
  expect(await db.note({ id: '2' })).toEqual(notes[1]);
});

test('a guard has its value as the item has it, also where that is another that is the same', async () => {
  await using database = await testDatabase(accounts);
  const db = connect(accounts, { client: database.client });
  const guards = async (): Promise<unknown[]> =>
    (await database.stored('Accounts'))
      .filter(({ Type }) => Type === 'Account.email')
      .map(({ PK, email }) => [PK, email]);
  await db.create({ id: '1', email: 'Ann@x' });
  await db.respell({ id: '1', email: 'ann@X', version: 1 });
  expect(await guards()).toEqual([['ACCOUNTEMAIL#ann@x', 'ann@X']]);
  await expect(db.create({ id: '2', email: 'ANN@X' })).rejects.toMatchObject({ code: 'not-unique' });
});
