import { StorageError } from '../../storage/storage-error.ts';
import { StoredItem } from '../items/stored-item.ts';

/*
 * The stored form of a change record:
 *
 *     | format 1 | event 1 | flags 1 | created 8 (double, epoch ms)
 *     | size of the keys 4, length of their text 4 | of the old image 4, 4 | of the new image 4, 4 | the three JSON texts |
 *
 * Sizes are those of the service's formula, so a page is measured without parsing. An image that is absent has length 0. The
 * images are copied from the stored forms of the items, and go into answers as they stand.
 */
const formatVersion = 1;
const flagByService = 1;
const sizesOffset = 11;
const headerBytes: number = sizesOffset + 6 * 4;

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

export function encodeChangeRecord(record: ChangeRecord): Buffer {
  const parts = [record.keys, record.oldImage, record.newImage];
  const length = parts.reduce((sum, part) => sum + (part?.json.length ?? 0), headerBytes);
  const value = Buffer.allocUnsafe(length);
  value[0] = formatVersion;
  value[1] = eventNames.indexOf(record.eventName);
  value[2] = record.byService ? flagByService : 0;
  value.writeDoubleBE(record.createdAtMs, 3);
  let offset = headerBytes;
  parts.forEach((part, index) => {
    value.writeUInt32BE(part?.sizeBytes ?? 0, sizesOffset + 8 * index);
    value.writeUInt32BE(part?.json.length ?? 0, sizesOffset + 8 * index + 4);
    if (part === undefined) return;
    value.set(part.json, offset);
    offset += part.json.length;
  });
  return value;
}

/**
 * The record in `value`, on memory of its own.
 *
 * @throws {StorageError} `format` when it was written by another version.
 */
export function decodeChangeRecord(value: Uint8Array): ChangeRecord {
  checkFormat(value);
  const bytes = Buffer.from(value);
  let offset = headerBytes;
  const [keys, oldImage, newImage] = [0, 1, 2].map((index) => {
    const sizeBytes = bytes.readUInt32BE(sizesOffset + 8 * index);
    const length = bytes.readUInt32BE(sizesOffset + 8 * index + 4);
    offset += length;
    return length === 0 ? undefined : new StoredItem(bytes.subarray(offset - length, offset), sizeBytes);
  });
  return {
    eventName: eventNames[bytes.readUInt8(1)] as EventName, // written by encodeChangeRecord
    byService: (bytes.readUInt8(2) & flagByService) !== 0,
    createdAtMs: bytes.readDoubleBE(3),
    keys: keys as StoredItem, // every record has keys
    oldImage,
    newImage,
  };
}

/** When a stored record was made, without decoding the rest. @throws {StorageError} as {@link decodeChangeRecord}. */
export function createdAtMsOf(value: Uint8Array): number {
  checkFormat(value);
  return new DataView(value.buffer, value.byteOffset).getFloat64(3);
}

function checkFormat(value: Uint8Array): void {
  if (value[0] === formatVersion) return;
  throw new StorageError(
    'format',
    `A stream record is stored in format ${String(value[0])}, and this version of Singlet reads format ${formatVersion}. Use the version that wrote it, or a newer one.`,
  );
}
