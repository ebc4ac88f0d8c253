/*
 * Moments order the changes of a table in time: the millisecond, and within it a tick that tells changes apart.
 *
 *     moment = millisecond × 1024 + tick
 *
 * All changes of one decision share a moment, so no moment divides a transaction. A number represents it exactly until the year
 * 2248.
 */

const ticksPerMs = 1024;

export function firstMomentOf(ms: number): number {
  return ms * ticksPerMs;
}

export function lastMomentOf(ms: number): number {
  return ms * ticksPerMs + ticksPerMs - 1;
}

export function msOfMoment(moment: number): number {
  return Math.floor(moment / ticksPerMs);
}
