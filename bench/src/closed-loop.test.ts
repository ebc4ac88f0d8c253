import { describe, expect, it } from 'vitest';
import { closedLoop } from './closed-loop.ts';

const noFault = (): undefined => undefined;

describe('the closed loop', () => {
  it('keeps so many calls in flight, in ring order from where it is told, and counts rejections', async () => {
    const started: number[] = [];
    let inFlight = 0;
    let most = 0;
    const perform = async (index: number): Promise<void> => {
      started.push(index);
      inFlight += 1;
      most = Math.max(most, inFlight);
      await new Promise((resolve) => setImmediate(resolve));
      inFlight -= 1;
      if (index === 2) throw new RangeError('two');
    };
    const ring = { count: 3, perform, restEvery: 1, fault: noFault };
    const figures = await closedLoop(ring, { concurrency: 5, warmUpMs: 5, durationMs: 50 }, 4);
    expect(most).toBe(5);
    expect(inFlight).toBe(0);
    expect(started.slice(0, 5)).toEqual([1, 2, 0, 1, 2]);
    expect(figures.errors).toBeGreaterThan(0);
    expect(figures.errors).toBeLessThan(figures.requests);
    expect(figures.firstError).toBe('RangeError: two');
  });

  it('ends although the calls never leave the event loop free by themselves', async () => {
    let calls = 0;
    const ring = { count: 1, perform: () => (calls += 1), restEvery: 1, fault: noFault };
    const figures = await closedLoop(ring, { concurrency: 2, warmUpMs: 0, durationMs: 20 }, 0);
    expect(figures.requests).toBeLessThanOrEqual(calls);
    expect(figures.requests).toBeGreaterThan(0);
    expect(figures.errors).toBe(0);
  });

  it('looks at some of the answers, and ends where the requests rest', async () => {
    const started: number[] = [];
    const perform = async (index: number): Promise<number> => {
      started.push(index);
      return index * 10;
    };
    const ring = {
      count: 10,
      restEvery: 5,
      perform,
      fault: (index: number, answer: unknown) => (answer === index * 10 ? 'as it was given' : 'another'),
    };
    const figures = await closedLoop(ring, { concurrency: 3, warmUpMs: 0, durationMs: 20 }, 7);
    expect(started[0]).toBe(5);
    expect(started.length % 5).toBe(0);
    expect(figures.errors).toBeGreaterThan(0);
    expect(figures.firstError).toBe('as it was given');
  });
});
