import type { Clock } from '../environment.ts';

/**
 * Tells when a read of many entries has run long enough without a pause, and other requests should be served.
 *
 * Reading the clock for each entry would often cost more than the entry, so it is read at intervals. Conditions that take much work
 * for a single item are recognised by the units that they count.
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
    // A page of few entries never reads the clock, so the first turn begins when it is first read.
    this.#endMs ??= nowMs + turnMs;
    return nowMs >= this.#endMs;
  }
}

/** Work after which a turn ends: searching a million characters, 1 to 10 ms. */
const turnUnits = 2 ** 14;

/** How long a turn lasts, milliseconds. */
const turnMs = 5;

/** How many entries are read before the clock is read. */
const clockedEntries = 16;
