import { parseArgs } from 'node:util';
import { Problem } from './problem.ts';

/** The parsed command line. */
export interface Arguments {
  readonly template: string | undefined;
  /** As given: absolute, or relative to the working directory. */
  readonly directory: string | undefined;
  readonly list: boolean;
  readonly help: boolean;
}

export const USAGE = `Usage: npm create singlet -- [--template NAME] [directory]

Creates an application in a directory: a model, functions on it, an HTTP API, pages, tests and a README.

  --template NAME  the application to begin with; asked for on a terminal when it is absent
  --list           lists the applications
  --help           this text

The directory has to be empty or absent. Its usual name is that of the application.
`;

/** @throws {@link Problem} for an unknown option, an option without its value, and a second directory. */
export function readArguments(args: readonly string[]): Arguments {
  const { values, positionals } = parsed(args);
  const [directory, ...others] = positionals;
  if (others.length > 0) {
    throw new Problem(`There is one directory to create, but these were named: ${positionals.join(', ')}`);
  }
  const { template, list, help } = values;
  return { template, directory, list, help };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        template: { type: 'string', short: 't' },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    // Node adds advice about arguments that begin with a dash; no directory or application begins with one.
    const [sentence = ''] = (error instanceof Error ? error.message : String(error)).split(/\.(?: |$)/);
    throw new Problem(`${sentence}; --help lists the options`, { cause: error });
  }
}
