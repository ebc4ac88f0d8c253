import type { AttributeMap, AttributeValue } from './attribute-value.ts';
import { compareBinary } from './base64.ts';
import { compareNumbers } from './decimal.ts';
import { SubstringSearch } from './substring-search.ts';
import { compareUtf8 } from './utf8.ts';
import { charactersPerUnitLog2, spend } from './work-units.ts';

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
 * Order of two checked values: negative, zero or positive; undefined unless both are strings, both numbers or
 * both binaries. If it is undefined, `<`, `<=`, `>`, `>=` and BETWEEN are all false.
 *
 * Strings order by UTF-8 bytes, numbers by value, binaries by unsigned bytes.
 */
export function compareScalars(a: AttributeValue, b: AttributeValue): number | undefined {
  if ('S' in a) return 'S' in b ? compareTexts(a.S, b.S, compareUtf8) : undefined;
  if ('N' in a) return 'N' in b ? compareNumbers(a.N, b.N) : undefined;
  if ('B' in a) return 'B' in b ? compareTexts(a.B, b.B, compareBinary) : undefined;
  return undefined;
}

/**
 * `begins_with` for an operand: whether a string or binary starts with one of the same type. False for everything else.
 *
 * @param prefix - prepared once for any number of values.
 */
export function prefixTest(prefix: AttributeValue): ValueTest {
  if ('S' in prefix) {
    const text = prefix.S;
    const cost = 1 + (text.length >> (charactersPerUnitLog2 + 2));
    return (value) => {
      if (!('S' in value)) return false;
      spend(cost);
      return value.S.startsWith(text);
    };
  }
  if (!('B' in prefix)) return () => false;
  const bytes = Buffer.from(prefix.B, 'base64');
  // The characters that hold as many bytes as the prefix has; the rest need not be decoded.
  const length = Math.ceil(bytes.length / 3) * 4;
  return (value) => {
    if (!('B' in value)) return false;
    spend(1 + (length >> (charactersPerUnitLog2 + 2)));
    return Buffer.from(value.B.slice(0, length), 'base64').subarray(0, bytes.length).equals(bytes);
  };
}

/**
 * `contains` for an operand: whether a string has it as a substring, a binary as a run of bytes, a set as an element of its
 * element type, or a list as an equal element of any type. False for everything else. Takes time linear in the container.
 *
 * @param operand - prepared once for any number of containers.
 */
export function containmentTest(operand: AttributeValue): ValueTest {
  const isInScalarOrSet = scalarContainmentTest(operand);
  return (container) => {
    if (!('L' in container)) return isInScalarOrSet(container);
    spend(1 + (container.L.length >> nodesPerUnitLog2));
    return container.L.some((element) => attributeValuesEqual(element, operand));
  };
}

/** A test of values. */
export type ValueTest = (value: AttributeValue) => boolean;

/** How many nodes of a document are compared for one unit of work, as a power of two. */
const nodesPerUnitLog2 = 4;

function scalarContainmentTest(operand: AttributeValue): ValueTest {
  if ('S' in operand) {
    const search = new SubstringSearch(operand.S);
    return (container) => {
      if ('S' in container) return isInText(search, container.S);
      return 'SS' in container && isInSet(container.SS, operand.S);
    };
  }
  if ('N' in operand) return (container) => 'NS' in container && isInSet(container.NS, operand.N);
  if (!('B' in operand)) return () => false;
  // One character per byte, so that bytes can be searched like text.
  const search = new SubstringSearch(latin1Of(operand.B));
  return (container) => {
    if ('B' in container) return isInText(search, latin1Of(container.B));
    return 'BS' in container && isInSet(container.BS, operand.B);
  };
}

function isInText(search: SubstringSearch, text: string): boolean {
  spend(1 + (text.length >> charactersPerUnitLog2));
  return search.isIn(text);
}

function isInSet(elements: readonly string[], element: string): boolean {
  spend(1 + (elements.length >> (nodesPerUnitLog2 + 1)));
  return elements.includes(element);
}

function latin1Of(base64: string): string {
  return Buffer.from(base64, 'base64').toString('latin1');
}

function compareTexts(a: string, b: string, compare: (a: string, b: string) => number): number {
  const length = Math.min(a.length, b.length);
  if (length >= longTextLength) spend(length >> (charactersPerUnitLog2 + 2));
  return compare(a, b);
}

/** Comparing texts from this length on counts as work. */
const longTextLength = 1024;

function mapsEqual(a: AttributeMap, b: AttributeMap): boolean {
  const names = Object.keys(a);
  spend(1 + (names.length >> nodesPerUnitLog2));
  if (names.length !== Object.keys(b).length) return false;
  for (const name of names) {
    const valueA = a[name]; // own properties of both, so `__proto__` is read like any other
    const valueB = Object.hasOwn(b, name) ? b[name] : undefined;
    if (valueA === undefined || valueB === undefined || !attributeValuesEqual(valueA, valueB)) return false;
  }
  return true;
}

function listsEqual(a: readonly AttributeValue[], b: readonly AttributeValue[]): boolean {
  if (a.length !== b.length) return false;
  spend(1 + (a.length >> nodesPerUnitLog2));
  for (const [index, element] of a.entries()) {
    const other = b[index];
    if (other === undefined || !attributeValuesEqual(element, other)) return false;
  }
  return true;
}

/** Neither has duplicates, so equal sizes and inclusion in one direction are enough. */
function setsEqual(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  spend(1 + (a.length >> nodesPerUnitLog2));
  if (a.length <= 8) return a.every((element) => b.includes(element));
  const elements = new Set(b);
  return a.every((element) => elements.has(element));
}
