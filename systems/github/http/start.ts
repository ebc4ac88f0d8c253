import { randomBytes } from 'node:crypto';
import { MovedClock } from '../../clock.ts';
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
import { openGitHub } from '../github.ts';
import { github } from '../model.ts';
import { sampleSite, VOLUMES } from '../sample-site.ts';
import { seedGitHub } from '../seed.ts';
import { httpRoutes } from './http-routes.ts';
import { Once } from './once.ts';
import { actionsOf, screensOf } from './pages.ts';
import type { Samples } from './pages-options.ts';
import { errorOf } from './refusals.ts';
import { routes } from './routes.ts';

const REPOS_SHOWN = 6;
const PEOPLE_SHOWN = 5;
/** Of a small sample, too: the start page lists them. */
const REPOS_MIN = 5;

/** Serves the site. Scale 1 is a thousand repositories. */
export async function startGitHub(options: ApplicationStart): Promise<HttpServer> {
  const { client, scale, say } = options;
  const clock = new MovedClock();
  const costs = Costs.of(client);
  const { tableName, isNew } = await openTable(client, github);
  if (isNew && scale > 0) {
    const counts = await seedGitHub({ client, tableName, scale, repos: reposAt(scale) });
    say(`${Object.values(counts).reduce((sum, count) => sum + count, 0)} items`);
  }
  const newId = createKsuidGenerator({ clock, randomBytes });
  const site = openGitHub({
    client,
    tableName,
    clock,
    newCommentId: newId,
    cursorSecret: cursorSecret(),
    onRequest: costs.patternsOf(github),
  });
  const samples = samplesAt(scale);
  const signIn = await SignIn.open({
    client,
    clock,
    costs,
    name: 'branchwork',
    isPerson: async (name) => (await site.accounts.find(name))?.type === 'User',
    samples: samples.people,
    besides: html`<p><a href="/sign-up">Sign up as a new user</a></p>`,
  });
  const once = new Once(site, await Requests.open({ client, clock, newId, name: 'branchwork' }));
  const pages = { site, once, signIn, samples, start: '/' };
  return await serveApplication(options, {
    frame: {
      name: 'Branchwork',
      voice: 'speaking',
      places: [
        { path: '/', label: 'Explore' },
        { path: '/new', label: 'New' },
      ],
    },
    description: 'Repositories, issues, pull requests, comments, reactions, stars, forks and organizations.',
    tint: { hue: 150, strength: 0.2 },
    style: new URL('style.css', import.meta.url),
    routes: httpRoutes(routes, site, { once, required: async (request) => await signIn.required(request) }),
    screens: screensOf(pages),
    actions: actionsOf(pages),
    costs,
    signIn,
    examples: [new URL('examples.json', import.meta.url)],
    errorOf,
  });
}

/** The number of repositories of the sample data. */
export function reposAt(scale: number): number {
  return Math.max(REPOS_MIN, Math.round(VOLUMES.repos * scale));
}

/** What the start page shows: no pattern lists everything. */
export function samplesAt(scale: number): Samples {
  if (scale === 0) return { people: [], repos: [] };
  const { users, repos } = sampleSite(scale, { repos: reposAt(scale) });
  const shown: Samples['repos'][number][] = [];
  for (const { repo } of repos()) {
    shown.push({ owner: repo.owner, repo: repo.repo });
    if (shown.length === REPOS_SHOWN) break;
  }
  return { people: users.slice(0, PEOPLE_SHOWN).map(({ name }) => name), repos: shown };
}
