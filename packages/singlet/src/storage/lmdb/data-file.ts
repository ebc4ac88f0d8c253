import { access, constants, open, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StorageError } from '../storage-error.ts';

/** Page size of our data files. Keys of more than 1,978 bytes need pages of at least 8 KB. */
export const pageBytes = 8192;

/**
 * The start of the two pages with which an LMDB file begins, one of which names the newest state:
 *
 *     offset 18  flags, 2 bytes       8: such a page
 *     offset 24  magic number, 4      0xbeefc0de
 *     offset 28  format of LMDB, 4    2
 */
const metaPageCount = 2;
const metaPageFlag = 8;
const magicNumber = 0xbeef_c0de;
const lmdbFormat = 2;

/** A new data file, its lock file and the first pages. */
const freeBytesMin = 1024 * 1024;

/** Time that another process may need to write the first two pages of a new file. */
const creationPatience = { attempts: 5, delayMs: 20 } as const;

/**
 * Checks everything that could keep LMDB from opening its files in a directory. The package does not report such a
 * failure, it ends the process with a segmentation fault: its clean-up after a failed open uses memory it has freed.
 *
 * @throws {StorageError} `'format'` when the data file is not LMDB's, `'open'` when the files cannot be used.
 */
export async function checkDataFiles(directory: string): Promise<void> {
  const dataFile = join(directory, 'data.mdb');
  await checkAccess(dataFile);
  await checkAccess(join(directory, 'lock.mdb'));
  await checkFreeSpace(directory);
  for (let attempt = 1; !(await isDataFile(dataFile)); attempt += 1) {
    if (attempt === creationPatience.attempts) {
      throw new StorageError(
        'format',
        `The file ${dataFile} is not a data file, or is damaged: restore it from a backup.`,
      );
    }
    await delay(creationPatience.delayMs);
  }
}

async function checkAccess(file: string): Promise<void> {
  try {
    if (!(await stat(file)).isFile()) throw new StorageError('open', `The path ${file} is not a file: remove it.`);
    await access(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    if (error instanceof StorageError) throw error;
    if (isMissing(error)) return;
    throw new StorageError('open', `The file ${file} is not writable for this user: change its rights.`, {
      cause: error,
    });
  }
}

async function checkFreeSpace(directory: string): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize >= freeBytesMin) return;
  throw new StorageError('open', `The disk that holds ${directory} is full: make room on it.`);
}

/** Whether LMDB will accept the file: it begins as LMDB files do, or it is empty or missing and will be made. */
async function isDataFile(file: string): Promise<boolean> {
  const start = await readStart(file);
  if (start.length === 0) return true;
  if (start.length < metaPageCount * pageBytes) return false;
  const view = new DataView(start.buffer, start.byteOffset, start.length);
  for (let page = 0; page < metaPageCount; page += 1) {
    const offset = page * pageBytes;
    if (view.getUint16(offset + 18, true) !== metaPageFlag) return false;
    if (view.getUint32(offset + 24, true) !== magicNumber) return false;
    if (view.getUint32(offset + 28, true) !== lmdbFormat) return false;
  }
  return true;
}

async function readStart(file: string): Promise<Uint8Array> {
  const start = new Uint8Array(metaPageCount * pageBytes);
  try {
    const handle = await open(file, 'r');
    try {
      const { bytesRead } = await handle.read(start, 0, start.length, 0);
      return start.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isMissing(error)) return new Uint8Array(0);
    throw new StorageError('open', `The file ${file} cannot be read.`, { cause: error });
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
