import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { median, percentile, ratios, spread } from './statistics.ts';

describe('percentile', () => {
  it('is the nearest rank', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
    expect(percentile(hundred, 0.5)).toBe(50);
    expect(percentile(hundred, 0.99)).toBe(99);
    expect(percentile(hundred, 0.991)).toBe(100);
    expect(percentile(hundred, 1)).toBe(100);
    expect(percentile(hundred, 0)).toBe(1);
    expect(percentile([7], 0.99)).toBe(7);
    expect(percentile(Float64Array.of(1, 2, 3), 0.5)).toBe(2);
  });

  it('is NaN for nothing', () => {
    expect(percentile([], 0.5)).toBeNaN();
  });

  it('has at least the fraction of values at or below it, and fewer below it', () => {
    const values = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 100 }), (unsorted, hundredths) => {
        const sorted = unsorted.toSorted((a, b) => a - b);
        const value = percentile(sorted, hundredths / 100);
        const atOrBelow = sorted.filter((other) => other <= value).length;
        const below = sorted.filter((other) => other < value).length;
        expect(atOrBelow * 100).toBeGreaterThanOrEqual(hundredths * sorted.length);
        expect(below * 100).toBeLessThan(hundredths * sorted.length);
      }),
    );
  });
});

describe('median', () => {
  it('takes the middle, or the mean of the two middles, and leaves its argument alone', () => {
    const values = [9, 1, 5];
    expect(median(values)).toBe(5);
    expect(values).toEqual([9, 1, 5]);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([10, 9])).toBe(9.5);
    expect(median([])).toBeNaN();
  });

  it('sorts by value, not by text', () => {
    expect(median([100, 20, 3])).toBe(20);
  });
});

describe('spread and ratios', () => {
  it('measures the width of the rounds against their median', () => {
    expect(spread([90, 100, 120])).toBeCloseTo(0.3);
    expect(spread([5])).toBe(0);
    expect(spread([])).toBeNaN();
  });

  it('divides round by round', () => {
    expect(ratios([10, 20, 30], [20, 20, 20])).toEqual([0.5, 1, 1.5]);
    expect(ratios([10], [20, 20])).toEqual([0.5]);
  });
});
