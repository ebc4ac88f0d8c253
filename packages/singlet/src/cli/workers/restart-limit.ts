/** A worker that ends within this time after its start has ended early, milliseconds. */
export const earlyEndMs = 2000;

/** So many early ends in a row, and it is no accident any more. */
export const earlyEndsMax = 10;

/** How much longer each early end makes the wait for the next start, milliseconds. */
const delayStepMs = 100;

/**
 * Tells accidents from a fault that every start runs into. A worker that ends is replaced at once; one that ends soon after its
 * start, a little later; and when that happens again and again, without one in between that lasted, no more.
 */
export class RestartLimit {
  #earlyEnds = 0;

  /**
   * Takes note of the end of a worker.
   *
   * @param ageMs - time since its start.
   * @returns how long to wait before it is replaced, in milliseconds; undefined when it is not to be replaced.
   */
  ended(ageMs: number): number | undefined {
    this.#earlyEnds = ageMs < earlyEndMs ? this.#earlyEnds + 1 : 0;
    if (this.#earlyEnds >= earlyEndsMax) return undefined;
    return Math.max(0, this.#earlyEnds - 1) * delayStepMs;
  }
}
