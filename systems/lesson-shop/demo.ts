import { tableDefinitions } from '@singlet/model';
import { ManualClock } from '../clock.ts';
import type { AccessPattern, Demo, Stage } from '../demo/demo.ts';
import type { ScheduledEvent } from '../demo/schedule.ts';
import { playEvents } from '../demo/schedule.ts';
import { SeededRandom } from '../demo/seeded-random.ts';
import { ShopError } from './errors.ts';
import { lessonShop } from './model.ts';
import { anyOf, SAMPLE_ENDS_AT, sampleShop, type SampleShop, seedLessonShop } from './seed.ts';
import { LessonShop } from './shop.ts';

const SCALE = 0.005;
const SEED = 3;
const STARTS_AT_MS = Date.parse(SAMPLE_ENDS_AT);
const DAY = SAMPLE_ENDS_AT.slice(0, 10);
const MINUTE_MS = 60_000;
const DAY_MINUTES = 20 * 60;
const WEEK_SECONDS = 7 * 86_400;
const ORDERS_MAX = 999;

const PATTERNS: readonly AccessPattern[] = [
  { id: 'LE-1', title: 'User' },
  { id: 'LE-2', title: 'Orders of a user' },
  { id: 'LE-3', title: 'Orders of the last 30 days' },
  { id: 'LE-4', title: 'Order by id' },
  { id: 'LE-5', title: 'Items of an order' },
  { id: 'LE-6', title: 'Product' },
  { id: 'LE-7', title: 'Reviews of a product' },
  { id: 'LE-8', title: 'Review of a user' },
  { id: 'LE-9', title: 'User with all orders' },
  { id: 'LE-10', title: 'Active sessions' },
  { id: 'LE-11', title: 'Order with items' },
  { id: 'LE-W1', title: 'Place order' },
  { id: 'LE-W2', title: 'Change status' },
  { id: 'LE-W3', title: 'Review product' },
];

/** A day of the shop, on top of a year of orders. */
export function lessonShopDemo(options: { readonly orders: number }): Demo {
  const [table = { TableName: lessonShop.name }] = tableDefinitions(lessonShop);
  return {
    title: 'Lesson shop: a day of orders and reviews',
    table,
    patterns: PATTERNS,
    play: async (stage) => {
      await play(stage, Math.min(options.orders, ORDERS_MAX));
    },
  };
}

interface Day {
  readonly shop: LessonShop;
  readonly sample: SampleShop;
  readonly random: SeededRandom;
  readonly tally: { orders: number; cents: number; reviews: number; refused: number };
}

async function play(stage: Stage, orders: number): Promise<void> {
  const { client, tableName, terminal } = stage;
  const clock = new ManualClock(SAMPLE_ENDS_AT);
  const seeded = await seedLessonShop({ client, tableName, scale: SCALE });
  terminal.line(
    `In the morning there are ${seeded['User']} users with ${seeded['Order']} orders, ` +
      `and ${seeded['Product']} products with ${seeded['Review']} reviews.`,
  );
  const day: Day = {
    shop: new LessonShop({ client, tableName, clock }),
    sample: sampleShop(SCALE),
    random: new SeededRandom(SEED),
    tally: { orders: 0, cents: 0, reviews: 0, refused: 0 },
  };
  const events = Array.from({ length: orders }, (_, index) => visit(day, String(index + 1).padStart(3, '0'))).flat();
  await playEvents(events, { ...stage, clock });

  const { tally, shop, sample } = day;
  terminal.line();
  terminal.line(`${tally.orders} orders were placed, for ${(tally.cents / 100).toFixed(2)} together.`);
  terminal.line(`${tally.reviews} reviews came; ${tally.refused} were second ones of the same user, and refused.`);
  const recent = await Promise.all(sample.users.map(async ({ userId }) => await shop.recentOrdersOf(userId)));
  const today = recent.flat().filter((order) => order.day === DAY);
  terminal.line(`Among the orders of the last thirty days of all users, ${today.length} are of today.`);
}

/** A user browses, orders, and reviews the products; the warehouse packs and ships the order. */
function visit({ shop, sample, random, tally }: Day, seq: string): readonly ScheduledEvent[] {
  const person = {};
  const { userId } = anyOf(sample.users, random);
  const orderId = { day: DAY, seq };
  const products = [...new Set(Array.from({ length: random.integer(1, 4) }, () => anyOf(sample.products, random)))];
  const product = anyOf(products, random);
  const { productId } = product;
  let atMs = STARTS_AT_MS + random.integer(0, DAY_MINUTES) * MINUTE_MS;
  const at = (minutes: number, patternId: string, act: () => Promise<unknown>): ScheduledEvent => {
    atMs += minutes * MINUTE_MS;
    return { atMs, patternId, person, act };
  };
  const sometimes = (chance: number, event: () => ScheduledEvent): readonly ScheduledEvent[] =>
    random.chance(chance) ? [event()] : [];
  const review = async (): Promise<void> => {
    try {
      await shop.review({ productId, userId, rating: random.integer(3, 5), text: 'It came fast.' });
      tally.reviews += 1;
    } catch (error) {
      if (!(error instanceof ShopError) || error.code !== 'already-exists') throw error;
      tally.refused += 1;
    }
  };
  return [
    at(0, 'LE-10', async () => await shop.activeSessionsOf(userId)),
    ...sometimes(0.5, () => at(0, 'LE-1', async () => await shop.findUser(userId))),
    at(1, 'LE-6', async () => await shop.findProduct(productId)),
    at(1, 'LE-7', async () => await shop.reviewsOf(productId)),
    at(2, 'LE-W1', async () => {
      const items = products.map((each) => ({ ...each, quantity: random.integer(1, 2) }));
      const { total } = await shop.placeOrder({ userId, orderId, items });
      tally.orders += 1;
      tally.cents += Math.round(total * 100);
    }),
    at(1, 'LE-9', async () => await shop.userWithOrders(userId)),
    ...sometimes(0.5, () => at(1, 'LE-4', async () => await shop.findOrder(orderId))),
    ...sometimes(0.5, () => at(1, 'LE-4', async () => await shop.findOrderOf(userId, orderId))),
    at(5, 'LE-11', async () => await shop.orderWithItems(orderId)),
    ...sometimes(0.5, () => at(1, 'LE-5', async () => await shop.itemsOf(orderId))),
    at(20, 'LE-W2', async () => await shop.setOrderStatus({ userId, orderId }, 'SHIPPED')),
    ...sometimes(0.5, () => at(1, 'LE-2', async () => await shop.ordersOf(userId))),
    ...sometimes(0.5, () => at(1, 'LE-3', async () => await shop.recentOrdersOf(userId))),
    at(30, 'LE-W3', review),
    ...sometimes(0.2, () => at(1, 'LE-W3', review)),
    at(1, 'LE-8', async () => await shop.findReview({ productId, userId })),
    ...sometimes(0.1, () =>
      at(1, 'LE-10', async () => {
        await shop.logIn({ userId, sessionId: `today${seq}`, lastsSeconds: WEEK_SECONDS });
        return await shop.activeSessionsOf(userId);
      }),
    ),
  ];
}
