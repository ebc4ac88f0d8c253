import { randomBytes } from 'node:crypto';
import { tableDefinitions } from '@singlet/model';
import { createKsuidGenerator } from '../ksuid.ts';
import { anyOf, given, type MeasuredSystem, newNames } from '../measurement/pattern-calls.ts';
import { createTable } from '../table-lifecycle.ts';
import { shop } from './model.ts';
import { sampleShop, seedShop } from './seed.ts';
import { Shop } from './shop.ts';

const TABLE_NAME = 'EcommerceTable';
const PAGE_ORDERS = 10;
const ADDRESS = { street: '1122 1st Street', city: 'Omaha', state: 'NE' };

/** A call of each access pattern of the shop. */
export const ecommerceCalls: MeasuredSystem = {
  model: shop,
  scales: { usual: 2, full: 10 },
  load: async ({ client, scale, onItems }) => {
    await createTable(client, { ...tableDefinitions(shop)[0], TableName: TABLE_NAME });
    await seedShop({ client, tableName: TABLE_NAME, scale, onItems });
  },
  open: ({ client, scale, random }) => {
    const clock = { nowMs: () => Date.now() };
    const store = new Shop({ client, clock, newOrderId: createKsuidGenerator({ clock, randomBytes }) });
    const sample = sampleShop(scale).map(({ customer: { username, email }, orders }) => ({
      username,
      email,
      orderIds: orders.map(({ order }) => order.orderId),
    }));
    const orders = sample.flatMap(({ username, orderIds }) => orderIds.map((orderId) => ({ username, orderId })));
    const regulars = sample.filter(({ orderIds }) => orderIds.length > 2 * PAGE_ORDERS);
    const customer = () => anyOf(random, sample);
    const order = () => anyOf(random, orders);
    const newName = newNames('newcomer');
    const signUp = () => {
      const username = newName();
      return { username, email: `${username}@example.com`, name: 'A newcomer' };
    };
    const temporaryAddress = async (): Promise<string> => {
      const { username } = customer();
      await store.saveAddress(username, 'Temporary', ADDRESS);
      return username;
    };
    const lines = [1, 2, 3].map((number) => ({
      itemId: `item-${number}`,
      description: 'Middlemarch',
      price: 9.95,
    }));
    return {
      'EC-01': given(signUp, (newCustomer) => store.createCustomer(newCustomer)),
      'EC-02': given(customer, ({ username }) => store.saveAddress(username, 'Business', ADDRESS)),
      'EC-03': given(temporaryAddress, (username) => store.deleteAddress(username, 'Temporary')),
      'EC-03 existing': given(temporaryAddress, (username) =>
        store.deleteAddress(username, 'Temporary', { mustExist: true }),
      ),
      'EC-04': given(customer, ({ username }) => store.placeOrder({ username, amount: 29.85, lines })),
      'EC-05': given(order, (placed) => store.changeOrderStatus({ ...placed, status: 'SHIPPED' })),
      'EC-06': given(
        () => anyOf(random, regulars),
        ({ username }) => store.viewAccount(username),
      ),
      'EC-07': given(
        () => anyOf(random, regulars),
        // The latest orders sort last, so there is a full page before any of them.
        ({ username, orderIds }) =>
          store.olderOrders(username, orderIds.toSorted().at(-random.integer(1, PAGE_ORDERS))),
      ),
      'EC-08': given(order, ({ orderId }) => store.viewOrder(orderId)),
      'EC-09': given(customer, ({ username }) => store.findCustomer(username)),
      'EC-10': given(customer, ({ email }) => store.findEmailOwner(email)),
      'EC-11': given(
        () => store.createCustomer(signUp()),
        ({ username, email }) =>
          store.changeEmail({ username, oldEmail: email, newEmail: `${username}@other.example.com` }),
      ),
      'EC-12': given(customer, ({ username }) => store.updateProfile(username, { name: 'Another name' })),
    };
  },
};
