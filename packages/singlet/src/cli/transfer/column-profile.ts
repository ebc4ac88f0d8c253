import { canonicalizeNumber } from '../../values/decimal.ts';
import type { AttributeTypeTag, UncheckedAttributeValue } from '../../values/attribute-value.ts';

/**
 * The type of a column, from all values that it has:
 *
 * | values                          | column                                                                 |
 * |---------------------------------|------------------------------------------------------------------------|
 * | S                               | text                                                                   |
 * | N                               | the first of int64, decimal, double and text that holds each exactly   |
 * | BOOL, B                         | boolean, bytes                                                         |
 * | SS, BS, NS                      | list of texts, of bytes, of numbers by the rule above                  |
 * | S and N                         | text                                                                   |
 * | M, L, and any other mixture     | text with JSON                                                         |
 *
 * NULL and absent values are nulls, and a column that has nothing else is text.
 */
export type ColumnType =
  | { readonly kind: 'text' | 'json' | 'boolean' | 'bytes' }
  | NumberType
  | { readonly kind: 'list'; readonly element: ElementType };

export type ElementType = { readonly kind: 'text' } | { readonly kind: 'bytes' } | NumberType;

export type NumberType =
  | { readonly kind: 'int64' | 'double' | 'number text' }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number };

/** The maximum number of digits of a decimal column. */
const decimalDigitsMax = 38;

/** The kinds of values seen in a column. */
export class ColumnProfile {
  readonly #tags = new Set<AttributeTypeTag>();
  readonly #numbers = new NumberProfile();

  add(value: UncheckedAttributeValue): void {
    for (const tag in value) {
      if (tag === 'NULL') continue;
      this.#tags.add(tag as AttributeTypeTag); // a value has one property, its tag
    }
    if (value.N !== undefined) this.#numbers.add(value.N);
    for (const number of value.NS ?? []) this.#numbers.add(number);
  }

  type(): ColumnType {
    const [first, second, third] = this.#tags;
    if (first === undefined) return { kind: 'text' };
    if (second === undefined) return this.#typeOf(first);
    const isTextAndNumber = third === undefined && this.#tags.has('S') && this.#tags.has('N');
    return { kind: isTextAndNumber ? 'text' : 'json' };
  }

  #typeOf(tag: AttributeTypeTag): ColumnType {
    switch (tag) {
      case 'S':
        return { kind: 'text' };
      case 'N':
        return this.#numbers.type();
      case 'BOOL':
        return { kind: 'boolean' };
      case 'B':
        return { kind: 'bytes' };
      case 'SS':
        return { kind: 'list', element: { kind: 'text' } };
      case 'BS':
        return { kind: 'list', element: { kind: 'bytes' } };
      case 'NS':
        return { kind: 'list', element: this.#numbers.type() };
      case 'NULL':
      case 'L':
      case 'M':
        return { kind: 'json' };
    }
  }
}

/** The kinds of numbers in a column: enough to decide which type can represent all of them. */
class NumberProfile {
  #isInt64 = true;
  #isDouble = true;
  #integerDigits = 1;
  #scale = 0;

  add(text: string): void {
    const canonical = canonicalizeNumber(text);
    const [integer = '', fraction = ''] = canonical.replace('-', '').split('.');
    this.#integerDigits = Math.max(this.#integerDigits, integer.length);
    this.#scale = Math.max(this.#scale, fraction.length);
    if (this.#isInt64) this.#isInt64 = fraction === '' && integer.length <= 19 && fitsInt64(canonical);
    if (this.#isDouble) this.#isDouble = isExactDouble(canonical);
  }

  type(): NumberType {
    if (this.#isInt64) return { kind: 'int64' };
    const precision = this.#integerDigits + this.#scale;
    if (precision <= decimalDigitsMax) return { kind: 'decimal', precision, scale: this.#scale };
    return { kind: this.#isDouble ? 'double' : 'number text' };
  }
}

function fitsInt64(canonical: string): boolean {
  const number = BigInt(canonical);
  return BigInt.asIntN(64, number) === number;
}

/** Whether the nearest double is printed as the same number. */
function isExactDouble(canonical: string): boolean {
  const text = String(Number(canonical));
  return Number.isFinite(Number(text)) && canonicalizeNumber(text) === canonical;
}
