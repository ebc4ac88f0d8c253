import type { ConnectOptions } from '@singlet/model';
import { load } from '@singlet/model/samples';
import { SeededRandom } from '../demo/seeded-random.ts';
import { lessonShop } from './model.ts';
import type { Order, OrderItem, Product, Review, Session, User } from './shop.ts';

export interface SeedOptions {
  readonly client: ConnectOptions['client'];
  readonly tableName: string;
  /** 1 is 10,000 users with 50,000 orders, 2,000 products and about 40,000 reviews. */
  readonly scale: number;
  /** The instant at which the sample ends, unless it is {@link SAMPLE_ENDS_AT}. */
  readonly endsAtMs?: number;
  /** Receives the number of items written since its last call. */
  readonly onItems?: (count: number) => void;
}

/** A shop as it is one morning: generated, and the same in every run. */
export interface SampleShop {
  readonly users: readonly User[];
  readonly products: readonly Product[];
  readonly orders: readonly Order[];
  readonly items: readonly OrderItem[];
  readonly reviews: readonly Review[];
  readonly sessions: readonly Session[];
}

/** The instant at which the sample ends. */
export const SAMPLE_ENDS_AT = '2024-03-11T00:00:00Z';

const ENDS_AT_MS = Date.parse(SAMPLE_ENDS_AT);
const DAY_MS = 86_400_000;
const USERS = 10_000;
const PRODUCTS = 2_000;
const REVIEWS = 40_000;
const ORDERS_A_DAY = 140;
const DAYS = 357; // of 140 orders: 50,000
const SEED = 150;
const WARES = ['Lamp', 'Chair', 'Teapot', 'Rug', 'Shelf', 'Clock', 'Mirror', 'Basket'] as const;
const OPINIONS = ['As described.', 'Would buy again.', 'Smaller than it looks.', 'A present; she liked it.'] as const;

export function sampleShop(scale: number, endsAtMs: number = ENDS_AT_MS): SampleShop {
  const random = new SeededRandom(SEED);
  const users = Array.from({ length: scaled(USERS, scale) }, (_, index): User => {
    const userId = `u${String(index + 1).padStart(5, '0')}`;
    const createdAt = iso(endsAtMs - random.integer(DAYS, 900) * DAY_MS);
    return { userId, name: `User ${index + 1}`, email: `${userId}@example.org`, createdAt };
  });
  const products = Array.from({ length: scaled(PRODUCTS, scale) }, (_, index): Product => ({
    productId: `p${String(index + 1).padStart(4, '0')}`,
    name: `${random.pick(WARES)} ${index + 1}`,
    price: random.integer(500, 20_000) / 100,
  }));
  const user = (): User => anyOf(users, random);
  const orders: Order[] = [];
  const items: OrderItem[] = [];
  for (let daysAgo = DAYS; daysAgo >= 1; daysAgo -= 1) {
    const dayMs = endsAtMs - daysAgo * DAY_MS;
    const day = iso(dayMs).slice(0, 10);
    const count = Math.floor(ORDERS_A_DAY * scale + random.fraction());
    for (let number = 1; number <= count; number += 1) {
      const seq = String(number).padStart(3, '0');
      const chosen = new Set(Array.from({ length: random.integer(1, 5) }, () => anyOf(products, random)));
      const ordered = [...chosen].map((product) => ({ day, seq, ...product, quantity: random.integer(1, 3) }));
      const cents = ordered.reduce((sum, { price, quantity }) => sum + Math.round(price * 100) * quantity, 0);
      items.push(...ordered);
      orders.push({
        day,
        seq,
        userId: user().userId,
        total: cents / 100,
        status: daysAgo > 5 ? 'DELIVERED' : 'SHIPPED',
        placedAt: iso(dayMs + Math.floor((number / (count + 1)) * DAY_MS)),
      });
    }
  }
  const reviews = new Map<string, Review>();
  for (let number = 0; number < scaled(REVIEWS, scale); number += 1) {
    const [{ userId }, { productId }] = [user(), anyOf(products, random)];
    const createdAt = iso(endsAtMs - random.integer(1, DAYS) * DAY_MS);
    const review = { productId, userId, rating: random.integer(1, 5), text: random.pick(OPINIONS), createdAt };
    reviews.set(`${productId} ${userId}`, review);
  }
  const sessions = users.flatMap(({ userId }) =>
    Array.from({ length: random.integer(0, 3) }, (_, number): Session => {
      const startedMs = endsAtMs - random.integer(0, 14) * DAY_MS;
      const expires = startedMs / 1000 + 7 * 86_400;
      return { userId, sessionId: `s${number + 1}`, createdAt: iso(startedMs), expires };
    }),
  );
  return { users, products, orders, items, reviews: [...reviews.values()], sessions };
}

/** Fills a table with the shop as it is one morning. Returns the number of items of each entity. */
export async function seedLessonShop(options: SeedOptions): Promise<Readonly<Record<string, number>>> {
  const { client, tableName, scale, endsAtMs, onItems } = options;
  const loading = { client, tables: { 'lesson-shop': tableName }, ...(onItems !== undefined && { onItems }) };
  const shop = sampleShop(scale, endsAtMs);
  return {
    User: await load(lessonShop, 'User', shop.users, loading),
    Product: await load(lessonShop, 'Product', shop.products, loading),
    Order: await load(lessonShop, 'Order', shop.orders, loading),
    OrderHeader: await load(lessonShop, 'OrderHeader', shop.orders, loading),
    OrderItem: await load(lessonShop, 'OrderItem', shop.items, loading),
    Review: await load(lessonShop, 'Review', shop.reviews, loading),
    Session: await load(lessonShop, 'Session', shop.sessions, loading),
  };
}

function scaled(count: number, scale: number): number {
  return Math.max(2, Math.round(count * scale));
}

/** @param all - at least one. */
export function anyOf<Each>(all: readonly Each[], random: SeededRandom): Each {
  const [first] = all;
  const chosen = all[random.integer(0, all.length - 1)] ?? first;
  if (chosen === undefined) {
    throw new RangeError('There is nothing to choose from');
  }
  return chosen;
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}
