import { crc32 } from 'node:zlib';

/*
 * A log is groups, one after the other. A group is what one wait for the disk made durable:
 *
 *     | magic 4 | generation 8 | number 4 | bytes of the body 4 | checksum 4 | body |
 *
 * and its body is entries: | kind 1 | bytes of the key 2 | bytes of the value 4 | key | value |. Numbers are little-endian.
 *
 * Files are used again, so behind the last group there may be older ones, whole or not: the log ends where the generation
 * differs, the number is not the next one, or the checksum (of all that follows the magic, itself excepted) does not fit.
 */

export const groupHeadBytes = 24;
export const entryHeadBytes = 7;

const magic = 0x4c_67_6c_53; // SlgL

const kind = { put: 1, remove: 2 } as const;

export interface GroupHead {
  /** Which life of the file it belongs to: each begins with a higher one. */
  readonly generation: number;
  /** Groups of a generation are counted from 0. */
  readonly number: number;
}

/** Writes the head of a group in front of a body that is there already. `group` is head and body. */
export function writeGroupHead(group: Buffer, { generation, number }: GroupHead): void {
  group.writeUInt32LE(magic, 0);
  group.writeBigUInt64LE(BigInt(generation), 4);
  group.writeUInt32LE(number, 12);
  group.writeUInt32LE(group.length - groupHeadBytes, 16);
  group.writeUInt32LE(checksumOf(group), 20);
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

export interface LoggedWrite {
  readonly key: Buffer;
  /** Undefined where the key was removed. */
  readonly value: Buffer | undefined;
}

export interface LogContent {
  readonly generation: number;
  readonly groups: readonly (readonly LoggedWrite[])[];
}

/** Reads what a log file holds: the groups up to the first that is not whole. Undefined when there is none. */
export function readLog(file: Buffer): LogContent | undefined {
  const groups: LoggedWrite[][] = [];
  let generation: number | undefined;
  for (let at = 0; ;) {
    const group = groupAt(file, at);
    if (group === undefined) break;
    const head = { generation: Number(group.readBigUInt64LE(4)), number: group.readUInt32LE(12) };
    generation ??= head.generation;
    if (head.generation !== generation || head.number !== groups.length) break;
    groups.push(entriesOf(group));
    at += group.length;
  }
  return generation === undefined ? undefined : { generation, groups };
}

function groupAt(file: Buffer, at: number): Buffer | undefined {
  if (at + groupHeadBytes > file.length || file.readUInt32LE(at) !== magic) return undefined;
  const end = at + groupHeadBytes + file.readUInt32LE(at + 16);
  if (end > file.length) return undefined;
  const group = file.subarray(at, end);
  return group.readUInt32LE(20) === checksumOf(group) ? group : undefined;
}

function checksumOf(group: Buffer): number {
  return crc32(group.subarray(groupHeadBytes), crc32(group.subarray(4, 20)));
}

function entriesOf(group: Buffer): LoggedWrite[] {
  const writes: LoggedWrite[] = [];
  for (let at = groupHeadBytes; at < group.length;) {
    const keyAt = at + entryHeadBytes;
    const valueAt = keyAt + group.readUInt16LE(at + 1);
    const end = valueAt + group.readUInt32LE(at + 3);
    const value = group[at] === kind.remove ? undefined : group.subarray(valueAt, end);
    writes.push({ key: group.subarray(keyAt, valueAt), value });
    at = end;
  }
  return writes;
}
