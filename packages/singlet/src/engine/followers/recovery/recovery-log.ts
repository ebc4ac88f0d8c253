import { assert } from '../../../values/assert.ts';
import type { StoreValue, StoreWrite } from '../../../storage/store.ts';
import { SealedKind } from '../../layout/sealed-value.ts';
import { hashBytes, hashOf, storeKey } from '../../layout/spaces.ts';

/*
 * The log of former item states: for each change, the item's key and the item before it (nothing, if it did not
 * exist). The present state, with every change after a moment undone, is the state at that moment.
 *
 *     log space 4 | bucket 16 | moment 8 | hash of the item 16 | its sort key     the item before, as it was stored; or empty
 *     log space 4 | bucket 16 | 0xff × 8                                          head: the moment of the last change
 *
 * The bucket is the first four bits of the item's hash, so writers of different items rarely share a head, and on a
 * spread-out store an entry is beside its item. A change gets a later moment than any that its head has seen. Raising all heads
 * to a moment therefore closes the past: from then on nothing is logged at or before it, regardless of the clocks.
 */

export const changeLogBucketCount = 16;

const momentBytes = 8;
const headMark: Uint8Array = new Uint8Array(momentBytes).fill(0xff);
const prefixBytes: number = 4 + hashBytes;

/** A log as item writes see it. */
export class OpenChangeLog {
  readonly #space: number;
  /** One for each bucket. */
  readonly headKeys: readonly Buffer[];

  constructor(space: number) {
    this.#space = space;
    this.headKeys = Array.from({ length: changeLogBucketCount }, (_, bucket) =>
      storeKey(space, bucketHash(bucket), headMark),
    );
  }

  headKeyOf(itemKey: Uint8Array): Buffer {
    return this.headKeys[bucketOf(itemKey)] as Buffer; // there is one for each value of four bits
  }

  entryKey(moment: number, itemKey: Uint8Array): Buffer {
    const key = Buffer.allocUnsafe(prefixBytes + momentBytes + itemKey.length - 4);
    key.writeUInt32BE(this.#space, 0);
    key.fill(0, 4, prefixBytes);
    key[4] = bucketOf(itemKey) << 4;
    key.writeDoubleBE(moment, prefixBytes); // positive doubles have the same order as bytes and as numbers
    key.set(itemKey.subarray(4), prefixBytes + momentBytes);
    return key;
  }

  /** The range of keys of a bucket's entries that were logged after one moment, up to another. */
  entryRange(
    bucket: number,
    { after, upTo }: { readonly after: number; readonly upTo?: number },
  ): { readonly from: Buffer; readonly to: Buffer } {
    const bound = (moment: number): Buffer => {
      const bytes = Buffer.allocUnsafe(momentBytes);
      bytes.writeDoubleBE(moment, 0);
      return storeKey(this.#space, bucketHash(bucket), bytes);
    };
    return {
      from: bound(after + 1),
      to: upTo === undefined ? (this.headKeys[bucket] as Buffer) : bound(upTo + 1),
    };
  }

  /** The writes that set the heads to this moment as the last change. */
  headWrites(moment: number): readonly StoreWrite[] {
    return this.headKeys.map((key) => ({ key, value: encodeHead(moment) }));
  }
}

/** The store key, in the given space, of the item that an entry is about. */
export function itemKeyOfEntry(entryKey: Uint8Array, itemSpace: number): Buffer {
  const item = entryKey.subarray(prefixBytes + momentBytes);
  return storeKey(itemSpace, item.subarray(0, hashBytes), item.subarray(hashBytes));
}

export function momentOfEntry(entryKey: Uint8Array): number {
  return new DataView(entryKey.buffer, entryKey.byteOffset).getFloat64(prefixBytes);
}

const heads = new SealedKind('The head of a log of changes');

export function encodeHead(moment: number): Buffer {
  return heads.number(moment);
}

/** @throws {StorageError} `damaged` when the head is not the one that was stored. */
export function decodeHead(value: StoreValue): number {
  assert(value !== undefined, 'a log that is on has its heads');
  return heads.open(value, isHeadWithoutCheck, 1).getFloat64(0);
}

function isHeadWithoutCheck(value: Uint8Array): boolean {
  return value[0] === 1 && value.length === 1 + momentBytes;
}

function bucketOf(itemKey: Uint8Array): number {
  return (hashOf(itemKey)[0] as number) >> 4; // every store key has a hash
}

function bucketHash(bucket: number): Uint8Array {
  const hash = new Uint8Array(hashBytes);
  hash[0] = bucket << 4;
  return hash;
}
