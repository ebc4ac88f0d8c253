import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connect, InputError, ksuid, ready, RuleError } from '../src/index.ts';
import { shop } from './shop.model.ts';
import { testDatabase, type TestDatabase } from './test-database.ts';

let database: TestDatabase;

beforeEach(async () => {
  database = await testDatabase(shop);
});

afterEach(async () => database[Symbol.asyncDispose]());

const open = (): ReturnType<typeof connectShop> => connectShop();
const connectShop = () => connect(shop, { client: database.client });

const alex = {
  username: 'alexdebrie',
  email: 'Alex@DeBrie.com',
  name: 'Alex DeBrie',
  addresses: { Home: { street: '1122 1st Street', city: 'Omaha', state: 'NE' } },
  createdAt: '2020-01-01T00:00:00Z',
};

const order = (n: number, username = 'alexdebrie') => ({
  username,
  orderId: ksuid({ at: Date.UTC(2020, 0, 1, 0, 0, n), random: new Uint8Array(16) }),
  createdAt: '2020-01-03T01:57:44Z',
  amount: 67.43,
  numberItems: 2,
});

const refused = async (attempt: Promise<unknown>): Promise<RuleError> => {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RuleError);
  return error as RuleError;
};

describe('creating a customer', () => {
  test('writes the customer and the guard of the e-mail address in one transaction', async () => {
    const created = await open().createCustomer(alex);
    expect(created).toEqual(alex);
    expect(database.sent()).toEqual(['TransactWriteItems']);
    expect(await database.stored('Shop')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ PK: 'CUSTOMER#alexdebrie', SK: 'CUSTOMER#alexdebrie', Type: 'Customer' }),
        {
          PK: 'CUSTOMEREMAIL#alex@debrie.com',
          SK: 'CUSTOMEREMAIL#alex@debrie.com',
          Type: 'CustomerEmail',
          email: 'Alex@DeBrie.com',
          username: 'alexdebrie',
        },
      ]),
    );
  });

  test('names the rule that refused it: the name, the address, or both', async () => {
    const db = open();
    await db.createCustomer(alex);
    await db.createCustomer({ ...alex, username: 'the_don', email: 'vito@corleone.com' });
    const taken = await refused(db.createCustomer({ ...alex, email: 'other@x.org' }));
    expect(taken.failures).toMatchObject([
      { code: 'already-exists', entity: 'Customer', item: { name: 'Alex DeBrie' } },
    ]);
    const shared = await refused(db.createCustomer({ ...alex, username: 'somebody', email: 'VITO@corleone.com' }));
    expect(shared.failures).toEqual([{ code: 'not-unique', entity: 'Customer', attribute: 'email' }]);
    const both = await refused(db.createCustomer({ ...alex, email: 'vito@corleone.com' }));
    expect(both.failures.map(({ code }) => code)).toEqual(['already-exists', 'not-unique']);
    expect(await database.stored('Shop')).toHaveLength(4);
  });

  test('lets one of many through when they come at once', async () => {
    const db = open();
    const attempts = Array.from({ length: 20 }, async (_, i) => db.createCustomer({ ...alex, username: `user${i}` }));
    const settled = await Promise.allSettled(attempts);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await database.stored('Shop')).toHaveLength(2);
  });

  test('refuses values that the schema, a key or the model does not know', async () => {
    const db = open();
    await expect(db.createCustomer({ ...alex, email: 'absent' })).rejects.toThrow(InputError);
    await expect(db.createCustomer({ ...alex, username: 'a#b' })).rejects.toThrow('has the separator "#"');
    await expect(db.createCustomer({ ...alex, shoe: 44 } as never)).rejects.toThrow(
      'Customer.shoe: is not an attribute',
    );
    expect(await database.stored('Shop')).toEqual([]);
  });
});

describe('changing the e-mail address', () => {
  test('moves the guard', async () => {
    const db = open();
    await db.createCustomer(alex);
    database.sent();
    await db.changeEmail({ username: 'alexdebrie', email: 'new@x.org' });
    expect(database.sent()).toEqual(['GetItem', 'TransactWriteItems']);
    await db.createCustomer({ ...alex, username: 'another' });
    const error = await refused(db.createCustomer({ ...alex, username: 'third', email: 'new@x.org' }));
    expect(error).toMatchObject({ code: 'not-unique', attribute: 'email' });
    expect(await refused(db.changeEmail({ username: 'another', email: 'new@x.org' }))).toMatchObject({
      code: 'not-unique',
    });
  });

  test('touches only the customer where the guard stays the same', async () => {
    const db = open();
    await db.createCustomer(alex);
    database.sent();
    await db.changeEmail({ username: 'alexdebrie', email: alex.email });
    expect(database.sent()).toEqual(['GetItem', 'UpdateItem']);
    expect((await db.customer({ username: 'alexdebrie' }))?.email).toBe(alex.email);
  });

  test('gives the guard another spelling of the same address', async () => {
    const db = open();
    await db.createCustomer(alex);
    database.sent();
    await db.changeEmail({ username: 'alexdebrie', email: 'ALEX@debrie.com' });
    expect(database.sent()).toEqual(['GetItem', 'TransactWriteItems']);
    expect((await db.customer({ username: 'alexdebrie' }))?.email).toBe('ALEX@debrie.com');
    expect(await refused(db.createCustomer({ ...alex, username: 'another' }))).toMatchObject({ code: 'not-unique' });
  });

  test('is refused for a customer that does not exist', async () => {
    expect(await refused(open().changeEmail({ username: 'absent', email: 'a@x.org' }))).toMatchObject({
      code: 'not-found',
    });
  });
});

describe('addresses', () => {
  const street = { street: '555 Broadway', city: 'Omaha', state: 'NE' };

  test('are saved and replaced, up to twenty', async () => {
    const db = open();
    await db.createCustomer(alex);
    await db.saveAddress({ username: 'alexdebrie', label: "Parents' House", address: street });
    await db.saveAddress({ username: 'alexdebrie', label: 'Home', address: street });
    expect((await db.customer({ username: 'alexdebrie' }))?.addresses).toEqual({
      Home: street,
      "Parents' House": street,
    });
    for (let i = 2; i < 20; i++) await db.saveAddress({ username: 'alexdebrie', label: `a.${i}`, address: street });
    const full = await refused(db.saveAddress({ username: 'alexdebrie', label: 'one more', address: street }));
    expect(full.code).toBe('condition-failed');
    await db.saveAddress({ username: 'alexdebrie', label: 'Home', address: street });
    expect(await refused(db.saveAddress({ username: 'no', label: 'x', address: street }))).toMatchObject({
      code: 'not-found',
    });
  });
});

describe('orders', () => {
  test('are placed with their lines, for customers that exist', async () => {
    const db = open();
    await db.createCustomer(alex);
    const first = order(1);
    const lines = ['be43', '48d7'].map((itemId) => ({
      orderId: first.orderId,
      itemId,
      description: 'A book',
      price: 9.72,
    }));
    await db.placeOrder({ order: first, lines });
    const read = await db.orderWithItems({ orderId: first.orderId });
    expect(read.order).toEqual({ ...first, status: 'ACCEPTED' });
    expect(read.items.map(({ itemId }) => itemId)).toEqual(['be43', '48d7']);
    const unknown = await refused(db.placeOrder({ order: order(2, 'absent'), lines: [] }));
    expect(unknown.failures).toEqual([{ code: 'parent-missing', entity: 'Customer', part: 'order' }]);
    const again = await refused(db.placeOrder({ order: order(3), lines }));
    expect(again.failures.map(({ code, part }) => [code, part])).toEqual([
      ['already-exists', 'lines'],
      ['already-exists', 'lines'],
    ]);
    expect((await db.orderWithItems({ orderId: order(3).orderId })).order).toBeUndefined();
  });

  test('come with the customer in one request, newest first, and then page by page', async () => {
    const db = open();
    await db.createCustomer(alex);
    for (let i = 1; i <= 25; i++) await db.placeOrder({ order: order(i), lines: [] });
    database.sent();
    const first = await db.customerWithOrders({ username: 'alexdebrie' });
    expect(database.sent()).toEqual(['Query']);
    expect(first.customer?.name).toBe('Alex DeBrie');
    expect(first.orders.map(({ orderId }) => orderId)).toEqual(newest(25, 10));
    const last = first.orders.at(-1)?.orderId ?? '';
    const second = await db.olderOrders({ username: 'alexdebrie', orderId: { before: last } });
    expect(second.items.map(({ orderId }) => orderId)).toEqual(newest(15, 10));
    const third = await db.olderOrders(
      { username: 'alexdebrie', orderId: { before: last } },
      { cursor: second.cursor },
    );
    expect(third.items.map(({ orderId }) => orderId)).toEqual(newest(5, 5));
    expect(third.cursor).toBeUndefined();
    const next = await db.customerWithOrders({ username: 'alexdebrie' }, { cursor: first.cursor });
    expect([next.customer, next.orders.length]).toEqual([undefined, 10]);
    const all: string[] = [];
    for await (const each of db.olderOrders.each({ username: 'alexdebrie' })) all.push(each.orderId);
    expect(all).toEqual(newest(25, 25));
  });

  test('keep their indexes out of sight', async () => {
    const db = open();
    await db.createCustomer(alex);
    await db.placeOrder({ order: order(1), lines: [] });
    const updated = await db.setOrderStatus({ username: 'alexdebrie', orderId: order(1).orderId, status: 'DELIVERED' });
    expect(updated).toEqual({ ...order(1), status: 'DELIVERED' });
    expect(await database.stored('Shop', 'GSI1')).toHaveLength(1);
    const missing = await refused(db.setOrderStatus({ username: 'alexdebrie', orderId: 'none', status: 'SHIPPED' }));
    expect(missing).toMatchObject({ code: 'not-found', entity: 'Order' });
    expect(await database.stored('Shop')).toHaveLength(3);
  });
});

describe('requests', () => {
  test('DB-267: can be seen without being sent', async () => {
    const db = await ready(open());
    expect(db.customerWithOrders.request({ username: 'alexdebrie' })).toEqual([
      {
        operation: 'Query',
        input: {
          TableName: 'Shop',
          ScanIndexForward: false,
          KeyConditionExpression: '#p0 = :p0 AND #s0 BETWEEN :a AND :b',
          ExpressionAttributeNames: { '#p0': 'PK', '#s0': 'SK' },
          ExpressionAttributeValues: {
            ':p0': { S: 'CUSTOMER#alexdebrie' },
            ':a': { S: '#ORDER#' },
            ':b': { S: 'CUSTOMER#alexdebrie' },
          },
          Limit: 11,
        },
      },
    ]);
    expect(db.customer.request({ username: 'x' })).toEqual([
      { operation: 'GetItem', input: { TableName: 'Shop', Key: { PK: { S: 'CUSTOMER#x' }, SK: { S: 'CUSTOMER#x' } } } },
    ]);
  });
});

describe('cursors', () => {
  test('are good for their pattern and input only, and cannot be changed', async () => {
    const db = open();
    await db.createCustomer(alex);
    for (let i = 1; i <= 12; i++) await db.placeOrder({ order: order(i), lines: [] });
    const { cursor = '' } = await db.olderOrders({ username: 'alexdebrie' });
    const other = db.olderOrders({ username: 'somebody' }, { cursor });
    await expect(other).rejects.toMatchObject({ code: 'bad-cursor' });
    await expect(db.customerWithOrders({ username: 'alexdebrie' }, { cursor })).rejects.toMatchObject({
      code: 'bad-cursor',
    });
    for (const at of [0, 5, 20, 40, cursor.length - 1]) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
      await expect(db.olderOrders({ username: 'alexdebrie' }, { cursor: changed })).rejects.toMatchObject({
        code: 'bad-cursor',
      });
    }
    const elsewhere = connect(shop, { client: database.client, secret: 'another' });
    await expect(elsewhere.olderOrders({ username: 'alexdebrie' }, { cursor })).rejects.toMatchObject({
      code: 'bad-cursor',
    });
  });
});

function newest(from: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => order(from - i).orderId);
}
