import { StorageError } from '../../storage/storage-error.ts';
import { type SharedEnds, sharedEnds, StoredItem } from '../items/stored-item.ts';

/*
 * The stored form of a change record:
 *
 *     | format 1 | event 1 | flags 1 | created 8 (double, epoch ms)
 *     | size of the keys 4, length of their text 4 | of the old image 4, 4 | of the new image 4, 4
 *     | format 2 only: bytes that the images share at their beginnings 4, and at their ends 4 | the three JSON texts |
 *
 * Sizes are those of the service's formula, so a page is measured without parsing. An image that is absent has length 0. The
 * images are copied from the stored forms of the items, and go into answers as they stand.
 *
 * Format 2 is that of a record with both images: most changes leave most of an item as it is, so of the new one there is only
 * what lies between the bytes that it shares with the old one. The length is that of this text, the size that of the image.
 */
const formatWhole = 1;
const formatDifference = 2;
const flagByService = 1;
const sizesOffset = 11;
const sharedOffset: number = sizesOffset + 6 * 4;
const differenceHeaderBytes: number = sharedOffset + 2 * 4;

export type EventName = 'INSERT' | 'MODIFY' | 'REMOVE';

const eventNames: readonly EventName[] = ['INSERT', 'MODIFY', 'REMOVE'];

/** One change of one item. */
export interface ChangeRecord {
  readonly eventName: EventName;
  /** Made by the service itself: an item that expired. */
  readonly byService: boolean;
  readonly createdAtMs: number;
  readonly keys: StoredItem;
  readonly oldImage: StoredItem | undefined;
  readonly newImage: StoredItem | undefined;
}

/** @param shared - of both images; looked for when absent. */
export function encodeChangeRecord(record: ChangeRecord, shared?: SharedEnds): Buffer {
  const { keys, oldImage, newImage } = record;
  const isDifference = oldImage !== undefined && newImage !== undefined;
  const ends = isDifference ? (shared ?? sharedEnds(oldImage.json, newImage.json)) : nothingShared;
  const keyBytes = keys.json.length;
  const oldBytes = oldImage === undefined ? 0 : oldImage.json.length;
  const newBytes = newImage === undefined ? 0 : newImage.json.length - ends.start - ends.end;
  let offset = isDifference ? differenceHeaderBytes : sharedOffset;
  const value = Buffer.allocUnsafe(offset + keyBytes + oldBytes + newBytes);
  value[0] = isDifference ? formatDifference : formatWhole;
  value[1] = eventNames.indexOf(record.eventName);
  value[2] = record.byService ? flagByService : 0;
  value.writeDoubleBE(record.createdAtMs, 3);
  value.writeUInt32BE(keys.sizeBytes, sizesOffset);
  value.writeUInt32BE(keyBytes, sizesOffset + 4);
  value.writeUInt32BE(oldImage?.sizeBytes ?? 0, sizesOffset + 8);
  value.writeUInt32BE(oldBytes, sizesOffset + 12);
  value.writeUInt32BE(newImage?.sizeBytes ?? 0, sizesOffset + 16);
  value.writeUInt32BE(newBytes, sizesOffset + 20);
  if (isDifference) {
    value.writeUInt32BE(ends.start, sharedOffset);
    value.writeUInt32BE(ends.end, sharedOffset + 4);
  }
  offset += keys.json.copy(value, offset);
  if (oldImage !== undefined) offset += oldImage.json.copy(value, offset);
  newImage?.json.copy(value, offset, ends.start, ends.start + newBytes);
  return value;
}

const nothingShared: SharedEnds = { start: 0, end: 0 };

/**
 * The record in `value`, on memory of its own.
 *
 * @throws {StorageError} `format` when it was written by another version.
 */
export function decodeChangeRecord(value: Uint8Array): ChangeRecord {
  checkFormat(value);
  const bytes = Buffer.from(value);
  const isDifference = bytes[0] === formatDifference;
  let offset = isDifference ? differenceHeaderBytes : sharedOffset;
  const next = (index: number): { readonly text: Buffer; readonly sizeBytes: number } => {
    const length = bytes.readUInt32BE(sizesOffset + 8 * index + 4);
    offset += length;
    return { text: bytes.subarray(offset - length, offset), sizeBytes: bytes.readUInt32BE(sizesOffset + 8 * index) };
  };
  const [keys, old, changed] = [next(0), next(1), next(2)];
  const newText = isDifference ? betweenEnds(old.text, changed.text, bytes) : changed.text;
  return {
    eventName: eventNames[bytes.readUInt8(1)] as EventName, // written by encodeChangeRecord
    byService: (bytes.readUInt8(2) & flagByService) !== 0,
    createdAtMs: bytes.readDoubleBE(3),
    keys: new StoredItem(keys.text, keys.sizeBytes),
    oldImage: old.text.length === 0 ? undefined : new StoredItem(old.text, old.sizeBytes),
    newImage: newText.length === 0 ? undefined : new StoredItem(newText, changed.sizeBytes),
  };
}

/** The new image: what is its own, between what it shares with the old one. */
function betweenEnds(oldText: Buffer, own: Buffer, bytes: Buffer): Buffer {
  const start = bytes.readUInt32BE(sharedOffset);
  const end = bytes.readUInt32BE(sharedOffset + 4);
  return Buffer.concat([oldText.subarray(0, start), own, oldText.subarray(oldText.length - end)]);
}

/** When a stored record was made, without decoding the rest. @throws {StorageError} as {@link decodeChangeRecord}. */
export function createdAtMsOf(value: Uint8Array): number {
  checkFormat(value);
  return new DataView(value.buffer, value.byteOffset).getFloat64(3);
}

function checkFormat(value: Uint8Array): void {
  if (value[0] === formatWhole || value[0] === formatDifference) return;
  throw new StorageError(
    'format',
    `A stream record is stored in format ${String(value[0])}, and this version of Singlet reads formats ${formatWhole} and ${formatDifference}. Use the version that wrote it, or a newer one.`,
  );
}
