import { createHash } from 'node:crypto';
import { HttpError } from '../../http/http-error.ts';
import { CONSISTENTLY, orAlready } from '../../http/or-already.ts';
import type { Requests } from '../../http/requests.ts';
import { opened, sealed } from '../../http/sealed.ts';
import { ShopError } from '../errors.ts';
import type { LessonShop, Order, OrderId, OrderItem, OrderStatus, Product, Review } from '../shop.ts';

// What the pages and the operations share: prices of the products, numbers of orders, cursors, ownership of orders.

/** Maximum number of different products in one order. */
export const LINES_MAX = 98;
export const QUANTITY_MAX = 99;
const NUMBERS_A_DAY = 999;
/** How many numbers of a day are tried for an order before the day counts as full. */
const NUMBERS_TRIED_MAX = 40;

/** The requested items of an order. */
export interface Wanted {
  readonly lines: readonly { readonly productId: string; readonly quantity: number }[];
}

/** The shop with order numbers, prices and sign-in. */
export class Counter {
  readonly shop: LessonShop;
  readonly #requests: Requests;
  readonly #secret: string;

  constructor(options: { readonly shop: LessonShop; readonly requests: Requests; readonly secret: string }) {
    this.shop = options.shop;
    this.#requests = options.requests;
    this.#secret = options.secret;
  }

  /** LE-6. @throws {HttpError} 404 */
  async product(productId: string): Promise<Product> {
    return existing(await this.shop.findProduct(productId), 'product');
  }

  /** LE-11. @throws {HttpError} 404; 403 for another user's order. */
  async orderOf(userId: string, orderId: OrderId): Promise<{ order: Order; items: readonly OrderItem[] }> {
    const found = await this.order(orderId);
    if (found.order.userId !== userId) throw new HttpError(403, 'not-yours', 'This order belongs to another customer.');
    return found;
  }

  /** LE-11, for the counter. @throws {HttpError} 404 */
  async order(orderId: OrderId): Promise<{ order: Order; items: readonly OrderItem[] }> {
    const { order, items } = await this.shop.orderWithItems(orderId);
    return { order: existing(order, 'order'), items };
  }

  /** LE-2. A page of a user's orders. */
  async orders(
    userId: string,
    cursor: string | undefined,
  ): Promise<{ readonly items: readonly Order[]; readonly cursor?: string }> {
    const scope = ['orders', userId];
    const page = await this.shop.ordersOf(
      userId,
      cursor === undefined ? {} : { cursor: opened(this.#secret, scope, cursor) },
    );
    return {
      items: page.items,
      ...(page.cursor !== undefined && { cursor: sealed(this.#secret, scope, page.cursor) }),
    };
  }

  /**
   * LE-W1. Places an order of today at the prices of the products. Its number follows from the request, or is the next free one.
   *
   * @param key - chosen by the caller. The day and the number are those of the first attempt, so that a later one finds its order, even
   *   after midnight.
   */
  async place(userId: string, { lines }: Wanted, key: string | undefined): Promise<Order> {
    if (lines.length === 0) throw refusedField('lines', 'has to have at least 1 entry');
    if (new Set(lines.map(({ productId }) => productId)).size < lines.length) {
      throw refusedField('lines', 'has a product twice');
    }
    const items = await Promise.all(
      lines.map(async ({ productId, quantity }) => {
        const product = await this.shop.findProduct(productId);
        if (product === undefined) throw refusedField('productId', 'is none of our products');
        return { ...product, quantity };
      }),
    );
    const { id: requestId, at } = await this.#requests.attempt(['order', userId], key);
    const day = at.slice(0, 10);
    const first = createHash('sha256').update(requestId).digest().readUInt32BE();
    for (let tried = 0; tried < NUMBERS_TRIED_MAX; tried += 1) {
      const orderId = { day, seq: String(((first + tried) % NUMBERS_A_DAY) + 1).padStart(3, '0') };
      try {
        return await this.shop.placeOrder({ userId, orderId, items, requestId });
      } catch (error) {
        if (!(error instanceof ShopError) || error.code !== 'already-exists') throw error;
        const there = await this.shop.findOrder(orderId, CONSISTENTLY);
        if (there?.requestId === requestId) return there;
      }
    }
    throw new HttpError(409, 'limit', 'The numbers of this day are used up. Order tomorrow.');
  }

  /** LE-W3, and LE-8 where the same review is there. @throws {ShopError} `already-exists` for another one; `not-found` */
  async review(review: Pick<Review, 'productId' | 'userId' | 'rating' | 'text'>): Promise<Review> {
    const isThere = (error: unknown): boolean => error instanceof ShopError && error.code === 'already-exists';
    return await orAlready(this.shop.review(review), isThere, async () => {
      const earlier = await this.shop.findReview(review, CONSISTENTLY);
      return earlier?.rating === review.rating && earlier.text === review.text ? earlier : undefined;
    });
  }

  /** LE-W2. @throws {HttpError} 404 */
  async setStatus(orderId: OrderId, status: OrderStatus): Promise<Order> {
    const { userId } = existing(await this.shop.findOrder(orderId), 'order');
    await this.shop.setOrderStatus({ userId, orderId }, status);
    // As it is now: its status may have been another a moment ago.
    return existing(await this.shop.findOrder(orderId, CONSISTENTLY), 'order');
  }
}

/** @throws {HttpError} 404 */
export function existing<Thing>(thing: Thing | undefined, kind: string): Thing {
  if (thing === undefined) throw new HttpError(404, 'not-found', `There is no such ${kind}.`);
  return thing;
}

function refusedField(field: string, detail: string): HttpError {
  return new HttpError(400, 'invalid', `${field} ${detail}.`, {}, [{ field, detail }]);
}
