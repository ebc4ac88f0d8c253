import type { AttributeValue } from '../../../values/attribute-value.ts';
import type { StoreWrite } from '../../../storage/store.ts';
import type { StoredItem } from '../../layout/stored-item.ts';
import { hashBytes, hashOf, restOf, storeKey } from '../../layout/spaces.ts';
import type { ExpiryIndex } from '../../catalog/table.ts';

/*
 * The items of a table by expiry time. An entry has no value; its key holds everything:
 *
 *     expiry space 4 | bucket 16 | epoch seconds 8 | hash and sort key of the item
 *
 * The bucket is the beginning of the item's hash. So concurrent writers do not all write to one place, and a store
 * that is spread by hash keeps an entry beside its item. Expired items are at the beginning of each bucket.
 */

/** By the first four bits of the item's hash. */
export const expiryBucketCount = 16;

const timeBytes = 8;

/** Seconds with more digits than a double holds exactly are thirty million years ahead: they never arrive. */
const wholeSeconds = /^\d{1,15}(?=\.|$)/;

/**
 * When an item expires, in whole seconds since 1970; undefined when it never does, because the attribute is missing, is not a
 * number, or cannot be a time.
 *
 * A fraction of a second is cut off. An item has expired when its time is before the present second. A time is before
 * a whole second if and only if the second that contains it is.
 */
export function expirySecondsOf(value: AttributeValue | undefined): number | undefined {
  if (value === undefined || !('N' in value)) return undefined;
  const digits = wholeSeconds.exec(value.N); // a canonical number: no plus sign, no exponent
  return digits === null ? undefined : Number(digits[0]);
}

/** The writes that update the index for a change of an item. */
export function expiryChanges(
  index: ExpiryIndex,
  itemKey: Uint8Array,
  before: StoredItem | undefined,
  after: StoredItem | undefined,
): readonly StoreWrite[] {
  const oldSeconds = expirySecondsOf(before?.getAttribute(index.attributeName));
  const newSeconds = expirySecondsOf(after?.getAttribute(index.attributeName));
  if (oldSeconds === newSeconds) return [];
  const writes: StoreWrite[] = [];
  if (oldSeconds !== undefined) writes.push({ key: expiryEntryKey(index, oldSeconds, itemKey), value: undefined });
  if (newSeconds !== undefined) writes.push(expiryEntry(index, newSeconds, itemKey));
  return writes;
}

export function expiryEntry(index: Pick<ExpiryIndex, 'space'>, epochSeconds: number, itemKey: Uint8Array): StoreWrite {
  return { key: expiryEntryKey(index, epochSeconds, itemKey), value: new Uint8Array() };
}

function expiryEntryKey(index: Pick<ExpiryIndex, 'space'>, epochSeconds: number, itemKey: Uint8Array): Buffer {
  const hash = hashOf(itemKey);
  return storeKey(index.space, bucketHash(bucketOf(hash)), encodeSeconds(epochSeconds), hash, restOf(itemKey));
}

/** The keys of one bucket's entries with a time from `fromSeconds` to before `toSeconds`. */
export function expiryRange(
  index: Pick<ExpiryIndex, 'space'>,
  bucket: number,
  { fromSeconds, toSeconds }: { readonly fromSeconds: number; readonly toSeconds: number },
): { readonly from: Buffer; readonly to: Buffer } {
  const bound = (epochSeconds: number): Buffer =>
    storeKey(index.space, bucketHash(bucket), encodeSeconds(Math.max(0, epochSeconds)));
  return { from: bound(fromSeconds), to: bound(toSeconds) };
}

/** The store key of the item that an entry represents. */
export function itemKeyOfExpiryEntry(entryKey: Uint8Array, itemSpace: number): Buffer {
  const item = restOf(entryKey).subarray(timeBytes);
  return storeKey(itemSpace, item.subarray(0, hashBytes), item.subarray(hashBytes));
}

function bucketOf(hash: Uint8Array): number {
  return (hash[0] as number) >> 4; // a hash has sixteen bytes
}

function bucketHash(bucket: number): Uint8Array {
  const hash = new Uint8Array(hashBytes);
  hash[0] = bucket << 4;
  return hash;
}

/** Positive doubles have the same order as bytes and as numbers. */
function encodeSeconds(epochSeconds: number): Buffer {
  const bytes = Buffer.allocUnsafe(timeBytes);
  bytes.writeDoubleBE(epochSeconds, 0);
  return bytes;
}
