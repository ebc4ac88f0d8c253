import { assert } from '../../values/assert.ts';
import { decodeStoredItem } from '../items/item-codec.ts';
import type { StoredItem } from '../items/stored-item.ts';
import type { StoreValue } from '../../storage/store.ts';

/*
 * What is known of an item that was changed between two moments, beside what it is at the second:
 *
 *     | moment of the last change 8 | the item at the first moment, as it was stored; or nothing |
 */
const momentBytes = 8;

export function encodeBefore(lastMoment: number, before: StoreValue): Buffer {
  const value = Buffer.allocUnsafe(momentBytes + (before?.length ?? 0));
  value.writeDoubleBE(lastMoment, 0);
  if (before !== undefined) value.set(before, momentBytes);
  return value;
}

export function momentOf(value: Uint8Array): number {
  assert(value.length >= momentBytes, 'a changed item has the moment of its change');
  return new DataView(value.buffer, value.byteOffset).getFloat64(0);
}

/** The item at the first moment, on the same memory; undefined when it was not there. */
export function itemBefore(value: Uint8Array): StoredItem | undefined {
  return value.length === momentBytes ? undefined : decodeStoredItem(value.subarray(momentBytes));
}
