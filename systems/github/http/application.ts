import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type ConnectOptions, tableDefinitions } from '@singlet/model';
import type { StartOptions } from '../../http/start-options.ts';
import { createKsuidGenerator } from '../../ksuid.ts';
import { createTable } from '../../table-lifecycle.ts';
import { openGitHub } from '../github.ts';
import { github } from '../model.ts';
import { sampleSite } from '../sample-site.ts';
import { seedGitHub } from '../seed.ts';
import { listen, type RunningServer } from './server.ts';
import { createService } from './service.ts';

export interface GitHubOptions extends Omit<StartOptions, 'database'> {
  readonly client: ConnectOptions['client'];
}

const TABLE_NAME = 'GitHubTable';
const SUGGESTIONS_MAX = 12;

/** Starts the site on a database: makes and fills its table where there is none, and serves it. */
export async function startGitHub({ client, port, scale, say }: GitHubOptions): Promise<RunningServer> {
  if (await tableIsNew(client)) {
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
  return await listen(createService({ site, page, onError: (error) => say(String(error)) }), { port });
}

async function tableIsNew(client: ConnectOptions['client']): Promise<boolean> {
  const [definition] = tableDefinitions(github);
  try {
    await createTable(client, { ...definition, TableName: TABLE_NAME });
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceInUseException') {
      return false;
    }
    throw error;
  }
}

/** The page with a few names to begin with: there is no pattern that lists all there is. */
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
