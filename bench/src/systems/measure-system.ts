import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { check } from '@singlet/model/check';
import { SeededRandom } from '../../../systems/demo/seeded-random.ts';
import { observeRequests } from '../../../systems/measurement/observe-requests.ts';
import {
  type MeasuredSystem,
  type PatternCall,
  type PatternCalls,
  patternIdOf,
} from '../../../systems/measurement/pattern-calls.ts';
import { PatternLedger } from '../../../systems/measurement/pattern-ledger.ts';
import { BenchError } from '../bench-error.ts';
import { type RunningServer, startServer, Worker } from '../child-processes.ts';
import type { Progress } from '../progress.ts';
import type { Problem } from '../measurement.ts';
import { singletCommand } from '../servers.ts';
import { percentile } from '../statistics.ts';
import type { SystemLoadCalls } from './load-process.ts';
import { type CallFigures, type DataSet, type PatternResult, ratioMax, ratioOf, type SystemResult } from './results.ts';

/** The ratio of the data sets: a little more than required, because some of the counts have a minimum. */
const smallerBy = 25;
const warmUpShare = 0.2;
/** A pattern fails only after this many times the usual calls: on a busy machine a hundred calls can be unlucky. */
const longerWhenMissed = 4;
const randomSeed = 20;

export interface MeasureOptions {
  readonly scale: number;
  readonly times: number;
  readonly directory: string;
  readonly progress: Progress;
  readonly problems: Problem[];
}

/** Measures a system's access patterns in two data sets, each served by its own process, alternating call by call. */
export async function measureSystem(
  name: string,
  system: MeasuredSystem,
  options: MeasureOptions,
): Promise<SystemResult> {
  const sides: Side[] = [];
  try {
    for (const scale of [options.scale / smallerBy, options.scale]) {
      sides.push(await openSide(name, system, { ...options, scale }));
    }
    const [small, large] = sides;
    if (small === undefined || large === undefined) throw new BenchError('missing', 'There are two data sets.');
    const patterns = await measurePatterns(name, system, { ...options, small, large });
    return { system: name, small: small.data, large: large.data, patterns, unmeasured: system.unmeasured ?? {} };
  } finally {
    for (const side of sides) await side.close();
  }
}

/** One of the two data sets, with the process that serves it. */
interface Side {
  readonly data: DataSet;
  readonly calls: PatternCalls;
  readonly ledger: PatternLedger;
  close(): Promise<void>;
}

async function openSide(name: string, system: MeasuredSystem, options: MeasureOptions): Promise<Side> {
  const { scale, progress } = options;
  const directory = join(options.directory, `${name}-${scale}`);
  mkdirSync(directory, { recursive: true });
  let server: RunningServer | undefined;
  let client: DynamoDBClient | undefined;
  const close = async (): Promise<void> => {
    client?.destroy();
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    progress.step(`${name}: loading at scale ${scale}`);
    const { items, seconds } = await loaded({ system: name, scale, directory }, progress);
    server = await startServer(await singletCommand({ directory }));
    client = new DynamoDBClient({
      endpoint: `http://127.0.0.1:${server.port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' },
    });
    const ledger = new PatternLedger();
    observeRequests(client, (request) => ledger.record(request));
    const calls = await system.open({ client, scale, random: new SeededRandom(randomSeed) });
    return { data: { scale, items, loadSeconds: seconds }, calls, ledger, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Loads in a process that ends before the measurement. */
async function loaded(
  request: Parameters<SystemLoadCalls['load']>[0],
  progress: Progress,
): ReturnType<SystemLoadCalls['load']> {
  const worker = new Worker<SystemLoadCalls>('./systems/load-process.ts', (text) => progress.step(text));
  try {
    return await worker.call('load', request);
  } finally {
    await worker.stop();
  }
}

type Sides = Readonly<Record<'small' | 'large', Side>>;

async function measurePatterns(
  name: string,
  { model }: MeasuredSystem,
  options: MeasureOptions & Sides,
): Promise<PatternResult[]> {
  const { small, large, times, progress, problems } = options;
  const { patterns, procedures } = check(model);
  const named = [
    ...patterns.map(({ id, pattern }) => ({ id, name: pattern })),
    ...procedures.map(({ id, procedure }) => ({ id, name: procedure })),
  ];
  const results = new Map<string, PatternResult>();
  const calls = Object.keys(small.calls);
  // Reads come first: the items written meanwhile are many for a small data set, and few for a large one.
  const readers = patterns.filter(({ verb }) => verb === 'reads');
  const names = new Set(readers.map(({ pattern }) => pattern));
  const readingProcedures = procedures.filter(({ takes }) => takes.every((name) => names.has(name)));
  const reading = new Set([...readers, ...readingProcedures].map(({ id }) => id));
  const reads = calls.filter((call) => reading.has(patternIdOf(call)));
  for (const call of new Set([...reads, ...calls])) {
    progress.step(`${name}: ${call}`);
    const pattern = named.find(({ id }) => id === patternIdOf(call))?.name ?? call;
    try {
      const figures = await measureCall(call, { small, large }, times);
      results.set(call, { call, pattern, ...figures });
    } catch (error) {
      problems.push({ what: `${name}: ${call}`, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return calls.flatMap((call) => results.get(call) ?? []);
}

async function measureCall(
  name: string,
  { small, large }: Sides,
  times: number,
): Promise<Pick<PatternResult, 'small' | 'large'>> {
  const timed = { small: new TimedCall(name, small), large: new TimedCall(name, large) };
  const warmUps = Math.ceil(times * warmUpShare);
  const figures = (): Pick<PatternResult, 'small' | 'large'> => ({
    small: timed.small.figures(),
    large: timed.large.figures(),
  });
  let turns = times;
  for (let turn = -warmUps; turn < turns; turn += 1) {
    // The order of the two alternates.
    for (const call of turn % 2 === 0 ? [timed.small, timed.large] : [timed.large, timed.small]) {
      await call.once({ isWarmUp: turn < 0 });
    }
    if (turn === times - 1 && ratioOf(figures()) > ratioMax) turns *= longerWhenMissed;
  }
  return figures();
}

class TimedCall {
  readonly #name: string;
  readonly #prepare: PatternCall;
  readonly #ledger: PatternLedger;
  readonly #latenciesMs: number[] = [];

  constructor(name: string, { calls, ledger }: Side) {
    const prepare = calls[name];
    if (prepare === undefined) throw new BenchError('missing', `There is no call ${name}.`);
    this.#name = name;
    this.#prepare = prepare;
    this.#ledger = ledger;
  }

  async once({ isWarmUp }: { readonly isWarmUp: boolean }): Promise<void> {
    const call = await this.#prepare();
    const startMs = performance.now();
    await this.#ledger.during(this.#name, call);
    if (!isWarmUp) this.#latenciesMs.push(performance.now() - startMs);
  }

  /** Counts include the warm-up, which makes the same requests. */
  figures(): CallFigures {
    const { calls, requests, itemsRead, itemsWritten, readUnits, writeUnits } = this.#ledger.figures(this.#name);
    const sorted = Float64Array.from(this.#latenciesMs).sort();
    return {
      calls: sorted.length,
      requests: requests / calls,
      itemsRead: itemsRead / calls,
      itemsWritten: itemsWritten / calls,
      readUnits: readUnits / calls,
      writeUnits: writeUnits / calls,
      p50Ms: percentile(sorted, 0.5),
      p99Ms: percentile(sorted, 0.99),
    };
  }
}
