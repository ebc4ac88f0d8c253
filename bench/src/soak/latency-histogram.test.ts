import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { percentile } from '../statistics.ts';
import { LatencyHistogram } from './latency-histogram.ts';

test('a percentile is that of the values, to 3 percent', () => {
  const values = fc.array(fc.double({ min: 0.001, max: 100_000, noNaN: true }), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(values, fc.constantFrom(0.01, 0.5, 0.99, 1), (list, fraction) => {
      const histogram = new LatencyHistogram();
      for (const ms of list) histogram.add(ms);
      const sorted = list.toSorted((a, b) => a - b);
      const ratio = histogram.percentileMs(fraction) / percentile(sorted, fraction);
      expect(ratio).toBeGreaterThan(0.999);
      expect(ratio).toBeLessThan(1.03);
      expect(histogram.maxMs).toBe(sorted.at(-1));
      expect(histogram.count).toBe(list.length);
    }),
  );
});

test('there is none of nothing', () => {
  expect(new LatencyHistogram().percentileMs(0.99)).toBeNaN();
});
