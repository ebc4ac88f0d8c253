import { randomUUID } from 'node:crypto';
import { RuleError } from '@singlet/model';
import { epochSecondsOf, isoSeconds, MovedClock } from '../../clock.ts';
import { Costs } from '../../http/costs.ts';
import { HttpError } from '../../http/http-error.ts';
import type { HttpServer } from '../../http/node-server.ts';
import { openTable } from '../../http/open-table.ts';
import { SignIn } from '../../http/sign-in.ts';
import type { ApplicationStart } from '../../http/start-options.ts';
import { cursorSecret } from '../../http/sealed.ts';
import { serveApplication } from '../../http/serve-application.ts';
import { Dating, DatingError, type DatingErrorCode } from '../dating.ts';
import { datingApp } from '../model.ts';
import { seedDating } from '../seed.ts';
import { House } from './house.ts';
import { actionsOf, screensOf } from './pages.ts';
import { id, routesOf } from './routes.ts';

const SAMPLES = 5;
/** Users of the sample whom the deck proposes at its end. */
const FACES = 60;

/** Serves the dating app. Scale 1 is 100,000 users with 200,000 matches. */
export async function startDating(options: ApplicationStart): Promise<HttpServer> {
  const { client, scale, say } = options;
  const clock = new MovedClock();
  const costs = Costs.of(client);
  const { tableName, isNew } = await openTable(client, datingApp);
  const dating = new Dating({
    client,
    tableName,
    clock,
    newId: randomUUID,
    onRequest: costs.patternsOf(datingApp),
  });
  if (isNew && scale > 0) {
    const { users, likes, matches } = await seedDating(dating, isoSeconds(epochSecondsOf(clock)), scale);
    say(`${users} users, ${likes} likes, ${matches} matches`);
  }
  const sample = scale === 0 ? [] : Array.from({ length: FACES }, (_, at) => `u${at + 1}`);
  const known = await dating.db.profiles(sample.map((userId) => ({ userId })));
  const faces = known.flatMap((each) => each?.userId ?? []);
  const house = new House({
    dating,
    faces,
    secret: cursorSecret(),
  });
  const signIn = await SignIn.open({
    client,
    clock,
    costs,
    name: 'two-of-us',
    isPerson: async (userId) => id.safeParse(userId).success && (await dating.db.user({ userId })) !== undefined,
    samples: faces.slice(0, SAMPLES),
  });
  const pages = { house, clock };
  return await serveApplication(options, {
    frame: {
      name: 'Two of Us',
      voice: 'speaking',
      places: [
        { path: '/', label: 'Likes you' },
        { path: '/matches', label: 'Matches' },
        { path: '/likes', label: 'You like' },
        { path: '/sweep', label: 'Sweep' },
      ],
      scripts: ['keys'],
    },
    description: 'Likes that become matches exactly once, and matches that end when neither looks at them.',
    tint: { hue: 20, strength: 0.8 },
    style: new URL('style.css', import.meta.url),
    routes: routesOf(house, signIn),
    screens: screensOf(pages),
    actions: actionsOf(pages),
    costs,
    signIn,
    examples: [new URL('examples.json', import.meta.url)],
    errorOf,
  });
}

const REFUSALS: Readonly<Record<DatingErrorCode, readonly [status: number, code: string, words: string]>> = {
  oneself: [409, 'not-now', 'This is yourself.'],
  'not-liked': [404, 'not-found', 'You do not like them.'],
  busy: [503, 'busy', 'They keep changing their mind. Try again in a moment.'],
};

function errorOf(error: unknown): HttpError | undefined {
  if (error instanceof DatingError) return new HttpError(...REFUSALS[error.code]);
  const isGone = error instanceof RuleError && (error.code === 'not-found' || error.code === 'condition-failed');
  return isGone ? new HttpError(404, 'not-found', 'There is no such match.') : undefined;
}
