import { resolve } from 'node:path';
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
import { whenOutputFails } from './output.ts';
import { openKinesisSink } from '../database/kinesis-sink.ts';
import { regionEndpointOf, regionOf, urlFlag } from './endpoint-client.ts';
import type { StoreLocation } from '../database/open-store.ts';
import { parsePostgresUrl } from '../storage/postgres/connection-settings.ts';
import { checkNetworkFlags } from './access/network-flags.ts';
import {
  checkAddress,
  finish,
  locationOf,
  notShared,
  secretOf,
  type ServeFlags,
  type Serving,
  startServing,
} from './serving.ts';
import { findPage } from '../studio/page-location.ts';
import { identityPaths, loadIdentities } from './identity/identity-file.ts';
import { renamedTables } from './model/connection.ts';
import { stopOnSignals } from './stop-on-signals.ts';
import { UsageError } from './usage-error.ts';
import { forecastOf } from './weather-option.ts';
import { workerCountOf, workersMax } from './workers/worker-count.ts';
import { workerPortOf } from './workers/worker-message.ts';
import type { OtherWorkers } from './workers/other-workers.ts';

const examples = `
Examples:
  $ singlet serve                         data in ./singlet-data, on http://127.0.0.1:8000
  $ singlet serve --memory --port 0       nothing kept, any free port
  $ singlet serve --data /var/lib/shop    data in another directory
  $ singlet serve --workers auto          one process per core

  $ singlet identity create alice --auth auth.json
  $ singlet serve --auth auth.json --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem

Then point any AWS SDK or the AWS CLI at it; without --auth all credentials are accepted:
  $ aws dynamodb list-tables --region us-east-1 --endpoint-url http://127.0.0.1:8000

The server prints one line, "singlet ready on http://HOST:PORT", on standard output once it accepts requests. Logs go to
standard error. On SIGTERM and SIGINT it finishes running requests, flushes, and exits with code 0.

With --workers, several processes serve one directory; connections are distributed round-robin. Reads are then faster,
and writes slower, than with one process. All workers see every write at once, and a worker that exits is replaced. One of
them deletes expired items, trims streams and recovery logs, and replicates; when it exits, another continues. A signal to the
first process stops all. Reports, metrics and throttling cover all workers, whichever of them answers. Log lines of workers
end with their pid.`;

export function serveCommand(): Command {
  return new Command('serve')
    .summary('serve a database over HTTP')
    .description('Serves a database over the DynamoDB protocol.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet serve --help'))
    .addOption(
      new Option('-p, --port <number>', 'port to listen on; 0 for any free port').default(8000).argParser(portOf),
    )
    .addOption(
      new Option('--host <address>', 'address to listen on; without --auth, loopback only').default('127.0.0.1'),
    )
    .addOption(new Option('--auth <file>', 'identity file: users and roles with policies, written by singlet identity'))
    .addOption(new Option('--auth-key <file>', 'key that encrypts the secrets in that file (default: FILE.key)'))
    .addOption(new Option('--tls-cert <file>', 'certificate for TLS, in PEM; read again when it changes'))
    .addOption(new Option('--tls-key <file>', 'key of the certificate, in PEM'))
    .addOption(new Option('--plaintext', 'listen beyond this machine without TLS, behind a proxy that terminates it'))
    .addOption(new Option('--metrics', 'serve GET /metrics for Prometheus; needs the package prom-client'))
    .addOption(
      new Option(
        '--metrics-token-file <file>',
        'file with the bearer token that requests for /metrics must send',
      ).implies({
        metrics: true,
      }),
    )
    .addOption(
      new Option('--traces', 'create an OpenTelemetry span for each request; needs the package @opentelemetry/api'),
    )
    .addOption(new Option('--audit-log <file>', 'log of table changes and refused requests, as JSON lines'))
    .addOption(
      new Option(
        '--connections-per-address <number>',
        `maximum concurrent connections per address (default: ${connectionsPerAddressMax})`,
      ).argParser((text) => mostOf(text, '--connections-per-address')),
    )
    .addOption(
      new Option(
        '--requests-per-identity <number>',
        `with --auth, maximum concurrent requests per identity (default: ${requestsPerIdentityMax})`,
      ).argParser((text) => mostOf(text, '--requests-per-identity')),
    )
    .addOption(
      new Option(
        '--requests-per-second-per-identity <number>',
        `with --auth, maximum requests per second per identity (default: ${requestsPerSecondMax})`,
      ).argParser((text) => mostOf(text, '--requests-per-second-per-identity')),
    )
    .addOption(
      new Option(
        '--requests-per-second-per-address <number>',
        `with --auth, maximum requests per second per address (default: ${requestsPerSecondMax})`,
      ).argParser((text) => mostOf(text, '--requests-per-second-per-address')),
    )
    .addOption(
      new Option(
        '--memory-per-address <megabytes>',
        'with --auth, how much of --memory-budget one address may use (default: half, at least 32)',
      ).argParser((text) => megabytesOf(text, '--memory-per-address')),
    )
    .addOption(
      new Option(
        '--memory-per-identity <megabytes>',
        'with --auth, maximum size of the requests and unread answers of one identity (default: half, at least 32)',
      ).argParser((text) => megabytesOf(text, '--memory-per-identity')),
    )
    .addOption(
      new Option(
        '--cors <origin...>',
        'origins of browser pages that may use the server, besides this machine: https://shop.example; * for all',
      ).argParser(originsOf),
    )
    .addOption(new Option('-d, --data <directory>', 'directory of the data').default('./singlet-data'))
    .addOption(new Option('-m, --memory', 'keep the data in memory; it is lost at exit').conflicts(['data', 'store']))
    .addOption(
      new Option(
        '-w, --workers <number>',
        `processes that serve the data: auto for one per core, at most ${workersMax}`,
      )
        .default(1)
        .argParser((text) => workerCountOf(text)),
    )
    .addOption(
      new Option(
        '--read-store <url>',
        'standby of --store postgres://… that answers eventually consistent reads, as stale as the standby',
      ),
    )
    .addOption(
      new Option('--store <url>', 'where the data is: memory:, lmdb:DIRECTORY or postgres://HOST/DATABASE').conflicts(
        'data',
      ),
    )
    .addOption(
      new Option(
        '--encryption-key <file>',
        'file of keys that encrypt the data; from an empty directory on, required at every start',
      ).conflicts('memory'),
    )
    .addOption(
      new Option('--region <name>', 'region of requests without one').default('us-east-1').argParser(regionOf()),
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
      new Option('--scrub <time>', 'how often all stored data is checked, at 5 MB per second; off for never')
        .default(scrubIntervalMs, '7d')
        .argParser((text) => (text === 'off' ? 'on-demand' : durationOf(text, '--scrub'))),
    )
    .addOption(
      new Option('--replica-endpoint <region=url>', 'region served by another server; may be repeated')
        .default({}, 'none')
        .argParser(regionEndpointOf),
    )
    .addOption(new Option('--replica-secret-file <file>', 'file with the secret shared by servers that replicate'))
    .addOption(
      new Option('--replication-interval <ms>', 'how often changes are sent to replicas in other regions')
        .default(500)
        .argParser((text) => intervalOf(text, '--replication-interval')),
    )
    .addOption(
      new Option(
        '--throttle [table...]',
        'refuse requests above the throughput, for all tables or the named ones',
      ).conflicts('throttleReport'),
    )
    .addOption(
      new Option(
        '--throttle-report [table...]',
        'refuse nothing, but log and count what would be refused (GET /_singlet/throttling)',
      ),
    )
    .addOption(
      new Option(
        '--weather <name>',
        'inject faults that occur in the service occasionally: clear, breeze, storm, or a JSON file',
      ).argParser(forecastOf),
    )
    .addOption(
      new Option('--kinesis-endpoint <url>', 'endpoint for Kinesis streaming destinations').argParser(
        kinesisEndpointOf,
      ),
    )
    .addOption(
      new Option('--buckets <directory>', 'buckets for exports and imports: DIRECTORY/<bucket>/<key>').conflicts(
        's3Endpoint',
      ),
    )
    .addOption(
      new Option('--s3-endpoint <url>', 'S3 or a compatible endpoint, for exports and imports').argParser(
        urlFlag('--s3-endpoint', 'http://127.0.0.1:9000'),
      ),
    )
    .addOption(
      new Option('--backup-to <target>', 'continuous backup target: a directory, or s3://BUCKET/PREFIX').conflicts(
        'memory',
      ),
    )
    .addOption(durationOption('--backup-every <time>', 'backup interval: the most that is lost with the machine', '1s'))
    .addOption(durationOption('--backup-snapshot-every <time>', 'interval of full snapshots', '1d'))
    .addOption(durationOption('--backup-keep <time>', 'how far back any point in time can be restored', '7d'))
    .addOption(
      new Option(
        '--backup-verify',
        'restore each snapshot to a temporary directory, in a separate process, and check it',
      ),
    )
    .addOption(
      new Option('--check-at-start <how>', 'how much of the data file to check at startup: auto, full or quick')
        .choices([...checksAtStart])
        .default('auto')
        .argParser(oneOf('--check-at-start', checksAtStart)),
    )
    .addOption(
      new Option('--memory-budget <megabytes>', 'memory of each process for requests and answers')
        .default(memoryBudgetBytes / megabyte)
        .argParser((text) => megabytesOf(text, '--memory-budget')),
    )
    .addOption(
      new Option('--model <file>', 'models for the workbench: a file or a directory; may be repeated')
        .default([], 'none')
        .argParser((file: string, before: readonly string[]) => [...before, file]),
    )
    .addOption(renamedTables('maps a table of a model to a table with another name; may be repeated'))
    .addOption(
      new Option(
        '--log-requests',
        'keep recent requests from startup on, for GET /_singlet/requests and the workbench',
      ),
    )
    .addOption(
      new Option('--log-level <level>', 'minimum level that is logged')
        .choices([...logLevels])
        .default('info')
        .argParser(oneOf('--log-level', logLevels)),
    )
    .addOption(
      new Option('--log-format <format>', 'format of the log')
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
  whenOutputFails(() => undefined); // the server continues to run
  const location = locationOf(flags);
  const workerPort = workerPortOf(process.env);
  if (workerPort !== undefined) {
    const { serveAsWorker } = await import('./workers/worker.ts');
    const ownLog = (event: EngineLogEvent): void => log({ ...event, pid: process.pid });
    level.listen(ownLog);
    const options = { log: ownLog, level, backgroundWork: 'on-demand' } as const;
    const isThrottled = flags.throttle !== undefined || flags.throttleReport !== undefined;
    const start = (others: OtherWorkers): Promise<Serving> =>
      startServing({ ...flags, port: workerPort }, { ...options, others });
    return serveAsWorker(start, { log: ownLog, isThrottled });
  }
  const announce = (url: string): void => {
    process.stdout.write(`singlet ready on ${url}\n`);
    if (flags.logFormat === 'text') process.stderr.write(welcome(url, location, flags.auth !== undefined));
  };
  if (flags.workers > 1) {
    await checkShareable(flags, location);
    if (flags.auth !== undefined) loadIdentities(identityPaths({ ...flags, auth: flags.auth }));
    await checkAddress(flags);
    const { serveWithWorkers } = await import('./workers/serve-with-workers.ts');
    return serveWithWorkers({ count: flags.workers, port: flags.port, log, level, onReady: announce });
  }
  level.listen(log);
  const serving = await startServing(flags, { log, level, backgroundWork: 'at-once' });
  stopOnSignals(log, () => void finish(serving, log));
  announce(serving.server.url);
}

/**
 * Refuses combinations that several processes do not support, before any of them starts.
 *
 * @throws {UsageError} with one sentence.
 */
async function checkShareable(flags: ServeFlags, location: StoreLocation): Promise<void> {
  if (location.kind === 'memory') throw notShared();
  if (flags.backupTo !== undefined && location.kind === 'directory') {
    const { refuseDirectoryInUse } = await import('../shipping/open-backed-up-store.ts');
    await refuseDirectoryInUse(resolve(location.directory));
  }
  if (flags.weather !== undefined) {
    throw new UsageError('--weather works within one process: leave out --workers.');
  }
  secretOf(flags);
}

function welcome(url: string, location: StoreLocation, isPrivate: boolean): string {
  const [id, secret] = isPrivate ? ['KEY', 'SECRET'] : ['local', 'local'];
  const source = isPrivate ? ', with a key that singlet identity create has printed' : '';
  const where = whereOf(location);
  const workbench =
    'directory' in findPage() ? `\n\n  The workbench: ${url}/studio\n  The documentation: ${url}/studio/docs/` : '';
  return `
  Data is kept ${where}.${workbench}

  Try, in another terminal${source}:

    AWS_ACCESS_KEY_ID=${id} AWS_SECRET_ACCESS_KEY=${secret} \\
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
    case 'postgres': {
      const { shown, schema } = parsePostgresUrl(location.url);
      return `in PostgreSQL, at ${shown}, in the schema ${schema}`;
    }
  }
}

function durationOption(flags: string, description: string, byDefault: string): Option {
  const [flag = ''] = flags.split(' ');
  return new Option(flags, description)
    .default(durationOf(byDefault, flag), byDefault)
    .argParser((text) => durationOf(text, flag));
}

const megabyte = 1024 * 1024;

/** With less, a body of the greatest size would never fit. */
function megabytesOf(text: string, flag: string): number {
  const least = memoryBudgetBytesMin / megabyte;
  if (/^\d{1,6}$/.test(text) && Number(text) >= least) return Number(text);
  throw new UsageError(`${flag} takes a number of megabytes from ${least} to 999999, not "${text}".`);
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
