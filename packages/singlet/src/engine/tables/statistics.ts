import type { Store } from '../../storage/store.ts';
import { space, storeKey } from '../layout/spaces.ts';

/**
 * Counts and sizes of a table and its indexes, kept exact: they are read and written in the decision that changes the
 * items. They are spread over buckets by the item's hash, so that writers of different items need not meet in one entry.
 *
 * Stored: format 1 | { space 4, count 8 (double), bytes 8 (double) }…
 */
export const statisticsBucketCount = 16;

const formatVersion = 1;
const entryBytes = 20;
const noStatistics = Uint8Array.of(formatVersion);

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
  return store.read(statisticsKeys(itemSpace), (buckets) => {
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
  });
}

/** The bucket of an item, by the first byte of its partition hash. */
export function statisticsBucket(itemKey: Uint8Array): number {
  return (itemKey[4] as number) % statisticsBucketCount; // a store key has space and hash
}

/** Changes to one bucket, to be added to what is stored: of a table and a few indexes, so that a list of them will do. */
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

  /** What to store instead of `stored`, or undefined when nothing changes. */
  applyTo(stored: Uint8Array | undefined): Buffer | undefined {
    const changes = this.#changes.filter(({ itemCount, sizeBytes }) => itemCount !== 0 || sizeBytes !== 0);
    if (changes.length === 0) return undefined;
    const present = stored ?? noStatistics;
    const places = changes.map(({ spaceId }) => entryOf(present, spaceId));
    const addedCount = places.filter((at) => at < 0).length;
    const bytes = Buffer.allocUnsafe(present.length + addedCount * entryBytes);
    bytes.set(present);
    let end = present.length;
    for (const [index, { spaceId, itemCount, sizeBytes }] of changes.entries()) {
      const at = places[index] as number; // one for each change
      if (at < 0) {
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
    return bytes;
  }
}

/** @returns where a space's entry begins, or -1. */
function entryOf(stored: Uint8Array, spaceId: number): number {
  for (let at = 1; at + entryBytes <= stored.length; at += entryBytes) {
    const [a, b, c, d] = [stored[at], stored[at + 1], stored[at + 2], stored[at + 3]] as [
      number,
      number,
      number,
      number,
    ];
    if (((a << 24) | (b << 16) | (c << 8) | d) >>> 0 === spaceId) return at;
  }
  return -1;
}

export function decodeStatistics(stored: Uint8Array | undefined): Map<number, SpaceStatistics> {
  const totals = new Map<number, SpaceStatistics>();
  if (stored === undefined) return totals;
  const view = new DataView(stored.buffer, stored.byteOffset, stored.byteLength);
  for (let offset = 1; offset + entryBytes <= stored.length; offset += entryBytes) {
    totals.set(view.getUint32(offset), {
      itemCount: view.getFloat64(offset + 4),
      sizeBytes: view.getFloat64(offset + 12),
    });
  }
  return totals;
}

/** Without the given space: used when an index is gone. */
export function withoutSpace(stored: Uint8Array | undefined, spaceId: number): Buffer | undefined {
  const totals = decodeStatistics(stored);
  return totals.delete(spaceId) ? encodeStatistics(totals) : undefined;
}

function encodeStatistics(totals: ReadonlyMap<number, SpaceStatistics>): Buffer {
  const bytes = Buffer.allocUnsafe(1 + totals.size * entryBytes);
  bytes.writeUInt8(formatVersion, 0);
  let offset = 1;
  for (const [spaceId, statistics] of totals) {
    writeStatistics(bytes, offset, spaceId, statistics);
    offset += entryBytes;
  }
  return bytes;
}

function writeStatistics(bytes: Buffer, at: number, spaceId: number, { itemCount, sizeBytes }: SpaceStatistics): void {
  bytes.writeUInt32BE(spaceId, at);
  bytes.writeDoubleBE(itemCount, at + 4);
  bytes.writeDoubleBE(sizeBytes, at + 12);
}
