import { z } from 'zod';
import { type Route, route } from '../../http/route.ts';
import { SESSION, type SignIn } from '../../http/sign-in.ts';
import type { Order, OrderId } from '../shop.ts';
import { type Counter, existing, LINES_MAX, QUANTITY_MAX } from './counter.ts';

const TEXT_LENGTH_MAX = 2000;
const RECENT_DAYS = 30;

const id = z.string().regex(/^[\w-]{1,64}$/);
/** `2024-01-15#001`: the day and the number in that day, of three digits. */
export const orderId = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d#\d{3}$/)
  .transform((text): OrderId => ({ day: text.slice(0, 10), seq: text.slice(11) }));
export const status = z.enum(['PLACED', 'PAID', 'SHIPPED', 'DELIVERED', 'CANCELLED']);
export const review = z.object({
  rating: z.coerce.number().int().min(1).max(5),
  text: z.string().trim().min(1).max(TEXT_LENGTH_MAX),
});
export const quantity = z.coerce.number().int().min(0).max(QUANTITY_MAX);

const user = z.object({ userId: z.string(), name: z.string(), email: z.string() });
const product = z.object({ productId: z.string(), name: z.string(), price: z.number() });
const reviewShape = z.object({
  productId: z.string(),
  userId: z.string(),
  rating: z.int(),
  text: z.string(),
  createdAt: z.iso.datetime(),
});
const order = z.object({
  orderId: z.string(),
  userId: z.string(),
  status,
  total: z.number(),
  placedAt: z.iso.datetime(),
});
const item = product.extend({ quantity: z.int() });
const session = z.object({ sessionId: z.string(), createdAt: z.iso.datetime(), expires: z.int() });
const orders = z.object({ items: z.array(order), cursor: z.string().optional() });
const cursor = z.string().max(2000).optional();

const absent = { 404: { description: 'There is no such thing' } };
const signedOut = { 401: { description: 'Not signed in' } };

/** Everything that the shop does, over HTTP. */
export function routesOf(counter: Counter, signIn: SignIn): readonly Route[] {
  return [...productRoutes(counter, signIn), ...customerRoutes(counter, signIn), ...orderRoutes(counter, signIn)];
}

function productRoutes(counter: Counter, signIn: SignIn): readonly Route[] {
  const { shop } = counter;
  const pathSchemas = { productId: id };
  return [
    route({
      method: 'GET',
      path: '/products/{productId}',
      operationId: 'getProduct',
      summary: 'A product',
      tag: 'Products',
      pathSchemas,
      serves: ['LE-6'],
      answers: { 200: { description: 'The product', schema: product }, ...absent },
      handle: async ({ path }) => ({ status: 200, body: await counter.product(path.productId) }),
    }),
    route({
      method: 'GET',
      path: '/products/{productId}/reviews',
      operationId: 'getReviews',
      summary: 'Reviews of a product, by the names of those who wrote them',
      tag: 'Products',
      pathSchemas,
      serves: ['LE-7'],
      answers: { 200: { description: 'The first of them', schema: z.object({ items: z.array(reviewShape) }) } },
      handle: async ({ path }) => ({ status: 200, body: { items: (await shop.reviewsOf(path.productId)).items } }),
    }),
    route({
      method: 'GET',
      path: '/products/{productId}/reviews/{userId}',
      operationId: 'getReview',
      summary: 'The review of one customer',
      tag: 'Products',
      pathSchemas: { productId: id, userId: id },
      serves: ['LE-8'],
      answers: { 200: { description: 'The review', schema: reviewShape }, ...absent },
      handle: async ({ path }) => ({ status: 200, body: existing(await shop.findReview(path), 'review') }),
    }),
    route({
      method: 'PUT',
      path: '/products/{productId}/review',
      operationId: 'reviewProduct',
      summary: 'Review a product, once',
      tag: 'Products',
      security: SESSION,
      pathSchemas,
      serves: ['LE-W3'],
      body: review,
      answers: {
        201: { description: 'The review', schema: reviewShape },
        ...signedOut,
        ...absent,
        409: { description: 'You have reviewed it, in other words' },
      },
      handle: async ({ path, body, request }) => {
        const userId = await signIn.required(request);
        return { status: 201, body: await counter.review({ ...path, userId, ...body }) };
      },
    }),
  ];
}

function customerRoutes(counter: Counter, signIn: SignIn): readonly Route[] {
  const { shop } = counter;
  return [
    route({
      method: 'GET',
      path: '/me',
      operationId: 'getMe',
      summary: 'Who is signed in',
      tag: 'Customer',
      security: SESSION,
      serves: ['LE-1'],
      answers: { 200: { description: 'The customer', schema: user }, ...signedOut, ...absent },
      handle: async ({ request }) => {
        const { userId, name, email } = existing(await shop.findUser(await signIn.required(request)), 'customer');
        return { status: 200, body: { userId, name, email } };
      },
    }),
    route({
      method: 'GET',
      path: '/me/account',
      operationId: 'getAccount',
      summary: 'The customer with the orders, the newest first, in one request',
      tag: 'Customer',
      security: SESSION,
      serves: ['LE-9'],
      answers: {
        200: { description: 'The account', schema: z.object({ user, orders: z.array(order) }) },
        ...signedOut,
        ...absent,
      },
      handle: async ({ request }) => {
        const found = await shop.userWithOrders(await signIn.required(request));
        const { userId, name, email } = existing(found.user, 'customer');
        return { status: 200, body: { user: { userId, name, email }, orders: found.orders.map(orderShown) } };
      },
    }),
    route({
      method: 'GET',
      path: '/me/orders',
      operationId: 'getOrders',
      summary: 'Orders, the newest first: a page of all, or those of the last thirty days',
      tag: 'Customer',
      security: SESSION,
      serves: ['LE-2', 'LE-3'],
      query: z.object({ days: z.literal(String(RECENT_DAYS)).optional(), cursor }),
      answers: { 200: { description: 'The orders', schema: orders }, ...signedOut },
      handle: async ({ query, request }) => {
        const userId = await signIn.required(request);
        const page =
          query.days === undefined
            ? await counter.orders(userId, query.cursor)
            : { items: await shop.recentOrdersOf(userId) };
        return { status: 200, body: { ...page, items: page.items.map(orderShown) } };
      },
    }),
    route({
      method: 'GET',
      path: '/me/orders/{orderId}',
      operationId: 'getOrderOfMine',
      summary: 'One order of the customer, without what was ordered',
      tag: 'Customer',
      security: SESSION,
      pathSchemas: { orderId },
      serves: ['LE-4'],
      answers: { 200: { description: 'The order', schema: order }, ...signedOut, ...absent },
      handle: async ({ path, request }) => {
        const userId = await signIn.required(request);
        return { status: 200, body: orderShown(existing(await shop.findOrderOf(userId, path.orderId), 'order')) };
      },
    }),
    route({
      method: 'GET',
      path: '/me/sessions',
      operationId: 'getSessions',
      summary: 'Sessions of the customer that have not expired',
      tag: 'Customer',
      security: SESSION,
      serves: ['LE-10'],
      answers: { 200: { description: 'The sessions', schema: z.object({ items: z.array(session) }) }, ...signedOut },
      handle: async ({ request }) => {
        const items = await shop.activeSessionsOf(await signIn.required(request));
        return {
          status: 200,
          body: { items: items.map(({ sessionId, createdAt, expires }) => ({ sessionId, createdAt, expires })) },
        };
      },
    }),
  ];
}

function orderRoutes(counter: Counter, signIn: SignIn): readonly Route[] {
  const { shop } = counter;
  const pathSchemas = { orderId };
  return [
    route({
      method: 'POST',
      path: '/orders',
      operationId: 'placeOrder',
      summary: 'Place an order at the prices of the products',
      description: 'With an Idempotency-Key, the same key answers the order of the first attempt.',
      takesKey: true,
      tag: 'Orders',
      security: SESSION,
      serves: ['LE-6', 'LE-W1'],
      body: z.object({
        lines: z
          .array(z.object({ productId: id, quantity: z.int().min(1).max(QUANTITY_MAX) }))
          .min(1)
          .max(LINES_MAX),
      }),
      answers: { 201: { description: 'The order', schema: order }, ...signedOut, 409: { description: 'Day is full' } },
      handle: async ({ body, key, request }) => {
        const userId = await signIn.required(request);
        const placed = await counter.place(userId, body, key);
        return { status: 201, body: orderShown(placed) };
      },
    }),
    route({
      method: 'GET',
      path: '/orders/{orderId}',
      operationId: 'getOrder',
      summary: 'An order with what was ordered, in one request; for the counter',
      tag: 'Orders',
      pathSchemas,
      serves: ['LE-11'],
      answers: {
        200: { description: 'The order', schema: z.object({ order, items: z.array(item) }) },
        ...absent,
      },
      handle: async ({ path }) => {
        const found = await counter.order(path.orderId);
        return { status: 200, body: { order: orderShown(found.order), items: found.items.map(itemShown) } };
      },
    }),
    route({
      method: 'GET',
      path: '/orders/{orderId}/items',
      operationId: 'getItemsOfOrder',
      summary: 'What was ordered',
      tag: 'Orders',
      pathSchemas,
      serves: ['LE-5'],
      answers: { 200: { description: 'The items', schema: z.object({ items: z.array(item) }) } },
      handle: async ({ path }) => ({
        status: 200,
        body: { items: (await shop.itemsOf(path.orderId)).map(itemShown) },
      }),
    }),
    route({
      method: 'PUT',
      path: '/orders/{orderId}/status',
      operationId: 'setStatus',
      summary: 'Set the status in both copies of an order; for the counter',
      tag: 'Orders',
      pathSchemas,
      serves: ['LE-4', 'LE-W2'],
      body: z.object({ status }),
      answers: { 200: { description: 'The order', schema: order }, ...absent },
      handle: async ({ path, body }) => ({
        status: 200,
        body: orderShown(await counter.setStatus(path.orderId, body.status)),
      }),
    }),
  ];
}

/** The id of an order, formatted for display. */
export function idOf({ day, seq }: OrderId): string {
  return `${day}#${seq}`;
}

function itemShown({ productId, name, price, quantity: copies }: z.output<typeof item>): z.output<typeof item> {
  return { productId, name, price, quantity: copies };
}

function orderShown({ day, seq, userId, status: state, total, placedAt }: Order): z.output<typeof order> {
  return { orderId: idOf({ day, seq }), userId, status: state, total, placedAt };
}
