import {
  type AttributeMap,
  type AttributeValue,
  getAttribute,
  type MutableAttributeMap,
  setAttribute,
  typeTag,
} from '../../values/attribute-value.ts';
import { encodeKeyValue } from '../../values/key-bytes.ts';
import { serviceLimits } from '../../values/limits.ts';
import { ValidationException } from '../../values/service-error.ts';
import { partitionHash } from '../layout/partition-hash.ts';
import { storeKey } from '../layout/spaces.ts';
import type { KeyAttribute, Table } from '../tables/table.ts';
import { RequestRefusedException } from './request-refused.ts';

/** Where an item lies, and the attributes that say so. */
export interface ItemKey {
  readonly storeKey: Buffer;
  /** Hash of the partition key. */
  readonly hash: Uint8Array;
  readonly attributes: AttributeMap;
}

/**
 * The key named by a `Key` parameter: exactly the key attributes, with the right types.
 *
 * @throws {ValidationException} with the service's texts.
 */
export function itemKeyOfKey(table: Table, key: AttributeMap): ItemKey {
  const { keyAttributes } = table;
  let count = 0;
  for (const name in key) if (Object.hasOwn(key, name)) count += 1;
  if (count !== keyAttributes.length) throw keyMismatch();
  const encoded = keyAttributes.map((attribute) => {
    const value = getAttribute(key, attribute.attributeName);
    if (value === undefined || typeTag(value) !== attribute.attributeType) throw keyMismatch();
    return encodeKeyAttribute(table, attribute, value);
  });
  return keyOf(table, encoded, key);
}

/**
 * The key of a whole item.
 *
 * @param keyProblem - words a key attribute that is missing or of another type.
 * @throws {ValidationException} with the service's texts.
 */
export function itemKeyOfItem(
  table: Table,
  item: AttributeMap,
  keyProblem: typeof describedKeyProblem = describedKeyProblem,
): ItemKey {
  const attributes: MutableAttributeMap = {};
  const encoded = table.keyAttributes.map((attribute) => {
    const value = getAttribute(item, attribute.attributeName);
    if (value === undefined || typeTag(value) !== attribute.attributeType) throw keyProblem(attribute, value);
    setAttribute(attributes, attribute.attributeName, value);
    return encodeKeyAttribute(table, attribute, value);
  });
  return keyOf(table, encoded, attributes);
}

/** What is wrong with a key attribute of an item that is written by itself or in a transaction. */
export function describedKeyProblem(
  { attributeName, attributeType }: KeyAttribute,
  value: AttributeValue | undefined,
): ValidationException {
  const problem =
    value === undefined
      ? `Missing the key ${attributeName} in the item`
      : `Type mismatch for key ${attributeName} expected: ${attributeType} actual: ${typeTag(value)}`;
  return new ValidationException(`One or more parameter values were invalid: ${problem}`);
}

/** What is wrong with a key, wherever the service says no more. */
export function keyMismatch(): ValidationException {
  return new ValidationException('The provided key element does not match the schema');
}

/** True when the text or binary is empty, which no key may be. */
export function isEmptyKeyValue(value: AttributeValue): boolean {
  return ('S' in value && value.S === '') || ('B' in value && value.B === '');
}

export function emptyKindOf(value: AttributeValue): 'string' | 'binary' {
  return 'B' in value ? 'binary' : 'string';
}

function checkKeyLength(role: 'partition' | 'sort', encodedBytes: number): void {
  if (role === 'partition' && encodedBytes > serviceLimits.partitionKeyBytesMax) {
    throw new ValidationException(
      `One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of${serviceLimits.partitionKeyBytesMax} bytes`,
    );
  }
  if (role === 'sort' && encodedBytes > serviceLimits.sortKeyBytesMax) {
    throw new ValidationException(
      `One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of ${serviceLimits.sortKeyBytesMax} bytes`,
    );
  }
}

function encodeKeyAttribute(table: Table, attribute: KeyAttribute, value: AttributeValue): Uint8Array {
  if (isEmptyKeyValue(value)) {
    throw new RequestRefusedException(
      `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty ${emptyKindOf(value)} value. Key: ${attribute.attributeName}`,
    );
  }
  const encoded = encodeKeyValue(value, attribute.attributeType);
  checkKeyLength(attribute === table.partitionKey ? 'partition' : 'sort', encoded.length);
  return encoded;
}

function keyOf(table: Table, encoded: readonly Uint8Array[], attributes: AttributeMap): ItemKey {
  const [partition, ...sort] = encoded as [Uint8Array, ...Uint8Array[]]; // a table has a partition key
  const hash = partitionHash(partition);
  return { storeKey: storeKey(table.record.itemSpace, hash, ...sort), hash, attributes };
}
