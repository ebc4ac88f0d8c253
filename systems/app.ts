import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Application } from './http/start-options.ts';
import {
  type OpenDatabase,
  openEndpoint,
  openServedDirectory,
  openServedTemporaryDatabase,
} from './testing/databases.ts';

const folder = new URL('./', import.meta.url);

/** The applications in this folder by name: each has `http/serve.ts`. */
async function findApplications(): Promise<ReadonlyMap<string, Application>> {
  const entries = await readdir(folder);
  const fileOf = (name: string): URL => new URL(`${name}/http/serve.ts`, folder);
  const names = entries.filter((name) => existsSync(fileOf(name))).toSorted();
  const loaded = names.map(async (name) => {
    const { application } = (await import(fileOf(name).href)) as { readonly application: Application };
    return [name, application] as const;
  });
  return new Map(await Promise.all(loaded));
}

type Applications = Awaited<ReturnType<typeof findApplications>>;

const WORKBENCH =
  'WORKBENCH is the address of a workbench on the same database (`npx singlet studio --endpoint URL`): pages link to it.';

function usageOf(applications: Applications): string {
  const lines = [...applications].map(
    ([name, { atScaleOne, usualScale }]) => `  ${name.padEnd(23)} at scale 1 ${atScaleOne} (${usualScale})`,
  );
  const variables = [...applications.values()].flatMap((application) => application.variables ?? []);
  return `Usage: ${applications.size === 1 ? 'npm start --' : 'npm run app -- APPLICATION'} [options]

Serves an application over HTTP, with a page to click through.

${lines.join('\n')}

  --port N         port of the application (3000; 0 for any that is free)
  --data DIR       starts a database in this directory, which stays
  --endpoint URL   works on this DynamoDB endpoint; without this and --data a database is started with a
                   directory of its own, and removed afterwards
  --scale N        how much sample data to begin with; 0 is none
  --help           this text

${[...variables, 'CURSOR_SECRET seals the cursors of lists.', WORKBENCH].join('\n')}`;
}

async function main(): Promise<number> {
  const applications = await findApplications();
  const usage = usageOf(applications);
  let options: AppOptions;
  try {
    options = readArguments(applications);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error(usage);
    return 2;
  }
  if (options.application === undefined) {
    console.log(usage);
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
  /** Absent when only help was requested. */
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

function readArguments(applications: Applications): AppOptions {
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
  // If there is only one application, it need not be named.
  const [name = applications.size === 1 ? [...applications.keys()][0] : undefined] = positionals;
  const application = name === undefined ? undefined : applications.get(name);
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
