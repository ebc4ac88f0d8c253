import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { SeededRandom } from '../../randomness/seeded-random.ts';
import { httpCall } from '../../verify/call.ts';
import { IsolationCheckError, type IsolationReport, verifyIsolation } from '../../verify/verify-isolation.ts';
import { regionOf } from '../endpoint-client.ts';
import { errorOutput } from '../error-output.ts';
import { showProgress } from '../transfer/progress.ts';
import { UsageError } from '../usage-error.ts';
import { ServerUnderTest } from './server-under-test.ts';

interface VerifyFlags {
  readonly endpoint?: string;
  readonly data?: string;
  readonly store?: string;
  readonly region: string;
  readonly workers: number;
  readonly clients: number;
  readonly seconds: number;
  readonly kill?: boolean;
  readonly seed?: number;
  readonly json?: boolean;
}

const examples = `
Examples:
  $ singlet store verify                                    a server with two workers in a temporary directory, for 20 seconds
  $ singlet store verify --kill --seconds 300               kills a process every few seconds
  $ singlet store verify --kill --workers 1                 a single process, with its write-ahead log
  $ singlet store verify --kill --store postgres://db/shop?schema=verify    processes that share a store in PostgreSQL
  $ singlet store verify --endpoint http://127.0.0.1:8000   a running server

Concurrent clients append to lists, and put, delete and read items, singly and in transactions. Their operations and answers are
recorded and checked at the end: every item must be linearisable, and all operations together strictly serialisable. A write
without an answer may have taken effect or not. The clients use a table of their own, which is deleted at the end.

The exit code is 0 if there is no anomaly, and 1 otherwise; each anomaly is explained by the operations that show it. A seed
repeats the choices of the clients, not their timing.`;

/** The pause between kills, in milliseconds. */
const killPauseMs = { min: 700, max: 2500 };
const retryPauseMs = 25;

export function verifyCommand(): Command {
  return new Command('verify')
    .summary('check isolation and durability under concurrent clients')
    .description('Checks that concurrent clients of a server observe strict serialisability.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet store verify --help'))
    .addOption(
      new Option('--endpoint <url>', 'a running server; by default a new one is started').conflicts([
        'data',
        'store',
        'kill',
        'workers',
      ]),
    )
    .addOption(new Option('--data <directory>', 'an empty directory for the new server; by default a temporary one'))
    .addOption(
      new Option(
        '--store <url>',
        'a store for the new server instead, such as postgres://HOST/DATABASE?schema=NAME',
      ).conflicts('data'),
    )
    .addOption(new Option('--region <name>', 'region of the table').default('us-east-1').argParser(regionOf()))
    .addOption(new Option('--workers <number>', 'processes of the server').default(2).argParser(positive('--workers')))
    .addOption(new Option('--clients <number>', 'concurrent clients').default(8).argParser(positive('--clients')))
    .addOption(new Option('--seconds <number>', 'duration of the run').default(20).argParser(positive('--seconds')))
    .addOption(new Option('--kill', 'kill server processes during the run'))
    .addOption(
      new Option('--seed <number>', 'seed of the choices of the clients; by default random').argParser(
        positive('--seed'),
      ),
    )
    .addOption(new Option('--json', 'print the report as JSON'))
    .addHelpText('after', examples)
    .action(verify);
}

async function verify(flags: VerifyFlags): Promise<void> {
  const seed = flags.seed ?? 1 + Math.floor(Math.random() * 1_000_000_000);
  if (flags.endpoint !== undefined) {
    if (!URL.canParse(flags.endpoint) || !/^https?:$/.test(new URL(flags.endpoint).protocol))
      throw new UsageError(`--endpoint takes a URL, not ${JSON.stringify(flags.endpoint)}.`);
    return print(flags, seed, await checked(flags, seed, flags.endpoint), 0);
  }
  const directory = await directoryOf(flags);
  const place = directory === undefined ? ['--store', flags.store ?? ''] : ['--data', directory];
  const server = await ServerUnderTest.start({ place, workerCount: flags.workers });
  const killing = new AbortController();
  const killed = flags.kill === true ? killAgainAndAgain(server, new SeededRandom(seed), killing.signal) : undefined;
  let report: IsolationReport;
  try {
    report = await checked(flags, seed, server.url, () => killing.abort());
  } finally {
    killing.abort();
    await killed;
    await server.stop();
  }
  // The data that violates the promise is kept for examination.
  if (isTemporary(flags, directory) && report.anomalies.length === 0) await rm(directory, { recursive: true });
  print(flags, seed, report, (await killed) ?? 0, report.anomalies.length > 0 ? directory : undefined);
}

/** @returns undefined for a store that is not in a directory. */
async function directoryOf({ data, store }: VerifyFlags): Promise<string | undefined> {
  if (store !== undefined) return undefined;
  if (data !== undefined) await checkIsEmpty(data);
  return data ?? mkdtemp(join(tmpdir(), 'singlet-verify-'));
}

function isTemporary({ data }: VerifyFlags, directory: string | undefined): directory is string {
  return directory !== undefined && data === undefined;
}

async function checked(
  flags: VerifyFlags,
  seed: number,
  endpoint: string,
  onClientsDone: () => void = () => undefined,
): Promise<IsolationReport> {
  let startMs: number | undefined; // time of the first operation; the table exists by then
  const totalMs = flags.seconds * 1000;
  const progress = await showProgress('verify', totalMs, 'operations');
  let isDone = false;
  try {
    return await verifyIsolation({
      call: httpCall(endpoint, flags.region, () => delay(retryPauseMs)),
      tableName: `singlet-verify-${seed}-${process.pid}`,
      clientCount: flags.clients,
      seed,
      isOver: () => {
        startMs ??= performance.now();
        const isOver = performance.now() - startMs >= totalMs;
        if (isOver && !isDone) {
          isDone = true;
          onClientsDone();
        }
        return isOver;
      },
      pause: () => delay(retryPauseMs),
      onProgress: (count) => progress.update(performance.now() - (startMs ?? performance.now()), count),
    });
  } catch (error) {
    if (error instanceof IsolationCheckError)
      throw new UsageError(`${error.message} (at ${endpoint})`, { cause: error });
    throw error;
  } finally {
    progress.stop();
  }
}

/** @returns how many processes were killed. */
async function killAgainAndAgain(server: ServerUnderTest, random: SeededRandom, signal: AbortSignal): Promise<number> {
  let count = 0;
  for (;;) {
    try {
      await delay(random.integer(killPauseMs.min, killPauseMs.max), undefined, { signal });
    } catch {
      return count; // aborted
    }
    await server.kill(random.next());
    count += 1;
  }
}

async function checkIsEmpty(directory: string): Promise<void> {
  const entries = await readdir(directory).catch(() => []);
  if (entries.length > 0) throw new UsageError(`--data takes an empty directory, and ${directory} is not empty.`);
}

function print(flags: VerifyFlags, seed: number, report: IsolationReport, killCount: number, kept?: string): void {
  const { listOperations: lists, registerOperations: registers, anomalies, undecidedKeys } = report;
  const isEmpty = lists.ok + registers.ok === 0;
  if (anomalies.length > 0 || isEmpty) process.exitCode = 1;
  if (flags.json === true) {
    console.log(JSON.stringify({ seed, killCount, ...report }, undefined, 2));
    return;
  }
  const counts = ({ ok, failed, unknown }: typeof lists): string =>
    `${(ok + failed + unknown).toLocaleString('en')} operations (${ok.toLocaleString('en')} succeeded, ${failed.toLocaleString('en')} refused, ${unknown.toLocaleString('en')} unanswered)`;
  console.log(`lists, checked for strict serialisability:  ${counts(lists)}`);
  console.log(`items, checked for linearisability:         ${counts(registers)}`);
  if (flags.kill === true) console.log(`processes killed:                           ${killCount}`);
  if (undecidedKeys.length > 0) console.log(`too large to decide:                        ${undecidedKeys.join(', ')}`);
  if (isEmpty) {
    console.log('Nothing was verified: no operation succeeded. Let it run longer, with --seconds.');
    return;
  }
  if (anomalies.length === 0) {
    console.log(`No anomaly found (seed ${seed}).`);
    return;
  }
  console.log(`\n${anomalies.length} anomalies (seed ${seed}):`);
  for (const { name, explanation } of anomalies) console.log(`\n${name}\n  ${explanation.replaceAll('; ', '\n  ')}`);
  if (kept !== undefined) console.log(`\nThe data is kept in ${kept}.`);
}

function positive(flag: string): (text: string) => number {
  return (text) => {
    if (!/^[1-9]\d{0,8}$/.test(text))
      throw new UsageError(`${flag} takes a whole number above 0, not ${JSON.stringify(text)}.`);
    return Number(text);
  };
}
