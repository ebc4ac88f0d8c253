import type { ConnectOptions, EntityItem } from '@singlet/model';
import { connect, itemReader, RuleError } from '@singlet/model';
import { type Consumer, type ConsumerOptions, createConsumer } from 'singlet/consumer';
import type { Clock } from '../clock.ts';
import { epochSecondsOf } from '../clock.ts';
import type { MaterialUsage } from './factory.ts';
import { additiveManufacturing } from './model.ts';

/** Longer than a stream keeps its records: until then a record may be repeated. */
const EVENT_LIFETIME_SECONDS = 2 * 24 * 60 * 60;

type FactoryItem = EntityItem<typeof additiveManufacturing.entities> | undefined;

/** A change of an item, as a consumer of the stream receives it. */
export interface ItemChange {
  /** The same each time the change is delivered. */
  readonly eventId: string;
  readonly oldImage?: FactoryItem;
  readonly newImage?: FactoryItem;
}

/** Counts a change. Returns whether it made a difference. */
export type StatsKeeper = (change: ItemChange) => Promise<boolean>;

export interface StatsKeeperOptions {
  readonly client: ConnectOptions['client'];
  readonly clock: Clock;
  readonly tableName?: string;
}

/**
 * AM-W6: keeps the sums over the usages of each material. A new usage adds its values, a removed one subtracts them, a changed
 * one adds the difference. All other items are ignored. A stream delivers a change at least once. Each is
 * counted in one transaction with a marker of its event, which refuses a second delivery.
 */
export function statsKeeper({ client, clock, tableName = 'additive-manufacturing' }: StatsKeeperOptions): StatsKeeper {
  const tables = { 'additive-manufacturing': tableName };
  const db = connect(additiveManufacturing, { client, tables, now: () => clock.nowMs() });
  return async ({ eventId, oldImage, newImage }) => {
    const before = usageIn(oldImage);
    const after = usageIn(newImage);
    const usage = after ?? before;
    if (!usage) {
      return false;
    }
    const difference = (value: (usage: MaterialUsage) => number): number =>
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

type ConsumerSettings = Omit<ConsumerOptions<FactoryItem>, 'dynamodb' | 'tableName' | 'handler' | 'unmarshall'>;

/** A worker that reads the table's stream and has its changes counted. Several of them share the work. */
export function statsConsumer({
  client,
  tableName,
  count,
  ...settings
}: ConsumerSettings & {
  readonly client: ConnectOptions['client'];
  readonly tableName: string;
  readonly count: StatsKeeper;
}): Consumer {
  return createConsumer<FactoryItem>({
    ...settings,
    dynamodb: client,
    tableName,
    unmarshall: itemReader(additiveManufacturing),
    handler: async (records) => {
      for (const record of records) {
        await count(record);
      }
    },
  });
}

function usageIn(image: FactoryItem): MaterialUsage | undefined {
  return image?.entity === 'MaterialUsage' ? image.item : undefined;
}
