import type { AttributeMap, AttributeValue } from './attribute-value.ts';
import { compareBinary, decodeBase64 } from './base64.ts';
import { compareNumbers } from './decimal.ts';
import { compareUtf8 } from './utf8.ts';

/**
 * Whether two checked values are the same: same type, same contents. Numbers compare by value (their texts are
 * canonical), sets without order, maps without order, lists in order.
 *
 * @see DynamoDB Developer Guide, "Comparison operator and function reference"
 */
export function attributeValuesEqual(a: AttributeValue, b: AttributeValue): boolean {
  if (a === b) return true;
  if ('S' in a) return 'S' in b && a.S === b.S;
  if ('N' in a) return 'N' in b && a.N === b.N;
  if ('M' in a) return 'M' in b && mapsEqual(a.M, b.M);
  if ('L' in a) return 'L' in b && listsEqual(a.L, b.L);
  if ('BOOL' in a) return 'BOOL' in b && a.BOOL === b.BOOL;
  if ('B' in a) return 'B' in b && a.B === b.B;
  if ('NULL' in a) return 'NULL' in b;
  if ('SS' in a) return 'SS' in b && setsEqual(a.SS, b.SS);
  if ('NS' in a) return 'NS' in b && setsEqual(a.NS, b.NS);
  return 'BS' in b && setsEqual(a.BS, b.BS);
}

/**
 * Order of two checked values: negative, zero or positive; undefined when they are not both strings, both numbers or
 * both binaries, which is when every one of `<`, `<=`, `>`, `>=` and BETWEEN is false.
 *
 * Strings order by UTF-8 bytes, numbers by value, binaries by unsigned bytes.
 */
export function compareScalars(a: AttributeValue, b: AttributeValue): number | undefined {
  if ('S' in a) return 'S' in b ? compareUtf8(a.S, b.S) : undefined;
  if ('N' in a) return 'N' in b ? compareNumbers(a.N, b.N) : undefined;
  if ('B' in a) return 'B' in b ? compareBinary(a.B, b.B) : undefined;
  return undefined;
}

/** `begins_with`: whether a string or binary starts with one of the same type. False for everything else. */
export function beginsWith(value: AttributeValue, prefix: AttributeValue): boolean {
  if ('S' in value) return 'S' in prefix && value.S.startsWith(prefix.S);
  if ('B' in value && 'B' in prefix) {
    const prefixBytes = decodeBase64(prefix.B);
    return Buffer.from(value.B, 'base64').subarray(0, prefixBytes.length).equals(prefixBytes);
  }
  return false;
}

/**
 * `contains`: whether a string has the operand as substring, a binary as run of bytes, a set as an element of its
 * element type, or a list as an equal element of any type. False for everything else.
 */
export function containsValue(container: AttributeValue, operand: AttributeValue): boolean {
  if ('L' in container) return container.L.some((element) => attributeValuesEqual(element, operand));
  if ('S' in operand) {
    if ('S' in container) return container.S.includes(operand.S);
    return 'SS' in container && container.SS.includes(operand.S);
  }
  if ('N' in operand) return 'NS' in container && container.NS.includes(operand.N);
  if ('B' in operand) {
    if ('B' in container) return Buffer.from(container.B, 'base64').includes(Buffer.from(operand.B, 'base64'));
    return 'BS' in container && container.BS.includes(operand.B);
  }
  return false;
}

function mapsEqual(a: AttributeMap, b: AttributeMap): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  for (const name of names) {
    const valueA = a[name]; // own properties both, so `__proto__` is read as any other
    const valueB = Object.hasOwn(b, name) ? b[name] : undefined;
    if (valueA === undefined || valueB === undefined || !attributeValuesEqual(valueA, valueB)) return false;
  }
  return true;
}

function listsEqual(a: readonly AttributeValue[], b: readonly AttributeValue[]): boolean {
  if (a.length !== b.length) return false;
  for (const [index, element] of a.entries()) {
    const other = b[index];
    if (other === undefined || !attributeValuesEqual(element, other)) return false;
  }
  return true;
}

/** Both have no duplicates, so equal sizes and inclusion one way are enough. */
function setsEqual(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  if (a.length <= 8) return a.every((element) => b.includes(element));
  const elements = new Set(b);
  return a.every((element) => elements.has(element));
}
