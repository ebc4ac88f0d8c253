import { parseArgs } from 'node:util';
import { BenchError } from './bench-error.ts';
import { scenarioNames } from './scenarios.ts';

export const measureNames = [...scenarioNames, 'startup', 'vectors', 'growth', 'backfill', 'memory'] as const;
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
  /** Where the databases are put while the benchmark runs: the disk that is measured. */
  readonly directory: string | undefined;
  readonly jsonFile: string | undefined;
  readonly quick: boolean;
}

export const helpText = `Benchmarks of Singlet against a bare node:http server, the storage engine alone, and dynalite.

  npm run bench -- [options]
  npm run bench -- model [--quick]     what the modelling toolkit costs, beside electrodb, dynamodb-toolbox, onetable and the SDK

  --quick             small and short: 10,000 items, 0.4 s per run (rough figures, about two minutes)
  --only LIST         of ${measureNames.join(', ')}; default: all but growth and memory
  --items N           items of 1 KB in the table (default 100000)
  --connections N     requests in flight (default 32)
  --rounds N          rounds, subjects alternating in each (default 5; quick 3)
  --seconds S         measured time of one run, after its warm-up (default 1)
  --growth            also measure latency at 10^4, 10^5 and 10^6 items
  --growth-max N      up to so many items (default 1000000; 10000000 needs 20 GB of disk and time)
  --memory-items N    also load so many items on disk and watch the memory (--only memory: 200000)
  --directory DIR     keep the databases here while running (default: bench/results); its disk is what is measured
  --json FILE         write the figures of every round here (default: bench/results/TIME.json)
  --help              this text

Nothing is judged by time: the exit code is 1 only when something could not be measured.
`;

/**
 * @returns `'help'` when only the help text was asked for.
 * @throws {BenchError} `usage` with a sentence for the person at the terminal.
 */
export function parseOptions(argv: readonly string[]): BenchOptions | 'help' {
  const values = parseFlags(argv);
  if (values.help === true) return 'help';
  const quick = values.quick === true;
  const measures = measuresOf(values.only);
  if (values['memory-items'] !== undefined) measures.add('memory');
  if (values.growth === true || values['growth-max'] !== undefined) measures.add('growth');
  return {
    measures,
    quick,
    itemCount: numberOf('--items', values.items, { fallback: quick ? 10_000 : 100_000, min: 1000 }),
    concurrency: numberOf('--connections', values.connections, { fallback: 32, min: 1 }),
    rounds: numberOf('--rounds', values.rounds, { fallback: quick ? 3 : 5, min: 1 }),
    secondsPerRun: numberOf('--seconds', values.seconds, { fallback: quick ? 0.4 : 1, min: 0.05, fraction: true }),
    startupRuns: quick ? 3 : 10,
    growthItemsMax: numberOf('--growth-max', values['growth-max'], { fallback: 1_000_000, min: 10_000 }),
    memoryItemCount: numberOf('--memory-items', values['memory-items'], { fallback: 200_000, min: 1000 }),
    directory: values.directory,
    jsonFile: values.json,
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
        growth: { type: 'boolean' },
        'growth-max': { type: 'string' },
        'memory-items': { type: 'string' },
        directory: { type: 'string' },
        json: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new BenchError('usage', error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function measuresOf(list: string | undefined): Set<MeasureName> {
  if (list === undefined) return new Set(measureNames.filter((name) => name !== 'growth' && name !== 'memory'));
  const names = list.split(',').map((name) => name.trim());
  const known = measureNames.filter((name) => names.includes(name));
  const unknown = names.filter((name) => !known.some((other) => other === name));
  if (unknown.length > 0) {
    throw new BenchError('usage', `--only knows ${measureNames.join(', ')}; not ${unknown.join(', ')}.`);
  }
  return new Set(known);
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
