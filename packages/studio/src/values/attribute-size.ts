import type { AttributeMap, AttributeValue } from '../../../singlet/src/values/attribute-value.ts';
import { canonicalizeNumber } from '../../../singlet/src/values/decimal.ts';

// The service's size rules, in a browser. `attribute-size.test.ts` checks that they match those of the database.

const documentBytes = 3;
const documentElementBytes = 1;

/** Size of an item in bytes, as the service counts it. */
export function itemBytes(item: AttributeMap): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) bytes += utf8Bytes(name) + valueBytes(value);
  return bytes;
}

function valueBytes(value: AttributeValue): number {
  if ('S' in value) return utf8Bytes(value.S);
  if ('N' in value) return numberBytes(value.N);
  if ('B' in value) return base64Bytes(value.B);
  if ('BOOL' in value || 'NULL' in value) return 1;
  if ('SS' in value) return sum(value.SS, utf8Bytes);
  if ('NS' in value) return sum(value.NS, numberBytes);
  if ('BS' in value) return sum(value.BS, base64Bytes);
  if ('L' in value) return documentBytes + sum(value.L, (element) => documentElementBytes + valueBytes(element));
  return (
    documentBytes +
    sum(Object.entries(value.M), ([name, element]) => documentElementBytes + utf8Bytes(name) + valueBytes(element))
  );
}

/** UTF-8 length. Half a surrogate pair counts as the replacement character, which is what is stored. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    if (code < 0x800) bytes += 1;
    else if (isHigh(code) && isLow(text.charCodeAt(at + 1))) {
      bytes += 2; // four bytes for two units
      at += 1;
    } else bytes += 2;
  }
  return bytes;
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}

/** Length of the bytes that Base64 text encodes. */
export function base64Bytes(text: string): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return Math.floor((text.length * 3) / 4) - padding;
}

/** One byte, plus one for each two digits before the point, one for each two digits after it, and one for a minus. */
function numberBytes(text: string): number {
  const canonical = canonicalizeNumber(text);
  if (canonical === '0') return 1;
  const sign = canonical.startsWith('-') ? 1 : 0;
  const [whole = '', fraction] = canonical.slice(sign).split('.');
  if (fraction === undefined) return 1 + pairs(whole.replace(/0+$/, '').length) + sign;
  if (whole === '0') return 1 + pairs(fraction.replace(/^0+/, '').length) + sign;
  return 1 + pairs(whole.length) + pairs(fraction.length) + sign;
}

function pairs(digits: number): number {
  return Math.ceil(digits / 2);
}

function sum<T>(elements: readonly T[], size: (element: T) => number): number {
  return elements.reduce((total, element) => total + size(element), 0);
}
