import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { startAccessControl } from './access-control/http/start.ts';
import { startFactory } from './additive-manufacturing/http/start.ts';
import { startBigTimeDeals } from './big-time-deals/http/start.ts';
import { startShop } from './e-commerce/http/start.ts';
import { startBlog } from './blog/http/start.ts';
import { startDating } from './dating-app/http/start.ts';
import { startGitHub } from './github/http/application.ts';
import type { ApplicationStart } from './http/start-options.ts';
import { startMigrations } from './github-migrations/http/start.ts';
import { startScheduler } from './job-scheduler/http/start.ts';
import { startLessonShop } from './lesson-shop/http/start.ts';
import { startSessionStore } from './session-store/http/start.ts';
import { startSupportDesk } from './support-desk/http/start.ts';
import {
  type OpenDatabase,
  openEndpoint,
  openServedDirectory,
  openServedTemporaryDatabase,
} from './testing/databases.ts';

const USAGE = `Usage: npm run app -- APPLICATION [options]

Serves an application over HTTP, with a page to click through.

  github           at scale 1 a thousand repositories (0.005)
  big-time-deals   at scale 1 200 brands, 3,000 deals and 1,000 users (0.1)
  support-desk     at scale 1 20,000 customers, 100,000 tickets and 500,000 messages (0.005)
  session-store    at scale 1 a thousand people, one of them with 3,000 sessions (0.1)
  e-commerce       at scale 1 2,000 customers with 10,000 orders (0.02)
  job-scheduler    at scale 1 100,000 jobs in a day (0.02)
  access-control   at scale 1 10,000 users with 200 roles and 500 policies (0.025)
  lesson-shop      at scale 1 10,000 customers with 50,000 orders and 2,000 products (0.02)
  dating-app       at scale 1 100,000 people with 200,000 matches (0.004)
  additive-manufacturing  at scale 1 1,000 orders with 21,000 parts (0.04)
  github-migrations       at scale 1 a thousand repositories before the first migration (0.003)
  blog             at scale 1 10,000 authors with 100,000 posts and 500,000 comments (0.002)

  --port N         port of the application (3000; 0 for any that is free)
  --data DIR       starts a database in this directory, which stays
  --endpoint URL   works on this DynamoDB endpoint; without this and --data a database is started with a
                   directory of its own, and removed afterwards
  --scale N        how much sample data to begin with; 0 is none
  --help           this text

EDITOR_TOKEN is what editors of big-time-deals show, CURSOR_SECRET what seals the cursors of lists.`;

interface Application {
  readonly start: (options: ApplicationStart) => Promise<{ readonly url: string; close(): Promise<void> }>;
  readonly usualScale: number;
}

const APPLICATIONS: ReadonlyMap<string, Application> = new Map([
  ['github', { start: startGitHub, usualScale: 0.005 }],
  ['big-time-deals', { start: startBigTimeDeals, usualScale: 0.1 }],
  ['support-desk', { start: startSupportDesk, usualScale: 0.005 }],
  ['session-store', { start: startSessionStore, usualScale: 0.1 }],
  ['e-commerce', { start: startShop, usualScale: 0.02 }],
  ['job-scheduler', { start: startScheduler, usualScale: 0.02 }],
  ['access-control', { start: startAccessControl, usualScale: 0.025 }],
  ['lesson-shop', { start: startLessonShop, usualScale: 0.02 }],
  ['dating-app', { start: startDating, usualScale: 0.004 }],
  ['additive-manufacturing', { start: startFactory, usualScale: 0.04 }],
  ['github-migrations', { start: startMigrations, usualScale: 0.003 }],
  ['blog', { start: startBlog, usualScale: 0.002 }],
]);

async function main(): Promise<number> {
  let options: AppOptions;
  try {
    options = readArguments();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error(USAGE);
    return 2;
  }
  if (options.application === undefined) {
    console.log(USAGE);
    return 0;
  }
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const interrupted = new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
  const { application, port, scale = application.usualScale } = options;
  const database = await openDatabase(options);
  const client = new DynamoDBClient(database.clientConfig);
  try {
    console.log(`The database is on ${database.url}`);
    const server = await application.start({ database, client, port, scale, say: (line) => console.log(line) });
    console.log(`The application is on ${server.url}; it ends with Ctrl-C`);
    await interrupted;
    await server.close();
  } finally {
    client.destroy();
    await database.close();
  }
  return 0;
}

interface AppOptions {
  /** Absent where only help was asked for. */
  readonly application: Application | undefined;
  readonly endpoint: string | undefined;
  readonly data: string | undefined;
  readonly port: number;
  readonly scale: number | undefined;
}

async function openDatabase({
  endpoint,
  data,
}: Pick<AppOptions, 'endpoint' | 'data'>): Promise<OpenDatabase & { readonly url: string }> {
  if (endpoint !== undefined) return openEndpoint(endpoint);
  return data === undefined ? await openServedTemporaryDatabase() : await openServedDirectory(data);
}

function readArguments(): AppOptions {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      port: { type: 'string', default: '3000' },
      endpoint: { type: 'string' },
      data: { type: 'string' },
      scale: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const [name] = positionals;
  const application = name === undefined ? undefined : APPLICATIONS.get(name);
  if (!values.help && application === undefined) {
    throw new RangeError(
      name === undefined ? 'Name an application' : `There is no application ${JSON.stringify(name)}`,
    );
  }
  if (values.endpoint !== undefined && values.data !== undefined) {
    throw new RangeError('--endpoint and --data exclude each other');
  }
  return {
    application: values.help ? undefined : application,
    endpoint: values.endpoint,
    data: values.data,
    port: numberFrom('--port', values.port, 65_535),
    scale: values.scale === undefined ? undefined : numberFrom('--scale', values.scale, 10),
  };
}

function numberFrom(option: string, text: string, most: number): number {
  const number = Number(text);
  if (text.trim() === '' || !(number >= 0 && number <= most)) {
    throw new RangeError(`${option} takes a number from 0 to ${most}, not ${JSON.stringify(text)}`);
  }
  return number;
}

process.exitCode = await main();
