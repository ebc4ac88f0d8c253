import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { add, connect, type RuleError } from '@singlet/model';
import { check } from '@singlet/model/check';
import { expect, test } from 'vitest';
import { errorOf, type ExampleDatabase, openExample } from '../testing/example-database.ts';
import {
  actions,
  CART_LINES_MAX,
  CartTooLongError,
  checkOut,
  editing,
  invariants,
  jobQueue,
  releaseOrder,
  reserve,
  shop,
} from './constraints.ts';

test('P-21 at most ten jobs are admitted; a member may be added again; the set is removed with its last member', async () => {
  const { client } = await openExample(jobQueue);
  const db = connect(jobQueue, { client });
  const size = async () => (await db.queue({}))?.inProgress?.size;
  await db.begin({ job: 'JOB#6412' }); // .a
  await db.begin({ job: 'JOB#6412' });
  expect(await size()).toBe(1); // .f
  for (let n = 2; n <= 10; n += 1) await db.begin({ job: `JOB#${n}` });
  expect(await errorOf(db.begin({ job: 'JOB#11' }))).toMatchObject({ code: 'condition-failed' }); // .b
  await db.begin({ job: 'JOB#2' });
  expect(await size()).toBe(10); // .c
  await db.end({ job: 'JOB#2' });
  await db.begin({ job: 'JOB#11' }); // .d
  for (const job of (await db.queue({}))?.inProgress ?? []) await db.end({ job });
  expect(await size()).toBeUndefined(); // .e
});

test('P-24 the same event five times adds one member; a number would be added five times', async () => {
  const { client, stored } = await openExample(jobQueue);
  const db = connect(jobQueue, { client });
  for (let n = 0; n < 5; n += 1) await db.begin({ job: 'JOB#1' });
  expect((await db.queue({}))?.inProgress).toEqual(new Set(['JOB#1'])); // .a
  await db.end({ job: 'JOB#absent' }); // .b
  const counting = {
    ...jobQueue,
    patterns: {
      ...jobQueue.patterns,
      begin: { actor: 'stream', updates: 'JobQueue', orCreates: true, changes: { started: add(1) } },
    },
  } as const;
  expect(check(counting).findings.map(({ code }) => code)).toContain('not-idempotent');
  expect(check(jobQueue).findings.map(({ code }) => code)).not.toContain('not-idempotent'); // .c
  // A set is stored where the schema says set; the client's own rule is a list for an array.
  const documents = DynamoDBDocumentClient.from(client);
  await documents.send(new PutCommand({ TableName: 'Jobs', Item: { PK: 'A', SK: 'A', members: ['a'] } }));
  const [queue, other] = (await stored('Jobs')).toSorted((a, b) => String(b['PK']).localeCompare(String(a['PK'])));
  expect([queue?.['inProgress'], other?.['members']]).toEqual([new Set(['JOB#1']), ['a']]); // .d
});

const openEditing = async () => {
  const example = await openExample(editing);
  const db = connect(editing, { client: example.client });
  await db.create({ document: 'JKK', content: 'old', editors: ['John', 'Michael'] });
  await db.create({ document: 'MKG', content: 'old', editors: ['Susan', 'Tom'] });
  await db.appoint({ editors: ['John', 'Michael'] });
  return { ...example, db };
};

test('P-22 only editors change a document, and a missing one is not created', async () => {
  const { db } = await openEditing();
  const edit = async (document: string, user: string) => await db.edit({ document, content: 'new', user });
  expect(await edit('JKK', 'John')).toMatchObject({ document: 'JKK', content: 'new' }); // .a, .d
  expect(await errorOf(edit('MKG', 'John'))).toMatchObject({ code: 'condition-failed' });
  expect((await db.document({ document: 'MKG' }))?.content).toBe('old'); // .b
  expect(await errorOf(edit('XXX', 'John'))).toMatchObject({ code: 'not-found' });
  expect(await db.document({ document: 'XXX' })).toBeUndefined(); // .c
});

test('P-23 the editors of all documents are checked in the same transaction', async () => {
  const { client, db } = await openEditing();
  const edit = async (document: string, user: string) =>
    await db.editAny({ permission: { user }, document: { document, content: 'new' } });
  await edit('JKK', 'John');
  expect((await db.document({ document: 'JKK' }))?.content).toBe('new'); // .a
  const codes = async (attempt: Promise<unknown>) => {
    const { CancellationReasons } = ((await errorOf(attempt)) as RuleError).cause as {
      readonly CancellationReasons: readonly { readonly Code: string }[];
    };
    return CancellationReasons.map(({ Code }) => Code);
  };
  expect(await codes(edit('MKG', 'Susan'))).toEqual(['ConditionalCheckFailed', 'None']); // .b
  expect(await codes(edit('XXX', 'John'))).toEqual(['None', 'ConditionalCheckFailed']); // .d
  const Key = { PK: { S: 'EDITORS' }, SK: { S: 'EDITORS' } };
  const both = new TransactWriteItemsCommand({
    TransactItems: [
      { ConditionCheck: { TableName: 'Documents', Key, ConditionExpression: 'attribute_exists(PK)' } },
      { Update: { TableName: 'Documents', Key, UpdateExpression: 'REMOVE x' } },
    ],
  });
  await expect(client.send(both)).rejects.toMatchObject({ name: 'ValidationException' }); // .c
});

test('P-25 an insert does not replace an item, and an update does not create one', async () => {
  const { client } = await openExample(actions);
  const db = connect(actions, { client });
  await db.log({ action: '2341', executedAt: 'first' });
  expect(await errorOf(db.log({ action: '2341', executedAt: 'second' }))).toMatchObject({ code: 'already-exists' });
  expect((await db.action({ action: '2341' }))?.executedAt).toBe('first'); // .a
  expect(await errorOf(db.amend({ action: '9999', executedAt: 'never' }))).toMatchObject({ code: 'not-found' }); // .b
  // Another item of the same partition does not interfere.
  const sibling = { PK: 'ACTION#5000', SK: 'SOMETHING#ELSE', Type: 'Other' };
  await DynamoDBDocumentClient.from(client).send(new PutCommand({ TableName: 'Actions', Item: sibling }));
  await db.log({ action: '5000', executedAt: 'now' }); // .c
});

test('P-26 of two writers with one version one succeeds, and the other tries again', async () => {
  const { client } = await openExample(actions);
  const db = connect(actions, { client });
  const item = '2345';
  await db.create({ item, data: 'a' });
  expect(await errorOf(db.create({ item, data: 'b' }))).toMatchObject({ code: 'already-exists' }); // .d
  for (const version of [1, 2]) await db.change({ item, version, data: `after ${version}` });
  expect(await db.change({ item, version: 3, data: 'after 3' })).toMatchObject({ version: 4 }); // .a
  const outcomes = await Promise.allSettled(
    ['x', 'y'].map(async (data) => await db.change({ item, version: 4, data })),
  );
  const rejected = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as RuleError] : []));
  expect(rejected.map(({ code }) => code)).toEqual(['stale-version']); // .b
  const retried = async (data: string): Promise<number> => {
    const { version = 0 } = (await db.item({ item })) ?? {};
    const error = await errorOf(db.change({ item, version, data }));
    return (error as Partial<RuleError>).code === 'stale-version' ? 1 + (await retried(data)) : 1;
  };
  await Promise.all(['p', 'q', 'r'].map(retried));
  expect((await db.item({ item }))?.version).toBe(8); // .c
});

test('P-52 balances, owners, limits and stock keep their rules', async () => {
  const { client } = await openExample(invariants);
  const db = connect(invariants, { client });
  await db.open({ account: 'A1', balance: 100, owner: 'ann' });
  const withdraw = async (account: string, amount: number) => await db.withdraw({ account, amount });
  await withdraw('A1', 60);
  expect(await errorOf(withdraw('A1', 60))).toMatchObject({ code: 'condition-failed' });
  expect((await db.account({ account: 'A1' }))?.balance).toBe(40); // .a
  expect(await errorOf(withdraw('A2', 1))).toMatchObject({ code: 'not-found' });
  expect(await db.account({ account: 'A2' })).toBeUndefined(); // .d
  for (let n = 0; n < 2; n += 1) await db.begin({ account: 'A1' });
  expect(await errorOf(db.begin({ account: 'A1' }))).toMatchObject({ code: 'condition-failed' });
  expect(await errorOf(db.close({ account: 'A1', me: 'bob' }))).toMatchObject({ code: 'condition-failed' }); // .b
  await db.close({ account: 'A1', me: 'ann' });

  const { client: shopClient } = await openExample(shop);
  const stock = connect(shop, { client: shopClient });
  await stock.deliver({ product: 'P1', onHand: 1 });
  const outcomes = await Promise.allSettled(
    ['O1', 'O2'].map(async (order) => await reserve(stock, { order, product: 'P1', quantity: 1 })),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1); // .c
});

test('P-52 a condition is not a marker: a retry repeats a withdrawal whose answer was lost', async () => {
  const { client, database } = await openExample(invariants, { weather: {} });
  const db = connect(invariants, { client });
  await db.open({ account: 'A1', balance: 100, owner: 'ann' });
  await database.setWeather({ everywhere: { lostAnswerRate: 1 } });
  expect(await errorOf(db.withdraw({ account: 'A1', amount: 10 }))).toMatchObject({ name: 'InternalServerError' });
  // The SDK retries by itself, and each of its attempts withdraws.
  const attempts = (await database.weatherReport()).acted['Accounts']?.['lost-answer'] ?? 0;
  await database.setWeather({});
  expect(attempts).toBeGreaterThan(1);
  expect((await db.account({ account: 'A1' }))?.balance).toBe(100 - attempts * 10);
});

test('P-51 carts and products are read in both directions, and a checkout takes all or nothing', async () => {
  const { client } = await openExample(shop);
  const db = connect(shop, { client });
  await db.deliver({ product: 'P1', onHand: 2 });
  await db.deliver({ product: 'P2', onHand: 0 });
  for (const [cart, product] of [
    ['C1', 'P1'],
    ['C1', 'P2'],
    ['C2', 'P1'],
  ] as const)
    await db.addToCart({ cart, product, quantity: 2 });
  expect((await db.cartsWith({ product: 'P1' })).items.map(({ cart }) => cart)).toEqual(['C1', 'C2']); // .a
  expect(await errorOf(checkOut(db, 'C1'))).toMatchObject({ code: 'condition-failed' });
  expect((await db.stock({ product: 'P1' }))?.onHand).toBe(2); // .c
  await db.deliver({ product: 'P3', onHand: 9 });
  await db.addToCart({ cart: 'C2', product: 'P3', quantity: 4 });
  await reserve(db, { order: 'O1', product: 'P3', quantity: 2 });
  expect(await checkOut(db, 'C2')).toBe(true);
  const onHand = async (product: string) => (await db.stock({ product }))?.onHand;
  expect([await onHand('P1'), await onHand('P3')]).toEqual([0, 3]);
  const code = async (order: string, product: string, quantity: number) =>
    ((await errorOf(reserve(db, { order, product, quantity }))) as RuleError).code;
  expect(await code('O1', 'P1', 1)).toBe('condition-failed'); // .b
  expect(await code('O2', 'P3', 4)).toBe('condition-failed');
  expect(await code('O2', 'P4', 1)).toBe('not-found');
  expect(await onHand('P3')).toBe(3);
  expect((await db.reservedFor({ order: 'O2' })).items).toEqual([]);
});

/** Makes a call whose answers are lost, those to the SDK's retries as well. */
async function losingAnswers(database: ExampleDatabase['database'], call: () => Promise<unknown>): Promise<void> {
  await database.setWeather({ everywhere: { lostAnswerRate: 1 } });
  expect(await errorOf(call())).toMatchObject({ name: 'InternalServerError' });
  expect((await database.weatherReport()).acted).toMatchObject({
    Shop: { 'lost-answer': expect.any(Number) as number },
  });
  await database.setWeather({});
}

test('P-51 a checkout whose answer is lost takes nothing twice when it is retried', async () => {
  const { client, database } = await openExample(shop, { weather: {} });
  const db = connect(shop, { client });
  await db.deliver({ product: 'P1', onHand: 9 });
  await db.addToCart({ cart: 'C1', product: 'P1', quantity: 4 });
  await losingAnswers(database, async () => await checkOut(db, 'C1'));
  expect(await checkOut(db, 'C1')).toBe(false);
  expect((await db.stock({ product: 'P1' }))?.onHand).toBe(5);
});

test('P-51 a reservation whose answer is lost takes nothing twice when it is retried, and is released once', async () => {
  const { client, database } = await openExample(shop, { weather: {} });
  const db = connect(shop, { client });
  const onHand = async () => (await db.stock({ product: 'P1' }))?.onHand;
  await db.deliver({ product: 'P1', onHand: 9 });
  const six = { order: 'O1', product: 'P1', quantity: 6 };
  await losingAnswers(database, async () => await reserve(db, six));
  // What is left would not suffice for a second time, and is not what the retry is answered.
  expect([await onHand(), await reserve(db, six), await onHand()]).toEqual([3, false, 3]);
  expect(await reserve(db, { ...six, order: 'O2', quantity: 2 })).toBe(true);
  await losingAnswers(database, async () => await releaseOrder(db, 'O1'));
  expect(await onHand()).toBe(7);
  await releaseOrder(db, 'O1');
  expect(await onHand()).toBe(7);
  // An attempt that was under way for so long that the order has been released meanwhile
  expect(await reserve(db, six)).toBe(false);
  expect(await onHand()).toBe(7);
});

test('P-51 an order of more products than a transaction has actions is reserved line by line, and released if one is missing', async () => {
  const { client } = await openExample(shop);
  const db = connect(shop, { client });
  const products = Array.from({ length: CART_LINES_MAX + 2 }, (_, i) => `P${i}`);
  await Promise.all(products.slice(1).map(async (product) => await db.deliver({ product, onHand: 1 })));
  for (const product of products.slice(1)) await reserve(db, { order: 'O1', product, quantity: 1 });
  expect(await errorOf(reserve(db, { order: 'O1', product: 'P0', quantity: 1 }))).toMatchObject({ code: 'not-found' });
  await releaseOrder(db, 'O1');
  const left = await Promise.all(products.slice(1).map(async (product) => (await db.stock({ product }))?.onHand));
  expect(new Set(left)).toEqual(new Set([1]));
});

test('P-51 a cart of more products than a transaction has actions is refused, and nothing is taken', async () => {
  const { client } = await openExample(shop);
  const db = connect(shop, { client });
  const products = Array.from({ length: CART_LINES_MAX + 1 }, (_, i) => `P${i}`);
  await Promise.all(products.map(async (product) => await db.addToCart({ cart: 'C1', product, quantity: 1 })));
  await Promise.all(products.slice(1).map(async (product) => await db.deliver({ product, onHand: 1 })));
  expect(await errorOf(checkOut(db, 'C1'))).toBeInstanceOf(CartTooLongError);
  expect((await db.stock({ product: 'P7' }))?.onHand).toBe(1);
  await Promise.all(products.slice(1).map(async (product) => await db.addToCart({ cart: 'C2', product, quantity: 1 })));
  expect(await checkOut(db, 'C2')).toBe(true);
  expect((await db.stock({ product: 'P99' }))?.onHand).toBe(0);
});
