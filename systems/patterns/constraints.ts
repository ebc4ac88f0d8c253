import { add, type Connected, entity, exclude, include, model, ref, RuleError, transact } from '@singlet/model';
import { z } from 'zod';

const id = z.string().regex(/^[A-Za-z0-9]+$/);
const quantity = z.number().int().positive();

/**
 * P-21 At most ten jobs in progress: one update adds to the set on condition of its size, and a member may be added again.
 * P-24 Changes of a set are idempotent; additions to a number are not.
 */
export const jobQueue = model('jobQueue')
  .entities({ JobQueue: entity({ inProgress: z.set(z.string()).optional(), started: z.number().default(0) }) })
  .relationships([])
  .patterns({
    begin: {
      actor: 'stream',
      updates: 'JobQueue',
      orCreates: true,
      takes: { job: z.string() },
      changes: { inProgress: include(ref('job')) },
      given: {
        any: [
          { inProgress: { exists: false } },
          { inProgress: { size: { below: 10 } } },
          { inProgress: { contains: ref('job') } },
        ],
      },
      strategy: 'P-21',
    },
    end: {
      actor: 'stream',
      updates: 'JobQueue',
      takes: { job: z.string() },
      changes: { inProgress: exclude(ref('job')) },
      strategy: 'P-24',
    },
    queue: { reads: 'JobQueue' },
  })
  .tables({ Jobs: { key: ['PK', 'SK'] } })
  .keys({ JobQueue: { Jobs: ['JOBQUEUE', 'JOBQUEUE'] } })
  .served({ begin: 'UpdateItem', end: 'UpdateItem', queue: 'GetItem' });

/**
 * P-22 Only editors change a document: the condition is on the item itself.
 * P-23 The same with the editors of all documents on another item, which the transaction checks.
 */
export const editing = model('editing')
  .entities({
    Document: entity({ document: id, content: z.string(), editors: z.array(z.string()).default([]) }),
    Editors: entity({ editors: z.array(z.string()) }),
  })
  .relationships([['Editors', '1:N', 'Document']])
  .patterns({
    create: { creates: 'Document' },
    appoint: { creates: 'Editors' },
    edit: {
      updates: 'Document',
      by: ['document'],
      sets: ['content'],
      takes: { user: z.string() },
      given: { editors: { contains: ref('user') } },
      returns: 'new',
      strategy: 'P-22',
    },
    editAny: {
      transacts: {
        permission: { checks: 'Editors', takes: { user: z.string() }, given: { editors: { contains: ref('user') } } },
        document: { updates: 'Document', by: ['document'], sets: ['content'] },
      },
      strategy: 'P-23',
    },
    document: { reads: 'Document', by: ['document'] },
  })
  .tables({ Documents: { key: ['PK', 'SK'] } })
  .keys({
    Document: { Documents: ['DOCUMENT#{document}', 'DOCUMENT#{document}'] },
    Editors: { Documents: ['EDITORS', 'EDITORS'] },
  })
  .served({
    create: 'PutItem',
    appoint: 'PutItem',
    edit: 'UpdateItem',
    editAny: 'TransactWriteItems',
    document: 'GetItem',
  });

/** P-25 To insert and to update are two things, and each says so. P-26 Optimistic locking: who writes knows what is there. */
export const actions = model('actions')
  .entities({
    Action: entity({ action: id, executedAt: z.string() }),
    Item: entity({ item: id, data: z.string(), version: z.number() }, { lock: 'version' }),
  })
  .relationships([['Action', '1:N', 'Item']])
  .patterns({
    log: { creates: 'Action', strategy: 'P-25' },
    amend: { updates: 'Action', by: ['action'], sets: ['executedAt'], strategy: 'P-25' },
    action: { reads: 'Action', by: ['action'] },
    create: { creates: 'Item', strategy: 'P-26' },
    change: { updates: 'Item', by: ['item'], sets: ['data'], returns: 'new', strategy: 'P-26' },
    item: { reads: 'Item', by: ['item'], consistent: true },
  })
  .tables({ Actions: { key: ['PK', 'SK'] } })
  .keys({
    Action: { Actions: ['ACTION#{action}', 'ACTION#{action}'] },
    Item: { Actions: ['ITEM#{item}', 'ITEM#{item}'] },
  })
  .served({
    log: 'PutItem',
    amend: 'UpdateItem',
    action: 'GetItem',
    create: 'PutItem',
    change: 'UpdateItem',
    item: 'GetItem',
  });

/**
 * P-52 Business rules as conditions: no debt, only the owner, not too many at once, no sale without stock. A condition is no marker: a
 * withdrawal that is sent again because its answer was lost is made again, if the balance suffices. P-51 shows a marker.
 */
export const invariants = model('invariants')
  .entities({
    Account: entity({ account: id, balance: z.number(), owner: z.string(), inProgress: z.number().default(0) }),
  })
  .relationships([])
  .patterns({
    open: { creates: 'Account' },
    withdraw: {
      updates: 'Account',
      by: ['account'],
      takes: { amount: z.number().positive() },
      changes: { balance: add(ref('amount'), -1) },
      given: { balance: { atLeast: ref('amount') } },
      strategy: 'P-52',
    },
    close: {
      deletes: 'Account',
      by: ['account'],
      takes: { me: z.string() },
      given: { owner: ref('me') },
      strategy: 'P-52',
    },
    begin: {
      updates: 'Account',
      by: ['account'],
      changes: { inProgress: add(1) },
      given: { inProgress: { below: 2 } },
      strategy: 'P-52',
    },
    account: { reads: 'Account', by: ['account'] },
  })
  .tables({ Accounts: { key: ['PK', 'SK'] } })
  .keys({ Account: { Accounts: ['ACCOUNT#{account}', 'ACCOUNT#{account}'] } })
  .served({ open: 'PutItem', withdraw: 'UpdateItem', close: 'DeleteItem', begin: 'UpdateItem', account: 'GetItem' });

/**
 * P-51 A cart and the stock: a cart's products, the carts with a product, a checkout that takes all or nothing, and reservations line by
 * line for what is too long for a checkout. Both write a marker in the transaction that takes from the stock.
 */
export const shop = model('shop')
  .entities({
    CartLine: entity({ cart: id, product: id, quantity }),
    Stock: entity({ product: id, onHand: z.number().int().min(0) }),
    /** Records that a cart was checked out. A checkout whose answer is lost can be retried and takes nothing twice. */
    Checkout: entity({ cart: id }),
    /** Records what was taken for an order. It stays when it is released: a retry that arrives late finds it, and takes nothing. */
    Reservation: entity({ order: id, product: id, quantity, status: z.enum(['held', 'released']).default('held') }),
  })
  .relationships([
    ['Stock', '1:N', 'CartLine'],
    ['CartLine', '1:1', 'Checkout'],
    ['Stock', '1:N', 'Reservation'],
  ])
  .patterns({
    addToCart: { creates: 'CartLine' },
    deliver: { creates: 'Stock' },
    productsIn: { reads: ['CartLine'], by: ['cart'], limit: 50, strategy: 'P-51' },
    cartsWith: { reads: ['CartLine'], by: ['product'], limit: 50, strategy: 'P-51' },
    checkOut: { creates: 'Checkout', strategy: 'P-51' },
    // Only in the transaction of a checkout. Alone, a retry whose first answer was lost would take twice.
    take: {
      updates: 'Stock',
      by: ['product'],
      takes: { quantity },
      changes: { onHand: add(ref('quantity'), -1) },
      given: { onHand: { atLeast: ref('quantity') } },
      strategy: 'P-51',
    },
    reserve: {
      transacts: {
        reservation: { creates: 'Reservation' },
        stock: {
          updates: 'Stock',
          by: ['product'],
          takes: { quantity },
          changes: { onHand: add(ref('quantity'), -1) },
          given: { onHand: { atLeast: ref('quantity') } },
        },
      },
      strategy: 'P-51',
    },
    release: {
      transacts: {
        reservation: {
          updates: 'Reservation',
          by: ['order', 'product'],
          takes: { quantity },
          changes: { status: 'released' },
          given: { status: 'held', quantity: ref('quantity') },
        },
        stock: {
          updates: 'Stock',
          by: ['product'],
          takes: { quantity },
          changes: { onHand: add(ref('quantity')) },
        },
      },
      strategy: 'P-51',
    },
    reservedFor: { reads: ['Reservation'], by: ['order'], limit: 50, strategy: 'P-51' },
    stock: { reads: 'Stock', by: ['product'] },
  })
  .tables({ Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    CartLine: { Shop: ['CART#{cart}', 'PRODUCT#{product}'], GSI1: ['PRODUCT#{product}', 'CART#{cart}'] },
    Stock: { Shop: ['PRODUCT#{product}', 'INVENTORY'] },
    Checkout: { Shop: ['CART#{cart}', 'CHECKOUT'] },
    Reservation: { Shop: ['ORDER#{order}', 'PRODUCT#{product}'] },
  })
  .served({
    checkOut: 'PutItem',
    addToCart: 'PutItem',
    deliver: 'PutItem',
    productsIn: { query: 'Shop' },
    cartsWith: { query: 'GSI1' },
    take: 'UpdateItem',
    reserve: 'TransactWriteItems',
    release: 'TransactWriteItems',
    reservedFor: { query: 'Shop' },
    stock: 'GetItem',
  });

type Shop = Connected<typeof shop.entities, typeof shop.patterns>;

/** A transaction has at most 100 actions, and one of them records the checkout of the cart. */
export const CART_LINES_MAX = 99;

/** A cart holds more products than one checkout can take. */
export class CartTooLongError extends Error {
  override readonly name = 'CartTooLongError';
}

/**
 * Takes a cart's contents from the stock, all of it or nothing. May be called again if the answer was lost: a cart is
 * checked out once.
 *
 * @returns false for a cart that was checked out before. Nothing is taken then.
 * @throws {RuleError} `condition-failed` or `not-found` if the stock has too little of a product.
 * @throws {CartTooLongError} for more than {@link CART_LINES_MAX} products.
 */
export async function checkOut(db: Shop, cart: string): Promise<boolean> {
  const lines: { readonly product: string; readonly quantity: number }[] = [];
  for await (const line of db.productsIn.each({ cart }, { consistent: true })) {
    lines.push(line);
    if (lines.length > CART_LINES_MAX) throw new CartTooLongError(`A cart has at most ${CART_LINES_MAX} products`);
  }
  const takes = lines.map(({ product, quantity }) => db.take.op({ product, quantity }));
  return await unlessDone('Checkout', transact(db, [db.checkOut.op({ cart }), ...takes]));
}

/**
 * Takes one product for an order from the stock. May be called again if the answer was lost: an order reserves a product once, also
 * after it was released.
 *
 * @returns false if the order has reserved the product before, in whatever quantity. Nothing is taken then.
 * @throws {RuleError} `condition-failed` or `not-found` if the stock has too little of it.
 */
export async function reserve(
  db: Shop,
  { order, product, quantity }: { readonly order: string; readonly product: string; readonly quantity: number },
): Promise<boolean> {
  const line = { reservation: { order, product, quantity }, stock: { product, quantity } };
  return await unlessDone('Reservation', db.reserve(line));
}

/** Compensation: returns what an order has reserved to the stock. May be called again: each reservation is released once. */
export async function releaseOrder(db: Shop, order: string): Promise<void> {
  for await (const { product, quantity, status } of db.reservedFor.each({ order }, { consistent: true })) {
    if (status === 'released') continue;
    const line = { reservation: { order, product, quantity }, stock: { product, quantity } };
    await unlessDone('Reservation', db.release(line));
  }
}

/** @returns false if the marker's condition shows that an earlier attempt has done it. */
async function unlessDone(marker: string, write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof RuleError && error.failures.some(({ entity: of }) => of === marker)) return false;
    throw error;
  }
}
