import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureBackfill } from './backfill.ts';
import { BenchError } from './bench-error.ts';
import { killChildren, Worker } from './child-processes.ts';
import { measureGrowth } from './growth.ts';
import type { LoadCalls } from './load-process.ts';
import { measureMemory } from './memory.ts';
import { describeMachine, describeVersions } from './machine.ts';
import { type BenchOptions, helpText, parseOptions } from './options.ts';
import { watchOtherLoad } from './process-cpu.ts';
import { createProgress, type Progress } from './progress.ts';
import { renderReport } from './report.ts';
import type { BenchResults, Problem } from './results.ts';
import { measureRounds } from './rounds.ts';
import { scenarioNames } from './scenarios.ts';
import { measureStartup } from './startup.ts';
import { createSubjects } from './subjects.ts';
import { evaluateTargets } from './targets.ts';
import { measureVectors } from './vectors.ts';

const resultsDirectory = fileURLToPath(new URL('../results/', import.meta.url));
const warmUpShare = 0.25;

interface Run {
  readonly options: BenchOptions;
  /** Scratch space on the measured disk; removed at the end. */
  readonly directory: string;
  readonly progress: Progress;
  readonly problems: Problem[];
}

async function main(): Promise<number> {
  const [subject, ...rest] = process.argv.slice(2);
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
    rmSync(directory, { recursive: true, force: true });
  };
  process.once('SIGINT', () => {
    clean();
    process.exit(130);
  });
  try {
    const results = await measure({ options, directory, progress: createProgress(), problems: [] }, startedAt);
    const file = options.jsonFile ?? join(resultsDirectory, `${startedAt.replaceAll(':', '-')}.json`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
    process.stdout.write(`${renderReport(results)}\nThe figures of every round: ${file}\n`);
    return results.problems.length === 0 ? 0 : 1;
  } finally {
    clean();
  }
}

async function measure(run: Run, startedAt: string): Promise<BenchResults> {
  const { options, directory, progress, problems } = run;
  const machine = describeMachine(directory);
  const otherLoad = watchOtherLoad();
  const compared = await measureComparison(run);
  const startup = options.measures.has('startup')
    ? await measureStartup({ directory, runs: options.startupRuns, progress, problems })
    : undefined;
  const vectors = options.measures.has('vectors')
    ? await measureVectors({ directory, quick: options.quick, progress, problems })
    : undefined;
  const growth = options.measures.has('growth')
    ? await measureGrowth({
        directory,
        itemsMax: options.growthItemsMax,
        rounds: options.rounds,
        timing: timingOf(options),
        progress,
        problems,
      })
    : undefined;
  const backfill = options.measures.has('backfill')
    ? await measureBackfill({
        directory,
        itemCount: options.itemCount,
        rounds: options.rounds,
        timing: { ...timingOf(options), concurrency: options.concurrency },
        progress,
        problems,
      })
    : undefined;
  const memory = options.measures.has('memory')
    ? await measureMemory({ directory, itemCount: options.memoryItemCount, progress, problems })
    : undefined;
  progress.end();
  const otherLoadShare = otherLoad();
  const measured = {
    ...compared,
    ...(startup === undefined ? {} : { startup }),
    ...(vectors === undefined ? {} : { vectors }),
    ...(growth === undefined ? {} : { growth }),
    ...(backfill === undefined ? {} : { backfill }),
    ...(memory === undefined ? {} : { memory }),
  };
  const { itemCount, concurrency, rounds, secondsPerRun, quick } = options;
  return {
    format: 1,
    startedAt,
    machine,
    versions: describeVersions(),
    settings: { itemCount, concurrency, rounds, secondsPerRun, quick },
    ...(otherLoadShare === undefined ? {} : { otherLoadShare }),
    ...measured,
    targets: evaluateTargets(measured, options.measures),
    problems,
  };
}

/** The scenarios: floors, peers and Singlet in alternating rounds. Everything it starts is stopped when it returns. */
async function measureComparison({ options, directory, progress, problems }: Run) {
  const wanted = scenarioNames.filter((name) => options.measures.has(name));
  if (wanted.length === 0) return { subjects: [], measurements: [] };
  const generator = new Worker<LoadCalls>('./load-process.ts');
  const subjects = createSubjects({
    generator,
    directory,
    itemCount: options.itemCount,
    withSdk: wanted.includes('get'),
    onProgress: (text) => progress.step(text),
  });
  try {
    const timing = { ...timingOf(options), concurrency: options.concurrency };
    return await measureRounds(subjects, { scenarios: wanted, rounds: options.rounds, timing, progress, problems });
  } finally {
    progress.step('stopping the servers');
    await Promise.all(subjects.map(async (subject) => await subject.stop()));
    await generator.stop();
  }
}

function timingOf({ secondsPerRun }: BenchOptions): { warmUpMs: number; durationMs: number } {
  return { warmUpMs: secondsPerRun * 1000 * warmUpShare, durationMs: secondsPerRun * 1000 };
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof BenchError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error.code === 'usage' ? 2 : 1;
}
