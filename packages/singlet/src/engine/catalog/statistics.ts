import type { Store } from '../../storage/store.ts';
import type { Clock, Random } from '../environment.ts';
import { checkedHeaderBytes, SealedKind } from '../layout/sealed-value.ts';
import { space, storeKey } from '../layout/spaces.ts';

/**
 * Counts and sizes of a table and its indexes. They are exact, because the decision that changes an item also reads and
 * writes them. They are spread over buckets, whose sum is what counts: by the item's hash, so that writers of different items rarely share an
 * entry; or, where several servers write to the store, by the server, so that their decisions do not wait for each other. A
 * bucket of a server may be below zero, because a server removes items that another has put. Decision 0075 says why.
 *
 * Stored: { space 4, count 8 (double), bytes 8 (double) }…, sealed. The older form has a leading byte of 1 and no checksum.
 */
export const statisticsBucketCount = 16;

const sealed = new SealedKind('A count of items');
const entryBytes = 20;
const emptyContent = new DataView(new ArrayBuffer(0));

export interface SpaceStatistics {
  readonly itemCount: number;
  readonly sizeBytes: number;
}

export function statisticsKey(itemSpace: number, bucket: number): Buffer {
  const hash = Buffer.alloc(16);
  hash.writeUInt32BE(itemSpace, 0);
  hash.writeUInt8(bucket, 4);
  return storeKey(space.statistics, hash);
}

/** The keys of all buckets of a table. */
export function statisticsKeys(itemSpace: number): readonly Buffer[] {
  return Array.from({ length: statisticsBucketCount }, (_, bucket) => statisticsKey(itemSpace, bucket));
}

/** Exact counts and sizes of a table and its indexes, by space, from one snapshot. */
export async function readSizes(store: Store, itemSpace: number): Promise<ReadonlyMap<number, SpaceStatistics>> {
  return store.read(statisticsKeys(itemSpace), sumOfStatistics);
}

/** The bucket of an item, by the first byte of its partition hash. */
export function statisticsBucket(itemKey: Uint8Array): number {
  return (itemKey[4] as number) % statisticsBucketCount; // a store key begins with space and hash
}

/** Chooses the bucket of a change, given the key of the item. */
export type ChooseBucket = (itemKey: Uint8Array) => number;

const redrawnMs = 60_000;

/**
 * The bucket of one of several servers, for all its changes. It is drawn again each minute: two servers that draw the same one slow each other down for
 * no longer than that.
 */
export function bucketOfServer({ clock, random }: { readonly clock: Clock; readonly random: Random }): ChooseBucket {
  const seed = new DataView(Uint8Array.from(random.bytes(4)).buffer).getUint32(0);
  return () => {
    const minute = Math.floor(clock.nowMs() / redrawnMs);
    // The upper bits of a product with the golden ratio: consecutive minutes give unrelated buckets.
    return (Math.imul(seed ^ Math.imul(minute, 0x85eb_ca6b), 0x9e37_79b1) >>> 16) % statisticsBucketCount;
  };
}

/** Sums of all buckets. */
export function sumOfStatistics(buckets: readonly (Uint8Array | undefined)[]): Map<number, SpaceStatistics> {
  const totals = new Map<number, SpaceStatistics>();
  for (const bucket of buckets) {
    for (const [spaceId, { itemCount, sizeBytes }] of decodeStatistics(bucket)) {
      const total = totals.get(spaceId);
      totals.set(spaceId, {
        itemCount: (total?.itemCount ?? 0) + itemCount,
        sizeBytes: (total?.sizeBytes ?? 0) + sizeBytes,
      });
    }
  }
  return totals;
}

/** Changes to one bucket, to be added to the stored counts. It covers a table and a few indexes, so a list is sufficient. */
export class StatisticsDelta {
  readonly #changes: { readonly spaceId: number; itemCount: number; sizeBytes: number }[] = [];

  add(spaceId: number, itemCount: number, sizeBytes: number): void {
    if (itemCount === 0 && sizeBytes === 0) return;
    const change = this.#changes.find((one) => one.spaceId === spaceId);
    if (change === undefined) {
      this.#changes.push({ spaceId, itemCount, sizeBytes });
    } else {
      change.itemCount += itemCount;
      change.sizeBytes += sizeBytes;
    }
  }

  /** The value to store instead of `stored`, or undefined when nothing changes. */
  applyTo(stored: Uint8Array | undefined): Buffer | undefined {
    const changes = this.#changes.filter(({ itemCount, sizeBytes }) => itemCount !== 0 || sizeBytes !== 0);
    if (changes.length === 0) return undefined;
    const present = contentOf(stored);
    const places = changes.map(({ spaceId }) => entryOf(present, spaceId));
    const addedCount = places.filter((at) => at < 0).length;
    const bytes = sealed.allocate(present.byteLength + addedCount * entryBytes);
    bytes.set(new Uint8Array(present.buffer, present.byteOffset, present.byteLength), checkedHeaderBytes);
    let end = checkedHeaderBytes + present.byteLength;
    for (const [index, { spaceId, itemCount, sizeBytes }] of changes.entries()) {
      const place = places[index] as number; // one for each change
      const at = checkedHeaderBytes + place;
      if (place < 0) {
        writeStatistics(bytes, end, spaceId, { itemCount, sizeBytes });
        end += entryBytes;
      } else {
        const total = { itemCount: bytes.readDoubleBE(at + 4), sizeBytes: bytes.readDoubleBE(at + 12) };
        writeStatistics(bytes, at, spaceId, {
          itemCount: total.itemCount + itemCount,
          sizeBytes: total.sizeBytes + sizeBytes,
        });
      }
    }
    return sealed.seal(bytes);
  }
}

/** @throws {StorageError} `damaged` when the counts are not the ones that were stored. */
function contentOf(stored: Uint8Array | undefined): DataView {
  return stored === undefined ? emptyContent : sealed.open(stored, isOlder, 1);
}

function isOlder(stored: Uint8Array): boolean {
  return stored[0] === 1 && stored.length % entryBytes === 1;
}

/** @returns where a space's entry begins, or -1. */
function entryOf(content: DataView, spaceId: number): number {
  for (let at = 0; at < content.byteLength; at += entryBytes) if (content.getUint32(at) === spaceId) return at;
  return -1;
}

export function decodeStatistics(stored: Uint8Array | undefined): Map<number, SpaceStatistics> {
  const totals = new Map<number, SpaceStatistics>();
  const view = contentOf(stored);
  for (let offset = 0; offset < view.byteLength; offset += entryBytes) {
    totals.set(view.getUint32(offset), {
      itemCount: view.getFloat64(offset + 4),
      sizeBytes: view.getFloat64(offset + 12),
    });
  }
  return totals;
}

/** The counts without the given space, for an index that has been removed. */
export function withoutSpace(stored: Uint8Array | undefined, spaceId: number): Buffer | undefined {
  const totals = decodeStatistics(stored);
  return totals.delete(spaceId) ? encodeStatistics(totals) : undefined;
}

/** The value of a bucket without any counts. */
export function noStatistics(): Buffer {
  return encodeStatistics(new Map());
}

function encodeStatistics(totals: ReadonlyMap<number, SpaceStatistics>): Buffer {
  const bytes = sealed.allocate(totals.size * entryBytes);
  let offset = checkedHeaderBytes;
  for (const [spaceId, statistics] of totals) {
    writeStatistics(bytes, offset, spaceId, statistics);
    offset += entryBytes;
  }
  return sealed.seal(bytes);
}

function writeStatistics(bytes: Buffer, at: number, spaceId: number, { itemCount, sizeBytes }: SpaceStatistics): void {
  bytes.writeUInt32BE(spaceId, at);
  bytes.writeDoubleBE(itemCount, at + 4);
  bytes.writeDoubleBE(sizeBytes, at + 12);
}
