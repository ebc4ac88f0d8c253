import { expect, test } from 'vitest';
import { RandomSource } from './random-source.ts';

test('the same seed gives the same draws, and another one others', () => {
  const draws = (seed: number): number[] => {
    const random = new RandomSource(seed);
    return Array.from({ length: 20 }, () => random.next());
  };
  expect(draws(7)).toEqual(draws(7));
  expect(new Set([...draws(1), ...draws(2), ...draws(3)]).size).toBe(60);
});

test.each([0, 1, 12, 42, 100, 2 ** 31])('draws of seed %i do not come round', (seed) => {
  const random = new RandomSource(seed);
  const seen = new Set<number>();
  const count = 50_000;
  for (let i = 0; i < count; i += 1) seen.add(random.next());
  // Among 2^32 values, 50,000 draws repeat fewer than one on average.
  expect(seen.size).toBeGreaterThan(count - 10);
});

test('draws spread evenly', () => {
  const random = new RandomSource(5);
  const counts = Array.from({ length: 10 }, () => 0);
  for (let i = 0; i < 10_000; i += 1) {
    const drawn = random.below(10);
    counts[drawn] = (counts[drawn] ?? 0) + 1;
  }
  for (const count of counts) expect(count).toSatisfy((each: number) => each > 850 && each < 1150);
});

test('parts of the work draw independently of each other', () => {
  const source = new RandomSource(3);
  expect(source.fork(1).next()).toBe(source.fork(1).next());
  expect(source.fork(1).next()).not.toBe(source.fork(2).next());
});
