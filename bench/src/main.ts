import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureBackfill } from './backfill.ts';
import { BenchError } from './bench-error.ts';
import { killChildren, Worker } from './child-processes.ts';
import { measureGrowth } from './growth.ts';
import { renderHtml } from './html-report.ts';
import { measureLoad } from './load.ts';
import type { LoadCalls } from './load-process.ts';
import { measureMemory } from './memory.ts';
import { describeMachine, describeVersions } from './machine.ts';
import { type BenchOptions, helpText, parseOptions } from './options.ts';
import { createPlan, ringCountOf, subjectsOf } from './plan.ts';
import { watchOtherLoad } from './process-usage.ts';
import { createProgress, type Progress } from './progress.ts';
import { renderReport } from './report.ts';
import type { BenchResults, Problem } from './results.ts';
import { measureRounds } from './rounds.ts';
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
    const name = join(resultsDirectory, startedAt.replaceAll(':', '-'));
    const files = { json: options.jsonFile ?? `${name}.json`, html: options.htmlFile ?? `${name}.html` };
    for (const file of Object.values(files)) mkdirSync(dirname(file), { recursive: true });
    writeFileSync(files.json, `${JSON.stringify(results, undefined, 2)}\n`);
    writeFileSync(files.html, renderHtml(results));
    process.stdout.write(
      `${renderReport(results)}\nThe figures of every round: ${files.json}\nWith charts: ${files.html}\n`,
    );
    return results.problems.every(({ isExpected }) => isExpected === true) ? 0 : 1;
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
  const load = options.measures.has('load')
    ? await measureLoad({
        directory,
        itemCount: options.loadItemCount,
        rounds: options.rounds,
        progress,
        problems,
      })
    : undefined;
  const vectors = options.measures.has('vectors')
    ? await measureVectors({ directory, quick: options.quick, progress, problems })
    : undefined;
  const growth = options.measures.has('growth')
    ? await measureGrowth({
        directory,
        itemsMax: options.growthItemsMax,
        rounds: options.rounds,
        ringCountMax: ringCountOf(options),
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
    ...(load === undefined ? {} : { load }),
    ...(vectors === undefined ? {} : { vectors }),
    ...(growth === undefined ? {} : { growth }),
    ...(backfill === undefined ? {} : { backfill }),
    ...(memory === undefined ? {} : { memory }),
  };
  const { itemCount, concurrency, rounds, secondsPerRun, quick } = options;
  return {
    format: 2,
    startedAt,
    machine,
    versions: describeVersions(),
    settings: { itemCount, concurrency, rounds, secondsPerRun, quick },
    ...(otherLoadShare === undefined ? {} : { otherLoadShare }),
    ...measured,
    targets: evaluateTargets({ ...measured, concurrency }, options.measures),
    problems,
  };
}

/** What is measured in rounds: floors, peers and Singlet. Everything it starts is stopped when it returns. */
async function measureComparison({ options, directory, progress, problems }: Run) {
  const groups = createPlan({ ...options, groups: options.measures });
  if (groups.length === 0) return { groups, subjects: [], measurements: [] };
  const generator = new Worker<LoadCalls>('./load-process.ts');
  const onProgress = (text: string): void => progress.step(text);
  const subjects = createSubjects(subjectsOf(groups), { generator, directory, onProgress });
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
