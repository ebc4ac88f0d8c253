import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { StorageError } from '../storage-error.ts';

/** A key that encrypts data keys, and nothing else. It is in the key file, and never stored with the data. */
export interface WrappingKey {
  /** Identifies the key, and reveals nothing about it. */
  readonly id: string;
  readonly secret: KeyObject;
}

export const keyBytes = 32;

/** Most keys in one file: the one in use, and those that it has replaced. */
const wrappingKeysMax = 100;

/**
 * The keys in the text of a key file: one a line, 32 random bytes as base64. The first encrypts; the others only decrypt what was
 * encrypted with them before the file was changed.
 *
 *     openssl rand -base64 32 > singlet.key
 *
 * @throws {StorageError} `open` when a key is not valid. The message does not repeat the text.
 */
export function parseWrappingKeys(text: string): readonly WrappingKey[] {
  const lines = text.split('\n').map((line) => line.trim());
  const used = lines.flatMap((line, at) => (line === '' ? [] : [{ line, number: at + 1 }]));
  if (used.length === 0)
    throw new StorageError('open', 'The file of encryption keys is empty: openssl rand -base64 32 prints a key.');
  if (used.length > wrappingKeysMax) {
    throw new StorageError('open', `The file of encryption keys has more than ${wrappingKeysMax} lines.`);
  }
  return used.map(({ line, number }) => {
    const bytes = Buffer.from(line, 'base64');
    if (bytes.length !== keyBytes || !/^[A-Za-z0-9+/]{43}=$/.test(line)) {
      throw new StorageError(
        'open',
        `Line ${number} of the file of encryption keys is not a key: each line is ${keyBytes} random bytes as base64, as "openssl rand -base64 ${keyBytes}" prints them.`,
      );
    }
    return { id: idOf(bytes), secret: createSecretKey(bytes) };
  });
}

function idOf(secret: Buffer): string {
  return createHmac('sha256', secret).update('singlet: id of a wrapping key').digest('hex').slice(0, 16);
}
