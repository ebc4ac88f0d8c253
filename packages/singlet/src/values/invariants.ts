/*
 * The switch for invariants: checks that are too costly for production, and the ways that fast paths are a shortcut of.
 *
 * Off, which is how every database starts, the checks do not run and each fast path is taken. On, which is how every test of
 * the workspace runs (`vitest.config.ts`), data is checked on both sides of a boundary (when it is written, and when it is read), and
 * fast paths are left out at random, so that the same tests go both ways. What is broken throws an `InvariantError`.
 */

/** Present while invariants are on. */
let random: (() => number) | undefined;

/** How often a fast path is left out while invariants are on. */
const slowShare = 0.3;

/**
 * Switches invariants on, or off.
 *
 * @param source - numbers from 0 to before 1, which decide about fast paths; undefined switches off.
 * @returns the source until now.
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

/** Whether a fast path may be taken. Where it may not, the other way has to give the same result. */
export function mayTakeFastPath(): boolean {
  return random === undefined || random() >= slowShare;
}
