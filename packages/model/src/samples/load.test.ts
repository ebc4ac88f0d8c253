import { expect, test } from 'vitest';
import { mixed } from '../../test/patterns.model.ts';
import { shop } from '../../test/shop.model.ts';
import { testDatabase } from '../../test/test-database.ts';
import { connect, InputError } from '../index.ts';
import { load } from './load.ts';

const customer = (number: number) => ({
  username: `user-${number}`,
  email: `user-${number}@example.com`,
  name: `User ${number}`,
  addresses: {},
  createdAt: '2020-01-01T00:00:00Z',
});

test('items are loaded in batches, with their keys and guards', async () => {
  await using database = await testDatabase(shop);
  const { client } = database;
  const reported: number[] = [];
  const customers = Array.from({ length: 60 }, (_, number) => customer(number));
  const written = await load(shop, 'Customer', customers, { client, onItems: (count) => reported.push(count) });

  expect(written).toBe(60);
  expect(reported.reduce((sum, count) => sum + count, 0)).toBe(60);
  expect(database.sent()).toEqual(Array.from({ length: 5 }, () => 'BatchWriteItem'));
  expect(await database.stored('Shop')).toHaveLength(120);
  const db = connect(shop, { client });
  expect(await db.customer({ username: 'user-7' })).toEqual(customer(7));
  const taken = db.changeEmail({ username: 'user-7', email: 'user-8@example.com' });
  await expect(taken).rejects.toMatchObject({ code: 'not-unique' });
});

test('numbers and counts are loaded as they are', async () => {
  await using database = await testDatabase(mixed);
  const { client } = database;
  const name = { owner: 'alex', repo: 'tool' };
  const repo = { ...name, updatedAt: '2020-01-01T00:00:00.000Z', issueCount: 7, forks: 3 };
  await load(mixed, 'Repo', [repo], { client });
  await load(mixed, 'Issue', [{ ...name, number: 7, title: 'Seven', status: 'Closed', reactions: {} }], { client });

  const db = connect(mixed, { client });
  expect(await db.repo(name)).toEqual(repo);
  expect((await db.repoWithClosedIssues(name)).issues.map(({ number }) => number)).toEqual([7]);
  expect((await db.openIssue({ ...name, title: 'Eight' })).number).toBe(8);
});

test('every copy of an item is loaded', async () => {
  await using database = await testDatabase(mixed);
  await load(mixed, 'DealsCache', [{ deals: ['a'] }], { client: database.client });
  expect((await database.stored('Mixed')).map(({ PK }) => String(PK)).toSorted()).toEqual([
    'DEALSCACHE#1',
    'DEALSCACHE#2',
    'DEALSCACHE#3',
  ]);
});

test('values that the schemas refuse are not loaded', async () => {
  await using database = await testDatabase(shop);
  const { client } = database;
  const wrong = load(shop, 'Customer', [{ ...customer(1), email: 'nowhere' }], { client });
  await expect(wrong).rejects.toThrow(InputError);
  expect(await database.stored('Shop')).toEqual([]);
});
