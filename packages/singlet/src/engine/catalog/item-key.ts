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
import { hashedStoreKey } from '../layout/partition-hash.ts';
import type { KeyAttribute, Table } from './table.ts';
import { RequestRefusedException } from './request-refused.ts';

/** The position of an item, and the attributes that determine it. */
export interface ItemKey {
  readonly storeKey: Buffer;
  readonly attributes: AttributeMap;
}

/**
 * The key in a `Key` parameter: exactly the key attributes, with the right types.
 *
 * @throws {ValidationException} with the service's texts.
 */
export function itemKeyOfKey(table: Table, key: AttributeMap): ItemKey {
  const { keyAttributes } = table;
  let count = 0;
  for (const name in key) if (Object.hasOwn(key, name)) count += 1;
  if (count !== keyAttributes.length) throw keyMismatch();
  const [partition, sort] = keyAttributes.map((attribute) => {
    const value = getAttribute(key, attribute.attributeName);
    if (value === undefined || typeTag(value) !== attribute.attributeType) throw keyMismatch();
    return value;
  });
  return keyOf(table, partition as AttributeValue, sort, key); // every table has a partition key
}

/**
 * The key of a whole item.
 *
 * @param keyProblem - words the error for a key attribute that is missing or of another type.
 * @throws {ValidationException} with the service's texts.
 */
export function itemKeyOfItem(
  table: Table,
  item: AttributeMap,
  keyProblem: typeof describedKeyProblem = describedKeyProblem,
): ItemKey {
  const attributes: MutableAttributeMap = {};
  const [partition, sort] = table.keyAttributes.map((attribute) => {
    const value = getAttribute(item, attribute.attributeName);
    if (value === undefined || typeTag(value) !== attribute.attributeType) throw keyProblem(attribute, value);
    setAttribute(attributes, attribute.attributeName, value);
    return value;
  });
  return keyOf(table, partition as AttributeValue, sort, attributes); // every table has a partition key
}

/** The error text for a key attribute of an item that is written alone or in a transaction. */
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

/** The error text for a key, wherever the service gives no details. */
export function keyMismatch(): ValidationException {
  return new ValidationException('The provided key element does not match the schema');
}

/** True when the string or binary value is empty, which is not allowed in a key. */
export function isEmptyKeyValue(value: AttributeValue): boolean {
  return ('S' in value && value.S === '') || ('B' in value && value.B === '');
}

export function emptyKindOf(value: AttributeValue): 'string' | 'binary' {
  return 'B' in value ? 'binary' : 'string';
}

/**
 * Encodes a key. The partition key is hashed as it is, and a string without a buffer of its own, because every request
 * encodes a key.
 */
function keyOf(
  table: Table,
  partition: AttributeValue,
  sort: AttributeValue | undefined,
  attributes: AttributeMap,
): ItemKey {
  checkNotEmpty(table.partitionKey, partition);
  if (table.sortKey !== undefined && sort !== undefined) checkNotEmpty(table.sortKey, sort);
  const hashed = 'S' in partition ? partition.S : encodeKeyValue(partition, table.partitionKey.attributeType);
  if (isLongerThan(hashed, serviceLimits.partitionKeyBytesMax)) {
    throw new ValidationException(
      `One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of${serviceLimits.partitionKeyBytesMax} bytes`,
    );
  }
  const sortBytes =
    table.sortKey === undefined || sort === undefined ? noBytes : encodeKeyValue(sort, table.sortKey.attributeType);
  if (sortBytes.length > serviceLimits.sortKeyBytesMax) {
    throw new ValidationException(
      `One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of ${serviceLimits.sortKeyBytesMax} bytes`,
    );
  }
  return { storeKey: hashedStoreKey(table.record.itemSpace, hashed, sortBytes), attributes };
}

const noBytes = new Uint8Array();

function checkNotEmpty({ attributeName }: KeyAttribute, value: AttributeValue): void {
  if (!isEmptyKeyValue(value)) return;
  throw new RequestRefusedException(
    `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty ${emptyKindOf(value)} value. Key: ${attributeName}`,
  );
}

/** A UTF-16 unit has at most three bytes in UTF-8, so only a long string has to be measured. */
function isLongerThan(key: string | Uint8Array, bytesMax: number): boolean {
  if (typeof key !== 'string') return key.length > bytesMax;
  return key.length * 3 > bytesMax && Buffer.byteLength(key, 'utf8') > bytesMax;
}
