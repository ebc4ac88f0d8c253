import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BenchError } from '../bench-error.ts';
import { killChildren, Worker } from '../child-processes.ts';
import type { LoadCalls } from '../load-process.ts';
import type { BenchCase } from '../plan.ts';
import { watchOtherLoad } from '../process-cpu.ts';
import { createProgress, type Progress } from '../progress.ts';
import { rotated } from '../rounds.ts';
import type { ScenarioName } from '../scenarios.ts';
import { ServerSubject } from '../server-subject.ts';
import { singletProgram } from '../servers.ts';
import { median } from '../statistics.ts';
import { textTable } from '../text-table.ts';
import { wholePartitions } from '../workload.ts';
import { isWrkInstalled } from '../wrk.ts';
import { buildWithout } from './build-without.ts';

const help = `What checksums, the chain of the log and budgets cost together: two builds in turns, CPU of the server for each request.

  npm run bench -- integrity [options]

  --rounds N       runs of each case and build (default 6)
  --seconds S      of one run (default 3)
  --items N        items of 1 KB in the table (default 20000)
  --connections N  (default 32)
  --only LIST      some of get, put, query, separated by commas (default: all)
  --directory DIR  keep the databases here while running (default: bench/results)
  --help           this text

The build without them also lacks the checksums of answers that are combined from those of items. The exit code is 1 only when something
could not be measured.
`;

/** The allowed difference of each case, percent. */
const cases: readonly { readonly scenario: ScenarioName; readonly title: string; readonly percentMax: number }[] = [
  { scenario: 'get', title: 'GetItem', percentMax: 5 },
  { scenario: 'put', title: 'PutItem', percentMax: 5 },
  { scenario: 'query', title: 'Query of 20', percentMax: 8 },
];
const stores = ['memory', 'directory'] as const;
const warmUpMs = 1000;
const firstWarmUpMs = 6000;
const requestsApart = 33_331;

interface Cell {
  readonly title: string;
  readonly percentMax: number;
  readonly benchCase: BenchCase;
  readonly build: 'without' | 'with';
  readonly subject: ServerSubject;
  /** CPU of the server, µs for each request, by round. */
  readonly runs: number[];
}

/** `npm run bench -- integrity`. @returns the exit code. */
export async function benchIntegrity(argv: readonly string[]): Promise<number> {
  const options = parseArgs({
    args: [...argv],
    options: {
      rounds: { type: 'string', default: '6' },
      seconds: { type: 'string', default: '3' },
      items: { type: 'string', default: '20000' },
      connections: { type: 'string', default: '32' },
      only: { type: 'string', default: 'get,put,query' },
      directory: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  }).values;
  if (options.help === true) {
    process.stdout.write(help);
    return 0;
  }
  const only = options.only.split(',');
  const unknown = only.find((name) => !cases.some(({ scenario }) => scenario === name));
  if (unknown !== undefined) throw new BenchError('usage', `--only takes get, put and query, not ${unknown}.`);
  const chosen = cases.filter(({ scenario }) => only.includes(scenario));
  const parent = options.directory ?? fileURLToPath(new URL('../../results/', import.meta.url));
  mkdirSync(parent, { recursive: true });
  const data = mkdtempSync(join(parent, 'integrity-'));
  const generator = new Worker<LoadCalls>('./load-process.ts');
  const without = await buildWithout();
  const programs = { without: without.program, with: singletProgram() };
  const subjects: ServerSubject[] = [];
  const progress = createProgress();
  try {
    const table = { name: 'Bench', itemCount: wholePartitions(count('--items', options.items)), itemBytes: 1024 };
    const concurrency = count('--connections', options.connections);
    const cells: Cell[] = [];
    for (const store of stores) {
      for (const build of ['without', 'with'] as const) {
        const storeFlags = store === 'memory' ? ['--memory'] : ['--data', join(data, build)];
        const subject = new ServerSubject({
          id: store === 'memory' ? 'singlet-memory' : 'singlet-disk',
          title: `${build}, ${store}`,
          generator,
          client: isWrkInstalled() ? 'wrk' : 'node',
          command: async () => ({
            program: process.execPath,
            args: [programs[build], 'serve', '--port', '0', ...storeFlags],
          }),
        });
        subjects.push(subject);
        progress.step(`filling ${subject.title}`);
        await subject.start();
        for (const { scenario, title, percentMax } of chosen) {
          const ring = { scenario, table: { ...table, indexCount: 0, stream: false }, countMax: 20_000 };
          const benchCase: BenchCase = { id: scenario, title, ring, concurrency };
          await subject.fillTable(ring.table);
          await subject.prepare(benchCase);
          cells.push({ title: `${title}, ${store}`, percentMax, benchCase, build, subject, runs: [] });
        }
      }
    }
    const otherLoad = watchOtherLoad();
    await measure(cells, {
      rounds: count('--rounds', options.rounds),
      seconds: count('--seconds', options.seconds),
      progress,
    });
    progress.end();
    const others = otherLoad();
    const busy = others === undefined ? '' : `Other processes took ${Math.round(others * 100)} % of the machine.\n`;
    process.stdout.write(`${reportOf(cells)}\n${busy}`);
    return 0;
  } finally {
    for (const subject of subjects) await subject.stop();
    await generator.stop();
    killChildren();
    for (const directory of [data, without.directory]) {
      rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }
  }
}

async function measure(
  cells: readonly Cell[],
  { rounds, seconds, progress }: { readonly rounds: number; readonly seconds: number; readonly progress: Progress },
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    for (const { title, build, benchCase, subject, runs } of rotated(cells, round)) {
      progress.step(`${title} ${build}, round ${round + 1} of ${rounds}`);
      const timing = {
        warmUpMs: round === 0 ? firstWarmUpMs : warmUpMs,
        durationMs: seconds * 1000,
        concurrency: benchCase.concurrency,
      };
      const { errors, firstError, subjectCpuMicroseconds } = await subject.run(
        benchCase,
        timing,
        round * requestsApart,
      );
      if (errors > 0) throw new BenchError('wrong-answer', `${title} ${build}: ${firstError ?? 'wrong answers'}`);
      if (subjectCpuMicroseconds === undefined)
        throw new BenchError('absent', 'This system does not say what CPU a process used.');
      runs.push(subjectCpuMicroseconds);
    }
  }
}

function reportOf(cells: readonly Cell[]): string {
  const header = ['µs of CPU', 'without: least', 'median', 'with: least', 'median', 'least %', 'median %', 'at most %'];
  const rows = cells
    .filter(({ build }) => build === 'with')
    .map(({ title, percentMax, runs }) => {
      const base = cells.find((cell) => cell.title === title && cell.build === 'without')?.runs ?? [];
      const [leasts, medians] = [
        [Math.min(...base), Math.min(...runs)] as const,
        [median(base), median(runs)] as const,
      ];
      const percent = ([before, now]: readonly [number, number]): string => ((now / before - 1) * 100).toFixed(1);
      const shown = [leasts[0], medians[0], leasts[1], medians[1]].map((microseconds) => microseconds.toFixed(1));
      return [title, ...shown, percent(leasts), percent(medians), String(percentMax)];
    });
  return textTable(header, rows);
}

/** @throws {BenchError} `usage` unless it is a whole number from 1 on. */
function count(flag: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new BenchError('usage', `${flag} wants a whole number from 1 on; not ${JSON.stringify(text)}.`);
}
