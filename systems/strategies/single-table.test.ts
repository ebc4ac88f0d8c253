import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DuckDBInstance } from '@duckdb/node-api';
import { connect, entity } from '@singlet/model';
import { check } from '@singlet/model/check';
import { documentOf } from '@singlet/model/docs';
import { serve } from 'singlet';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { errorOf, openExample } from '../testing/example-database.ts';
import { administrators } from './filtering.ts';
import { followers } from './many-to-many.ts';
import { normalizedShop, wideShop } from './normal-forms.ts';
import { filters, oneTable, tenants, twoTables } from './single-table.ts';

/** The program as installed, built by `npm run build`. */
const program = fileURLToPath(new URL('../../packages/singlet/bin/singlet.js', import.meta.url));

const codesAt = (model: Parameters<typeof check>[0], place: string): readonly string[] =>
  check(model).findings.flatMap(({ code, path }) => (path.startsWith(place) ? [code] : []));

test('S-07 without prefixes one item replaces the other; with prefixes both exist', async () => {
  const { client, stored } = await openExample(tenants);
  const put = async (PK: string, SK: string) =>
    await client.send(new PutItemCommand({ TableName: 'Tenants', Item: { PK: { S: PK }, SK: { S: SK } } }));
  for (let n = 0; n < 2; n += 1) await put('Keller Williams', 'Keller Williams');
  expect(await stored('Tenants')).toHaveLength(1);
  await put('ORG#KELLERWILLIAMS', 'ORG#KELLERWILLIAMS');
  await put('USER#KELLERWILLIAMS', 'USER#KELLERWILLIAMS');
  expect(await stored('Tenants')).toHaveLength(3);

  const bare = {
    ...tenants,
    keys: {
      ...tenants.keys,
      Organization: { Tenants: ['{organization}', '{organization}'] },
      User: { Tenants: ['{organization}', '{user}'] },
    },
  } as const;
  expect(codesAt(bare, 'keys.User')).toContain('key-collision');
});

test('S-08 one overloaded index serves two patterns; two indexes with different entities are reported', () => {
  const indexes = check(administrators).patterns.filter(({ served }) => served?.place === 'GSI1');
  expect(indexes.map(({ pattern }) => pattern)).toEqual(['adminsOf', 'organizations']);
  const apart = {
    ...administrators,
    tables: { Saas: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'], GSI2: ['GSI2PK', 'GSI2SK'] } } },
    keys: {
      Organization: {
        ...administrators.keys['Organization'],
        GSI1: undefined,
        GSI2: ['ORGANIZATIONS', '{organization:upper}'],
      },
      User: administrators.keys['User'],
    },
    served: { ...administrators.served, organizations: { query: 'GSI2' } },
  };
  delete (apart.keys.Organization as { GSI1?: unknown }).GSI1;
  expect(codesAt(apart as never, 'tables')).toContain('mergeable-indexes');
});

test('S-09 several requests in series are reported, unless the strategy declares them', () => {
  // The key in the index consists of the city and the name: a change of one requires the other.
  const moved = { updates: 'User', by: ['username'], sets: ['city'] } as const;
  const withCity = (need: object, served: unknown) =>
    ({
      ...followers,
      entities: {
        ...followers.entities,
        User: entity({ username: z.string(), displayName: z.string(), city: z.string() }),
      },
      patterns: { ...followers.patterns, move: { ...moved, ...need } },
      tables: Object.fromEntries(
        Object.entries(followers.tables).map(([name, table]) => [
          name,
          { ...table, indexes: { ByCity: ['CityPK', 'CitySK'] } },
        ]),
      ),
      keys: { ...followers.keys, User: { ...followers.keys.User, ByCity: ['CITY#{city}', '{displayName}'] } },
      served: { ...followers.served, move: served },
    }) as never;
  const reads = ['GetItem', 'UpdateItem'];
  expect(codesAt(withCity({}, reads), 'served.move')).toContain('serial-requests');
  expect(codesAt(withCity({ strategy: 'S-37' }, reads), 'served.move')).not.toContain('serial-requests');
  // The remedy: the caller, who knows the name, passes it.
  expect(codesAt(withCity({ by: ['username', 'displayName'] }, 'UpdateItem'), 'served.move')).toEqual([]);
});

test('S-10 a new category is one item in the normalized form, and two in the wide one', async () => {
  const wide = await openExample(wideShop);
  const articles = connect(wideShop, { client: wide.client });
  const shirt = {
    item: 'Just Do It T-Shirt',
    categories: ['Womens', 'T-shirt', 'Sportswear'],
    manufacturerId: 1,
    manufacturer: 'Nike',
  };
  await articles.add({ ...shirt, size: "Women's Medium", price: 29.99 });
  await articles.add({ ...shirt, size: "Women's Large", price: 34.99 });
  await articles.add({
    item: 'Nebraska hat',
    size: 'One size fits all',
    price: 9.99,
    categories: ['Nebraska', 'Hats'],
    manufacturerId: 2,
    manufacturer: 'Adidas',
  });
  const { items } = await articles.sizes({ item: shirt.item });
  wide.operations();
  for (const { item, size, categories } of items)
    await articles.categorize({ item, size, categories: [...categories, 'Clearance'] });
  expect(wide.operations()).toEqual(['UpdateItem', 'UpdateItem']);

  const normal = await openExample(normalizedShop);
  const db = connect(normalizedShop, { client: normal.client });
  await db.addManufacturer({ manufacturerId: 1, manufacturer: 'Nike' });
  await db.addManufacturer({ manufacturerId: 2, manufacturer: 'Adidas' });
  await db.addItem({ itemId: 1, item: 'Just Do It T-Shirt', manufacturerId: 1 });
  await db.addItem({ itemId: 2, item: 'Nebraska hat', manufacturerId: 2 });
  for (const [itemId, size, price] of [
    [1, "Women's Medium", 29.99],
    [1, "Women's Large", 34.99],
    [2, 'One size fits all', 9.99],
  ] as const) {
    await db.price({ itemId, size, price });
  }
  for (const [index, category] of ['Womens', 'T-shirt', 'Sportswear', 'Nebraska', 'Hats', 'Clearance'].entries()) {
    await db.addCategory({ categoryId: index + 1, category });
  }
  for (const [itemId, categoryId] of [
    [1, 1],
    [1, 2],
    [1, 3],
    [2, 4],
    [2, 5],
  ] as const)
    await db.categorize({ itemId, categoryId });
  normal.operations();
  await db.categorize({ itemId: 1, categoryId: 6 });
  expect(normal.operations()).toEqual(['PutItem']);
  expect((await db.categoriesOf({ itemId: 1 })).items.map(({ categoryId }) => categoryId)).toEqual([1, 2, 3, 6]);

  // A copy of a changing attribute must name its source.
  const copied = {
    ...oneTable,
    entities: {
      ...oneTable.entities,
      Order: entity({ username: z.string(), orderId: z.string(), firstName: z.string() }),
    },
    patterns: { ...oneTable.patterns, rename: { updates: 'User', by: ['username'], sets: ['firstName'] } },
    served: { ...oneTable.served, rename: 'UpdateItem' },
  } as const;
  expect(check(copied).findings.map(({ code }) => code)).toContain('undeclared-duplicate');
});

const openTenants = async () => {
  const example = await openExample(tenants);
  const db = connect(tenants, { client: example.client });
  await db.found({ organization: 'Berkshire', plan: 'Enterprise' });
  await db.join({ organization: 'Berkshire', user: 'Warren Buffett', role: 'Admin' });
  await db.join({ organization: 'Berkshire', user: 'Charlie Munger', role: 'Member' });
  await db.found({ organization: 'Facebook', plan: 'Pro' });
  await db.join({ organization: 'Facebook', user: 'Sheryl Sandberg', role: 'Admin' });
  for (const ticketId of ['t1', 't2', 't3', 't4'])
    await db.openTicket({ organization: 'Facebook', ticketId, subject: 'Help' });
  return { ...example, db };
};

test('S-11 one table has three types of items, each read as its own type; an unknown type is an error', async () => {
  const { db, client, stored } = await openTenants();
  expect(new Set((await stored('Tenants')).map(({ Type }) => Type))).toEqual(
    new Set(['Organization', 'User', 'Ticket']),
  );
  expect((await db.tickets({ organization: 'Facebook' })).items[0]).toEqual({
    organization: 'Facebook',
    ticketId: 't1',
    subject: 'Help',
  });
  const Item = { PK: { S: 'ORG#FACEBOOK' }, SK: { S: 'USER#ZED' }, Type: { S: 'Robot' } };
  await client.send(new PutItemCommand({ TableName: 'Tenants', Item }));
  expect(await errorOf(db.organizationWithUsers({ organization: 'Facebook' }))).toMatchObject({
    name: 'UnexpectedItemError',
    type: 'Robot',
  });
});

test('S-12 each filter is served by a key condition, an index or a filter expression', () => {
  const serving = Object.fromEntries(
    check(filters).patterns.map(({ pattern, served }) => [
      pattern,
      [served?.place, served?.keyCondition, served?.filter],
    ]),
  );
  expect(serving).toMatchObject({
    ofRepo: ['Issues', 'PK = REPO#{repo} AND begins_with(SK, ISSUE#)', undefined],
    since: ['Issues', 'PK = REPO#{repo} AND SK BETWEEN ISSUE#{from} AND ISSUE#{to}', undefined],
    withStatus: ['GSI1', 'GSI1PK = REPO#{repo} AND GSI1SK BETWEEN {status}#{from} AND {status}#{to}', undefined],
    urgent: ['GSI2', 'GSI2PK = URGENT', undefined],
    labelled: ['Issues', 'PK = REPO#{repo} AND begins_with(SK, ISSUE#)', ['label']],
  });
  const unserved = { reads: ['Issue'], by: ['assignee'], limit: 25 } as const;
  const model = {
    ...filters,
    patterns: { ...filters.patterns, unserved },
    served: { ...filters.served, unserved: { query: 'Issues' } },
  } as const;
  expect(codesAt(model, 'served.unserved')).toContain('not-served');
});

test('S-13 the same keys have another meaning for each type', async () => {
  const { db, lastItems } = await openTenants();
  const names = () => lastItems().map(({ Type, user }) => user ?? Type);
  await db.organizationWithUsers({ organization: 'Berkshire' });
  expect(names()).toEqual(['Organization', 'Charlie Munger', 'Warren Buffett']);
  await db.organizationWithUsers({ organization: 'Facebook' });
  expect(names()).toEqual(['Organization', 'Sheryl Sandberg']);
});

const alex = {
  username: 'alexdebrie',
  firstName: 'Alex',
  lastName: 'DeBrie',
  addresses: { home: { street: '1 Main Street', city: 'Omaha' } },
};
const orders = [
  ['alexdebrie', '5e7272b7', 'PLACED'],
  ['alexdebrie', '42ef295e', 'PLACED'],
  ['alexdebrie', '2e7abecc', 'SHIPPED'],
  ['nedstark', '2eae1dee', 'SHIPPED'],
  ['nedstark', 'f4f80a91', 'PLACED'],
] as const;

async function openBoth() {
  const one = await openExample(oneTable);
  const two = await openExample(twoTables);
  const single = connect(oneTable, { client: one.client });
  const multiple = connect(twoTables, { client: two.client });
  for (const db of [single, multiple]) {
    await db.signUp(alex);
    await db.signUp({ username: 'nedstark', firstName: 'Eddard', lastName: 'Stark', addresses: {} });
    for (const [username, orderId, status] of orders) {
      await db.place({ username, orderId, status, orderDate: '2020-01-01', amount: 10 });
    }
  }
  one.operations();
  two.operations();
  return { one, two, single, multiple };
}

test('S-14 profile and orders take one request, and two with two tables', async () => {
  const { one, two, single, multiple } = await openBoth();
  const { user, orders: found } = await single.userWithOrders({ username: 'alexdebrie' });
  expect(one.lastItems().map(({ SK }) => SK)).toEqual([
    '#PROFILE#alexdebrie',
    'ORDER#2e7abecc',
    'ORDER#42ef295e',
    'ORDER#5e7272b7',
  ]);
  expect(one.operations()).toEqual(['Query']);
  expect(await multiple.user({ username: 'alexdebrie' })).toEqual(user);
  expect((await multiple.orders({ username: 'alexdebrie' })).items).toEqual(found);
  expect(two.operations()).toEqual(['GetItem', 'Query']);
});

test('S-15 the decision record lists tables, patterns by number of requests, and costs', () => {
  expect(documentOf(oneTable).decisions).toEqual([
    'One table, Shop, for 2 entities: what is read together is stored together. The price: a new pattern may need a backfill of stored items, and analytics an export by type.',
    'Patterns that take one request, or several side by side: 3 of 3.',
    'Strategies in Shop: S-14.',
  ]);
  expect(documentOf(twoTables).decisions[0]).toMatch(/^2 tables: Users, Orders\. The price: /);
});

test('S-16 with two tables the same data takes two requests, and an export is the table itself', async () => {
  const { two, multiple } = await openBoth();
  await multiple.user({ username: 'nedstark' });
  await multiple.orders({ username: 'nedstark' });
  expect(two.operations()).toHaveLength(2);
  expect(new Set((await two.stored('Orders')).map(({ Type }) => Type))).toEqual(new Set(['Order']));
  expect((await two.stored('Orders')).every((item) => !('PK' in item))).toBe(true);
});

test('S-17 resolvers read one type after the other, so both designs take two requests', async () => {
  const { one, two, single, multiple } = await openBoth();
  const resolve = async (loads: { user: () => Promise<unknown>; orders: () => Promise<readonly unknown[]> }) => {
    const parent = await loads.user(); // the resolver of Query.user
    return { parent, orders: await loads.orders() }; // then that of User.orders
  };
  const username = 'alexdebrie';
  const separate = await resolve({
    user: async () => await multiple.user({ username }),
    orders: async () => (await multiple.orders({ username })).items,
  });
  const together = await resolve({
    user: async () => (await single.userWithOrders({ username })).user,
    orders: async () => (await single.userWithOrders({ username })).orders,
  });
  expect(together).toEqual(separate);
  expect([one.operations().length, two.operations().length]).toEqual([2, 2]);
});

test('S-18 an export has a relation for each type, with full names and without keys', async () => {
  const { database } = await openTenants();
  const server = await serve(database, { port: 0 });
  const out = await mkdtemp(join(tmpdir(), 'singlet-relations-'));
  onTestFinished(async () => {
    await server.close();
    await rm(out, { recursive: true });
  });
  const options = ['--endpoint', server.url, '--parquet', '--rename', 'subject=topic', '--out', out];
  const environment = { ...process.env, AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
  await promisify(execFile)(process.execPath, [program, 'export', 'Tenants', ...options], { env: environment });
  const sql = await (await DuckDBInstance.create(':memory:')).connect();
  onTestFinished(() => sql.closeSync());
  const rows = async (query: string) => (await sql.runAndReadAll(query)).getRowObjects();
  const counts = ['Organization', 'User', 'Ticket'].map(
    async (type) => (await rows(`select count(*)::int as count from '${join(out, `${type}.parquet`)}'`))[0]?.['count'],
  );
  expect(await Promise.all(counts)).toEqual([2, 3, 4]);
  const [ticket] = await rows(`select * from '${join(out, 'Ticket.parquet')}' order by ticketId limit 1`);
  expect(ticket).toMatchObject({ organization: 'Facebook', ticketId: 't1', topic: 'Help' });
  for (const key of ['PK', 'SK', 'subject']) expect(ticket).not.toHaveProperty(key);
});
