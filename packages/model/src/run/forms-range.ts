import { InputError } from '../model-error.ts';
import type { KeyRange, RangeWriter } from './sort-condition.ts';

/**
 * The range from the first to the last of several forms, which are in the order of their keys. A value that no key of one form can hold is in
 * none of its items, and the other forms are still read.
 *
 * @throws {InputError} if no form can hold the input.
 */
export function formsRange(ranges: readonly RangeWriter[]): RangeWriter {
  return (...given) => {
    const refusals: InputError[] = [];
    const held = ranges.flatMap((range) => {
      try {
        return range(...given);
      } catch (error) {
        if (!(error instanceof InputError) || error.code === 'key-incomplete') throw error;
        refusals.push(error);
        return [];
      }
    });
    const [refusal] = refusals;
    if (held.length === 0 && refusal !== undefined) throw refusal;
    return joined(held);
  };
}

/** For an interval, all forms have the same structure, so they share its exclusive ends and its tests beyond the keys. */
function joined(ranges: readonly KeyRange[]): KeyRange {
  const [first = { none: true }, ...others] = ranges.filter(({ none }) => none !== true);
  const last = others.at(-1);
  return last === undefined ? first : { ...first, same: false, begins: false, high: last.high };
}
