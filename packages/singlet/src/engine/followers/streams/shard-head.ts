import { assert } from '../../../values/assert.ts';
import type { StoreValue } from '../../../storage/store.ts';
import { SealedKind } from '../../layout/sealed-value.ts';

/** Stored: the next position 8 (double), sealed. The older form has a leading byte of 1 and no checksum. An open shard has a head. */
const heads = new SealedKind('The head of a stream shard');
const olderBytes = 9;

export function encodeHead(nextPosition: number): Buffer {
  return heads.number(nextPosition);
}

/**
 * The position that the next record of the shard gets.
 *
 * @throws {StorageError} `damaged` when the head is not the one that was stored.
 */
export function decodeHead(value: StoreValue): number {
  assert(value !== undefined, 'an open shard has a head');
  return heads.open(value, isOlder, 1).getFloat64(0);
}

function isOlder(value: Uint8Array): boolean {
  return value[0] === 1 && value.length === olderBytes;
}
