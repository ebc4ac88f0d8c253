import { PutItemCommand, QueryCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { connect } from '@singlet/model';
import { check } from '@singlet/model/check';
import { expect, test } from 'vitest';
import { openExample } from '../testing/example-database.ts';
import {
  administrators,
  appointments,
  freeSlots,
  mailing,
  orderStatus,
  orderTimes,
  repos,
  rowsWith,
  tickets,
} from './filtering.ts';
import { roles } from './many-to-many.ts';

test('S-39 the partition key is the first reduction, of the table and of the index', async () => {
  const { client, requests } = await openExample(roles);
  const db = connect(roles, { client });
  await db.cast({ actor: 'Tom Hanks', movie: 'Toy Story', role: 'Woody' });
  await db.cast({ actor: 'Tim Allen', movie: 'Toy Story', role: 'Buzz Lightyear' });
  await db.cast({ actor: 'Natalie Portman', movie: 'Black Swan', role: 'Nina Sayers' });
  requests();
  expect((await db.moviesOf({ actor: 'Natalie Portman' })).items).toHaveLength(1);
  expect((await db.actorsIn({ movie: 'Toy Story' })).items).toHaveLength(2);
  expect(requests().map(({ output }) => output?.['ScannedCount'])).toEqual([1, 2]);
});

const januaryOrders = ['2020-01-05T08:17:44', '2020-01-11T09:01:26', '2020-01-16T23:05:04', '2020-02-01T00:00:01'];

test('S-40 a range of times is read, because the key has one format', async () => {
  const { client } = await openExample(orderTimes);
  const db = connect(orderTimes, { client });
  for (const at of januaryOrders) await db.place({ customerId: '36ab55a589e4', orderTime: `${at}Z`, amount: 10 });
  const { items } = await db.between({
    customerId: '36ab55a589e4',
    orderTime: { from: '2020-01-11T00:00:00Z', to: '2020-02-01T00:00:00Z' },
  });
  expect(items.map(({ orderTime }) => orderTime.slice(5, 10))).toEqual(['01-11', '01-16']);
  await expect(
    db.place({ customerId: '36ab55a589e4', orderTime: '2020-01-11 09:01:26', amount: 10 }),
  ).rejects.toMatchObject({ path: 'Order.orderTime' });
});

test('S-40 a blank in place of the T sorts before the bound', async () => {
  const { client } = await openExample(orderTimes);
  for (const at of januaryOrders) {
    const SK = { S: at.replace('T', ' ') };
    await client.send(new PutItemCommand({ TableName: 'Orders', Item: { customerId: { S: 'c1' }, SK } }));
  }
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: 'Orders',
      KeyConditionExpression: 'customerId = :c AND SK BETWEEN :from AND :to',
      ExpressionAttributeValues: {
        ':c': { S: 'c1' },
        ':from': { S: '2020-01-11T00:00:00' },
        ':to': { S: '2020-02-01 00:00:00' },
      },
    }),
  );
  expect(Items.map(({ SK }) => SK?.S)).toEqual(['2020-01-16 23:05:04']);
});

test('S-41 a parent between two kinds of children is read with either kind, without an index', async () => {
  const { client, lastItems, operations } = await openExample(repos);
  const db = connect(repos, { client });
  const repo = { owner: 'alexdebrie', repo: 'dynamodb-book' };
  await db.create(repo);
  await db.openIssue({ ...repo, number: 2, status: 'Open' });
  await db.openIssue({ ...repo, number: 3, status: 'Closed' });
  await db.openIssue({ ...repo, number: 4, status: 'Open' });
  await db.star({ ...repo, username: 'danny-developer' });
  await db.star({ ...repo, username: 'sally-scala' });
  operations();
  const kinds = () => lastItems().map(({ Type, number, username }) => number ?? username ?? Type);
  await db.repoWithIssues(repo);
  expect(kinds()).toEqual(['Repo', 4, 3, 2]);
  await db.repoWithStars(repo);
  expect(kinds()).toEqual(['Repo', 'danny-developer', 'sally-scala']);
  const { issues } = await db.repoWithIssues(repo, { limit: 1 });
  expect([kinds().slice(0, 2), issues.map(({ number }) => number)]).toEqual([['Repo', 4], [4]]);
  expect(operations()).toEqual(['Query', 'Query', 'Query']);
});

test('S-42 the cancelled orders of a quarter are read; a new status rewrites the key', async () => {
  const { client, stored } = await openExample(orderStatus);
  const db = connect(orderStatus, { client });
  const place = (
    customerId: string,
    orderId: string,
    amount: number,
    status: 'PLACED' | 'CANCELLED' | 'DELIVERED',
    orderDate: string,
  ) => db.place({ customerId, orderId, amount, status, orderDate });
  await place('2b5a41c0', '0d397f6ca4ba', 99.14, 'CANCELLED', '2020-01-14');
  await place('2b5a41c0', '33ae6f099c76', 78.03, 'DELIVERED', '2018-02-14');
  await place('2b5a41c0', '5dd7d9d6e862', 20.45, 'CANCELLED', '2019-07-25');
  await place('2b5a41c0', '954d5cc59f88', 19.67, 'CANCELLED', '2019-01-19');
  await place('b6bc729a', '5efef0259abc', 14.12, 'PLACED', '2020-02-18');
  const quarter = {
    customerId: '2b5a41c0',
    status: 'CANCELLED',
    orderDate: { from: '2019-07-01', to: '2019-09-30' },
  } as const;
  expect((await db.withStatus(quarter)).items.map(({ orderId }) => orderId)).toEqual(['5dd7d9d6e862']);
  const indexOrder = async () =>
    (await stored('Orders', 'GSI1')).filter(({ customerId }) => customerId === '2b5a41c0').map(({ GSI1SK }) => GSI1SK);
  expect(await indexOrder()).toEqual([
    'CANCELLED#2019-01-19',
    'CANCELLED#2019-07-25',
    'CANCELLED#2020-01-14',
    'DELIVERED#2018-02-14',
  ]);

  await place('2b5a41c0', 'first', 1, 'CANCELLED', '2019-07-01');
  await place('2b5a41c0', 'last', 1, 'CANCELLED', '2019-09-30');
  await place('2b5a41c0', 'after', 1, 'CANCELLED', '2019-10-01');
  expect((await db.withStatus(quarter)).items.map(({ orderId }) => orderId)).toEqual(['first', '5dd7d9d6e862', 'last']);

  await db.setStatus({ customerId: '2b5a41c0', orderId: '5dd7d9d6e862', status: 'DELIVERED' });
  expect(await indexOrder()).toContain('DELIVERED#2019-07-25');
});

test('S-43 administrators are in the index, and leave it with their role', async () => {
  const { client, stored } = await openExample(administrators);
  const db = connect(administrators, { client });
  await db.found({ organization: 'Berkshire Hathaway', plan: 'Enterprise' });
  await db.join({ organization: 'Berkshire Hathaway', user: 'Charlie Munger', role: 'Member' });
  await db.join({ organization: 'Berkshire Hathaway', user: 'Warren Buffett', role: 'Admin' });
  await db.found({ organization: 'Facebook', plan: 'Pro' });
  await db.join({ organization: 'Facebook', user: 'Sheryl Sandberg', role: 'Admin' });
  const admins = async () => (await db.adminsOf({ organization: 'Berkshire Hathaway' })).items.map(({ user }) => user);
  expect(await admins()).toEqual(['Warren Buffett']);
  expect((await db.organizations({})).items.map(({ organization }) => organization)).toEqual([
    'Berkshire Hathaway',
    'Facebook',
  ]);
  expect(await stored('Saas', 'GSI1')).toHaveLength(4);
  await db.setRole({ organization: 'Berkshire Hathaway', user: 'Warren Buffett', role: 'Member' });
  expect(await stored('Saas', 'GSI1')).toHaveLength(3);
  await db.setRole({ organization: 'Berkshire Hathaway', user: 'Warren Buffett', role: 'Admin' });
  await db.setRole({ organization: 'Berkshire Hathaway', user: 'Charlie Munger', role: 'Admin' });
  expect((await admins()).sort()).toEqual(['Charlie Munger', 'Warren Buffett']);
});

test('S-44 a scan of the sparse index reads customers only', async () => {
  const { client, requests } = await openExample(mailing);
  const db = connect(mailing, { client });
  await db.signUp({ name: 'Alex DeBrie', joinedAt: '2020-01-12T08:02:57Z' });
  await db.signUp({ name: 'Barry Bonds', joinedAt: '2020-01-18T19:53:59Z' });
  await db.order({ orderId: 'O1MLKM4', customer: 'Barry Bonds' });
  await db.order({ orderId: 'OIQ410', customer: 'Alex DeBrie' });
  await db.stock({ itemId: 'PQOIUA0', title: 'Spalding basketball', price: 29.99 });
  await db.stock({ itemId: 'DAJR10', title: 'A Tale of Two Cities', price: 9.99 });
  requests();
  expect((await db.everyCustomer({})).items.map(({ name }) => name).sort()).toEqual(['Alex DeBrie', 'Barry Bonds']);
  await client.send(
    new ScanCommand({
      TableName: 'Shop',
      FilterExpression: '#type = :customer',
      ExpressionAttributeNames: { '#type': 'Type' },
      ExpressionAttributeValues: { ':customer': { S: 'Customer' } },
    }),
  );
  expect(requests().map(({ output }) => [output?.['Count'], output?.['ScannedCount']])).toEqual([
    [2, 2],
    [2, 6],
  ]);
});

test('S-45 exactly ten items are returned, at a visible price; the key needs one request', async () => {
  const { client, requests } = await openExample(tickets);
  const db = connect(tickets, { client });
  for (let n = 0; n < 60; n += 1) await db.create({ user: 'alex', ticketId: `t${100 + n}`, open: n % 4 === 0 });
  requests();
  expect((await db.openTickets({ user: 'alex', open: true })).items).toHaveLength(10);
  const filtered = requests();
  const read = filtered.reduce((sum, { output }) => sum + Number(output?.['ScannedCount']), 0);
  expect(filtered.length).toBeGreaterThan(1);
  expect(read).toBeGreaterThan(30);

  expect((await db.openByKey({ user: 'alex' })).items).toHaveLength(10);
  expect(requests().map(({ output }) => output?.['ScannedCount'])).toEqual([10]);

  // The same condition, fixed and without an index for it, causes a finding: a filter would do the work of a key.
  const selected = check({ ...tickets, served: { ...tickets.served, openByKey: { query: 'Tickets', readAhead: 25 } } });
  expect(selected.findings.map(({ code, path }) => [code, path])).toContainEqual([
    'filter-selects',
    'served.openByKey',
  ]);
});

test('S-46 gaps in a calendar are found, and any column is filtered, below a megabyte', async () => {
  const { client, operations } = await openExample(appointments);
  const db = connect(appointments, { client });
  const day = { person: 'alex', date: '2020-02-03' };
  for (const [from, to] of [
    ['09:00', '10:00'],
    ['10:30', '12:00'],
    ['13:00', '15:00'],
  ] as const) {
    await db.book({ ...day, from, to });
  }
  operations();
  const { items } = await db.ofDay(day);
  expect(operations()).toEqual(['Query']);
  expect(freeSlots(items, { from: '09:00', to: '17:00' }, 60)).toEqual([
    { from: '12:00', to: '13:00' },
    { from: '15:00', to: '17:00' },
  ]);

  const rows = [
    { order: 1, status: 'OPEN', country: 'FR' },
    { order: 2, status: 'OPEN', country: 'US' },
  ];
  expect(rowsWith(rows, { status: 'OPEN', country: 'US' })).toEqual([rows[1]]);
  expect(() => rowsWith([{ text: 'x'.repeat(1024 * 1024) }], {})).toThrow(RangeError);
});
