import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandom } from './random.ts';
import { createZipf, spreadRank } from './zipf.ts';

/** How often each rank occurred in the given number of draws. */
function frequencies(count: number, exponent: number, draws: number): number[] {
  const zipf = createZipf({ count, exponent, random: createRandom(11) });
  const seen = Array.from({ length: count }, () => 0);
  for (let draw = 0; draw < draws; draw += 1) {
    const rank = zipf();
    seen[rank] = (seen[rank] ?? Number.NaN) + 1;
  }
  return seen;
}

describe('the choice by Zipf', () => {
  it.each([
    [1, 0.99],
    [2, 0.99],
    [10, 0.99],
    [50, 0.5],
    [50, 1],
    [50, 1.5],
  ])('of %i ranks with exponent %f comes as often as the law says', (count, exponent) => {
    const draws = 100_000;
    const weights = Array.from({ length: count }, (_, rank) => (rank + 1) ** -exponent);
    const sum = weights.reduce((total, weight) => total + weight, 0);
    for (const [rank, seen] of frequencies(count, exponent, draws).entries()) {
      const wanted = (draws * (weights[rank] ?? 0)) / sum;
      // Six standard deviations of a binomial. The seed is fixed, and a wrong distribution deviates by more.
      expect(Math.abs(seen - wanted)).toBeLessThanOrEqual(6 * Math.sqrt(wanted) + 1);
    }
  });

  it('stays within ten million ranks, prefers the first and reaches the far ones', () => {
    const count = 10_000_000;
    const zipf = createZipf({ count, exponent: 0.99, random: createRandom(3) });
    const ranks = Array.from({ length: 20_000 }, () => zipf());
    expect(ranks.every((rank) => Number.isSafeInteger(rank) && rank >= 0 && rank < count)).toBe(true);
    // The first has 1 / 17.0 of the draws: the sum over all ranks is 17.0 at this exponent and count.
    const first = ranks.filter((rank) => rank === 0).length;
    expect(first).toBeGreaterThan(1000);
    expect(first).toBeLessThan(1400);
    expect(Math.max(...ranks)).toBeGreaterThan(count / 2);
  });

  it('draws the same from the same seed', () => {
    expect(frequencies(20, 0.99, 1000)).toEqual(frequencies(20, 0.99, 1000));
  });
});

it('spreads the ranks over the items, each on one of its own', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3000 }), (count) => {
      const items = new Set(Array.from({ length: count }, (_, rank) => spreadRank(rank, count)));
      expect(items.size).toBe(count);
      expect([...items].every((item) => item >= 0 && item < count)).toBe(true);
    }),
  );
  expect(Math.abs(spreadRank(1, 1_000_000) - spreadRank(0, 1_000_000))).toBeGreaterThan(1000);
  expect(spreadRank(5, 7_368_787)).toBe(5);
});
