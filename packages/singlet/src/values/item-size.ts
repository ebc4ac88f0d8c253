import type { AttributeMap, AttributeValue } from './attribute-value.ts';
import { base64ByteLength } from './base64.ts';
import { utf8ByteLength } from './utf8.ts';

/** Bytes that a list or map costs before its contents, and that each of its elements costs in addition to its contents. */
export const documentBytes = 3;
export const documentElementBytes = 1;

/**
 * Size of an item, or of the contents of a map: the UTF-8 length of each name and the size of each value.
 *
 * This is what the 400 KB limit, capacity units and page sizes are computed from.
 *
 * @see DynamoDB Developer Guide, "DynamoDB item sizes and formats"
 */
export function itemSizeBytes(item: AttributeMap): number {
  let sizeBytes = 0;
  for (const name in item) {
    const value = item[name];
    if (value !== undefined) sizeBytes += attributeSizeBytes(name, value);
  }
  return sizeBytes;
}

/** The size of one attribute of an item. */
export function attributeSizeBytes(name: string, value: AttributeValue): number {
  return utf8ByteLength(name) + attributeValueSizeBytes(value);
}

/** Size of one checked value, without its name. */
export function attributeValueSizeBytes(value: AttributeValue): number {
  if ('S' in value) return utf8ByteLength(value.S);
  if ('N' in value) return numberSizeBytes(value.N);
  if ('M' in value) return documentBytes + mapElementsSizeBytes(value.M);
  if ('L' in value) return documentBytes + listElementsSizeBytes(value.L);
  if ('B' in value) return base64ByteLength(value.B);
  if ('BOOL' in value || 'NULL' in value) return 1;
  if ('SS' in value) return sum(value.SS, utf8ByteLength);
  if ('NS' in value) return sum(value.NS, numberSizeBytes);
  return sum(value.BS, base64ByteLength);
}

/**
 * Size of a canonical number: one byte, one for each two digits before the point, one for each two after it, and one
 * for a minus. Leading and trailing zeros of the whole number do not count, so 100 is as long as 1, and 1.5 longer than
 * 15.
 *
 * The developer guide says one byte per two significant digits and one more; the service was measured byte by byte (at
 * the 400 KB limit, August 2026) and does this.
 */
export function numberSizeBytes(canonical: string): number {
  if (canonical === '0') return 1;
  const negative = canonical.charCodeAt(0) === codeMinus ? 1 : 0;
  const point = canonical.indexOf('.');
  if (point < 0) return integerSizeBytes(canonical.length - negative - trailingZeroCount(canonical)) + negative;
  const fractionDigitCount = canonical.length - point - 1;
  if (canonical.charCodeAt(negative) === code0) {
    let leadingZeroCount = 0;
    while (canonical.charCodeAt(point + 1 + leadingZeroCount) === code0) leadingZeroCount += 1;
    return 1 + half(fractionDigitCount - leadingZeroCount) + negative;
  }
  return 1 + half(point - negative) + half(fractionDigitCount) + negative;
}

/** Size of a positive integer. @param digitCount - without the zeros at its end; at least 1. */
export function integerSizeBytes(digitCount: number): number {
  return 1 + half(digitCount);
}

const codeMinus = 45;
const code0 = 48;

function half(digitCount: number): number {
  return (digitCount + 1) >> 1;
}

function trailingZeroCount(digits: string): number {
  let count = 0;
  while (digits.charCodeAt(digits.length - 1 - count) === code0) count += 1;
  return count;
}

function mapElementsSizeBytes(map: AttributeMap): number {
  let sizeBytes = 0;
  for (const name in map) {
    const value = map[name];
    if (value !== undefined) sizeBytes += documentElementBytes + utf8ByteLength(name) + attributeValueSizeBytes(value);
  }
  return sizeBytes;
}

function listElementsSizeBytes(list: readonly AttributeValue[]): number {
  let sizeBytes = 0;
  for (const element of list) sizeBytes += documentElementBytes + attributeValueSizeBytes(element);
  return sizeBytes;
}

function sum(elements: readonly string[], sizeBytes: (element: string) => number): number {
  let total = 0;
  for (const element of elements) total += sizeBytes(element);
  return total;
}
