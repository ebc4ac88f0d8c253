import type { Condition } from '../../patterns/value.ts';
import type { Values } from '../../run/item-codec.ts';

const valuesMax = 5;

/** Attributes with few values, each on some of the items. They can tell the forms of a key apart. */
export function discriminators(items: readonly Values[], attributes: readonly string[]): string[] {
  return attributes.filter((name) => {
    const values = new Set(items.map((item) => item[name]));
    values.delete(undefined);
    const simple = [...values].every((value) => typeof value === 'string' || typeof value === 'boolean');
    return simple && values.size > 0 && values.size <= valuesMax && values.size * 2 <= items.length;
  });
}

/**
 * A condition that is true of the items inside and false of those outside, in terms of one attribute: its values, or that it exists.
 * Undefined if no attribute separates them.
 */
export function inferCondition(
  inside: readonly Values[],
  outside: readonly Values[],
  attributes: readonly string[],
): Condition | undefined {
  for (const name of attributes) {
    const values = [...new Set(inside.map((item) => item[name]))];
    const others = new Set(outside.map((item) => item[name]));
    const simple = values.every((value) => typeof value === 'string' || typeof value === 'boolean');
    if (
      simple &&
      values.length <= valuesMax &&
      values.length * 2 <= inside.length + 1 &&
      !values.some((value) => others.has(value))
    ) {
      const [only] = values;
      return { [name]: values.length === 1 && only !== undefined ? only : values };
    }
  }
  const existing = attributes.find(
    (name) => inside.every((item) => item[name] !== undefined) && outside.every((item) => item[name] === undefined),
  );
  return existing === undefined ? undefined : { [existing]: { exists: true } };
}
