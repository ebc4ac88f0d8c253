import { Command, Option } from 'commander';
import type { EngineLogEvent } from '../engine/index.ts';
import { ListenError } from '../server/index.ts';
import { StorageError } from '../storage/index.ts';
import { createDatabase, type Database } from './create-database.ts';
import { errorOutput } from './error-output.ts';
import { createLogger, type LogFormat, type LogLevel, logFormats, logLevels } from './logger.ts';
import { isLoopbackHost } from './loopback.ts';
import { openStore, type StoreLocation, storeLocationOf } from './open-store.ts';
import { type DatabaseServer, serve } from './serve.ts';
import { UsageError } from './usage-error.ts';

interface ServeFlags {
  readonly port: number;
  readonly host: string;
  readonly data: string;
  readonly memory?: boolean;
  readonly store?: string;
  readonly region: string;
  readonly account: string;
  readonly lifecycleDelay: number;
  readonly expirySweep: number;
  readonly buckets?: string;
  readonly s3Endpoint?: string;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

const examples = `
Examples:
  $ singlet serve                         data in ./singlet-data, on http://127.0.0.1:8000
  $ singlet serve --memory --port 0       nothing kept, any free port
  $ singlet serve --data /var/lib/shop    data of your choice

Then point any AWS SDK or the AWS CLI at it; every credential is accepted:
  $ aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000

The server prints one line, "singlet ready on http://HOST:PORT", on standard output once it accepts requests. Logs go to
standard error. SIGTERM and SIGINT finish running requests, flush and end with exit code 0.`;

export function serveCommand(): Command {
  return new Command('serve')
    .summary('serve a database over HTTP')
    .description('Serves a database over the DynamoDB protocol.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet serve --help'))
    .addOption(
      new Option('-p, --port <number>', 'port to listen on; 0 takes any free one').default(8000).argParser(portOf),
    )
    .addOption(new Option('--host <address>', 'address to listen on; loopback only').default('127.0.0.1'))
    .addOption(new Option('-d, --data <directory>', 'where the data is kept').default('./singlet-data'))
    .addOption(
      new Option('-m, --memory', 'keep the data in memory, and nothing afterwards').conflicts(['data', 'store']),
    )
    .addOption(new Option('--store <url>', 'the data by URL: memory: or lmdb:DIRECTORY').conflicts('data'))
    .addOption(new Option('--region <name>', 'region of requests that name none').default('us-east-1'))
    .addOption(
      new Option('--account <id>', 'account that owns the tables').default('000000000000').argParser(accountOf),
    )
    .addOption(
      new Option('--lifecycle-delay <ms>', 'how long CREATING, UPDATING and DELETING last')
        .default(0)
        .argParser(delayOf),
    )
    .addOption(
      new Option('--expiry-sweep <ms>', 'how often expired items are removed').default(10_000).argParser(intervalOf),
    )
    .addOption(
      new Option('--buckets <directory>', 'buckets of exports and imports: DIRECTORY/<bucket>/<key>').conflicts(
        's3Endpoint',
      ),
    )
    .addOption(
      new Option('--s3-endpoint <url>', 'S3, or what speaks its protocol, for exports and imports').argParser(urlOf),
    )
    .addOption(
      new Option('--log-level <level>', 'least level that is logged')
        .choices([...logLevels])
        .default('info')
        .argParser(oneOf('--log-level', logLevels)),
    )
    .addOption(
      new Option('--log-format <format>', 'how it is logged')
        .choices([...logFormats])
        .default('text')
        .argParser(oneOf('--log-format', logFormats)),
    )
    .addHelpText('after', examples)
    .action(async (flags: ServeFlags) => runServer(flags));
}

async function runServer(flags: ServeFlags): Promise<void> {
  if (!isLoopbackHost(flags.host)) {
    throw new UsageError(
      `Singlet accepts any credentials, so it listens on this machine only: use --host 127.0.0.1, not ${flags.host}.`,
    );
  }
  const log = createLogger({
    level: flags.logLevel,
    format: flags.logFormat,
    nowMs: () => Date.now(),
    write: (line) => void process.stderr.write(line),
  });
  surviveLostReaders();
  const location = locationOf(flags);
  const store = await openStore(location);
  const database = await createDatabase({
    store,
    region: flags.region,
    accountId: flags.account,
    lifecycleDelayMs: flags.lifecycleDelay,
    expirySweepMs: flags.expirySweep,
    buckets: flags.s3Endpoint === undefined ? flags.buckets : { s3: { endpoint: flags.s3Endpoint } },
    log,
    ...(flags.logLevel === 'debug' && {
      onRequest: (request) => log({ level: 'debug', event: 'request', ...request }),
    }),
  });
  const server = await listenOrClose(database, flags, (error) =>
    log({ level: 'error', event: 'listening failed', error: error.message }),
  );
  stopOnSignals(server, database, log);
  process.stdout.write(`singlet ready on ${server.url}\n`);
  if (flags.logFormat === 'text') process.stderr.write(welcome(server.url, location));
}

/** Whoever read the output may be gone. That is no reason to stop serving. */
function surviveLostReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** A port that is taken must not leave the database open behind. */
async function listenOrClose(
  database: Database,
  flags: ServeFlags,
  onError: (error: Error) => void,
): Promise<DatabaseServer> {
  try {
    return await serve(database, { port: flags.port, host: flags.host, onError });
  } catch (error) {
    await database.close();
    throw error instanceof ListenError ? new UsageError(listenProblem(error, flags), { cause: error }) : error;
  }
}

function listenProblem(error: ListenError, { host, port }: ServeFlags): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use: choose another with --port, or --port 0 for any free one.`;
    case 'EACCES':
      return `Port ${port} may not be used by this user: choose one above 1023 with --port.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `This machine has no address ${host}: use --host 127.0.0.1.`;
    default:
      return `Cannot listen on ${host}:${port}: ${error.message}`;
  }
}

/** The first signal ends in order; a second one, at once. */
function stopOnSignals(server: DatabaseServer, database: Database, log: (event: EngineLogEvent) => void): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(signal === 'SIGINT' ? 130 : 143);
    stopping = true;
    log({ level: 'info', event: 'stopping', signal });
    void server
      .close()
      .then(() => database.close())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          log({ level: 'error', event: 'stopping failed', error });
          process.exit(1);
        },
      );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

function locationOf(flags: ServeFlags): StoreLocation {
  if (flags.memory === true) return { kind: 'memory' };
  if (flags.store !== undefined) {
    try {
      return storeLocationOf(flags.store);
    } catch (error) {
      throw error instanceof StorageError ? new UsageError(error.message, { cause: error }) : error;
    }
  }
  return { kind: 'directory', directory: flags.data };
}

function welcome(url: string, location: StoreLocation): string {
  const where = location.kind === 'memory' ? 'in memory' : `in ${location.directory}`;
  return `
  Data is kept ${where}. Try, in another terminal:

    aws dynamodb list-tables --endpoint-url ${url}
    npm run demo -- --endpoint ${url}

  Stop with Ctrl-C. More: npx singlet serve --help

`;
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new UsageError(`--port takes a number from 0 to 65535, not ${JSON.stringify(text)}.`);
  }
  return port;
}

function accountOf(text: string): string {
  if (!/^\d{12}$/.test(text)) throw new UsageError(`--account takes twelve digits, not ${JSON.stringify(text)}.`);
  return text;
}

function delayOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) {
    throw new UsageError(
      `--lifecycle-delay takes a number of milliseconds of up to nine digits, not ${JSON.stringify(text)}.`,
    );
  }
  return Number(text);
}

function intervalOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new UsageError(
      `--expiry-sweep takes a number of milliseconds above zero, of up to nine digits, not ${JSON.stringify(text)}.`,
    );
  }
  return Number(text);
}

function urlOf(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new UsageError(`--s3-endpoint takes a URL such as http://127.0.0.1:9000, not ${JSON.stringify(text)}.`);
  }
  return text;
}

function oneOf(flag: string, choices: readonly string[]): (text: string) => string {
  return (text) => {
    if (choices.includes(text)) return text;
    throw new UsageError(`${flag} takes one of ${choices.join(', ')}, not ${JSON.stringify(text)}.`);
  };
}
