import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openMemoryStore } from '../../storage/memory/memory-store.ts';
import { throttlingReport } from '../operations/throttling-report.ts';
import { testContext, testServices } from '../testing/test-services.ts';
import { smallPartitions, ThrottledTable } from '../testing/throttled-table.ts';
import type { ConsumptionNote } from './shared-consumption.ts';

const rate = 10;
const tickMs = 100;

/** Processes that serve one table, and tell each other at intervals what they consume. */
class Processes {
  readonly tables: readonly ThrottledTable[];

  private constructor(tables: readonly ThrottledTable[]) {
    this.tables = tables;
  }

  static async open(count: number, options: Parameters<typeof testServices>[0] = {}): Promise<Processes> {
    const store = openMemoryStore();
    const common = { store, throttle: true, isShared: true, ...options };
    const first = await ThrottledTable.open({ reads: rate, writes: rate }, common);
    const others = Array.from({ length: count - 1 }, () => new ThrottledTable(testServices(common)));
    return new Processes([first, ...others]);
  }

  async tick(): Promise<void> {
    for (const from of this.tables) {
      // As received through the channel between processes.
      const notes = JSON.parse(JSON.stringify(from.services.capacity.takeConsumption())) as ConsumptionNote[];
      for (const to of this.tables.filter((each) => each !== from)) await tell(to, notes);
    }
    for (const table of this.tables) table.wait(tickMs / 1000);
  }
}

async function tell(to: ThrottledTable, notes: readonly ConsumptionNote[]): Promise<void> {
  for (const note of notes) {
    const table = await to.services.catalog.load(note.context, note.tableName);
    if (table !== undefined) to.services.capacity.consumeElsewhere(table, note);
  }
}

describe('several processes', () => {
  it('admit as much together as the table has', async () => {
    const demand = fc.array(fc.tuple(fc.nat(2), fc.nat(12)), { minLength: 20, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(demand, fc.boolean(), async (steps, reads) => {
        const processes = await Processes.open(3);
        let served = 0;
        let mostInTick = 0;
        for (const [process, requests] of steps) {
          const table = processes.tables[process]!;
          const done = await table.count(requests, (n) => (reads ? table.get(`k${n}`) : table.put(`k${n}`)));
          served += done;
          mostInTick = Math.max(mostInTick, done);
          await processes.tick();
        }
        const seconds = (steps.length * tickMs) / 1000;
        expect(served).toBeLessThanOrEqual(rate * (seconds + 1) + mostInTick);
      }),
      { numRuns: 20 },
    );
  });

  it('admit together what one admits alone, whichever of them is asked', async () => {
    for (const asked of [[0], [1], [0, 1, 2]]) {
      const processes = await Processes.open(3);
      let served = 0;
      for (let tick = 0; tick < 100; tick += 1) {
        for (const process of asked) {
          const table = processes.tables[process]!;
          served += await table.count(5, (n) => table.put(`k${n}`));
        }
        await processes.tick();
      }
      // Ten seconds and the initial one, and what two other processes admit before they are informed.
      expect(served).toBeGreaterThanOrEqual(rate * 10);
      expect(served).toBeLessThanOrEqual(rate * 11 + 10);
    }
  });

  it('share the throughput of a partition', async () => {
    const processes = await Processes.open(2, { limits: smallPartitions });
    const [one, other] = processes.tables as [ThrottledTable, ThrottledTable];
    expect(await one.count(50, (n) => one.get('hot', `s${n}`))).toBe(10);
    await processes.tick();
    // One unit has been added since.
    expect(await other.count(50, (n) => other.get('hot', `s${n}`))).toBe(1);
    const { reads, partitions } = (await other.report()).table;
    expect(reads.consumedUnits).toBe(1);
    expect(reads.consumedUnitsPerSecond).toBeCloseTo(11 / 60);
    expect(partitions[0]!.reads.bucketUnits).toBeLessThan(30);
  });

  it('owe what one request took too much, all of them', async () => {
    const processes = await Processes.open(2);
    const [one, other] = processes.tables as [ThrottledTable, ThrottledTable];
    expect(await one.put('large', 'item', { data: { S: 'x'.repeat(100 * 1024) } })).toBe('done');
    await processes.tick();
    expect((await other.report()).table.writes.bucketUnits).toBeLessThan(-80);
    expect(await other.put('small')).toBe('TableWriteProvisionedThroughputExceeded');
    for (let tick = 0; tick < 95; tick += 1) await processes.tick();
    expect(await other.put('small')).toBe('done');
  });

  it('tell each other what was throttled', async () => {
    const processes = await Processes.open(2, { throttle: 'report' });
    const [one, other] = processes.tables as [ThrottledTable, ThrottledTable];
    expect(await one.count(25, (n) => one.put(n < 20 ? 'hot' : 'cold', `s${n}`))).toBe(25);
    await processes.tick();
    const [report] = throttlingReport(other.services, testContext).resources;
    expect(report).toMatchObject({
      tableName: 'Table',
      refused: false,
      counts: [{ kind: 'Write', limit: 'ProvisionedThroughputExceeded', count: 15 }],
      partitionKeys: [
        { key: { PK: { S: 'hot' } }, writes: 10 },
        { key: { PK: { S: 'cold' } }, writes: 5 },
      ],
    });
    // A request that would have been refused has consumed nothing: the bucket is unchanged.
    expect((await other.report()).table.writes.bucketUnits).toBe(1);
  });

  it('a table that is gone is left out', async () => {
    const { tables } = await Processes.open(2);
    await tables[0]!.put('k');
    const [note] = tables[0]!.services.capacity.takeConsumption();
    const table = await tables[1]!.services.catalog.load(testContext, 'Table');
    tables[1]!.services.capacity.consumeElsewhere(table!, { ...note!, space: 999_999 });
    expect((await tables[1]!.report()).table.writes.bucketUnits).toBe(rate);
  });
});

describe('a report of what would be throttled', () => {
  it('names as many requests as would be refused, and refuses none', async () => {
    const step = fc.oneof(
      fc.record({ seconds: fc.integer({ min: 1, max: 20 }).map((n) => n / 4) }),
      fc.record({ bytes: fc.nat(5000) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        const enforced = await ThrottledTable.open({ writes: 3 }, { limits: { burstSecondsMax: 4 } });
        const reported = await ThrottledTable.open(
          { writes: 3 },
          { limits: { burstSecondsMax: 4 }, throttle: 'report' },
        );
        let refused = 0;
        for (const [n, one] of steps.entries()) {
          if ('seconds' in one) {
            for (const table of [enforced, reported]) table.wait(one.seconds);
            continue;
          }
          const data = { data: { S: 'x'.repeat(one.bytes) } };
          if ((await enforced.put(`k${n}`, 'item', data)) !== 'done') refused += 1;
          expect(await reported.put(`k${n}`, 'item', data)).toBe('done');
        }
        const { resources } = throttlingReport(reported.services, testContext);
        expect(resources[0]?.counts.find(({ limit }) => limit.startsWith('Provisioned'))?.count ?? 0).toBe(refused);
        const before = (await enforced.report()).table.writes.bucketUnits;
        expect((await reported.report()).table.writes.bucketUnits).toBeCloseTo(before, 6);
      }),
      { numRuns: 25 },
    );
  });

  it('is a line of the log every ten seconds, with the key', async () => {
    const table = await ThrottledTable.open({ writes: 1 }, { throttle: { tables: ['Table'], report: true } });
    await table.count(10, () => table.put('hot'));
    table.wait(10);
    await table.count(20, () => table.put('hot'));
    expect(table.services.logged.filter(({ event }) => event === 'would-throttle')).toEqual([
      {
        level: 'warn',
        event: 'would-throttle',
        table: 'Table',
        kind: 'Write',
        limits: ['ProvisionedThroughputExceeded'],
        partitionKey: '{"PK":{"S":"hot"}}',
        count: 1,
      },
      expect.objectContaining({ count: 9 }),
    ]);
    expect((await table.report()).isThrottled).toBe(false);
  });

  it('is none of the tables that are not named', async () => {
    const table = await ThrottledTable.open({ writes: 1 }, { throttle: { tables: ['Other'], report: true } });
    await table.count(10, () => table.put('hot'));
    expect(throttlingReport(table.services, testContext).resources).toEqual([]);
  });
});
