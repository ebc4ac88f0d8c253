import { expect, test } from 'vitest';
import { z } from 'zod';
import { mixed } from '../../test/patterns.model.ts';
import { shop } from '../../test/shop.model.ts';
import { testDatabase } from '../../test/test-database.ts';
import { connect, entity, model, RuleError } from '../index.ts';
import { seed } from './seed.ts';

test('seeded tables are as the patterns would have left them', async () => {
  await using database = await testDatabase(shop);
  const { client } = database;
  const written: string[] = [];
  await seed(shop, { client, items: 30, onItems: (entity) => written.push(entity) });
  expect(written.length).toBe(90);
  const db = connect(shop, { client });
  const customers = (await database.stored('Shop')).filter(({ Type }) => Type === 'Customer');
  let orders = 0;
  for (const { username } of customers) {
    for await (const order of db.olderOrders.each({ username: String(username) })) {
      expect(order.username).toBe(username);
      orders += 1;
    }
  }
  expect(orders).toBe(30);
  // The guards exist: a taken address is rejected, and is released when its owner changes it.
  const [first, second] = customers.map(({ username, email }) => ({
    username: String(username),
    email: String(email),
  }));
  if (first === undefined || second === undefined) throw new TypeError('no customers');
  await expect(db.changeEmail({ username: first.username, email: second.email })).rejects.toThrow(RuleError);
  await db.changeEmail({ username: second.username, email: 'new@example.com' });
  await db.changeEmail({ username: first.username, email: second.email });
});

test('parents count the children they were given', async () => {
  await using database = await testDatabase(mixed);
  await seed(mixed, { client: database.client, items: 12 });
  const items = await database.stored('Mixed');
  for (const brand of items.filter(({ Type }) => Type === 'Brand')) {
    expect(brand['likes']).toBe(
      items.filter((item) => item['Type'] === 'BrandLike' && item['brand'] === brand['brand']).length,
    );
  }
});

const tracker = model('tracker')
  .entities({
    Repo: entity({ repo: z.string(), issues: z.number().default(0) }),
    Issue: entity(
      { repo: z.string(), number: z.number(), title: z.string(), closedAt: z.iso.datetime().optional() },
      { sequence: { number: 'Repo.issues' } },
    ),
    Session: entity({ token: z.string(), endsAt: z.number() }, { expires: 'endsAt' }),
    Banner: entity({ text: z.string() }, { copies: 3 }),
  })
  .relationships([['Repo', '1:N', 'Issue']])
  .patterns({
    repo: { reads: 'Repo', by: ['repo'] },
    open: { reads: ['Issue'], by: ['repo'], where: { closedAt: { exists: false } }, limit: 100 },
    openIssue: { creates: 'Issue', strategy: 'S-37' },
    issues: { reads: ['Issue'], by: ['repo'], limit: 100 },
    session: { reads: 'Session', by: ['token'] },
    banner: { reads: 'Banner' },
  })
  .tables({ Tracker: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    Repo: { Tracker: ['REPO#{repo}', 'REPO#{repo}'] },
    Issue: {
      Tracker: ['REPO#{repo}', 'ISSUE#{number:06}'],
      GSI1: { when: { closedAt: { exists: false } }, key: ['OPEN#{repo}', '{number:06}'] },
    },
    Session: { Tracker: ['SESSION#{token}', 'SESSION#{token}'] },
    Banner: { Tracker: ['BANNER#{copy}', 'BANNER'] },
  })
  .served({
    repo: 'GetItem',
    open: { query: 'GSI1' },
    openIssue: ['UpdateItem', 'PutItem'],
    issues: { query: 'Tracker' },
    session: 'GetItem',
    banner: 'GetItem',
  });

test('what is seeded can be worked with: numbers continue, all copies are there, some are in the sparse index, nothing has expired', async () => {
  await using database = await testDatabase(tracker);
  const { client } = database;
  const now = Date.UTC(2031, 4, 5);
  await seed(tracker, { client, items: 20, now: () => now });
  const db = connect(tracker, { client, now: () => now });
  const items = await database.stored('Tracker');
  const [{ repo }] = items.filter(({ Type }) => Type === 'Issue') as [{ repo: string }];
  const numbers = (await db.issues({ repo })).items.map(({ number }) => number);
  const { number } = await db.openIssue({ repo, title: 'one more' });
  expect(number).toBe(Math.max(...numbers) + 1);
  expect(
    items
      .filter(({ Type }) => Type === 'Banner')
      .map(({ PK }) => String(PK))
      .sort(),
  ).toEqual(['BANNER#1', 'BANNER#2', 'BANNER#3']);
  expect(new Set(items.filter(({ Type }) => Type === 'Issue').map(({ GSI1PK }) => GSI1PK === undefined)).size).toBe(2);
  for (const { token } of items.filter(({ Type }) => Type === 'Session'))
    expect(await db.session({ token: String(token) })).toBeDefined();
});

test('input that is refused costs no number', async () => {
  await using database = await testDatabase(tracker);
  const db = connect(tracker, { client: database.client });
  await seed(tracker, { client: database.client, items: 1 });
  const [{ repo }] = (await database.stored('Tracker')).filter(({ Type }) => Type === 'Repo') as [{ repo: string }];
  const before = await db.repo({ repo });
  await expect(db.openIssue({ repo, title: 5 as never })).rejects.toThrow('Issue.title');
  await expect(db.openIssue({ repo, title: 'x', more: 1 } as never)).rejects.toThrow('more');
  expect(await db.repo({ repo })).toEqual(before);
});
