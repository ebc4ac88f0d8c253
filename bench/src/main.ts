import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureBackfill } from './backfill.ts';
import { BenchError } from './bench-error.ts';
import { killChildren, Worker } from './child-processes.ts';
import { measureGrowth } from './growth.ts';
import { renderHtml } from './html-report.ts';
import { measureLoad } from './load.ts';
import type { LoadCalls, LoadClient } from './load-process.ts';
import { measureMemory } from './memory.ts';
import { describeMachine, describeVersions } from './machine.ts';
import { type BenchOptions, helpText, type MeasureName, parseOptions } from './options.ts';
import { createPlan, ringCountOf, subjectsOf } from './plan.ts';
import { watchOtherLoad } from './process-cpu.ts';
import { createProgress, type Progress } from './progress.ts';
import { renderReport } from './report.ts';
import type { BenchResults } from './results.ts';
import type { Problem } from './measurement.ts';
import { measureRounds } from './rounds.ts';
import { measureStartup } from './startup.ts';
import { createSubjects } from './subjects.ts';
import { disturbanceOf } from './quietness.ts';
import { evaluateTargets, judgedIfQuiet } from './targets.ts';
import { measureVectors } from './vectors.ts';
import { canWrkMeasure, isWrkInstalled } from './wrk.ts';

const resultsDirectory = fileURLToPath(new URL('../results/', import.meta.url));
/** The warm-up, as a share of a run's measured time. Quick figures are rough anyway, and the first round's warm-up is many times longer. */
const warmUpShare = 0.25;
const warmUpShareQuick = 0.1;

interface Run {
  readonly options: BenchOptions;
  readonly client: LoadClient;
  readonly startedAt: string;
  /** Scratch space on the measured disk; removed at the end. */
  readonly directory: string;
  readonly progress: Progress;
  readonly problems: Problem[];
}

async function main(): Promise<number> {
  const [subject, ...rest] = process.argv.slice(2);
  // Loaded on demand, because they import all applications and the toolkit's peers.
  if (subject === 'systems') return await (await import('./systems/bench-systems.ts')).benchSystems(rest);
  if (subject === 'postgres') return await (await import('./postgres/bench-postgres.ts')).benchPostgres(rest);
  if (subject === 'postgres-servers') return await (await import('./postgres/bench-servers.ts')).benchServers(rest);
  if (subject === 'placement') {
    const { benchPlacement } = await import('./postgres/bench-placement.ts');
    process.stdout.write(benchPlacement());
    return 0;
  }
  if (subject === 'soak') return await (await import('./soak/bench-soak.ts')).benchSoak(rest);
  if (subject === 'integrity') {
    return await (await import('./integrity/bench-integrity.ts')).benchIntegrity(rest);
  }
  if (subject === 'fork') return await (await import('./fork/bench-fork.ts')).benchFork(rest);
  if (subject === 'starts') return await (await import('./starts/bench-starts.ts')).benchStarts(rest);
  if (subject === 'model') {
    const { benchModel } = await import('./model/main.ts');
    process.stdout.write(await benchModel(rest));
    return 0;
  }
  const options = parseOptions(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(helpText);
    return 0;
  }
  const startedAt = new Date().toISOString();
  const parent = options.directory ?? resultsDirectory;
  mkdirSync(parent, { recursive: true });
  const directory = mkdtempSync(join(parent, 'data-'));
  const clean = (): void => {
    killChildren();
    // A killed process may have written files until it died.
    rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // Not `once`: a second signal, such as one to the whole process group, would end the process during the cleanup.
    process.on(signal, () => {
      clean();
      process.exit(signal === 'SIGINT' ? 130 : 143);
    });
  }
  const name = join(resultsDirectory, startedAt.replaceAll(':', '-'));
  const files = { json: options.jsonFile ?? `${name}.json`, html: options.htmlFile ?? `${name}.html` };
  for (const file of Object.values(files)) mkdirSync(dirname(file), { recursive: true });
  const save = (results: BenchResults): void => {
    writeFileSync(files.json, `${JSON.stringify(results, undefined, 2)}\n`);
    writeFileSync(files.html, renderHtml(results));
  };
  try {
    const run = { options, client: clientOf(options), startedAt, directory, progress: createProgress(), problems: [] };
    const results = await measure(run, save);
    process.stdout.write(
      `${renderReport(results)}\nThe figures of every round: ${files.json}\nWith charts: ${files.html}\n`,
    );
    return results.problems.every(({ isExpected }) => isExpected === true) ? 0 : 1;
  } finally {
    clean();
  }
}

/** Runs the requested parts. Decision 0034 has their measurements. Saves results after each part: later ones take long and may be interrupted. */
async function measure(run: Run, save: (results: BenchResults) => void): Promise<BenchResults> {
  const { options, client, startedAt, directory, progress, problems } = run;
  const machine = describeMachine(directory);
  const versions = describeVersions();
  const otherLoad = watchOtherLoad();
  let found: Found = { groups: [], subjects: [], measurements: [] };
  const results = (): BenchResults => {
    const { itemCount, concurrency, rounds, secondsPerRun, quick } = options;
    const otherLoadShare = otherLoad();
    const disturbance = disturbanceOf({ measurements: found.measurements, otherLoadShare });
    return {
      format: 2,
      startedAt,
      machine,
      versions,
      settings: { itemCount, concurrency, rounds, secondsPerRun, quick, client },
      ...(otherLoadShare !== undefined && { otherLoadShare }),
      ...(disturbance !== undefined && { disturbance }),
      ...found,
      targets: judgedIfQuiet(evaluateTargets({ ...found, concurrency }, options.measures), disturbance),
      problems,
    };
  };
  for (const part of partsOf(run)) {
    found = { ...found, ...(await part()) };
    save(results());
  }
  progress.end();
  return results();
}

/** The parts of the results that are measured one after the other. */
type Found = Omit<
  BenchResults,
  | 'format'
  | 'startedAt'
  | 'machine'
  | 'versions'
  | 'settings'
  | 'otherLoadShare'
  | 'disturbance'
  | 'targets'
  | 'problems'
>;

function partsOf(run: Run): (() => Promise<Partial<Found>>)[] {
  const { options, directory, progress, problems } = run;
  const common = { directory, progress, problems, rounds: options.rounds };
  const timing = timingOf(options);
  const parts = {
    startup: async () => ({ startup: await measureStartup({ ...common, runs: options.startupRuns }) }),
    load: async () => ({ load: await measureLoad({ ...common, itemCount: options.loadItemCount }) }),
    vectors: async () => ({ vectors: await measureVectors({ ...common, quick: options.quick }) }),
    growth: async () => {
      const { growthItemsMax } = options;
      const ringCountMax = ringCountOf(options);
      return { growth: await measureGrowth({ ...common, itemsMax: growthItemsMax, ringCountMax, timing }) };
    },
    backfill: async () => {
      const { itemCount, concurrency } = options;
      const backfill = await measureBackfill({ ...common, itemCount, timing: { ...timing, concurrency } });
      return backfill === undefined ? {} : { backfill };
    },
    memory: async () => ({ memory: await measureMemory({ ...common, itemCount: options.memoryItemCount }) }),
  } as const satisfies Partial<Record<MeasureName, () => Promise<Partial<Found>>>>;
  const asked = Object.entries(parts).filter(([name]) => options.measures.has(name as keyof typeof parts));
  return [async () => await measureComparison(run), ...asked.map(([, part]) => part)];
}

/** The parts measured in rounds: floors, peers and Singlet. Stops everything it started before it returns. */
async function measureComparison({ options, client, directory, progress, problems }: Run) {
  const groups = createPlan({ ...options, groups: options.measures });
  if (groups.length === 0) return { groups, subjects: [], measurements: [] };
  const generator = new Worker<LoadCalls>('./load-process.ts');
  const onProgress = (text: string): void => progress.step(text);
  const subjects = createSubjects(subjectsOf(groups), { generator, client, directory, onProgress });
  try {
    const timing = timingOf(options);
    const compared = await measureRounds(groups, subjects, { rounds: options.rounds, timing, progress, problems });
    return { groups, ...compared };
  } finally {
    progress.step('stopping the servers');
    await Promise.all(subjects.map(async (subject) => await subject.stop()));
    await generator.stop();
  }
}

/** @throws {BenchError} `absent` when wrk is requested but not installed, `usage` when it cannot measure such runs. */
function clientOf({ client, secondsPerRun }: BenchOptions): LoadClient {
  const isWhole = canWrkMeasure(secondsPerRun * 1000);
  if (client !== 'wrk') return client ?? (isWhole && isWrkInstalled() ? 'wrk' : 'node');
  if (!isWhole) throw new BenchError('usage', '--client wrk measures whole seconds: give --seconds 1 or more.');
  if (!isWrkInstalled()) throw new BenchError('absent', '--client wrk needs wrk, which is not installed here.');
  return 'wrk';
}

function timingOf({ secondsPerRun, quick }: BenchOptions): { warmUpMs: number; durationMs: number } {
  return {
    warmUpMs: secondsPerRun * 1000 * (quick ? warmUpShareQuick : warmUpShare),
    durationMs: secondsPerRun * 1000,
  };
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof BenchError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error.code === 'usage' ? 2 : 1;
}
