import { readFileSync, statSync } from 'node:fs';
import { MissingPackageError } from '../values/missing-package.ts';
import { fileProblem } from './file-problem.ts';
import { UsageError } from './usage-error.ts';

/** The maximum size of a key file, bytes: room for a hundred keys. */
const fileBytesMax = 64 * 1024;

/**
 * The text of a file of encryption keys. A line `kms:…` contains a key encrypted by KMS, which decrypts it.
 *
 * @returns undefined if no file is given.
 * @throws {UsageError} if it cannot be read, or KMS does not decrypt a key.
 */
export async function encryptionKeysOf(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const text = readKeys(file);
  if (!/^\s*kms:/m.test(text)) return text;
  try {
    // Such keys are rare, and the SDK is large.
    return await (await import('./kms-keys.ts')).decryptKeys(text);
  } catch (error) {
    if (error instanceof MissingPackageError) throw new UsageError(error.message, { cause: error });
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new UsageError(`KMS does not decrypt a key of ${file} (${reason}).`, { cause: error });
  }
}

function readKeys(file: string): string {
  try {
    if (statSync(file).size <= fileBytesMax) return readFileSync(file, 'utf8');
  } catch (error) {
    throw fileProblem(file, error);
  }
  throw new UsageError(`The file ${file} is larger than ${fileBytesMax} bytes: it holds no encryption keys.`);
}
