import type { ConnectOptions, ItemReader } from '@singlet/model';
import { connect, itemReader, RuleError } from '@singlet/model';
import type { Clock } from '../clock.ts';
import { epochSecondsOf } from '../clock.ts';
import { additiveManufacturing } from './model.ts';

/** Longer than a stream keeps its records: until then one may come again. */
const EVENT_LIFETIME_SECONDS = 2 * 24 * 60 * 60;

type Image = Parameters<ItemReader<typeof additiveManufacturing.entities>>[0];

/** A change of an item, as a consumer of the stream gets it. */
export interface ItemChange {
  /** The same each time the change is told of. */
  readonly eventId: string;
  readonly oldImage?: Image;
  readonly newImage?: Image;
}

/** Counts a change; says whether it made a difference. */
export type StatsKeeper = (change: ItemChange) => Promise<boolean>;

/**
 * AM-W6: keeps the sums over the usages of each material. A new usage adds its values, a removed one takes them out, a changed
 * one adds the difference; all other items are none of its business. A stream tells of a change at least once: each is
 * counted in one transaction with a marker of its event, and a second time the marker is in the way.
 */
export function statsKeeper({
  client,
  clock,
  tableName = 'additive-manufacturing',
}: {
  readonly client: ConnectOptions['client'];
  readonly clock: Clock;
  readonly tableName?: string;
}): StatsKeeper {
  const tables = { 'additive-manufacturing': tableName };
  const db = connect(additiveManufacturing, { client, tables, now: () => clock.nowMs() });
  const read = itemReader(additiveManufacturing);
  const usageIn = (image: Image | undefined): Usage | undefined => {
    const found = image && read(image);
    return found?.entity === 'MaterialUsage' ? found.item : undefined;
  };
  return async ({ eventId, oldImage, newImage }) => {
    const before = usageIn(oldImage);
    const after = usageIn(newImage);
    const usage = after ?? before;
    if (!usage) {
      return false;
    }
    const difference = (value: (usage: Usage) => number): number =>
      (after ? value(after) : 0) - (before ? value(before) : 0);
    try {
      await db.countUsage({
        event: { eventId, expiresAt: epochSecondsOf(clock) + EVENT_LIFETIME_SECONDS },
        stats: {
          materialId: usage.materialId,
          usages: difference(() => 1),
          density: difference(({ densityGcm3 }) => densityGcm3),
          mass: difference(({ massG }) => massG),
          volume: difference(({ volumeCm3 }) => volumeCm3),
        },
      });
      return true;
    } catch (error) {
      if (error instanceof RuleError && error.code === 'already-exists') {
        return false;
      }
      throw error;
    }
  };
}

interface Usage {
  readonly materialId: string;
  readonly massG: number;
  readonly volumeCm3: number;
  readonly densityGcm3: number;
}
