import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ThroughputMeter } from './throughput-meter.ts';
import { TokenBucket } from './token-bucket.ts';

const second = 1000;

describe('a token bucket', () => {
  const bucket = (burstSeconds = 300): TokenBucket =>
    new TokenBucket({ unitsPerSecond: 10, burstSeconds, sinceMs: 0, owes: true });

  it('DB-107: begins with one second, and saves up to 300 seconds of what is not used', () => {
    expect(bucket().levelAt(0)).toBe(10);
    expect(bucket().levelAt(20 * second)).toBe(210);
    expect(bucket().levelAt(1000 * second)).toBe(3000);
  });

  it('owes what was taken beyond what there was, and pays it first', () => {
    const owing = bucket();
    owing.take(50, 0);
    expect(owing.levelAt(0)).toBe(-40);
    expect(owing.levelAt(4 * second)).toBe(0);
    expect(owing.levelAt(5 * second)).toBe(10);
  });

  it('keeps what was saved when its rate changes, as far as there is room', () => {
    const changed = bucket();
    changed.configure(1, 300, 100 * second);
    expect(changed.levelAt(100 * second)).toBe(300);
    changed.configure(100, 300, 100 * second);
    expect(changed.levelAt(101 * second)).toBe(400);
  });

  it('gives nothing for a clock that is set back', () => {
    const set = bucket();
    set.take(5, 10 * second);
    const level = set.levelAt(10 * second);
    expect(set.levelAt(0)).toBe(level);
  });

  it('never gives out more than came in and was saved', () => {
    const step = fc.record({ waitMs: fc.nat(5000), units: fc.integer({ min: 1, max: 30 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const fair = bucket(5);
        let nowMs = 0;
        let taken = 0;
        for (const { waitMs, units } of steps) {
          nowMs += waitMs;
          if (fair.levelAt(nowMs) <= 0) continue;
          fair.take(units, nowMs);
          taken += units;
        }
        // The initial second, the units added since, and the excess that one request may take.
        expect(taken).toBeLessThanOrEqual(10 + (nowMs / second) * 10 + 30);
      }),
    );
  });
});

describe('a throughput meter', () => {
  const meter = (throttles: boolean): ThroughputMeter =>
    new ThroughputMeter({ unitsPerSecond: 10, burstSeconds: 1, sinceMs: 0, throttles }, 0);

  it('DB-110: knows what was consumed since ever, and second by second for a minute', () => {
    const metered = meter(false);
    for (let n = 0; n < 120; n += 1) metered.consume(6, 0, n * second);
    expect(metered.consumedUnits).toBe(720);
    expect(metered.unitsPerSecondAt(119 * second)).toBe(6);
    expect(metered.unitsPerSecondAt(149 * second)).toBe(3);
    expect(metered.unitsPerSecondAt(300 * second)).toBe(0);
    expect(metered.consumedUnits).toBe(720);
  });

  it('takes what was reserved off what is consumed', () => {
    const metered = meter(true);
    metered.reserve(1, 0);
    metered.consume(4, 1, 0);
    expect(metered.bucketAt(0).units).toBe(6);
    expect(metered.consumedUnits).toBe(4);
  });

  it('shows no debt where none has to be paid', () => {
    const metered = meter(false);
    metered.consume(1000, 0, 0);
    expect(metered.bucketAt(second).units).toBe(0);
  });

  it('DB-086: counts the seconds in a row at its limit', () => {
    const metered = meter(false);
    const secondsHot = (units: number, from: number, count: number): number => {
      for (let n = 0; n < count; n += 1) metered.consume(units, 0, (from + n) * second);
      return metered.hotSeconds;
    };
    expect(secondsHot(10, 0, 5)).toBe(4); // the fifth second is not over
    expect(secondsHot(8, 5, 1)).toBe(5);
    expect(secondsHot(10, 6, 1)).toBe(0); // 8 of 10 do not reach the limit
    expect(secondsHot(10, 7, 3)).toBe(3);
    expect(secondsHot(10, 20, 1)).toBe(0); // idle meanwhile
  });
});
