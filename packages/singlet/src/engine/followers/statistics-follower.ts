import { StatisticsDelta, statisticsBucket, statisticsKey } from '../catalog/statistics.ts';
import type { Table } from '../catalog/table.ts';
import type { FollowedChange, ItemFollower } from './item-follower.ts';

/** Maintains the counts and sizes of a table and its indexes; see `catalog/statistics.ts`. */
export function statisticsFollower({ record }: Table): ItemFollower {
  return new StatisticsFollower(record.itemSpace);
}

class StatisticsFollower implements ItemFollower {
  readonly keyCount = 1;
  readonly #itemSpace: number;

  constructor(itemSpace: number) {
    this.#itemSpace = itemSpace;
  }

  keyOf(itemKey: Buffer): Buffer {
    return statisticsKey(this.#itemSpace, statisticsBucket(itemKey));
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
    const value = delta.applyTo(change.read(0));
    if (value !== undefined) change.replace(0, value);
  }
}
