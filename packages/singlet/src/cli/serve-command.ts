import { Command, InvalidArgumentError, Option } from 'commander';
import { ListenError } from '../server/index.ts';
import { StorageError } from '../storage/index.ts';
import { createDatabase, type Database } from './create-database.ts';
import { createLogger, type LogFormat, type LogLevel, logLevels } from './logger.ts';
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
    .addOption(
      new Option('-p, --port <number>', 'port to listen on; 0 takes any free one').default(8000).argParser(portOf),
    )
    .addOption(new Option('--host <address>', 'address to listen on; loopback only').default('127.0.0.1'))
    .addOption(new Option('-d, --data <directory>', 'where the data is kept').default('./singlet-data'))
    .addOption(new Option('-m, --memory', 'keep the data in memory, and nothing afterwards').conflicts('store'))
    .addOption(new Option('--store <url>', 'the data by URL: memory: or lmdb:DIRECTORY'))
    .addOption(new Option('--region <name>', 'region of requests that name none').default('us-east-1'))
    .addOption(
      new Option('--account <id>', 'account that owns the tables').default('000000000000').argParser(accountOf),
    )
    .addOption(
      new Option('--lifecycle-delay <ms>', 'how long CREATING, UPDATING and DELETING last')
        .default(0)
        .argParser(delayOf),
    )
    .addOption(new Option('--log-level <level>', 'least level that is logged').choices([...logLevels]).default('info'))
    .addOption(new Option('--log-format <format>', 'how it is logged').choices(['text', 'json']).default('text'))
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
  const location = locationOf(flags);
  const store = await openStore(location);
  const database = await createDatabase({
    store,
    region: flags.region,
    accountId: flags.account,
    lifecycleDelayMs: flags.lifecycleDelay,
    log,
    ...(flags.logLevel === 'debug' && {
      onRequest: (request) => log({ level: 'debug', event: 'request', ...request }),
    }),
  });
  const server = await listenOrClose(database, flags, (error) =>
    log({ level: 'error', event: 'listening failed', error: error.message }),
  );
  stopOnSignals(server, database, (event) => log({ level: 'info', event }));
  process.stdout.write(`singlet ready on ${server.url}\n`);
  if (flags.logFormat === 'text') process.stderr.write(welcome(server.url, location));
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
      return `Port ${port} on ${host} is in use. Choose another with --port, or --port 0 for any free one.`;
    case 'EACCES':
      return `Port ${port} may not be used by this user. Choose one above 1023 with --port.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `This machine has no address ${host}. Use --host 127.0.0.1.`;
    default:
      return `Cannot listen on ${host}:${port}: ${error.message}`;
  }
}

/** The first signal ends in order; a second one, at once. */
function stopOnSignals(server: DatabaseServer, database: Database, log: (event: string) => void): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(signal === 'SIGINT' ? 130 : 143);
    stopping = true;
    log('stopping');
    void server
      .close()
      .then(() => database.close())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          process.stderr.write(`singlet: ${String(error)}\n`);
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
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('It is a number from 0 to 65535.');
  return port;
}

function accountOf(text: string): string {
  if (!/^\d{12}$/.test(text)) throw new InvalidArgumentError('It has twelve digits.');
  return text;
}

function delayOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is a number of milliseconds.');
  return Number(text);
}
