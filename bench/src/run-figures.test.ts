import { describe, expect, it } from 'vitest';
import { MeasuredWindow, restingPoint } from './run-figures.ts';

describe('the measured window', () => {
  it('counts what comes after the warm-up and before the end', () => {
    const window = new MeasuredWindow(1000, { warmUpMs: 100, durationMs: 1000 });
    expect(window.add(1099, 50)).toBe('before');
    for (let at = 0; at < 30; at += 1) expect(window.add(1100 + at * 30, at)).toBe('inside');
    expect(window.add(2100, 1)).toBe('after');
    expect(window.figures()).toEqual({ requests: 30, seconds: 1, requestsPerSecond: 30, p50Ms: 14, p99Ms: 29 });
  });

  it('continues for requests that take long, and its time with it', () => {
    const window = new MeasuredWindow(0, { warmUpMs: 0, durationMs: 100 });
    for (let at = 1; at <= 20; at += 1) expect(window.add(at * 50, 50)).toBe('inside');
    expect(window.add(1001, 50)).toBe('after');
    expect(window.figures()).toMatchObject({ requests: 20, seconds: 1, requestsPerSecond: 20 });
  });

  it('does not continue for ever', () => {
    const window = new MeasuredWindow(0, { warmUpMs: 0, durationMs: 100 });
    expect(window.add(1500, 1)).toBe('inside');
    expect(window.add(2000, 1)).toBe('after');
    expect(window.figures()).toMatchObject({ requests: 1, seconds: 1.5 });
  });
});

it('rests where a multiple is', () => {
  expect([0, 999, 1000, 1999].map((index) => restingPoint(index, 1000))).toEqual([0, 0, 1000, 1000]);
  expect(restingPoint(17, 1)).toBe(17);
});
