import { createHash, randomBytes } from 'node:crypto';
import { type Clock, MovedClock } from '../../clock.ts';
import { Costs } from '../../http/costs.ts';
import { HttpError } from '../../http/http-error.ts';
import type { HttpServer } from '../../http/node-server.ts';
import { openTable } from '../../http/open-table.ts';
import { SignIn } from '../../http/sign-in.ts';
import type { ApplicationStart } from '../../http/start-options.ts';
import { Requests } from '../../http/requests.ts';
import { cursorSecret } from '../../http/sealed.ts';
import { serveApplication } from '../../http/serve-application.ts';
import { createKsuidGenerator } from '../../ksuid.ts';
import { SESSION_LIFETIME_SECONDS } from '../../session-store/session-store.ts';
import { ShopError, type ShopErrorCode } from '../errors.ts';
import { lessonShop } from '../model.ts';
import { sampleShop, seedLessonShop } from '../seed.ts';
import { LessonShop } from '../shop.ts';
import { Counter } from './counter.ts';
import { actionsOf, screensOf } from './pages.ts';
import { routesOf } from './routes.ts';

const SAMPLES = 5;
const SHELF_MAX = 24;
const DAY_MS = 86_400_000;

interface LessonShopStart extends ApplicationStart {
  /** The time, unless it is that of this machine. */
  readonly base?: Clock;
}

/** Serves the lesson's shop. Scale 1 is 10,000 users with 50,000 orders and 2,000 products. */
export async function startLessonShop(options: LessonShopStart): Promise<HttpServer> {
  const { client, scale, say, base } = options;
  const clock = new MovedClock(base);
  const costs = Costs.of(client);
  const { tableName, isNew } = await openTable(client, lessonShop);
  // The sample ends this morning, so that there are orders of the last thirty days.
  const endsAtMs = Math.floor(clock.nowMs() / DAY_MS) * DAY_MS;
  if (isNew && scale > 0) {
    const counts = await seedLessonShop({ client, tableName, scale, endsAtMs });
    say(
      Object.entries(counts)
        .map(([entity, count]) => `${entity} ${count}`)
        .join(', '),
    );
  }
  const sample = sampleShop(scale, endsAtMs);
  const shop = new LessonShop({ client, tableName, clock, onRequest: costs.patternsOf(lessonShop) });
  const newId = createKsuidGenerator({ clock, randomBytes });
  const requests = await Requests.open({ client, clock, newId, name: 'mercearia' });
  const counter = new Counter({ shop, requests, secret: cursorSecret() });
  const signIn = await SignIn.open({
    client,
    clock,
    costs,
    name: 'mercearia',
    isPerson: async (userId) => /^[\w-]{1,64}$/.test(userId) && (await shop.findUser(userId)) !== undefined,
    samples: scale === 0 ? [] : sample.users.slice(0, SAMPLES).map(({ userId }) => userId),
    onBegun: async (userId, token) => await noteSession(shop, userId, token),
  });
  const pages = { counter, shelf: scale === 0 ? [] : sample.products.slice(0, SHELF_MAX) };
  return await serveApplication(options, {
    frame: {
      name: 'Mercearia',
      voice: 'reading',
      places: [
        { path: '/', label: 'Shelf' },
        { path: '/orders', label: 'Orders' },
        { path: '/account', label: 'Account' },
        { path: '/counter', label: 'Counter' },
      ],
    },
    description: 'A corner shop without an index: customers, their orders and sessions, products and their reviews.',
    tint: { hue: 180, strength: 0.8 },
    style: new URL('style.css', import.meta.url),
    routes: routesOf(counter, signIn),
    screens: screensOf(pages),
    actions: actionsOf(pages),
    costs,
    signIn,
    examples: [new URL('examples.json', import.meta.url)],
    errorOf,
  });
}

/** The shop's own pattern lists sessions, too. A session that the same request begins again is recorded once. */
async function noteSession(shop: LessonShop, userId: string, token: string): Promise<void> {
  const sessionId = createHash('sha256').update(token).digest('hex').slice(0, 16);
  try {
    await shop.logIn({ userId, sessionId, lastsSeconds: SESSION_LIFETIME_SECONDS });
  } catch (error) {
    if (!(error instanceof ShopError) || error.code !== 'already-exists') throw error;
  }
}

const REFUSALS: Readonly<Record<ShopErrorCode, readonly [status: number, code: string, words: string]>> = {
  'already-exists': [409, 'already-done', 'You have reviewed this product.'],
  'not-found': [404, 'not-found', 'There is no such thing.'],
  busy: [503, 'busy', 'Too many are writing here at once. Try again in a moment.'],
  'too-many-items': [409, 'limit', 'An order has at most 98 products.'],
};

function errorOf(error: unknown): HttpError | undefined {
  return error instanceof ShopError ? new HttpError(...REFUSALS[error.code]) : undefined;
}
