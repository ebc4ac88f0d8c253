import { randomBytes } from 'node:crypto';
import { tableDefinitions } from '@singlet/model';
import { MovedClock } from '../../clock.ts';
import { Costs } from '../../http/costs.ts';
import { HttpError } from '../../http/http-error.ts';
import { html } from '../../http/markup.ts';
import { type HttpServer, serveHttp } from '../../http/node-server.ts';
import { SESSION, sessionScheme, SIGN_IN, SIGN_OUT, SignIn } from '../../http/sign-in.ts';
import type { ApplicationStart } from '../../http/start-options.ts';
import { webApplication } from '../../http/web-application.ts';
import { createKsuidGenerator } from '../../ksuid.ts';
import { tableIsNew } from '../../table-lifecycle.ts';
import { InvalidInputError, ShopError, type ShopErrorCode } from '../errors.ts';
import { shop as model } from '../model.ts';
import { sampleShop, seedShop } from '../seed.ts';
import { Shop } from '../shop.ts';
import { actionsOf, screensOf } from './pages.ts';
import { routesOf } from './routes.ts';
import { Storefront } from './storefront.ts';

const SAMPLES = 5;

/** Serves the book shop. Scale 1 is 2,000 customers with 10,000 orders. */
export async function startShop(options: ApplicationStart): Promise<HttpServer> {
  const { client, port, scale, say, checksAnswers = false } = options;
  const clock = new MovedClock();
  const costs = new Costs();
  costs.watch(client);
  const [definition] = tableDefinitions(model);
  const tableName = definition?.TableName ?? model.name;
  if ((await tableIsNew(client, { ...definition, TableName: tableName })) && scale > 0) {
    const { customers, orders, lines } = await seedShop({ client, tableName, scale });
    say(`${customers} customers, ${orders} orders, ${lines} lines`);
  }
  const newKsuid = createKsuidGenerator({ clock, randomBytes });
  const shop = new Shop({ client, clock, newOrderId: newKsuid, tableName });
  const front = new Storefront({
    shop,
    clock,
    secret: process.env['CURSOR_SECRET'] ?? randomBytes(32).toString('base64'),
  });
  const signIn = await SignIn.open({
    client,
    clock,
    name: 'halfmoon',
    isPerson: async (username) => (await shop.findCustomer(username)) !== undefined,
    samples:
      scale === 0
        ? []
        : sampleShop(scale)
            .slice(0, SAMPLES)
            .map(({ customer }) => customer.username),
    besides: html`<p><a href="/sign-up">Sign up as a new customer</a></p>`,
  });
  const pages = { front, signIn, newKey: newKsuid };
  const handler = await webApplication({
    frame: {
      name: 'Halfmoon Books',
      voice: 'reading',
      places: [
        { path: '/', label: 'Orders' },
        { path: '/addresses', label: 'Addresses' },
        { path: '/profile', label: 'Profile' },
        { path: '/new-order', label: 'New order' },
        { path: '/warehouse', label: 'Warehouse' },
      ],
      signInPath: SIGN_IN,
      signOutPath: SIGN_OUT,
    },
    description: 'A book shop: customers, their addresses and orders, and the warehouse.',
    tint: { hue: 75, strength: 0.8 },
    routes: [...routesOf(front, signIn), ...signIn.routes()],
    screens: [...screensOf(pages), ...signIn.screens()],
    actions: [...actionsOf(pages), ...signIn.actions()],
    costs,
    checksAnswers,
    onAnswer: options.onAnswer,
    examples: [new URL('examples.json', import.meta.url)],
    securitySchemes: { [SESSION]: sessionScheme },
    personOf: async (request) => await signIn.personOf(request),
    errorOf,
    onFault: (error) => say(String(error)),
  });
  return await serveHttp(handler, { port });
}

type Refusal = readonly [status: number, code: string, words: string, fields: readonly string[]];

const REFUSALS: Readonly<Record<Exclude<ShopErrorCode, 'invalid-input'>, Refusal>> = {
  'username-taken': [409, 'taken', 'Another customer has this username.', ['username']],
  'email-taken': [409, 'taken', 'Another customer uses this e-mail address.', ['email']],
  'username-and-email-taken': [
    409,
    'taken',
    'Other customers have this username and this e-mail address.',
    ['username', 'email'],
  ],
  'no-such-customer': [404, 'not-found', 'There is no such customer.', []],
  'no-such-address': [404, 'not-found', 'There is no address of this name.', []],
  'address-limit': [409, 'limit', 'You have 20 addresses, which is the most. Delete one first.', ['label']],
  'email-outdated': [409, 'stale', 'Your e-mail address was changed meanwhile. Open the page again.', ['email']],
  'no-such-order': [404, 'not-found', 'There is no such order.', []],
  'order-exists': [409, 'already-done', 'This order was placed before.', []],
  'order-line-exists': [409, 'already-done', 'This order has such a line already.', []],
  'order-unfinished': [503, 'busy', 'The order broke off. Send it again with the same key.', []],
  'unexpected-status': [409, 'stale', 'The status was changed meanwhile. Look at the order again.', []],
  'write-conflict': [503, 'busy', 'Too many are writing here at once. Try again in a moment.', []],
};

function errorOf(error: unknown): HttpError | undefined {
  if (error instanceof InvalidInputError) {
    return new HttpError(400, 'invalid', `${error.field} cannot have this value.`, {}, [
      { field: error.field, detail: 'cannot have this value' },
    ]);
  }
  if (!(error instanceof ShopError) || error.code === 'invalid-input') return undefined;
  const [status, code, words, fields] = REFUSALS[error.code];
  const faults = fields.map((field) => ({ field, detail: code === 'taken' ? 'is taken' : words }));
  return new HttpError(status, code, words, status === 503 ? { 'retry-after': '1' } : {}, faults);
}
