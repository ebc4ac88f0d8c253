import type { OutputConfiguration } from 'commander';

/**
 * Prints errors of the command line like all errors of this program: one line that begins with its name.
 *
 * @param help - the command that explains the correct usage.
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
