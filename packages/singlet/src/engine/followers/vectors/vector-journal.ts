import type { Store, StoreValue } from '../../../storage/store.ts';
import { hashBytes, hashOf, storeKey } from '../../layout/spaces.ts';
import type { VectorIndex } from '../../catalog/table.ts';

/*
 * The last changes of a vector index's entries. A process that holds an approximate graph of the index learns from them what it and
 * others have written since. A journal has sixteen buckets, by the beginning of the changed item's hash, and a bucket is a
 * ring: change number n is at place n modulo 1,024, and overwrites the one before it. So a journal never grows and needs no
 * trimming. A graph that is further behind is rebuilt.
 *
 *     journal space | bucket 16 | place 4       change number 8 (double) | store key of the entry
 *     journal space | bucket 16 | 0xffffffff    number of the next change 8 (double)
 *
 * A change says which entry was written or removed, but not how: the reader looks up the present value. So reading a change twice,
 * or out of order, does no harm.
 *
 * Decision 0019 says why.
 */
export const journalBucketCount = 16;

/** Changes that a bucket remembers. */
export const journalBucketChanges = 1024;

const numberBytes = 8;
const headPlace = 0xffff_ffff;

/** The key of the head of an item's bucket, which holds the next number: an item write reads it with the item. */
export function journalHeadKey(index: VectorIndex, itemKey: Uint8Array): Buffer {
  return placeKey(index, (hashOf(itemKey)[0] as number) >> 4, headPlace); // a hash has sixteen bytes
}

/** The key of the change with that number, in the bucket of an item. */
export function journalChangeKey(index: VectorIndex, itemKey: Uint8Array, number: number): Buffer {
  return placeKey(index, (hashOf(itemKey)[0] as number) >> 4, number % journalBucketChanges); // a hash has sixteen bytes
}

/** The next number in each bucket of a journal. */
export async function readJournalHeads(store: Store, index: VectorIndex): Promise<readonly number[]> {
  const keys = Array.from({ length: journalBucketCount }, (_, bucket) => placeKey(index, bucket, headPlace));
  return store.read(keys, (values) => values.map(decodeJournalNumber));
}

/**
 * The store keys of the entries that changed between two states of the heads, each once.
 *
 * @returns undefined when the journal no longer holds some of them.
 */
export async function readJournal(
  store: Store,
  index: VectorIndex,
  since: readonly number[],
  until: readonly number[],
): Promise<readonly Buffer[] | undefined> {
  const wanted: { readonly key: Buffer; readonly number: number }[] = [];
  for (const [bucket, end] of until.entries()) {
    const begin = since[bucket] ?? 0;
    if (end - begin > journalBucketChanges) return undefined;
    for (let number = begin; number < end; number += 1) {
      wanted.push({ key: placeKey(index, bucket, number % journalBucketChanges), number });
    }
  }
  if (wanted.length === 0) return [];
  const changed = new Map<string, Buffer>();
  const isWhole = await store.read(
    wanted.map(({ key }) => key),
    (values) =>
      values.every((value, at) => {
        if (value === undefined || decodeJournalNumber(value) !== wanted[at]?.number) return false;
        const entryKey = Buffer.from(value.subarray(numberBytes));
        changed.set(entryKey.toString('latin1'), entryKey);
        return true;
      }),
  );
  return isWhole ? [...changed.values()] : undefined;
}

function placeKey(index: VectorIndex, bucket: number, place: number): Buffer {
  const hash = new Uint8Array(hashBytes);
  hash[0] = bucket << 4;
  return storeKey(index.journalSpace, hash, placeBytes(place));
}

function placeBytes(place: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(place, 0);
  return bytes;
}

/** A change of an entry; without a key, the head of a bucket whose next change has that number. */
export function encodeJournalChange(number: number, entryKey: Uint8Array = noKey): Buffer {
  const value = Buffer.allocUnsafe(numberBytes + entryKey.length);
  value.writeDoubleBE(number, 0);
  value.set(entryKey, numberBytes);
  return value;
}

const noKey = new Uint8Array();

/** The number in a change or a head. Before its first change a bucket has no head. */
export function decodeJournalNumber(value: StoreValue): number {
  return value === undefined ? 0 : new DataView(value.buffer, value.byteOffset).getFloat64(0);
}
