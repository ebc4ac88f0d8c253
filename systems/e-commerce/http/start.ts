import { randomBytes } from 'node:crypto';
import { MovedClock } from '../../clock.ts';
import { Costs } from '../../http/costs.ts';
import { HttpError } from '../../http/http-error.ts';
import { html } from '../../http/markup.ts';
import type { HttpServer } from '../../http/node-server.ts';
import { SignIn } from '../../http/sign-in.ts';
import type { ApplicationStart } from '../../http/start-options.ts';
import { openTable } from '../../http/open-table.ts';
import { Requests } from '../../http/requests.ts';
import { cursorSecret } from '../../http/sealed.ts';
import { serveApplication } from '../../http/serve-application.ts';
import { createKsuidGenerator } from '../../ksuid.ts';
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
  const { client, scale, say } = options;
  const clock = new MovedClock();
  const costs = Costs.of(client);
  const { tableName, isNew } = await openTable(client, model);
  if (isNew && scale > 0) {
    const { customers, orders, lines } = await seedShop({ client, tableName, scale });
    say(`${customers} customers, ${orders} orders, ${lines} lines`);
  }
  const newKsuid = createKsuidGenerator({ clock, randomBytes });
  const shop = new Shop({ client, clock, newOrderId: newKsuid, tableName, onRequest: costs.patternsOf(model) });
  const front = new Storefront({
    shop,
    requests: await Requests.open({ client, clock, newId: newKsuid, name: 'halfmoon' }),
    clock,
    secret: cursorSecret(),
  });
  const signIn = await SignIn.open({
    client,
    clock,
    costs,
    name: 'halfmoon',
    isPerson: async (username) => (await shop.findCustomer(username)) !== undefined,
    samples:
      scale === 0
        ? []
        : sampleShop(scale)
            .slice(0, SAMPLES)
            .map(({ customer }) => customer.username),
    besides: html`<p>
      <a href="/sign-up">Sign up as a new customer</a>, or go to the <a href="/warehouse">warehouse</a>
    </p>`,
  });
  const pages = { front, signIn, newKey: newKsuid };
  return await serveApplication(options, {
    frame: {
      name: 'Halfmoon Books',
      voice: 'reading',
      places: [
        { path: '/', label: 'Orders' },
        { path: '/addresses', label: 'Addresses' },
        { path: '/profile', label: 'Profile' },
        { path: '/new-order', label: 'New order' },
      ],
    },
    description: 'A book shop: customers, their addresses and orders, and the warehouse.',
    tint: { hue: 75, strength: 0.8 },
    routes: routesOf(front, signIn),
    screens: screensOf(pages),
    actions: actionsOf(pages),
    costs,
    signIn,
    examples: [new URL('examples.json', import.meta.url)],
    errorOf,
  });
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
