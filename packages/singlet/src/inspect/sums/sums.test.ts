import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KeyInsights } from '../../engine/capacity/key-insights.ts';
import type { HeatReport, RuleReport, ThroughputReport } from '../../engine/index.ts';
import { serviceLimits } from '../../values/limits.ts';
import { sumCapacity } from './capacity.ts';
import { sumHeat } from './heat.ts';
import { sumRules } from './rules.ts';
import { sumThrottling } from './throttling.ts';

const nowMs = Date.UTC(2026, 0, 1);
const schema = { partition: [{ attributeName: 'PK', attributeType: 'S' as const }], sort: [] };

describe('keys that several processes count', () => {
  test('have no weight that is too small, and none beyond its error; together they weigh all', () => {
    const accesses = fc.array(fc.tuple(fc.nat({ max: 2 }), fc.nat({ max: 12 }), fc.nat({ max: 9 })), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(accesses, (all) => {
        const limits = { ...serviceLimits, contributorKeyCountMax: 8 };
        const processes = [0, 1, 2].map(
          () => new KeyInsights(schema, { mode: 'ACCESSED_AND_THROTTLED_KEYS', limits, nowMs }),
        );
        const truth = new Map<string, number>();
        for (const [process, key, units] of all) {
          processes[process]?.accessed('Write', { PK: { S: `${key}` } }, units, nowMs);
          truth.set(`${key}`, (truth.get(`${key}`) ?? 0) + 3 * units);
        }
        const [sum] = sumRules(
          processes.map((process) => process.report(100, nowMs)),
          100,
        );
        expect(sum?.totalWeight).toBe([...truth.values()].reduce((total, weight) => total + weight, 0));
        for (const { key, weight, error } of sum?.contributors ?? []) {
          const { S: name } = key['PK'] as { readonly S: string };
          const known = processes.filter((process) => isCounted(process.report(100, nowMs), name)).length;
          // A full sketch says nothing about a key that it does not contain, but its list is shorter than what is reported.
          if (known === 3) expect(weight).toBeGreaterThanOrEqual(truth.get(name) ?? 0);
          expect(weight - error).toBeLessThanOrEqual(truth.get(name) ?? 0);
        }
      }),
    );
  });

  test('that a full list leaves out may weigh as much as its last one', () => {
    const list = (names: readonly string[]): readonly RuleReport[] => [
      {
        rule: 'PKC',
        sinceMs: nowMs,
        totalWeight: 300,
        contributors: names.map((S) => ({ key: { PK: { S } }, weight: 3, error: 0, reads: 3, writes: 0, heat: 0.1 })),
      },
    ];
    const full = Array.from({ length: 100 }, (_, n) => `full${n}`);
    const [sum] = sumRules([list(full), list(['other', 'full0'])], 2);
    expect(sum?.contributors).toEqual([
      { key: { PK: { S: 'full0' } }, weight: 6, error: 0, reads: 6, writes: 0, heat: 0.2 },
      { key: { PK: { S: 'other' } }, weight: 6, error: 3, reads: 3, writes: 0, heat: 0.1 },
    ]);
  });
});

function isCounted([rule]: readonly RuleReport[], name: string): boolean {
  return rule?.contributors.some(({ key }) => (key['PK'] as { readonly S: string }).S === name) ?? false;
}

test('throttled requests are counted by kind and limit, and the keys that met limits', () => {
  const part = (name: string, count: number, key: string, sinceEpochMs: number) => ({
    atEpochMs: nowMs,
    resources: [
      {
        tableName: name,
        refused: true,
        sinceEpochMs,
        counts: [{ kind: 'Read' as const, limit: 'KeyRangeThroughputExceeded' as const, count }],
        partitionKeys: [{ key: { PK: { S: key } }, reads: count, writes: 0, error: 0 }],
      },
    ],
  });
  expect(sumThrottling([part('B', 2, 'x', 20), part('A', 1, 'y', 30), part('B', 3, 'x', 10)])).toEqual({
    atEpochMs: nowMs,
    resources: [{ ...part('A', 1, 'y', 30).resources[0] }, { ...part('B', 5, 'x', 10).resources[0] }],
  });
});

test('units of a process whose partitions are others are counted where these begin, and none twice', () => {
  const units = (consumedUnits: number): ThroughputReport => ({
    unitsPerSecond: 10,
    bucketUnits: 5,
    bucketUnitsMax: 10,
    consumedUnitsPerSecond: 1,
    consumedUnits,
    throttledCount: consumedUnits,
  });
  const report = (starts: readonly string[], each: number) => ({
    tableName: 'T',
    tableArn: 'arn',
    billingMode: 'PAY_PER_REQUEST' as const,
    isThrottled: true,
    atEpochMs: nowMs,
    globalSecondaryIndexes: {},
    table: {
      itemCount: 1,
      sizeBytes: 1,
      readLimit: 'AccountLimitExceeded' as const,
      writeLimit: 'AccountLimitExceeded' as const,
      reads: units(each * starts.length),
      writes: units(0),
      partitions: starts.map((hashFrom, at) => ({
        hashFrom,
        hashTo: starts[at + 1] ?? null,
        sizeBytes: 0,
        splitCount: 0,
        heat: 0,
        reads: units(each),
        writes: units(0),
      })),
    },
  });
  const { table } = sumCapacity([report(['00', '80'], 1), report(['00', '40', '80', 'c0'], 10)]);
  expect(table.reads).toMatchObject({
    consumedUnits: 42,
    throttledCount: 42,
    bucketUnits: 5,
    consumedUnitsPerSecond: 1,
  });
  expect(table.partitions.map(({ reads }) => reads.consumedUnits)).toEqual([21, 21]);
});

test('heat of a process that was asked one step later is in the columns of the one that answers', () => {
  const heat = (from: number, reads: readonly number[], since: number): HeatReport => ({
    atMs: nowMs,
    from,
    stepMs: 5000,
    since,
    partitionReads: 3000,
    partitionWrites: 1000,
    partitions: [],
    rows: [{ hashFrom: '00', reads, writes: [0, 0, 0], throttled: [0, 0, 1] }],
    rules: [],
  });
  const sum = sumHeat([heat(10_000, [1, 2, 3], 5), heat(15_000, [20, 30, 40], 7), heat(5_000, [100, 200, 300], 6)]);
  expect(sum).toMatchObject({ from: 10_000, since: 7, rows: [{ reads: [201, 322, 33], throttled: [0, 1, 1] }] });
});
