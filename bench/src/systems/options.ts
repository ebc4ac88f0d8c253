import { parseArgs } from 'node:util';
import { BenchError } from '../bench-error.ts';

export interface SystemsOptions {
  /** Names of systems, in the order in which they are measured. */
  readonly systems: readonly string[];
  /** The scale of the larger data sets, as a share of the full ones. If absent, as large as loads within minutes. */
  readonly scale: number | undefined;
  /** Measured calls of each access pattern, in each of the two data sets. */
  readonly times: number;
  readonly quick: boolean;
  readonly directory: string | undefined;
  readonly jsonFile: string | undefined;
}

const timesUsual = 100;
const timesQuick = 30;
const timesMax = 100_000;
const scaleMax = 10;

export function systemsHelpText(known: readonly string[]): string {
  return `Every access pattern of the systems, on a small and on a large data set of the same kind, in turn.

  npm run bench -- systems [options]

  --system LIST    of ${known.join(', ')}; default: all
  --scale N        of the larger data sets: 1 is full (github: 1,000 repositories, 200,000 issues, a million
                   reactions and stars); default: less, so that all takes minutes. The smaller ones are a 25th
  --times N        measured calls of each pattern in each data set (default ${timesUsual}; quick ${timesQuick})
  --quick          a fifth of the data and few calls: rough figures
  --directory DIR  keep the databases here while running (default: bench/results)
  --json FILE      write all figures here (default: bench/results/systems-TIME.json)
  --help           this text

Required is a ratio of the medians of at most 1.5. The exit code is 1 only when something could not be measured.
`;
}

/**
 * @param known - the names of all systems.
 * @returns `'help'` when only the help text was requested.
 * @throws {BenchError} `usage` with a message for the terminal.
 */
export function parseSystemsOptions(argv: readonly string[], known: readonly string[]): SystemsOptions | 'help' {
  const values = parseFlags(argv);
  if (values.help === true) return 'help';
  const quick = values.quick === true;
  const wanted = values.system?.split(',').map((name) => name.trim());
  const unknown = wanted?.filter((name) => !known.includes(name)) ?? [];
  if (unknown.length > 0) {
    throw new BenchError('usage', `--system knows ${known.join(', ')}; not ${unknown.join(', ')}.`);
  }
  const times = values.times === undefined ? undefined : numberOf('--times', values.times, timesMax);
  if (times !== undefined && !Number.isSafeInteger(times)) {
    throw new BenchError('usage', `--times wants a whole number; not ${JSON.stringify(values.times)}.`);
  }
  return {
    systems: wanted === undefined ? known : known.filter((name) => wanted.includes(name)),
    scale: values.scale === undefined ? undefined : numberOf('--scale', values.scale, scaleMax),
    times: times ?? (quick ? timesQuick : timesUsual),
    quick,
    directory: values.directory,
    jsonFile: values.json,
  };
}

function parseFlags(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        system: { type: 'string' },
        scale: { type: 'string' },
        times: { type: 'string' },
        quick: { type: 'boolean' },
        directory: { type: 'string' },
        json: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new BenchError('usage', error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function numberOf(flag: string, text: string, max: number): number {
  const value = Number(text.replaceAll('_', ''));
  if (text.trim() === '' || !(value > 0 && value <= max)) {
    throw new BenchError('usage', `${flag} wants a number above 0, up to ${max}; not ${JSON.stringify(text)}.`);
  }
  return value;
}
