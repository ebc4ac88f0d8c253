import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import { HttpError } from '../../http/http-error.ts';
import { bytesFrom } from '../../http/idempotency.ts';
import { CONSISTENTLY, orAlready, orDone } from '../../http/or-already.ts';
import type { Requests } from '../../http/requests.ts';
import { opened, sealed } from '../../http/sealed.ts';
import { decodeKsuid, encodeKsuid, KsuidError } from '../../ksuid.ts';
import type { Customer, NewOrder, Order, OrderDetail, OrderPage, OrderStatus } from '../shop-objects.ts';
import {
  EmailOutdatedError,
  NoSuchCustomerError,
  OrderExistsError,
  UnexpectedStatusError,
  UsernameAndEmailTakenError,
} from '../errors.ts';
import type { Shop } from '../shop.ts';
import { BOOKS } from './books.ts';

// What the pages and the operations share: prices of the catalogue, orders that are placed once, cursors, ownership of orders.

/** Maximum number of different books in one order. */
export const LINES_MAX = BOOKS.size;
export const QUANTITY_MAX = 99;
const SHIPPING_CENTS = 495;
const TAX_RATE = 0.07;
const KEY_AGE_SECONDS_MAX = 86_400;

/** The requested items of an order. */
export interface Wanted {
  readonly lines: readonly { readonly bookId: string; readonly quantity: number }[];
  /** The name of a saved address. */
  readonly address: string;
  readonly payment: { readonly brand: string; readonly lastFour: string };
}

export const orderKey = z.string().regex(/^[0-9A-Za-z]{27}$/);

/** The shop with a catalogue in front of it. */
export class Storefront {
  readonly shop: Shop;
  readonly #requests: Requests;
  readonly #clock: Clock;
  readonly #secret: string;

  constructor(options: {
    readonly shop: Shop;
    readonly requests: Requests;
    readonly clock: Clock;
    readonly secret: string;
  }) {
    this.shop = options.shop;
    this.#requests = options.requests;
    this.#clock = options.clock;
    this.#secret = options.secret;
  }

  /** EC-01, and EC-09 where an earlier attempt has signed up. @throws {ShopError} if others have the username or the e-mail address. */
  async signUp(signUp: Pick<Customer, 'username' | 'email' | 'name'>, key: string | undefined): Promise<Customer> {
    const { at, isRepeated } = await this.#requests.attempt(['customer', signUp.username, signUp.email], key);
    const createdAt = wholeSecond(at);
    const isTaken = (error: unknown): boolean => error instanceof UsernameAndEmailTakenError;
    return await orAlready(this.shop.createCustomer({ ...signUp, createdAt }), isTaken, async () => {
      const found = isRepeated ? await this.shop.findCustomer(signUp.username, CONSISTENTLY) : undefined;
      return found?.createdAt.getTime() === createdAt.getTime() ? found : undefined;
    });
  }

  /** EC-11, and EC-09 where the customer has the address already. @throws {ShopError} if it is of others, or the current one is another. */
  async changeEmail(change: {
    readonly username: string;
    readonly oldEmail: string;
    readonly newEmail: string;
  }): Promise<void> {
    await orDone(
      this.shop.changeEmail(change),
      async (error) =>
        error instanceof EmailOutdatedError &&
        (await this.shop.findCustomer(change.username, CONSISTENTLY))?.email === change.newEmail.trim(),
    );
  }

  /** EC-05. An order that has the status already stays so. @throws {ShopError} if it has a third one, or is missing. */
  async changeStatus(change: {
    readonly username: string;
    readonly orderId: string;
    readonly from: OrderStatus;
    readonly to: OrderStatus;
  }): Promise<void> {
    const { username, orderId, from: expected, to: status } = change;
    await orDone(
      this.shop.changeOrderStatus({ username, orderId, status, expected }),
      (error) => error instanceof UnexpectedStatusError && error.actual === status,
    );
  }

  /** A page of a customer's orders: the first with the customer, in one request (EC-06), later ones by cursor (EC-07). */
  async account(
    username: string,
    cursor: string | undefined,
  ): Promise<OrderPage & { customer?: Customer; cursor?: string }> {
    const scope = ['orders', username];
    const page =
      cursor === undefined
        ? await this.shop.viewAccount(username)
        : await this.shop.olderOrders(username, opened(this.#secret, scope, cursor));
    const { before } = page;
    return { ...page, ...(before !== undefined && { cursor: sealed(this.#secret, scope, before) }) };
  }

  /** EC-08. @throws {HttpError} 403 for another customer's order. */
  async order(username: string, orderId: string): Promise<OrderDetail> {
    const detail = await this.shop.viewOrder(orderId);
    if (detail.order.username !== username)
      throw new HttpError(403, 'not-yours', 'This order belongs to another customer.');
    return detail;
  }

  /**
   * EC-09, then EC-04: places an order at the prices of the catalogue, to a copy of a saved address.
   *
   * @param key - a KSUID that the caller keeps for retries. The order's id is derived from it, so that the same key
   *   places one order, and a retry returns the order of the first attempt.
   */
  async place(username: string, wanted: Wanted, key: string | undefined): Promise<Order> {
    const customer = await this.shop.findCustomer(username);
    if (customer === undefined) throw new NoSuchCustomerError(username);
    const shippedTo = customer.addresses.get(wanted.address);
    if (shippedTo === undefined) throw refusedField('address', 'is none of your saved addresses');
    const orderId = key === undefined ? undefined : this.#orderIdFrom(username, key);
    const order = { username, shippedTo, payment: wanted.payment, orderId, ...priced(wanted) };
    try {
      return await this.shop.placeOrder(order);
    } catch (error) {
      if (!(error instanceof OrderExistsError) || orderId === undefined) throw error;
      return (await this.order(username, orderId)).order;
    }
  }

  #orderIdFrom(username: string, key: string): string {
    const payload = bytesFrom(this.#secret, ['order', username, key]).subarray(0, 16);
    try {
      const { epochSeconds } = decodeKsuid(key);
      const ageSeconds = this.#clock.nowMs() / 1000 - epochSeconds;
      if (ageSeconds >= -60 && ageSeconds <= KEY_AGE_SECONDS_MAX) return encodeKsuid({ epochSeconds, payload });
    } catch (error) {
      if (!(error instanceof KsuidError)) throw error;
    }
    throw refusedField('Idempotency-Key', 'has to be a KSUID of the last day: the time of the order is in it');
  }
}

function priced({ lines }: Wanted): Pick<NewOrder, 'lines' | 'amount' | 'subtotal' | 'salesTax' | 'shipping'> {
  if (lines.length === 0) throw refusedField('lines', 'has to have at least 1 entry');
  const bought = lines.map(({ bookId, quantity }) => {
    const book = BOOKS.get(bookId);
    if (book === undefined) throw refusedField('bookId', 'is not a book of the catalogue');
    return { book, quantity };
  });
  const subtotal = bought.reduce((sum, { book, quantity }) => sum + book.priceCents * quantity, 0);
  const tax = Math.round(subtotal * TAX_RATE);
  return {
    lines: bought.map(({ book, quantity }) => ({
      itemId: book.bookId,
      description: `${book.title}, ${book.author}`,
      price: book.priceCents / 100,
      condition: 'New',
      quantity,
    })),
    subtotal: subtotal / 100,
    salesTax: tax / 100,
    shipping: SHIPPING_CENTS / 100,
    amount: (subtotal + tax + SHIPPING_CENTS) / 100,
  };
}

/** As it is stored. */
function wholeSecond(time: string): Date {
  return new Date(Math.floor(Date.parse(time) / 1000) * 1000);
}

function refusedField(field: string, detail: string): HttpError {
  return new HttpError(400, 'invalid', `${field} ${detail}.`, {}, [{ field, detail }]);
}
