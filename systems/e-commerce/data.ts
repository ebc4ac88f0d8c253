import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import type { TransactWriteCommandInput, UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import {
  DynamoDBDocumentClient,
  GetCommand,
  paginateQuery,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { Clock } from '../clock.ts';
import { KsuidError } from '../ksuid.ts';
import type { Pause } from '../pause.ts';
import { pauseWithJitter } from '../pause.ts';
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
import type { PrimaryKey, StoredItem } from './items.ts';
import {
  customerEmailItem,
  customerEmailKey,
  customerItem,
  customerKey,
  customerOf,
  normalEmail,
  orderCreatedAt,
  orderIndexPartition,
  orderItem,
  orderKey,
  orderLineItem,
  orderLineOf,
  orderOf,
  SORT_KEY_AFTER_ORDERS,
  storedAddress,
} from './items.ts';
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
import { ecommerceTable } from './table.ts';

/** Saved addresses per customer: few enough that they fit on the customer's item. */
const ADDRESSES_MAX = 20;

const ORDERS_PER_PAGE = 10;

/** Limits of one TransactWriteItems. The bytes are those of the items written, a megabyte taken as 10^6 to be safe. */
const TRANSACTION_ACTIONS_MAX = 100;
const TRANSACTION_BYTES_MAX = 4_000_000;
const ITEM_BYTES_MAX = 400 * 1024;

/** Besides lines, a transaction of an order carries at most two other actions. */
const LINES_PER_TRANSACTION_MAX = TRANSACTION_ACTIONS_MAX - 2;
const LINE_BYTES_PER_TRANSACTION_MAX = TRANSACTION_BYTES_MAX - ITEM_BYTES_MAX; // The order itself may be as large.

const CONFLICT_ATTEMPTS_MAX = 10;
const FIRST_PAUSE_MS = 10;

const NOT_EXISTS = 'attribute_not_exists(PK)';
const EXISTS = 'attribute_exists(PK)';

export interface ShopOptions {
  readonly client: DynamoDBClient;
  readonly clock: Clock;
  /** Draws an order id: a KSUID of the present moment. */
  readonly newOrderId: () => string;
  readonly tableName?: string;
  readonly pause?: Pause;
}

/**
 * Customers and orders of a shop. With `items.ts` this is the only place that knows the table, its keys and the AWS
 * SDK (used through the document client). One method per access pattern.
 *
 * Methods named `view` and those that write throw where their subject does not exist; those named `find` return
 * `undefined`. Every write may throw {@link WriteConflictError}.
 */
export class Shop {
  readonly #documents: DynamoDBDocumentClient;
  readonly #clock: Clock;
  readonly #newOrderId: () => string;
  readonly #tableName: string;
  readonly #pause: Pause;

  constructor(options: ShopOptions) {
    this.#documents = DynamoDBDocumentClient.from(options.client, {
      marshallOptions: { removeUndefinedValues: true },
    });
    this.#clock = options.clock;
    this.#newOrderId = options.newOrderId;
    this.#tableName = options.tableName ?? ecommerceTable.TableName;
    this.#pause = options.pause ?? pauseWithJitter;
  }

  /**
   * EC-01: signs a customer up. The username and the e-mail address are unique independently of each other, so each is
   * the key of an item, and one transaction writes both.
   *
   * @throws {UsernameTakenError | EmailTakenError | UsernameAndEmailTakenError} nothing is written then.
   * @throws {InvalidInputError} if the username or the e-mail address is empty.
   */
  async createCustomer(signUp: Pick<Customer, 'username' | 'email' | 'name'>): Promise<Customer> {
    requireText('username', signUp.username);
    requireText('email', signUp.email.trim());
    const customer: Customer = {
      username: signUp.username,
      email: signUp.email.trim(),
      name: signUp.name,
      addresses: new Map(),
      createdAt: new Date(this.#clock.nowMs()),
    };
    const [usernameRefused, emailRefused] = await this.#transact([
      this.#putNew(customerItem(customer)),
      this.#putNew(customerEmailItem(customer)),
    ]);
    if (usernameRefused && emailRefused) {
      throw new UsernameAndEmailTakenError(customer.username, customer.email);
    }
    if (usernameRefused) {
      throw new UsernameTakenError(customer.username);
    }
    if (emailRefused) {
      throw new EmailTakenError(customer.email);
    }
    return customer;
  }

  /**
   * EC-02: saves an address under a name, in place of one of that name if there is one.
   *
   * @throws {NoSuchCustomerError}
   * @throws {AddressLimitError} for a new name when the customer has 20 addresses.
   */
  async saveAddress(username: string, addressName: string, address: Address): Promise<void> {
    requireText('addressName', addressName);
    const refused = await this.#update({
      TableName: this.#tableName,
      Key: customerKey(username),
      UpdateExpression: 'SET Addresses.#name = :address',
      ConditionExpression: `${EXISTS} AND (attribute_exists(Addresses.#name) OR size(Addresses) < :max)`,
      // A placeholder, because people use spaces, quotes and dots in names.
      ExpressionAttributeNames: { '#name': addressName },
      ExpressionAttributeValues: { ':address': storedAddress(address), ':max': ADDRESSES_MAX },
    });
    if (refused) {
      throw refused.item ? new AddressLimitError(username, ADDRESSES_MAX) : new NoSuchCustomerError(username);
    }
  }

  /**
   * EC-03: deletes a saved address. Unless `mustExist`, deleting one that is not there is a success.
   *
   * @throws {NoSuchCustomerError}
   * @throws {NoSuchAddressError} only with `mustExist`.
   */
  async deleteAddress(username: string, addressName: string, options: { mustExist?: boolean } = {}): Promise<void> {
    requireText('addressName', addressName);
    const refused = await this.#update({
      TableName: this.#tableName,
      Key: customerKey(username),
      UpdateExpression: 'REMOVE Addresses.#name',
      ConditionExpression: options.mustExist ? `${EXISTS} AND attribute_exists(Addresses.#name)` : EXISTS,
      ExpressionAttributeNames: { '#name': addressName },
    });
    if (refused) {
      throw refused.item ? new NoSuchAddressError(username, addressName) : new NoSuchCustomerError(username);
    }
  }

  /**
   * EC-04: places an order: the order and all its lines, or nothing, in one transaction.
   *
   * An order of more lines than a transaction takes is written lines first, a batch at a time, and the order last, so
   * that a visible order always has all its lines. If that breaks off, {@link OrderUnfinishedError} holds the id to
   * place it with again: lines that are stored already are then skipped.
   *
   * @throws {NoSuchCustomerError | OrderExistsError | OrderLineExistsError} nothing is written then.
   * @throws {InvalidInputError} if two lines share an item id, or `orderId` is not a KSUID.
   */
  async placeOrder(newOrder: NewOrder): Promise<Order> {
    requireDifferentItems(newOrder.lines);
    const order = orderFrom(newOrder, newOrder.orderId ?? this.#newOrderId());
    const lines = newOrder.lines.map((line) => orderLineItem(order.orderId, line));
    const batches = lineBatches(lines);
    if (batches.length > 1) {
      await this.#placeInBatches(order, batches);
      return order;
    }
    const [customerRefused, orderRefused, ...linesRefused] = await this.#transact([
      this.#check(customerKey(order.username), EXISTS),
      this.#putNew(orderItem(order)),
      ...lines.map((line) => this.#putNew(line)),
    ]);
    throwIfRefused(order, { customerRefused, orderRefused });
    const lineRefused = newOrder.lines.find((_, position) => linesRefused[position]);
    if (lineRefused) {
      throw new OrderLineExistsError(order.orderId, lineRefused.itemId);
    }
    return order;
  }

  /**
   * EC-05: moves an order to another status; from `expected` only, if given. The index copy follows by itself.
   *
   * @throws {NoSuchOrderError} and no order appears.
   * @throws {UnexpectedStatusError} if the order is not in the `expected` status.
   */
  async changeOrderStatus(change: {
    readonly username: string;
    readonly orderId: string;
    readonly status: OrderStatus;
    readonly expected?: OrderStatus;
  }): Promise<void> {
    const refused = await this.#update({
      TableName: this.#tableName,
      Key: orderKey(change),
      UpdateExpression: 'SET #status = :status',
      ConditionExpression: change.expected === undefined ? EXISTS : `${EXISTS} AND #status = :expected`,
      ExpressionAttributeNames: { '#status': 'Status' },
      ExpressionAttributeValues: { ':status': change.status, ':expected': change.expected },
    });
    if (!refused) {
      return;
    }
    const actual = refused.item?.['Status']?.S;
    if (change.expected === undefined || actual === undefined) {
      throw new NoSuchOrderError(change.orderId);
    }
    throw new UnexpectedStatusError(change.orderId, { expected: change.expected, actual });
  }

  /**
   * EC-06: the account page: the customer and the ten newest orders, from one request. The customer sorts last in the
   * collection, so reading it backwards begins with the customer.
   *
   * @throws {NoSuchCustomerError}
   */
  async viewAccount(username: string): Promise<Account> {
    const { Items = [], LastEvaluatedKey } = await this.#documents.send(
      new QueryCommand({
        TableName: this.#tableName,
        KeyConditionExpression: 'PK = :customer',
        ExpressionAttributeValues: { ':customer': customerKey(username).PK },
        ScanIndexForward: false,
        Limit: 1 + ORDERS_PER_PAGE,
      }),
    );
    const [customer, ...orders] = Items as StoredItem[]; // Only this module writes to the table.
    if (customer?.Type !== 'Customer') {
      throw new NoSuchCustomerError(username);
    }
    return { customer: customerOf(customer), ...orderPage(orders, { more: LastEvaluatedKey !== undefined }) };
  }

  /**
   * EC-07: the ten orders before an order, newest first, or the ten newest without `before`. An empty page is the end.
   * Orders placed meanwhile do not shift the pages. An unknown customer has no orders.
   */
  async olderOrders(username: string, before?: string): Promise<OrderPage> {
    const { Items = [], LastEvaluatedKey } = await this.#documents.send(
      new QueryCommand({
        TableName: this.#tableName,
        KeyConditionExpression: 'PK = :customer AND SK < :before',
        ExpressionAttributeValues: {
          ':customer': customerKey(username).PK,
          ':before': before === undefined ? SORT_KEY_AFTER_ORDERS : orderKey({ username, orderId: before }).SK,
        },
        ScanIndexForward: false,
        Limit: ORDERS_PER_PAGE,
      }),
    );
    return orderPage(Items as StoredItem[], { more: LastEvaluatedKey !== undefined });
  }

  /**
   * EC-08: the order page: an order with all its lines, from the index that gathers them. Backwards, because there the
   * order comes first, so that a first page without it settles that there is no such order. The index follows the
   * table with a delay.
   *
   * @throws {NoSuchOrderError} also for an order that broke off before the order itself was written.
   */
  async viewOrder(orderId: string): Promise<OrderDetail> {
    const pages = paginateQuery(
      { client: this.#documents },
      {
        TableName: this.#tableName,
        IndexName: 'GSI1',
        KeyConditionExpression: 'GSI1PK = :order',
        ExpressionAttributeValues: { ':order': orderIndexPartition(orderId) },
        ScanIndexForward: false,
      },
    );
    let order: Order | undefined;
    const lines: OrderLine[] = [];
    for await (const { Items = [] } of pages) {
      for (const item of Items as StoredItem[]) {
        if (item.Type === 'Order') {
          order = orderOf(item);
        } else if (item.Type === 'OrderItem' && order) {
          lines.push(orderLineOf(item));
        }
      }
      if (!order) {
        break;
      }
    }
    if (!order) {
      throw new NoSuchOrderError(orderId);
    }
    return { order, lines: lines.toReversed() };
  }

  /** EC-09: a customer with the saved addresses, without orders, as the checkout and the address page need it. */
  async findCustomer(username: string): Promise<Customer | undefined> {
    const item = await this.#get(customerKey(username));
    return item?.Type === 'Customer' ? customerOf(item) : undefined;
  }

  /** EC-10: the username that has reserved an e-mail address, in any spelling of it. */
  async findEmailOwner(email: string): Promise<string | undefined> {
    const item = await this.#get(customerEmailKey(email));
    return item?.Type === 'CustomerEmail' ? item.Username : undefined;
  }

  /**
   * EC-11: changes a customer's e-mail address: reserves the new one, releases the old one and updates the customer,
   * all or nothing. A change of spelling only (letter case) touches the customer alone: both addresses have one
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
    const updateCustomer = {
      TableName: this.#tableName,
      Key: customerKey(username),
      UpdateExpression: 'SET Email = :new',
      ConditionExpression: 'Email = :old',
      ExpressionAttributeValues: { ':new': newEmail, ':old': oldEmail },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    };
    const releaseOldEmail = {
      TableName: this.#tableName,
      Key: customerEmailKey(oldEmail),
      ConditionExpression: 'Username = :me',
      ExpressionAttributeValues: { ':me': username },
    };
    const [newRefused, oldRefused, customerRefused] =
      normalEmail(newEmail) === normalEmail(oldEmail)
        ? [undefined, undefined, await this.#update(updateCustomer)]
        : await this.#transact([
            this.#putNew(customerEmailItem({ username, email: newEmail })),
            { Delete: releaseOldEmail },
            { Update: updateCustomer },
          ]);
    if (customerRefused && !customerRefused.item) {
      throw new NoSuchCustomerError(username);
    }
    if (customerRefused || oldRefused) {
      throw new EmailOutdatedError(username, oldEmail);
    }
    if (newRefused) {
      throw new EmailTakenError(newEmail);
    }
  }

  /**
   * EC-12: changes the customer's profile. The e-mail reservation holds nothing that changes here.
   *
   * @throws {NoSuchCustomerError}
   */
  async updateProfile(username: string, profile: Pick<Customer, 'name'>): Promise<void> {
    const refused = await this.#update({
      TableName: this.#tableName,
      Key: customerKey(username),
      UpdateExpression: 'SET #name = :name',
      ConditionExpression: EXISTS,
      ExpressionAttributeNames: { '#name': 'Name' },
      ExpressionAttributeValues: { ':name': profile.name },
    });
    if (refused) {
      throw new NoSuchCustomerError(username);
    }
  }

  /** The order is not visible until the last step; every step is refused once it is. */
  async #placeInBatches(order: Order, batches: ReadonlyArray<readonly StoredItem[]>): Promise<void> {
    const customerExists = this.#check(customerKey(order.username), EXISTS);
    try {
      for (const [position, batch] of batches.entries()) {
        await this.#addLines(order, batch, { firstBatch: position === 0 });
      }
      const [customerRefused, orderRefused] = await this.#transact([customerExists, this.#putNew(orderItem(order))]);
      throwIfRefused(order, { customerRefused, orderRefused });
    } catch (error) {
      if (error instanceof NoSuchCustomerError || error instanceof OrderExistsError) {
        throw error;
      }
      throw new OrderUnfinishedError(order.orderId, error);
    }
  }

  /** Writes one batch of lines. Those that are stored already come from a run that broke off: they are left out. */
  async #addLines(
    order: Order,
    lines: readonly StoredItem[],
    { firstBatch }: { readonly firstBatch: boolean },
  ): Promise<void> {
    const orderIsOpen = this.#check(orderKey(order), NOT_EXISTS);
    const guards = firstBatch ? [orderIsOpen, this.#check(customerKey(order.username), EXISTS)] : [orderIsOpen];
    let missing = lines;
    while (missing.length > 0) {
      const refusals = await this.#transact([...guards, ...missing.map((line) => this.#putNew(line))]);
      if (refusals.length === 0) {
        return;
      }
      const [orderRefused, customerRefused] = refusals.slice(0, guards.length);
      throwIfRefused(order, { customerRefused, orderRefused });
      missing = missing.filter((_, position) => !refusals[guards.length + position]);
    }
  }

  #putNew(item: StoredItem): Action {
    return { Put: { TableName: this.#tableName, Item: item, ConditionExpression: NOT_EXISTS } };
  }

  #check(key: PrimaryKey, condition: string): Action {
    return { ConditionCheck: { TableName: this.#tableName, Key: key, ConditionExpression: condition } };
  }

  async #get(key: PrimaryKey): Promise<StoredItem | undefined> {
    const { Item } = await this.#documents.send(new GetCommand({ TableName: this.#tableName, Key: key }));
    return Item as StoredItem | undefined;
  }

  /** @returns what its condition refused, or `undefined` when the update was made. */
  async #update(input: UpdateCommandInput): Promise<Refusal | undefined> {
    return await this.#withoutConflicts(async () => {
      try {
        await this.#documents.send(new UpdateCommand({ ...input, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }));
        return undefined;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) {
          return { item: error.Item };
        }
        throw error;
      }
    });
  }

  /**
   * Carries out all actions or none.
   *
   * @returns nothing when they were carried out; otherwise, at the position of each action whose condition did not
   *   hold, a refusal.
   */
  async #transact(actions: readonly Action[]): Promise<ReadonlyArray<Refusal | undefined>> {
    return await this.#withoutConflicts(async () => {
      try {
        await this.#documents.send(new TransactWriteCommand({ TransactItems: [...actions] }));
        return [];
      } catch (error) {
        const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
        if (!reasons.some(({ Code }) => Code === 'ConditionalCheckFailed')) {
          throw error;
        }
        return reasons.map(({ Code, Item }) => (Code === 'ConditionalCheckFailed' ? { item: Item } : undefined));
      }
    });
  }

  /** Repeats what another request was in the way of: the service gives up at once where a lock would wait. */
  async #withoutConflicts<Result>(attempt: () => Promise<Result>): Promise<Result> {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (!isConflict(error)) {
          throw error;
        }
        if (attempts === CONFLICT_ATTEMPTS_MAX) {
          throw new WriteConflictError(attempts, error);
        }
        await this.#pause(FIRST_PAUSE_MS * 2 ** (attempts - 1));
      }
    }
  }
}

type Action = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** A condition that did not hold. */
interface Refusal {
  /** The item as it was, if there is one and it was asked for. */
  readonly item: Readonly<Record<string, AttributeValue>> | undefined;
}

function isConflict(error: unknown): boolean {
  return (
    error instanceof TransactionConflictException ||
    (error instanceof TransactionCanceledException &&
      error.CancellationReasons?.some(({ Code }) => Code === 'TransactionConflict') === true)
  );
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

function orderPage(stored: readonly StoredItem[], { more }: { readonly more: boolean }): OrderPage {
  const orders = stored.flatMap((item) => (item.Type === 'Order' ? [orderOf(item)] : []));
  return { orders, before: more ? orders.at(-1)?.orderId : undefined };
}

function throwIfRefused(
  order: Order,
  { customerRefused, orderRefused }: { customerRefused: Refusal | undefined; orderRefused: Refusal | undefined },
): void {
  if (customerRefused) {
    throw new NoSuchCustomerError(order.username);
  }
  if (orderRefused) {
    throw new OrderExistsError(order.orderId);
  }
}

/** Cuts lines into batches that each fit one transaction together with two other actions. */
function lineBatches(lines: readonly StoredItem[]): ReadonlyArray<readonly StoredItem[]> {
  const batches: StoredItem[][] = [];
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

/** JSON spends at least as many bytes on names, texts, numbers and maps as the service counts for them. */
function sizeBytesMax(item: StoredItem): number {
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
