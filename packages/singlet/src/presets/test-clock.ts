import type { DatabaseOptions } from '../index.ts';

/** A clock that moves only when it is advanced. */
export interface TestClock extends NonNullable<DatabaseOptions['clock']> {
  /** Lets time pass. */
  readonly advance: (milliseconds: number) => void;
}

/**
 * A clock for a database under test: `seedDatabase({ clock })`. What depends on time (time to live, streams, points in time, leases) sees the
 * time that the test has decided on.
 *
 * @param at - when it begins: a date, or milliseconds since 1970. By default the first moment of 2026.
 */
export function testClock(at: Date | number = Date.UTC(2026, 0)): TestClock {
  let now = Number(at);
  return {
    nowMs: () => now,
    advance: (milliseconds) => {
      now += milliseconds;
    },
  };
}
