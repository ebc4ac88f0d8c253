import { tableDefinitions } from '@singlet/model';
import { check } from '@singlet/model/check';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../clock.ts';
import { drawn } from '../testing/drawn.ts';
import type { RawTable } from '../testing/raw-table.ts';
import { expectChartsInReadme } from '../testing/readme.ts';
import { twoDatabases } from '../testing/two-databases.ts';
import type { LoggedClient, Workbench } from '../testing/workbench.ts';
import { useWorkbench } from '../testing/workbench.ts';
import type { ShopError } from './errors.ts';
import { lessonShop } from './model.ts';
import type { Order } from './shop.ts';
import { LessonShop, ORDER_ITEMS_MAX } from './shop.ts';

const [definition] = tableDefinitions(lessonShop);

const ORDERS = [
  { day: '2024-01-15', seq: '001', total: 150 },
  { day: '2024-01-20', seq: '002', total: 89.9 },
  { day: '2024-03-05', seq: '003', total: 230 },
];
const BOOK = { productId: 'book', name: 'A book', price: 20.5, quantity: 1 };
const LAMP = { productId: 'lamp', name: 'A lamp', price: 34.6, quantity: 2 };

interface ShopAtWork {
  readonly shop: LessonShop;
  readonly table: RawTable;
  readonly clock: ManualClock;
  readonly log: LoggedClient;
}

/** João with three orders and a session, on 2024-03-10. `log` has the requests since then. */
async function openShop(workbench: Workbench): Promise<ShopAtWork> {
  const table = await workbench.createTable(definition!);
  const log = workbench.newLoggedClient();
  const clock = new ManualClock('2024-01-02T09:00:00Z');
  const shop = new LessonShop({ client: log.client, tableName: table.name, clock });
  await shop.createUser({ userId: '123', name: 'João Silva', email: 'joao@example.org' });
  for (const { day, seq, total } of ORDERS) {
    clock.setToMs(Date.parse(`${day}T12:00:00Z`));
    await shop.placeOrder({ userId: '123', orderId: { day, seq }, items: [LAMP, BOOK], total });
  }
  await shop.createProduct({ productId: 'book', name: 'A book', price: 20.5 });
  clock.setToMs(Date.parse('2024-03-10T08:00:00Z'));
  await shop.logIn({ userId: '123', sessionId: 'abc123', lastsSeconds: 3600 });
  (log.requests as unknown[]).length = 0;
  (log.operations as string[]).length = 0;
  return { shop, table, clock, log };
}

function numbers(orders: readonly Order[]): readonly string[] {
  return orders.map(({ seq }) => seq);
}

describe.each(drawn('lesson shop', twoDatabases))('lesson shop: $name', (database) => {
  const workbench = useWorkbench(database);

  test('LE-A1: what is under a user, in its order', async () => {
    const { table } = await openShop(workbench());
    const items = (await table.scan()).filter(({ PK }) => PK === 'USER#123');
    const sortKeys = items.map(({ SK }) => SK as string);
    expect(sortKeys).toEqual([
      'ORDER#2024-01-15#001',
      'ORDER#2024-01-20#002',
      'ORDER#2024-03-05#003',
      'PROFILE',
      'SESSION#abc123',
    ]);
  });

  test('LE-A2: all orders of a user, the newest first', async () => {
    const { shop, log } = await openShop(workbench());
    const { items, cursor } = await shop.ordersOf('123');
    expect(numbers(items)).toEqual(['003', '002', '001']);
    expect(cursor).toBeUndefined();
    const page = await shop.ordersOf('123', { limit: 2 });
    expect(numbers((await shop.ordersOf('123', { limit: 2, cursor: page.cursor })).items)).toEqual(['001']);
    expect(log.operations).toEqual(['Query', 'Query', 'Query']);
  });

  test('LE-A3: the orders of the last thirty days', async () => {
    const { shop, clock, log } = await openShop(workbench());
    expect(numbers(await shop.recentOrdersOf('123'))).toEqual(['003']);
    expect(log.requests[0]?.input['ExpressionAttributeValues']).toMatchObject({
      ':a': { S: 'ORDER#2024-02-09' },
      ':b': { S: 'ORDER#2024-03-11' },
    });
    clock.setToMs(Date.parse('2024-03-05T00:00:00Z')); // an order of today is one of the last thirty days
    expect(numbers(await shop.recentOrdersOf('123'))).toEqual(['003']);
  });

  test('LE-A4, LE-A5: the user and all orders in one query of half a unit, without the session', async () => {
    const { shop, log } = await openShop(workbench());
    const { user, orders } = await shop.userWithOrders('123');
    expect([user?.name, numbers(orders)]).toEqual(['João Silva', ['003', '002', '001']]);
    const items = log.requests[0]?.output?.['Items'] as Record<string, { S: string }>[];
    expect(items.map((item) => item['SK']?.S)).toEqual([
      'PROFILE',
      'ORDER#2024-03-05#003',
      'ORDER#2024-01-20#002',
      'ORDER#2024-01-15#001',
    ]);
    expect(log.requests.map(({ output }) => output?.['ConsumedCapacity'])).toMatchObject([{ CapacityUnits: 0.5 }]);
  });

  test('LE-A6: an order by its id alone, and by its user', async () => {
    const { shop, log } = await openShop(workbench());
    expect(await shop.findOrder({ day: '2024-01-20', seq: '002' })).toMatchObject({ userId: '123', total: 89.9 });
    expect(await shop.findOrderOf('123', { day: '2024-01-20', seq: '002' })).toMatchObject({ total: 89.9 });
    expect(await shop.findOrderOf('9', { day: '2024-01-20', seq: '002' })).toBeUndefined();
    expect(log.operations).toEqual(['GetItem', 'GetItem', 'GetItem']);
  });

  test('LE-A7: the orders of January and what they come to', async () => {
    const { shop } = await openShop(workbench());
    const january = await shop.ordersBetween('123', { from: '2024-01-01', before: '2024-02-01' });
    expect(numbers(january)).toEqual(['002', '001']);
    expect(january.reduce((cents, { total }) => cents + Math.round(total * 100), 0)).toBe(23_990);
  });

  test('LE-A8, LE-W3: one review of a user on a product that is there', async () => {
    const { shop, log } = await openShop(workbench());
    await shop.review({ productId: 'book', userId: '123', rating: 5, text: 'Read it twice.' });
    const again = shop.review({ productId: 'book', userId: '123', rating: 1, text: 'Third time.' });
    await expect(again).rejects.toMatchObject({ code: 'already-exists', entity: 'Review' });
    const unknown = shop.review({ productId: 'none', userId: '123', rating: 1, text: 'Where?' });
    const error = (await unknown.catch((reason: unknown) => reason)) as ShopError;
    expect(error).toMatchObject({ code: 'not-found', entity: 'Product' });
    expect((error.cause as Error).cause).toMatchObject({ name: 'TransactionCanceledException' });
    expect(log.operations).toEqual(['TransactWriteItems', 'TransactWriteItems', 'TransactWriteItems']);
    expect(await shop.findReview({ productId: 'book', userId: '123' })).toMatchObject({ rating: 5 });
    expect(await shop.findReview({ productId: 'book', userId: '124' })).toBeUndefined();
  });

  test('LE-1, LE-6, LE-7: a user, a product, and its reviews by user', async () => {
    const { shop } = await openShop(workbench());
    expect(await shop.findUser('123')).toMatchObject({ name: 'João Silva' });
    expect(await shop.findUser('9')).toBeUndefined();
    expect(await shop.findProduct('book')).toEqual({ productId: 'book', name: 'A book', price: 20.5 });
    for (const userId of ['c', 'a', 'b']) {
      await shop.review({ productId: 'book', userId, rating: 4, text: `By ${userId}.` });
    }
    const { items, cursor } = await shop.reviewsOf('book', { limit: 2 });
    const rest = await shop.reviewsOf('book', { limit: 2, cursor });
    expect([...items, ...rest.items].map(({ userId }) => userId)).toEqual(['a', 'b', 'c']);
  });

  test('LE-5, LE-11: the items of an order, alone and with it', async () => {
    const { shop, log } = await openShop(workbench());
    const orderId = { day: '2024-03-05', seq: '003' };
    expect((await shop.itemsOf(orderId)).map(({ productId }) => productId)).toEqual(['book', 'lamp']);
    const { order, items } = await shop.orderWithItems(orderId);
    expect([order?.total, items.map(({ productId, quantity }) => [productId, quantity])]).toEqual([
      230,
      [
        ['lamp', 2],
        ['book', 1],
      ],
    ]);
    expect(log.operations).toEqual(['Query', 'Query']);
  });

  test('LE-10: sessions that have not expired, whether or not the others have been deleted', async () => {
    const { shop, clock, log } = await openShop(workbench());
    await shop.logIn({ userId: '123', sessionId: 'phone', lastsSeconds: 60 });
    expect((await shop.activeSessionsOf('123')).map(({ sessionId }) => sessionId)).toEqual(['abc123', 'phone']);
    clock.setToMs(Date.parse('2024-03-10T08:01:00Z'));
    expect((await shop.activeSessionsOf('123')).map(({ sessionId }) => sessionId)).toEqual(['abc123']);
    expect(log.requests.at(-1)?.output).toMatchObject({ ScannedCount: 2, Count: 1 });
    expect(log.requests.at(-1)?.input['FilterExpression']).toContain('>');
  });

  test('LE-W1: an order is placed as a whole, with 98 items at most', async () => {
    const { shop, table, log } = await openShop(workbench());
    const before = (await table.scan()).length;
    const items = Array.from({ length: ORDER_ITEMS_MAX }, (_, number) => ({ ...BOOK, productId: `p${number}` }));
    const orderId = { day: '2024-03-10', seq: '001' };
    const order = await shop.placeOrder({ userId: '123', orderId, items });
    expect(order).toMatchObject({ total: 2009, status: 'PLACED', placedAt: '2024-03-10T08:00:00.000Z' });
    expect(log.operations).toEqual(['TransactWriteItems']);
    expect(log.requests[0]?.input['TransactItems']).toHaveLength(100);
    expect(await table.scan()).toHaveLength(before + 100);

    // The id is taken, by another user's order as well.
    const taken = shop.placeOrder({ userId: '124', orderId, items: [LAMP] });
    await expect(taken).rejects.toMatchObject({ code: 'already-exists' });
    const tooMany = shop.placeOrder({ userId: '123', orderId: { ...orderId, seq: '002' }, items: [...items, LAMP] });
    await expect(tooMany).rejects.toMatchObject({ code: 'too-many-items' });
    await expect(
      shop.placeOrder({ userId: '123', orderId: { ...orderId, seq: '1' }, items: [LAMP] }),
    ).rejects.toMatchObject({ name: 'InputError' }); // a number of another width would sort elsewhere
    expect(await table.scan()).toHaveLength(before + 100);
  });

  test('LE-W1: of two orders that take one id at the same time one is placed', async () => {
    const { table, clock } = await openShop(workbench());
    const orderId = { day: '2024-03-10', seq: '007' };
    const outcomes = await Promise.allSettled(
      ['123', '124'].map(async (userId) => {
        const shop = new LessonShop({ client: workbench().newClient(), tableName: table.name, clock });
        return await shop.placeOrder({ userId, orderId, items: [LAMP] });
      }),
    );
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const orders = (await table.scan()).filter(({ SK }) => SK === 'ORDER#2024-03-10#007');
    expect(orders).toHaveLength(1);
  });

  test('LE-W2: a change of status reaches both copies or none', async () => {
    const { shop, log } = await openShop(workbench());
    const orderId = { day: '2024-03-05', seq: '003' };
    await shop.setOrderStatus({ userId: '123', orderId }, 'SHIPPED');
    expect(log.operations).toEqual(['TransactWriteItems']);
    expect(await shop.findOrder(orderId)).toMatchObject({ status: 'SHIPPED' });
    expect((await shop.ordersOf('123')).items[0]).toMatchObject({ status: 'SHIPPED' });
    const wrongUser = shop.setOrderStatus({ userId: '124', orderId }, 'DELIVERED');
    await expect(wrongUser).rejects.toMatchObject({ code: 'not-found' });
    expect(await shop.findOrder(orderId)).toMatchObject({ status: 'SHIPPED' });
  });
});

describe('lesson shop: model', () => {
  test('all patterns are served as declared, and nothing is left to remark', () => {
    expect(check(lessonShop).findings).toEqual([]);
  });

  test('has its charts in the README', async () => {
    await expectChartsInReadme(import.meta.url, lessonShop);
  });
});
