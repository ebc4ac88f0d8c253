import { describe, expect, it } from 'vitest';
import { createPlan, type PlanOptions, subjectsOf, variationNames } from './plan.ts';
import { scenarioNames } from './scenarios.ts';

const plan = (change: Partial<PlanOptions> = {}) =>
  createPlan({
    groups: new Set<string>([...scenarioNames, ...variationNames]),
    itemCount: 1_000_000,
    concurrency: 32,
    quick: false,
    ...change,
  });

describe('the plan', () => {
  it('has what was asked for, in its own order', () => {
    expect(plan().map(({ name }) => name)).toEqual([
      ...scenarioNames,
      'sdk',
      'workers',
      'access',
      'connections',
      'sizes',
      'indexes',
      'streams',
    ]);
    expect(plan({ groups: new Set(['streams', 'put', 'startup']) }).map(({ name }) => name)).toEqual([
      'put',
      'streams',
    ]);
    expect(plan({ groups: new Set() })).toEqual([]);
  });

  it('names every case once', () => {
    const ids = plan().flatMap(({ cases }) => cases.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('varies one thing of the base case at a time', () => {
    const base = { itemBytes: 1024, indexCount: 0, stream: false };
    for (const { cases } of plan()) {
      for (const { ring, concurrency } of cases) {
        const changes = (['itemBytes', 'indexCount', 'stream'] as const).filter(
          (name) => ring.table[name] !== base[name],
        );
        expect(changes.length + (concurrency === 32 ? 0 : 1)).toBeLessThanOrEqual(1);
      }
    }
  });

  it('gives tables that differ different names, and equal ones the same', () => {
    const tables = plan().flatMap(({ cases }) => cases.map(({ ring }) => ring.table));
    const byName = new Map(tables.map((table) => [table.name, JSON.stringify(table)]));
    expect(new Set(byName.values()).size).toBe(byName.size);
    for (const table of tables) expect(byName.get(table.name)).toBe(JSON.stringify(table));
  });

  it('compares what costs more with a table as large as its own', () => {
    const [indexes] = plan({ groups: new Set(['indexes']) });
    expect(new Set(indexes?.cases.map(({ ring }) => ring.table.itemCount))).toEqual(new Set([50_000]));
    const [small] = plan({ groups: new Set(['indexes']), itemCount: 20_000 });
    expect(small?.cases[0]?.ring.table).toMatchObject({ name: 'Bench', itemCount: 20_000 });
  });

  it('bounds the tables with large items, and has whole partitions', () => {
    const [sizes] = plan({ groups: new Set(['sizes']), itemCount: 999_999 });
    for (const { ring } of sizes?.cases ?? []) {
      expect(ring.table.itemCount * ring.table.itemBytes).toBeLessThan(130 * 2 ** 20);
      expect(ring.table.itemCount % 200).toBe(0);
    }
    expect(plan({ itemCount: 1001 })[0]?.cases[0]?.ring.table.itemCount).toBe(1200);
  });

  it('starts those that others are measured through, before them', () => {
    const subjects = [...subjectsOf(plan({ groups: new Set(['sdk']) }))];
    expect(subjects).toEqual(
      expect.arrayContaining([
        'http-floor',
        'dynalite-memory',
        'dynoxide-memory',
        'singlet-disk',
        'in-process-request',
      ]),
    );
    expect(subjects.indexOf('singlet-disk')).toBeLessThan(subjects.indexOf('sdk-singlet'));
    expect([...subjectsOf(plan({ groups: new Set(['workers']) }))]).toEqual([
      'http-floor',
      'singlet-disk',
      'singlet-workers',
    ]);
  });
});
