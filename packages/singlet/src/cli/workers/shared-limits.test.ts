import { expect, test } from 'vitest';
import { ConnectionLimit, RequestLimit, RequestRate } from '../../server/index.ts';
import { SharedLimits } from './shared-limits.ts';

const perSecond = 10;

function worker(nowMs: () => number) {
  const requests = new RequestLimit({ perIdentity: 2 });
  const identityRate = new RequestRate({ perSecond, nowMs });
  const limits = new SharedLimits({ connections: new ConnectionLimit({}), requests, identityRate });
  limits.report(); // from now on it keeps what the others have to know
  return { requests, identityRate, limits };
}

test('concurrent requests of an identity are limited over all workers', () => {
  const [first, second] = [worker(() => 0), worker(() => 0)];
  first.requests.begin('ann', 0);
  first.requests.begin('ann', 0);
  second.limits.add(0, first.limits.report());
  expect(() => second.requests.check('ann', 0)).toThrow('Rate exceeded');
  second.requests.begin('bob', 0);
  first.requests.end('ann', 0);
  second.limits.add(0, first.limits.report());
  second.requests.check('ann', 0);
  second.requests.begin('ann', 0);
  // A worker that has exited answers nothing.
  expect(() => second.requests.check('ann', 0)).toThrow('Rate exceeded');
  second.limits.forget(0);
  second.requests.check('ann', 0);
  second.requests.begin('ann', 0);
  // One that has started learns what has not changed for long.
  const third = worker(() => 0);
  expect(second.limits.report()).not.toEqual({});
  expect(second.limits.report()).toEqual({});
  third.limits.add(1, second.limits.report(true));
  expect(() => third.requests.check('ann', 0)).toThrow('Rate exceeded');
});

test('requests a second of an identity are limited over all workers', () => {
  let nowMs = 0;
  const workers = [worker(() => nowMs), worker(() => nowMs), worker(() => nowMs)];
  let admitted = 0;
  for (; nowMs < 10_000; nowMs += 50) {
    for (const { identityRate } of workers)
      for (let request = 0; request < 3; request += 1) admitted += identityRate.admits('ann') ? 1 : 0;
    for (const [from, { limits }] of workers.entries()) {
      const report = limits.report();
      for (const [at, other] of workers.entries()) if (at !== from) other.limits.add(from, report);
    }
  }
  // The burst of the first second, and what workers admit before they hear of each other.
  expect(admitted).toBeGreaterThanOrEqual(perSecond * 10);
  expect(admitted).toBeLessThan(perSecond * 10 * 1.5);
  // A caller that stops may go on a second later, whatever the others had admitted.
  nowMs += 2_000;
  for (const { identityRate } of workers) expect(identityRate.admits('ann')).toBe(true);
});
