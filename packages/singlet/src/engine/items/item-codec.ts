import type { AttributeMap, AttributeValue } from '../../values/attribute-value.ts';
import { attributeSizeBytes, itemSizeBytes } from '../../values/item-size.ts';
import type { ItemText } from '../../values/item-text.ts';
import { closeBrace, comma, openBrace } from '../../values/json-bytes.ts';
import { StorageError } from '../../storage/storage-error.ts';
import type { AttributePlace } from '../../values/attribute-reader.ts';
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
export class EncodedItem extends StoredItem {
  readonly stored: Buffer;

  /** @param stored - as it was written by this version. */
  constructor(stored: Buffer, sizeBytes: number, map?: AttributeMap) {
    super(stored, sizeBytes, map, headerBytes);
    this.stored = stored;
  }
}

export function encodeItem(map: AttributeMap, sizeBytes: number = itemSizeBytes(map)): EncodedItem {
  const text = JSON.stringify(map);
  const stored = allocateStored(Buffer.byteLength(text, 'utf8'), sizeBytes);
  stored.write(text, headerBytes, 'utf8');
  return new EncodedItem(stored, sizeBytes, map);
}

/** An item whose text was found, copied. */
export function encodeItemText({ bytes, start, end, sizeBytes }: ItemText): EncodedItem {
  const stored = allocateStored(end - start, sizeBytes);
  stored.set(bytes.subarray(start, end), headerBytes);
  return new EncodedItem(stored, sizeBytes);
}

/** An item that was read, in its stored form again. */
export function encodeStoredItem(item: StoredItem): EncodedItem {
  return changeStoredItem(item, new Map());
}

/**
 * An item with some of its attributes changed, or (undefined) removed. What is not changed is copied as it stands: an item of
 * 100 KB whose counter goes up is neither parsed nor printed.
 */
export function changeStoredItem(
  item: StoredItem,
  changes: ReadonlyMap<string, AttributeValue | undefined>,
): EncodedItem {
  let { sizeBytes } = item;
  const added: string[] = [];
  const replaced: { readonly place: AttributePlace; readonly text: string | undefined }[] = [];
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
  // The members between the braces, in runs that are kept and texts that are new; commas go between all of them.
  const members: (string | readonly [number, number])[] = [];
  let at = 1;
  for (const { place, text } of replaced) {
    if (place.start > at) members.push([at, place.start - 1]);
    if (text !== undefined) members.push(text);
    at = place.end + 1;
  }
  if (at < item.json.length - 1) members.push([at, item.json.length - 1]);
  return new EncodedItem(joinMembers(item.json, [...members, ...added], sizeBytes), sizeBytes);
}

function joinMembers(
  json: Buffer,
  members: readonly (string | readonly [number, number])[],
  sizeBytes: number,
): Buffer {
  let bytes = 2 + Math.max(0, members.length - 1); // braces and commas
  for (const member of members) {
    bytes += typeof member === 'string' ? Buffer.byteLength(member, 'utf8') : member[1] - member[0];
  }
  const stored = allocateStored(bytes, sizeBytes);
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

/** Room for an item of so many bytes of text, its header written. */
function allocateStored(textBytes: number, sizeBytes: number): Buffer {
  const stored = Buffer.allocUnsafe(headerBytes + textBytes);
  stored[0] = formatVersion;
  stored.writeUInt32BE(sizeBytes, 1);
  return stored;
}

/**
 * The item in `value`, on the same memory: valid as long as `value` is.
 *
 * @throws {StorageError} `format` when it was written by another version.
 */
export function decodeStoredItem(value: Uint8Array): StoredItem {
  return new StoredItem(value, readHeader(value), undefined, headerBytes);
}

/**
 * The item in `value`, on memory of its own.
 *
 * @throws {StorageError} as {@link decodeStoredItem}.
 */
export function copyStoredItem(value: Uint8Array): StoredItem {
  const copy = Buffer.allocUnsafe(value.length);
  copy.set(value);
  return new StoredItem(copy, readHeader(value), undefined, headerBytes);
}

/** Items that were kept lie here, and nothing else: a piece is let go when the last of its items is. */
let piece: Buffer = Buffer.alloc(0);
/** Where the text of the next one goes. In front of it there is room for a header. */
let nextText = 0;

const pieceBytes = 64 * 1024;

/**
 * As {@link copyStoredItem}, for items of pages: an allocation for each would cost more than its copy. They lie side by side with
 * commas between, as in the answer, which then takes all of a page in one copy.
 */
export function keepStoredItem(value: Uint8Array): StoredItem {
  if (value.length > pieceBytes / 4) return copyStoredItem(value);
  const sizeBytes = readHeader(value);
  const length = value.length - headerBytes;
  if (nextText + length > piece.length) {
    piece = Buffer.allocUnsafeSlow(pieceBytes);
    nextText = headerBytes;
  }
  const start = nextText;
  // The value is copied whole, because a view of a part of it costs as much again; its header falls on the end of the item
  // before, which is put back.
  const before = start - headerBytes;
  const [a, b, c, d] = [piece[before], piece[before + 1], piece[before + 2], piece[before + 3]];
  piece.set(value, before);
  piece[before] = a as number; // all of these lie within the piece
  piece[before + 1] = b as number;
  piece[before + 2] = c as number;
  piece[before + 3] = d as number;
  piece[before + 4] = comma;
  nextText = start + length + 1;
  return new StoredItem(piece, sizeBytes, undefined, start, start + length);
}

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
