import { damagedValue } from '../../layout/damaged-value.ts';
import { checkedHeaderBytes, isIntact, sealValue } from '../../layout/value-checksum.ts';
import { type SharedEnds, sharedEnds, StoredItem } from '../../layout/stored-item.ts';

/*
 * The stored form of a change record:
 *
 *     | format | checksum 4 | event 1 | flags 1 | created 8 (double, epoch ms)
 *     | size of the keys 4, length of their text 4 | of the old image 4, 4 | of the new image 4, 4
 *     | format 4 only: bytes that the images share at their beginnings 4, and at their ends 4 | the three JSON texts |
 *
 * Sizes are those of the service's formula, so a page is measured without parsing. An absent image has length 0. The
 * images are copied from the stored forms of the items, and are returned in answers unchanged.
 *
 * Format 4 is for a record with both images. Most changes leave most of an item unchanged, so the new image is stored only as the
 * bytes between those that it shares with the old one. The length is that of this text, the size that of the image. A
 * record with one image or none has format 7.
 *
 * Formats 1 and 2 were the same without the checksum; they are still read.
 *
 * Decision 0010 and decision 0036 say why.
 */
const formatWholeWithoutCheck = 1;
const formatDifferenceWithoutCheck = 2;
const formatWhole = 7; // no single flipped bit turns it into a format without a checksum
const formatDifference = 4;
const flagByService = 1;
// All offsets count from the event on.
const createdOffset = 2;
const sizesOffset = 10;
const sharedOffset: number = sizesOffset + 6 * 4;
const differenceHeaderBytes: number = sharedOffset + 2 * 4;

export type EventName = 'INSERT' | 'MODIFY' | 'REMOVE';

const eventNames: readonly EventName[] = ['INSERT', 'MODIFY', 'REMOVE'];

/** One change of one item. */
export interface ChangeRecord {
  readonly eventName: EventName;
  /** Made by the service itself: the item expired. */
  readonly byService: boolean;
  readonly createdAtMs: number;
  readonly keys: StoredItem;
  readonly oldImage: StoredItem | undefined;
  readonly newImage: StoredItem | undefined;
}

/**
 * @param key - the key under which it will be stored.
 * @param shared - the ends that both images share; computed when absent.
 */
export function encodeChangeRecord(key: Uint8Array, record: ChangeRecord, shared?: SharedEnds): Buffer {
  const { keys, oldImage, newImage } = record;
  const isDifference = oldImage !== undefined && newImage !== undefined;
  const ends = isDifference ? (shared ?? sharedEnds(oldImage.json, newImage.json)) : nothingShared;
  const keyBytes = keys.json.length;
  const oldBytes = oldImage === undefined ? 0 : oldImage.json.length;
  const newBytes = newImage === undefined ? 0 : newImage.json.length - ends.start - ends.end;
  let offset = isDifference ? differenceHeaderBytes : sharedOffset;
  const sealed = Buffer.allocUnsafe(checkedHeaderBytes + offset + keyBytes + oldBytes + newBytes);
  const value = sealed.subarray(checkedHeaderBytes);
  value[0] = eventNames.indexOf(record.eventName);
  value[1] = record.byService ? flagByService : 0;
  value.writeDoubleBE(record.createdAtMs, createdOffset);
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
  return sealValue(key, isDifference ? formatDifference : formatWhole, sealed);
}

const nothingShared: SharedEnds = { start: 0, end: 0 };

/**
 * The record in `value`, in its own memory.
 *
 * @throws {StorageError} `damaged` when the value is not the one stored under the key.
 */
export function decodeChangeRecord(key: Uint8Array, value: Uint8Array): ChangeRecord {
  const bytes = Buffer.from(contentOf(key, value));
  const isDifference = value[0] === formatDifference || value[0] === formatDifferenceWithoutCheck;
  let offset = isDifference ? differenceHeaderBytes : sharedOffset;
  const next = (index: number): { readonly text: Buffer; readonly sizeBytes: number } => {
    const length = bytes.readUInt32BE(sizesOffset + 8 * index + 4);
    offset += length;
    return { text: bytes.subarray(offset - length, offset), sizeBytes: bytes.readUInt32BE(sizesOffset + 8 * index) };
  };
  const [keys, old, changed] = [next(0), next(1), next(2)];
  const newText = isDifference ? betweenEnds(old.text, changed.text, bytes) : changed.text;
  return {
    eventName: eventNames[bytes.readUInt8(0)] as EventName, // written by encodeChangeRecord
    byService: (bytes.readUInt8(1) & flagByService) !== 0,
    createdAtMs: bytes.readDoubleBE(createdOffset),
    keys: new StoredItem(keys.text, keys.sizeBytes),
    oldImage: old.text.length === 0 ? undefined : new StoredItem(old.text, old.sizeBytes),
    newImage: newText.length === 0 ? undefined : new StoredItem(newText, changed.sizeBytes),
  };
}

/** The new image: its own bytes, between those that it shares with the old one. */
function betweenEnds(oldText: Buffer, own: Buffer, bytes: Buffer): Buffer {
  const start = bytes.readUInt32BE(sharedOffset);
  const end = bytes.readUInt32BE(sharedOffset + 4);
  return Buffer.concat([oldText.subarray(0, start), own, oldText.subarray(oldText.length - end)]);
}

/** When a stored record was made, without decoding the rest. @throws {StorageError} as {@link decodeChangeRecord}. */
export function createdAtMsOf(key: Uint8Array, value: Uint8Array): number {
  const content = contentOf(key, value);
  return new DataView(content.buffer, content.byteOffset).getFloat64(createdOffset);
}

/** A record from its event on, in the same memory. */
function contentOf(key: Uint8Array, value: Uint8Array): Uint8Array {
  switch (value[0]) {
    case formatWhole:
    case formatDifference:
      if (isIntact(key, value) && value.length >= checkedHeaderBytes + sharedOffset) {
        return value.subarray(checkedHeaderBytes);
      }
      break;
    case formatWholeWithoutCheck:
    case formatDifferenceWithoutCheck:
      if (hasAllParts(value)) return value.subarray(1);
      break;
    default:
  }
  throw damagedValue(key);
}

/** Whether a record without a checksum has the length that its header states. */
function hasAllParts(value: Uint8Array): boolean {
  const headBytes = 1 + (value[0] === formatDifferenceWithoutCheck ? differenceHeaderBytes : sharedOffset);
  if (value.length < headBytes) return false;
  const view = new DataView(value.buffer, value.byteOffset);
  let length = headBytes;
  for (let part = 0; part < 3; part += 1) length += view.getUint32(1 + sizesOffset + 8 * part + 4);
  return length === value.length;
}
