import { existsSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectories } from '../../transfer/buckets/index.ts';
import { UsageError } from '../usage-error.ts';

/**
 * Writes a text to a file, or to standard output if no file is given.
 *
 * @throws {UsageError} if the file exists and may not be replaced, since it may have been edited.
 */
export async function writeOutput(
  text: string,
  file: string | undefined,
  { replace }: { readonly replace: boolean },
): Promise<void> {
  if (file === undefined) {
    process.stdout.write(text);
    return;
  }
  if (!replace && existsSync(file)) throw new UsageError(`${file} exists, and is not overwritten.`);
  await makeDirectories(dirname(file));
  writeFileSync(file, text);
}
