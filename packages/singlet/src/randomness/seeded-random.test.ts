import { expect, test } from 'vitest';
import { SeededRandom } from './seeded-random.ts';

function draw(seed: number, count: number): number[] {
  const random = new SeededRandom(seed);
  return Array.from({ length: count }, () => random.next());
}

test('repeats itself for a seed, and differs between seeds', () => {
  expect(draw(1, 100)).toEqual(draw(1, 100));
  const firsts = Array.from({ length: 1_000 }, (_, seed) => draw(seed, 1)[0]);
  expect(new Set(firsts).size).toBe(1_000);
});

test('spreads evenly, whatever the seed', () => {
  for (const seed of [0, 1, 2, -5, 1e9, 2 ** 31]) {
    const numbers = draw(seed, 20_000);
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    for (let tenth = 0; tenth < 10; tenth += 1) {
      const count = numbers.filter((number) => Math.floor(number * 10) === tenth).length;
      expect(count).toBeGreaterThan(1_800);
      expect(count).toBeLessThan(2_200);
    }
  }
});

test('draws integers between both bounds and chances by their probability', () => {
  const random = new SeededRandom(3);
  const drawn = new Set(Array.from({ length: 500 }, () => random.integer(-2, 4)));
  expect([...drawn].toSorted((left, right) => left - right)).toEqual([-2, -1, 0, 1, 2, 3, 4]);
  expect(Array.from({ length: 100 }, () => random.chance(0)).some(Boolean)).toBe(false);
  expect(Array.from({ length: 100 }, () => random.chance(1)).every(Boolean)).toBe(true);
});
