import { expect, test } from 'vitest';
import { percentile, perSecond, recent } from './rate.ts';

test('a rate is of the last ten seconds', () => {
  const times = [100_000, 95_000, 90_001, 89_999, 50_000];
  const last = recent(times, (time) => time, 100_000);
  expect(last).toEqual([100_000, 95_000, 90_001]);
  expect(perSecond(last.length)).toBe(0.3);
  expect(recent([], (time: number) => time, 0)).toEqual([]);
});

test('percentiles are numbers that occurred', () => {
  const numbers = Array.from({ length: 100 }, (_, at) => 100 - at);
  expect([percentile(numbers, 0.5), percentile(numbers, 0.99), percentile(numbers, 1)]).toEqual([50, 99, 100]);
  expect([percentile([7], 0.5), percentile([7], 0.99), percentile([], 0.5)]).toEqual([7, 7, 0]);
});
