import {
  type AttributeMap,
  getAttribute,
  type MutableAttributeMap,
  setAttribute,
  typeTag,
} from '../../values/attribute-value.ts';
import { attributeValueSizeBytes } from '../../values/item-size.ts';
import { encodeKeySequence, encodeKeyValue } from '../../values/key-bytes.ts';
import { serviceLimits } from '../../values/limits.ts';
import { utf8ByteLength } from '../../values/utf8.ts';
import { StorageError } from '../../storage/storage-error.ts';
import type { AttributeSource } from '../../expressions/document-path.ts';
import { copyStoredItem, type EncodedItem, encodeItem } from '../items/item-codec.ts';
import { isEmptyKeyValue } from '../items/item-key.ts';
import type { StoredItem } from '../items/stored-item.ts';
import { partitionHash } from '../layout/partition-hash.ts';
import { hashOf, restOf, storeKey } from '../layout/spaces.ts';
import type { Table, VectorIndex } from '../tables/table.ts';
import { readVector } from './vector-value.ts';

/*
 * The entry of an item in a vector index. Where it lies:
 *
 *     with a HASH attribute   index space | hash of its value | hash and sort key of the item
 *     without                 index space | hash of the item  | sort key of the item
 *
 * and what stands there:
 *
 *     | format 1 | 0 0 0 | the numbers of the vector, 4 each | the projected item without the vector, as items are stored |
 *
 * The numbers are 32-bit floating point, lowest byte first, as every machine has them that Node runs on in earnest: a vector
 * is compared where it lies, and moved only when it does not lie at a multiple of four.
 */
const formatVersion = 1;
const headerBytes = 4;
const elementBytes = 4;

export interface VectorEntry {
  readonly key: Buffer;
  /** The projected item without the vector. */
  readonly item: EncodedItem;
  readonly vector: Float32Array;
  /** What it is metered with: the item's size, the vector counted as its name and four bytes for each number. */
  readonly sizeBytes: number;
}

/**
 * The entry of an item; undefined when the item is not in the index, because it lacks the vector or the HASH attribute (or,
 * in items older than the index, has an attribute that no write of today could give it).
 */
export function vectorEntryOf(index: VectorIndex, item: StoredItem, itemKey: Uint8Array): VectorEntry | undefined {
  const found = locate(index, item, itemKey);
  if (found === undefined) return undefined;
  const projected = encodeItem(projectedPart(index, item.toMap()));
  return { ...found, item: projected, sizeBytes: entrySizeBytes(index, projected.sizeBytes) };
}

/** What stands in the store for an entry. */
export function vectorEntryValue({ stored }: EncodedItem, vector: Float32Array): Buffer {
  const value = Buffer.alloc(headerBytes + vector.byteLength + stored.length);
  value[0] = formatVersion;
  value.set(new Uint8Array(vector.buffer), headerBytes);
  value.set(stored, headerBytes + vector.byteLength);
  return value;
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
 * What a write meters an item's size with less than it is: in an attribute that a vector index reads, each number counts for
 * four bytes, however long it is. Reads and the limit of an item's size take the list as it is.
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

/** Reads the entries of one index. What it hands out is good until it is asked again, except what is copied. */
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
   * The vector of an entry, where it lies or in the reader's own memory.
   *
   * @throws {StorageError} `format` when it was written by another version.
   */
  vectorOf(value: Uint8Array): Float32Array {
    if (value[0] !== formatVersion) {
      throw new StorageError(
        'format',
        `An entry of ${this.#index.indexName} is stored in format ${String(value[0])}, and this version of Singlet reads format ${formatVersion}. Use the version that wrote it, or a newer one.`,
      );
    }
    const offset = value.byteOffset + headerBytes;
    if (offset % elementBytes === 0) return new Float32Array(value.buffer, offset, this.#index.vector.dimensions);
    new Uint8Array(this.#scratch.buffer).set(value.subarray(headerBytes, headerBytes + this.#vectorBytes));
    return this.#scratch;
  }

  /** The projected item of an entry, without the vector, on memory of its own. */
  itemOf(value: Uint8Array): StoredItem {
    return copyStoredItem(value.subarray(headerBytes + this.#vectorBytes));
  }

  /** What an entry is metered with, by its item. */
  sizeBytesOf(item: StoredItem): number {
    return entrySizeBytes(this.#index, item.sizeBytes);
  }
}
