import { readFileSync, statSync } from 'node:fs';
import { UsageError } from './usage-error.ts';

/** Largest file that is read, bytes: room for a hundred keys. */
const fileBytesMax = 16 * 1024;

/**
 * The text of a file of encryption keys.
 *
 * @returns undefined when no file is named.
 * @throws {UsageError} when it cannot be read.
 */
export function encryptionKeysOf(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    if (statSync(file).size <= fileBytesMax) return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`The encryption keys cannot be read from ${file}.`, { cause: error });
  }
  throw new UsageError(`The file ${file} is larger than ${fileBytesMax} bytes: it holds no encryption keys.`);
}
