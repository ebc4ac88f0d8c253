import { isEqual } from '../patterns/evaluate.ts';
import type { StoredItem } from './attribute-value.ts';
import { compareDecimals } from './decimal.ts';
import type { Without } from './sort-condition.ts';

/** Whether an item is at an excluded end of a range. Decision 0107 says why such items are read. */
export function isLeftOut(item: StoredItem, { attribute, keys }: Without): boolean {
  const { S, N, B } = item[attribute] ?? {};
  return keys.some((key) =>
    typeof key !== 'string' ? isEqual(key, B) : N === undefined ? key === S : compareDecimals(key, N) === 0,
  );
}
