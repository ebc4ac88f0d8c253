import {
  connect,
  type Connected,
  type ConnectOptions,
  type Cursor,
  type ItemOf,
  type ReadOptions,
} from '@singlet/model';
import { type Clock, epochSecondsOf } from '../clock.ts';
import { collect } from '../collect.ts';
import { refusing, ShopError } from './errors.ts';
import { lessonShop } from './model.ts';

type Entities = typeof lessonShop.entities;

export type User = ItemOf<Entities['User']>;
export type Order = ItemOf<Entities['Order']>;
export type OrderItem = ItemOf<Entities['OrderItem']>;
export type Product = ItemOf<Entities['Product']>;
export type Review = ItemOf<Entities['Review']>;
export type Session = ItemOf<Entities['Session']>;
export type OrderStatus = Order['status'];

/** `2024-01-15#001`: the day of the order in UTC, and its number in that day. */
export interface OrderId {
  readonly day: string;
  readonly seq: string;
}

export interface ShopOptions {
  readonly client: ConnectOptions['client'];
  readonly tableName: string;
  readonly clock: Clock;
  /** Called after each request, with the access pattern that made it. */
  readonly onRequest?: ConnectOptions['onRequest'];
}

/** Where a list continues, and the length of a page. */
export interface PageRequest {
  readonly cursor?: Cursor | undefined;
  readonly limit?: number;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Absent on the last page. */
  readonly cursor: Cursor | undefined;
}

/** How many items fit a transaction of 100 actions with the order and its header. */
export const ORDER_ITEMS_MAX = 98;

const DAY_MS = 86_400_000;
const LAST_DAYS = 30;

/** Users, orders, products, reviews and sessions. One method for each access pattern. */
export class LessonShop {
  readonly #db: Connected<Entities, typeof lessonShop.patterns>;
  readonly #clock: Clock;

  constructor({ client, tableName, clock, onRequest }: ShopOptions) {
    this.#db = connect(lessonShop, {
      client,
      tables: { 'lesson-shop': tableName },
      now: () => clock.nowMs(),
      ...(onRequest && { onRequest }),
    });
    this.#clock = clock;
  }

  /** @throws {ShopError} `already-exists`. */
  async createUser(user: { readonly userId: string; readonly name: string; readonly email: string }): Promise<User> {
    return await refusing(this.#db.createUser({ ...user, createdAt: this.#now() }));
  }

  async findUser(userId: string): Promise<User | undefined> {
    return await this.#db.user({ userId });
  }

  /** @throws {ShopError} `already-exists`. */
  async createProduct(product: Product): Promise<Product> {
    return await refusing(this.#db.createProduct(product));
  }

  async findProduct(productId: string): Promise<Product | undefined> {
    return await this.#db.product({ productId });
  }

  /**
   * Places an order under an id, with all of its items or not at all.
   *
   * @throws {ShopError} `already-exists` if the id is taken, `too-many-items` for more than 98.
   */
  async placeOrder(order: {
    readonly userId: string;
    readonly orderId: OrderId;
    readonly items: readonly Pick<OrderItem, 'productId' | 'name' | 'price' | 'quantity'>[];
    /** The sum of the items if omitted. */
    readonly total?: number;
    readonly requestId?: string;
  }): Promise<Order> {
    const { userId, items, requestId } = order;
    const { day, seq } = order.orderId;
    if (items.length > ORDER_ITEMS_MAX) {
      throw new ShopError('too-many-items', 'Order');
    }
    const cents = items.reduce((sum, { price, quantity }) => sum + Math.round(price * 100) * quantity, 0);
    const placed: Order = {
      day,
      seq,
      userId,
      total: order.total ?? cents / 100,
      status: 'PLACED',
      placedAt: this.#now(),
      ...(requestId !== undefined && { requestId }),
    };
    await refusing(
      this.#db.placeOrder({ order: placed, header: placed, items: items.map((item) => ({ day, seq, ...item })) }),
    );
    return placed;
  }

  /** @throws {ShopError} `not-found`. */
  async setOrderStatus(
    order: { readonly userId: string; readonly orderId: OrderId },
    status: OrderStatus,
  ): Promise<void> {
    const { day, seq } = order.orderId;
    await refusing(
      this.#db.setOrderStatus({ order: { userId: order.userId, day, seq, status }, header: { day, seq, status } }),
    );
  }

  /** The newest first. */
  async ordersOf(userId: string, page: PageRequest = {}): Promise<Page<Order>> {
    return await this.#db.ordersOfUser({ userId }, page);
  }

  /** The orders of the last thirty days and of today, in UTC, the newest first. */
  async recentOrdersOf(userId: string): Promise<readonly Order[]> {
    const nowMs = this.#clock.nowMs();
    return await this.ordersBetween(userId, { from: dayOf(nowMs - LAST_DAYS * DAY_MS), before: dayOf(nowMs + DAY_MS) });
  }

  /** The orders of a span of days, `2024-01-01` to before `2024-02-01`, the newest first. */
  async ordersBetween(
    userId: string,
    days: { readonly from: string; readonly before: string },
  ): Promise<readonly Order[]> {
    return await collect(this.#db.ordersOfUserBetween.each({ userId, day: days }));
  }

  async findOrderOf(userId: string, { day, seq }: OrderId): Promise<Order | undefined> {
    return await this.#db.orderOfUser({ userId, day, seq });
  }

  /** An order by its id alone. */
  async findOrder({ day, seq }: OrderId, options: ReadOptions = {}): Promise<Order | undefined> {
    return await this.#db.orderHeader({ day, seq }, options);
  }

  /** By the ids of the products. */
  async itemsOf({ day, seq }: OrderId): Promise<readonly OrderItem[]> {
    return await collect(this.#db.itemsOfOrder.each({ day, seq }));
  }

  /** An order with its items, in one request. */
  async orderWithItems({ day, seq }: OrderId): Promise<{ order: Order | undefined; items: readonly OrderItem[] }> {
    const { order, items } = await this.#db.orderWithItems({ day, seq });
    return { order, items };
  }

  /** A user with all orders, the newest first, in one request, up to a page of 1 MB. */
  async userWithOrders(
    userId: string,
    page: Pick<PageRequest, 'cursor'> = {},
  ): Promise<{ user: User | undefined; orders: readonly Order[]; cursor: Cursor | undefined }> {
    return await this.#db.userWithOrders({ userId }, page);
  }

  /**
   * Reviews a product: once.
   *
   * @throws {ShopError} `already-exists` if the user has reviewed it, `not-found` if the product does not exist.
   */
  async review(review: Pick<Review, 'productId' | 'userId' | 'rating' | 'text'>): Promise<Review> {
    return await refusing(this.#db.reviewProduct({ ...review, createdAt: this.#now() }));
  }

  /** By the ids of their authors. */
  async reviewsOf(productId: string, page: PageRequest = {}): Promise<Page<Review>> {
    return await this.#db.reviewsOfProduct({ productId }, page);
  }

  async findReview(
    { productId, userId }: Pick<Review, 'productId' | 'userId'>,
    options: ReadOptions = {},
  ): Promise<Review | undefined> {
    return await this.#db.reviewOfUser({ productId, userId }, options);
  }

  /** @param session.lastsSeconds - after which it counts as expired. */
  async logIn(session: {
    readonly userId: string;
    readonly sessionId: string;
    readonly lastsSeconds: number;
  }): Promise<Session> {
    const { userId, sessionId, lastsSeconds } = session;
    const expires = epochSecondsOf(this.#clock) + lastsSeconds;
    return await refusing(this.#db.logIn({ userId, sessionId, createdAt: this.#now(), expires }));
  }

  /** Those that have not expired, whether or not the expired ones have been deleted. */
  async activeSessionsOf(userId: string): Promise<readonly Session[]> {
    return await collect(this.#db.activeSessions.each({ userId }));
  }

  #now(): string {
    return new Date(this.#clock.nowMs()).toISOString();
  }
}

function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
