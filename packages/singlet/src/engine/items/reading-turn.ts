import type { Clock } from '../environment.ts';

/**
 * Tells when a read of many entries has had the process to itself for long enough, and other requests should be served.
 *
 * Asking the clock for each entry would cost more than many an entry, so it is asked for every few; and conditions that are much work for a
 * single item are known by the units that they count.
 */
export class ReadingTurn {
  readonly #clock: Clock;
  #unitsLeft = turnUnits;
  #entriesLeft = clockedEntries;
  #endMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins the next turn. */
  begin(): void {
    this.#unitsLeft = turnUnits;
    this.#entriesLeft = clockedEntries;
    this.#endMs = this.#clock.nowMs() + turnMs;
  }

  /** Called after each entry. @param units - what its evaluation has used. */
  isOver(units: number): boolean {
    this.#unitsLeft -= units;
    if (this.#unitsLeft < 0) return true;
    this.#entriesLeft -= 1;
    if (this.#entriesLeft > 0) return false;
    this.#entriesLeft = clockedEntries;
    const nowMs = this.#clock.nowMs();
    // A page of few entries never asks the clock; so the first turn begins when it is asked first.
    this.#endMs ??= nowMs + turnMs;
    return nowMs >= this.#endMs;
  }
}

/** Work after which a turn ends: a million characters that were searched, 1 to 10 ms. */
const turnUnits = 2 ** 14;

/** How long a turn lasts, milliseconds. */
const turnMs = 5;

/** How many entries are read before the clock is asked. */
const clockedEntries = 16;
