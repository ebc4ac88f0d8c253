import type { ApplicationLoad, LoadSite, OpenLoad, StoredItem } from '../../http/load.ts';
import { sampleShop } from '../seed.ts';

interface Orders {
  readonly items: readonly { readonly orderId: string }[];
}

const STATUSES = ['PLACED', 'PAID', 'SHIPPED', 'DELIVERED'] as const;

/** Customers look at products, orders and their account, order and review; the counter changes what orders are in. */
export const load: ApplicationLoad = {
  holds: 'both copies of every order agree, and its items add up to its total',
  open: async (site) => {
    const { users, products } = sampleShop(site.scale);
    const people = users.slice(0, 50).map(({ userId }) => userId);
    const goods = products.map(({ productId }) => productId);
    return await Promise.resolve({ actions: actionsOf(site, people, goods), faultsIn });
  },
};

function actionsOf(site: LoadSite, people: readonly string[], goods: readonly string[]): OpenLoad['actions'] {
  const person = (): string => site.oneOf(people);
  const product = (): string => site.oneOf(goods);
  const orders = async (as: string): Promise<Orders['items']> => (await site.read<Orders>('/me/orders', { as })).items;
  const any = async (
    act: (order: { readonly id: string; readonly as: string }) => Promise<Response>,
  ): Promise<Response> => {
    const as = person();
    const all = await orders(as);
    if (all.length === 0) return await site.ask('GET', '/me/orders', { as });
    return await act({ id: encodeURIComponent(site.oneOf(all).orderId), as });
  };
  return [
    { name: 'product', weight: 20, act: async () => await site.ask('GET', `/products/${product()}`) },
    { name: 'reviews', weight: 15, act: async () => await site.ask('GET', `/products/${product()}/reviews`) },
    { name: 'account', weight: 15, act: async () => await site.ask('GET', '/me/account', { as: person() }) },
    { name: 'orders', weight: 10, act: async () => await site.ask('GET', '/me/orders?days=30', { as: person() }) },
    {
      name: 'order',
      weight: 10,
      act: async () => await any(async ({ id, as }) => await site.ask('GET', `/orders/${id}`, { as })),
    },
    {
      name: 'place an order',
      weight: 15,
      act: async () => {
        const at = site.random.integer(0, goods.length - 1);
        const lines = goods.slice(at, at + 3).map((productId) => ({ productId, quantity: site.random.integer(1, 3) }));
        return await site.ask('POST', '/orders', { as: person(), body: { lines } });
      },
    },
    {
      name: 'change a status',
      weight: 10,
      act: async () =>
        await any(
          async ({ id, as }) =>
            await site.ask('PUT', `/orders/${id}/status`, { as, body: { status: site.oneOf(STATUSES) } }),
        ),
    },
    {
      name: 'review',
      weight: 5,
      allows: [409], // a customer reviews a product once
      act: async () =>
        await site.ask('PUT', `/products/${product()}/review`, {
          as: person(),
          body: { rating: 4, text: 'A second bottle.' },
        }),
    },
  ];
}

function faultsIn(items: readonly StoredItem[]): readonly string[] {
  const of = (type: string): readonly StoredItem[] => items.filter(({ entity_type }) => entity_type === type);
  const idOf = ({ day, seq }: StoredItem): string => `${String(day)}#${String(seq)}`;
  const factsOf = ({ userId, status, total }: StoredItem): string => JSON.stringify([userId, status, total]);
  const headers = new Map(of('OrderHeader').map((header) => [idOf(header), factsOf(header)]));
  const orders = new Map(of('Order').map((order) => [idOf(order), factsOf(order)]));
  const cents = new Map<string, number>();
  for (const item of of('OrderItem')) {
    const sum = Math.round(Number(item['price']) * 100) * Number(item['quantity']);
    cents.set(idOf(item), (cents.get(idOf(item)) ?? 0) + sum);
  }
  const ids = new Set([...headers.keys(), ...orders.keys(), ...cents.keys()]);
  return [
    ...[...ids].filter((id) => headers.get(id) !== orders.get(id)).map((id) => `the copies of order ${id} differ`),
    ...of('OrderHeader')
      .filter((header) => Math.round(Number(header['total']) * 100) !== cents.get(idOf(header)))
      .map((header) => `the items of order ${idOf(header)} do not add up to ${String(header['total'])}`),
  ];
}
