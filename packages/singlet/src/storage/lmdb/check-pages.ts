import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CheckAtStart } from '../check-at-start.ts';
import { StorageError } from '../storage-error.ts';
import { pageBytes } from './data-file.ts';
import { DataPages, magicNumber, magicOffset } from './data-pages.ts';
import { type PageDamage, type PageWalk, type PageWalkOptions, walkPages } from './page-walk.ts';

/**
 * How large a file may be for all its pages to be read: after a process ended without closing it, up to seconds are spent on that, and otherwise
 * a few tenths of a second.
 */
const unclosedWalkBytesMax = 4 * 1024 ** 3;
const closedWalkBytesMax = 256 * 1024 ** 2;

/** Another process may commit while the file is read. In that case it is read again. */
const busyPatience = { attempts: 8, delayMs: 10 } as const;

/**
 * Checks the structure of a data file before LMDB opens it. Does not check a file that is missing, empty or not LMDB's.
 *
 * @throws {StorageError} `damaged` with a message that says which page, and what to do.
 */
export async function checkPagesAtStart(directory: string, mode: CheckAtStart): Promise<void> {
  const file = join(directory, 'data.mdb');
  if (!isLmdbFile(file)) return;
  const depth = depthOf(directory, file, mode);
  const walk = await walkQuietly(file, { depth });
  // Branch pages do not show what is after the end of a file that is too short.
  const needsAll = walk.isShort && walk.damages.length === 0 && depth === 'branches';
  const { damages } = needsAll ? await walkQuietly(file, { depth: 'all' }) : walk;
  if (damages.length > 0) throw damagedPages(file, damages);
}

/**
 * Walks a data file that other processes may be writing to. Apparent damage is checked again as long as they commit, because only a
 * state that no commit has replaced is stable while it is read. If they never stop, no damage is reported.
 */
export async function walkQuietly(file: string, options: PageWalkOptions): Promise<PageWalk> {
  const pages = new DataPages(file);
  try {
    let last = -2;
    for (let attempt = 1; ; attempt += 1) {
      const walk = walkPages(pages, options);
      if (walk.damages.length === 0 || walk.transaction === last) return walk;
      if (attempt === busyPatience.attempts) return { ...walk, damages: [] };
      last = walk.transaction;
      await delay(busyPatience.delayMs);
    }
  } finally {
    pages.close();
  }
}

/** Walks a data file that no process uses: each entry is seen once. */
export function walkOnce(file: string, options: PageWalkOptions): PageWalk {
  const pages = new DataPages(file);
  try {
    return walkPages(pages, options);
  } finally {
    pages.close();
  }
}

function isLmdbFile(file: string): boolean {
  if (sizeOf(file) < 2 * pageBytes) return false;
  const pages = new DataPages(file);
  try {
    return [0, 1].every((page) => pages.read(page)?.readUInt32LE(magicOffset) === magicNumber);
  } finally {
    pages.close();
  }
}

/** 0 for a file that is missing or cannot be reached: the code that opens it next reports why. */
function sizeOf(file: string): number {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0;
  }
}

function depthOf(directory: string, file: string, mode: CheckAtStart): PageWalkOptions['depth'] {
  const { size } = statSync(file);
  const wasClosed = !logFiles.some((name) => existsSync(join(directory, name)));
  if (mode === 'full') return 'all';
  return mode === 'auto' && size <= (wasClosed ? closedWalkBytesMax : unclosedWalkBytesMax) ? 'all' : 'branches';
}

/** The log files. They are removed when the directory is closed. */
const logFiles = ['log-0', 'log-1'];

function damagedPages(file: string, damages: readonly PageDamage[]): StorageError {
  const [first] = damages as [PageDamage];
  const more = damages.length > 1 ? ` (and ${damages.length - 1} more of that kind)` : '';
  return new StorageError(
    'damaged',
    `The file ${file} is damaged: page ${first.page} cannot be used, because ${first.what}${more}. Nothing was changed. Run \`singlet doctor\` on the directory to see what is left, or restore it from a backup.`,
  );
}
