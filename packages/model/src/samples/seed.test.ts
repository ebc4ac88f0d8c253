import { expect, test } from 'vitest';
import { mixed } from '../../test/patterns.model.ts';
import { shop } from '../../test/shop.model.ts';
import { testDatabase } from '../../test/test-database.ts';
import { connect, RuleError } from '../index.ts';
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
  // The guards are there: an address that is taken is refused, and given up with its owner's change.
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
