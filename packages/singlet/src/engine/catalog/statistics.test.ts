import { describe, expect, test } from 'vitest';
import { openMemoryStore } from '../../storage/memory/memory-store.ts';
import { ScrubPass } from '../doctor/scrub-pass.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { putItem } from '../operations/put-item.ts';
import { findInconsistencies } from '../testing/consistency.ts';
import { keys, onDemandTable, strings } from '../testing/table-requests.ts';
import { createdTable } from '../testing/test-engine.ts';
import { ManualClock, seededRandom, testContext, testServices, testStartMs } from '../testing/test-services.ts';
import { Catalog } from './catalog.ts';
import { bucketOfServer, decodeStatistics, readSizes, statisticsBucketCount, statisticsKeys } from './statistics.ts';
import type { Table } from './table.ts';

const tableName = 'Table';
const key = (number: number): { readonly pk: { readonly S: string } } => ({ pk: { S: `item ${number}` } });

describe('counts of a table that several servers write to', () => {
  test('are exact in sum, although each server has a bucket of its own, which may be below zero', async () => {
    const store = openMemoryStore();
    const serverOf = (bucket: number): ReturnType<typeof testServices> => {
      const services = testServices({ store, seed: bucket });
      return { ...services, catalog: new Catalog(store, services.clock, () => bucket) };
    };
    const [one, other] = [serverOf(3), serverOf(9)];
    await createdTable(one, onDemandTable({ attributeDefinitions: strings('pk'), keySchema: keys('pk') }));
    for (let number = 0; number < 20; number += 1) {
      await putItem(one, { tableName, item: key(number) }, testContext);
    }
    for (let number = 0; number < 15; number += 1) {
      await deleteItem(other, { tableName, key: key(number) }, testContext);
    }
    const table = (await one.catalog.load(testContext, tableName)) as Table; // created above
    const { itemSpace } = table.record;
    expect((await readSizes(store, itemSpace)).get(itemSpace)?.itemCount).toBe(5);
    const buckets = await store.read(statisticsKeys(itemSpace), (values) =>
      values.map((value) => decodeStatistics(value).get(itemSpace)?.itemCount),
    );
    expect(buckets.flatMap((itemCount, bucket) => (itemCount === undefined ? [] : [[bucket, itemCount]]))).toEqual([
      [3, 20],
      [9, -15],
    ]);
    expect(await findInconsistencies(store, table)).toEqual([]);
    const pass = new ScrubPass(one, Infinity);
    await pass.run();
    expect(pass.report.findings).toEqual([]);
  });

  test('go to all buckets in time, and two servers do not share one for long', () => {
    const clock = new ManualClock(testStartMs);
    const servers = [1, 2].map((seed) => bucketOfServer({ clock, random: seededRandom(seed) }));
    const drawn = Array.from({ length: 1_000 }, () => {
      clock.advance(60_000);
      return servers.map((choose) => choose(new Uint8Array(20)));
    });
    for (const at of servers.keys()) {
      expect(new Set(drawn.map((buckets) => buckets[at])).size).toBe(statisticsBucketCount);
    }
    const shared = drawn.filter(([one, other]) => one === other).length;
    expect(shared).toBeLessThan(1_000 / 8);
    expect(drawn.flat().every((bucket) => bucket !== undefined && bucket >= 0)).toBe(true);
  });
});
