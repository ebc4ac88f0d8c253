import { Command, Option } from 'commander';
import { type EngineLogEvent, scrubIntervalMs } from '../engine/index.ts';
import { checksAtStart } from '../storage/index.ts';
import {
  connectionsPerAddressMax,
  isOrigin,
  memoryBudgetBytes,
  memoryBudgetBytesMin,
  requestsPerIdentityMax,
  requestsPerSecondMax,
} from '../server/index.ts';
import { durationOf } from './duration.ts';
import { errorOutput } from './error-output.ts';
import { LogLevelSwitch } from './log-level-switch.ts';
import { createLogger, logFormats, logLevels } from './logger.ts';
import { openKinesisSink } from '../database/kinesis-sink.ts';
import { regionEndpointOf, regionOf, urlFlag } from './endpoint-client.ts';
import type { StoreLocation } from '../database/open-store.ts';
import { parsePostgresUrl } from '../storage/postgres/connection-settings.ts';
import { checkNetworkFlags } from './access/network-flags.ts';
import { finish, locationOf, notShared, secretOf, type ServeFlags, type Serving, startServing } from './serving.ts';
import { findPage } from '../studio/page-location.ts';
import { identityPaths, loadIdentities } from './identity/identity-file.ts';
import { renamedTables } from './model/connection.ts';
import { stopOnSignals } from './stop-on-signals.ts';
import { UsageError } from './usage-error.ts';
import { forecastOf } from './weather-option.ts';
import { workerCountOf, workersMax } from './workers/worker-count.ts';
import { workerPortOf } from './workers/worker-message.ts';
import type { WorkerValues } from './workers/worker-values.ts';

const examples = `
Examples:
  $ singlet serve                         data in ./singlet-data, on http://127.0.0.1:8000
  $ singlet serve --memory --port 0       nothing kept, any free port
  $ singlet serve --data /var/lib/shop    data of your choice
  $ singlet serve --workers auto          as many processes as there are cores

  $ singlet identity create alice --auth auth.json
  $ singlet serve --auth auth.json --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem

Then point any AWS SDK or the AWS CLI at it; without --auth every credential is accepted:
  $ aws dynamodb list-tables --region us-east-1 --endpoint-url http://127.0.0.1:8000

The server prints one line, "singlet ready on http://HOST:PORT", on standard output once it accepts requests. Logs go to
standard error. SIGTERM and SIGINT finish running requests, flush and end with exit code 0.

With --workers several processes serve one directory, one connection each in turn. All see every write at once, and a worker
that ends is replaced. One of them deletes expired items, trims streams and recovery logs, and replicates; when it ends, another
continues. A signal to the first process ends all. What is counted in memory, each counts for itself: the reports on capacity and
contributor insights tell what the worker that answers has served. What is throttled is counted by all together. Log lines of
workers end with their pid.`;

export function serveCommand(): Command {
  return new Command('serve')
    .summary('serve a database over HTTP')
    .description('Serves a database over the DynamoDB protocol.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet serve --help'))
    .addOption(
      new Option('-p, --port <number>', 'port to listen on; 0 takes any free one').default(8000).argParser(portOf),
    )
    .addOption(
      new Option('--host <address>', 'address to listen on; without --auth loopback only').default('127.0.0.1'),
    )
    .addOption(new Option('--auth <file>', 'who may use it: users and roles with policies, made by singlet identity'))
    .addOption(
      new Option('--auth-key <file>', 'the key that the secrets in it are encrypted with; FILE.key without it'),
    )
    .addOption(new Option('--tls-cert <file>', 'certificate for TLS, in PEM; read again when it changes'))
    .addOption(new Option('--tls-key <file>', 'key of the certificate, in PEM'))
    .addOption(new Option('--plaintext', 'listen beyond this machine without TLS, behind something that speaks it'))
    .addOption(new Option('--metrics', 'answer GET /metrics, for Prometheus; needs the package prom-client'))
    .addOption(
      new Option('--metrics-token-file <file>', 'holds what a request for /metrics brings as a bearer token').implies({
        metrics: true,
      }),
    )
    .addOption(
      new Option('--traces', 'make a span of OpenTelemetry for each request; needs the package @opentelemetry/api'),
    )
    .addOption(
      new Option('--audit-log <file>', 'where changes of tables and refused requests are noted, as JSON lines'),
    )
    .addOption(
      new Option(
        '--connections-per-address <number>',
        `most connections of one address at a time (default: ${connectionsPerAddressMax})`,
      ).argParser((text) => mostOf(text, '--connections-per-address')),
    )
    .addOption(
      new Option(
        '--requests-per-identity <number>',
        `with --auth, most requests of one identity at a time (default: ${requestsPerIdentityMax})`,
      ).argParser((text) => mostOf(text, '--requests-per-identity')),
    )
    .addOption(
      new Option(
        '--requests-per-second-per-identity <number>',
        `with --auth, most requests a second of one identity (default: ${requestsPerSecondMax})`,
      ).argParser((text) => mostOf(text, '--requests-per-second-per-identity')),
    )
    .addOption(
      new Option(
        '--requests-per-second-per-address <number>',
        `with --auth, most requests a second of one address (default: ${requestsPerSecondMax})`,
      ).argParser((text) => mostOf(text, '--requests-per-second-per-address')),
    )
    .addOption(
      new Option(
        '--cors <origin...>',
        'pages in browsers that may use the server besides those of this machine: https://shop.example; * for all',
      ).argParser(originsOf),
    )
    .addOption(new Option('-d, --data <directory>', 'where the data is kept').default('./singlet-data'))
    .addOption(
      new Option('-m, --memory', 'keep the data in memory, and nothing afterwards').conflicts(['data', 'store']),
    )
    .addOption(
      new Option(
        '-w, --workers <number>',
        `processes that serve the data: auto for one per core, at most ${workersMax}`,
      )
        .default(1)
        .argParser((text) => workerCountOf(text)),
    )
    .addOption(
      new Option('--store <url>', 'the data by URL: memory:, lmdb:DIRECTORY or postgres://HOST/DATABASE').conflicts(
        'data',
      ),
    )
    .addOption(
      new Option(
        '--encryption-key <file>',
        'encrypts the data, from an empty directory on; needed at every start after that',
      ).conflicts('memory'),
    )
    .addOption(
      new Option('--region <name>', 'region of requests that name none').default('us-east-1').argParser(regionOf()),
    )
    .addOption(
      new Option(
        '--one-region',
        'all clients see the tables of --region, whatever region they are configured for',
      ).conflicts(['auth', 'replicaEndpoint']),
    )
    .addOption(
      new Option('--account <id>', 'account that owns the tables').default('000000000000').argParser(accountOf),
    )
    .addOption(
      new Option('--lifecycle-delay <ms>', 'how long CREATING, UPDATING and DELETING last')
        .default(0)
        .argParser(delayOf),
    )
    .addOption(
      new Option('--expiry-sweep <ms>', 'how often expired items are removed')
        .default(10_000)
        .argParser((text) => intervalOf(text, '--expiry-sweep')),
    )
    .addOption(
      new Option('--scrub <time>', 'how often all stored data is checked, at 5 MB a second; off for never')
        .default(scrubIntervalMs, '7d')
        .argParser((text) => (text === 'off' ? 'on-demand' : durationOf(text, '--scrub'))),
    )
    .addOption(
      new Option('--replica-endpoint <region=url>', 'a region that another server has; may be given several times')
        .default({}, 'none')
        .argParser(regionEndpointOf),
    )
    .addOption(new Option('--replica-secret-file <file>', 'holds what servers whose tables replicate have in common'))
    .addOption(
      new Option('--replication-interval <ms>', 'how often changes are sent to replicas in other regions')
        .default(500)
        .argParser((text) => intervalOf(text, '--replication-interval')),
    )
    .addOption(
      new Option(
        '--throttle [table...]',
        'refuse requests above the throughput, of all tables or of those that are named',
      ).conflicts('throttleReport'),
    )
    .addOption(
      new Option(
        '--throttle-report [table...]',
        'refuse none of them, but log and count what would be refused (GET /_singlet/throttling)',
      ),
    )
    .addOption(
      new Option(
        '--weather <name>',
        'what the service does to applications now and then: clear, breeze, storm, or a JSON file',
      ).argParser(forecastOf),
    )
    .addOption(
      new Option('--kinesis-endpoint <url>', 'where Kinesis streaming destinations are delivered to').argParser(
        kinesisEndpointOf,
      ),
    )
    .addOption(
      new Option('--buckets <directory>', 'buckets of exports and imports: DIRECTORY/<bucket>/<key>').conflicts(
        's3Endpoint',
      ),
    )
    .addOption(
      new Option('--s3-endpoint <url>', 'S3, or what speaks its protocol, for exports and imports').argParser(
        urlFlag('--s3-endpoint', 'http://127.0.0.1:9000'),
      ),
    )
    .addOption(
      new Option(
        '--backup-to <target>',
        'where the data is copied to all the time: a directory, or s3://BUCKET/PREFIX',
      ).conflicts('memory'),
    )
    .addOption(durationOption('--backup-every <time>', 'how often: what is lost with the machine', '1s'))
    .addOption(durationOption('--backup-snapshot-every <time>', 'how often all of it is copied', '1d'))
    .addOption(durationOption('--backup-keep <time>', 'how far back every moment can be restored', '7d'))
    .addOption(
      new Option(
        '--backup-verify',
        'restore each snapshot to a temporary directory, in a process of its own, and check it',
      ),
    )
    .addOption(
      new Option('--check-at-start <how>', 'how much of the data file is checked first: auto, full or quick')
        .choices([...checksAtStart])
        .default('auto')
        .argParser(oneOf('--check-at-start', checksAtStart)),
    )
    .addOption(
      new Option('--memory-budget <megabytes>', 'what each process holds of requests and answers at one time')
        .default(memoryBudgetBytes / megabyte)
        .argParser(budgetOf),
    )
    .addOption(
      new Option('--model <file>', 'models for the workbench: a file or a directory; may be given several times')
        .default([], 'none')
        .argParser((file: string, before: readonly string[]) => [...before, file]),
    )
    .addOption(renamedTables('a table that is called otherwise than in a model; may be repeated'))
    .addOption(
      new Option(
        '--log-requests',
        'remember the last requests from the start, for GET /_singlet/requests and the workbench',
      ),
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
  checkNetworkFlags(flags);
  const level = new LogLevelSwitch(flags.logLevel);
  const log = createLogger({
    level: () => level.present,
    format: flags.logFormat,
    nowMs: () => Date.now(),
    write: (line) => void process.stderr.write(line),
  });
  surviveLostReaders();
  const location = locationOf(flags);
  const workerPort = workerPortOf(process.env);
  if (workerPort !== undefined) {
    const { serveAsWorker } = await import('./workers/worker.ts');
    const ownLog = (event: EngineLogEvent): void => log({ ...event, pid: process.pid });
    level.listen(ownLog);
    const options = { log: ownLog, backgroundWork: 'on-demand' } as const;
    const isThrottled = flags.throttle !== undefined || flags.throttleReport !== undefined;
    const start = (values: WorkerValues): Promise<Serving> =>
      startServing({ ...flags, port: workerPort }, { ...options, values });
    return serveAsWorker(start, { log: ownLog, isThrottled });
  }
  const announce = (url: string): void => {
    process.stdout.write(`singlet ready on ${url}\n`);
    if (flags.logFormat === 'text') process.stderr.write(welcome(url, location));
  };
  if (flags.workers > 1) {
    checkShareable(flags, location);
    if (flags.auth !== undefined) loadIdentities(identityPaths({ ...flags, auth: flags.auth }));
    const { serveWithWorkers } = await import('./workers/serve-with-workers.ts');
    return serveWithWorkers({ count: flags.workers, port: flags.port, log, level, onReady: announce });
  }
  level.listen(log);
  const serving = await startServing(flags, { log, backgroundWork: 'at-once' });
  stopOnSignals(log, () => void finish(serving, log));
  announce(serving.server.url);
}

/**
 * What several processes cannot do together is refused before any of them starts.
 *
 * @throws {UsageError} one sentence about it.
 */
function checkShareable(flags: ServeFlags, location: StoreLocation): void {
  if (location.kind === 'memory') throw notShared();
  if (flags.backupTo !== undefined) {
    throw new UsageError(
      '--backup-to copies the write-ahead log, which a process keeps that has the data to itself: leave out --workers.',
    );
  }
  if (flags.weather !== undefined) {
    throw new UsageError('--weather is that of one process: leave out --workers.');
  }
  secretOf(flags);
}

/** The reader of the output may be gone. That is no reason to stop serving. */
function surviveLostReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

function welcome(url: string, location: StoreLocation): string {
  const where = whereOf(location);
  const workbench = 'directory' in findPage() ? `\n\n  The workbench: ${url}/studio` : '';
  return `
  Data is kept ${where}.${workbench}

  Try, in another terminal:

    AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local \\
      aws dynamodb list-tables --region us-east-1 --endpoint-url ${url}

  Stop with Ctrl-C. More: npx singlet serve --help

`;
}

function whereOf(location: StoreLocation): string {
  switch (location.kind) {
    case 'memory':
      return 'in memory';
    case 'directory':
      return `in ${location.directory}`;
    case 'postgres':
      return `in PostgreSQL, at ${parsePostgresUrl(location.url).shown}`;
  }
}

function durationOption(flags: string, description: string, byDefault: string): Option {
  const [flag = ''] = flags.split(' ');
  return new Option(flags, description)
    .default(durationOf(byDefault, flag), byDefault)
    .argParser((text) => durationOf(text, flag));
}

const megabyte = 1024 * 1024;

function budgetOf(text: string): number {
  const least = memoryBudgetBytesMin / megabyte;
  if (/^\d{1,6}$/.test(text) && Number(text) >= least) return Number(text);
  throw new UsageError(`--memory-budget takes a number of megabytes from ${least} to 999999, not "${text}".`);
}

function mostOf(text: string, flag: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UsageError(`${flag} takes a number from 1 to 999999, not ${JSON.stringify(text)}.`);
}

function originsOf(text: string, before: readonly string[] = []): readonly string[] {
  if (text === '*' || isOrigin(text)) return [...before, text];
  throw new UsageError(
    `--cors takes origins as browsers write them, such as https://shop.example or http://localhost:3000, or *, not ${JSON.stringify(text)}.`,
  );
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

function intervalOf(text: string, flag: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new UsageError(
      `${flag} takes a number of milliseconds above zero, of up to nine digits, not ${JSON.stringify(text)}.`,
    );
  }
  return Number(text);
}

function kinesisEndpointOf(text: string): string {
  try {
    openKinesisSink(text).close();
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message, { cause: error }) : error;
  }
  return text;
}

function oneOf(flag: string, choices: readonly string[]): (text: string) => string {
  return (text) => {
    if (choices.includes(text)) return text;
    throw new UsageError(`${flag} takes one of ${choices.join(', ')}, not ${JSON.stringify(text)}.`);
  };
}
