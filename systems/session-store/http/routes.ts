import { z } from 'zod';
import type { MovedClock } from '../../clock.ts';
import { bearerOf, notSignedIn } from '../../http/credentials.ts';
import { HttpError } from '../../http/http-error.ts';
import { bytesFrom } from '../../http/idempotency.ts';
import { type Route, route } from '../../http/route.ts';
import type { Session, SessionStore } from '../session-store.ts';
import { ADMINISTRATOR, type People } from './people.ts';

/** The name of the security scheme. */
export const SESSION = 'session';

const USERNAME_LENGTH_MAX = 100;
const PASSWORD_LENGTH_MAX = 200;

export const username = z.string().min(1).max(USERNAME_LENGTH_MAX);
export const credentials = z.object({ username, password: z.string().min(1).max(PASSWORD_LENGTH_MAX) });
const session = z.object({ username: z.string(), createdAt: z.iso.datetime(), expiresAt: z.iso.datetime() });
const started = session.extend({ token: z.string() });

const signedOut = { description: 'Not signed in: the token is unknown or its session has ended' };

/** How far the clock is moved on at most. */
export const DAYS_MOVED_MAX = 30;
export const DAY_MS = 86_400_000;

export interface Keyring {
  readonly store: SessionStore;
  readonly people: People;
  /** The application's own time. */
  readonly clock: MovedClock;
  /** Prevents guessing of tokens that are derived from an idempotency key. */
  readonly secret: string;
}

/** Everything that the session store does, over HTTP. */
export function routesOf(keyring: Keyring): readonly Route[] {
  const { store, clock } = keyring;
  return [
    route({
      method: 'POST',
      path: '/sessions',
      operationId: 'logIn',
      summary: 'Log in',
      description:
        'With an Idempotency-Key, the same key, name and password answer the session of the first attempt, so that a lost answer leaves no session behind.',
      takesKey: true,
      tag: 'Sessions',
      serves: ['SS-01'],
      body: credentials,
      answers: {
        201: { description: 'The session with its token, which is told here only', schema: started },
        401: { description: 'Wrong name or password' },
        429: { description: 'Too many failed attempts' },
      },
      handle: async ({ body, key }) => {
        const begun = await logIn(keyring, body, key);
        return { status: 201, body: { token: begun.token, ...shownOf(begun) } };
      },
    }),
    route({
      method: 'GET',
      path: '/session',
      operationId: 'getSession',
      summary: 'Whose session a token is of',
      tag: 'Sessions',
      security: SESSION,
      serves: ['SS-02', 'SS-03'],
      answers: { 200: { description: 'The session', schema: session }, 401: signedOut },
      handle: async ({ request }) => ({ status: 200, body: shownOf(await sessionOf(store, request)) }),
    }),
    route({
      method: 'DELETE',
      path: '/session',
      operationId: 'logOut',
      summary: 'Log out: end the session of the token',
      tag: 'Sessions',
      security: SESSION,
      serves: ['SS-05'],
      answers: { 204: { description: 'Ended, now or before' }, 401: signedOut },
      handle: async ({ request }) => {
        const token = bearerOf(request);
        if (token === undefined) throw notSignedIn();
        await store.deleteSession(token);
        return { status: 204 };
      },
    }),
    route({
      method: 'GET',
      path: '/sessions',
      operationId: 'getSessions',
      summary: 'How many sessions one has, and where',
      tag: 'Sessions',
      security: SESSION,
      serves: ['SS-02', 'SS-06'],
      answers: {
        200: {
          description: 'The end of each token',
          schema: z.object({ sessions: z.array(z.object({ endsWith: z.string() })) }),
        },
        401: signedOut,
      },
      handle: async ({ request }) => {
        const { username: name } = await sessionOf(store, request);
        const tokens = await store.listTokensOf(name);
        return { status: 200, body: { sessions: tokens.map((token) => ({ endsWith: token.slice(-6) })) } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/users/{username}/sessions',
      operationId: 'logOutEverywhere',
      summary: 'End all sessions of a user',
      tag: 'Users',
      security: SESSION,
      pathSchemas: { username },
      serves: ['SS-02', 'SS-04'],
      answers: {
        200: { description: 'How many there were', schema: z.object({ deleted: z.int() }) },
        401: signedOut,
        403: { description: 'Of another user, by one who is not an administrator' },
      },
      handle: async ({ path, request }) => {
        const { username: asking } = await sessionOf(store, request);
        return { status: 200, body: { deleted: await logOutEverywhere(store, asking, path.username) } };
      },
    }),
    route({
      method: 'POST',
      path: '/clock',
      operationId: 'moveClock',
      summary: "Move the application's clock on to a time, to see sessions end; a time that has passed changes nothing",
      tag: 'Clock',
      body: z.object({ at: z.iso.datetime() }),
      answers: { 200: { description: 'The time that it is now', schema: z.object({ at: z.iso.datetime() }) } },
      handle: async ({ body: { at } }) => {
        const aheadMs = Date.parse(at) - clock.nowMs();
        if (aheadMs > DAYS_MOVED_MAX * DAY_MS) {
          const detail = `has to be within ${DAYS_MOVED_MAX} days`;
          throw new HttpError(400, 'invalid', `at ${detail}.`, {}, [{ field: 'at', detail }]);
        }
        clock.moveOn(Math.max(aheadMs, 0));
        return await Promise.resolve({ status: 200, body: { at: new Date(clock.nowMs()).toISOString() } });
      },
    }),
  ];
}

/** Starts a session for a name and a password, or returns that of the first attempt if the key marks a repetition. */
export async function logIn(
  { store, people, secret }: Keyring,
  { username: name, password }: z.output<typeof credentials>,
  key: string | undefined,
): Promise<Session> {
  await people.check(name, password);
  return await store.createSession(name, key === undefined ? {} : { token: tokenFrom(secret, name, key) });
}

/** @throws {HttpError} 403 */
export async function logOutEverywhere(store: SessionStore, asking: string, name: string): Promise<number> {
  if (asking !== name && asking !== ADMINISTRATOR) {
    throw new HttpError(403, 'not-yours', 'Only an administrator ends the sessions of others.');
  }
  return await store.deleteSessionsOf(name);
}

async function sessionOf(store: SessionStore, request: Pick<Request, 'headers'>): Promise<Session> {
  const found = await store.findSession(bearerOf(request) ?? '');
  if (found === undefined) throw notSignedIn();
  return found;
}

function shownOf({ username: name, createdAt, expiresAt }: Session): z.output<typeof session> {
  return { username: name, createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() };
}

/** A version 4 UUID that is derived from the key. */
function tokenFrom(secret: string, name: string, key: string): string {
  const hex = bytesFrom(secret, ['log-in', name, key]).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
