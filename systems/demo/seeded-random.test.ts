import { describe, expect, test } from 'vitest';
import { SeededRandom } from './seeded-random.ts';

describe('seeded random numbers', () => {
  const tenOf = (seed: number): number[] => {
    const random = new SeededRandom(seed);
    return Array.from({ length: 10 }, () => random.fraction());
  };

  test('are the same with the same seed, and others with another', () => {
    expect(tenOf(7)).toEqual(tenOf(7));
    expect(tenOf(7)).not.toEqual(tenOf(8));
  });

  test('spread evenly between 0 and 1', () => {
    const random = new SeededRandom(1);
    const buckets = Array<number>(10).fill(0);
    for (let drawn = 0; drawn < 10_000; drawn += 1) {
      const bucket = Math.floor(random.fraction() * 10);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    expect(Math.min(...buckets)).toBeGreaterThan(850);
    expect(buckets.reduce((sum, count) => sum + count)).toBe(10_000);
  });

  test('whole numbers reach both ends and nothing beyond', () => {
    const random = new SeededRandom(2);
    const drawn = new Set(Array.from({ length: 200 }, () => random.integer(3, 5)));
    expect(drawn).toEqual(new Set([3, 4, 5]));
  });

  test('weights decide how often an index comes up, and a weight of nothing means never', () => {
    const random = new SeededRandom(3);
    const counts = [0, 0, 0];
    for (let drawn = 0; drawn < 1000; drawn += 1) {
      const index = random.weightedIndex([1, 0, 3]);
      counts[index] = (counts[index] ?? 0) + 1;
    }
    expect(counts[1]).toBe(0);
    expect(counts[2]! / counts[0]!).toBeGreaterThan(2);
  });
});
