import { parseArgs } from 'node:util';
import { BenchError } from '../bench-error.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly itemCount: number;
  readonly connections: number;
  /** Of the rate that was measured first. */
  readonly share: number;
  readonly directory: string | undefined;
}

export const soakHelpText = `One server on disk under the same load for long: 80 % GetItem, 20 % PutItem, at a share of the rate that it can serve.

  npm run bench -- soak [options]

  --minutes N      how long (default 60)
  --items N        items of 1 KB in the table (default 100000)
  --connections N  (default 32)
  --share N        of the measured maximum, from 0.05 to 1 (default 0.7)
  --directory DIR  keep the database here while running (default: bench/results)
  --help           this text

Prints latencies, memory and disk of each sixth of the time. Required is that the 99th percentile of the last sixth is at most
1.3 times that of the first. A latency counts from the moment at which the request was due. The exit code is 1 only when
something could not be measured.
`;

/**
 * @returns `'help'` when only the help text was requested.
 * @throws {BenchError} `usage` with a message for the terminal.
 */
export function parseSoakOptions(argv: readonly string[]): SoakOptions | 'help' {
  const values = parseFlags(argv);
  if (values.help === true) return 'help';
  return {
    minutes: numberOf('--minutes', values.minutes ?? '60', 0.01, 1e5),
    itemCount: Math.floor(numberOf('--items', values.items ?? '100000', 1000, 1e9)),
    connections: Math.floor(numberOf('--connections', values.connections ?? '32', 1, 10_000)),
    share: numberOf('--share', values.share ?? '0.7', 0.05, 1),
    directory: values.directory,
  };
}

function parseFlags(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        minutes: { type: 'string' },
        items: { type: 'string' },
        connections: { type: 'string' },
        share: { type: 'string' },
        directory: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new BenchError('usage', error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function numberOf(flag: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= min && value <= max) return value;
  throw new BenchError('usage', `${flag} wants a number from ${min} to ${max}; not ${JSON.stringify(text)}.`);
}
