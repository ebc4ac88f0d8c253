import { Command, Option } from 'commander';
import type { EngineLogEvent } from '../engine/index.ts';
import { errorOutput } from './error-output.ts';
import { createLogger, logFormats, logLevels } from './logger.ts';
import { openKinesisSink } from './kinesis-sink.ts';
import { regionEndpointOf } from './endpoint-client.ts';
import { isLoopbackHost } from './loopback.ts';
import type { StoreLocation } from './open-store.ts';
import { finish, locationOf, notShared, secretOf, type ServeFlags, startServing } from './serving.ts';
import { stopOnSignals } from './stop-on-signals.ts';
import { UsageError } from './usage-error.ts';
import { workerCountOf, workersMax } from './workers/worker-count.ts';
import { workerPortOf } from './workers/worker-message.ts';

const examples = `
Examples:
  $ singlet serve                         data in ./singlet-data, on http://127.0.0.1:8000
  $ singlet serve --memory --port 0       nothing kept, any free port
  $ singlet serve --data /var/lib/shop    data of your choice
  $ singlet serve --workers auto          as many processes as there are cores

Then point any AWS SDK or the AWS CLI at it; every credential is accepted:
  $ aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000

The server prints one line, "singlet ready on http://HOST:PORT", on standard output once it accepts requests. Logs go to
standard error. SIGTERM and SIGINT finish running requests, flush and end with exit code 0.

With --workers several processes serve one directory, one connection each in turn. All see every write at once, and a worker
that ends is replaced. One of them deletes expired items, looks after streams and backups, and replicates; when it ends, another
goes on. A signal to the first process ends all. What is counted in memory, each counts for itself: the reports on capacity and
contributor insights tell what the worker that answers has served, and --throttle needs a single process. Log lines of workers
end with their pid.`;

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
    .addOption(
      new Option(
        '-w, --workers <number>',
        `processes that serve the data: auto for one per core, at most ${workersMax}`,
      )
        .default(1)
        .argParser((text) => workerCountOf(text)),
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
      new Option('--expiry-sweep <ms>', 'how often expired items are removed')
        .default(10_000)
        .argParser((text) => intervalOf(text, '--expiry-sweep')),
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
      ),
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
  const workerPort = workerPortOf(process.env);
  if (workerPort !== undefined) {
    const { serveAsWorker } = await import('./workers/worker.ts');
    const ownLog = (event: EngineLogEvent): void => log({ ...event, pid: process.pid });
    const options = { log: ownLog, backgroundWork: 'on-demand' } as const;
    return serveAsWorker(() => startServing({ ...flags, port: workerPort }, options), ownLog);
  }
  const announce = (url: string): void => {
    process.stdout.write(`singlet ready on ${url}\n`);
    if (flags.logFormat === 'text') process.stderr.write(welcome(url, location));
  };
  if (flags.workers > 1) {
    checkShareable(flags, location);
    const { serveWithWorkers } = await import('./workers/serve-with-workers.ts');
    return serveWithWorkers({ count: flags.workers, port: flags.port, log, onReady: announce });
  }
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
  if (flags.throttle !== undefined) {
    throw new UsageError(
      '--throttle keeps its account in one process, so each of several would let through as much as all may: leave out --workers.',
    );
  }
  secretOf(flags);
}

/** Whoever read the output may be gone. That is no reason to stop serving. */
function surviveLostReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
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

function intervalOf(text: string, flag: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new UsageError(
      `${flag} takes a number of milliseconds above zero, of up to nine digits, not ${JSON.stringify(text)}.`,
    );
  }
  return Number(text);
}

function kinesisEndpointOf(text: string): string {
  openKinesisSink(text).close();
  return text;
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
