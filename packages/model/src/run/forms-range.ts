import { InputError } from '../model-error.ts';
import type { PlaceInfo } from '../resolve/resolved.ts';
import type { KeyRange, RangeWriter } from './sort-condition.ts';

export { isLeftOut } from './left-out.ts';

/**
 * The range from the first to the last of several forms, which are in the order of their keys. A value that no key of one form can hold is in
 * none of its items, and the other forms are still read.
 *
 * @throws {InputError} if no form can hold the input.
 */
export function formsRange(ranges: readonly RangeWriter[], { sort: [first] }: PlaceInfo): RangeWriter {
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
    return joined(held, first?.attribute ?? '');
  };
}

/** For an interval, all forms have the same structure, so they have one range, and share its tests beyond the keys. */
function joined(ranges: readonly KeyRange[], attribute: string): KeyRange {
  const [first = { none: true }, ...others] = ranges.filter(({ none }) => none !== true);
  const last = others.at(-1);
  if (last === undefined || (last.low === first.low && last.high === first.high)) return first;
  const { high, begins } = last;
  const without = begins === true && high !== undefined ? { attribute, keys: [high], likely: 0 } : undefined;
  return { ...first, same: false, begins: false, high, without };
}
