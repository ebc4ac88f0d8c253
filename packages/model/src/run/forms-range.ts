import { InputError } from '../model-error.ts';
import type { PlaceInfo } from '../resolve/resolved.ts';
import { isAbove, type KeyRange, type RangeWriter } from './sort-condition.ts';

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
    return joined(held, first);
  };
}

/** For an interval, all forms have the same structure, so they have one range, and share its tests beyond the keys. */
function joined(ranges: readonly KeyRange[], slot: PlaceInfo['sort'][number] | undefined): KeyRange {
  const [first = { none: true }, ...others] = ranges.filter(({ none }) => none !== true);
  const last = others.at(-1);
  if (last === undefined || (last.low === first.low && last.high === first.high)) return first;
  // Keys of a pattern that is not proven may have another order for some inputs.
  const isTurned = slot?.type === 'S' && isAbove(first.low, last.high);
  const [from, { high, begins }] = isTurned ? [last, first] : [first, last];
  const isOpen = slot !== undefined && begins === true && high !== undefined;
  const without = isOpen ? { attribute: slot.attribute, keys: [high], likely: 0 } : undefined;
  return { ...from, same: false, begins: false, high, without };
}
