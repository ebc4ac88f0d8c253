/**
 * Attribute values in the form in which they travel and are stored: an object with exactly one type tag.
 *
 * The wire form is also the internal form on purpose. A request is parsed once by `JSON.parse`, checked once, and the
 * checked object is what expressions evaluate and what is stored again as JSON text. The one other form is that text: an
 * item of a request that is written as it would be stored stays text (`item-text.ts`), and so does one that was read
 * (`AttributeReader`), until one of its attributes is requested.
 *
 * - `N` and the members of `NS` are canonical decimal texts after checking (`1`, never `1.0` or `+1`): equal numbers are
 *   equal texts. See `decimal.ts`.
 * - `B` and the members of `BS` are canonical, padded base64.
 *
 * Attribute names are data: `__proto__`, `constructor` and `toString` are ordinary names. Never read or write an
 * attribute map with `map[name]`; use {@link getAttribute} and {@link setAttribute}.
 */
export type AttributeValue =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: string }
  | { readonly BOOL: boolean }
  | { readonly NULL: true }
  | { readonly L: readonly AttributeValue[] }
  | { readonly M: AttributeMap }
  | { readonly SS: readonly string[] }
  | { readonly NS: readonly string[] }
  | { readonly BS: readonly string[] };

/** An item, or the contents of a map: attribute values by name, in no particular order. */
export interface AttributeMap {
  readonly [attributeName: string]: AttributeValue;
}

export type AttributeTypeTag = 'S' | 'N' | 'B' | 'BOOL' | 'NULL' | 'L' | 'M' | 'SS' | 'NS' | 'BS';

/** The types that a key attribute may have. */
export type KeyAttributeType = 'S' | 'N' | 'B';

/**
 * An attribute value as received: its JSON types are correct, but any number of tags may be present, numbers
 * may be unparsable, sets may be empty. `checkAttributeValue` turns it into an {@link AttributeValue} or throws.
 */
export interface UncheckedAttributeValue {
  readonly S?: string;
  readonly N?: string;
  readonly B?: string;
  readonly BOOL?: boolean;
  readonly NULL?: boolean;
  readonly L?: readonly UncheckedAttributeValue[];
  readonly M?: UncheckedAttributeMap;
  readonly SS?: readonly string[];
  readonly NS?: readonly string[];
  readonly BS?: readonly string[];
}

export interface UncheckedAttributeMap {
  readonly [attributeName: string]: UncheckedAttributeValue;
}

/** The single type tag of a checked value. */
export function typeTag(value: AttributeValue): AttributeTypeTag {
  for (const tag in value) return tag as AttributeTypeTag; // a checked value has exactly one own enumerable property
  throw new TypeError('attribute value without a type tag');
}

/** The attribute of that name, or undefined. Inherited properties are never seen. */
export function getAttribute(map: AttributeMap, name: string): AttributeValue | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

/** A map under construction. Pass it to readers as an {@link AttributeMap}. */
export type MutableAttributeMap = { [attributeName: string]: AttributeValue };

/** Sets an attribute, including names that plain assignment would treat specially. */
export function setAttribute(map: MutableAttributeMap, name: string, value: AttributeValue): void {
  if (name === '__proto__') {
    Object.defineProperty(map, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    map[name] = value;
  }
}
