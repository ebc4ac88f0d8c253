import {
  type AttributeMap,
  getAttribute,
  type MutableAttributeMap,
  setAttribute,
  typeTag,
} from '../../../values/attribute-value.ts';
import { attributeValueSizeBytes } from '../../../values/item-size.ts';
import { encodeKeySequence, encodeKeyValue } from '../../../values/key-bytes.ts';
import { serviceLimits } from '../../../values/limits.ts';
import { utf8ByteLength } from '../../../values/utf8.ts';
import type { AttributeSource } from '../../../expressions/document-path.ts';
import { copyStoredItem, EncodedItem, encodeItem, storedItemUnder } from '../../layout/item-codec.ts';
import { isEmptyKeyValue } from '../../catalog/item-key.ts';
import type { StoredItem } from '../../layout/stored-item.ts';
import { damagedValue } from '../../layout/damaged-value.ts';
import { isIntact, sealValue } from '../../layout/value-checksum.ts';
import { partitionHash } from '../../layout/partition-hash.ts';
import { hashOf, restOf, storeKey } from '../../layout/spaces.ts';
import type { Table, VectorIndex } from '../../catalog/table.ts';
import { readVector } from './vector-value.ts';

/*
 * The entry of an item in a vector index. Its key:
 *
 *     with a HASH attribute   index space | hash of its value | hash and sort key of the item
 *     without                 index space | hash of the item  | sort key of the item
 *
 * Its value:
 *
 *     | format 2 | checksum 4 | 0 0 0 | the numbers of the vector, 4 each | the projected item without it, as items are stored |
 *
 * The checksum covers all that follows it. Format 1 had none, and the numbers began after `1 0 0 0`.
 *
 * The numbers are 32-bit floating point and little-endian, the byte order of every machine on which Node runs in production. A
 * vector is compared in place, and copied only when it does not begin at a multiple of four.
 */
const formatVersion = 2;
const headerBytes = 8;
const formatWithoutCheck = 1;
const headerBytesWithoutCheck = 4;
const elementBytes = 4;

export interface VectorEntry {
  readonly key: Buffer;
  /** The projected item without the vector. */
  readonly item: EncodedItem;
  readonly vector: Float32Array;
  /** Its metered size: the item's size, with the vector counted as its name and four bytes for each number. */
  readonly sizeBytes: number;
}

/**
 * The entry of an item; undefined when the item is not in the index, because it lacks the vector or the HASH attribute (or,
 * in items older than the index, has an attribute that today's writes refuse).
 */
export function vectorEntryOf(index: VectorIndex, item: StoredItem, itemKey: Uint8Array): VectorEntry | undefined {
  const found = locate(index, item, itemKey);
  if (found === undefined) return undefined;
  const projected = encodeItem(projectedPart(index, item.toMap()));
  return { ...found, item: projected, sizeBytes: entrySizeBytes(index, projected.sizeBytes) };
}

/** The stored value of an entry. */
export function vectorEntryValue(key: Uint8Array, item: StoredItem, vector: Float32Array): Buffer {
  const stored = item instanceof EncodedItem ? item.storedUnder(key) : storedItemUnder(item, key);
  const value = Buffer.alloc(headerBytes + vector.byteLength + stored.length);
  value.set(new Uint8Array(vector.buffer), headerBytes);
  value.set(stored, headerBytes + vector.byteLength);
  return sealValue(key, formatVersion, value);
}

/** The store key of an item's entry. */
export function vectorEntryKey(index: VectorIndex, item: AttributeSource, itemKey: Uint8Array): Buffer | undefined {
  return locate(index, item, itemKey)?.key;
}

function locate(
  index: VectorIndex,
  item: AttributeSource,
  itemKey: Uint8Array,
): { readonly key: Buffer; readonly vector: Float32Array } | undefined {
  const value = item.getAttribute(index.vector.attributeName);
  const vector = value && readVector(value, index.vector.dimensions);
  if (!(vector instanceof Float32Array)) return undefined;
  for (const { attributeName, attributeType } of index.searchAttributes) {
    const searched = item.getAttribute(attributeName);
    if (searched !== undefined && typeTag(searched) !== attributeType) return undefined;
  }
  const [partition] = index.keySchema.partition;
  if (partition === undefined) return { key: storeKey(index.space, hashOf(itemKey), restOf(itemKey)), vector };
  const partitionValue = item.getAttribute(partition.attributeName);
  if (partitionValue === undefined || isEmptyKeyValue(partitionValue)) return undefined;
  const encoded = encodeKeyValue(partitionValue, partition.attributeType);
  if (encoded.length > serviceLimits.partitionKeyBytesMax) return undefined;
  const hash = partitionHash(encodeKeySequence([partitionValue]));
  return { key: storeKey(index.space, hash, hashOf(itemKey), restOf(itemKey)), vector };
}

function projectedPart({ projectedNames, vector }: VectorIndex, item: AttributeMap): AttributeMap {
  const part: MutableAttributeMap = {};
  for (const name of projectedNames ?? Object.keys(item)) {
    const value = name === vector.attributeName ? undefined : getAttribute(item, name);
    if (value !== undefined) setAttribute(part, name, value);
  }
  return part;
}

function entrySizeBytes({ vector }: VectorIndex, itemSizeBytes: number): number {
  return itemSizeBytes + utf8ByteLength(vector.attributeName) + elementBytes * vector.dimensions;
}

/**
 * The reduction of an item's size for metering a write: in an attribute that a vector index reads, each number counts as
 * four bytes, however long it is. Reads and the limit of an item's size count the whole list.
 */
export function vectorDiscountBytes({ writtenVectorIndexes }: Table, item: AttributeMap): number {
  const counted = new Set<string>();
  let discountBytes = 0;
  for (const { vector } of writtenVectorIndexes) {
    const value = getAttribute(item, vector.attributeName);
    if (value === undefined || !('L' in value) || counted.has(vector.attributeName)) continue;
    counted.add(vector.attributeName);
    discountBytes += attributeValueSizeBytes(value) - elementBytes * value.L.length;
  }
  return discountBytes;
}

/** An entry that was stored before there were checksums. */
function isUnchecked(value: Uint8Array): boolean {
  return value[0] === formatWithoutCheck && value[1] === 0 && value[2] === 0 && value[3] === 0;
}

function headerOf(value: Uint8Array): number {
  return value[0] === formatVersion ? headerBytes : headerBytesWithoutCheck;
}

/** Reads the entries of one index. Its results are valid until the next call, unless they are copies. */
export class VectorEntryReader {
  readonly #index: VectorIndex;
  readonly #vectorBytes: number;
  readonly #scratch: Float32Array;

  constructor(index: VectorIndex) {
    this.#index = index;
    this.#scratch = new Float32Array(index.vector.dimensions);
    this.#vectorBytes = this.#scratch.byteLength;
  }

  /**
   * The vector of an entry, in place or in the reader's own memory.
   *
   * @throws {StorageError} `damaged` when the value is not what was stored under the key.
   */
  vectorOf(key: Uint8Array, value: Uint8Array): Float32Array {
    const start = this.#vectorStart(key, value);
    const offset = value.byteOffset + start;
    if (offset % elementBytes === 0) return new Float32Array(value.buffer, offset, this.#index.vector.dimensions);
    new Uint8Array(this.#scratch.buffer).set(value.subarray(start, start + this.#vectorBytes));
    return this.#scratch;
  }

  #vectorStart(key: Uint8Array, value: Uint8Array): number {
    const isChecked = value[0] === formatVersion;
    if (isChecked ? !isIntact(key, value) : !isUnchecked(value)) throw damagedValue(key);
    const start = headerOf(value);
    if (value.length < start + this.#vectorBytes) throw damagedValue(key);
    return start;
  }

  /** The projected item of an entry, without the vector, in its own memory. */
  itemOf(key: Uint8Array, value: Uint8Array): StoredItem {
    return copyStoredItem(key, value.subarray(headerOf(value) + this.#vectorBytes));
  }

  /** The metered size of an entry, given its item. */
  sizeBytesOf(item: StoredItem): number {
    return entrySizeBytes(this.#index, item.sizeBytes);
  }
}
