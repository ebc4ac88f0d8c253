import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { Consumer } from 'singlet/consumer';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ManualClock } from '../clock.ts';
import type { OpenDatabase } from '../testing/databases.ts';
import { drawn } from '../testing/drawn.ts';
import { createModelTable } from '../testing/model-tables.ts';
import type { RawItem, RawTable } from '../testing/raw-table.ts';
import { twoDatabases } from '../testing/two-databases.ts';
import { Workbench } from '../testing/workbench.ts';
import { Factory } from './factory.ts';
import { FIXTURE, usageItem } from './fixture.ts';
import type { ItemChange, StatsKeeper } from './material-stats.ts';
import { statsConsumer, statsKeeper } from './material-stats.ts';
import { additiveManufacturing } from './model.ts';

const STATS_1 = { PK: 'materialid:1', SK: 'stats' };
const NOW = Date.parse('2019-12-05T00:00:00Z') / 1000;

/** The change of a usage of material 1, as the consumer passes it. */
function changeOf(eventId: string, change: { readonly before?: number; readonly after?: number }): ItemChange {
  const usage = (massG: number) =>
    ({
      entity: 'MaterialUsage',
      item: { materialId: '1', orderId: '9', massG, volumeCm3: massG / 5, densityGcm3: 5, timestamp: NOW },
    }) as const;
  return {
    eventId,
    ...(change.before !== undefined && { oldImage: usage(change.before) }),
    ...(change.after !== undefined && { newImage: usage(change.after) }),
  };
}

describe.each(drawn('sums over the usages of a material', twoDatabases))(
  'sums over the usages of a material, $name',
  (database) => {
    let open: OpenDatabase;
    let bench: Workbench;
    let streams: DynamoDBStreamsClient;
    let running: Consumer[] = [];

    beforeAll(async () => {
      open = await database.open();
      bench = new Workbench(open);
      streams = new DynamoDBStreamsClient(open.clientConfig);
    });

    afterEach(async () => {
      await Promise.all(running.map(async (consumer) => consumer.stop()));
      running = [];
    });

    afterAll(async () => {
      streams.destroy();
      await bench.close();
    });

    async function openTable(): Promise<{
      readonly table: RawTable;
      readonly factory: Factory;
      readonly count: StatsKeeper;
      readonly stats: () => Promise<RawItem | undefined>;
    }> {
      const table = await createModelTable(bench, additiveManufacturing);
      const common = { client: bench.client, tableName: table.name, clock: new ManualClock('2019-12-05T00:00:00Z') };
      return {
        table,
        factory: new Factory(common),
        count: statsKeeper(common),
        stats: async () => table.get(STATS_1),
      };
    }

    test('AM-A13: one record that is delivered twice counts once', async () => {
      const { table, count, stats } = await openTable();
      expect(await count(changeOf('event-1', { after: 45 }))).toBe(true);
      expect(await count(changeOf('event-1', { after: 45 }))).toBe(false);
      const sums = { usageCount: 1, densitySum: 5, massSum: 45, volumeSum: 9 };
      expect(await stats()).toEqual({ ...STATS_1, type: 'MaterialStats', materialId: '1', ...sums });
      expect(await count(changeOf('event-2', { after: 66 }))).toBe(true);
      expect(await stats()).toMatchObject({ usageCount: 2, massSum: 111 });

      const marker = await table.get({ PK: 'event:event-1', SK: 'event:event-1' });
      expect(Number(marker?.['expiresAt']) - NOW).toBeGreaterThan(24 * 60 * 60);
    });

    test('AM-A13: workers that get one record at once count it once', async () => {
      const { count, stats } = await openTable();
      const counted = await Promise.all(
        Array.from({ length: 8 }, async () => await count(changeOf('event-1', { after: 45 }))),
      );
      expect(counted.filter(Boolean)).toHaveLength(1);
      expect(await stats()).toMatchObject({ usageCount: 1, massSum: 45 });
    });

    test('AM-W6: a changed usage adds the difference, a removed one takes its values out', async () => {
      const { factory, count, stats } = await openTable();
      await count(changeOf('event-1', { after: 45 }));
      await count(changeOf('event-2', { before: 45, after: 50 }));
      expect(await stats()).toMatchObject({ usageCount: 1, densitySum: 5, massSum: 50, volumeSum: 10 });
      await count(changeOf('event-3', { before: 50 }));
      expect(await stats()).toMatchObject({ usageCount: 0, densitySum: 0, massSum: 0, volumeSum: 0 });
      expect(await factory.averageDensityFromStats('1')).toMatchObject({ arithmetic: null });
    });

    test('AM-W6: by the table’s stream, with two workers, the sums are those of the usages, and nothing else counts', async () => {
      const { table, factory, count, stats } = await openTable();
      const toCount = 7; // Four usages of the sample, and three writes of two more.
      let countedAll = (): void => undefined;
      const allCounted = new Promise<void>((resolve) => (countedAll = resolve));
      let countedTotal = 0;
      const keeper: StatsKeeper = async (change) => {
        const isCounted = await count(change);
        countedTotal += Number(isCounted);
        if (countedTotal === toCount) {
          countedAll();
        }
        return isCounted;
      };
      for (const workerId of ['first', 'second']) {
        const consumer = statsConsumer({
          client: bench.newClient(),
          streams,
          tableName: table.name,
          count: keeper,
          pollIntervalMs: 2,
          workerId,
        });
        running.push(consumer);
        await consumer.start();
      }
      await table.putAll(FIXTURE);
      await table.put(usageItem('1', '3', [99, 33, 3, NOW]));
      await table.put(usageItem('1', '3', [10, 5, 2, NOW]));
      await table.put(usageItem('5', '3', [10, 5, 2, NOW]));
      await allCounted;

      expect(await stats()).toMatchObject({ usageCount: 3, densitySum: 12, massSum: 121, volumeSum: 27.2 });
      expect(await factory.averageDensityFromStats('1')).toEqual(await factory.averageDensity('1'));
      expect(await factory.averageDensityFromStats('2')).toEqual(await factory.averageDensity('2'));
      // Markers and sums also appeared in the stream, and were ignored.
      expect(countedTotal).toBe(toCount);
    });
  },
);
