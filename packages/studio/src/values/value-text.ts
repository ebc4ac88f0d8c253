import type { AttributeMap, AttributeValue } from '../../../singlet/src/values/attribute-value.ts';
import { base64Bytes } from './attribute-size.ts';

/** Maximum characters of a value in a cell. The value itself is never truncated. */
export const cellTextLengthMax = 256;

/** A value on one line: text unchanged, nested values abbreviated. */
export function cellText(value: AttributeValue): string {
  return cut(lineOf(value, 2), cellTextLengthMax);
}

function lineOf(value: AttributeValue, depth: number): string {
  if ('S' in value) return value.S;
  if ('N' in value) return value.N;
  if ('BOOL' in value) return String(value.BOOL);
  if ('NULL' in value) return 'null';
  if ('B' in value) return `${base64Bytes(value.B)} bytes`;
  if ('SS' in value) return braced(value.SS);
  if ('NS' in value) return braced(value.NS);
  if ('BS' in value) return `${value.BS.length} binaries`;
  const elements = 'L' in value ? value.L : Object.values(value.M);
  if (depth === 0) return elements.length === 0 ? '{ }' : `{ ${elements.length} }`;
  const parts = elements.slice(0, 8).map((element) => lineOf(element, depth - 1));
  return 'L' in value ? `[ ${parts.join(', ')} ]` : `{ ${parts.join(', ')} }`;
}

function braced(elements: readonly string[]): string {
  return `{ ${elements.slice(0, 32).join(', ')} }`;
}

/** @returns text of at most that many characters, which never splits a character beyond U+FFFF. */
export function cut(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const end =
    text.charCodeAt(lengthMax - 2) >= 0xd800 && text.charCodeAt(lengthMax - 2) < 0xdc00 ? lengthMax - 2 : lengthMax - 1;
  return `${text.slice(0, end)}…`;
}

/** The one string in a key attribute's value: text, number, or Base64. */
export function keyText(value: AttributeValue | undefined): string {
  if (value === undefined) return '';
  return 'S' in value ? value.S : 'N' in value ? value.N : 'B' in value ? value.B : '';
}

/** A key value in the form of an address: `S:CUSTOMER#alexdebrie`. */
export function typedText(value: AttributeValue): string {
  const [type = 'S'] = Object.keys(value);
  return `${type}:${keyText(value)}`;
}

/** @returns undefined for text that is not a typed key value. */
export function typedValue(text: string): AttributeValue | undefined {
  const [, type, value = ''] = /^([SNB]):(.*)$/s.exec(text) ?? [];
  if (type === 'S') return { S: value };
  if (type === 'N') return { N: value };
  return type === 'B' ? { B: value } : undefined;
}

/** A subset of the attributes. */
export function picked(item: AttributeMap, names: readonly string[]): AttributeMap {
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
}
