import type { OutputConfiguration } from 'commander';

/**
 * Prints what is wrong with a command line as all errors of this program are printed: one line that begins with its name.
 *
 * @param help - the command line that explains what would be right.
 */
export function errorOutput(help: string): OutputConfiguration {
  return {
    outputError: (text, write) => {
      const problem = text
        .replace(/^error: /, '')
        .trim()
        .replaceAll('\n', ' ');
      write(`singlet: ${problem} (see ${help})\n`);
    },
  };
}
