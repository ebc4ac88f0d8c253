import { describe, expect, test } from 'vitest';
import { ManualClock } from '../clock.ts';
import { countedKsuids } from '../testing/counted-ksuids.ts';
import { drawn } from '../testing/drawn.ts';
import { createModelTable } from '../testing/model-tables.ts';
import type { RawItem, RawTable } from '../testing/raw-table.ts';
import { expectChartsInReadme } from '../testing/readme.ts';
import { twoDatabases } from '../testing/two-databases.ts';
import { useWorkbench } from '../testing/workbench.ts';
import {
  EmailOutdatedError,
  EmailTakenError,
  NoSuchOrderError,
  OrderExistsError,
  OrderUnfinishedError,
  UsernameAndEmailTakenError,
  UsernameTakenError,
} from './errors.ts';
import {
  alexdebrie,
  DONS_ORDER_ID,
  FIRST_ORDER_ID,
  firstOrder,
  FIXTURE,
  SECOND_ORDER_ID,
  secondOrder,
} from './fixture.ts';
import { shop as model } from './model.ts';
import type { Address, NewOrder, OrderLine } from './shop-objects.ts';
import type { ShopOptions } from './shop.ts';
import { Shop } from './shop.ts';

const CUSTOMER_ALEX = { PK: 'CUSTOMER#alexdebrie', SK: 'CUSTOMER#alexdebrie' };
const PARENTS: Address = { street: '1 Elm Street', city: 'Lincoln', state: 'NE', postalCode: '68501' };

const LINES: readonly OrderLine[] = [
  { itemId: '48d7', description: 'Go, Dog, Go!', price: 9.72 },
  { itemId: 'be43', description: 'Les Miserables', price: 14.64, quantity: 3, condition: 'Used', origin: 'Omaha' },
];

const ORDER: NewOrder = {
  username: 'alexdebrie',
  amount: 67.43,
  subtotal: 53.64,
  salesTax: 3.79,
  shipping: 10,
  payment: { brand: 'Visa', lastFour: '1234' },
  shippedTo: { street: '1122 1st Street', city: 'Omaha', state: 'NE' },
  lines: LINES,
};

const MANY_LINES: readonly OrderLine[] = Array.from({ length: 250 }, (_, number) => ({
  itemId: `item-${String(number).padStart(3, '0')}`,
  description: `Volume ${number}`,
  price: 1,
}));

function byKey(items: readonly RawItem[]): RawItem[] {
  const key = (item: RawItem): string => `${String(item['PK'])} ${String(item['SK'])}`;
  return items.toSorted((left, right) => (key(left) < key(right) ? -1 : 1));
}

test('the charts of the README are those of the model', async () => {
  await expectChartsInReadme(import.meta.url, model);
});

describe.each(drawn('e-commerce', twoDatabases))('e-commerce, $name', (database) => {
  const workbench = useWorkbench(database);

  async function open(
    options: Partial<ShopOptions> = {},
    items: readonly RawItem[] = FIXTURE,
  ): Promise<{ table: RawTable; clock: ManualClock; shop: Shop; another: () => Shop }> {
    const table = await createModelTable(workbench(), model);
    await table.putAll(items);
    const clock = new ManualClock('2020-02-01T12:00:00Z');
    const common = { tableName: table.name, clock, newOrderId: countedKsuids(clock), ...options };
    return {
      table,
      clock,
      shop: new Shop({ client: workbench().client, ...common }),
      another: () => new Shop({ ...common, client: workbench().newClient() }),
    };
  }

  async function expectUnchanged(table: RawTable): Promise<void> {
    expect(byKey(await table.scan())).toEqual(byKey(FIXTURE));
  }

  /** Places orders a minute apart; the newest comes last. */
  async function placeOrders(shop: Shop, clock: ManualClock, count: number): Promise<string[]> {
    const placed: string[] = [];
    for (let number = 0; number < count; number += 1) {
      clock.setToMs(clock.nowMs() + 60_000);
      placed.push((await shop.placeOrder({ username: 'the_don', amount: number, lines: [] })).orderId);
    }
    return placed;
  }

  describe('EC-01: create customer', () => {
    test('EC check 1: writes the customer and the marker', async () => {
      const { client, operations } = workbench().newLoggedClient();
      const { table, shop } = await open({ client }, []);
      await shop.createCustomer({ username: 'newbie', email: 'new@x.org', name: 'New Bie' });
      expect(operations).toEqual(['TransactWriteItems']);
      expect(byKey(await table.scan())).toEqual([
        {
          PK: 'CUSTOMER#newbie',
          SK: 'CUSTOMER#newbie',
          Type: 'Customer',
          Username: 'newbie',
          Email: 'new@x.org',
          Name: 'New Bie',
          Addresses: {},
          CreatedAt: '2020-02-01T12:00:00Z',
        },
        {
          PK: 'CUSTOMEREMAIL#new@x.org',
          SK: 'CUSTOMEREMAIL#new@x.org',
          Type: 'CustomerEmail',
          Email: 'new@x.org',
          Username: 'newbie',
        },
      ]);
    });

    test('EC check 2: a taken username', async () => {
      const { table, shop } = await open();
      const signUp = shop.createCustomer({ username: 'alexdebrie', email: 'other@x.org', name: 'Other' });
      await expect(signUp).rejects.toThrow(UsernameTakenError);
      await expectUnchanged(table);
    });

    test('EC check 3: a taken e-mail address', async () => {
      const { table, shop } = await open();
      const signUp = shop.createCustomer({ username: 'somebody', email: 'vito@corleone.com', name: 'Some' });
      await expect(signUp).rejects.toThrow(EmailTakenError);
      await expectUnchanged(table);
    });

    test('EC check 4: both taken, by different customers', async () => {
      const { table, shop } = await open();
      const signUp = shop.createCustomer({ username: 'alexdebrie', email: 'vito@corleone.com', name: 'Both' });
      await expect(signUp).rejects.toThrow(UsernameAndEmailTakenError);
      await expectUnchanged(table);
    });

    test('EC checks 2 to 4: the cancellation reasons are in the order of the actions', async () => {
      const { client, requests } = workbench().newLoggedClient();
      const reasons: unknown[] = [];
      client.middlewareStack.add(
        (next) => async (args) => {
          try {
            return await next(args);
          } catch (error) {
            const { CancellationReasons } = error as { CancellationReasons?: { Code?: string }[] };
            reasons.push(CancellationReasons?.map(({ Code }) => Code));
            throw error;
          }
        },
        { step: 'initialize', name: 'collectReasons' },
      );
      const { shop } = await open({ client });
      for (const [username, email] of [
        ['alexdebrie', 'other@x.org'],
        ['somebody', 'vito@corleone.com'],
        ['alexdebrie', 'vito@corleone.com'],
      ] as const) {
        await shop.createCustomer({ username, email, name: '' }).catch(() => {});
      }
      expect(requests.map(({ errorName }) => errorName)).toEqual(Array(3).fill('TransactionCanceledException'));
      expect(reasons).toEqual([
        ['ConditionalCheckFailed', 'None'],
        ['None', 'ConditionalCheckFailed'],
        ['ConditionalCheckFailed', 'ConditionalCheckFailed'],
      ]);
    });

    test('EC check 5: two sign-ups at once with one e-mail address: one succeeds', async () => {
      const { table, another } = await open({}, []);
      const shops = [another(), another()];
      for (let round = 0; round < 10; round += 1) {
        const email = `round${round}@x.org`;
        const outcomes = await Promise.allSettled(
          shops.map(async (shop, number) => {
            return await shop.createCustomer({ username: `user${round}-${number}`, email, name: '' });
          }),
        );
        expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
        const [refused] = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
        expect(refused).toBeInstanceOf(EmailTakenError);
      }
      expect(await table.scan()).toHaveLength(20);
    });

    test('S-65: twenty sign-ups at once with one e-mail address: one succeeds', async () => {
      const { table, another } = await open({}, []);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, async (_, number) => {
          return await another().createCustomer({ username: `user${number}`, email: 'one@x.org', name: '' });
        }),
      );
      const winners = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.username] : []));
      expect(winners).toHaveLength(1);
      expect(byKey(await table.scan())).toMatchObject([
        { PK: `CUSTOMER#${winners[0]}` },
        { PK: 'CUSTOMEREMAIL#one@x.org', Username: winners[0] },
      ]);
    });

    test('EC-01: spellings of an e-mail address are one address', async () => {
      const { table, shop } = await open();
      const signUp = shop.createCustomer({ username: 'sonny', email: ' Vito@Corleone.com ', name: 'Santino' });
      await expect(signUp).rejects.toThrow(EmailTakenError);
      await expectUnchanged(table);
    });

    test('EC-01: a username counts letter by letter', async () => {
      const { shop } = await open();
      await shop.createCustomer({ username: 'AlexDeBrie', email: 'another@x.org', name: 'Another Alex' });
      expect(await shop.findCustomer('AlexDeBrie')).toMatchObject({ name: 'Another Alex' });
      expect(await shop.findCustomer('alexdebrie')).toMatchObject({ name: 'Alex DeBrie' });
    });

    test('EC-01: requires a username and an e-mail address before sending anything', async () => {
      const { client, operations } = workbench().newLoggedClient();
      const { shop } = await open({ client });
      await expect(shop.createCustomer({ username: '', email: 'a@x.org', name: '' })).rejects.toMatchObject({
        code: 'invalid-input',
        field: 'username',
      });
      await expect(shop.createCustomer({ username: 'a', email: '  ', name: '' })).rejects.toMatchObject({
        code: 'invalid-input',
        field: 'email',
      });
      expect(operations).toEqual([]);
    });
  });

  describe('EC-02: save an address', () => {
    test('EC check 12: adds one, replaces one', async () => {
      const { client, operations } = workbench().newLoggedClient();
      const { table, shop } = await open({ client });

      await shop.saveAddress('alexdebrie', "Parents' House", PARENTS);
      expect((await shop.findCustomer('alexdebrie'))?.addresses.size).toBe(3);
      await shop.saveAddress('alexdebrie', 'Home', PARENTS);

      expect(operations).toEqual(['UpdateItem', 'GetItem', 'UpdateItem']);
      const stored = { Street: '1 Elm Street', City: 'Lincoln', State: 'NE', PostalCode: '68501' };
      expect(await table.get(CUSTOMER_ALEX)).toEqual({
        ...alexdebrie,
        Addresses: { Home: stored, Business: alexdebrie.Addresses.Business, "Parents' House": stored },
      });
    });

    test('EC check 12: refuses a 21st and still replaces one of the 20', async () => {
      const { shop } = await open();
      for (let number = 3; number <= 20; number += 1) {
        await shop.saveAddress('alexdebrie', `Address ${number}`, PARENTS);
      }
      await expect(shop.saveAddress('alexdebrie', 'Address 21', PARENTS)).rejects.toMatchObject({
        code: 'address-limit',
      });
      await shop.saveAddress('alexdebrie', 'Business', { ...PARENTS, street: '2 Elm Street' });
      const customer = await shop.findCustomer('alexdebrie');
      expect(customer?.addresses.size).toBe(20);
      expect(customer?.addresses.get('Business')?.street).toBe('2 Elm Street');
      expect(customer?.addresses.has('Address 21')).toBe(false);
    });

    test('EC-02: of six new addresses saved at once, those that fit are saved', async () => {
      const { shop, another } = await open();
      for (let number = 3; number <= 17; number += 1) {
        await shop.saveAddress('alexdebrie', `Address ${number}`, PARENTS);
      }
      const outcomes = await Promise.allSettled(
        Array.from({ length: 6 }, async (_, number) => {
          await another().saveAddress('alexdebrie', `New ${number}`, PARENTS);
        }),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
      expect((await shop.findCustomer('alexdebrie'))?.addresses.size).toBe(20);
    });

    test.each(['a.b', 'a b', '"quoted"', "Parents' House", '#name', 'naïve ✓', 'addresses[0]'])(
      'EC-02: takes the name %j',
      async (name) => {
        const { shop } = await open();
        await shop.saveAddress('alexdebrie', name, PARENTS);
        expect((await shop.findCustomer('alexdebrie'))?.addresses.get(name)).toEqual(PARENTS);
        await shop.deleteAddress('alexdebrie', name, { mustExist: true });
        expect((await shop.findCustomer('alexdebrie'))?.addresses.has(name)).toBe(false);
      },
    );

    test('EC-02: tells an unknown customer from a full address book', async () => {
      const { table, shop } = await open();
      await expect(shop.saveAddress('absent', 'Home', PARENTS)).rejects.toMatchObject({ code: 'no-such-customer' });
      await expect(shop.saveAddress('alexdebrie', '', PARENTS)).rejects.toMatchObject({ code: 'invalid-input' });
      await expectUnchanged(table);
    });
  });

  describe('EC-03: delete an address', () => {
    test('EC check 13: only Home is left', async () => {
      const { client, operations } = workbench().newLoggedClient();
      const { shop } = await open({ client });
      await shop.deleteAddress('alexdebrie', 'Business');
      expect(operations).toEqual(['UpdateItem']);
      const { customer } = await shop.viewAccount('alexdebrie');
      expect([...customer.addresses.keys()]).toEqual(['Home']);
    });

    test('EC-03: a missing address is a success unless it must exist', async () => {
      const { table, shop } = await open();
      await shop.deleteAddress('alexdebrie', 'Moon base');
      await expect(shop.deleteAddress('alexdebrie', 'Moon base', { mustExist: true })).rejects.toMatchObject({
        code: 'no-such-address',
      });
      await expect(shop.deleteAddress('absent', 'Home')).rejects.toMatchObject({ code: 'no-such-customer' });
      await expect(shop.deleteAddress('absent', 'Home', { mustExist: true })).rejects.toMatchObject({
        code: 'no-such-customer',
      });
      await expectUnchanged(table);
    });
  });

  describe('EC-04: place an order', () => {
    test('EC-04: writes the order and its lines in one request', async () => {
      const { client, operations } = workbench().newLoggedClient();
      const { table, shop } = await open({ client });
      const order = await shop.placeOrder(ORDER);
      expect(operations).toEqual(['TransactWriteItems']);

      const { lines: _, ...summary } = ORDER;
      const expected = {
        ...summary,
        orderId: order.orderId,
        createdAt: new Date('2020-02-01T12:00:00Z'),
        status: 'ACCEPTED',
        numberItems: 4,
      };
      expect(order).toEqual(expected);
      expect(await shop.viewOrder(order.orderId)).toEqual({ order: expected, lines: LINES });
      expect(await table.get({ PK: 'CUSTOMER#alexdebrie', SK: `#ORDER#${order.orderId}` })).toEqual({
        PK: 'CUSTOMER#alexdebrie',
        SK: `#ORDER#${order.orderId}`,
        GSI1PK: `ORDER#${order.orderId}`,
        GSI1SK: `ORDER#${order.orderId}`,
        Type: 'Order',
        OrderId: order.orderId,
        Username: 'alexdebrie',
        CreatedAt: '2020-02-01T12:00:00Z',
        Status: 'ACCEPTED',
        Amount: 67.43,
        NumberItems: 4,
        Subtotal: 53.64,
        SalesTax: 3.79,
        Shipping: 10,
        Payment: { Brand: 'Visa', LastFour: '1234' },
        ShippedTo: { Street: '1122 1st Street', City: 'Omaha', State: 'NE' },
      });
    });

    test('EC check 14: one line whose key exists rejects the whole order', async () => {
      const { client, operations } = workbench().newLoggedClient();
      const { table, clock, shop } = await open({ client });
      const orderId = countedKsuids(clock)();
      const key = `ORDER#${orderId}#ITEM#be43`;
      await table.put({ PK: key, SK: key, Type: 'OrderItem', OrderId: orderId, ItemId: 'be43' });
      const before = await table.scan();
      await expect(shop.placeOrder({ ...ORDER, orderId })).rejects.toMatchObject({
        code: 'order-line-exists',
        message: expect.stringContaining('be43'),
      });
      expect(byKey(await table.scan())).toEqual(byKey(before));
      expect(operations).toEqual(['TransactWriteItems']);
    });

    test('EC check 15: no orders for unknown customers', async () => {
      const { table, shop } = await open();
      await expect(shop.placeOrder({ ...ORDER, username: 'absent' })).rejects.toMatchObject({
        code: 'no-such-customer',
      });
      await expect(shop.placeOrder({ ...ORDER, username: 'absent', lines: MANY_LINES })).rejects.toMatchObject({
        code: 'no-such-customer',
      });
      await expectUnchanged(table);
    });

    test('EC-04: placed twice at once under one id, it exists once', async () => {
      const { table, clock, another } = await open();
      const orderId = countedKsuids(clock)();
      const outcomes = await Promise.allSettled(
        Array.from({ length: 8 }, async () => await another().placeOrder({ ...ORDER, orderId })),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const outcome of outcomes) {
        expect(outcome.status === 'fulfilled' || outcome.reason instanceof OrderExistsError).toBe(true);
      }
      expect(await table.scan()).toHaveLength(FIXTURE.length + 3);
    });

    test('EC-04: 98 lines are one request, the largest that fits', async () => {
      const { client, operations } = workbench().newLoggedClient();
      const { shop } = await open({ client });
      const order = await shop.placeOrder({ ...ORDER, lines: MANY_LINES.slice(0, 98) });
      expect(operations).toEqual(['TransactWriteItems']);
      expect((await shop.viewOrder(order.orderId)).lines).toHaveLength(98);
    });

    test('EC-04: 99 lines are two batches and the order', async () => {
      const { client, operations } = workbench().newLoggedClient();
      const { shop } = await open({ client });
      const order = await shop.placeOrder({ ...ORDER, lines: MANY_LINES.slice(0, 99) });
      expect(operations).toEqual(['TransactWriteItems', 'TransactWriteItems', 'TransactWriteItems']);
      expect((await shop.viewOrder(order.orderId)).lines).toHaveLength(99);
    });

    test('EC-04: few lines of more than 4 MB together are cut by size', async () => {
      const { client, operations } = workbench().newLoggedClient();
      const { shop } = await open({ client });
      const lines = MANY_LINES.slice(0, 13).map((line) => ({ ...line, description: 'long '.repeat(70_000) }));
      const order = await shop.placeOrder({ ...ORDER, lines });
      expect(operations).toEqual(['TransactWriteItems', 'TransactWriteItems', 'TransactWriteItems']);
      // The index returns 1 MB at a time.
      const detail = await shop.viewOrder(order.orderId);
      expect(detail.order.numberItems).toBe(13);
      expect(detail.lines).toEqual(lines);
      expect(operations.filter((operation) => operation === 'Query').length).toBeGreaterThan(3);
    });

    test('EC check 16: an order of 250 lines', async () => {
      const { table, shop } = await open();
      const placed = await shop.placeOrder({ ...ORDER, lines: MANY_LINES });
      const { order, lines } = await shop.viewOrder(placed.orderId);
      expect(order.numberItems).toBe(250);
      expect(lines).toEqual(MANY_LINES);
      expect(await inIndex(table, placed.orderId)).toHaveLength(251);
    });

    test('EC check 16: broken off after the first batch it is not visible, resumed it is whole', async () => {
      const client = workbench().newBreakingClient({ operation: 'TransactWriteItems', requestsMax: 1 });
      const { table, clock, shop, another } = await open({ client });
      clock.setToMs(Date.parse('2020-02-02T12:00:00Z'));

      const error = await shop.placeOrder({ ...ORDER, lines: MANY_LINES }).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(OrderUnfinishedError);
      const { orderId, cause } = error as OrderUnfinishedError;
      expect(cause).toMatchObject({ name: 'ConnectionLostError' });
      expect(await inIndex(table, orderId)).toHaveLength(98);
      const reader = another();
      expect((await reader.viewAccount('alexdebrie')).orders.map((order) => order.orderId)).not.toContain(orderId);
      await expect(reader.viewOrder(orderId)).rejects.toThrow(NoSuchOrderError);

      clock.setToMs(Date.parse('2020-02-02T13:00:00Z'));
      const resumed = await reader.placeOrder({ ...ORDER, lines: MANY_LINES, orderId });
      expect(resumed).toMatchObject({ orderId, numberItems: 250, createdAt: new Date('2020-02-02T12:00:00Z') });
      expect((await reader.viewOrder(orderId)).lines).toEqual(MANY_LINES);
      expect(await inIndex(table, orderId)).toHaveLength(251);
    });

    test('EC check 16: broken off before the last step, it is finished by the last step', async () => {
      const client = workbench().newBreakingClient({ operation: 'TransactWriteItems', requestsMax: 3 });
      const { table, clock, shop, another } = await open({ client });
      const orderId = countedKsuids(clock)();
      await expect(shop.placeOrder({ ...ORDER, lines: MANY_LINES, orderId })).rejects.toThrow(OrderUnfinishedError);
      expect(await inIndex(table, orderId)).toHaveLength(250);
      await another().placeOrder({ ...ORDER, lines: MANY_LINES, orderId });
      expect(await inIndex(table, orderId)).toHaveLength(251);
    });

    test('EC check 16: of a batch that is stored in part, the other lines are added', async () => {
      const client = workbench().newBreakingClient({ operation: 'TransactWriteItems', requestsMax: 1 });
      const { table, clock, shop, another } = await open({ client });
      const orderId = countedKsuids(clock)();
      await expect(shop.placeOrder({ ...ORDER, lines: MANY_LINES, orderId })).rejects.toThrow(OrderUnfinishedError);
      // In another order, the lines stored by the first run are spread over two batches of the second.
      await another().placeOrder({ ...ORDER, lines: MANY_LINES.toReversed(), orderId });
      expect((await another().viewOrder(orderId)).lines).toEqual(MANY_LINES);
      expect(await inIndex(table, orderId)).toHaveLength(251);
    });

    test('EC-04: a large order that is placed already takes no more lines', async () => {
      const { table, shop } = await open();
      const { orderId } = await shop.placeOrder({ ...ORDER, lines: MANY_LINES.slice(0, 150) });
      await expect(shop.placeOrder({ ...ORDER, lines: MANY_LINES, orderId })).rejects.toThrow(OrderExistsError);
      expect(await inIndex(table, orderId)).toHaveLength(151);
    });

    test('EC-04: refuses two lines for one item and an id that is no KSUID', async () => {
      const { table, shop } = await open();
      await expect(shop.placeOrder({ ...ORDER, lines: [...LINES, ...LINES] })).rejects.toMatchObject({
        code: 'invalid-input',
        field: 'lines',
      });
      await expect(shop.placeOrder({ ...ORDER, orderId: 'my-order' })).rejects.toMatchObject({
        code: 'invalid-input',
        field: 'orderId',
      });
      await expectUnchanged(table);
    });

    async function inIndex(table: RawTable, orderId: string): Promise<RawItem[]> {
      return await table.queryIndex({ indexName: 'GSI1', attributeName: 'GSI1PK', value: `ORDER#${orderId}` });
    }
  });

  describe('EC-05: change the status of an order', () => {
    test('EC check 11: both views show it, the other order is unchanged', async () => {
      const { client, operations } = workbench().newLoggedClient();
      const { table, shop } = await open({ client });
      await shop.changeOrderStatus({ username: 'alexdebrie', orderId: FIRST_ORDER_ID, status: 'DELIVERED' });
      expect(operations).toEqual(['UpdateItem']);

      const { orders } = await shop.viewAccount('alexdebrie');
      expect(orders.map(({ orderId, status }) => [orderId, status])).toEqual([
        [SECOND_ORDER_ID, 'CANCELLED'],
        [FIRST_ORDER_ID, 'DELIVERED'],
      ]);
      expect((await shop.viewOrder(FIRST_ORDER_ID)).order.status).toBe('DELIVERED');
      const changed = { ...firstOrder, Status: 'DELIVERED' };
      const expected = [...FIXTURE.filter((item) => item !== firstOrder), changed];
      expect(byKey(await table.scan())).toEqual(byKey(expected));
    });

    test('EC check 11: an unknown order fails and does not appear', async () => {
      const { table, shop } = await open();
      for (const [username, orderId] of [
        ['alexdebrie', DONS_ORDER_ID],
        ['absent', FIRST_ORDER_ID],
      ] as const) {
        const change = { username, orderId, status: 'DELIVERED' } as const;
        await expect(shop.changeOrderStatus(change)).rejects.toThrow(NoSuchOrderError);
        await expect(shop.changeOrderStatus({ ...change, expected: 'SHIPPED' })).rejects.toThrow(NoSuchOrderError);
      }
      await expectUnchanged(table);
    });

    test('EC-05: from the expected status only', async () => {
      const { table, shop } = await open();
      const change = { username: 'alexdebrie', orderId: SECOND_ORDER_ID, status: 'SHIPPED' } as const;
      await expect(shop.changeOrderStatus({ ...change, expected: 'ACCEPTED' })).rejects.toMatchObject({
        code: 'unexpected-status',
        actual: 'CANCELLED',
      });
      await expectUnchanged(table);
      await shop.changeOrderStatus({ ...change, expected: 'CANCELLED' });
      expect(await table.get({ PK: secondOrder.PK, SK: secondOrder.SK })).toEqual({
        ...secondOrder,
        Status: 'SHIPPED',
      });
    });

    test('EC-05: of ten shipments at once, one moves the order', async () => {
      const { shop, another } = await open();
      const { orderId } = await shop.placeOrder(ORDER);
      const change = { username: 'alexdebrie', orderId, status: 'SHIPPED', expected: 'ACCEPTED' } as const;
      const outcomes = await Promise.allSettled(
        Array.from({ length: 10 }, async () => {
          await another().changeOrderStatus(change);
        }),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });
  });

  describe('EC-06: customer and most recent orders', () => {
    test('EC check 6: the customer, then the orders newest first, and nothing else', async () => {
      const { client, requests } = workbench().newLoggedClient();
      const { shop } = await open({ client });
      const account = await shop.viewAccount('alexdebrie');

      expect(account.customer).toEqual({
        username: 'alexdebrie',
        email: 'alexdebrie1@gmail.com',
        name: 'Alex DeBrie',
        addresses: new Map([
          ['Home', { street: '1122 1st Street', city: 'Omaha', state: 'NE' }],
          ['Business', { street: '555 Broadway', city: 'Omaha', state: 'NE' }],
        ]),
        createdAt: new Date('2020-01-01T09:00:00Z'),
      });
      expect(account.orders).toMatchObject([
        { orderId: SECOND_ORDER_ID, status: 'CANCELLED', amount: 12.43, numberItems: 2 },
        { orderId: FIRST_ORDER_ID, status: 'SHIPPED', amount: 67.43, numberItems: 7 },
      ]);
      expect(account.before).toBeUndefined();
      expect(requests).toMatchObject([
        {
          operation: 'Query',
          input: { Limit: 11, ScanIndexForward: false },
          output: {
            Items: [
              { Type: { S: 'Customer' } },
              { OrderId: { S: SECOND_ORDER_ID } },
              { OrderId: { S: FIRST_ORDER_ID } },
            ],
          },
        },
      ]);
    });

    test('EC check 8: without the leading # of their keys, orders would come before their customer', async () => {
      const { table } = await open();
      const [customer, ...orders] = (await table.scan()).filter(({ PK }) => PK === CUSTOMER_ALEX.PK).toReversed();
      expect(customer).toMatchObject(CUSTOMER_ALEX);
      expect(orders.map(({ SK }) => SK)).toEqual([`#ORDER#${SECOND_ORDER_ID}`, `#ORDER#${FIRST_ORDER_ID}`]);

      const bare = { PK: 'CUSTOMER#bare' };
      await table.putAll(orders.map((order) => ({ ...order, ...bare, SK: String(order['SK']).slice(1) })));
      await table.put({ ...customer, ...bare });
      const backwards = (await table.scan()).filter(({ PK }) => PK === bare.PK).toReversed();
      expect(backwards.map(({ Type }) => Type)).toEqual(['Order', 'Order', 'Customer']);
    });

    test('EC check 9: a customer without orders is one item, an unknown one is not found', async () => {
      const { client, requests } = workbench().newLoggedClient();
      const { shop } = await open({ client });
      await shop.createCustomer({ username: 'newbie', email: 'new@x.org', name: 'New Bie' });
      expect(await shop.viewAccount('newbie')).toMatchObject({ customer: { username: 'newbie' }, orders: [] });
      expect(requests.at(-1)?.output).toMatchObject({ Count: 1 });
      await expect(shop.viewAccount('absent')).rejects.toMatchObject({ code: 'no-such-customer' });
    });
  });

  describe('EC-07: older orders', () => {
    test('EC check 7: 25 orders are ten, ten, five, none', async () => {
      const { clock, shop } = await open(
        {},
        FIXTURE.filter((item) => item['OrderId'] !== DONS_ORDER_ID),
      );
      const placed = await placeOrders(shop, clock, 25);

      const first = await shop.viewAccount('the_don');
      const second = await shop.olderOrders('the_don', first.before);
      const third = await shop.olderOrders('the_don', second.before);
      const fourth = await shop.olderOrders('the_don', third.orders.at(-1)?.orderId);

      const pages = [first, second, third, fourth];
      expect(pages.map(({ orders }) => orders.length)).toEqual([10, 10, 5, 0]);
      expect(pages.flatMap(({ orders }) => orders.map(({ orderId }) => orderId))).toEqual(placed.toReversed());
      expect(pages.map(({ before }) => before !== undefined)).toEqual([true, true, false, false]);
    });

    test('S-67: an order placed between two pages does not shift the second', async () => {
      const { clock, shop } = await open();
      const placed = await placeOrders(shop, clock, 15);
      const first = await shop.olderOrders('the_don');
      await placeOrders(shop, clock, 1);
      const second = await shop.olderOrders('the_don', first.before);
      expect(first.orders.map(({ orderId }) => orderId)).toEqual(placed.slice(5).toReversed());
      expect(second.orders.map(({ orderId }) => orderId)).toEqual([...placed.slice(0, 5).toReversed(), DONS_ORDER_ID]);
    });

    test('EC-07: the first page without the customer, in one request', async () => {
      const { client, operations } = workbench().newLoggedClient();
      const { shop } = await open({ client });
      const { orders } = await shop.olderOrders('alexdebrie');
      expect(operations).toEqual(['Query']);
      expect(orders.map(({ orderId }) => orderId)).toEqual([SECOND_ORDER_ID, FIRST_ORDER_ID]);
      expect(await shop.olderOrders('absent')).toEqual({ orders: [] });
    });
  });

  describe('EC-08: an order and its lines', () => {
    test('EC check 10: an order with its lines, and one without', async () => {
      const { table, shop } = await open();
      expect(await shop.viewOrder(FIRST_ORDER_ID)).toMatchObject({
        order: { orderId: FIRST_ORDER_ID, username: 'alexdebrie', amount: 67.43 },
        lines: [
          { itemId: '48d7', description: 'Go, Dog, Go!', price: 9.72 },
          { itemId: 'be43', description: 'Les Miserables', price: 14.64 },
        ],
      });
      expect(await shop.viewOrder(SECOND_ORDER_ID)).toMatchObject({ order: { orderId: SECOND_ORDER_ID }, lines: [] });

      const partition = { indexName: 'GSI1', attributeName: 'GSI1PK', value: `ORDER#${FIRST_ORDER_ID}` };
      const entries = await table.queryIndex(partition);
      expect(entries.map((entry) => entry['GSI1SK'])).toEqual(['ITEM#48d7', 'ITEM#be43', `ORDER#${FIRST_ORDER_ID}`]);
    });

    test('EC-08: an unknown order is not found', async () => {
      const { shop } = await open();
      await expect(shop.viewOrder('1VwVAvJk1GvBFfpTajm0KG7Cg9e')).rejects.toThrow(NoSuchOrderError);
    });

    test('EC check 17: the index holds orders and order lines only', async () => {
      const { table, shop } = await open();
      await shop.placeOrder(ORDER);
      await shop.createCustomer({ username: 'newbie', email: 'new@x.org', name: 'New Bie' });
      const types = (await table.scan('GSI1')).map((entry) => String(entry['Type'])).toSorted();
      expect(types).toEqual(['Order', 'Order', 'Order', 'Order', 'OrderItem', 'OrderItem', 'OrderItem', 'OrderItem']);
    });
  });

  describe('EC-09: customer and saved addresses', () => {
    test('EC-09: in one GetItem, or nothing', async () => {
      const { client, operations } = workbench().newLoggedClient();
      const { shop } = await open({ client });
      const customer = await shop.findCustomer('the_don');
      expect(operations).toEqual(['GetItem']);
      expect(customer).toMatchObject({ name: 'Vito Corleone', email: 'vito@corleone.com' });
      expect(customer?.addresses.get('Home')).toMatchObject({ street: '987 Fifth Avenue', city: 'New York' });
      expect(await shop.findCustomer('absent')).toBeUndefined();
    });
  });

  describe('EC-10: who owns an e-mail address', () => {
    test('EC-10: in one GetItem, in any spelling, or nothing', async () => {
      const { client, operations } = workbench().newLoggedClient();
      const { shop } = await open({ client });
      expect(await shop.findEmailOwner('VITO@corleone.com ')).toBe('the_don');
      expect(operations).toEqual(['GetItem']);
      expect(await shop.findEmailOwner('fredo@corleone.com')).toBeUndefined();
    });
  });

  describe('EC-11: change the e-mail address', () => {
    const change = { username: 'the_don', oldEmail: 'vito@corleone.com', newEmail: 'don@corleone.com' };

    test('EC check 18: frees the old address and takes the new one, in one request', async () => {
      const { client, operations } = workbench().newLoggedClient();
      const { shop } = await open({ client });
      await shop.changeEmail(change);
      expect(operations).toEqual(['TransactWriteItems']);
      expect((await shop.findCustomer('the_don'))?.email).toBe('don@corleone.com');

      await expect(
        shop.createCustomer({ username: 'sonny', email: 'don@corleone.com', name: 'Santino' }),
      ).rejects.toThrow(EmailTakenError);
      await shop.createCustomer({ username: 'sonny', email: 'vito@corleone.com', name: 'Santino' });
      expect(await shop.findEmailOwner('vito@corleone.com')).toBe('sonny');
      expect(await shop.findEmailOwner('don@corleone.com')).toBe('the_don');
    });

    test('EC check 18: a taken address changes nothing', async () => {
      const { table, shop } = await open();
      await expect(shop.changeEmail({ ...change, newEmail: 'AlexDeBrie1@gmail.com' })).rejects.toThrow(EmailTakenError);
      await expectUnchanged(table);
    });

    test('EC-11: a change of spelling updates the customer alone', async () => {
      const { client, operations } = workbench().newLoggedClient();
      const { table, shop } = await open({ client });
      await shop.changeEmail({ ...change, newEmail: 'Vito@Corleone.com' });
      expect(operations).toEqual(['UpdateItem']);
      const changed = FIXTURE.map((item) =>
        item['PK'] === 'CUSTOMER#the_don' && item['Type'] === 'Customer'
          ? { ...item, Email: 'Vito@Corleone.com' }
          : item,
      );
      expect(byKey(await table.scan())).toEqual(byKey(changed));

      await shop.changeEmail({ ...change, oldEmail: 'Vito@Corleone.com' });
      expect(await shop.findEmailOwner('vito@corleone.com')).toBeUndefined();
    });

    test('EC-11: is refused for an unknown customer and for an address that is no longer theirs', async () => {
      const { table, shop } = await open();
      const refusals: [Partial<typeof change>, string][] = [
        [{ username: 'absent' }, 'no-such-customer'],
        [{ username: 'absent', newEmail: 'Vito@Corleone.com' }, 'no-such-customer'],
        [{ oldEmail: 'old@corleone.com' }, 'email-outdated'],
        [{ oldEmail: 'alexdebrie1@gmail.com' }, 'email-outdated'],
        [{ oldEmail: 'VITO@corleone.com', newEmail: 'Vito@Corleone.com' }, 'email-outdated'],
        [{ newEmail: ' ' }, 'invalid-input'],
      ];
      for (const [difference, code] of refusals) {
        await expect(shop.changeEmail({ ...change, ...difference }), code).rejects.toMatchObject({ code });
      }
      await expectUnchanged(table);
    });

    test('EC-11: looks at the customer too, not only at the reservation of the old address', async () => {
      const { table, shop } = await open();
      // An address that the customer has reserved, but does not have now.
      const older = { Type: 'CustomerEmail', Email: 'old@corleone.com', Username: 'the_don' };
      await table.putAll([{ PK: 'CUSTOMEREMAIL#old@corleone.com', SK: 'CUSTOMEREMAIL#old@corleone.com', ...older }]);
      const before = byKey(await table.scan());
      await expect(shop.changeEmail({ ...change, oldEmail: 'old@corleone.com' })).rejects.toThrow(EmailOutdatedError);
      expect(byKey(await table.scan())).toEqual(before);
    });

    test("EC-11: does not release another customer's reservation", async () => {
      const { table, shop } = await open();
      const key = { PK: 'CUSTOMEREMAIL#vito@corleone.com', SK: 'CUSTOMEREMAIL#vito@corleone.com' };
      await table.putAll([{ ...key, Type: 'CustomerEmail', Email: 'vito@corleone.com', Username: 'alexdebrie' }]);
      const before = byKey(await table.scan());
      await expect(shop.changeEmail(change)).rejects.toThrow(EmailOutdatedError);
      expect(byKey(await table.scan())).toEqual(before);
    });

    test('EC-11: two customers changing to one address at once: one gets it', async () => {
      const { shop, another } = await open();
      const changes = [change, { username: 'alexdebrie', oldEmail: 'alexdebrie1@gmail.com' }];
      const outcomes = await Promise.allSettled(
        changes.map(async (each) => {
          await another().changeEmail({ ...each, newEmail: 'wanted@x.org' });
        }),
      );
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const winner = outcomes[0]?.status === 'fulfilled' ? 'the_don' : 'alexdebrie';
      expect(await shop.findEmailOwner('wanted@x.org')).toBe(winner);
      expect((await shop.findCustomer(winner))?.email).toBe('wanted@x.org');
    });
  });

  describe('writes that other requests are in the way of', () => {
    function recordingPause(): { readonly pausesMs: number[]; readonly pause: (delayMs: number) => Promise<void> } {
      const pausesMs: number[] = [];
      const pause = async (delayMs: number): Promise<void> => {
        pausesMs.push(delayMs);
        await Promise.resolve();
      };
      return { pausesMs, pause };
    }

    test('EC-01, EC-02: are repeated, after longer and longer pauses', async () => {
      const { pausesMs, pause } = recordingPause();
      const { shop } = await open({ client: workbench().newConflictingClient({ conflicts: 3 }), pause });
      await shop.createCustomer({ username: 'newbie', email: 'new@x.org', name: 'New Bie' });
      expect(pausesMs).toHaveLength(3);
      expect(pausesMs.toSorted((left, right) => left - right)).toEqual(pausesMs);

      const { shop: other } = await open({ client: workbench().newConflictingClient({ conflicts: 1 }), pause });
      await other.saveAddress('alexdebrie', 'Home', PARENTS);
      expect((await other.findCustomer('alexdebrie'))?.addresses.get('Home')).toEqual(PARENTS);
    });

    test('EC-01, EC-02: fail after nine attempts', async () => {
      const { pausesMs, pause } = recordingPause();
      const { table, shop } = await open({ client: workbench().newConflictingClient({ conflicts: 20 }), pause });
      const conflict = { code: 'write-conflict', cause: { message: 'Transaction is ongoing for the item' } };
      await expect(
        shop.createCustomer({ username: 'newbie', email: 'new@x.org', name: 'New Bie' }),
      ).rejects.toMatchObject(conflict);
      await expect(shop.saveAddress('alexdebrie', 'Home', PARENTS)).rejects.toMatchObject(conflict);
      expect(pausesMs).toHaveLength(16);
      await expectUnchanged(table);
    });
  });

  describe('EC-12: update the profile', () => {
    test('EC-12: touches the customer alone', async () => {
      const { client, operations } = workbench().newLoggedClient();
      const { table, shop } = await open({ client });
      await shop.updateProfile('alexdebrie', { name: 'Alexander DeBrie' });
      expect(operations).toEqual(['UpdateItem']);
      const expected = FIXTURE.map((item) =>
        item === alexdebrie ? { ...alexdebrie, Name: 'Alexander DeBrie' } : item,
      );
      expect(byKey(await table.scan())).toEqual(byKey(expected));
    });

    test('EC-12: an unknown customer does not come into being', async () => {
      const { table, shop } = await open();
      await expect(shop.updateProfile('absent', { name: 'Some Body' })).rejects.toMatchObject({
        code: 'no-such-customer',
      });
      await expectUnchanged(table);
    });
  });
});
