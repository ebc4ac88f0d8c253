import { randomBytes } from 'node:crypto';
import { MovedClock } from '../../clock.ts';
import { GitHubError } from '../../github/errors.ts';
import { github } from '../../github/model.ts';
import { sampleSite } from '../../github/sample-site.ts';
import { seedGitHub } from '../../github/seed.ts';
import { Costs } from '../../http/costs.ts';
import { HttpError } from '../../http/http-error.ts';
import { type HttpServer, serveHttp } from '../../http/node-server.ts';
import { openTable } from '../../http/open-table.ts';
import type { ApplicationStart } from '../../http/start-options.ts';
import { webApplication } from '../../http/web-application.ts';
import { createKsuidGenerator } from '../../ksuid.ts';
import { pauseWithJitter } from '../../pause.ts';
import { openMigratedGitHub } from '../migrated-github.ts';
import { type Readers, READERS_OFF, READERS_ON } from '../readers.ts';
import { Moves } from './moves.ts';
import { actionsOf, screensOf } from './pages.ts';
import { routesOf } from './routes.ts';
import { Visitors } from './visitors.ts';

const REPOS_SHOWN = 6;

/** Serves the migrations of GitHub. Scale 1 is a thousand repositories in the form before the first migration. */
export async function startMigrations(options: ApplicationStart): Promise<HttpServer> {
  const { client, port, scale, say, checksAnswers = false } = options;
  const clock = new MovedClock();
  const costs = new Costs();
  costs.watch(client);
  const { tableName, isNew } = await openTable(client, github);
  if (isNew && scale > 0) {
    const counts = await seedGitHub({ client, tableName, scale });
    say(`${Object.values(counts).reduce((sum, count) => sum + count, 0)} items`);
  }
  const sample = sampleSite(scale);
  const repos = scale === 0 ? [] : [...sample.repos()].slice(0, REPOS_SHOWN).map(({ repo }) => repo);
  const newId = createKsuidGenerator({ clock, randomBytes });
  const open = (readers: Readers) =>
    openMigratedGitHub({ client, tableName, clock, newCommentId: newId, newGistId: newId, readers });
  const moves = await Moves.open({ client, tableName, apart: async (begin) => await costs.apart(begin) });
  const onFault = (error: unknown): void => say(String(error));
  const visitors = new Visitors({
    site: open(moves.readers),
    repos,
    author: sample.users[0]?.name ?? '',
    pause: pauseWithJitter,
    onFault,
  });
  const site = { moves, visitors, costs, repos, filtered: open(READERS_OFF), byKey: open(READERS_ON) };
  const handler = await webApplication({
    frame: {
      name: 'Branchwork, a year later',
      voice: 'instrument',
      places: [
        { path: '/', label: 'Migrations' },
        { path: '/compare', label: 'Before and after' },
      ],
      scripts: ['live'],
    },
    description: 'Five migrations of one table while visitors write to it.',
    tint: { hue: 150, strength: 0.2 },
    routes: routesOf(site),
    screens: screensOf(site),
    actions: actionsOf(site),
    costs,
    checksAnswers,
    errorOf: (error) =>
      error instanceof GitHubError ? new HttpError(404, 'not-found', 'There is no such thing.') : undefined,
    onFault,
  });
  const server = await serveHttp(handler, { port });
  return {
    url: server.url,
    close: async () => {
      await server.close();
      await Promise.all([visitors.close(), moves.close()]);
    },
  };
}
