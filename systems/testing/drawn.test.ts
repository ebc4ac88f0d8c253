import { expect, test } from 'vitest';
import { drawn, isDrawn } from './drawn.ts';

const seeds = Array.from({ length: 60 }, (_, at) => String(at));

test.each([
  [10, 3],
  [2, 3],
  [2, 2],
  [1, 3],
])('of %i combinations a run tries every one in %i, at least one, and some runs together try all', (count, share) => {
  const all = Array.from({ length: count }, (_, at) => at);
  const each = seeds.map((seed) => drawn('name', all, share, seed));
  const step = Math.min(count, share);
  for (const some of each) {
    expect(some.length).toBeGreaterThanOrEqual(Math.floor(count / step));
    expect(some.length).toBeLessThanOrEqual(Math.ceil(count / step));
  }
  expect(new Set(each.flat())).toEqual(new Set(all));
});

test('of nothing, nothing is drawn', () => {
  expect(drawn('name', [], 3, '1')).toEqual([]);
});

test('one in three names is drawn, each of them by some seed', () => {
  const names = Array.from({ length: 100 }, (_, at) => `screen-${at}`);
  const each = seeds.map((seed) => names.filter((name) => isDrawn(name, 3, seed)));
  const share = each.flat().length / (names.length * seeds.length);
  expect(share).toBeGreaterThan(0.28);
  expect(share).toBeLessThan(0.39);
  expect(new Set(each.flat())).toEqual(new Set(names));
});

test('the same seed draws the same, and another name something else', () => {
  const all = Array.from({ length: 9 }, (_, at) => at);
  const firsts = (seed: string): readonly unknown[] => ['a', 'b', 'c', 'd'].map((name) => drawn(name, all, 3, seed)[0]);
  expect(firsts('1')).toEqual(firsts('1'));
  expect(new Set(seeds.flatMap((seed) => new Set(firsts(seed)).size)).size).toBeGreaterThan(1);
});

test('a long check runs all', () => {
  expect(drawn('name', [1, 2, 3, 4], 3, 'all')).toEqual([1, 2, 3, 4]);
  expect(isDrawn('name', 3, 'all')).toBe(true);
  // What the suite has drawn, or all.
  const expected = process.env['COMBINATIONS'] === 'all' ? 12 : 4;
  expect(drawn('name', Array.from({ length: 12 }), 3)).toHaveLength(expected);
});
