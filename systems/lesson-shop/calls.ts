import { tableDefinitions } from '@singlet/model';
import { ManualClock } from '../clock.ts';
import { anyOf, given, type MeasuredSystem, newNames } from '../measurement/pattern-calls.ts';
import { createTable } from '../table-lifecycle.ts';
import { lessonShop } from './model.ts';
import { SAMPLE_ENDS_AT, sampleShop, seedLessonShop } from './seed.ts';
import { LessonShop, type OrderId } from './shop.ts';

const TABLE_NAME = 'lesson-shop';
const DAY_MS = 86_400_000;
const clock = new ManualClock(SAMPLE_ENDS_AT);

/** A call of each access pattern of the lesson's shop. */
export const lessonShopCalls: MeasuredSystem = {
  model: lessonShop,
  scales: { usual: 0.25, full: 1 },
  load: async ({ client, scale, onItems }) => {
    await createTable(client, { ...tableDefinitions(lessonShop)[0], TableName: TABLE_NAME });
    await seedLessonShop({ client, tableName: TABLE_NAME, scale, onItems });
  },
  open: ({ client, scale, random }) => {
    const shop = new LessonShop({ client, tableName: TABLE_NAME, clock });
    const { users, products, orders, reviews } = sampleShop(scale);
    const userId = (): string => anyOf(random, users).userId;
    const order = () => anyOf(random, orders);
    const product = () => anyOf(random, products);
    const newName = newNames('newcomer');
    let placed = 0;
    // A day has room for 999 orders, so each of these has its own day.
    const newOrderId = (): OrderId => {
      placed += 1;
      return { day: new Date(clock.nowMs() + placed * DAY_MS).toISOString().slice(0, 10), seq: '001' };
    };
    return {
      'LE-1': given(userId, (id) => shop.findUser(id)),
      'LE-2': given(userId, (id) => shop.ordersOf(id)),
      'LE-3': given(userId, (id) => shop.recentOrdersOf(id)),
      'LE-4': given(order, ({ userId: id, day, seq }) => shop.findOrderOf(id, { day, seq })),
      'LE-4 any': given(order, ({ day, seq }) => shop.findOrder({ day, seq })),
      'LE-5': given(order, ({ day, seq }) => shop.itemsOf({ day, seq })),
      'LE-6': given(product, ({ productId }) => shop.findProduct(productId)),
      'LE-7': given(product, ({ productId }) => shop.reviewsOf(productId)),
      'LE-8': given(
        () => anyOf(random, reviews),
        (review) => shop.findReview(review),
      ),
      'LE-9': given(userId, (id) => shop.userWithOrders(id)),
      'LE-10': given(userId, (id) => shop.activeSessionsOf(id)),
      'LE-11': given(order, ({ day, seq }) => shop.orderWithItems({ day, seq })),
      'LE-W1': given(newOrderId, (orderId) =>
        shop.placeOrder({
          userId: userId(),
          orderId,
          items: [1, 2, 3].map((number) => ({
            productId: `p${number}`,
            name: `Lamp ${number}`,
            price: 12.5,
            quantity: 1,
          })),
        }),
      ),
      'LE-W2': given(order, ({ userId: id, day, seq }) =>
        shop.setOrderStatus({ userId: id, orderId: { day, seq } }, 'DELIVERED'),
      ),
      'LE-W3': given(product, ({ productId }) =>
        shop.review({ productId, userId: newName(), rating: 4, text: 'As described.' }),
      ),
    };
  },
};
