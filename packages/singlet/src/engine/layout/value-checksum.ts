import * as zlib from 'node:zlib';
import { crc32Before, crc32OfShort, loopBytesMax } from '../../values/crc32.ts';

/*
 * The checksum that a stored value carries. It combines a checksum of the content with one of everything that the content must
 * not be separated from: its key, its format and, for an item, its size.
 *
 *     check = crc32(content) xor crc32(key | format | size)
 *
 * So a value is also refused under a key that it was not written for. Because of the exclusive or, the checksum of the content
 * can be recovered: the checksum of an answer is combined from those of its items.
 *
 * All checksums are CRC-32 as gzip and `x-amz-crc32` use it, here as signed 32-bit integers, which V8 stores without an
 * object.
 */

/** The position of the checksum in a value that carries one: after the format, in four bytes, big-endian. */
export const checkOffset = 1;
/** Bytes of format and checksum. */
export const checkedHeaderBytes = 5;

/** Extends `checksum` to also cover `bytes`. */
export function crc32(bytes: Uint8Array, checksum = 0): number {
  return bytes.length > loopBytesMax ? zlib.crc32(bytes, checksum >>> 0) | 0 : crc32OfShort(bytes, checksum);
}

/** The checksum of a value from `start` on. */
export function crc32From(value: Uint8Array, start: number): number {
  return value.length > loopBytesMax
    ? zlib.crc32(value, crc32Before(value, start) >>> 0) | 0
    : crc32OfShort(value, 0, start);
}

/** The checksum of what a content must not be separated from. @param size - at most 2 ** 32 - 1; absent if the value has none. */
export function headChecksum(key: Uint8Array, format: number, size?: number): number {
  head[0] = format;
  if (size === undefined) return crc32OfShort(head, crc32OfShort(key, 0), 0, 1);
  head[1] = size >>> 24;
  head[2] = size >>> 16;
  head[3] = size >>> 8;
  head[4] = size;
  return crc32OfShort(head, crc32OfShort(key, 0));
}

const head = new Uint8Array(5);

/** Writes format and checksum to the front of a value whose content begins at {@link checkedHeaderBytes}. */
export function sealValue(key: Uint8Array, format: number, value: Buffer): Buffer {
  value[0] = format;
  value.writeInt32BE(crc32From(value, checkedHeaderBytes) ^ headChecksum(key, format), checkOffset);
  return value;
}

/** Whether a sealed value is unchanged. */
export function isIntact(key: Uint8Array, value: Uint8Array): boolean {
  if (value.length < checkedHeaderBytes) return false;
  const content = crc32From(value, checkedHeaderBytes);
  return (content ^ headChecksum(key, value[0] as number)) === readCheck(value, checkOffset);
}

/** The checksum that a value carries. */
export function readCheck(value: Uint8Array, at: number): number {
  // The value must have four bytes here; otherwise the result would be compared with a checksum of something shorter.
  const [a, b, c, d] = [value[at], value[at + 1], value[at + 2], value[at + 3]] as [number, number, number, number];
  return (a << 24) | (b << 16) | (c << 8) | d;
}
