import {
  type ChooseBucket,
  noStatistics,
  StatisticsDelta,
  statisticsBucket,
  statisticsKeys,
} from '../catalog/statistics.ts';
import type { Table } from '../catalog/table.ts';
import type { FollowedChange, ItemFollower } from './item-follower.ts';

/** Maintains the counts and sizes of a table and its indexes; see `catalog/statistics.ts`. */
export function statisticsFollower({ record, bucketOfServer }: Table): ItemFollower {
  return new StatisticsFollower(record.itemSpace, bucketOfServer);
}

class StatisticsFollower implements ItemFollower {
  readonly keyCount = 1;
  readonly #itemSpace: number;
  readonly #bucketOfServer: ChooseBucket | undefined;
  /** By bucket: every write of the table needs one of them. */
  readonly #keys: readonly Buffer[];

  constructor(itemSpace: number, bucketOfServer: ChooseBucket | undefined) {
    this.#itemSpace = itemSpace;
    this.#bucketOfServer = bucketOfServer;
    this.#keys = statisticsKeys(itemSpace);
  }

  keyOf(itemKey: Buffer): Buffer {
    return this.#keys[(this.#bucketOfServer ?? statisticsBucket)(itemKey)] as Buffer; // a bucket is one of them
  }

  follow(change: FollowedChange): void {
    const { before, after, indexChanges } = change;
    const delta = new StatisticsDelta();
    delta.add(
      this.#itemSpace,
      (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1),
      (after?.sizeBytes ?? 0) - (before?.sizeBytes ?? 0),
    );
    for (const { index, itemCountDelta, sizeBytesDelta } of indexChanges) {
      delta.add(index.space, itemCountDelta, sizeBytesDelta);
    }
    const stored = change.read(0);
    // A driver for several servers keeps the place of an absent key for each decision that reads it. A value that is there is only shared.
    const isMissing = stored === undefined && this.#bucketOfServer !== undefined;
    const value = delta.applyTo(stored) ?? (isMissing ? noStatistics() : undefined);
    if (value !== undefined) change.replace(0, value);
  }
}
