import type {
  AttributeMap,
  AttributeTypeTag,
  AttributeValue,
  MutableAttributeMap,
  UncheckedAttributeMap,
  UncheckedAttributeValue,
} from './attribute-value.ts';
import { setAttribute } from './attribute-value.ts';
import { canonicalizeBase64 } from './base64.ts';
import { canonicalizeNumber } from './decimal.ts';
import { duplicateElementsMessage } from './duplicate-elements.ts';
import { serviceLimits } from './limits.ts';
import { MalformedValueException, ValidationException } from './service-error.ts';
import { inSetOrder, isSetOrder, type SetTag } from './set-order.ts';
import { utf8ByteLength } from './utf8.ts';
import type { ValueCheckLayer } from './value-check-layer.ts';

/**
 * Turns values in wire form into values as they are stored: exactly one tag each, numbers and binaries in
 * canonical form, sets not empty and without duplicates, at most 32 levels deep.
 *
 * An object that needs no change is returned as it is. Otherwise only the changed parts and their containers are copied.
 */

const invalid = 'One or more parameter values were invalid: ';
const emptyValueMessage = 'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes';
const severalTagsMessage =
  'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes';
const nestingMessage =
  'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit';
const emptyNameMessage = 'Empty attribute name';
const longNameMessage = 'Attribute name is too large, must be less than 65536 bytes';
const emptySetMessages = {
  SS: `${invalid}An string set  may not be empty`,
  NS: `${invalid}An number set  may not be empty`,
  BS: `${invalid}Binary sets should not be empty`,
} as const;

/**
 * The checked form of one value, from an update or a condition.
 *
 * If there are several problems, the first one is reported, in the order in which the value was sent. There are two exceptions: a value with
 * several tags is reported only after the contents of each, and bad names in nested maps after everything else.
 *
 * @param layer - decides a few texts, see {@link ValueCheckLayer}.
 * @throws {ValidationException} with the text of the service, without any prefix.
 */
export function checkAttributeValue(value: UncheckedAttributeValue, layer: ValueCheckLayer = 'older'): AttributeValue {
  return checkWholeValue(value, 1, layer);
}

/**
 * As {@link checkAttributeValue}, for a value that an expression refers to. In the older layer it may be one level deeper
 * than an attribute, so a value to be stored must be checked against the limit again.
 */
export function checkExpressionValue(value: UncheckedAttributeValue, layer: ValueCheckLayer): AttributeValue {
  return checkWholeValue(value, layer === 'older' ? 0 : 1, layer);
}

function checkWholeValue(value: UncheckedAttributeValue, level: number, layer: ValueCheckLayer): AttributeValue {
  const check: Check = { layer, nestedNameMessage: undefined };
  const checked = checkValue(value, level, check);
  if (check.nestedNameMessage !== undefined) throw new ValidationException(check.nestedNameMessage);
  return checked;
}

/**
 * The checked form of an item or a key. Bad names of its own attributes are reported before everything else.
 *
 * @param layer - decides a few texts, see {@link ValueCheckLayer}.
 * @throws {ValidationException} with the text of the service, without any prefix.
 */
export function checkAttributeMap(map: UncheckedAttributeMap, layer: ValueCheckLayer = 'older'): AttributeMap {
  for (const name in map) {
    const message = attributeNameProblem(name);
    if (message !== undefined) throw new ValidationException(message);
  }
  const check: Check = { layer, nestedNameMessage: undefined };
  const checked = checkMapValues(map, 1, check);
  if (check.nestedNameMessage !== undefined) throw new ValidationException(check.nestedNameMessage);
  return checked;
}

interface Check {
  readonly layer: ValueCheckLayer;
  /** The first bad name of a nested map, to be reported when nothing else is wrong. */
  nestedNameMessage: string | undefined;
}

/** @param level - of this value; 1 is an attribute of the item. Recursion ends with the level. */
function checkValue(value: UncheckedAttributeValue, level: number, check: Check): AttributeValue {
  if (level > serviceLimits.nestingDepthMax) throw new ValidationException(nestingMessage);
  let only: string | undefined;
  for (const tag in value) {
    if (only !== undefined) return checkSeveralTags(value, level, check);
    only = tag;
  }
  if (only === undefined) throw new MalformedValueException(emptyValueMessage);
  return checkTagged(value, only as AttributeTypeTag, level, check) ?? checkSeveralTags(value, level, check);
}

/** The order in which the service checks the tags of a value that has more than one. */
const tagOrder: readonly AttributeTypeTag[] = ['S', 'B', 'N', 'BOOL', 'NULL', 'BS', 'NS', 'SS', 'L', 'M'];

/** For a value with several properties: members that are null, undefined or unknown do not count. */
function checkSeveralTags(value: UncheckedAttributeValue, level: number, check: Check): AttributeValue {
  let only: AttributeValue | undefined;
  let tagCount = 0;
  for (const tag of tagOrder) {
    const content = Object.hasOwn(value, tag) ? value[tag] : undefined;
    if (content === undefined || content === null) continue;
    only = checkTagged({ [tag]: content }, tag, level, check);
    tagCount += 1;
  }
  if (only === undefined) throw new MalformedValueException(emptyValueMessage);
  if (tagCount > 1) throw new MalformedValueException(severalTagsMessage);
  return only;
}

/**
 * The checked form of a value whose only property is `tag`; undefined when that is not a valid tag, or has no content.
 *
 * A returned `value` is of the checked type: it has one tag, and its content was checked.
 */
function checkTagged(
  value: UncheckedAttributeValue,
  tag: AttributeTypeTag,
  level: number,
  check: Check,
): AttributeValue | undefined {
  const content = value[tag];
  if (content === undefined || content === null) return undefined;
  switch (tag) {
    case 'S':
    case 'BOOL':
      return value as AttributeValue;
    case 'N':
      return keepOrReplace(value, 'N', canonicalizeNumber(content as string, check.layer));
    case 'B':
      return keepOrReplace(value, 'B', canonicalizeBase64(content as string));
    case 'NULL':
      if (content !== true)
        throw new ValidationException(`${invalid}Null attribute value types must have the value of true`);
      return value as AttributeValue;
    case 'L':
      return keepOrReplace(value, 'L', checkElements(content as readonly UncheckedAttributeValue[], level, check));
    case 'M':
      return keepOrReplace(value, 'M', checkNestedMap(content as UncheckedAttributeMap, level, check));
    case 'SS':
    case 'NS':
    case 'BS':
      return keepOrReplace(value, tag, checkSet(content as readonly string[], tag, check.layer));
    default:
      return unknownTag(tag);
  }
}

function unknownTag(_tag: never): undefined {
  return undefined;
}

function keepOrReplace(value: UncheckedAttributeValue, tag: AttributeTypeTag, content: unknown): AttributeValue {
  return (value[tag] === content ? value : { [tag]: content }) as AttributeValue;
}

function checkSet(elements: readonly string[], tag: SetTag, layer: ValueCheckLayer): readonly string[] {
  if (elements.length === 0) throw new ValidationException(emptySetMessages[tag]);
  let checked = elements;
  if (tag === 'NS') checked = mapKeeping(elements, (element) => canonicalizeNumber(element, layer));
  if (tag === 'BS') checked = mapKeeping(elements, canonicalizeBase64);
  const ordered = inSetOrder(checked, tag);
  if (ordered !== checked && !isSetOrder(ordered, tag)) {
    throw new ValidationException(duplicateElementsMessage(checked, tag, layer));
  }
  return ordered;
}

function checkElements(
  elements: readonly UncheckedAttributeValue[],
  level: number,
  check: Check,
): readonly AttributeValue[] {
  return mapKeeping(elements, (element) => checkValue(element, level + 1, check)) as readonly AttributeValue[];
}

function checkNestedMap(map: UncheckedAttributeMap, level: number, check: Check): AttributeMap {
  for (const name in map) check.nestedNameMessage ??= attributeNameProblem(name);
  return checkMapValues(map, level + 1, check);
}

/** @param level - of the values. */
function checkMapValues(map: UncheckedAttributeMap, level: number, check: Check): AttributeMap {
  let copy: MutableAttributeMap | undefined;
  for (const name in map) {
    const value = map[name];
    if (value === undefined) continue;
    const checked = checkValue(value, level, check);
    if (checked === value) continue;
    copy ??= { ...(map as AttributeMap) }; // spreading copies an own `__proto__` as the property it is
    setAttribute(copy, name, checked);
  }
  return copy ?? (map as AttributeMap);
}

/** Like `map`, but returns the array itself when no element changes. */
function mapKeeping<T>(elements: readonly T[], change: (element: T) => T): readonly T[] {
  let copy: T[] | undefined;
  for (let index = 0; index < elements.length; index += 1) {
    const element = elements[index] as T;
    const changed = change(element);
    if (changed === element) continue;
    copy ??= elements.slice();
    copy[index] = changed;
  }
  return copy ?? elements;
}

/** What is wrong with an attribute name, in the words of the service; undefined when nothing is. */
export function attributeNameProblem(name: string): string | undefined {
  if (name.length === 0) return emptyNameMessage;
  // No character takes more than three bytes per UTF-16 code unit, so most names need not be measured.
  if (name.length * 3 <= serviceLimits.attributeNameBytesMax) return undefined;
  return utf8ByteLength(name) > serviceLimits.attributeNameBytesMax ? longNameMessage : undefined;
}
