import type { AttributeMap, AttributeTypeTag, AttributeValue } from '../../../singlet/src/values/attribute-value.ts';
import { canonicalizeNumber } from '../../../singlet/src/values/decimal.ts';

// Typed text becomes a value only if it is valid. The text of numbers is kept as it was typed.

export const attributeTypes: readonly AttributeTypeTag[] = ['S', 'N', 'B', 'BOOL', 'NULL', 'M', 'L', 'SS', 'NS', 'BS'];

const nestingLevelsMax = 32;

/** Parses an item in DynamoDB JSON. @throws {ValueError} one sentence, with the location. */
export function parseItem(text: string): AttributeMap {
  const json = parseJson(text);
  if (!isObject(json)) throw new ValueError('An item is an object: { "name": { "S": "value" } }');
  for (const [name, value] of Object.entries(json)) checkValue(value, name, 1);
  return json as AttributeMap; // every value has been checked
}

/** The error in a typed text, in one sentence. */
export class ValueError extends Error {
  override readonly name = 'ValueError';
}

/** A value from the text of a field. @throws {ValueError} */
export function valueOfText(type: AttributeTypeTag, text: string): AttributeValue {
  const value =
    type === 'S' || type === 'N' || type === 'B'
      ? { [type]: text }
      : type === 'NULL'
        ? { NULL: true }
        : { [type]: parseJson(text) };
  checkValue(value, type, 1);
  return value as AttributeValue; // it has been checked
}

/** The text of a field, from which {@link valueOfText} makes the same value. */
export function textOfValue(value: AttributeValue): string {
  const [type, inner] = Object.entries(value)[0] as [AttributeTypeTag, unknown]; // a value has one member
  return typeof inner === 'string' ? inner : type === 'NULL' ? 'null' : JSON.stringify(inner);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ValueError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function checkValue(value: unknown, place: string, level: number): void {
  if (!isObject(value)) throw new ValueError(`${place}: a value has the form { "S": "text" }`);
  const entries = Object.entries(value);
  const [[type, inner] = ['', undefined]] = entries;
  if (entries.length !== 1) throw new ValueError(`${place}: a value has one type, not ${entries.length}`);
  if (level > nestingLevelsMax)
    throw new ValueError(`${place}: values are nested at most ${nestingLevelsMax} levels deep`);
  const problem = problemOf(type, inner);
  if (problem !== undefined) throw new ValueError(`${place}: ${problem}`);
  if (type === 'L')
    for (const [at, element] of (inner as unknown[]).entries()) checkValue(element, `${place}[${at}]`, level + 1);
  if (type === 'M')
    for (const [name, element] of Object.entries(inner as object)) checkValue(element, `${place}.${name}`, level + 1);
}

function problemOf(type: string, inner: unknown): string | undefined {
  switch (type) {
    case 'S':
      return typeof inner === 'string' ? undefined : 'text is in quotes';
    case 'N':
      return typeof inner === 'string' ? numberProblem(inner) : 'a number is in quotes, so that no digit is lost';
    case 'B':
      return typeof inner === 'string' && isBase64(inner) ? undefined : 'binary is written in Base64';
    case 'BOOL':
      return typeof inner === 'boolean' ? undefined : 'BOOL is true or false';
    case 'NULL':
      return inner === true ? undefined : 'NULL is true';
    case 'L':
      return Array.isArray(inner) ? undefined : 'a list is in [ ]';
    case 'M':
      return isObject(inner) ? undefined : 'a map is in { }';
    case 'SS':
    case 'NS':
    case 'BS':
      return setProblem(type, inner);
    default:
      return `there is no type ${type}`;
  }
}

function setProblem(type: 'SS' | 'NS' | 'BS', inner: unknown): string | undefined {
  if (!Array.isArray(inner) || !inner.every((element) => typeof element === 'string'))
    return 'a set is a list of texts in quotes: ["a", "b"]';
  if (inner.length === 0) return 'a set has at least one element';
  if (new Set(inner).size < inner.length) return 'a set has each element once';
  const kind = type === 'SS' ? 'S' : type === 'NS' ? 'N' : 'B';
  return inner.map((element) => problemOf(kind, element)).find((problem) => problem !== undefined);
}

/** The service's own message. */
function numberProblem(text: string): string | undefined {
  try {
    canonicalizeNumber(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function isBase64(text: string): boolean {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether two values are written alike, regardless of the order in maps. */
export function sameValue(a: AttributeValue | undefined, b: AttributeValue | undefined): boolean {
  return a === b || canonicalText(a) === canonicalText(b);
}

function canonicalText(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
    ) ?? ''
  );
}
