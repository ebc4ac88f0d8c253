/** The lesson's shop in a storm: both copies of an order agree, with all its items, and each user reviews a product once. */
import { expect } from 'vitest';
import type { StormStory } from '../testing/storm.ts';
import { lessonShop } from './model.ts';
import { LessonShop, type OrderStatus } from './shop.ts';

const STATUSES: readonly OrderStatus[] = ['PLACED', 'SHIPPED', 'DELIVERED'];
const PRODUCTS = ['p1', 'p2', 'p3'];

export const story: StormStory = {
  model: lessonShop,
  invariant: 'the copies of each order agree',
  play: async (storm) => {
    const { client, clock } = storm;
    const shop = new LessonShop({ client, clock, tableName: 'lesson-shop' });
    for (const productId of PRODUCTS) {
      await storm.insist(async () => shop.createProduct({ productId, name: 'A lamp', price: 12.5 }));
    }
    const placed = new Map<string, number>();
    await storm.callers(40, async (number) => {
      const userId = `u${number % 4}`;
      const orderId = { day: '2026-03-02', seq: String(number).padStart(3, '0') };
      const items = PRODUCTS.slice(0, 1 + storm.below(3)).map((productId) => ({
        productId,
        name: 'A lamp',
        price: 12.5,
        quantity: 2,
      }));
      const outcome = await storm.insist(async () => shop.placeOrder({ userId, orderId, items }));
      if (outcome !== 'unknown') placed.set(`${userId} ${orderId.seq}`, items.length);
      await storm.attempt(async () => shop.setOrderStatus({ userId, orderId }, storm.oneOf(STATUSES)));
      await storm.attempt(async () =>
        shop.review({ productId: storm.oneOf(PRODUCTS), userId, rating: 1 + storm.below(5), text: 'Good' }),
      );
    });
    await storm.over();

    for (const [name, itemCount] of placed) {
      const [userId = '', seq = ''] = name.split(' ');
      const orderId = { day: '2026-03-02', seq };
      const { order, items } = await shop.orderWithItems(orderId);
      expect(order).toEqual(await shop.findOrderOf(userId, orderId));
      expect([order?.total, items.length]).toEqual([25 * itemCount, itemCount]);
    }
    const items = await storm.table('lesson-shop').scan();
    const count = (type: string): number => items.filter(({ entity_type }) => entity_type === type).length;
    expect([count('Order'), count('OrderHeader')]).toEqual([placed.size, placed.size]);
    const reviews = (
      await Promise.all(PRODUCTS.map(async (id) => (await shop.reviewsOf(id, { limit: 50 })).items))
    ).flat();
    expect(reviews.length).toBeGreaterThan(0);
    expect(new Set(reviews.map(({ productId, userId }) => `${productId} ${userId}`)).size).toBe(reviews.length);
  },
};
