/*
 * Numbers of requests that several processes give at one time, without asking each other, and that are in the order of time:
 *
 *     milliseconds since 1970 | 64 in each millisecond | the process, 0 to 31
 *
 * As a double they are exact until the year 2109. Where more than 64 requests end in a millisecond, the numbers run ahead of the clock.
 */
const workerCount = 32;
const numbersInMs = 64 * workerCount;

export class SequenceNumbers {
  readonly #worker: number;
  /** All numbers from now on are higher. */
  #below = 0;

  /** @param worker - from 0 to 31. */
  constructor(worker: number) {
    this.#worker = worker % workerCount;
  }

  /** The next number: higher than all before, whatever the clock does. */
  next(nowMs: number): number {
    const atNow = Math.floor(nowMs) * numbersInMs + this.#worker;
    const least = (Math.floor(this.#below / workerCount) + 1) * workerCount + this.#worker;
    this.#below = Math.max(atNow, least);
    return this.#below;
  }

  /** A number that all numbers which are still to come exceed. */
  settledAt(nowMs: number): number {
    this.#below = Math.max(this.#below, Math.floor(nowMs) * numbersInMs - 1);
    return this.#below;
  }
}
