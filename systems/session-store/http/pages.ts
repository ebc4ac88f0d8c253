import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { MovedClock } from '../../clock.ts';
import { cookieOf, sessionCookie } from '../../http/credentials.ts';
import { HttpError } from '../../http/http-error.ts';
import { html, type Markup } from '../../http/markup.ts';
import { field, form, picture } from '../../http/page-frame.ts';
import { type Action, action, type Screen, screen } from '../../http/screens.ts';
import { type Session, SESSION_LIFETIME_SECONDS } from '../session-store.ts';
import { ADMINISTRATOR, SAMPLE_PASSWORD } from './people.ts';
import { credentials, DAY_MS, DAYS_MOVED_MAX, type Keyring, logIn, logOutEverywhere, username } from './routes.ts';

/** The cookie of the pages. */
export const COOKIE = 'keyring-session';

export const SIGN_IN = '/sign-in';
export const SIGN_OUT = '/sign-out';

/** More keys than this are counted, not drawn. */
const KEYS_DRAWN_MAX = 40;

export interface PagesOptions extends Keyring {
  readonly clock: MovedClock;
  /** A user to sign in as. */
  readonly samples: readonly string[];
}

/** The screens: your keys, one key, the administrator, the clock. */
export function screensOf({ store, clock, samples }: PagesOptions): readonly Screen[] {
  return [
    screen({
      path: '/',
      serves: ['SS-02', 'SS-06'],
      signedIn: true,
      show: async ({ person = '', request }) => {
        const tokens = await store.listTokensOf(person);
        const own = cookieOf(request, COOKIE);
        const sorted = tokens.toSorted((left, right) => Number(right === own) - Number(left === own));
        return {
          title: 'Your keys',
          teaches:
            'The index holds names and tokens and nothing else, so the keys are drawn from the tokens alone. To look at one is a read of its own.',
          main: html`<p>
              ${person} has ${tokens.length} ${tokens.length === 1 ? 'session' : 'sessions'}, those that have ended and
              are still stored included.
            </p>
            <ul class="rows">
              ${sorted.slice(0, KEYS_DRAWN_MAX).map((token) => keyRow(token, token === own))}
            </ul>
            ${tokens.length > KEYS_DRAWN_MAX && html`<p>and ${tokens.length - KEYS_DRAWN_MAX} more</p>`}
            ${form('/revoke-all', html`<button>End all ${tokens.length}</button>`)}`,
        };
      },
    }),
    screen({
      path: '/keys/{print}',
      serves: ['SS-06', 'SS-02'],
      signedIn: true,
      show: async ({ path, person = '' }) => {
        const token = await tokenOf(path.print, await store.listTokensOf(person));
        const session = await store.findSession(token);
        return {
          title: 'One key',
          teaches:
            'The bar ends before the service deletes the item: what has ended is refused by the filter of the read, while it is still stored.',
          main: html`${picture('key', path.print, 224, 72)}
          ${session === undefined ? endedKey() : liveKey(session, clock.nowMs())} ${takeOff(path.print)}`,
        };
      },
    }),
    screen({
      path: SIGN_IN,
      serves: ['SS-01'],
      show: async ({ refused }) =>
        await Promise.resolve({
          title: 'Sign in',
          teaches:
            'One write that succeeds only where the token is unused: the token follows from the key of this form, so sending it twice starts one session.',
          main: html`<p>
              Sample people: ${samples.join(', ')}, ${ADMINISTRATOR}. Their password is “${SAMPLE_PASSWORD}”.
            </p>
            ${form(
              SIGN_IN,
              html`${field('username', 'Name', { refused, autocomplete: 'username' })}
                ${field('password', 'Password', { refused, type: 'password', autocomplete: 'current-password' })}<button>
                  Sign in
                </button>`,
              'Sign in',
            )}`,
        }),
    }),
    screen({
      path: '/administrator',
      serves: ['SS-06', 'SS-04'],
      signedIn: true,
      query: z.object({ username: username.optional(), ended: z.coerce.number().int().min(0).optional() }),
      show: async ({ person = '', query, refused }) => {
        if (person !== ADMINISTRATOR) {
          return {
            title: 'Administrator',
            main: html`<p>Only ${ADMINISTRATOR} finds and ends the sessions of others.</p>`,
          };
        }
        const found = query.username === undefined ? undefined : await store.listTokensOf(query.username);
        return {
          title: 'Administrator',
          teaches:
            'All sessions of a person are found by the index and deleted one by one, again until the index lists nothing: it follows the table with a delay.',
          main: html`${query.ended !== undefined && html`<p role="status">${query.ended} sessions were ended.</p>`}
            <form method="get" action="/administrator" aria-label="Find sessions">
              ${field('username', 'Name', {
                refused,
                value: query.username ?? '',
              })}<button class="second">Find sessions</button>
            </form>
            ${
              found !== undefined &&
              html`<h2>${query.username}</h2>
                <p>${found.length} stored ${found.length === 1 ? 'session' : 'sessions'}</p>
                ${form('/administrator/revoke', html`<input type="hidden" name="username" value="${query.username}" /><button>End all ${found.length}</button>`)}`
            }`,
        };
      },
    }),
    screen({
      path: '/clock',
      serves: ['SS-03'],
      show: async ({ refused }) =>
        await Promise.resolve({
          title: 'Clock',
          teaches:
            'Time to live needs no request: the service deletes an item some time after its TTL, and the read does not wait for that.',
          main: html`<p class="figure">${new Date(clock.nowMs()).toISOString().slice(0, 16).replace('T', ' ')}</p>
            <p>The time of this application, in UTC. A session lasts ${SESSION_LIFETIME_SECONDS / 86_400} days.</p>
            ${form('/clock/move', html`${field('days', 'Days to move on', { refused, type: 'number', value: '1' })}<button>Move the clock</button>`, 'Move the clock')}`,
        }),
    }),
  ];
}

/** What the forms do. */
export function actionsOf(options: PagesOptions): readonly Action[] {
  const { store, clock } = options;
  return [
    action({
      path: SIGN_IN,
      of: SIGN_IN,
      form: credentials,
      act: async ({ form: given, key }) => {
        const { token } = await logIn(options, given, key);
        return { to: '/', cookie: sessionCookie(COOKIE, token, SESSION_LIFETIME_SECONDS) };
      },
    }),
    action({
      path: SIGN_OUT,
      of: '/',
      form: z.object({}),
      act: async ({ request }) => {
        await store.deleteSession(cookieOf(request, COOKIE) ?? '');
        return { to: SIGN_IN, cookie: sessionCookie(COOKIE, undefined) };
      },
    }),
    action({
      path: '/keys/{print}/take-off',
      of: '/',
      signedIn: true,
      form: z.object({}),
      act: async ({ path, person = '' }) => {
        await store.deleteSession(await tokenOf(path.print, await store.listTokensOf(person)));
        return { to: '/' };
      },
    }),
    action({
      path: '/revoke-all',
      of: '/',
      signedIn: true,
      form: z.object({}),
      act: async ({ person = '' }) => {
        await store.deleteSessionsOf(person);
        return { to: SIGN_IN, cookie: sessionCookie(COOKIE, undefined) };
      },
    }),
    action({
      path: '/administrator/revoke',
      of: '/administrator',
      signedIn: true,
      form: z.object({ username }),
      act: async ({ form: given, person = '' }) => {
        const ended = await logOutEverywhere(store, person, given.username);
        return {
          to: `/administrator?${new URLSearchParams({ username: given.username, ended: String(ended) }).toString()}`,
        };
      },
    }),
    action({
      path: '/clock/move',
      of: '/clock',
      form: z.object({ days: z.coerce.number().int().min(1).max(DAYS_MOVED_MAX) }),
      act: async ({ form: { days } }) => {
        clock.moveOn(days * DAY_MS);
        return await Promise.resolve({ to: '/clock' });
      },
    }),
  ];
}

/** The text for a token on pages and in addresses: it finds the token among the user's own, but is not a token. */
function printOf(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 16);
}

async function tokenOf(print: string, tokens: readonly string[]): Promise<string> {
  const token = tokens.find((each) => printOf(each) === print);
  if (token === undefined) throw new HttpError(404, 'not-found', 'You have no such key.');
  return await Promise.resolve(token);
}

function keyRow(token: string, isOwn: boolean): Markup {
  const print = printOf(token);
  return html`<li>
    ${picture('key', print, 112, 36)}<span class="grow"
      ><span class="mono">…${token.slice(-6)}</span> ${isOwn && html`<b>this browser</b>`}</span
    ><a href="/keys/${print}">Look inside</a>${takeOff(print)}
  </li>`;
}

function takeOff(print: string): Markup {
  return form(`/keys/${print}/take-off`, html`<button class="second">Take off the ring</button>`);
}

function endedKey(): Markup {
  return html`<p><span class="state gone">Ended</span>: still stored, and refused.</p>`;
}

function liveKey({ createdAt, expiresAt }: Session, nowMs: number): Markup {
  const left = expiresAt.getTime() - nowMs;
  const days = Math.floor(left / DAY_MS);
  const hours = Math.floor((left % DAY_MS) / 3_600_000);
  return html`<p>
      <span class="state full">Live</span>: ${days} days and ${hours} hours left, since ${createdAt.toISOString()}.
    </p>
    <progress
      max="${SESSION_LIFETIME_SECONDS}"
      value="${Math.max(0, Math.round(left / 1000))}"
      aria-label="Time left"
    ></progress>`;
}
