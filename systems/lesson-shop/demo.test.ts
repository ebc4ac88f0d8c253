import { tableDefinitions } from '@singlet/model';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../clock.ts';
import { demoOutput } from '../testing/demo-output.ts';
import { quickDatabase } from '../testing/two-databases.ts';
import { useWorkbench } from '../testing/workbench.ts';
import { lessonShopDemo } from './demo.ts';
import { lessonShop } from './model.ts';
import { SAMPLE_ENDS_AT, sampleShop, seedLessonShop } from './seed.ts';
import { LessonShop } from './shop.ts';

describe('lesson shop: sample data and demo', () => {
  const workbench = useWorkbench(quickDatabase);

  test('what is loaded is what the patterns read', async () => {
    const { client } = workbench();
    const { name: tableName } = await workbench().createTable(tableDefinitions(lessonShop)[0]!);
    const scale = 0.002;
    const sample = sampleShop(scale);
    expect(await seedLessonShop({ client, tableName, scale })).toEqual({
      User: sample.users.length,
      Product: sample.products.length,
      Order: sample.orders.length,
      OrderHeader: sample.orders.length,
      OrderItem: sample.items.length,
      Review: sample.reviews.length,
      Session: sample.sessions.length,
    });
    const clock = new ManualClock(SAMPLE_ENDS_AT);
    const shop = new LessonShop({ client, tableName, clock });
    for (const user of sample.users) {
      const { userId } = user;
      const own = sample.orders.filter((order) => order.userId === userId).toReversed();
      expect(await shop.userWithOrders(userId)).toEqual({ user, orders: own, cursor: undefined });
      expect(await shop.recentOrdersOf(userId)).toEqual(own.filter(({ day }) => day >= '2024-02-10'));
      const live = sample.sessions.filter(
        (session) => session.userId === userId && session.expires > clock.nowMs() / 1000,
      );
      expect(await shop.activeSessionsOf(userId)).toEqual(live);
    }
    const [order] = sample.orders;
    const { items } = await shop.orderWithItems(order!);
    expect(items).toHaveLength(sample.items.filter(({ day, seq }) => day === order!.day && seq === order!.seq).length);
    const { productId } = sample.products[0]!;
    expect((await shop.reviewsOf(productId, { limit: 100 })).items.map(({ userId }) => userId)).toEqual(
      sample.reviews
        .filter((review) => review.productId === productId)
        .map(({ userId }) => userId)
        .toSorted(),
    );
  });

  test('has 50,000 orders with 2,000 products at full scale, the same in every run', () => {
    const sample = sampleShop(1);
    expect(sample.orders.length).toBe(49_980);
    expect(sample.products).toHaveLength(2_000);
    expect(sampleShop(0.01)).toEqual(sampleShop(0.01));
  });

  test('the demo plays a day, with a request of every pattern', async () => {
    const demo = lessonShopDemo({ orders: 40 });
    const output = await demoOutput(demo);
    expect(output).toContain('40 orders were placed');
    expect(output).toContain('40 are of today');
    expect(output).not.toContain('no request');
    for (const { id, title } of demo.patterns) {
      expect(output).toContain(`${id}  ${title}`);
    }
  });
});
