import { randomBytes } from 'node:crypto';
import { MovedClock } from '../../clock.ts';
import { actionsOf as siteActions, screensOf as siteScreens } from '../../github/http/pages.ts';
import { Once } from '../../github/http/once.ts';
import { errorOf } from '../../github/http/refusals.ts';
import { reposAt, samplesAt } from '../../github/http/start.ts';
import { github } from '../../github/model.ts';
import { seedGitHub } from '../../github/seed.ts';
import { Costs } from '../../http/costs.ts';
import { html } from '../../http/markup.ts';
import type { HttpServer } from '../../http/node-server.ts';
import { openTable } from '../../http/open-table.ts';
import { Requests } from '../../http/requests.ts';
import { SignIn } from '../../http/sign-in.ts';
import type { ApplicationStart } from '../../http/start-options.ts';
import { cursorSecret } from '../../http/sealed.ts';
import { serveApplication } from '../../http/serve-application.ts';
import { createKsuidGenerator } from '../../ksuid.ts';
import { pauseWithJitter } from '../../pause.ts';
import { githubMigrations } from '../model.ts';
import { openMigratedGitHub } from '../migrated-github.ts';
import { type Readers, READERS_OFF, READERS_ON } from '../readers.ts';
import { Moves } from './moves.ts';
import { actionsOf, screensOf } from './pages.ts';
import { routesOf } from './routes.ts';
import { Visitors } from './visitors.ts';
import { MadeOnce } from './made-once.ts';
import { additions, yearActions, yearScreens } from './year-pages.ts';
import { earlierRoutes, yearRoutes } from './year-routes.ts';

/** Serves the migrations of GitHub. Scale 1 is a thousand repositories in the form before the first migration. */
export async function startMigrations(options: ApplicationStart): Promise<HttpServer> {
  const { client, scale, say, onFault } = options;
  const clock = new MovedClock();
  const costs = Costs.of(client);
  const { tableName, isNew } = await openTable(client, github);
  if (isNew && scale > 0) {
    const counts = await seedGitHub({ client, tableName, scale, repos: reposAt(scale) });
    say(`${Object.values(counts).reduce((sum, count) => sum + count, 0)} items`);
  }
  const samples = samplesAt(scale);
  const { people, repos } = samples;
  const secret = cursorSecret();
  const newId = createKsuidGenerator({ clock, randomBytes });
  const open = (readers: Readers) =>
    openMigratedGitHub({
      client,
      tableName,
      clock,
      newCommentId: newId,
      newGistId: newId,
      readers,
      cursorSecret: secret,
      onRequest: costs.patternsOf(githubMigrations),
    });
  const moves = await Moves.open({ client, tableName, apart: async (begin) => await costs.apart(begin) });
  const visitors = new Visitors({
    site: open(moves.readers),
    repos,
    author: people[0] ?? '',
    pause: pauseWithJitter,
    onFault,
  });
  const site = { moves, visitors, costs, repos, filtered: open(READERS_OFF), byKey: open(READERS_ON) };
  const year = open(moves.readers);
  const signIn = await SignIn.open({
    client,
    clock,
    costs,
    name: 'branchwork-later',
    isPerson: async (name) => (await year.accounts.find(name))?.type === 'User',
    samples: people,
    besides: html`<p><a href="/sign-up">Sign up as a new user</a></p>`,
  });
  const required = async (request: Pick<Request, 'headers'>): Promise<string> => await signIn.required(request);
  const requests = await Requests.open({ client, clock, newId, name: 'branchwork-later' });
  const once = new Once(year, requests);
  const made = new MadeOnce(year, requests);
  const pages = { site: year, once, signIn, samples, start: '/explore', additions };
  return await serveApplication(options, {
    frame: {
      name: 'Branchwork, a year later',
      voice: 'instrument',
      places: [
        { path: '/', label: 'Migrations' },
        { path: '/compare', label: 'Before and after' },
        { path: '/explore', label: 'Explore' },
        { path: '/new', label: 'New' },
      ],
      scripts: ['live'],
    },
    description:
      'Five migrations of one table while visitors write to it, and the site on the table: also with gists, apps and codes of conduct.',
    tint: { hue: 150, strength: 0.2 },
    style: new URL('../../github/http/style.css', import.meta.url),
    routes: [...routesOf(site), ...earlierRoutes(year, { once, required }), ...yearRoutes(year, { required, made })],
    screens: [...screensOf(site), ...siteScreens(pages), ...yearScreens(year)],
    actions: [...actionsOf(site), ...siteActions(pages), ...yearActions(year, made)],
    costs,
    signIn,
    examples: [new URL('../../github/http/examples.json', import.meta.url), new URL('examples.json', import.meta.url)],
    errorOf,
    end: async () => {
      await Promise.all([visitors.close(), moves.close()]);
    },
  });
}
