import { expect, test } from 'vitest';
import { earlyEndMs, earlyEndsMax, RestartLimit } from './restart-limit.ts';

test('a worker that lasted is replaced at once, however often that is', () => {
  const limit = new RestartLimit();
  for (let end = 0; end < 100; end += 1) expect(limit.ended(earlyEndMs)).toBe(0);
});

test('one that ends early is replaced at once, then later and later, then no more', () => {
  const limit = new RestartLimit();
  const delays = Array.from({ length: earlyEndsMax }, () => limit.ended(earlyEndMs - 1));
  expect(delays).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, undefined]);
});

test('one in between that lasted makes up for those before', () => {
  const limit = new RestartLimit();
  for (let round = 0; round < 3; round += 1) {
    for (let early = 1; early < earlyEndsMax; early += 1) expect(limit.ended(0)).toBe((early - 1) * 100);
    expect(limit.ended(earlyEndMs)).toBe(0);
  }
});
