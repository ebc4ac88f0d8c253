import { type ConnectOptions, tableDefinitions } from '@singlet/model';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { sessionStore } from '../session-store/model.ts';
import { SESSION_LIFETIME_SECONDS, SessionStore } from '../session-store/session-store.ts';
import { ensureTable } from '../table-lifecycle.ts';
import type { Costs } from './costs.ts';
import { bearerOf, cookieOf, notSignedIn, sessionCookie } from './credentials.ts';
import { HttpError } from './http-error.ts';
import { bytesFrom } from './idempotency.ts';
import { html, type Markup } from './markup.ts';
import { form, picture } from './page-frame.ts';
import { type Route, route } from './route.ts';
import { cursorSecret } from './sealed.ts';
import { type Action, action, type Screen, screen, type Went } from './screens.ts';

/** The name of the security scheme, and its description. */
export const SESSION = 'session';
export const sessionScheme = { type: 'http', scheme: 'bearer', description: 'The token of a session' } as const;

export const SIGN_IN = '/sign-in';
export const SIGN_OUT = '/sign-out';

export interface SignInOptions {
  readonly client: ConnectOptions['client'];
  readonly clock: Clock;
  /** Of the application: the check of a session is one of its requests. */
  readonly costs: Costs;
  /** Of the application: names its cookie and the table of its sessions. */
  readonly name: string;
  /** Whether the user exists; called at every sign-in. A text is the name under which the session is kept instead. */
  readonly isPerson: (username: string) => Promise<boolean | string | undefined>;
  /** The users that the page offers. */
  readonly samples: readonly string[];
  /** Called for each session that has begun, and again for a repeated request. */
  readonly onBegun?: (username: string, token: string) => Promise<void>;
  /** Further text of the sign-in page, such as where to sign up. */
  readonly besides?: Markup;
}

type Asking = Pick<Request, 'headers'>;

/**
 * Identifies the sender of a request, with the session store beside the application. A visitor can be any sample user with one
 * click. The session store's own application demonstrates passwords.
 */
export class SignIn {
  readonly #store: SessionStore;
  readonly #options: SignInOptions;
  readonly #cookie: string;
  readonly #secret: string = cursorSecret();

  private constructor(store: SessionStore, options: SignInOptions) {
    this.#store = store;
    this.#options = options;
    this.#cookie = `${options.name}-session`;
  }

  /** Creates the table of the sessions if it does not exist. */
  static async open(options: SignInOptions): Promise<SignIn> {
    const { client, clock, costs, name } = options;
    const tableName = `${name}-sessions`;
    await ensureTable(client, { ...tableDefinitions(sessionStore)[0], TableName: tableName });
    const store = new SessionStore({ client, clock, tableName, onRequest: costs.patternsOf(sessionStore) });
    return new SignIn(store, options);
  }

  /** SS-02. Undefined for a visitor who is not signed in. */
  async personOf(request: Asking): Promise<string | undefined> {
    const token = this.#tokenOf(request);
    return token === undefined ? undefined : (await this.#store.findSession(token))?.username;
  }

  /** @throws {HttpError} 401 */
  async required(request: Asking): Promise<string> {
    const person = await this.personOf(request);
    if (person === undefined) throw notSignedIn();
    return person;
  }

  /** Signs a user in and redirects. @param key - the same key starts the same session. */
  async enter(username: string, key: string, to: string): Promise<Went> {
    return { to, cookie: sessionCookie(this.#cookie, await this.#begin(username, key), SESSION_LIFETIME_SECONDS) };
  }

  routes(): readonly Route[] {
    const ended = { 204: { description: 'Ended' }, 401: { description: 'Not signed in' } };
    return [
      route({
        method: 'POST',
        path: '/sessions',
        operationId: 'signIn',
        summary: 'Sign in as a person of the sample data, or as one who has signed up',
        description: 'With an Idempotency-Key, the same key answers the session of the first attempt.',
        takesKey: true,
        tag: 'Sessions',
        serves: ['SS-01'],
        body: z.object({ username: z.string().min(1).max(100) }),
        answers: {
          201: { description: 'The token, for the header Authorization', schema: z.object({ token: z.string() }) },
          401: { description: 'There is no such person' },
        },
        handle: async ({ body, key }) => {
          const token = await this.#begin(body.username, key);
          return { status: 201, body: { token } };
        },
      }),
      route({
        method: 'DELETE',
        path: '/session',
        operationId: 'signOut',
        summary: 'Sign out',
        tag: 'Sessions',
        security: SESSION,
        serves: ['SS-05'],
        answers: ended,
        handle: async ({ request }) => {
          await this.required(request);
          await this.#store.deleteSession(this.#tokenOf(request) ?? '');
          return { status: 204 };
        },
      }),
      route({
        method: 'DELETE',
        path: '/sessions',
        operationId: 'signOutEverywhere',
        summary: 'Sign out everywhere',
        tag: 'Sessions',
        security: SESSION,
        serves: ['SS-04'],
        answers: ended,
        handle: async ({ request }) => {
          await this.#store.deleteSessionsOf(await this.required(request));
          return { status: 204 };
        },
      }),
    ];
  }

  screens(): readonly Screen[] {
    const { samples, besides } = this.#options;
    return [
      screen({
        path: SIGN_IN,
        serves: ['SS-01'],
        show: async () =>
          await Promise.resolve({
            title: 'Who are you?',
            main: html`<ul class="rows">
                ${samples.map(
                  (name) =>
                    html`<li>
                      ${picture('face', name, 40)}<span class="grow">${name}</span>${form(
                        SIGN_IN,
                        html`<input type="hidden" name="username" value="${name}" /><button
                            class="second"
                            aria-label="Continue as ${name}"
                          >
                            Continue
                          </button>`,
                      )}
                    </li>`,
                )}
              </ul>
              ${besides}`,
          }),
      }),
    ];
  }

  actions(): readonly Action[] {
    return [
      action({
        path: SIGN_IN,
        of: SIGN_IN,
        form: z.object({ username: z.string().min(1).max(100) }),
        act: async ({ form: { username }, key }) => await this.enter(username, key, '/'),
      }),
      action({
        path: SIGN_OUT,
        of: SIGN_IN,
        form: z.object({}),
        act: async ({ request }) => {
          await this.#store.deleteSession(cookieOf(request, this.#cookie) ?? '');
          return { to: SIGN_IN, cookie: sessionCookie(this.#cookie, undefined) };
        },
      }),
    ];
  }

  #tokenOf(request: Asking): string | undefined {
    return bearerOf(request) ?? cookieOf(request, this.#cookie);
  }

  async #begin(wanting: string, key: string | undefined): Promise<string> {
    const known = await this.#options.isPerson(wanting);
    if (known === false || known === undefined) {
      throw new HttpError(401, 'not-signed-in', 'There is no person of this name.');
    }
    const username = known === true ? wanting : known;
    const wanted =
      key === undefined ? {} : { token: bytesFrom(this.#secret, ['sign-in', username, key]).toString('hex') };
    const { token } = await this.#store.createSession(username, wanted);
    await this.#options.onBegun?.(username, token);
    return token;
  }
}
