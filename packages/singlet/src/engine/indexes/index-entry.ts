import {
  type AttributeMap,
  type AttributeValue,
  getAttribute,
  type MutableAttributeMap,
  setAttribute,
  typeTag,
} from '../../values/attribute-value.ts';
import { encodeKeySequence, encodeKeyValue } from '../../values/key-bytes.ts';
import { itemSizeBytes } from '../../values/item-size.ts';
import { serviceLimits } from '../../values/limits.ts';
import { type EncodedItem, encodeItem } from '../items/item-codec.ts';
import { isEmptyKeyValue } from '../items/item-key.ts';
import { partitionHash } from '../layout/partition-hash.ts';
import { hashOf, restOf, storeKey } from '../layout/spaces.ts';
import type { KeyAttribute, Table, WrittenIndex } from '../tables/table.ts';
import { vectorEntryKey, vectorEntryOf } from '../vectors/vector-entry.ts';

/** An item's place in an index, and what stands there. */
export interface IndexEntry {
  readonly key: Buffer;
  /** The stored form of the projected item. */
  readonly value: Buffer;
  readonly map: AttributeMap;
  /** Size of the projected item by the service's formula, bytes. */
  readonly sizeBytes: number;
  /** Only in a vector index, where it is not part of the map. */
  readonly vector?: Float32Array;
}

/**
 * The entry of an item in an index; undefined when the item is not in it, because it lacks a key attribute of the index
 * (or, in items older than the index, has one that cannot be a key).
 *
 * @param itemKey - the item's store key.
 * @param encoded - the item's stored form where it is at hand: an entry that projects everything is that very text.
 */
export function indexEntryOf(
  table: Table,
  index: WrittenIndex,
  item: AttributeMap,
  itemKey: Uint8Array,
  encoded?: EncodedItem,
): IndexEntry | undefined {
  if (index.kind === 'vector') return vectorEntryOf(index, item, itemKey);
  const key = indexEntryKey(index, item, itemKey);
  if (key === undefined) return undefined;
  const { projectedNames } = index;
  const entry =
    projectedNames === undefined ? (encoded ?? encodeItem(item)) : encodeItem(projectedPart(item, projectedNames));
  return { key, value: entry.stored, map: entry.toMap(), sizeBytes: entry.sizeBytes };
}

/**
 * The store key of an item's entry.
 *
 *     local    index space | hash of the table's partition key | index sort key | table sort key
 *     global   index space | hash of the index partition key   | index sort key | hash and sort key of the item
 *     vector   see `vectors/vector-entry.ts`
 *
 * The index sort key is a sequence of self-delimiting values, so the item's own key can follow: entries with equal index
 * keys lie side by side, each with its own key.
 */
export function indexEntryKey(index: WrittenIndex, item: AttributeMap, itemKey: Uint8Array): Buffer | undefined {
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

/** What the entries of an item in the table's local indexes count for: the service bounds an item together with them. */
export function localEntriesSizeBytes(table: Table, item: AttributeMap): number {
  let sizeBytes = 0;
  for (const { keySchema, projectedNames } of table.localIndexes) {
    if (keyValues(keySchema.sort, item, serviceLimits.sortKeyBytesMax) === undefined) continue;
    sizeBytes += itemSizeBytes(projectedNames === undefined ? item : projectedPart(item, projectedNames));
  }
  return sizeBytes;
}

function keyValues(
  attributes: readonly KeyAttribute[],
  item: AttributeMap,
  bytesMax: number,
): readonly AttributeValue[] | undefined {
  const values: AttributeValue[] = [];
  let bytes = 0;
  for (const { attributeName, attributeType } of attributes) {
    const value = getAttribute(item, attributeName);
    if (value === undefined || typeTag(value) !== attributeType || isEmptyKeyValue(value)) return undefined;
    bytes += encodeKeyValue(value, attributeType).length;
    if (bytes > bytesMax) return undefined;
    values.push(value);
  }
  return values;
}

function projectedPart(item: AttributeMap, names: ReadonlySet<string>): AttributeMap {
  const part: MutableAttributeMap = {};
  for (const name of names) {
    const value = getAttribute(item, name);
    if (value !== undefined) setAttribute(part, name, value);
  }
  return part;
}
