import { damagedValue } from '../layout/damaged-value.ts';
import { decodeStoredItem, storedItemUnder } from '../layout/item-codec.ts';
import type { StoredItem } from '../layout/stored-item.ts';
import { checkedHeaderBytes, isIntact, sealValue } from '../layout/value-checksum.ts';

/*
 * The stored information about an item that was changed between two moments, apart from the item at the second moment:
 *
 *     | format 2 | checksum 4 | moment of the last change 8 | the item at the first moment, as it is stored; or nothing |
 *
 * Format 1 had neither format nor checksum in front. No moment begins with the byte 2.
 */
const formatVersion = 2;
const momentBytes = 8;
const beforeOffset: number = checkedHeaderBytes + momentBytes;

/** An item that was changed. */
export interface ChangedItem {
  readonly lastMoment: number;
  /** The item at the first moment, in the memory of the value; undefined when it did not exist. */
  readonly before: StoredItem | undefined;
}

/** @param key - the key under which it will be stored. */
export function encodeBefore(key: Uint8Array, { lastMoment, before }: ChangedItem): Buffer {
  const stored = before && storedItemUnder(before, key);
  const value = Buffer.allocUnsafe(beforeOffset + (stored?.length ?? 0));
  value.writeDoubleBE(lastMoment, checkedHeaderBytes);
  if (stored !== undefined) value.set(stored, beforeOffset);
  return sealValue(key, formatVersion, value);
}

/** @throws {StorageError} `damaged` when the value is not the one stored under the key. */
export function decodeBefore(key: Uint8Array, value: Uint8Array): ChangedItem {
  const isChecked = value[0] === formatVersion;
  const momentOffset = isChecked ? checkedHeaderBytes : 0;
  if (value.length < momentOffset + momentBytes || (isChecked && !isIntact(key, value))) throw damagedValue(key);
  const lastMoment = new DataView(value.buffer, value.byteOffset).getFloat64(momentOffset);
  const stored = value.subarray(momentOffset + momentBytes);
  return { lastMoment, before: stored.length === 0 ? undefined : decodeStoredItem(key, stored) };
}
