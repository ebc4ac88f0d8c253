import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/*
 * Format 3 of the write-ahead log. Numbers are little-endian.
 *
 *     file    = witness block 4,096 | groups, one after the other
 *     group   = magic 4 | nonce 8 | number 4 | durable 4 | bytes of the body 4 | checksum of the group before 4 | time 8
 *               | checksum of these 36 bytes 4 | checksum of these 36 bytes and the body 4 | body
 *     group 0 = "begin", whose body is: format 4 | store 16 | generation 8 | groups 4 and length 8 of the generation before
 *     others  : body = entries, each: kind 1 | bytes of the key 2 | bytes of the value 4 | key | value
 *     witness = magic 4 | generation 8 | nonce 8 | groups 4 | length 8 | checksum of the last group 4 | checksum 4
 *
 * Files are reused, so older groups follow the last one, whole or in part. A torn end is told from damage as follows:
 *
 * - The nonce comes from the era (16 random bytes, kept in LMDB) and the generation. A reader can compute it without reading a head, no earlier
 *   contents of a file have it, and no client can put it into a value.
 * - `durable` is how many groups of the generation were on disk when this one was written. Two are written at a time, so a power cut
 *   may leave group k torn and k+1 whole; a group with durable > k proves that k had been whole.
 * - The checksum of the previous group chains groups and generations. All of "begin" follows from what precedes it, so it can be derived.
 * - The head's own checksum validates where the next group begins, even when the body is damaged.
 * - The witness of a generation is in the OTHER file: it records how far the generation had come when it began (one group) or rested.
 *
 * Format 2 differs in two bytes, the last of the magic and the format in "begin", and in the second checksum, which covered the first one, too. The
 * checksum of bytes followed by their own checksum is always the same number, so it covered the body alone, and a new head in front of an older
 * body could pass for a group. Logs of format 2 are read, and never written.
 *
 * Decision 0038 says why; decision 0126 says why format 3.
 */

/** The formats that are read; the first is written. */
export type LogFormat = 3 | 2;

/** Two files alternate: one is written while a checkpoint moves the contents of the other. A generation is in the file of its parity. */
export const logFileNames = ['log-0', 'log-1'] as const;

/** Rewriting the block must never touch a sector that holds groups. */
export const witnessBlockBytes = 4096;

export const groupHeadBytes = 44;
export const entryHeadBytes = 7;
const checkedHeadBytes = 36;
const beginBodyBytes = 40;
const witnessBytes = 40;

const groupMagics: Readonly<Record<LogFormat, number>> = { 3: 0x33_67_6c_53, 2: 0x32_67_6c_53 }; // Slg3, Slg2
const witnessMagic = 0x32_74_69_57; // Wit2

const kind = { put: 1, remove: 2 } as const;

/** Where a generation, or a part of it, ends. */
export interface LogEnd {
  /** "Begin" included. */
  readonly groups: number;
  /** Offset in the file of the next group. */
  readonly length: number;
  /** Checksum of the last group. */
  readonly checksum: number;
}

/** The end that precedes the first generation of an era. */
export const noEnd: LogEnd = { groups: 0, length: 0, checksum: 0 };

export interface GroupHead {
  readonly nonce: Buffer;
  /** Groups of a generation are counted from 0. */
  readonly number: number;
  /** How many groups of the generation were on disk when this one was written. */
  readonly durable: number;
  /** Checksum of the previous group. */
  readonly before: number;
  /** When the group was written; milliseconds since 1970, 0 for "begin". */
  readonly timeMs: number;
}

export interface LoggedWrite {
  readonly key: Buffer;
  /** Undefined where the key was removed. */
  readonly value: Buffer | undefined;
}

/** @param era - 16 bytes. @returns the 8 bytes that every group of a generation carries. */
export function nonceOf(era: Buffer, generation: number): Buffer {
  const number = Buffer.alloc(8);
  number.writeBigUInt64LE(BigInt(generation));
  return createHash('sha256').update(era).update(number).digest().subarray(0, 8);
}

/** Writes the head of a group in front of an existing body. @returns the checksum of the whole group. */
export function writeGroupHead(
  group: Buffer,
  { nonce, number, durable, before, timeMs }: GroupHead,
  format: LogFormat = 3,
): number {
  group.writeUInt32LE(groupMagics[format], 0);
  group.set(nonce, 4);
  group.writeUInt32LE(number, 12);
  group.writeUInt32LE(durable, 16);
  group.writeUInt32LE(group.length - groupHeadBytes, 20);
  group.writeUInt32LE(before, 24);
  group.writeDoubleLE(timeMs, 28);
  group.writeUInt32LE(crc32(group.subarray(0, checkedHeadBytes)), checkedHeadBytes);
  const checksum = checksumOf(group);
  group.writeUInt32LE(checksum, checkedHeadBytes + 4);
  return checksum;
}

/** The body of "begin". */
export interface GenerationStart {
  /** 16 bytes. */
  readonly store: Buffer;
  readonly generation: number;
  readonly nonce: Buffer;
  /** Where the previous generation ended. */
  readonly predecessor: LogEnd;
  /** Absent: the format that is written. */
  readonly format?: LogFormat;
}

/** The first group of a generation. The same input gives the same bytes. */
export function beginGroup({ store, generation, nonce, predecessor, format = 3 }: GenerationStart): Buffer {
  const group = Buffer.alloc(groupHeadBytes + beginBodyBytes);
  group.writeUInt32LE(format, groupHeadBytes);
  group.set(store, groupHeadBytes + 4);
  group.writeBigUInt64LE(BigInt(generation), groupHeadBytes + 20);
  group.writeUInt32LE(predecessor.groups, groupHeadBytes + 28);
  group.writeBigUInt64LE(BigInt(predecessor.length), groupHeadBytes + 32);
  writeGroupHead(group, { nonce, number: 0, durable: 0, before: predecessor.checksum, timeMs: 0 }, format);
  return group;
}

/** The end of a generation that has only begun. */
export function endOfBegin(begin: Buffer): LogEnd {
  return { groups: 1, length: witnessBlockBytes + begin.length, checksum: storedChecksum(begin, 0) };
}

/** Reads "begin" at the start of a file, whatever its era; undefined when it is missing or incomplete. */
export function readBegin(file: Buffer): GenerationStart | undefined {
  const head = readGroupHead(file, witnessBlockBytes);
  if (head === undefined || head.number !== 0 || head.length !== groupHeadBytes + beginBodyBytes) return undefined;
  if (!isWholeGroup(file, head)) return undefined;
  const body = file.subarray(head.offset + groupHeadBytes, head.offset + head.length);
  if (body.readUInt32LE(0) !== head.format) return undefined;
  return {
    format: head.format,
    store: body.subarray(4, 20),
    generation: Number(body.readBigUInt64LE(20)),
    nonce: head.nonce,
    predecessor: { groups: body.readUInt32LE(28), length: Number(body.readBigUInt64LE(32)), checksum: head.before },
  };
}

/** A head that was found in a file. */
export interface FoundHead extends GroupHead {
  readonly format: LogFormat;
  readonly offset: number;
  /** Bytes of head and body. */
  readonly length: number;
}

/** Reads the head at an offset; undefined when it is not a head, or damaged. The body may be damaged, or cut off. */
export function readGroupHead(file: Buffer, offset: number): FoundHead | undefined {
  const format = formatAt(file, offset);
  if (format === undefined || offset + groupHeadBytes > file.length) return undefined;
  const checked = file.subarray(offset, offset + checkedHeadBytes);
  if (file.readUInt32LE(offset + checkedHeadBytes) !== crc32(checked)) return undefined;
  return {
    format,
    offset,
    length: groupHeadBytes + checked.readUInt32LE(20),
    nonce: checked.subarray(4, 12),
    number: checked.readUInt32LE(12),
    durable: checked.readUInt32LE(16),
    before: checked.readUInt32LE(24),
    timeMs: checked.readDoubleLE(28),
  };
}

/** Whether all of a group is in the file, undamaged. */
export function isWholeGroup(file: Buffer, { offset, length }: FoundHead): boolean {
  if (offset + length > file.length) return false;
  return storedChecksum(file, offset) === checksumOf(file.subarray(offset, offset + length));
}

/** The checksum that a group carries, which the next one repeats. */
export function storedChecksum(file: Buffer, offset: number): number {
  return file.readUInt32LE(offset + checkedHeadBytes + 4);
}

/** What the groups of all formats and generations begin with. */
export const anyGroupPrefix: Buffer = Buffer.from('Slg', 'latin1');

/** Where a head has the nonce of its generation. */
export const nonceOffset = 4;

/** The format of the groups that a file holds of a generation; the one that is written if it holds none. */
export function formatOf(file: Buffer, nonce: Buffer): LogFormat {
  const prefix = Buffer.alloc(nonceOffset + nonce.length);
  prefix.writeUInt32LE(groupMagics[2], 0);
  prefix.set(nonce, nonceOffset);
  return file.includes(prefix) ? 2 : 3;
}

function formatAt(file: Buffer, offset: number): LogFormat | undefined {
  if (offset + nonceOffset > file.length) return undefined;
  const magic = file.readUInt32LE(offset);
  if (magic === groupMagics[3]) return 3;
  return magic === groupMagics[2] ? 2 : undefined;
}

/** @returns where the value begins. */
export function writeEntry(target: Buffer, at: number, key: Uint8Array, value: Uint8Array | undefined): number {
  target[at] = value === undefined ? kind.remove : kind.put;
  target.writeUInt16LE(key.length, at + 1);
  target.writeUInt32LE(value === undefined ? 0 : value.length, at + 3);
  target.set(key, at + entryHeadBytes);
  const valueAt = at + entryHeadBytes + key.length;
  if (value !== undefined) target.set(value, valueAt);
  return valueAt;
}

/** The entries of a group that is whole and not "begin". */
export function entriesOfGroup(file: Buffer, { offset, length }: { offset: number; length: number }): LoggedWrite[] {
  return entriesIn(file.subarray(offset + groupHeadBytes, offset + length));
}

/** The entries in the body of a group, as both formats write them. */
export function entriesIn(body: Buffer): LoggedWrite[] {
  const writes: LoggedWrite[] = [];
  for (let at = 0; at < body.length;) {
    const keyAt = at + entryHeadBytes;
    const valueAt = keyAt + body.readUInt16LE(at + 1);
    const end = valueAt + body.readUInt32LE(at + 3);
    const value = body[at] === kind.remove ? undefined : body.subarray(valueAt, end);
    writes.push({ key: body.subarray(keyAt, valueAt), value });
    at = end;
  }
  return writes;
}

export interface Witness {
  readonly generation: number;
  readonly nonce: Buffer;
  /** How far the generation was durable when the witness was written. */
  readonly end: LogEnd;
}

export function encodeWitness({ generation, nonce, end }: Witness): Buffer {
  const bytes = Buffer.alloc(witnessBytes);
  bytes.writeUInt32LE(witnessMagic, 0);
  bytes.writeBigUInt64LE(BigInt(generation), 4);
  bytes.set(nonce, 12);
  bytes.writeUInt32LE(end.groups, 20);
  bytes.writeBigUInt64LE(BigInt(end.length), 24);
  bytes.writeUInt32LE(end.checksum, 32);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, witnessBytes - 4)), witnessBytes - 4);
  return bytes;
}

/** Reads the witness at the start of a file; undefined when it is missing or damaged. */
export function readWitness(file: Buffer): Witness | undefined {
  if (file.length < witnessBytes || file.readUInt32LE(0) !== witnessMagic) return undefined;
  if (file.readUInt32LE(witnessBytes - 4) !== crc32(file.subarray(0, witnessBytes - 4))) return undefined;
  return {
    generation: Number(file.readBigUInt64LE(4)),
    nonce: file.subarray(12, 20),
    end: {
      groups: file.readUInt32LE(20),
      length: Number(file.readBigUInt64LE(24)),
      checksum: file.readUInt32LE(32),
    },
  };
}

function checksumOf(group: Buffer): number {
  const headBytes = formatAt(group, 0) === 2 ? checkedHeadBytes + 4 : checkedHeadBytes;
  return crc32(group.subarray(groupHeadBytes), crc32(group.subarray(0, headBytes)));
}
