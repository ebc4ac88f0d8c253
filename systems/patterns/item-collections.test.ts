import { connect } from '@singlet/model';
import { check } from '@singlet/model/check';
import { expect, test } from 'vitest';
import { errorOf, openExample } from '../testing/example-database.ts';
import { customerOrders, orderLogs, questionsAndOrders, threeLevels } from './item-collections.ts';

const errors = (model: Parameters<typeof check>[0]): readonly string[] =>
  check(model).findings.flatMap(({ level, code }) => (level === 'error' ? [code] : []));

const twelve = Array.from({ length: 12 }, (_, n) => n + 1);
const newestTen = twelve.slice(2).toReversed();

test('P-03 a customer, the orders, one order, and the customer with the orders each take one request', async () => {
  const { client, lastItems } = await openExample(customerOrders);
  const db = connect(customerOrders, { client });
  await db.signUp({ customer: 'XYQ', name: 'Tom' });
  await db.signUp({ customer: 'VLD', name: 'Linda' });
  for (const [customer, order] of [
    ['XYQ', 1],
    ['XYQ', 2],
    ['VLD', 3],
    ['VLD', 4],
  ] as const)
    await db.place({ customer, order });
  expect((await db.customer({ customer: 'XYQ' }))?.name).toBe('Tom'); // .a
  expect((await db.orders({ customer: 'XYQ' })).items.map(({ order }) => order)).toEqual([1, 2]); // .b
  expect(await db.order({ customer: 'XYQ', order: 1 })).toEqual({ customer: 'XYQ', order: 1 }); // .c
  await db.customerWithOrders({ customer: 'XYQ' });
  expect(lastItems().map(({ SK }) => SK)).toEqual(['CUSTOMER#XYQ', 'ORDER#99998', 'ORDER#99999']); // .d
  expect(await errorOf(db.place({ customer: 'NOBODY', order: 9 }))).toMatchObject({ code: 'parent-missing' });
});

test('P-03 the last ten orders are read; with plain numbers they would be the first ten', async () => {
  const { client } = await openExample(customerOrders);
  const db = connect(customerOrders, { client });
  await db.signUp({ customer: 'XYQ', name: 'Tom' });
  for (const order of twelve) await db.place({ customer: 'XYQ', order });
  expect((await db.customerWithOrders({ customer: 'XYQ' })).orders.map(({ order }) => order)).toEqual(newestTen);

  const plain = {
    ...customerOrders,
    keys: {
      ...customerOrders.keys,
      Order: { ...customerOrders.keys['Order'], Shop: ['CUSTOMER#{customer}', 'ORDER#{order:05}'] },
    },
  } as const;
  expect(errors(plain)).toContain('parent-at-wrong-end');
  const ascending = {
    ...plain,
    patterns: { ...plain.patterns, customerWithOrders: { ...plain.patterns.customerWithOrders, order: 'order asc' } },
  } as const;
  const other = await openExample(ascending);
  const oldest = connect(ascending, { client: other.client });
  await oldest.signUp({ customer: 'XYQ', name: 'Tom' });
  for (const order of twelve) await oldest.place({ customer: 'XYQ', order });
  const { orders } = await oldest.customerWithOrders({ customer: 'XYQ' });
  expect(orders.map(({ order }) => order)).toEqual(twelve.slice(0, 10)); // .e
});

test('P-04 an order is read with its logs, which sort before it', async () => {
  const { client, stored } = await openExample(orderLogs);
  const db = connect(orderLogs, { client });
  for (const order of [1, 2]) await db.place({ customer: 'XYQ', order });
  for (const log of [1, 2]) await db.write({ log, customer: 'XYQ', order: 1 });
  const collection = (await stored('Shop', 'GSI1')).filter(({ GSI1PK }) => GSI1PK === 'CUSTOMER#XYQ#ORDER#00001');
  expect(collection.map(({ GSI1SK }) => GSI1SK)).toEqual(['LOG#00001', 'LOG#00002', 'ORDER#00001']); // .a
  const one = await db.orderWithLogs({ customer: 'XYQ', order: 1 }, { limit: 1 });
  expect([one.order?.order, one.logs.map(({ log }) => log)]).toEqual([1, [2]]); // .b
  const two = await db.orderWithLogs({ customer: 'XYQ', order: 2 });
  expect([two.order?.order, two.logs]).toEqual([2, []]); // .c
  expect((await db.logs({ customer: 'XYQ', order: 1 })).items.map(({ log }) => log)).toEqual([1, 2]);
  expect(await db.log({ log: 2 })).toMatchObject({ order: 1 });
});

test('P-05 the newest items of either set are read with the parent in one request', async () => {
  const { client, lastItems } = await openExample(questionsAndOrders);
  const db = connect(questionsAndOrders, { client });
  const customer = 'XYQ';
  await db.signUp({ customer });
  for (const n of twelve) {
    await db.ask({ customer, question: n });
    await db.place({ customer, order: n });
  }
  const numbers = () =>
    lastItems()
      .slice(0, 11)
      .map(({ Type, order, question }) => order ?? question ?? Type);
  await db.withOrders({ customer });
  expect(numbers()).toEqual(['Customer', ...newestTen]); // .a
  await db.withQuestions({ customer });
  expect(numbers()).toEqual(['Customer', ...newestTen]); // .b
  expect((await db.questions({ customer })).items.map(({ question }) => question)).toEqual(newestTen); // .c
  const all = await db.all({ customer });
  expect(1 + all.questions.length + all.orders.length).toBe(25); // .d

  // Keys that the checker refuses: the inverted set read backwards, the plain one forwards.
  const flawed = {
    ...questionsAndOrders,
    keys: {
      ...questionsAndOrders.keys,
      Question: { Shop: ['CUSTOMER#{customer}', '#QUESTION#{question:tens5}'] },
      Order: { Shop: ['CUSTOMER#{customer}', 'ORDER#{order:05}'] },
    },
  } as const;
  const refused = check(flawed).findings.flatMap(({ level, path }) => (level === 'error' ? [path] : []));
  expect(refused).toEqual(expect.arrayContaining(['served.withOrders', 'served.withQuestions']));
  const other = await openExample(flawed);
  const oldest = connect(
    {
      ...flawed,
      patterns: {
        ...flawed.patterns,
        withOrders: { ...flawed.patterns.withOrders, order: 'order asc' },
        withQuestions: { ...flawed.patterns.withQuestions, order: 'question asc' },
      },
    },
    { client: other.client },
  );
  await oldest.signUp({ customer });
  for (const n of twelve) {
    await oldest.ask({ customer, question: n });
    await oldest.place({ customer, order: n });
  }
  expect((await oldest.withOrders({ customer })).orders.map(({ order }) => order)).toEqual(twelve.slice(0, 10));
  expect((await oldest.withQuestions({ customer })).questions.map(({ question }) => question)).toEqual(
    twelve.slice(0, 10),
  ); // .e
});

test('P-40 users are read without tickets, and a user with the newest ones', async () => {
  const { client, lastItems } = await openExample(threeLevels);
  const db = connect(threeLevels, { client });
  const tom = { organization: 'ACME', user: 'TOM' };
  await db.found({ organization: 'ACME' });
  await db.join(tom);
  await db.join({ organization: 'ACME', user: 'LINDA' });
  for (const ticket of ['T1', 'T2', 'T3']) await db.open({ ticket, ...tom });
  expect((await db.users({ organization: 'ACME' })).items).toHaveLength(2); // .a
  await db.userWithTickets(tom, { limit: 2 });
  expect(
    lastItems()
      .slice(0, 3)
      .map(({ GSI1SK }) => GSI1SK),
  ).toEqual(['USER#TOM', 'TICKET#T3', 'TICKET#T2']); // .b
  expect((await db.tickets(tom)).items.map(({ ticket }) => ticket)).toEqual(['T3', 'T2', 'T1']);
  expect(await db.ticket({ ticket: 'T1' })).toMatchObject(tom); // .c
});
