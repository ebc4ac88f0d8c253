import { describe, expect, test } from 'vitest';
import { createRandom } from '../random.ts';
import { type PlacementPlan, simulatePlacement } from './placement.ts';

const plan: PlacementPlan = {
  placements: 4_096,
  servers: [3, 4, 8, 16],
  partitionKeys: 200_000,
  largestCollection: 1_000,
  skew: 0.9,
  requestsPerSecond: 1_000_000,
  requestsPerKeyMax: 4_000,
};
const fractions = (seed: number): (() => number) => {
  const random = createRandom(seed);
  return () => random(2 ** 30) / 2 ** 30;
};
const stepsOf = (changes: Partial<PlacementPlan> = {}): ReturnType<typeof simulatePlacement> =>
  simulatePlacement({ ...plan, ...changes }, fractions(7));

describe('placement', () => {
  test('moves little more than has to move when servers are added, and nothing otherwise', () => {
    const [first, ...grown] = stepsOf();
    expect(first?.moved).toBe(0);
    for (const { moved, leastMoved } of grown) {
      expect(moved).toBeGreaterThan(leastMoved * 0.8);
      expect(moved).toBeLessThan(leastMoved * 1.05);
    }
  });

  test('fills servers evenly with many placements, and unevenly with few', () => {
    const fullest = (placements: number): number => Math.max(...stepsOf({ placements }).map((step) => step.fullest));
    expect(fullest(4_096)).toBeLessThan(1.4);
    expect(fullest(32)).toBeGreaterThan(1.5);
  });

  test('cannot divide a hot key: without the limit of a key one server has it whole', () => {
    const uncut = stepsOf({ skew: 1.2, requestsPerKeyMax: Infinity }).at(-1);
    expect(uncut?.busiest).toBeGreaterThan(2);
    expect(stepsOf({ skew: 1.2 }).at(-1)?.busiest).toBeLessThan(1.5);
  });
});
