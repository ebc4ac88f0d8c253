import type { AttributeMap } from '../../values/attribute-value.ts';
import { itemSizeBytes } from '../../values/item-size.ts';
import { StorageError } from '../../storage/storage-error.ts';
import { StoredItem } from './stored-item.ts';

/*
 * The stored form of an item, and of an index entry:
 *
 *     | format 1 | size by the service's formula 4 | UTF-8 JSON text of the attribute map |
 *
 * The text is what answers carry, so an item that is read whole is copied and never parsed. The size stands in front so
 * that capacity, page limits and statistics need no parsing either.
 */
const formatVersion = 1;
const headerBytes = 5;

/** An item with its stored form. */
export interface EncodedItem {
  readonly map: AttributeMap;
  readonly sizeBytes: number;
  readonly stored: Buffer;
}

export function encodeItem(map: AttributeMap, sizeBytes: number = itemSizeBytes(map)): EncodedItem {
  const text = JSON.stringify(map);
  const stored = Buffer.allocUnsafe(headerBytes + Buffer.byteLength(text, 'utf8'));
  stored[0] = formatVersion;
  stored.writeUInt32BE(sizeBytes, 1);
  stored.write(text, headerBytes, 'utf8');
  return { map, sizeBytes, stored };
}

/**
 * The item in `value`, on the same memory: valid as long as `value` is.
 *
 * @throws {StorageError} `format` when it was written by another version.
 */
export function decodeStoredItem(value: Uint8Array): StoredItem {
  const sizeBytes = readHeader(value);
  const json = Buffer.from(value.buffer, value.byteOffset + headerBytes, value.byteLength - headerBytes);
  return new StoredItem(json, sizeBytes);
}

/**
 * The item in `value`, on memory of its own.
 *
 * @throws {StorageError} as {@link decodeStoredItem}.
 */
export function copyStoredItem(value: Uint8Array): StoredItem {
  const sizeBytes = readHeader(value);
  const json = Buffer.allocUnsafe(value.byteLength - headerBytes);
  json.set(value.subarray(headerBytes));
  return new StoredItem(json, sizeBytes);
}

/** Keeps items of a page on memory of their own, in pieces that hold many: an allocation for each would cost more than its copy. */
export class ItemSlab {
  #slab: Buffer = noBytes;
  #used = 0;

  /** As {@link copyStoredItem}. */
  keep(value: Uint8Array): StoredItem {
    const sizeBytes = readHeader(value);
    const length = value.byteLength - headerBytes;
    if (this.#used + length > this.#slab.length) {
      // The first piece has room for two: most pages with few items need no second one.
      this.#slab = Buffer.allocUnsafe(Math.max(2 * length, Math.min(slabBytesMax, 4 * this.#slab.length)));
      this.#used = 0;
    }
    const json = this.#slab.subarray(this.#used, this.#used + length);
    json.set(value.subarray(headerBytes));
    this.#used += length;
    return new StoredItem(json, sizeBytes);
  }
}

const noBytes = Buffer.alloc(0);
const slabBytesMax = 256 * 1024;

/** @returns the size of the item, bytes. */
function readHeader(value: Uint8Array): number {
  if (value[0] !== formatVersion) {
    throw new StorageError(
      'format',
      `An item is stored in format ${String(value[0])}, and this version of Singlet reads format ${formatVersion}. Use the version that wrote it, or a newer one.`,
    );
  }
  // An item has at most 400 KB: three bytes of the four, and no sign to mind.
  return ((value[2] ?? 0) << 16) | ((value[3] ?? 0) << 8) | (value[4] ?? 0);
}

/** An encoded item as one that was read. */
export function storedItemOf(item: EncodedItem): StoredItem {
  return new StoredItem(item.stored.subarray(headerBytes), item.sizeBytes, item.map);
}
