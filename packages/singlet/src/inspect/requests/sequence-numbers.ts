/*
 * Numbers of requests that several processes assign concurrently without coordination, and that are ordered by time:
 *
 *     milliseconds since 1970 | 64 in each millisecond | the process, 0 to 31
 *
 * As a double they are exact until the year 2109. If more than 64 requests end in a millisecond, the numbers run ahead of the clock.
 */
const workerCount = 32;
const numbersInMs = 64 * workerCount;

export class SequenceNumbers {
  readonly #worker: number;
  /** All later numbers are higher. */
  #below = 0;

  /** @param worker - from 0 to 31. */
  constructor(worker: number) {
    this.#worker = worker % workerCount;
  }

  /** The next number: higher than all before, even if the clock is set back. */
  next(nowMs: number): number {
    const atNow = Math.floor(nowMs) * numbersInMs + this.#worker;
    const least = (Math.floor(this.#below / workerCount) + 1) * workerCount + this.#worker;
    this.#below = Math.max(atNow, least);
    return this.#below;
  }

  /** A number that all later numbers exceed. */
  settledAt(nowMs: number): number {
    this.#below = Math.max(this.#below, Math.floor(nowMs) * numbersInMs - 1);
    return this.#below;
  }
}
