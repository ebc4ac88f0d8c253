/** A worker that exits within this time after its start has exited early, milliseconds. */
export const earlyEndMs = 2000;

/** The number of consecutive early exits after which workers are no longer restarted. */
export const earlyEndsMax = 10;

/** How much each early exit adds to the delay before the next start, milliseconds. */
const delayStepMs = 100;

/**
 * Distinguishes sporadic failures from a fault that affects every start. A worker that exits is replaced at once; one that exits soon after its
 * start, after a delay. After too many consecutive early exits, workers are no longer replaced.
 */
export class RestartLimit {
  #earlyEnds = 0;

  /**
   * Records the exit of a worker.
   *
   * @param ageMs - time since its start.
   * @returns how long to wait before it is replaced, in milliseconds; undefined if it should not be replaced.
   */
  ended(ageMs: number): number | undefined {
    this.#earlyEnds = ageMs < earlyEndMs ? this.#earlyEnds + 1 : 0;
    if (this.#earlyEnds >= earlyEndsMax) return undefined;
    return Math.max(0, this.#earlyEnds - 1) * delayStepMs;
  }
}
