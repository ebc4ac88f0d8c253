import type { ApplicationLoad, LoadSite, OpenLoad, StoredItem } from '../../http/load.ts';
import { lackedBy } from '../../http/stored-items.ts';
import { sampleShop } from '../seed.ts';
import { BOOKS } from './books.ts';

interface Account {
  readonly orders: readonly { readonly orderId: string; readonly status: string }[];
}

/** Customers look at their account and orders, place orders, and the warehouse ships them. */
export const load: ApplicationLoad = {
  holds: 'every order has all its lines, and every e-mail address has one owner',
  open: async (site) => {
    const customers = sampleShop(site.scale).map(({ customer }) => customer.username);
    for (const as of customers.slice(0, 20)) {
      const body = { street: '1 Elm Street', city: 'Lincoln', state: 'NE' };
      await site.ask('PUT', '/account/addresses/Load', { as, body });
    }
    return { actions: actionsOf(site, customers.slice(0, 20)), faultsIn };
  },
};

function actionsOf(site: LoadSite, customers: readonly string[]): OpenLoad['actions'] {
  const customer = (): string => site.oneOf(customers);
  /** Does something with one of a customer's newest orders; without any, it looks at the account. */
  const withOrder = async (act: (orderId: string, as: string) => Promise<Response>): Promise<Response> => {
    const as = customer();
    const { orders } = await site.read<Account>('/account', { as });
    return orders.length === 0 ? await site.ask('GET', '/account', { as }) : await act(site.oneOf(orders).orderId, as);
  };
  return [
    { name: 'account', weight: 40, act: async () => await site.ask('GET', '/account', { as: customer() }) },
    {
      name: 'order',
      weight: 25,
      act: async () => await withOrder(async (orderId, as) => await site.ask('GET', `/orders/${orderId}`, { as })),
    },
    { name: 'addresses', weight: 5, act: async () => await site.ask('GET', '/account/addresses', { as: customer() }) },
    {
      name: 'place an order',
      weight: 20,
      act: async () => {
        const books = [...BOOKS.keys()].slice(0, site.random.integer(1, 5));
        const lines = books.map((bookId) => ({ bookId, quantity: site.random.integer(1, 3) }));
        const body = { lines, address: 'Load', payment: { brand: 'Visa', lastFour: '8873' } };
        return await site.ask('POST', '/orders', { as: customer(), body });
      },
    },
    {
      name: 'ship an order',
      weight: 7,
      allows: [409], // it was shipped before
      act: async () =>
        await withOrder(async (orderId, as) => {
          const body = { from: 'ACCEPTED', to: 'SHIPPED' };
          return await site.ask('PUT', `/warehouse/orders/${as}/${orderId}/status`, { body });
        }),
    },
    {
      name: 'change an e-mail address',
      weight: 3,
      allows: [409], // it is another customer's, or was changed meanwhile
      act: async () => {
        const as = customer();
        const { customer: known } = await site.read<{ readonly customer: { readonly email: string } }>('/account', {
          as,
        });
        const email = `reader${site.random.integer(1, 60)}@load.example.org`;
        return await site.ask('PUT', '/account/email', { as, body: { email, current: known.email } });
      },
    },
  ];
}

function faultsIn(items: readonly StoredItem[]): readonly string[] {
  const of = (type: string): readonly StoredItem[] => items.filter(({ Type }) => Type === type);
  const owned = ({ Username, Email }: StoredItem): string => `${String(Username)} ${String(Email)}`;
  const [customers, owners] = [of('Customer').map(owned), of('CustomerEmail').map(owned)];
  const pieces = new Map<unknown, number>();
  for (const { OrderId, Quantity } of of('OrderItem')) {
    pieces.set(OrderId, (pieces.get(OrderId) ?? 0) + Number(Quantity ?? 1));
  }
  const orders = of('Order');
  const known = new Set(orders.map(({ OrderId }) => OrderId));
  return [
    ...orders
      .filter(({ OrderId, NumberItems }) => pieces.get(OrderId) !== NumberItems)
      .map(
        ({ OrderId, NumberItems }) =>
          `order ${String(OrderId)} has ${pieces.get(OrderId) ?? 0} of ${String(NumberItems)} pieces`,
      ),
    ...[...pieces.keys()]
      .filter((orderId) => !known.has(orderId))
      .map((orderId) => `order ${String(orderId)} has lines only`),
    ...lackedBy(owners, customers).map((each) => `${each}: the address is not reserved`),
    ...lackedBy(customers, owners).map((each) => `${each}: the customer has another address`),
  ];
}
