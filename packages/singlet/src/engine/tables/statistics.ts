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

/** Changes to one bucket, to be added to what is stored. */
export class StatisticsDelta {
  readonly #changes = new Map<number, { itemCount: number; sizeBytes: number }>();

  add(spaceId: number, itemCount: number, sizeBytes: number): void {
    const change = this.#changes.get(spaceId);
    if (change === undefined) {
      this.#changes.set(spaceId, { itemCount, sizeBytes });
    } else {
      change.itemCount += itemCount;
      change.sizeBytes += sizeBytes;
    }
  }

  /** What to store instead of `stored`, or undefined when nothing changes. */
  applyTo(stored: Uint8Array | undefined): Buffer | undefined {
    const totals = decodeStatistics(stored);
    let changed = false;
    for (const [spaceId, { itemCount, sizeBytes }] of this.#changes) {
      if (itemCount === 0 && sizeBytes === 0) continue;
      changed = true;
      const total = totals.get(spaceId);
      totals.set(spaceId, {
        itemCount: (total?.itemCount ?? 0) + itemCount,
        sizeBytes: (total?.sizeBytes ?? 0) + sizeBytes,
      });
    }
    return changed ? encodeStatistics(totals) : undefined;
  }
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
  for (const [spaceId, { itemCount, sizeBytes }] of totals) {
    bytes.writeUInt32BE(spaceId, offset);
    bytes.writeDoubleBE(itemCount, offset + 4);
    bytes.writeDoubleBE(sizeBytes, offset + 12);
    offset += entryBytes;
  }
  return bytes;
}
