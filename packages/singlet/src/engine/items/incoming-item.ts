import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';
import { checkAttributeMap } from '../../values/check-attribute-value.ts';
import { ItemText } from '../../values/item-text.ts';
import type { ValueCheckLayer } from '../../values/value-check-layer.ts';
import { type EncodedItem, encodeItem, encodeItemText } from '../layout/item-codec.ts';

/** An item to be put, as the request holds it: an unchecked map, or a text that was checked when it was read. */
export type ItemInput = UncheckedAttributeMap | ItemText;

/**
 * The checked item of a request, in the one form used from here on: its size is known, its attributes are parsed on
 * demand, and its text is stored as it is. It has its own memory: that of the request may be gone when this returns.
 *
 * An {@link ItemText} is the fast path of an unchecked map, with the same result (`values/item-text.test.ts`,
 * `layout/item-codec.test.ts`). Only this file distinguishes the two forms.
 *
 * @param layer - as for {@link checkAttributeMap}.
 * @throws {ValidationException}
 */
export function incomingItem(input: ItemInput, layer?: ValueCheckLayer): EncodedItem {
  return input instanceof ItemText ? encodeItemText(input) : encodeItem(checkAttributeMap(input, layer));
}

/** What `JSON.stringify` prints for an item of a request. */
export function itemInputText(input: ItemInput): string {
  return input instanceof ItemText ? input.toText() : JSON.stringify(input);
}
