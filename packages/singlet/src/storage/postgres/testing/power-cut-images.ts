/**
 * What a power cut may leave of the data directory of PostgreSQL.
 *
 * PostgreSQL syncs its log before it answers a commit, and its other files in a checkpoint. So an image is made from two copies of the directory,
 * one of a checkpoint without later writes, and one of a server whose processes were all killed. Of every sector in which they differ, either
 * version may be on disk, unless it is in the part of the log that was synced.
 */
import { cpSync, existsSync, lstatSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { SeededRandom } from '../../../randomness/seeded-random.ts';

const sectorBytes = 512;

/** A position in the log, in bytes from its beginning. */
export function logPositionOf(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

export interface PowerCut {
  /** The directory when the last checkpoint had ended. */
  readonly checkpoint: string;
  /** The directory when the processes were killed. */
  readonly end: string;
  /** Up to here the log had been synced. */
  readonly syncedTo: bigint;
  /** The size of the files of the log. */
  readonly segmentBytes: number;
}

/** Copies a data directory. The copy can be started. */
export function copyDirectory(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith(`${sep}postmaster.pid`) });
}

/** Writes one image of a power cut into a new directory. @returns how many sectors are not as they were at the end. */
export function writeImage(cut: PowerCut, to: string, random: SeededRandom): number {
  copyDirectory(cut.end, to);
  const share = random.next();
  let lost = 0;
  for (const file of filesIn(cut.end)) {
    const [before, after] = [contentsOf(join(cut.checkpoint, file)), readFileSync(join(cut.end, file))];
    if (file === 'postmaster.pid' || before?.equals(after) === true) continue;
    const synced = syncedBytes(file, cut, after.length);
    // A new file whose name is not on disk: PostgreSQL syncs the names of its log before it uses them.
    if (before === undefined && synced === 0 && !isLog(file) && random.next() >= share) {
      rmSync(join(to, file));
      lost += Math.ceil(after.length / sectorBytes);
      continue;
    }
    const image = Buffer.from(after);
    // The end of a file that has grown, or all of it that is not synced.
    const isShort = !isLog(file) && random.chance(0.3);
    for (let at = 0; at < image.length; at += sectorBytes) {
      const end = Math.min(at + sectorBytes, image.length);
      const from = Math.max(at, synced);
      if (from >= end || random.next() < share) continue;
      const old = Buffer.alloc(end - from);
      before?.subarray(from, end).copy(old);
      if (image.subarray(from, end).equals(old)) continue;
      old.copy(image, from);
      lost += 1;
    }
    writeFileSync(join(to, file), image);
    if (isShort && before !== undefined && before.length < image.length) truncateSync(join(to, file), before.length);
  }
  return lost;
}

function isLog(file: string): boolean {
  return /^pg_wal\/[0-9A-F]{24}$/.test(file);
}

/** How much of the beginning of a file is certainly on disk. */
function syncedBytes(file: string, { syncedTo, segmentBytes }: PowerCut, length: number): number {
  if (!isLog(file)) return 0;
  const name = file.slice('pg_wal/'.length);
  const perHigh = 0x1_0000_0000 / segmentBytes;
  const segment = BigInt(`0x${name.slice(8, 16)}`) * BigInt(perHigh) + BigInt(`0x${name.slice(16)}`);
  const bytes = Number(syncedTo - segment * BigInt(segmentBytes));
  return Math.max(0, Math.min(length, bytes));
}

function contentsOf(path: string): Buffer | undefined {
  return existsSync(path) ? readFileSync(path) : undefined;
}

/** Paths of all files, relative to the directory. */
function filesIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => lstatSync(path).isFile())
    .map((path) => relative(directory, path));
}
