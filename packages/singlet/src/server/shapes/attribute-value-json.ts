import { isCanonicalBase64 } from '../../values/base64.ts';
import { ValidationException } from '../../values/service-error.ts';
import { SerializationException } from '../serialization-exception.ts';
import { notBase64, notBlob, notList, notMap, notScalar, notStructure, type Position } from './json-type.ts';
import { attributeMap } from './shape.ts';

/**
 * JSON types of attribute values. A value that passes is an `UncheckedAttributeValue`: the tags that are present hold values of
 * the right JSON type. The engine checks how many tags there are, and whether their values make sense.
 *
 * Values are checked in place and not copied. The rare repairs happen in place, too: tags that are unknown or null are
 * removed (the service ignores both), and a null instead of a value becomes the empty value, which the engine refuses.
 */

/** JSON that was parsed from a request and is used by that request only. */
interface OwnedJsonObject {
  [name: string]: unknown;
}

/**
 * Deepest nesting that is checked. Far more than the service stores (32), so that the engine refuses it,
 * and far below what would overflow the stack.
 */
const depthMax = 500;

/** @throws {SerializationException} unless this is a map of attribute values. */
export function checkAttributeMap(json: unknown, position: Position, depth = 0): void {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw notMap(json, position, attributeMap);
  const map = json as OwnedJsonObject;
  for (const name in map) {
    const value = map[name];
    if (value === null) map[name] = {};
    else checkAttributeValue(value, 'element', depth);
  }
}

/** @throws {SerializationException} unless this is an attribute value. */
export function checkAttributeValue(json: unknown, position: Position, depth = 0): void {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw notStructure(json, position, 'AttributeValue');
  }
  if (depth > depthMax) throw new SerializationException();
  const value = json as OwnedJsonObject;
  for (const tag in value) {
    const content = value[tag];
    if (content === null) delete value[tag];
    else checkContent(value, tag, content, depth);
  }
}

function checkContent(value: OwnedJsonObject, tag: string, content: unknown, depth: number): void {
  switch (tag) {
    case 'S':
    case 'N':
      if (typeof content !== 'string') throw notScalar(content, 'String');
      return;
    case 'B':
      checkBlob(content);
      return;
    case 'BOOL':
    case 'NULL':
      if (typeof content !== 'boolean') value[tag] = booleanFrom(content);
      return;
    case 'M':
      checkAttributeMap(content, 'field', depth + 1);
      return;
    case 'L':
      checkList(content, depth);
      return;
    case 'SS':
    case 'NS':
      checkSet(content, checkSetString, tag);
      return;
    case 'BS':
      checkSet(content, checkBlob, tag);
      return;
    default:
      delete value[tag];
  }
}

function checkList(json: unknown, depth: number): void {
  if (!Array.isArray(json)) throw notList(json, 'field');
  const elements = json as unknown[];
  for (let index = 0; index < elements.length; index += 1) {
    const element = elements[index];
    if (element === null) elements[index] = {};
    else checkAttributeValue(element, 'element', depth + 1);
  }
}

function checkSet(json: unknown, checkMember: (member: unknown) => void, tag: 'SS' | 'NS' | 'BS'): void {
  if (!Array.isArray(json)) throw notList(json, 'field');
  for (const member of json as unknown[]) {
    // Assumed text: the service is not on record as refusing a null inside a set.
    if (member === null) throw new ValidationException(nullMemberMessages[tag]);
    checkMember(member);
  }
}

const nullMemberMessages = {
  SS: 'One or more parameter values were invalid: An string set  may not have a null string as a member',
  NS: 'One or more parameter values were invalid: An number set  may not have a null string as a member',
  BS: 'One or more parameter values were invalid: Binary sets may not contain null values',
} as const;

function checkSetString(json: unknown): void {
  if (typeof json !== 'string') throw notScalar(json, 'String');
}

function checkBlob(json: unknown): void {
  if (typeof json !== 'string') throw notBlob(json);
  if (!isCanonicalBase64(json)) throw notBase64(json);
}

/** In addition to true and false the service accepts a few strings, in any case. */
export function booleanFrom(json: unknown): boolean {
  if (typeof json === 'boolean') return json;
  if (typeof json === 'string') {
    const text = json.toUpperCase();
    if (text === 'TRUE' || text === '1' || text === 'YES') return true;
    if (text === 'FALSE' || text === '0' || text === 'NO') return false;
  }
  throw notScalar(json, 'Boolean');
}
