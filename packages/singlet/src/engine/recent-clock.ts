import type { Clock } from './environment.ts';

/**
 * A clock that remembers what it was last asked. Every operation asks it when it takes its table, so the last answer is near
 * enough where only seconds count: reading the time again would cost as much as the counting.
 */
export class RecentClock implements Clock {
  readonly #clock: Clock;
  #recentMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#recentMs = clock.nowMs();
  }

  nowMs(): number {
    this.#recentMs = this.#clock.nowMs();
    return this.#recentMs;
  }

  /** The time at which the clock was last asked, epoch milliseconds. */
  get recentMs(): number {
    return this.#recentMs;
  }
}
