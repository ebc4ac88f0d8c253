/** Where a needle is cut in two so that neither part can be found overlapping itself across the cut. */
export interface Factorization {
  /** Where the right part begins. */
  readonly criticalAt: number;
  /** How far to advance after the right part was found and the left one was not. */
  readonly period: number;
  /** Whether `period` is that of the whole needle: then the overlap need not be compared again. */
  readonly isPeriodic: boolean;
}

/** Finds where to cut a needle, in time linear in its length. */
export function factorize(needle: string): Factorization {
  const ascending = greatestSuffix(needle, false);
  const descending = greatestSuffix(needle, true);
  const { criticalAt, period } = ascending.criticalAt >= descending.criticalAt ? ascending : descending;
  const isPeriodic = needle.startsWith(needle.slice(0, criticalAt), period);
  if (isPeriodic) return { criticalAt, period, isPeriodic };
  return { criticalAt, period: Math.max(criticalAt, needle.length - criticalAt) + 1, isPeriodic };
}

/** The lexicographically greatest suffix, by the order of characters or the reverse order, and its period. */
function greatestSuffix(needle: string, isReversed: boolean): Pick<Factorization, 'criticalAt' | 'period'> {
  const { length } = needle;
  let greatest = 0;
  let candidate = 1;
  let offset = 0;
  let period = 1;
  while (candidate + offset < length) {
    const a = needle.charCodeAt(candidate + offset);
    const b = needle.charCodeAt(greatest + offset);
    if (a === b) {
      if (offset + 1 === period) {
        candidate += period;
        offset = 0;
      } else {
        offset += 1;
      }
    } else if (a < b === isReversed) {
      greatest = candidate;
      candidate = greatest + 1;
      offset = 0;
      period = 1;
    } else {
      candidate += offset + 1;
      offset = 0;
      period = candidate - greatest;
    }
  }
  return { criticalAt: greatest, period };
}

/**
 * Whether a text has the needle as a substring that begins at `from` or later. Takes time linear in the text, and constant memory.
 *
 * The needle is compared from the critical place to the right, then to the left of it. If the right part fails, no place up to the mismatch
 * can be a beginning; if only the left part fails, none within a period.
 *
 * @see M. Crochemore, D. Perrin, "Two-way string-matching", Journal of the ACM 38(3), 1991
 */
export function searchTwoWay(needle: string, factorization: Factorization, text: string, from = 0): boolean {
  const { criticalAt, period, isPeriodic } = factorization;
  const last = text.length - needle.length;
  // How much of the needle, from its start, is known to match at `at`.
  let known = 0;
  for (let at = from; at <= last;) {
    let right = Math.max(criticalAt, known);
    while (right < needle.length && needle.charCodeAt(right) === text.charCodeAt(at + right)) right += 1;
    if (right < needle.length) {
      at += right - criticalAt + 1;
      known = 0;
      continue;
    }
    let left = criticalAt;
    while (left > known && needle.charCodeAt(left - 1) === text.charCodeAt(at + left - 1)) left -= 1;
    if (left <= known) return true;
    at += period;
    known = isPeriodic ? needle.length - period : 0;
  }
  return false;
}
