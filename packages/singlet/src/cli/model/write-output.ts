import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '../usage-error.ts';

/**
 * Writes a text to a file, or to standard output if no file is given.
 *
 * @throws {UsageError} if the file exists and may not be replaced, since it may have been edited.
 */
export function writeOutput(text: string, file: string | undefined, { replace }: { readonly replace: boolean }): void {
  if (file === undefined) {
    process.stdout.write(text);
    return;
  }
  if (!replace && existsSync(file)) throw new UsageError(`${file} exists, and is not overwritten.`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
