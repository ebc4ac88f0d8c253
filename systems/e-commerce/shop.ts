import type { Connected, ConnectOptions, ReadOptions } from '@singlet/model';
import { connect, RuleError, type RuleFailure } from '@singlet/model';
import type { Clock } from '../clock.ts';
import { KsuidError } from '../ksuid.ts';
import type { Pause } from '../pause.ts';
import {
  AddressLimitError,
  EmailOutdatedError,
  EmailTakenError,
  InvalidInputError,
  NoSuchAddressError,
  NoSuchCustomerError,
  NoSuchOrderError,
  OrderExistsError,
  OrderLineExistsError,
  OrderUnfinishedError,
  UnexpectedStatusError,
  UsernameAndEmailTakenError,
  UsernameTakenError,
  WriteConflictError,
} from './errors.ts';
import { ADDRESSES_MAX, normalEmail, shop } from './model.ts';
import type {
  Account,
  Address,
  Customer,
  NewOrder,
  Order,
  OrderDetail,
  OrderLine,
  OrderPage,
  OrderStatus,
} from './shop-objects.ts';
import {
  customerOf,
  lineOf,
  orderCreatedAt,
  orderOf,
  storedAddress,
  storedCustomer,
  storedLine,
  storedOrder,
} from './stored-objects.ts';

/**
 * In addition to lines, a transaction of an order has at most two other actions of the hundred that DynamoDB accepts, and its
 * 4 MB, with a megabyte taken as 10^6 to be safe, must also contain the order itself.
 */
const LINES_PER_TRANSACTION_MAX = 98;
const LINE_BYTES_PER_TRANSACTION_MAX = 4_000_000 - 400 * 1024;

export interface ShopOptions {
  readonly client: ConnectOptions['client'];
  readonly clock: Clock;
  /** Draws an order id: a KSUID of the present moment. */
  readonly newOrderId: () => string;
  readonly tableName?: string;
  readonly pause?: Pause;
  /** Called after each request, with the access pattern that made it. */
  readonly onRequest?: ConnectOptions['onRequest'];
}

/**
 * Customers and orders of a shop: the data of its screens, in the shop's own terms. The model determines how it is stored.
 *
 * Methods named `view` and those that write throw if their subject does not exist. Those named `find` return
 * `undefined`. Every write may throw {@link WriteConflictError}.
 */
export class Shop {
  readonly #db: Connected<typeof shop.entities, typeof shop.patterns>;
  readonly #clock: Clock;
  readonly #newOrderId: () => string;

  constructor({ client, clock, newOrderId, tableName = 'EcommerceTable', pause, onRequest }: ShopOptions) {
    this.#db = connect(shop, {
      client,
      tables: { EcommerceTable: tableName },
      now: () => clock.nowMs(),
      ...(pause && { pause }),
      ...(onRequest && { onRequest }),
    });
    this.#clock = clock;
    this.#newOrderId = newOrderId;
  }

  /**
   * EC-01: signs a customer up. The username and the e-mail address are unique independently of each other, so each is
   * the key of an item, and one transaction writes both.
   *
   * @throws {UsernameTakenError | EmailTakenError | UsernameAndEmailTakenError} nothing is written then.
   * @throws {InvalidInputError} if the username or the e-mail address is empty.
   */
  async createCustomer(
    signUp: Pick<Customer, 'username' | 'email' | 'name'> & { readonly createdAt?: Date },
  ): Promise<Customer> {
    requireText('username', signUp.username);
    requireText('email', signUp.email.trim());
    const customer: Customer = {
      username: signUp.username,
      email: signUp.email.trim(),
      name: signUp.name,
      addresses: new Map(),
      createdAt: signUp.createdAt ?? new Date(this.#clock.nowMs()),
    };
    const { username, email } = customer;
    const refusal = await refusalOf(
      this.#db.signUp({ customer: storedCustomer(customer), reservation: { username, email } }),
    );
    if (refusal) {
      const taken = refusal.failures.map(({ part }) => part);
      throw taken.length === 2
        ? new UsernameAndEmailTakenError(username, email)
        : taken[0] === 'customer'
          ? new UsernameTakenError(username)
          : new EmailTakenError(email);
    }
    return customer;
  }

  /**
   * EC-02: saves an address under a name, and replaces an existing one of that name.
   *
   * @throws {NoSuchCustomerError}
   * @throws {AddressLimitError} for a new name when the customer has 20 addresses.
   */
  async saveAddress(username: string, addressName: string, address: Address): Promise<void> {
    requireText('addressName', addressName);
    const refusal = await refusalOf(
      this.#db.saveAddress({ username, label: addressName, address: storedAddress(address) }),
    );
    if (refusal) {
      throw refusal.code === 'not-found'
        ? new NoSuchCustomerError(username)
        : new AddressLimitError(username, ADDRESSES_MAX);
    }
  }

  /**
   * EC-03: deletes a saved address. Unless `mustExist`, deleting a missing one succeeds.
   *
   * @throws {NoSuchCustomerError}
   * @throws {NoSuchAddressError} only with `mustExist`.
   */
  async deleteAddress(username: string, addressName: string, options: { mustExist?: boolean } = {}): Promise<void> {
    requireText('addressName', addressName);
    const address = { username, label: addressName };
    const refusal = await refusalOf(
      options.mustExist ? this.#db.deleteExistingAddress(address) : this.#db.deleteAddress(address),
    );
    if (refusal) {
      throw refusal.code === 'not-found'
        ? new NoSuchCustomerError(username)
        : new NoSuchAddressError(username, addressName);
    }
  }

  /**
   * EC-04: places an order: the order and all its lines, or nothing, in one transaction.
   *
   * If an order has more lines than a transaction takes, its lines are written first, a batch at a time, and the order last, so
   * that a visible order always has all its lines. After an interruption, {@link OrderUnfinishedError} has the id to
   * place it with again. Lines that are stored already are then skipped.
   *
   * @throws {NoSuchCustomerError | OrderExistsError | OrderLineExistsError} nothing is written then.
   * @throws {InvalidInputError} if two lines share an item id, or `orderId` is not a KSUID.
   */
  async placeOrder(newOrder: NewOrder): Promise<Order> {
    requireDifferentItems(newOrder.lines);
    const order = orderFrom(newOrder, newOrder.orderId ?? this.#newOrderId());
    const lines = newOrder.lines.map((line) => storedLine(order.orderId, line));
    const batches = lineBatches(lines);
    if (batches.length > 1) {
      await this.#placeInBatches(order, batches);
      return order;
    }
    const refusal = await refusalOf(this.#db.placeOrder({ order: storedOrder(order), lines }));
    if (refusal) {
      throwIfRefused(order, refusal);
      throw new OrderLineExistsError(order.orderId, String(refusal.item?.['itemId']));
    }
    return order;
  }

  /**
   * EC-05: moves an order to another status; from `expected` only, if given. The index copy follows automatically.
   *
   * @throws {NoSuchOrderError} and creates no order.
   * @throws {UnexpectedStatusError} if the order is not in the `expected` status.
   */
  async changeOrderStatus(change: {
    readonly username: string;
    readonly orderId: string;
    readonly status: OrderStatus;
    readonly expected?: OrderStatus;
  }): Promise<void> {
    const { username, orderId, status, expected } = change;
    const order = { username, orderId, status };
    const refusal = await refusalOf(
      expected === undefined ? this.#db.changeStatus(order) : this.#db.changeStatusFrom({ ...order, expected }),
    );
    if (refusal) {
      throw refusal.code === 'not-found' || expected === undefined
        ? new NoSuchOrderError(orderId)
        : new UnexpectedStatusError(orderId, { expected, actual: String(refusal.item?.['status']) });
    }
  }

  /**
   * EC-06: the account page: the customer and the ten newest orders, from one request. The customer sorts last in the
   * collection, so reading it backwards begins with the customer.
   *
   * @throws {NoSuchCustomerError}
   */
  async viewAccount(username: string): Promise<Account> {
    const { customer, orders, cursor } = await this.#db.customerWithOrders({ username });
    if (!customer) {
      throw new NoSuchCustomerError(username);
    }
    return { customer: customerOf(customer), ...orderPage(orders.map(orderOf), { more: cursor !== undefined }) };
  }

  /**
   * EC-07: the ten orders before an order, newest first, or the ten newest without `before`. An empty page is the end.
   * Orders placed meanwhile do not shift the pages. An unknown customer has no orders.
   */
  async olderOrders(username: string, before?: string): Promise<OrderPage> {
    const { items, cursor } = await this.#db.olderOrders({ username, ...(before && { orderId: { before } }) });
    return orderPage(items.map(orderOf), { more: cursor !== undefined });
  }

  /**
   * EC-08: the order page: an order with all its lines, from the index that groups them. Read backwards, because then the
   * order comes first, so that a first page without it proves that the order does not exist. The index follows the
   * table with a delay.
   *
   * @throws {NoSuchOrderError} also for an order that was interrupted before the order itself was written.
   */
  async viewOrder(orderId: string): Promise<OrderDetail> {
    const first = await this.#db.orderWithItems({ orderId });
    if (!first.order) {
      throw new NoSuchOrderError(orderId);
    }
    const lines = first.lines.map(lineOf);
    for (let { cursor } = first; cursor !== undefined;) {
      const page = await this.#db.orderWithItems({ orderId }, { cursor });
      lines.push(...page.lines.map(lineOf));
      ({ cursor } = page);
    }
    return { order: orderOf(first.order), lines: lines.toReversed() };
  }

  /** EC-09: a customer with the saved addresses, without orders, for the checkout and the address page. */
  async findCustomer(username: string, options: ReadOptions = {}): Promise<Customer | undefined> {
    const customer = await this.#db.customer({ username }, options);
    return customer && customerOf(customer);
  }

  /** EC-10: the username that has reserved an e-mail address, in any spelling of it. */
  async findEmailOwner(email: string): Promise<string | undefined> {
    return (await this.#db.emailOwner({ email }))?.username;
  }

  /**
   * EC-11: changes a customer's e-mail address: reserves the new one, releases the old one and updates the customer,
   * all or nothing. A change of spelling only (letter case) changes the customer alone: both addresses have one
   * reservation, and a transaction may not touch an item twice.
   *
   * @param change.oldEmail - the address the customer has now; the change is refused if it is no longer that.
   * @throws {EmailTakenError | NoSuchCustomerError | EmailOutdatedError} nothing is changed then.
   */
  async changeEmail(change: {
    readonly username: string;
    readonly oldEmail: string;
    readonly newEmail: string;
  }): Promise<void> {
    const { username, oldEmail } = change;
    const newEmail = change.newEmail.trim();
    requireText('newEmail', newEmail);
    const customer = { username, oldEmail, email: newEmail };
    const refusal = await refusalOf(
      normalEmail(newEmail) === normalEmail(oldEmail)
        ? this.#db.respellEmail(customer)
        : this.#db.changeEmail({
            taken: { email: newEmail, username },
            released: { email: oldEmail, owner: username },
            customer,
          }),
    );
    if (!refusal) {
      return;
    }
    const ofCustomer = refusal.failures.find(({ entity }) => entity === 'Customer');
    if (ofCustomer?.code === 'not-found') {
      throw new NoSuchCustomerError(username);
    }
    throw ofCustomer || refusal.failures.some(({ part }) => part === 'released')
      ? new EmailOutdatedError(username, oldEmail)
      : new EmailTakenError(newEmail);
  }

  /**
   * EC-12: changes the customer's profile. The e-mail reservation contains nothing that changes here.
   *
   * @throws {NoSuchCustomerError}
   */
  async updateProfile(username: string, profile: Pick<Customer, 'name'>): Promise<void> {
    if (await refusalOf(this.#db.rename({ username, name: profile.name }))) {
      throw new NoSuchCustomerError(username);
    }
  }

  /** The order is not visible until the last step. Once it is, every step is refused. */
  async #placeInBatches(order: Order, batches: ReadonlyArray<readonly StoredLine[]>): Promise<void> {
    try {
      for (const [position, batch] of batches.entries()) {
        await this.#addLines(order, batch, { firstBatch: position === 0 });
      }
      const refusal = await refusalOf(this.#db.finishOrder(storedOrder(order)));
      if (refusal) {
        throwIfRefused(order, refusal);
      }
    } catch (error) {
      if (error instanceof NoSuchCustomerError || error instanceof OrderExistsError) {
        throw error;
      }
      throw new OrderUnfinishedError(order.orderId, error);
    }
  }

  /** Writes one batch of lines. Skips lines that an interrupted run has already stored. */
  async #addLines(
    order: Order,
    lines: readonly StoredLine[],
    { firstBatch }: { readonly firstBatch: boolean },
  ): Promise<void> {
    const { username, orderId } = order;
    let missing = lines;
    while (missing.length > 0) {
      const batch = { order: { username, orderId }, lines: missing };
      const refusal = await refusalOf(
        firstBatch ? this.#db.storeFirstLines({ ...batch, customer: { username } }) : this.#db.storeLines(batch),
      );
      if (!refusal) {
        return;
      }
      throwIfRefused(order, refusal);
      const stored = new Set(refusal.failures.map(({ item }) => item?.['itemId']));
      const left = missing.filter(({ itemId }) => !stored.has(itemId));
      if (left.length === missing.length) {
        throw refusal;
      }
      missing = left;
    }
  }
}

type StoredLine = ReturnType<typeof storedLine>;

/**
 * Waits for a write.
 *
 * @returns the rules that refused it, or `undefined` if it succeeded.
 * @throws {WriteConflictError} when other writes conflicted repeatedly.
 */
async function refusalOf(write: Promise<unknown>): Promise<RuleError | undefined> {
  try {
    await write;
    return undefined;
  } catch (error) {
    if (!(error instanceof RuleError)) {
      throw error;
    }
    if (error.code === 'busy') {
      throw new WriteConflictError(error.cause);
    }
    return error;
  }
}

function orderFrom({ lines, ...newOrder }: NewOrder, orderId: string): Order {
  try {
    return {
      ...newOrder,
      orderId,
      createdAt: orderCreatedAt(orderId),
      status: 'ACCEPTED',
      numberItems: lines.reduce((sum, line) => sum + (line.quantity ?? 1), 0),
    };
  } catch (error) {
    throw error instanceof KsuidError ? new InvalidInputError('orderId', error.message) : error;
  }
}

function orderPage(orders: readonly Order[], { more }: { readonly more: boolean }): OrderPage {
  return { orders, before: more ? orders.at(-1)?.orderId : undefined };
}

function throwIfRefused(order: Order, { failures }: RuleError): void {
  const refused = (name: string): RuleFailure | undefined => failures.find(({ entity }) => entity === name);
  if (refused('Customer')) {
    throw new NoSuchCustomerError(order.username);
  }
  if (refused('Order')) {
    throw new OrderExistsError(order.orderId);
  }
}

/** Splits lines into batches that each fit one transaction together with two other actions. */
function lineBatches(lines: readonly StoredLine[]): ReadonlyArray<readonly StoredLine[]> {
  const batches: StoredLine[][] = [];
  let roomBytes = 0;
  for (const line of lines) {
    const lineBytes = sizeBytesMax(line);
    const batch = batches.at(-1);
    if (batch && batch.length < LINES_PER_TRANSACTION_MAX && lineBytes <= roomBytes) {
      batch.push(line);
      roomBytes -= lineBytes;
    } else {
      batches.push([line]);
      roomBytes = LINE_BYTES_PER_TRANSACTION_MAX - lineBytes;
    }
  }
  return batches;
}

/** JSON uses at least as many bytes for names, texts, numbers and maps as DynamoDB counts for them. */
function sizeBytesMax(item: StoredLine): number {
  return Buffer.byteLength(JSON.stringify(item));
}

function requireText(field: string, value: string): void {
  if (value === '') {
    throw new InvalidInputError(field, `${field} must not be empty`);
  }
}

function requireDifferentItems(lines: readonly OrderLine[]): void {
  const seen = new Set<string>();
  for (const { itemId } of lines) {
    if (seen.has(itemId)) {
      throw new InvalidInputError('lines', `Two lines are for the item ${JSON.stringify(itemId)}`);
    }
    seen.add(itemId);
  }
}
