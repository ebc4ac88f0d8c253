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
import { indexEntryKey } from '../followers/indexes/index-entry.ts';
import { hashOf } from '../layout/spaces.ts';
import type { SecondaryIndex, Table } from '../catalog/table.ts';
import { isEmptyKeyValue, itemKeyOfKey } from '../catalog/item-key.ts';

/** Where a page continues: the position of an item that was, or could have been, read last. */
export interface PagePosition {
  /** Store key in the table's or index's space. The item need not exist (any more). */
  readonly storeKey: Buffer;
  /** Partition hash of that key. */
  readonly hash: Uint8Array;
}

const invalidStartKey = 'The provided starting key is invalid';
const schemaMismatch = 'The provided key element does not match the schema';

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
  // For an invalid start key of a global index, the service gives no details.
  const isScanOfGlobalIndex = operation === 'Scan' && index?.kind === 'global';
  if (!isComplete || Object.keys(startKey).length !== names.size) {
    throw new ValidationException(
      operation === 'Scan' && !isScanOfGlobalIndex ? `${invalidStartKey}: ${schemaMismatch}` : invalidStartKey,
    );
  }
  for (const { attributeName, attributeType } of index?.keyAttributes ?? []) {
    const value = getAttribute(startKey, attributeName) as AttributeValue; // complete, as checked above
    if (typeTag(value) !== attributeType) {
      throw new ValidationException(isScanOfGlobalIndex ? invalidStartKey : schemaMismatch);
    }
    if (isEmptyKeyValue(value)) throw new ValidationException(invalidStartKey);
  }
  const tableKey: MutableAttributeMap = {};
  for (const { attributeName } of table.keyAttributes) {
    setAttribute(tableKey, attributeName, getAttribute(startKey, attributeName) as AttributeValue); // as above
  }
  try {
    const itemKey = itemKeyOfKey(table, tableKey);
    if (index === undefined) return { storeKey: itemKey.storeKey, hash: hashOf(itemKey.storeKey) };
    const storeKey = indexEntryKey(index, attributeSource(startKey), itemKey.storeKey);
    if (storeKey === undefined) throw new ValidationException(schemaMismatch);
    return { storeKey, hash: hashOf(storeKey) };
  } catch (error) {
    if (error instanceof ValidationException) {
      throw new ValidationException(isScanOfGlobalIndex ? invalidStartKey : `${invalidStartKey}: ${error.message}`);
    }
    throw error;
  }
}
