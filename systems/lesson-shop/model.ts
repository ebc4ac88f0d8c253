import { entity, model } from '@singlet/model';
import { z } from 'zod';

/** Ids are parts of keys, whose parts are separated by `#`. */
const id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const text = z.string().min(1);
const time = z.iso.datetime();
const money = z.number().nonnegative();
const status = z.enum(['PLACED', 'PAID', 'SHIPPED', 'DELIVERED', 'CANCELLED']);

/** An order's id has two parts: the day in UTC and the number of the order in that day, always of three digits. */
const orderId = { day: z.iso.date(), seq: z.string().regex(/^\d{3}$/) };
const order = {
  ...orderId,
  userId: id,
  total: money,
  status: status.default('PLACED'),
  placedAt: time,
  /** Of the request that placed it, so that the request can be repeated if its answer was lost. */
  requestId: z.string().optional(),
};

/** A shop: users with their orders and sessions, and products with their reviews. */
export const lessonShop = model('lesson-shop')
  // 1. What there is, and how it is related
  .entities({
    User: entity(
      { userId: id, name: text, email: z.email(), createdAt: time },
      { expects: { items: 10_000, bytes: 200 } },
    ),
    Order: entity(order, {
      expects: { items: 50_000, bytes: 200 },
      duplicates: {
        status: { from: 'OrderHeader.status', rule: 'immediate', found: 'ordersOfUser' },
        total: { from: 'OrderHeader.total', rule: 'immutable' },
        placedAt: { from: 'OrderHeader.placedAt', rule: 'immutable' },
      },
    }),
    // A second copy of the order, found by its id alone.
    OrderHeader: entity(order, { expects: { items: 50_000, bytes: 200 } }),
    OrderItem: entity(
      { ...orderId, productId: id, name: text, price: money, quantity: z.int().min(1) },
      { expects: { items: 150_000, bytes: 180 } },
    ),
    Product: entity({ productId: id, name: text, price: money }, { expects: { items: 2_000, bytes: 200 } }),
    Review: entity(
      { productId: id, userId: id, rating: z.int().min(1).max(5), text, createdAt: time },
      { expects: { items: 40_000, bytes: 400 } },
    ),
    Session: entity(
      { userId: id, sessionId: id, createdAt: time, expires: z.int().max(9_999_999_999) },
      { expires: 'expires', expects: { items: 20_000, bytes: 180 } },
    ),
  })
  .relationships([
    ['User', '1:N', 'Order'],
    ['OrderHeader', '1:N', 'OrderItem'],
    ['User', '1:N', 'Session'],
    ['Product', '1:N', 'Review', { required: true }],
    ['User', '1:N', 'Review'],
  ])

  // 2. What the application needs
  .patterns({
    user: { id: 'LE-1', actor: 'user', reads: 'User', by: ['userId'], rate: 100 },
    ordersOfUser: {
      id: 'LE-2',
      actor: 'user',
      reads: ['Order'],
      by: ['userId'],
      order: 'day desc',
      limit: 50,
      rate: 30,
      volume: { typical: 5 },
    },
    ordersOfUserBetween: {
      id: 'LE-3',
      actor: 'user',
      reads: ['Order'],
      by: ['userId'],
      range: 'day',
      order: 'day desc',
      rate: 30,
      volume: { typical: 2, most: 500 },
    },
    orderOfUser: { id: 'LE-4', actor: 'user', reads: 'Order', by: ['userId', 'day', 'seq'], rate: 20 },
    orderHeader: {
      id: 'LE-4',
      note: 'where the user is not known',
      actor: 'warehouse',
      reads: 'OrderHeader',
      by: ['day', 'seq'],
      rate: 20,
    },
    itemsOfOrder: {
      id: 'LE-5',
      actor: 'warehouse',
      reads: ['OrderItem'],
      by: ['day', 'seq'],
      order: 'productId asc',
      rate: 20,
      volume: { typical: 3, most: 98 },
    },
    product: { id: 'LE-6', actor: 'visitor', reads: 'Product', by: ['productId'], rate: 500 },
    reviewsOfProduct: {
      id: 'LE-7',
      actor: 'visitor',
      reads: ['Review'],
      by: ['productId'],
      order: 'userId asc',
      limit: 25,
      rate: 200,
      volume: { typical: 20 },
    },
    reviewOfUser: { id: 'LE-8', actor: 'user', reads: 'Review', by: ['productId', 'userId'], rate: 20 },
    userWithOrders: {
      id: 'LE-9',
      actor: 'user',
      reads: { user: 'User', orders: ['Order'] },
      by: ['userId'],
      order: 'day desc',
      rate: 50,
      volume: { typical: 5, most: 500 },
    },
    activeSessions: {
      id: 'LE-10',
      actor: 'user',
      reads: ['Session'],
      by: ['userId'],
      order: 'sessionId asc',
      rate: 20,
      volume: { typical: 2, most: 50 },
    },
    orderWithItems: {
      id: 'LE-11',
      actor: 'warehouse',
      reads: { order: 'OrderHeader', items: ['OrderItem'] },
      by: ['day', 'seq'],
      order: 'productId desc',
      rate: 20,
      volume: { typical: 3, most: 98 },
    },
    placeOrder: {
      id: 'LE-W1',
      actor: 'user',
      transacts: {
        order: { creates: 'Order' },
        header: { creates: 'OrderHeader' },
        items: { creates: ['OrderItem'] },
      },
      rate: 5,
    },
    setOrderStatus: {
      id: 'LE-W2',
      actor: 'warehouse',
      transacts: {
        order: { updates: 'Order', by: ['userId', 'day', 'seq'], sets: ['status'] },
        header: { updates: 'OrderHeader', by: ['day', 'seq'], sets: ['status'] },
      },
      rate: 15,
    },
    reviewProduct: { id: 'LE-W3', actor: 'user', creates: 'Review', rate: 2 },
    createUser: { actor: 'user', creates: 'User', rate: 1 },
    createProduct: { actor: 'editor', creates: 'Product', rate: 0.1 },
    logIn: { actor: 'user', creates: 'Session', rate: 5 },
  })

  // 3. Keys and indexes
  .tables({ 'lesson-shop': { key: ['PK', 'SK'], type: 'entity_type' } })
  .keys({
    User: { 'lesson-shop': ['USER#{userId}', 'PROFILE'] },
    Order: { 'lesson-shop': ['USER#{userId}', 'ORDER#{day}#{seq}'] },
    OrderHeader: { 'lesson-shop': ['ORDER#{day}#{seq}', 'METADATA'] },
    OrderItem: { 'lesson-shop': ['ORDER#{day}#{seq}', 'ITEM#{productId}'] },
    Product: { 'lesson-shop': ['PRODUCT#{productId}', 'METADATA'] },
    Review: { 'lesson-shop': ['PRODUCT#{productId}', 'REVIEW#{userId}'] },
    Session: { 'lesson-shop': ['USER#{userId}', 'SESSION#{sessionId}'] },
  })

  // 4. How each pattern is served
  .served({
    user: 'GetItem',
    ordersOfUser: { query: 'lesson-shop' },
    ordersOfUserBetween: { query: 'lesson-shop' },
    orderOfUser: 'GetItem',
    orderHeader: 'GetItem',
    itemsOfOrder: { query: 'lesson-shop' },
    product: 'GetItem',
    reviewsOfProduct: { query: 'lesson-shop' },
    reviewOfUser: 'GetItem',
    userWithOrders: { query: 'lesson-shop' }, // backwards: PROFILE sorts after ORDER#, sessions after both
    activeSessions: { query: 'lesson-shop' },
    orderWithItems: { query: 'lesson-shop' }, // backwards: METADATA sorts after ITEM#
    placeOrder: 'TransactWriteItems',
    setOrderStatus: 'TransactWriteItems',
    reviewProduct: 'TransactWriteItems', // the review and a check of the product
    createUser: 'PutItem',
    createProduct: 'PutItem',
    logIn: 'PutItem',
  });
