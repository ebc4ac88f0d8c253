import type { DatabaseOptions } from '../index.ts';

/** A clock that moves only when it is advanced. */
export interface TestClock extends NonNullable<DatabaseOptions['clock']> {
  /** Advances the clock. Throws a TypeError for anything but a number of 0 or more. */
  readonly advance: (milliseconds: number) => void;
}

/**
 * A clock for a database under test: `seedDatabase({ clock })`. Everything that depends on time (time to live, streams, points in time, leases)
 * uses it.
 *
 * @param at - the initial time: a date, or milliseconds since 1970. By default the first moment of 2026.
 */
export function testClock(at: Date | number = Date.UTC(2026, 0)): TestClock {
  let now = Number(at);
  return {
    nowMs: () => now,
    advance: (milliseconds) => {
      if (!Number.isFinite(milliseconds) || milliseconds < 0)
        throw new TypeError(`advance takes milliseconds, 0 or more, not ${String(milliseconds)}`);
      now += milliseconds;
    },
  };
}
