import type { AttributeMap, AttributeValue } from '../../values/attribute-value.ts';
import { attributeSizeBytes, itemSizeBytes } from '../../values/item-size.ts';
import { mayTakeFastPath } from '../../values/invariants.ts';
import type { ItemText } from '../../values/item-text.ts';
import { closeBrace, comma, openBrace } from '../../values/json-bytes.ts';
import type { AttributePosition } from '../../values/attribute-reader.ts';
import { damagedValue } from './damaged-value.ts';
import { crc32, crc32From, headChecksum, readCheck } from './value-checksum.ts';
import type { Store } from '../../storage/store.ts';
import { copyBehindHead } from '../../values/copy-behind-head.ts';
import { combineCrc32, crc32OfShort } from '../../values/crc32.ts';
import { StoredItem } from './stored-item.ts';

/*
 * The stored form of an item, and of an index entry:
 *
 *     | format 2 | size by the service's formula 4 | checksum 4 | UTF-8 JSON text of the attribute map |
 *
 * Answers carry the text, so an item that is read whole is copied and never parsed. The size comes first so
 * that capacity, page limits and statistics need no parsing either. The checksum (`layout/value-checksum.ts`) covers the text,
 * the size and the store key, and is verified whenever an item is read.
 *
 * A store that reads its own memory gets format 5, whose checksum covers only the text: nothing there can separate a value from its key,
 * and the checksum of an answer needs that of the text. Elsewhere it is verified. From 2 to 5, three bits differ.
 *
 * Format 1 had no checksum. It is still read, and an item that is written again is stored in format 2.
 */
const formatVersion = 2;
const formatInMemory = 5;
const sizeOffset = 1;
const checkOffset = 5;
const headerBytes = 9;

const formatWithoutCheck = 1;
const headerBytesWithoutCheck = 5;

/** An item in the form in which it will be stored. */
export class EncodedItem extends StoredItem {
  /** The header, followed by the text. */
  readonly #stored: Buffer;
  /** The key that the checksum in the header covers. */
  #key: Uint8Array | undefined;
  #isForMemory = false;

  /** @param stored - the text, preceded by room for a header. */
  constructor(stored: Buffer, sizeBytes: number, map?: AttributeMap, checksum?: number) {
    super(stored, sizeBytes, map, headerBytes, stored.length, checksum);
    this.#stored = stored;
  }

  /** From now on, {@link storedUnder} returns values for a store that reads its own memory. */
  storeInMemory(): void {
    this.#isForMemory = true;
    this.#seal(formatInMemory, 0);
  }

  /** @param headCheck - the checksum of what the text must not be separated from. */
  #seal(format: number, headCheck: number): void {
    const stored = this.#stored;
    this.checksum ??= crc32From(stored, headerBytes);
    stored[0] = format;
    writeNumber(stored, sizeOffset, this.sizeBytes);
    writeNumber(stored, checkOffset, this.checksum ^ headCheck);
  }

  /**
   * The value to store under a key.
   *
   * An item is stored under several keys when it is in indexes that project all of it. A value that was returned for one key
   * does not change when the next is made.
   */
  storedUnder(key: Uint8Array): Buffer {
    // Fast path of stores in memory: the value is the same under each key. Items read from it are equal (layout/item-codec.test.ts).
    if (this.#isForMemory || this.#key === key) return this.#stored;
    if (this.#key !== undefined) {
      const copy = new EncodedItem(Buffer.from(this.#stored), this.sizeBytes, undefined, this.checksum);
      return copy.storedUnder(key);
    }
    this.#key = key;
    this.#seal(formatVersion, headChecksum(key, formatVersion, this.sizeBytes));
    return this.#stored;
  }
}

export function encodeItem(map: AttributeMap, sizeBytes: number = itemSizeBytes(map)): EncodedItem {
  const text = JSON.stringify(map);
  const stored = allocateStored(Buffer.byteLength(text, 'utf8'));
  stored.write(text, headerBytes, 'utf8');
  return new EncodedItem(stored, sizeBytes, map);
}

/** An item whose text was found; the text is copied. */
export function encodeItemText({ bytes, start, end, sizeBytes }: ItemText): EncodedItem {
  const stored = allocateStored(end - start);
  stored.set(bytes.subarray(start, end), headerBytes);
  return new EncodedItem(stored, sizeBytes);
}

/** An item that was read and will be stored again. */
export function encodeStoredItem({ bytes, start, end, sizeBytes, checksum }: StoredItem): EncodedItem {
  const stored = allocateStored(end - start);
  stored.set(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end), headerBytes);
  return new EncodedItem(stored, sizeBytes, undefined, checksum);
}

/**
 * An item with some of its attributes changed, or (undefined) removed. Unchanged attributes are copied without being parsed:
 * incrementing a counter in an item of 100 KB neither parses nor prints the item.
 */
export function changeStoredItem(
  item: StoredItem,
  changes: ReadonlyMap<string, AttributeValue | undefined>,
): EncodedItem {
  let { sizeBytes } = item;
  const added: string[] = [];
  const replaced: { readonly place: AttributePosition; readonly text: string | undefined }[] = [];
  for (const [name, value] of changes) {
    const before = item.getAttribute(name);
    if (before !== undefined) sizeBytes -= attributeSizeBytes(name, before);
    if (value !== undefined) sizeBytes += attributeSizeBytes(name, value);
    const text = value && `${JSON.stringify(name)}:${JSON.stringify(value)}`;
    const place = item.placeOf(name);
    if (place !== undefined) replaced.push({ place, text });
    else if (text !== undefined) added.push(text);
  }
  replaced.sort((a, b) => a.place.start - b.place.start);
  // The members between the braces: ranges that are kept and new texts, separated by commas.
  const members: (string | readonly [number, number])[] = [];
  let at = 1;
  for (const { place, text } of replaced) {
    if (place.start > at) members.push([at, place.start - 1]);
    if (text !== undefined) members.push(text);
    at = place.end + 1;
  }
  if (at < item.json.length - 1) members.push([at, item.json.length - 1]);
  return new EncodedItem(joinMembers(item.json, [...members, ...added]), sizeBytes);
}

function joinMembers(json: Buffer, members: readonly (string | readonly [number, number])[]): Buffer {
  let bytes = 2 + Math.max(0, members.length - 1); // braces and commas
  for (const member of members) {
    bytes += typeof member === 'string' ? Buffer.byteLength(member, 'utf8') : member[1] - member[0];
  }
  const stored = allocateStored(bytes);
  let at = headerBytes;
  stored[at] = openBrace;
  for (const [index, member] of members.entries()) {
    if (index > 0) stored[at] = comma;
    at += 1;
    at += typeof member === 'string' ? stored.write(member, at, 'utf8') : json.copy(stored, at, member[0], member[1]);
  }
  stored[stored.length - 1] = closeBrace;
  return stored;
}

/** Room for a header and for an item of this many bytes of text. */
function allocateStored(textBytes: number): Buffer {
  return Buffer.allocUnsafe(headerBytes + textBytes);
}

/**
 * The item in `value`, which shares its memory: valid as long as `value` is.
 *
 * @param key - under which the value was read.
 * @throws {StorageError} `damaged` if the value is not what was stored under the key.
 */
export function decodeStoredItem(key: Uint8Array, value: Uint8Array): StoredItem {
  const format = value[0];
  if (format !== formatVersion && format !== formatInMemory) return decodeWithoutCheck(key, value);
  const sizeBytes = readSize(value);
  const checksum = crc32From(value, headerBytes);
  const headCheck = format === formatVersion ? headChecksum(key, formatVersion, sizeBytes) : 0;
  if ((checksum ^ headCheck) !== readCheck(value, checkOffset)) throw damagedValue(key);
  return new StoredItem(value, sizeBytes, undefined, headerBytes, value.length, checksum);
}

/**
 * As {@link decodeStoredItem}, but an item in the form for memory is not verified.
 *
 * @param value - from a store that reads its own memory, so no disk or file can have damaged it.
 * @throws {StorageError} `damaged` if the value is not an item.
 */
export function decodeHeldItem(key: Uint8Array, value: Uint8Array): StoredItem {
  if (value[0] !== formatInMemory) return decodeStoredItem(key, value);
  return new StoredItem(value, readSize(value), undefined, headerBytes, value.length, readCheck(value, checkOffset));
}

/**
 * As {@link decodeStoredItem}, but the item is not verified yet: its `checksum` is the one that its text must have. The text must not be
 * read before {@link areIntact} says that it has it.
 *
 * @throws {StorageError} `damaged` if the value is not an item.
 */
function decodeUnverified(key: Uint8Array, value: Uint8Array): StoredItem {
  if (value[0] !== formatVersion || value.length <= headerBytes) return decodeStoredItem(key, value);
  const sizeBytes = readSize(value);
  const checksum = textChecksum(key, value, sizeBytes);
  return new StoredItem(value, sizeBytes, undefined, headerBytes, value.length, checksum);
}

/** The checksum that the text of a value must have. */
function textChecksum(key: Uint8Array, value: Uint8Array, sizeBytes: number): number {
  return readCheck(value, checkOffset) ^ headChecksum(key, formatVersion, sizeBytes);
}

/** Whether the texts of items have their checksums. Items side by side (`keepStoredItem`) are one text, which takes one call of zlib. */
export function areIntact(items: readonly StoredItem[]): boolean {
  for (let first = 0; first < items.length;) {
    const { bytes, start, end, checksum } = items[first] as StoredItem; // within the array
    first += 1;
    if (checksum === undefined) continue;
    let [textEnd, expected] = [end, checksum];
    for (; first < items.length; first += 1) {
      const next = items[first] as StoredItem; // within the array
      if (next.checksum === undefined || next.bytes !== bytes || next.start !== textEnd + 1) break;
      // The byte between, whatever it is, and the next text.
      expected = combineCrc32(crc32OfShort(bytes, expected, textEnd, next.start), next.checksum, next.end - next.start);
      textEnd = next.end;
    }
    if (crc32(bytes.subarray(start, textEnd)) !== expected) return false;
  }
  return true;
}

/** Decodes an item from a value that was read under a key. @throws {StorageError} `damaged` if the value is not that item. */
export type DecodeItem = (key: Uint8Array, value: Uint8Array) => StoredItem;

/** How items of a store are decoded. */
export function itemDecoder(store: Pick<Store, 'manifest'>): DecodeItem {
  // Fast path of stores in memory: nothing between a write and its read could damage a value. The other path reads
  // equal items, or refuses them (layout/item-codec.test.ts).
  return readsOwnMemory(store) && mayTakeFastPath() ? decodeHeldItem : decodeStoredItem;
}

/** Whether items in a store need no checksums. */
export function readsOwnMemory({ manifest }: Pick<Store, 'manifest'>): boolean {
  return manifest.readsOwnMemory === true;
}

/** An item that was stored before there were checksums: the check is only whether it looks like an item. */
function decodeWithoutCheck(key: Uint8Array, value: Uint8Array): StoredItem {
  const isObject = value[headerBytesWithoutCheck] === openBrace && value[value.length - 1] === closeBrace;
  if (value[0] !== formatWithoutCheck || !isObject) throw damagedValue(key);
  return new StoredItem(value.subarray(headerBytesWithoutCheck), readSize(value));
}

/**
 * The item in `value`, in memory of its own.
 *
 * @throws {StorageError} as {@link decodeStoredItem}.
 */
export function copyStoredItem(key: Uint8Array, value: Uint8Array): StoredItem {
  return copyOfItem(decodeStoredItem(key, value));
}

/** Returns an item that was read, in memory that remains unchanged after the read. */
export type KeepItem = (item: StoredItem) => StoredItem;

/** How items of a store are kept. @param copy - for a store whose memory may change after the read. */
export function itemKeeper(store: Pick<Store, 'manifest'>, copy: KeepItem = copyOfItem): KeepItem {
  // Fast path of stores in memory, which never change what they returned. A copy is an equal item (layout/item-codec.test.ts).
  return readsOwnMemory(store) && mayTakeFastPath() ? itself : copy;
}

function itself(item: StoredItem): StoredItem {
  return item;
}

/** A copy of an item that was read, in memory of its own. */
export function copyOfItem({ bytes, start, end, sizeBytes, checksum }: StoredItem): StoredItem {
  const copy = Buffer.allocUnsafe(end - start);
  copy.set(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end));
  return new StoredItem(copy, sizeBytes, undefined, 0, copy.length, checksum);
}

/** The value that stores an item under a key other than the one it was read under. */
export function storedItemUnder(item: StoredItem, key: Uint8Array): Buffer {
  return encodeStoredItem(item).storedUnder(key);
}

/** Holds copied items, and nothing else. Its memory is freed when the last of its items is. */
let piece: Buffer = Buffer.alloc(headerBytes);
/** Where the next text is written. */
let nextText = headerBytes;

const pieceBytes = 64 * 1024;

/**
 * As {@link copyOfItem}, for items of pages: an allocation for each would cost more than its copy. They are stored side by side
 * with commas between them, as in the answer, which then takes a whole page in one copy.
 *
 * @param item - as it was read.
 */
export function keepStoredItem(item: StoredItem): StoredItem {
  const { bytes, start: textStart, end: textEnd, sizeBytes, checksum } = item;
  const length = textEnd - textStart;
  // Fast path of small items: they share a piece of memory. The slow path gives equal items (layout/item-codec.test.ts).
  if (length > pieceBytes / 4 || !mayTakeFastPath()) return copyOfItem(item);
  const start = takePiece(length);
  if (textStart === headerBytes && textEnd === bytes.length) copyBehindHead(bytes, headerBytes, piece, start);
  else piece.set(bytes.subarray(textStart, textEnd), start);
  piece[start - 1] = comma;
  return new StoredItem(piece, sizeBytes, undefined, start, start + length, checksum);
}

/**
 * Copies an item that is not verified yet to those of its page: {@link decodeUnverified} and {@link keepStoredItem} in one, without an object
 * for the item as it was read.
 *
 * @throws {StorageError} `damaged` if the value is not an item.
 */
export function keepUnverified(key: Uint8Array, value: Uint8Array): StoredItem {
  const length = value.length - headerBytes;
  // Fast path of small items in today's format. The slow path gives equal items (layout/item-codec.test.ts).
  if (value[0] !== formatVersion || length <= 0 || length > pieceBytes / 4 || !mayTakeFastPath()) {
    return keepStoredItem(decodeUnverified(key, value));
  }
  const sizeBytes = readSize(value);
  const checksum = textChecksum(key, value, sizeBytes);
  const start = takePiece(length);
  copyBehindHead(value, headerBytes, piece, start);
  piece[start - 1] = comma;
  return new StoredItem(piece, sizeBytes, undefined, start, start + length, checksum);
}

/** Takes room for a text in the piece. @returns where it starts; the byte before is for a comma. */
function takePiece(length: number): number {
  if (nextText + length > piece.length) {
    piece = Buffer.allocUnsafeSlow(pieceBytes);
    nextText = headerBytes;
  }
  const start = nextText;
  nextText = start + length + 1;
  return start;
}

/** Faster than `writeInt32BE`, which checks its arguments. */
function writeNumber(value: Buffer, at: number, number: number): void {
  value[at] = number >>> 24;
  value[at + 1] = number >>> 16;
  value[at + 2] = number >>> 8;
  value[at + 3] = number;
}

/** @returns the size of the item, in bytes. */
function readSize(value: Uint8Array): number {
  return readCheck(value, sizeOffset) >>> 0;
}
