import { epochSecondsOf, MovedClock } from '../../clock.ts';
import { Costs } from '../../http/costs.ts';
import { cookieOf } from '../../http/credentials.ts';
import { HttpError } from '../../http/http-error.ts';
import type { HttpServer } from '../../http/node-server.ts';
import type { ApplicationStart } from '../../http/start-options.ts';
import { openTable } from '../../http/open-table.ts';
import { cursorSecret } from '../../http/sealed.ts';
import { serveApplication } from '../../http/serve-application.ts';
import { SessionStoreError, type SessionStoreErrorCode } from '../errors.ts';
import { sessionStore } from '../model.ts';
import { sampleSessions, seedSessions } from '../seed.ts';
import { SessionStore } from '../session-store.ts';
import { actionsOf, COOKIE, screensOf, SIGN_IN, SIGN_OUT } from './pages.ts';
import { ADMINISTRATOR, People } from './people.ts';
import { type Keyring, routesOf, SESSION } from './routes.ts';

const SAMPLES = 3;

/** Serves the session store. Scale 1 is a thousand people, of whom one has 3,000 sessions. */
export async function startSessionStore(options: ApplicationStart): Promise<HttpServer> {
  const { client, scale, say } = options;
  const clock = new MovedClock();
  const costs = Costs.of(client);
  const { tableName, isNew } = await openTable(client, sessionStore);
  if (isNew && scale > 0) {
    say(`${await seedSessions({ client, tableName, scale, atEpochSeconds: epochSecondsOf(clock) })} sessions`);
  }
  const names = new Set([...sampleSessions(scale, epochSecondsOf(clock))].map(({ username }) => username)).add(
    ADMINISTRATOR,
  );
  const store = new SessionStore({ client, clock, tableName, onRequest: costs.patternsOf(sessionStore) });
  const people = new People({ isKnown: (name) => names.has(name), clock });
  const keyring: Keyring = { store, people, clock, secret: cursorSecret() };
  const pages = { ...keyring, samples: [...names].slice(0, SAMPLES) };
  return await serveApplication(options, {
    frame: {
      name: 'Keyring',
      voice: 'instrument',
      places: [
        { path: '/', label: 'Keys' },
        { path: '/administrator', label: 'Administrator' },
        { path: '/clock', label: 'Clock' },
      ],
      signInPath: SIGN_IN,
      signOutPath: SIGN_OUT,
    },
    description: 'Sessions of signed-in users: log in, look up the user of a token, log out here and everywhere.',
    tint: { hue: 90, strength: 1 },
    routes: routesOf(keyring),
    screens: screensOf(pages),
    actions: actionsOf(pages),
    costs,
    examples: [new URL('examples.json', import.meta.url)],
    securitySchemes: { [SESSION]: { type: 'http', scheme: 'bearer', description: 'The token of a session' } },
    personOf: async (request) => {
      const token = cookieOf(request, COOKIE);
      return token === undefined ? undefined : (await store.findSession(token))?.username;
    },
    errorOf,
  });
}

const STATUS_OF: Readonly<Record<SessionStoreErrorCode, readonly [status: number, code: string]>> = {
  'invalid-input': [400, 'invalid'],
  'token-taken': [409, 'taken'],
  'revocation-unfinished': [503, 'busy'],
};

function errorOf(error: unknown): HttpError | undefined {
  if (!(error instanceof SessionStoreError)) return undefined;
  const [status, code] = STATUS_OF[error.code];
  return new HttpError(status, code, `${error.message}.`);
}
