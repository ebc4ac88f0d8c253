import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';
import { checkAttributeMap } from '../../values/check-attribute-value.ts';
import { ItemText } from '../../values/item-text.ts';
import type { ValueCheckLayer } from '../../values/value-check-layer.ts';
import { type EncodedItem, encodeItem, encodeItemText } from '../layout/item-codec.ts';

/** An item to be put, as a request has it: as a map that has not been checked; or as text, which was checked where it was found. */
export type ItemInput = UncheckedAttributeMap | ItemText;

/**
 * The item of a request, checked, in the one form that it has from here on: its size is known, its attributes are parsed when they
 * are asked for, and its text is what is stored. On memory of its own: that of the request may be gone when this returns.
 *
 * An {@link ItemText} is the fast path of an unchecked map, with the same result (`values/item-text.test.ts`,
 * `layout/item-codec.test.ts`). This is the only place that asks which of the two an item was.
 *
 * @param layer - as {@link checkAttributeMap}.
 * @throws {ValidationException}
 */
export function incomingItem(input: ItemInput, layer?: ValueCheckLayer): EncodedItem {
  return input instanceof ItemText ? encodeItemText(input) : encodeItem(checkAttributeMap(input, layer));
}
