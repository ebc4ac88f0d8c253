import { PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { connect, entity } from '@singlet/model';
import { check } from '@singlet/model/check';
import { documentOf } from '@singlet/model/docs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ManualClock } from '../clock.ts';
import { type Change, consume, eventually } from '../testing/consume.ts';
import { openExample } from '../testing/example-database.ts';
import { admins, latestTickets, notes, oneType, orderFilter, shipments } from './sparse-indexes.ts';

test('P-10 expired items are not returned, and are deleted by the service some time later', async () => {
  const clock = new ManualClock('2020-10-26T12:00:00Z');
  const example = await openExample(notes, { clock });
  const { client, database, stored } = example;
  const db = connect(notes, { client, now: () => clock.nowMs() });
  const now = clock.nowMs() / 1000;
  const changes: Change[] = [];
  await consume(example, 'Notes', (records) => void changes.push(...records));
  const user = 'johndoe';
  await db.write({ user, note: 'before', ttl: now - 1 });
  await db.write({ user, note: 'now', ttl: now });
  await db.write({ user, note: 'after', ttl: now + 1 });
  await db.write({ user, note: 'never' });
  const textual = {
    PK: { S: 'USER#johndoe' },
    SK: { S: 'NOTE#text' },
    ttl: { S: String(now - 1) },
    Type: { S: 'Text' },
  };
  await client.send(new PutItemCommand({ TableName: 'Notes', Item: textual }));
  expect((await db.notes({ user })).items.map(({ note }) => note)).toEqual(['after', 'never']); // .a
  clock.setToMs(clock.nowMs() + 1000);
  await database.sweepExpiredItems();
  expect((await stored('Notes')).map(({ SK }) => String(SK)).sort()).toEqual(['NOTE#after', 'NOTE#never', 'NOTE#text']); // .b, .c
  await eventually(() => expect(changes.filter(({ isExpiry }) => isExpiry)).toHaveLength(2));
  expect(
    changes
      .filter(({ isExpiry }) => isExpiry)
      .map(({ eventName, oldImage }) => `${eventName} ${String(oldImage?.['note'])}`)
      .sort(),
  ).toEqual(['REMOVE before', 'REMOVE now']); // .d
});

test('P-10 a time to live that is not a number of seconds is an error', () => {
  const textual = entity({ user: z.string(), note: z.string(), ttl: z.iso.datetime() }, { expires: 'ttl' });
  const { findings } = check({ ...notes, entities: { Note: textual } });
  expect(findings.map(({ level, code }) => [level, code])).toContainEqual(['error', 'time-to-live']);
});

test('P-10 a filter that keeps only expired items is an error', () => {
  const { patterns } = notes;
  const keeping = (where: object) => ({ ...notes, patterns: { ...patterns, notes: { ...patterns.notes, where } } });
  const found = (where: object) => check(keeping(where) as typeof notes).findings.map(({ code }) => code);
  expect(found({ ttl: { atMost: 1_700_000_000 } })).toContain('time-to-live');
  expect(found({ ttl: { above: 1_700_000_000 } })).not.toContain('time-to-live');
});

const shipped = { order: '00003', customer: 'JHD', status: 'SHIPPED', shipDate: '2020-10-26T09:39:14Z' } as const;

test('P-13 shipped orders are in the index, by date, and can leave it', async () => {
  const { client, stored } = await openExample(shipments);
  const db = connect(shipments, { client });
  await db.place({ order: '00001', customer: 'KHJ', status: 'AWAITING_PAYMENT' });
  await db.place({ order: '00002', customer: 'JHD', status: 'AWAITING_SHIPMENT' });
  await db.place(shipped);
  const orders = ({ items }: { readonly items: readonly { readonly order: string }[] }) =>
    items.map(({ order }) => order);
  expect(orders(await db.shipped({}))).toEqual(['00003']); // .a
  expect(await stored('Orders', 'Shipped')).toHaveLength(1);
  await db.ship({ order: '00002', customer: 'JHD', shipDate: '2020-11-01T00:00:00Z' });
  expect(orders(await db.shippedTo({ customer: 'JHD' }))).toEqual(['00002', '00003']); // .b
  expect(orders(await db.shippedTo({ customer: 'JHD', shipDate: { from: '2020-10-27T00:00:00Z' } }))).toEqual([
    '00002',
  ]); // .c
  await db.takeBack({ order: '00002', customer: 'JHD', shipDate: '2020-11-01T00:00:00Z' });
  expect(orders(await db.shippedTo({ customer: 'JHD' }))).toEqual(['00003']); // .d
  for (let n = 0; n < 11; n += 1) {
    await db.place({ ...shipped, order: `1${n}`, shipDate: `2020-12-${10 + n}T00:00:00Z` });
  }
  const newest = orders(await db.shippedTo({ customer: 'JHD' }));
  expect(newest).toEqual(['110', '19', '18', '17', '16', '15', '14', '13', '12', '11']); // .e
});

test('T-01 the view of a sparse index has only what is in it', () => {
  const one = {
    ...shipments,
    entities: {
      Order: {
        ...shipments.entities.Order,
        rules: {
          examples: {
            order: ['00001', '00002', '00003'],
            status: ['AWAITING_PAYMENT', 'AWAITING_SHIPMENT', 'SHIPPED'],
          },
        },
      },
    },
  };
  const views = documentOf(one, { samples: 3 }).views.map(({ place, collections }) => [
    place.name,
    collections.flatMap(({ items }) => items).length,
  ]);
  expect(views).toEqual([
    ['Orders', 3],
    ['Shipped', 1],
  ]);
});

test('P-46 only the shipped orders of a month are read; the date alone is not served', async () => {
  const { client, requests } = await openExample(orderFilter);
  const db = connect(orderFilter, { client });
  const order = { customer: 'xyq', status: 'SHIPPED' } as const;
  await db.place({ ...order, order: '1', createdAt: '2020-10-05T00:00:00Z' });
  await db.place({ ...order, order: '2', createdAt: '2020-11-05T00:00:00Z' });
  await db.place({ ...order, order: '3', status: 'AWAITING_PAYMENT', createdAt: '2020-10-06T00:00:00Z' });
  requests();
  const october = { ...order, createdAt: { begins: '2020-10' } };
  expect((await db.withStatus(october)).items.map((each) => each.order)).toEqual(['1']);
  expect(requests().map(({ output }) => [output?.['Count'], output?.['ScannedCount']])).toEqual([[1, 1]]); // .a
  await db.setStatus({ order: '3', customer: 'xyq', createdAt: '2020-10-06T00:00:00Z', status: 'SHIPPED' });
  expect((await db.withStatus(october)).items.map((each) => each.order)).toEqual(['1', '3']);

  const byDate = { reads: ['Order'], by: ['customer'], range: 'createdAt', limit: 25 } as const;
  const { findings } = check({
    ...orderFilter,
    patterns: { ...orderFilter.patterns, byDate },
    served: { ...orderFilter.served, byDate: { query: 'GSI1' } },
  });
  expect(findings.filter(({ level, path }) => level === 'error' && path.endsWith('byDate'))).not.toEqual([]); // .b
});

test('P-47 three administrators among a thousand users take three read items', async () => {
  const { client, requests } = await openExample(admins);
  const db = connect(admins, { client });
  const users = Array.from({ length: 1000 }, (_, n) => ({
    organization: 'acme',
    user: `u${n}`,
    isAdmin: n % 400 === 0,
  }));
  await db.save(users);
  requests();
  expect((await db.admins({ organization: 'acme' })).items.map(({ user }) => user)).toEqual(['u0', 'u400', 'u800']);
  expect(requests().map(({ output }) => output?.['ScannedCount'])).toEqual([3]); // .a
  await db.setAdmin({ organization: 'acme', user: 'u400', isAdmin: false });
  expect((await db.admins({ organization: 'acme' })).items).toHaveLength(2); // .b
});

test('P-48 five customers among 500 items take five reads of the index, or 500 of the table', async () => {
  const { client, requests } = await openExample(oneType);
  const db = connect(oneType, { client });
  await db.addCustomers(Array.from({ length: 5 }, (_, n) => ({ customer: `c${n}` })));
  await db.addEvents(Array.from({ length: 495 }, (_, n) => ({ event: `e${n}` })));
  requests();
  expect((await db.customers({})).items).toHaveLength(5); // .a
  expect((await db.customersOfTable({})).items).toHaveLength(5);
  expect(requests().map(({ output }) => output?.['ScannedCount'])).toEqual([5, 500]); // .b
});

test('P-49 an updated ticket comes first, and is in the index once', async () => {
  const { client, stored } = await openExample(latestTickets);
  const db = connect(latestTickets, { client });
  for (const n of [1, 2, 3])
    await db.open({ ticket: `t${n}`, organization: 'acme', updatedAt: `2020-01-0${n}T00:00:00Z` });
  for (let day = 10; day < 20; day += 1)
    await db.touch({ ticket: 't1', organization: 'acme', updatedAt: `2020-01-${day}T00:00:00Z` });
  expect((await db.latest({ organization: 'acme' })).items.map(({ ticket }) => ticket)).toEqual(['t1', 't3', 't2']); // .a
  const toKey = new UpdateItemCommand({
    TableName: 'Tickets',
    Key: { PK: { S: 'TICKET#t1' }, SK: { S: 'TICKET#t1' } },
    UpdateExpression: 'SET SK = :sk',
    ExpressionAttributeValues: { ':sk': { S: 'other' } },
  });
  await expect(client.send(toKey)).rejects.toMatchObject({ name: 'ValidationException' }); // .b
  expect(await stored('Tickets', 'GSI1')).toHaveLength(3); // .c
});
