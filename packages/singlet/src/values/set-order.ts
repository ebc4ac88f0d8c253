import { compareBinary } from './base64.ts';
import { compareNumbers } from './decimal.ts';
import { compareUtf8 } from './utf8.ts';

/** The types of sets. */
export type SetTag = 'SS' | 'NS' | 'BS';

/**
 * A set has no order of its own, but the service answers its elements in a fixed one: strings and binaries by their bytes,
 * numbers by value (recorded October 2026). Here sets are sorted into that order once, when they are checked or computed,
 * and are stored in it everywhere.
 *
 * @param elements - in canonical form.
 * @returns the elements in order; the same array if they already are. Repeated elements stay.
 */
export function inSetOrder(elements: readonly string[], tag: SetTag): readonly string[] {
  return isSetOrder(elements, tag) ? elements : elements.toSorted(compareElements[tag]);
}

/** Whether every element is less than the next: the set is in order, without duplicates. */
export function isSetOrder(elements: readonly string[], tag: SetTag): boolean {
  const compare = compareElements[tag];
  for (let index = 1; index < elements.length; index += 1) {
    if (compare(elements[index - 1] as string, elements[index] as string) >= 0) return false; // both are in bounds
  }
  return true;
}

const compareElements: Readonly<Record<SetTag, (a: string, b: string) => number>> = {
  SS: compareUtf8,
  NS: compareNumbers,
  BS: compareBinary,
};
