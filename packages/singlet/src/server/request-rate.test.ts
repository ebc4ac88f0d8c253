import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ratedCallersMax, RequestRate } from './request-rate.ts';

test('so many a second are admitted, and others when time has passed', () => {
  let now = 0;
  const refused: string[] = [];
  const rate = new RequestRate({ perSecond: 10, nowMs: () => now, onRefused: (caller) => refused.push(caller) });
  const admitted = (caller: string, count: number): number =>
    Array.from({ length: count }, () => rate.admits(caller)).filter(Boolean).length;
  expect([admitted('a', 12), admitted('b', 3)]).toEqual([10, 3]);
  expect(refused).toEqual(['a', 'a']);
  now += 250;
  expect([admitted('a', 5), admitted('b', 20)]).toEqual([2, 9]);
  now += 60_000;
  expect(admitted('a', 100)).toBe(10);
  expect(() => rate.take('a')).toThrow('Rate exceeded');
});

test('over any time no more are admitted than the rate and what may come at once', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 200 }),
      (perSecond, pauses) => {
        let now = 1000;
        const rate = new RequestRate({ perSecond, nowMs: () => now });
        let admitted = 0;
        for (const pause of pauses) {
          now += pause;
          if (rate.admits('a')) admitted += 1;
        }
        const spentMs = now - 1000;
        expect(admitted).toBeLessThanOrEqual(perSecond + (spentMs / 1000) * perSecond + 1e-6);
        // And no slower request is refused.
        now += 1000;
        expect(rate.admits('a')).toBe(true);
      },
    ),
  );
});

test('however many callers there are, so many are kept', () => {
  const rate = new RequestRate({ perSecond: 1, nowMs: () => 0 });
  for (let caller = 0; caller < ratedCallersMax + 50; caller += 1) rate.admits(`caller ${caller}`);
  expect(rate.callerCount).toBe(ratedCallersMax);
});
