/*
 * The switch for invariants: checks that are too costly for production, and the slow paths that fast paths replace.
 *
 * When off, the state in which every database starts, the checks do not run and each fast path is taken. When on, as in every test of
 * the workspace (`vitest.config.ts`), data is checked on both sides of a boundary (when it is written, and when it is read), and
 * fast paths are skipped at random, so that the same tests take both. A violation throws an `InvariantError`.
 */

/** Set while invariants are on. */
let random: (() => number) | undefined;

/** How often a fast path is skipped while invariants are on. */
const slowShare = 0.3;

/**
 * Switches invariants on, or off.
 *
 * @param source - returns numbers from 0 (inclusive) to 1 (exclusive), which decide about fast paths; undefined switches invariants off.
 * @returns the previous source.
 */
export function switchInvariants(source: (() => number) | undefined): (() => number) | undefined {
  const before = random;
  random = source;
  return before;
}

/** Whether costly checks run. */
export function invariantsAreOn(): boolean {
  return random !== undefined;
}

/** Whether a fast path may be taken. The slow path must give the same result. */
export function mayTakeFastPath(): boolean {
  return random === undefined || random() >= slowShare;
}
