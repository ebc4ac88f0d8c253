import type { Clock } from './environment.ts';

/**
 * A clock that remembers the last time it returned. Every operation reads it when it resolves its table, so that time is
 * accurate enough where only seconds count: reading the clock again would cost as much as the counting itself.
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

  /** The time that the clock returned last, epoch milliseconds. */
  get recentMs(): number {
    return this.#recentMs;
  }
}
