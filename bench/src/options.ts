import { parseArgs } from 'node:util';
import { BenchError } from './bench-error.ts';
import type { LoadClient } from './load-process.ts';
import { variationNames } from './plan.ts';
import { scenarioItemsMax, scenarioNames } from './scenarios.ts';

/** Measurements that take long or interest few are taken on request only. */
const onRequestNames = ['vectors', 'backfill', 'memory'] as const;
const defaultNames = [...scenarioNames, ...variationNames, 'startup', 'load', 'growth'] as const;
export const measureNames = [...defaultNames, ...onRequestNames] as const;
export type MeasureName = (typeof measureNames)[number];

export interface BenchOptions {
  readonly measures: ReadonlySet<MeasureName>;
  readonly itemCount: number;
  readonly concurrency: number;
  readonly rounds: number;
  readonly secondsPerRun: number;
  readonly startupRuns: number;
  readonly growthItemsMax: number;
  readonly memoryItemCount: number;
  /** Number of items to load in one run when the load speed is measured. */
  readonly loadItemCount: number;
  /** The directory for the databases while the benchmark runs, on the disk that is measured. */
  readonly directory: string | undefined;
  readonly jsonFile: string | undefined;
  readonly htmlFile: string | undefined;
  /** The load generator. If undefined: wrk where it is installed. */
  readonly client: LoadClient | undefined;
  readonly quick: boolean;
}

export const helpText = `Benchmarks of Singlet against a bare node:http server, the storage engine alone, dynalite and dynoxide.

  npm run bench -- [options]
  npm run bench -- systems [options]     every access pattern of the applications, small and large (systems --help)
  npm run bench -- soak [options]        one load for an hour: does it stay as quick (soak --help)
  npm run bench -- integrity [options]   what checksums and budgets cost (integrity --help)
  npm run bench -- starts [options]      time of each application from its command to its first page (starts --help)
  npm run bench -- fork [options]        how long a test waits for its own copy of a seeded database (fork --help)
  npm run bench -- model [--quick]       what the modelling toolkit costs, beside its peers and the SDK

  --quick             all of it, small and short: rough figures, less than two minutes
  --only LIST         of ${wrapped(measureNames)};
                      default: all but ${onRequestNames.join(', ')}
  --items N           items of 1 KB in the table (default 1000000; quick 4000), in partitions of 200
  --connections N     requests in flight (default 32)
  --rounds N          rounds, all subjects taking turns in each (default 5; quick 1)
  --seconds S         measured time of one run, after its warm-up (default 1; quick 0.05)
  --growth-max N      the largest table of growth, from 10000 on by tens (default 1000000; quick 100000;
                      10000000 needs 20 GB of disk, and time)
  --memory-items N    also load so many items on disk and watch the memory (--only memory: 200000)
  --client NAME       wrk or node: what makes the load over HTTP (default: wrk where it is installed and runs take
                      whole seconds; a client in Node is itself the limit, and shows ratios that are too good)
  --directory DIR     keep the databases here while running (default: bench/results); its disk is what is measured
  --json FILE         write the figures of every round here (default: bench/results/TIME.json)
  --html FILE         write the report with charts here (default: bench/results/TIME.html)
  --help              this text

Nothing is judged by time: the exit code is 1 only when something could not be measured.
`;

/**
 * @returns `'help'` when only the help text was requested.
 * @throws {BenchError} `usage` with a message for the terminal.
 */
export function parseOptions(argv: readonly string[]): BenchOptions | 'help' {
  const values = parseFlags(argv);
  if (values.help === true) return 'help';
  const quick = values.quick === true;
  const measures = measuresOf(values.only);
  if (values['memory-items'] !== undefined) measures.add('memory');
  if (values['growth-max'] !== undefined) measures.add('growth');
  const growthItemsMax = quick ? 100_000 : 1_000_000;
  return {
    measures,
    quick,
    itemCount: numberOf('--items', values.items, { fallback: quick ? 4000 : 1_000_000, min: scenarioItemsMax }),
    concurrency: numberOf('--connections', values.connections, { fallback: 32, min: 1 }),
    rounds: numberOf('--rounds', values.rounds, { fallback: quick ? 1 : 5, min: 1 }),
    secondsPerRun: numberOf('--seconds', values.seconds, { fallback: quick ? 0.05 : 1, min: 0.05, fraction: true }),
    startupRuns: quick ? 2 : 10,
    growthItemsMax: numberOf('--growth-max', values['growth-max'], { fallback: growthItemsMax, min: 10_000 }),
    memoryItemCount: numberOf('--memory-items', values['memory-items'], { fallback: 200_000, min: 1000 }),
    loadItemCount: quick ? 1000 : 100_000,
    directory: values.directory,
    jsonFile: values.json,
    htmlFile: values.html,
    client: clientOf(values.client),
  };
}

function parseFlags(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        quick: { type: 'boolean' },
        only: { type: 'string' },
        items: { type: 'string' },
        connections: { type: 'string' },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        'growth-max': { type: 'string' },
        'memory-items': { type: 'string' },
        directory: { type: 'string' },
        json: { type: 'string' },
        html: { type: 'string' },
        client: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new BenchError('usage', error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function measuresOf(list: string | undefined): Set<MeasureName> {
  if (list === undefined) return new Set(defaultNames);
  const names = list.split(',').map((name) => name.trim());
  const known = measureNames.filter((name) => names.includes(name));
  const unknown = names.filter((name) => !known.some((other) => other === name));
  if (unknown.length > 0) {
    throw new BenchError('usage', `--only knows ${measureNames.join(', ')}; not ${unknown.join(', ')}.`);
  }
  return new Set(known);
}

function clientOf(text: string | undefined): LoadClient | undefined {
  if (text === undefined || text === 'wrk' || text === 'node') return text;
  throw new BenchError('usage', `--client wants wrk or node; not ${JSON.stringify(text)}.`);
}

function numberOf(
  flag: string,
  text: string | undefined,
  rule: { readonly fallback: number; readonly min: number; readonly fraction?: boolean },
): number {
  if (text === undefined) return rule.fallback;
  const value = Number(text.replaceAll('_', ''));
  if (text.trim() === '' || !(value >= rule.min) || (rule.fraction !== true && !Number.isSafeInteger(value))) {
    throw new BenchError('usage', `${flag} wants a number of at least ${rule.min}; not ${JSON.stringify(text)}.`);
  }
  return value;
}

/** A list, wrapped to fit beside the options. */
function wrapped(names: readonly string[]): string {
  const lines: string[] = [];
  for (const name of names) {
    const line = lines.at(-1);
    if (line === undefined || line.length + name.length > 85) lines.push(name);
    else lines[lines.length - 1] = `${line}, ${name}`;
  }
  return lines.join(`,\n${' '.repeat(22)}`);
}
