import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { MovedClock } from '../../clock.ts';
import { Costs } from '../../http/costs.ts';
import { consumerFaults } from '../../http/faults.ts';
import { HttpError } from '../../http/http-error.ts';
import { html } from '../../http/markup.ts';
import type { HttpServer } from '../../http/node-server.ts';
import { openTable } from '../../http/open-table.ts';
import { Requests } from '../../http/requests.ts';
import { SignIn } from '../../http/sign-in.ts';
import type { ApplicationStart } from '../../http/start-options.ts';
import { cursorSecret } from '../../http/sealed.ts';
import { serveApplication } from '../../http/serve-application.ts';
import { createKsuidGenerator } from '../../ksuid.ts';
import { openBigTimeDeals } from '../big-time-deals.ts';
import { dealConsumer } from '../deal-consumer.ts';
import { RefusedError } from '../errors.ts';
import { bigTimeDeals } from '../model.ts';
import { seed } from '../seed.ts';
import { Once } from './once.ts';
import { EDITOR, editorRoutes } from './editor-routes.ts';
import { editorActions, editorScreens, THE_EDITORS } from './editor-pages.ts';
import { hunterRoutes } from './hunter-routes.ts';
import { hunterActions, hunterScreens } from './hunter-pages.ts';

const SAMPLES = 5;

export interface SiteOptions extends ApplicationStart {
  /** That of the environment by default, or a new one, which is printed. */
  readonly editorToken?: string;
  /** The polling interval of the change stream while it is idle. */
  readonly pollIntervalMs?: number;
}

/**
 * Serves the site, and applies the effects of changes. Scale 1 is 200 brands, 3,000 deals and 1,000 users. Editors send the
 * token in `EDITOR_TOKEN`, or the one that is printed.
 */
export async function startBigTimeDeals(options: SiteOptions): Promise<HttpServer> {
  const { client, database, scale, say, onFault, pollIntervalMs } = options;
  const given = options.editorToken ?? process.env['EDITOR_TOKEN'];
  const editorToken = given ?? randomBytes(16).toString('hex');
  const clock = new MovedClock();
  const costs = Costs.of(client);
  const { tableName, isNew, beginStream } = await openTable(client, bigTimeDeals);
  const site = openBigTimeDeals({
    client,
    tableName,
    clock,
    cursorSecret: cursorSecret(),
    onRequest: costs.patternsOf(bigTimeDeals),
  });
  if (isNew && scale > 0) {
    const { brands, deals, users } = await seed(site, { client, tableName, clock, scale });
    say(`${brands} brands, ${deals} deals, ${users} users`);
  }
  if (given === undefined) say(`The token of editors is ${editorToken}`);
  const signIn = await SignIn.open({
    client,
    clock,
    costs,
    name: 'big-time-deals',
    isPerson: async (wanted) => {
      const [, shown] = /^editor:(.*)$/s.exec(wanted) ?? [];
      if (shown !== undefined) return isToken(shown, editorToken) ? THE_EDITORS : undefined;
      return /^[\w-]{1,64}$/.test(wanted) && (await exists(site.members.settings(wanted)));
    },
    samples: scale === 0 ? [] : Array.from({ length: SAMPLES }, (_, index) => `hunter${index + 1}`),
    besides: html`<p>
      <a href="/sign-up">Sign up as a new user</a>, or go to the <a href="/editors">editors' desk</a>
    </p>`,
  });
  await site.changes.refreshCache();
  // Deals of the sample need no messages to watchers. Changes from now on do.
  await beginStream();
  const streams = new DynamoDBStreamsClient(database.clientConfig);
  const consumer = dealConsumer({
    client,
    streams,
    tableName,
    changes: site.changes,
    ...(pollIntervalMs !== undefined && { pollIntervalMs }),
    onEvent: consumerFaults(onFault, 'the effects of a change'),
  });
  await consumer.start();
  const requests = await Requests.open({
    client,
    clock,
    newId: createKsuidGenerator({ clock, randomBytes }),
    name: 'big-time-deals',
  });
  const once = new Once(site, requests);
  const pages = { site, once, signIn };
  return await serveApplication(options, {
    frame: {
      name: 'Big Time Deals',
      voice: 'speaking',
      places: [
        { path: '/', label: 'Front page' },
        { path: '/brands', label: 'Brands' },
        { path: '/inbox', label: 'Inbox' },
        { path: '/settings', label: 'You' },
      ],
      shownAs: (person) => ({ label: person === THE_EDITORS ? 'The editors' : person, face: person }),
    },
    description: 'Deals for hunters, and the tools of editors.',
    tint: { hue: 25, strength: 1.1 },
    style: new URL('style.css', import.meta.url),
    routes: [
      ...hunterRoutes(site, { once, required: async (request) => await signIn.required(request) }),
      ...editorRoutes(site, once),
    ],
    screens: [...hunterScreens(pages), ...editorScreens(pages)],
    actions: [...hunterActions(pages), ...editorActions(pages)],
    costs,
    signIn,
    examples: [new URL('examples.json', import.meta.url)],
    securitySchemes: { [EDITOR]: { type: 'http', scheme: 'bearer', description: 'The token of an editor' } },
    authorize: (scheme, { headers }) => {
      const shown = /^Bearer (.*)$/.exec(headers.get('authorization') ?? '')?.[1] ?? '';
      if (scheme === EDITOR && !isToken(shown, editorToken)) {
        throw new HttpError(401, 'no-token', 'This takes the token of an editor.', { 'www-authenticate': 'Bearer' });
      }
    },
    errorOf,
    end: async () => {
      await consumer.stop();
      streams.destroy();
    },
  });
}

async function exists(read: Promise<unknown>): Promise<boolean> {
  try {
    await read;
    return true;
  } catch (error) {
    if (error instanceof RefusedError) return false;
    throw error;
  }
}

function errorOf(error: unknown): HttpError | undefined {
  if (!(error instanceof RefusedError)) return undefined;
  const noun = error.entity.toLowerCase();
  switch (error.code) {
    case 'not-found':
      return new HttpError(404, 'not-found', `There is no such ${noun}.`);
    case 'already-exists':
      return new HttpError(409, 'taken', `There is a ${noun} of this name already.`);
    case 'already-done':
      return new HttpError(409, 'already-done', 'You have done so already.');
  }
}

/** Takes as long for a wrong token as for the right one. */
function isToken(shown: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(shown), digest(token));
}
