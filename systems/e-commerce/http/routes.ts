import { z } from 'zod';
import { type Route, route } from '../../http/route.ts';
import { SESSION, type SignIn } from '../../http/sign-in.ts';
import { NoSuchCustomerError } from '../errors.ts';
import type { Address, Customer, Order } from '../shop-objects.ts';
import { LINES_MAX, orderKey, QUANTITY_MAX, type Storefront } from './storefront.ts';

const TEXT_LENGTH_MAX = 200;

const text = z.string().trim().min(1).max(TEXT_LENGTH_MAX);
export const username = z
  .string()
  .regex(/^[a-z0-9_-]+$/i)
  .max(40);
export const email = z.email().max(TEXT_LENGTH_MAX);
export const signUp = z.object({ username, email, name: text });
export const address = z.object({
  street: text,
  city: text,
  state: text,
  postalCode: text.optional(),
  country: text.optional(),
  recipient: text.optional(),
});
export const addressName = z.string().trim().min(1).max(60);
export const payment = z.object({ brand: text, lastFour: z.string().regex(/^\d{4}$/) });
export const status = z.enum(['ACCEPTED', 'SHIPPED', 'DELIVERED', 'CANCELLED']);
export const newOrder = z.object({
  lines: z
    .array(z.object({ bookId: z.string().max(60), quantity: z.int().min(1).max(QUANTITY_MAX) }))
    .min(1)
    .max(LINES_MAX),
  address: addressName,
  payment,
});

const customer = z.object({ username: z.string(), email: z.string(), name: z.string(), createdAt: z.iso.datetime() });
const order = z.object({
  orderId: z.string(),
  createdAt: z.iso.datetime(),
  status,
  amount: z.number(),
  numberItems: z.int(),
  subtotal: z.number().optional(),
  salesTax: z.number().optional(),
  shipping: z.number().optional(),
  payment: z.object({ brand: z.string(), lastFour: z.string() }).optional(),
  shippedTo: address.optional(),
});
const line = z.object({
  itemId: z.string(),
  description: z.string(),
  price: z.number(),
  condition: z.string().optional(),
  quantity: z.int().optional(),
});
const account = z.object({ customer: customer.optional(), orders: z.array(order), cursor: z.string().optional() });

const signedOut = { 401: { description: 'Not signed in' } };

/** Everything that the shop does, over HTTP. */
export function routesOf(front: Storefront, signIn: SignIn): readonly Route[] {
  return [...accountRoutes(front, signIn), ...orderRoutes(front, signIn), ...warehouseRoutes(front)];
}

function accountRoutes(front: Storefront, signIn: SignIn): readonly Route[] {
  const { shop } = front;
  return [
    route({
      method: 'POST',
      path: '/customers',
      operationId: 'signUp',
      summary: 'Sign up',
      description: 'With an Idempotency-Key, the same key answers the customer of the first attempt.',
      takesKey: true,
      tag: 'Account',
      serves: ['EC-01'],
      body: signUp,
      answers: {
        201: { description: 'The customer', schema: customer },
        409: { description: 'Name or address is taken' },
      },
      handle: async ({ body, key }) => ({ status: 201, body: customerShown(await front.signUp(body, key)) }),
    }),
    route({
      method: 'GET',
      path: '/account',
      operationId: 'getAccount',
      summary: 'The customer with the newest orders; older orders by cursor',
      tag: 'Account',
      security: SESSION,
      serves: ['EC-06', 'EC-07'],
      query: z.object({ cursor: z.string().max(500).optional() }),
      answers: { 200: { description: 'The page', schema: account }, ...signedOut },
      handle: async ({ query, request }) => {
        const page = await front.account(await signIn.required(request), query.cursor);
        return {
          status: 200,
          body: {
            ...(page.customer !== undefined && { customer: customerShown(page.customer) }),
            orders: page.orders.map(orderShown),
            ...(page.cursor !== undefined && { cursor: page.cursor }),
          },
        };
      },
    }),
    route({
      method: 'PATCH',
      path: '/account',
      operationId: 'rename',
      summary: "Change the customer's name",
      tag: 'Account',
      security: SESSION,
      serves: ['EC-12'],
      body: z.object({ name: text }),
      answers: { 204: { description: 'Changed' }, ...signedOut },
      handle: async ({ body, request }) => {
        await shop.updateProfile(await signIn.required(request), body);
        return { status: 204 };
      },
    }),
    route({
      method: 'PUT',
      path: '/account/email',
      operationId: 'changeEmail',
      summary: 'Change the e-mail address',
      tag: 'Account',
      security: SESSION,
      serves: ['EC-11'],
      body: z.object({ email, current: email }),
      answers: {
        204: { description: 'Changed' },
        409: { description: 'It is taken, or the current one is another' },
        ...signedOut,
      },
      handle: async ({ body, request }) => {
        const name = await signIn.required(request);
        await front.changeEmail({ username: name, oldEmail: body.current, newEmail: body.email });
        return { status: 204 };
      },
    }),
    route({
      method: 'GET',
      path: '/account/addresses',
      operationId: 'getAddresses',
      summary: 'The saved addresses',
      tag: 'Account',
      security: SESSION,
      serves: ['EC-09'],
      answers: {
        200: { description: 'By name', schema: z.object({ addresses: z.record(z.string(), address) }) },
        ...signedOut,
      },
      handle: async ({ request }) => {
        const name = await signIn.required(request);
        const found = await shop.findCustomer(name);
        if (found === undefined) throw new NoSuchCustomerError(name);
        return { status: 200, body: { addresses: Object.fromEntries(found.addresses) } };
      },
    }),
    route({
      method: 'PUT',
      path: '/account/addresses/{name}',
      operationId: 'saveAddress',
      summary: 'Save an address under a name',
      tag: 'Account',
      security: SESSION,
      serves: ['EC-02'],
      pathSchemas: { name: addressName },
      body: address,
      answers: { 204: { description: 'Saved' }, 409: { description: 'There are 20 already' }, ...signedOut },
      handle: async ({ path, body, request }) => {
        await shop.saveAddress(await signIn.required(request), path.name, body);
        return { status: 204 };
      },
    }),
    route({
      method: 'DELETE',
      path: '/account/addresses/{name}',
      operationId: 'deleteAddress',
      summary: 'Delete a saved address; orders keep their copy',
      tag: 'Account',
      security: SESSION,
      serves: ['EC-03'],
      pathSchemas: { name: addressName },
      answers: { 204: { description: 'Deleted' }, 404: { description: 'No such address' }, ...signedOut },
      handle: async ({ path, request }) => {
        await shop.deleteAddress(await signIn.required(request), path.name, { mustExist: true });
        return { status: 204 };
      },
    }),
  ];
}

function orderRoutes(front: Storefront, signIn: SignIn): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/orders',
      operationId: 'placeOrder',
      summary: 'Order books of the catalogue',
      description:
        'Prices are those of the catalogue. With an Idempotency-Key, a KSUID of the last day, the same key places one order, whose time is that of the key.',
      takesKey: true,
      tag: 'Orders',
      security: SESSION,
      serves: ['EC-09', 'EC-04'],
      body: newOrder,
      answers: { 201: { description: 'The order', schema: order }, ...signedOut },
      handle: async ({ body, key, request }) => {
        const name = await signIn.required(request);
        return { status: 201, body: orderShown(await front.place(name, body, key)) };
      },
    }),
    route({
      method: 'GET',
      path: '/orders/{orderId}',
      operationId: 'getOrder',
      summary: 'An order with its lines',
      tag: 'Orders',
      security: SESSION,
      serves: ['EC-08'],
      pathSchemas: { orderId: orderKey },
      answers: {
        200: { description: 'The order', schema: z.object({ order, lines: z.array(line) }) },
        403: { description: 'Of another customer' },
        404: { description: 'No such order' },
        ...signedOut,
      },
      handle: async ({ path, request }) => {
        const { order: found, lines } = await front.order(await signIn.required(request), path.orderId);
        return { status: 200, body: { order: orderShown(found), lines } };
      },
    }),
  ];
}

function warehouseRoutes(front: Storefront): readonly Route[] {
  return [
    route({
      method: 'PUT',
      path: '/warehouse/orders/{username}/{orderId}/status',
      operationId: 'changeStatus',
      summary: 'Move an order from one status to another',
      tag: 'Warehouse',
      serves: ['EC-05'],
      pathSchemas: { username, orderId: orderKey },
      body: z.object({ from: status, to: status }),
      answers: {
        204: { description: 'Changed' },
        404: { description: 'No such order' },
        409: { description: 'It has another status' },
      },
      handle: async ({ path, body }) => {
        await front.changeStatus({ ...path, ...body });
        return { status: 204 };
      },
    }),
    route({
      method: 'GET',
      path: '/support/owners/{email}',
      operationId: 'getOwner',
      summary: 'Whose an e-mail address is',
      tag: 'Support',
      serves: ['EC-10'],
      pathSchemas: { email },
      answers: {
        200: { description: 'The customer', schema: z.object({ username: z.string() }) },
        404: { description: 'No customer has it' },
      },
      handle: async ({ path }) => {
        const owner = await front.shop.findEmailOwner(path.email);
        if (owner === undefined) throw new NoSuchCustomerError(path.email);
        return { status: 200, body: { username: owner } };
      },
    }),
  ];
}

function customerShown({ username: name, email: at, name: called, createdAt }: Customer): z.output<typeof customer> {
  return { username: name, email: at, name: called, createdAt: createdAt.toISOString() };
}

function orderShown(found: Order): object {
  const { createdAt, username: _, ...rest } = found;
  return { ...rest, createdAt: createdAt.toISOString() };
}

/** An address, formatted for display. */
export function addressLines({ recipient, street, city, state, postalCode, country }: Address): readonly string[] {
  return [recipient, street, [city, [state, postalCode].filter(Boolean).join(' ')].join(', '), country].filter(
    (part): part is string => part !== undefined && part !== '',
  );
}
