import { expect, test } from 'vitest';
import { z } from 'zod';
import { connect, entity, model, transact } from '../../src/index.ts';
import { prove } from '../../src/prove/index.ts';
import { testDatabase } from '../test-database.ts';

/** Names that are the same whatever their case and the spaces around them. */
const people = model('people')
  .entities({
    Person: entity(
      { team: z.string(), id: z.string(), name: z.string().min(1), email: z.string() },
      { same: { name: ['trim', 'lower'], email: 'lower' }, unique: ['email'] },
    ),
  })
  .relationships([])
  .patterns({
    add: { creates: 'Person' },
    write: { updates: 'Person', by: ['team', 'id'], sets: ['email'] },
    named: { reads: ['Person'], by: ['team'], range: 'name', order: 'name asc' },
    called: { reads: ['Person'], by: ['team', 'name'] },
    mailed: { reads: 'Person', by: ['email'] },
  })
  .tables({ People: { key: ['PK', 'SK'], indexes: { ByName: ['NamePK', 'NameSK'], ByEmail: ['Email'] } } })
  .keys({
    Person: {
      People: ['TEAM#{team}', 'PERSON#{id}'],
      ByName: ['TEAM#{team}', '{name:trim:lower}'],
      ByEmail: ['EMAIL#{email:lower}'],
    },
  })
  .served({
    add: 'TransactWriteItems',
    write: ['GetItem', 'TransactWriteItems'],
    named: { query: 'ByName' },
    called: { query: 'ByName' },
    mailed: { query: 'ByEmail' },
  });

test('values that are the same are equal, and compare by their text', async () => {
  await using database = await testDatabase(people);
  const db = connect(people, { client: database.client });
  const names = ['b', ' B', 'C', 'a', 'Ab'];
  for (const [i, name] of names.entries()) await db.add({ team: 't', id: `${i}`, name, email: `e${i}` });
  const named = async (name: { from?: string; to?: string; after?: string; before?: string; begins?: string }) =>
    (await db.named({ team: 't', name })).items.map(({ id }) => id);
  expect(await named({ from: 'b', to: 'C' })).toEqual(['0', '1', '2']);
  expect(await named({ from: 'B ', to: 'b' })).toEqual(['0', '1']);
  expect(await named({ after: 'B', before: 'D' })).toEqual(['2']);
  expect(await named({ from: 'C', to: 'b' })).toEqual([]);
  expect(await named({ begins: 'A' })).toEqual(['3', '4']);
  expect((await db.called({ team: 't', name: 'B' })).items.map(({ id }) => id).sort()).toEqual(['0', '1']);
});

test('a unique value is taken by another that is the same', async () => {
  await using database = await testDatabase(people);
  const db = connect(people, { client: database.client });
  await db.add({ team: 't', id: '1', name: 'a', email: 'A@x' });
  await expect(db.add({ team: 't', id: '2', name: 'a', email: 'a@X' })).rejects.toMatchObject({ code: 'not-unique' });
  expect(await db.mailed({ email: 'a@x' })).toMatchObject({ email: 'A@x' });
});

test('a unique value that one item keeps in another spelling is not free for a second one', async () => {
  await using database = await testDatabase(people);
  const db = connect(people, { client: database.client });
  await db.add({ team: 't', id: '1', name: 'a', email: 'A@x' });
  const second = db.add.op({ team: 't', id: '2', name: 'b', email: 'a@x' });
  const respell = db.write.op({ team: 't', id: '1', email: 'a@X' });
  for (const operations of [
    [second, respell],
    [respell, second],
  ])
    // prettier-ignore
    await expect(transact(db, operations)).rejects.toMatchObject({
      failures: [{ code: 'not-unique', entity: 'Person', attribute: 'email' }],
    });
  await transact(db, [db.write.op({ team: 't', id: '1', email: 'new@x' }), second]);
  expect(await db.mailed({ email: 'A@X' })).toMatchObject({ id: '2' });
});

test('the oracle takes them for equal, too', async () => {
  await using database = await testDatabase(people);
  const { counterexamples, wrongWrites } = await prove(people, { client: database.client, runs: 12, writes: true });
  expect(counterexamples).toEqual([]);
  expect(wrongWrites).toBeUndefined();
});
