import { crc32 } from 'node:zlib';
import { entriesIn, type LoggedWrite } from './write-ahead-log-format.ts';

/*
 * Format 1 of the write-ahead log, as releases up to 0.1 wrote it. It is only read, and replaced by format 2 when a directory is opened.
 *
 * A log is groups, one after the other:
 *
 *     | magic 4 | generation 8 | number 4 | bytes of the body 4 | checksum 4 | body |
 *
 * and its body is entries, as in format 2. Numbers are little-endian.
 *
 * Files are reused, so older groups follow the last one, whole or not. The log ends where the generation
 * differs, the number is not the next one, or the checksum (of all that follows the magic, except itself) does not match. At most two groups
 * are written at a time, so a group of the same generation that is two or more after the end proves that the end is damage.
 */

const groupHeadBytes = 24;
const magic = 0x4c_67_6c_53; // SlgL
const magicBytes = Buffer.from('SlgL');

/** The contents of a file of format 1. */
export interface FormatOneLog {
  readonly generation: number;
  readonly groups: readonly (readonly LoggedWrite[])[];
  /** Offset of what follows the last whole group. */
  readonly endOffset: number;
  /** Whole groups of the same generation that prove that the log did not end there, and their writes. */
  readonly behind: { readonly groups: number; readonly writes: number };
}

/** Reads what a log file holds: the groups up to the first that is not whole. Undefined when the first is not. */
export function readFormatOneLog(file: Buffer): FormatOneLog | undefined {
  const groups: LoggedWrite[][] = [];
  let generation: number | undefined;
  let at = 0;
  for (;;) {
    const group = groupAt(file, at);
    if (group === undefined) break;
    generation ??= group.generation;
    if (group.generation !== generation || group.number !== groups.length) break;
    groups.push(entriesIn(group.body));
    at += groupHeadBytes + group.body.length;
  }
  if (generation === undefined) return undefined;
  return { generation, groups, endOffset: at, behind: groupsBehind(file, at, { generation, number: groups.length }) };
}

function groupsBehind(
  file: Buffer,
  end: number,
  missing: { readonly generation: number; readonly number: number },
): { groups: number; writes: number } {
  const behind = { groups: 0, writes: 0 };
  let isProven = false;
  for (let at = file.indexOf(magicBytes, end + 1); at >= 0; at = file.indexOf(magicBytes, at + 1)) {
    const group = groupAt(file, at);
    if (group === undefined || group.generation !== missing.generation || group.number <= missing.number) continue;
    behind.groups += 1;
    behind.writes += entriesIn(group.body).length;
    isProven ||= group.number >= missing.number + 2;
  }
  return isProven ? behind : { groups: 0, writes: 0 };
}

function groupAt(
  file: Buffer,
  at: number,
): { readonly generation: number; readonly number: number; readonly body: Buffer } | undefined {
  if (at + groupHeadBytes > file.length || file.readUInt32LE(at) !== magic) return undefined;
  const end = at + groupHeadBytes + file.readUInt32LE(at + 16);
  if (end > file.length) return undefined;
  const body = file.subarray(at + groupHeadBytes, end);
  if (file.readUInt32LE(at + 20) !== crc32(body, crc32(file.subarray(at + 4, at + 20)))) return undefined;
  return { generation: Number(file.readBigUInt64LE(at + 4)), number: file.readUInt32LE(at + 12), body };
}
