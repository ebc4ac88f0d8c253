import { assert } from '../../values/assert.ts';
import { StorageError } from '../../storage/storage-error.ts';
import type { StoreValue } from '../../storage/store.ts';

/** Stored: format 1 | next position 8 (double). An open shard has a head, a closed one has none. */
const formatVersion = 1;
const headBytes = 9;

export function encodeHead(nextPosition: number): Buffer {
  const value = Buffer.allocUnsafe(headBytes);
  value[0] = formatVersion;
  value.writeDoubleBE(nextPosition, 1);
  return value;
}

/**
 * The position that the next record of the shard gets.
 *
 * @throws {StorageError} `format` when it was written by another version.
 */
export function decodeHead(value: StoreValue): number {
  assert(value !== undefined, 'an open shard has a head');
  if (value[0] !== formatVersion) {
    throw new StorageError('format', `The head of a stream shard is stored in the unknown format ${String(value[0])}.`);
  }
  return new DataView(value.buffer, value.byteOffset).getFloat64(1);
}
