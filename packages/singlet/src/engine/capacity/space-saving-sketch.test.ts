import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SpaceSavingSketch } from './space-saving-sketch.ts';
import { WindowedSketch } from './windowed-sketch.ts';

describe('a sketch of heavy hitters', () => {
  it('keeps its bounds against exact counts', () => {
    const addition = fc.record({
      // A few keys often, many keys rarely.
      key: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 5, max: 200 })).map((n) => `key${n}`),
      weight: fc.integer({ min: 1, max: 40 }).map((n) => n / 2),
      part: fc.constantFrom(0 as const, 1 as const),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.array(addition, { maxLength: 400 }), (capacity, additions) => {
        const sketch = new SpaceSavingSketch(capacity);
        const exact = new Map<string, number>();
        for (const { key, weight, part } of additions) {
          sketch.add(key, weight, part);
          exact.set(key, (exact.get(key) ?? 0) + weight);
        }
        const total = [...exact.values()].reduce((sum, weight) => sum + weight, 0);
        const bound = total / capacity;
        const hitters = sketch.heavyHitters();
        expect(sketch.totalWeight).toBe(total);
        expect(hitters.length).toBe(Math.min(capacity, exact.size));
        // The weights of all counters add up to the total that was added.
        expect(hitters.reduce((sum, { weight }) => sum + weight, 0)).toBe(total);
        for (const { key, weight, error, parts } of hitters) {
          expect(parts[0] + parts[1] + error).toBe(weight);
          const truth = exact.get(key) ?? 0;
          expect(weight).toBeGreaterThanOrEqual(truth);
          expect(weight - error).toBeLessThanOrEqual(truth);
          expect(error).toBeLessThanOrEqual(bound);
        }
        const present = new Set(hitters.map(({ key }) => key));
        for (const [key, weight] of exact) if (weight > bound) expect(present.has(key)).toBe(true);
        expect(hitters.map(({ weight }) => weight)).toEqual(hitters.map(({ weight }) => weight).sort((a, b) => b - a));
      }),
    );
  });

  it('is exact while there are no more keys than counters', () => {
    const sketch = new SpaceSavingSketch(3);
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) sketch.add(key, 1, key === 'b' ? 1 : 0);
    expect(sketch.heavyHitters()).toEqual([
      { key: 'a', weight: 3, error: 0, parts: [3, 0] },
      { key: 'b', weight: 2, error: 0, parts: [0, 2] },
      { key: 'c', weight: 1, error: 0, parts: [1, 0] },
    ]);
  });
});

describe('a sketch of the recent past', () => {
  const windowed = (): WindowedSketch => new WindowedSketch({ capacity: 10, windowMs: 1000, nowMs: 500 });

  it('adds up the present window and the one before', () => {
    const sketch = windowed();
    sketch.add('a', 1, 0, 500);
    sketch.add('a', 2, 1, 1500);
    sketch.add('b', 5, 0, 1999);
    expect(sketch.top(10, 1999)).toEqual({
      sinceMs: 500,
      totalWeight: 8,
      hitters: [
        { key: 'b', weight: 5, error: 0, parts: [5, 0] },
        { key: 'a', weight: 3, error: 0, parts: [1, 2] },
      ],
    });
    expect(sketch.top(1, 1999).hitters).toHaveLength(1);
  });

  it('forgets what is further back', () => {
    const sketch = windowed();
    sketch.add('a', 1, 0, 500);
    sketch.add('a', 2, 1, 1500);
    expect(sketch.top(10, 2500)).toMatchObject({ sinceMs: 1000, totalWeight: 2 });
    expect(sketch.top(10, 9000)).toMatchObject({ totalWeight: 0, hitters: [] });
  });
});
