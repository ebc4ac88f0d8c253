/** The shop in a storm: e-mail addresses stay unique, and an order exists with all of its lines or not at all. */
import { expect } from 'vitest';
import { countedKsuids } from '../testing/counted-ksuids.ts';
import type { StormStory } from '../testing/storm.ts';
import { shop as model } from './model.ts';
import { Shop } from './shop.ts';

const TABLE = 'EcommerceTable';

export const story: StormStory = {
  model,
  weather: { throttleRate: 0.01 },
  invariant: 'customers, addresses and orders agree',
  play: async (storm) => {
    const newOrderId = countedKsuids(storm.clock);
    const shop = new Shop({ client: storm.client, clock: storm.clock, newOrderId, pause: async () => undefined });
    const told = new Set<string>();
    const lineCounts = new Map<string, number>();

    await storm.callers(16, async (number) => {
      // Two customers request each name and each address.
      const username = `user${number % 8}`;
      const signUp = { username, email: `${number % 5}@x.org`, name: 'A Name' };
      if ((await storm.attempt(async () => shop.createCustomer(signUp))) === 'done') told.add(username);
    });
    expect(told.size).toBeGreaterThan(0);
    await storm.callers(60, async (number) => {
      const username = storm.oneOf([...told]);
      if (number % 3 === 0) {
        const customer = await shop.findCustomer(username).catch(() => undefined);
        const newEmail = `${storm.below(7)}@x.org`;
        await storm.attempt(async () => shop.changeEmail({ username, oldEmail: customer?.email ?? '?', newEmail }));
        return;
      }
      const orderId = newOrderId();
      const count = number === 1 ? 110 : 1 + storm.below(4);
      const lines = Array.from({ length: count }, (_, line) => ({
        itemId: `i${line}`,
        description: 'A book',
        price: 1,
      }));
      // The caller has chosen the id, so that placing it again has no further effect.
      const outcome = await storm.insist(async () => shop.placeOrder({ username, orderId, amount: count, lines }));
      if (outcome !== 'unknown') lineCounts.set(orderId, count);
    });
    await storm.over();

    const items = await storm.table(TABLE).scan();
    const customers = items.filter(({ Type }) => Type === 'Customer');
    const reservations = items.filter(({ Type }) => Type === 'CustomerEmail');
    expect(reservations.map(({ Username, Email }) => `${String(Username)} ${String(Email)}`).toSorted()).toEqual(
      customers.map(({ Username, Email }) => `${String(Username)} ${String(Email)}`).toSorted(),
    );
    expect(new Set(customers.map(({ Email }) => Email)).size).toBe(customers.length);
    const stored = new Set(customers.map(({ Username }) => String(Username)));
    expect([...told].filter((username) => !stored.has(username))).toEqual([]);
    for (const [orderId, count] of lineCounts) {
      const { order, lines } = await shop.viewOrder(orderId);
      expect([order.numberItems, lines.length]).toEqual([count, count]);
    }
    const orders = items.filter(({ Type }) => Type === 'Order').map(({ OrderId }) => String(OrderId));
    expect(orders.toSorted()).toEqual([...lineCounts.keys()].toSorted());
  },
};
