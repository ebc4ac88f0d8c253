import type { AttributeTypeTag, AttributeValue } from '../../../values/attribute-value.ts';
import { typeTag } from '../../../values/attribute-value.ts';
import { canonicalizeNumber } from '../../../values/decimal.ts';

/** Why a value is not a vector of an index. */
export type VectorProblem =
  | { readonly kind: 'no-list' }
  | { readonly kind: 'size'; readonly count: number }
  | { readonly kind: 'element'; readonly position: number; readonly type: AttributeTypeTag }
  | { readonly kind: 'range'; readonly position: number; readonly number: string };

/**
 * The vector in an attribute: a list of numbers, converted to 32-bit floating point numbers. More precise numbers are rounded.
 *
 * Assumed: when several things are wrong, the size is checked before the elements.
 */
export function readVector(value: AttributeValue, dimensions: number): Float32Array | VectorProblem {
  if (!('L' in value)) return { kind: 'no-list' };
  const { L: elements } = value;
  if (elements.length !== dimensions) return { kind: 'size', count: elements.length };
  const vector = new Float32Array(dimensions);
  for (const [position, element] of elements.entries()) {
    if (!('N' in element)) return { kind: 'element', position, type: typeTag(element) };
    const number = Math.fround(Number(element.N));
    if (!Number.isFinite(number)) return { kind: 'range', position, number: element.N };
    vector[position] = number;
  }
  return vector;
}

/** A number that is not a valid element, in the service's notation: `1E+39`. Such a number has no fraction and more than 38 digits. */
export function scientificText(canonical: string): string {
  const sign = canonical.startsWith('-') ? '-' : '';
  const digits = canonical.slice(sign.length);
  const [first = '', ...others] = digits.replace(/0+$/, '');
  const fraction = others.length === 0 ? '' : `.${others.join('')}`;
  return `${sign}${first}${fraction}E+${digits.length - 1}`;
}

/** A vector as an attribute again: the shortest decimals that represent its numbers, whole numbers with a trailing zero. */
export function vectorAttribute(vector: Float32Array): AttributeValue {
  return { L: Array.from(vector, (element) => ({ N: elementText(element) })) };
}

/** Nine digits distinguish every 32-bit number from its neighbours. */
const elementDigitsMax = 9;

function elementText(element: number): string {
  let text = '0';
  for (let digits = 1; digits <= elementDigitsMax; digits += 1) {
    text = element.toPrecision(digits);
    if (Math.fround(Number(text)) === element) break;
  }
  const canonical = canonicalizeNumber(text);
  return canonical.includes('.') ? canonical : `${canonical}.0`;
}
