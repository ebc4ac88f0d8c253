import { add, type Connected, entity, exclude, include, model, ref, RuleError, transact } from '@singlet/model';
import { z } from 'zod';

const id = z.string().regex(/^[A-Za-z0-9]+$/);

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

/** P-52 Business rules as conditions: no debt, only the owner, not too many at once, no sale without stock. */
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

/** P-51 A cart and the stock: a cart's products, the carts with a product, and a checkout that takes all or nothing. */
export const shop = model('shop')
  .entities({
    CartLine: entity({ cart: id, product: id, quantity: z.number().int().positive() }),
    Stock: entity({ product: id, onHand: z.number().int().min(0) }),
    /** Records that a cart was checked out. A checkout whose answer is lost can be retried and takes nothing twice. */
    Checkout: entity({ cart: id }),
  })
  .relationships([
    ['Stock', '1:N', 'CartLine'],
    ['CartLine', '1:1', 'Checkout'],
  ])
  .patterns({
    addToCart: { creates: 'CartLine' },
    deliver: { creates: 'Stock' },
    productsIn: { reads: ['CartLine'], by: ['cart'], limit: 50, strategy: 'P-51' },
    cartsWith: { reads: ['CartLine'], by: ['product'], limit: 50, strategy: 'P-51' },
    reserve: {
      updates: 'Stock',
      by: ['product'],
      takes: { quantity: z.number().int().positive() },
      changes: { onHand: add(ref('quantity'), -1) },
      given: { onHand: { atLeast: ref('quantity') } },
      strategy: 'P-51',
    },
    checkOut: { creates: 'Checkout', strategy: 'P-51' },
    stock: { reads: 'Stock', by: ['product'] },
  })
  .tables({ Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    CartLine: { Shop: ['CART#{cart}', 'PRODUCT#{product}'], GSI1: ['PRODUCT#{product}', 'CART#{cart}'] },
    Stock: { Shop: ['PRODUCT#{product}', 'INVENTORY'] },
    Checkout: { Shop: ['CART#{cart}', 'CHECKOUT'] },
  })
  .served({
    checkOut: 'PutItem',
    addToCart: 'PutItem',
    deliver: 'PutItem',
    productsIn: { query: 'Shop' },
    cartsWith: { query: 'GSI1' },
    reserve: 'UpdateItem',
    stock: 'GetItem',
  });

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
export async function checkOut(
  db: Connected<typeof shop.entities, typeof shop.patterns>,
  cart: string,
): Promise<boolean> {
  const lines: { readonly product: string; readonly quantity: number }[] = [];
  for await (const line of db.productsIn.each({ cart }, { consistent: true })) {
    lines.push(line);
    if (lines.length > CART_LINES_MAX) throw new CartTooLongError(`A cart has at most ${CART_LINES_MAX} products`);
  }
  try {
    await transact(db, [
      db.checkOut.op({ cart }),
      ...lines.map(({ product, quantity }) => db.reserve.op({ product, quantity })),
    ]);
    return true;
  } catch (error) {
    if (error instanceof RuleError && error.failures.some(({ entity: of }) => of === 'Checkout')) return false;
    throw error;
  }
}
