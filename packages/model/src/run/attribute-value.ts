import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { wellFormed } from '../keys/template.ts';
import { InputError } from '../model-error.ts';

/** An item as the service holds it. */
export type StoredItem = Record<string, AttributeValue>;

/**
 * Converts a value to the service's form. Sets become sets, arrays lists, plain objects maps. Undefined attributes are left
 * out of maps.
 *
 * @throws {InputError} for a value without such a form: a date, a function, a number that is not finite, an empty set.
 */
export function toAttributeValue(value: unknown, path: string): AttributeValue {
  switch (typeof value) {
    case 'string':
      return { S: wellFormed(value, path) };
    case 'number':
      if (!Number.isFinite(value)) throw new InputError('not-storable', path, `${value} is not a finite number`);
      return { N: String(value) };
    case 'boolean':
      return { BOOL: value };
    case 'bigint':
      return { N: String(value) };
    case 'object':
      return value === null ? { NULL: true } : objectValue(value, path);
    default:
      throw new InputError('not-storable', path, `a value of type ${typeof value} cannot be stored`);
  }
}

function objectValue(value: object, path: string): AttributeValue {
  if (Array.isArray(value)) return { L: value.map((element, i) => toAttributeValue(element, `${path}[${i}]`)) };
  if (value instanceof Uint8Array) return { B: value };
  if (value instanceof Set) return setValue(value, path);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new InputError(
      'not-storable',
      path,
      `a ${value.constructor.name} cannot be stored; let the schema yield text or a number`,
    );
  }
  const map: Record<string, AttributeValue> = {};
  for (const [name, element] of Object.entries(value)) {
    if (element !== undefined) map[wellFormed(name, path)] = toAttributeValue(element, `${path}.${name}`);
  }
  return { M: map };
}

function setValue(value: ReadonlySet<unknown>, path: string): AttributeValue {
  const elements = [...value];
  if (elements.length === 0) throw new InputError('empty-set', path, 'sets cannot be empty: leave the attribute out');
  if (elements.every((element) => typeof element === 'string'))
    return { SS: elements.map((element) => wellFormed(element, path)) };
  if (elements.every((element) => typeof element === 'number' || typeof element === 'bigint'))
    return { NS: elements.map(String) };
  if (elements.every((element) => element instanceof Uint8Array)) return { BS: elements };
  throw new InputError('not-storable', path, 'the elements of a set are all text, all numbers or all binary');
}

/** The value of an attribute. Whole numbers beyond 2^53 become bigint. */
export function fromAttributeValue(value: AttributeValue): unknown {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return numberOf(value.N);
  if (value.BOOL !== undefined) return value.BOOL;
  if (value.M !== undefined) return fromMap(value.M);
  if (value.L !== undefined) return value.L.map(fromAttributeValue);
  if (value.SS !== undefined) return new Set(value.SS);
  if (value.NS !== undefined) return new Set(value.NS.map(numberOf));
  if (value.B !== undefined) return value.B;
  if (value.BS !== undefined) return new Set(value.BS);
  return null;
}

function fromMap(map: StoredItem): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const name in map) {
    const value = map[name];
    if (value !== undefined) result[name] = fromAttributeValue(value);
  }
  return result;
}

function numberOf(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) || !/^-?\d+$/.test(text) ? number : BigInt(text);
}
