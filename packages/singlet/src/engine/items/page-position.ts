import {
  type AttributeMap,
  type AttributeValue,
  getAttribute,
  type MutableAttributeMap,
  setAttribute,
  typeTag,
} from '../../values/attribute-value.ts';
import { ValidationException } from '../../values/service-error.ts';
import { attributeSource } from '../../expressions/document-path.ts';
import { indexEntryKey } from '../indexes/index-entry.ts';
import { hashOf } from '../layout/spaces.ts';
import type { SecondaryIndex, Table } from '../tables/table.ts';
import { isEmptyKeyValue, itemKeyOfKey } from './item-key.ts';

/** Where a page goes on: the place of an item that was, or could have been, read last. */
export interface PagePosition {
  /** Store key in the table's or index's space. The item need not exist (any more). */
  readonly storeKey: Buffer;
  /** Partition hash of that key. */
  readonly hash: Uint8Array;
}

/**
 * The position that an ExclusiveStartKey names: exactly the key attributes of the table, and of the index that is read.
 *
 * @throws {ValidationException} with the service's texts, which differ a little between Query and Scan.
 */
export function pagePositionOf(
  table: Table,
  index: SecondaryIndex | undefined,
  startKey: AttributeMap,
  operation: 'Query' | 'Scan',
): PagePosition {
  const names = new Set([...table.keyAttributes, ...(index?.keyAttributes ?? [])].map((key) => key.attributeName));
  const isComplete = [...names].every((name) => getAttribute(startKey, name) !== undefined);
  if (!isComplete || Object.keys(startKey).length !== names.size) {
    throw new ValidationException(
      operation === 'Scan'
        ? 'The provided starting key is invalid: The provided key element does not match the schema'
        : 'The provided starting key is invalid',
    );
  }
  for (const { attributeName, attributeType } of index?.keyAttributes ?? []) {
    const value = getAttribute(startKey, attributeName) as AttributeValue; // complete, as seen
    if (typeTag(value) !== attributeType) {
      throw new ValidationException('The provided key element does not match the schema');
    }
    if (isEmptyKeyValue(value)) throw new ValidationException('The provided starting key is invalid');
  }
  const tableKey: MutableAttributeMap = {};
  for (const { attributeName } of table.keyAttributes) {
    setAttribute(tableKey, attributeName, getAttribute(startKey, attributeName) as AttributeValue); // as above
  }
  try {
    const itemKey = itemKeyOfKey(table, tableKey);
    if (index === undefined) return { storeKey: itemKey.storeKey, hash: hashOf(itemKey.storeKey) };
    const storeKey = indexEntryKey(index, attributeSource(startKey), itemKey.storeKey);
    if (storeKey === undefined) throw new ValidationException('The provided key element does not match the schema');
    return { storeKey, hash: hashOf(storeKey) };
  } catch (error) {
    if (error instanceof ValidationException) {
      throw new ValidationException(`The provided starting key is invalid: ${error.message}`);
    }
    throw error;
  }
}
