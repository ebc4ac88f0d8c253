import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type ConnectOptions, tableDefinitions } from '@singlet/model';
import { type HttpServer, serveHttp } from '../../http/node-server.ts';
import type { StartOptions } from '../../http/start-options.ts';
import { createKsuidGenerator } from '../../ksuid.ts';
import { tableIsNew } from '../../table-lifecycle.ts';
import { openGitHub } from '../github.ts';
import { github } from '../model.ts';
import { sampleSite } from '../sample-site.ts';
import { seedGitHub } from '../seed.ts';
import { createService } from './service.ts';

export interface GitHubOptions extends Omit<StartOptions, 'database'> {
  readonly client: ConnectOptions['client'];
}

const TABLE_NAME = 'GitHubTable';
const SUGGESTIONS_MAX = 12;

/** Starts the site on a database: creates and fills its table if it does not exist, and serves it. */
export async function startGitHub({ client, port, scale, say }: GitHubOptions): Promise<HttpServer> {
  if (await tableIsNew(client, { ...tableDefinitions(github)[0], TableName: TABLE_NAME })) {
    const startedAtMs = performance.now();
    const tally = scale > 0 ? await seedGitHub({ client, tableName: TABLE_NAME, scale }) : {};
    const items = Object.values(tally).reduce((sum, count) => sum + count, 0);
    say(`Filled the table ${TABLE_NAME} with ${items} items in ${Math.round(performance.now() - startedAtMs)} ms`);
  } else {
    say(`The table ${TABLE_NAME} is there already and stays as it is`);
  }
  const clock = { nowMs: Date.now };
  const newCommentId = createKsuidGenerator({ clock, randomBytes });
  const site = openGitHub({
    client,
    tableName: TABLE_NAME,
    clock,
    newCommentId,
    cursorSecret: process.env['CURSOR_SECRET'] ?? randomBytes(32).toString('base64'),
  });
  const page = await pageFor(scale);
  return await serveHttp(createService({ site, page, onError: (error) => say(String(error)) }), { port });
}

/** The page with a few names to start from: no pattern lists everything. */
export async function pageFor(scale: number): Promise<string> {
  const html = await readFile(new URL('./page.html', import.meta.url), 'utf8');
  const repositories: string[] = [];
  const { users, repos } = sampleSite(scale);
  if (scale > 0) {
    for (const { repo } of repos()) {
      repositories.push(`${repo.owner}/${repo.repo}`);
      if (repositories.length === SUGGESTIONS_MAX) break;
    }
  }
  const suggestions = { users: scale > 0 ? users.slice(0, 1).map(({ name }) => name) : [], repositories };
  return html.replace('{ "users": [], "repositories": [] }', () => JSON.stringify(suggestions));
}
