import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  applicationLines,
  applicationNamed,
  type Applications,
  commandOf,
  findApplications,
  numberFrom,
} from './find-applications.ts';
import { faultText } from './http/faults.ts';
import type { Application } from './http/start-options.ts';
import { openEndpoint, openServedDirectory, openServedMemory, type ServedDatabase } from './testing/databases.ts';

const WORKBENCH =
  'WORKBENCH is the address of a workbench (`npx singlet studio --endpoint URL`) that pages link to, if the database itself serves none.';

function usageOf(applications: Applications): string {
  const variables = [...applications.values()].flatMap((application) => application.variables ?? []);
  return `Usage: ${commandOf(applications, { many: 'app', one: 'start' })} [options]

Serves an application over HTTP, with a page to click through.

${applicationLines(applications)}

  --port N         port of the application (3000; 0 for any that is free)
  --data DIR       starts a database in this directory, which stays
  --endpoint URL   works on this DynamoDB endpoint; without this and --data a database is started in memory, and
                   is gone afterwards
  --scale N        how much sample data to begin with; 0 is none
  --help           this text

${[...variables, 'CURSOR_SECRET seals cursors and leases, and is behind the ids and tokens of repeated requests: the same after a restart.', WORKBENCH].join('\n')}`;
}

async function main(): Promise<number> {
  let options: AppOptions;
  try {
    options = await readArguments();
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
    console.error(error.message);
    console.error(usageOf(await findApplications()));
    return 2;
  }
  if (options.application === undefined) {
    console.log(usageOf(await findApplications()));
    return 0;
  }
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const interrupted = new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
  try {
    return await served(options.application, options, interrupted);
  } catch (error) {
    const problem = problemOfStart(error, options);
    if (problem === undefined) throw error;
    console.error(problem);
    return 1;
  }
}

async function served(application: Application, options: AppOptions, interrupted: Promise<void>): Promise<number> {
  const { port, scale = application.usualScale } = options;
  const database = await openDatabase(options);
  const client = new DynamoDBClient(database.clientConfig);
  // The SDK copies every input and output for its logger, although the usual one writes nothing.
  client.middlewareStack.remove('loggerMiddleware');
  try {
    console.log(`The database is on ${database.url}`);
    const workbench = await workbenchOf(database.url, options.endpoint === undefined ? undefined : ANSWERS_IN_MS_MAX);
    if (workbench !== undefined) console.log(`The workbench is on ${workbench.href}studio`);
    const server = await application.start({
      database,
      client,
      port,
      scale,
      ...(workbench !== undefined && { workbench }),
      say: (line) => console.log(line),
      onFault: (error, where) => console.error(faultText(error, where)),
    });
    console.log(`The application is on ${server.url}; it ends with Ctrl-C`);
    await interrupted;
    await server.close();
  } finally {
    client.destroy();
    await database.close();
  }
  return 0;
}

/** Says in a sentence what the person who starts the application can change; undefined for any other error. */
function problemOfStart(error: unknown, { endpoint, port }: AppOptions): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'listen' && code === 'EADDRINUSE') return `Port ${port} is in use: choose another with --port.`;
  if (syscall === 'listen' && code === 'EACCES')
    return `Port ${port} needs more permissions: choose another with --port.`;
  if (endpoint !== undefined && /^(ECONNREFUSED|ENOTFOUND|ECONNRESET|EHOSTUNREACH|EAI_AGAIN)$/.test(code ?? ''))
    return `Nothing answers at ${endpoint}: start a server with npx singlet serve, or name another --endpoint.`;
  // The data directory cannot be used; the message says why.
  return error.name === 'StorageError' ? error.message : undefined;
}

/** How long another endpoint is waited for, which may not know what a workbench is. */
const ANSWERS_IN_MS_MAX = 1000;

/** The address of the workbench that a database serves beside its API, if it does. */
async function workbenchOf(databaseUrl: string, waitsMs: number | undefined): Promise<URL | undefined> {
  const url = new URL('/studio', databaseUrl);
  try {
    const response = await fetch(url, waitsMs === undefined ? {} : { signal: AbortSignal.timeout(waitsMs) });
    const isPage = response.ok && (response.headers.get('content-type') ?? '').startsWith('text/html');
    await response.body?.cancel();
    return isPage ? new URL('/', url) : undefined;
  } catch {
    return undefined;
  }
}

interface AppOptions {
  /** Absent when only help was requested. */
  readonly application: Application | undefined;
  readonly endpoint: string | undefined;
  readonly data: string | undefined;
  readonly port: number;
  readonly scale: number | undefined;
}

async function openDatabase({ application, endpoint, data }: AppOptions): Promise<ServedDatabase> {
  if (endpoint !== undefined) return openEndpoint(endpoint);
  const { buckets } = application ?? {};
  return data === undefined ? await openServedMemory(buckets) : await openServedDirectory(data, buckets);
}

async function readArguments(): Promise<AppOptions> {
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
  const application = values.help ? undefined : await applicationNamed(positionals);
  if (values.endpoint !== undefined && values.data !== undefined) {
    throw new RangeError('--endpoint and --data exclude each other');
  }
  const { endpoint } = values;
  if (endpoint !== undefined && !(URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol)))
    throw new RangeError(`--endpoint takes a URL such as http://127.0.0.1:8000, not ${JSON.stringify(endpoint)}`);
  return {
    application,
    endpoint,
    data: values.data,
    port: numberFrom('--port', values.port, [0, 65_535]),
    scale: values.scale === undefined ? undefined : numberFrom('--scale', values.scale, [0, 10]),
  };
}

process.exitCode = await main();
