import {
  type AttributeMap,
  type AttributeValue,
  type MutableAttributeMap,
  setAttribute,
  typeTag,
} from '../../../values/attribute-value.ts';
import { encodeKeySequence, encodeKeyValue } from '../../../values/key-bytes.ts';
import { itemSizeBytes } from '../../../values/item-size.ts';
import { serviceLimits } from '../../../values/limits.ts';
import type { AttributeSource } from '../../../expressions/document-path.ts';
import { EncodedItem, encodeItem, storedItemUnder } from '../../layout/item-codec.ts';
import { isEmptyKeyValue } from '../../catalog/item-key.ts';
import type { StoredItem } from '../../layout/stored-item.ts';
import { partitionHash } from '../../layout/partition-hash.ts';
import { hashOf, restOf, storeKey } from '../../layout/spaces.ts';
import type { KeyAttribute, Table, WrittenIndex } from '../../catalog/table.ts';
import { vectorEntryKey, vectorEntryOf, vectorEntryValue } from '../vectors/vector-entry.ts';

/** An item's position in an index, and its contents there. */
export interface IndexEntry {
  readonly key: Buffer;
  /** The projected item, sharing the memory of the item when the whole item is projected. */
  readonly item: StoredItem;
  /** Its size by the service's formula, bytes. */
  readonly sizeBytes: number;
  /** Only in a vector index, where it is not part of the projected item. */
  readonly vector?: Float32Array;
}

/**
 * The entry of an item in an index; undefined when the item is not in it, because it lacks a key attribute of the index
 * (or, in items older than the index, has one that cannot be a key).
 *
 * @param itemKey - the item's store key.
 * @param knownKey - the key of the entry, if known; not for a vector index.
 */
export function indexEntryOf(
  table: Table,
  index: WrittenIndex,
  item: StoredItem,
  itemKey: Uint8Array,
  knownKey?: Buffer,
): IndexEntry | undefined {
  if (index.kind === 'vector') return vectorEntryOf(index, item, itemKey);
  const key = knownKey ?? indexEntryKey(index, item, itemKey);
  if (key === undefined) return undefined;
  const { projectedNames } = index;
  const projected = projectedNames === undefined ? item : encodeItem(partOf(item, projectedNames));
  return { key, item: projected, sizeBytes: projected.sizeBytes };
}

/** The stored value of an entry. */
export function indexEntryValue({ key, item, vector }: IndexEntry): Buffer {
  if (vector !== undefined) return vectorEntryValue(key, item, vector);
  return item instanceof EncodedItem ? item.storedUnder(key) : storedItemUnder(item, key);
}

/**
 * The store key of an item's entry.
 *
 *     local    index space | hash of the table's partition key | index sort key | table sort key
 *     global   index space | hash of the index partition key   | index sort key | hash and sort key of the item
 *     vector   see `followers/vectors/vector-entry.ts`
 *
 * The index sort key is a sequence of self-delimiting values, so the item's own key can follow. Entries with equal index
 * keys are adjacent, each with its own key.
 */
export function indexEntryKey(index: WrittenIndex, item: AttributeSource, itemKey: Uint8Array): Buffer | undefined {
  if (index.kind === 'vector') return vectorEntryKey(index, item, itemKey);
  const partition = keyValues(index.keySchema.partition, item, serviceLimits.partitionKeyBytesMax);
  const sort = keyValues(index.keySchema.sort, item, serviceLimits.sortKeyBytesMax);
  if (partition === undefined || sort === undefined) return undefined;
  const sortBytes = encodeKeySequence(sort);
  return index.kind === 'local'
    ? storeKey(index.space, hashOf(itemKey), sortBytes, restOf(itemKey))
    : storeKey(index.space, globalIndexHash(partition), sortBytes, hashOf(itemKey), restOf(itemKey));
}

/** The hash that places a collection of a global index. */
export function globalIndexHash(partition: readonly AttributeValue[]): Uint8Array {
  return partitionHash(encodeKeySequence(partition));
}

/**
 * The size of the item's entries in the table's local indexes: the service limits the item together with them.
 *
 * @param itemBytes - the size of the item itself.
 */
export function localEntriesSizeBytes(table: Table, item: AttributeSource, itemBytes: number): number {
  let sizeBytes = 0;
  for (const { keySchema, projectedNames } of table.localIndexes) {
    if (keyValues(keySchema.sort, item, serviceLimits.sortKeyBytesMax) === undefined) continue;
    sizeBytes += projectedNames === undefined ? itemBytes : itemSizeBytes(partOf(item, projectedNames));
  }
  return sizeBytes;
}

function keyValues(
  attributes: readonly KeyAttribute[],
  item: AttributeSource,
  bytesMax: number,
): readonly AttributeValue[] | undefined {
  const values: AttributeValue[] = [];
  let bytes = 0;
  for (const { attributeName, attributeType } of attributes) {
    const value = item.getAttribute(attributeName);
    if (value === undefined || typeTag(value) !== attributeType || isEmptyKeyValue(value)) return undefined;
    bytes += encodeKeyValue(value, attributeType).length;
    if (bytes > bytesMax) return undefined;
    values.push(value);
  }
  return values;
}

/** An item's attributes with the given names, as far as it has them. */
export function partOf(item: AttributeSource, names: Iterable<string>): AttributeMap {
  const part: MutableAttributeMap = {};
  for (const name of names) {
    const value = item.getAttribute(name);
    if (value !== undefined) setAttribute(part, name, value);
  }
  return part;
}
