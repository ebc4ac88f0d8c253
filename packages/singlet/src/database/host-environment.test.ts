import { describe, expect, test } from 'vitest';
import type { EngineLogEvent } from '../engine/index.ts';
import { hostEnvironment } from './host-environment.ts';

describe('hostEnvironment', () => {
  test('random bytes are fresh, stay as they are, and may be more than are drawn at a time', () => {
    const { random } = hostEnvironment({});
    const drawn = [16, 4096, 1, 0, 5000, 16, 4095].map((count) => {
      const bytes = random.bytes(count);
      expect(bytes).toHaveLength(count);
      return { bytes, copy: Buffer.from(bytes) };
    });
    for (let more = 0; more < 1000; more += 1) random.bytes(16);
    for (const { bytes, copy } of drawn) expect(Buffer.from(bytes).equals(copy)).toBe(true);
    const ids = Array.from({ length: 2000 }, () => Buffer.from(random.bytes(16)).toString('hex'));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('the clock is the machine’s, or the given one', () => {
    const before = Date.now();
    expect(hostEnvironment({}).clock.nowMs()).toBeGreaterThanOrEqual(before);
    expect(hostEnvironment({ clock: { nowMs: () => 7 } }).clock.nowMs()).toBe(7);
  });

  test('the pause of a request keeps the process alive, and that of background work does not', async () => {
    const { tasks } = hostEnvironment({});
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const closing = new AbortController();
    const background = tasks.pause(60_000, closing.signal);
    expect(timers()).toBe(before);
    const request = tasks.pause(1);
    expect(timers()).toBe(before + 1);
    closing.abort();
    await Promise.all([background, request]);
  });

  test('failures of background work are logged, and settling waits for all that was spawned', async () => {
    const events: EngineLogEvent[] = [];
    const { tasks } = hostEnvironment({ log: (event) => void events.push(event) });
    const done: string[] = [];
    tasks.spawn('outer', async () => {
      await tasks.pause(0);
      tasks.spawn('inner', async () => {
        await tasks.pause(0);
        done.push('inner');
        throw new TypeError('lost');
      });
      done.push('outer');
    });
    await tasks.settle();
    expect(done).toEqual(['outer', 'inner']);
    expect(events).toEqual([
      { level: 'error', event: 'background-work-failed', name: 'inner', error: expect.stringContaining('lost') },
    ]);
  });

  test('a pause ends when it is told to, before or while it lasts', async () => {
    const { tasks } = hostEnvironment({});
    await tasks.pause(1e9, AbortSignal.abort());
    const stop = new AbortController();
    const pause = tasks.pause(1e9, stop.signal);
    stop.abort();
    await pause;
  });
});
