import { access, constants, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FileSystem } from '../files/file-system.ts';
import { errorCodeOf, nodeFileSystem } from '../files/node-file-system.ts';
import { StorageError } from '../storage-error.ts';

export const dataFileName = 'data.mdb';
const lockFileName = 'lock.mdb';
/** The data file of the gate (`opening-gate.ts`), which stays empty, and LMDB's lock file for it. */
export const gateFileName = 'gate.mdb';
export const gateLockFileName: string = `${gateFileName}-lock`;

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

/** Space for a new data file, its lock file and the first pages. */
const freeBytesMin = 1024 * 1024;

/** Time that another process may need to write the first two pages of a new file. */
const creationPatience = { attempts: 5, delayMs: 20 } as const;

/**
 * Checks everything that could keep LMDB from opening its files in a directory. The package does not report such a
 * failure. It ends the process with a segmentation fault, because its clean-up after a failed open uses memory it has freed.
 *
 * @throws {StorageError} `'format'` when the data file is not LMDB's, `'open'` when the files cannot be used.
 */
export async function checkDataFiles(directory: string): Promise<void> {
  const dataFile = join(directory, dataFileName);
  await checkAccess(dataFile);
  for (const name of [lockFileName, gateFileName, gateLockFileName]) await checkAccess(join(directory, name));
  await checkFreeSpace(directory);
  if ((await stateOfDataFile(nodeFileSystem, directory)) !== 'unfinished') return;
  throw new StorageError('format', `The file ${dataFile} is not a data file, or is damaged: restore it from a backup.`);
}

async function checkAccess(file: string): Promise<void> {
  try {
    if (!(await stat(file)).isFile()) throw new StorageError('open', `The path ${file} is not a file: remove it.`);
    await access(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    if (error instanceof StorageError) throw error;
    if (errorCodeOf(error) === 'ENOENT') return;
    throw new StorageError('open', `The file ${file} is not writable for this user: change its permissions.`, {
      cause: error,
    });
  }
}

async function checkFreeSpace(directory: string): Promise<void> {
  // An existing data file can be read, and LMDB tells writers that the disk is full.
  if ((await stateOfDataFile(nodeFileSystem, directory)) === 'present' && (await hasLockFiles(directory))) return;
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize >= freeBytesMin) return;
  throw new StorageError('open', `The disk that holds ${directory} is full: make room on it.`);
}

/** Reads only sizes: closing a lock file would end the locks that another thread of this process holds on it. */
async function hasLockFiles(directory: string): Promise<boolean> {
  const sizes = await Promise.all([lockFileName, gateLockFileName].map((name) => sizeOf(join(directory, name))));
  return sizes.every((size) => size > 0);
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return 0;
    throw error;
  }
}

/**
 * The state of the data file. `unfinished`: it does not begin as LMDB files do, even after a time in which another process
 * would have finished it.
 */
export async function stateOfDataFile(
  files: FileSystem,
  directory: string,
): Promise<'missing' | 'empty' | 'unfinished' | 'present'> {
  const file = join(directory, dataFileName);
  for (let attempt = 1; ; attempt += 1) {
    const start = await readStart(files, file);
    if (start === undefined) return 'missing';
    if (start.length === 0) return 'empty';
    if (isDataFile(start)) return 'present';
    if (attempt === creationPatience.attempts) return 'unfinished';
    await delay(creationPatience.delayMs);
  }
}

/** Makes the files of LMDB, empty, so that they belong to this user only: LMDB itself would let others read them. */
export async function createDataFiles(files: FileSystem, directory: string): Promise<void> {
  for (const name of [dataFileName, lockFileName]) {
    await (await files.open(join(directory, name), { create: true })).close();
  }
}

/** Moves away a data file that a power cut left unfinished before any write in it was acknowledged. LMDB then creates a new one. */
export async function moveUnfinishedDataFile(files: FileSystem, directory: string): Promise<void> {
  const file = join(directory, dataFileName);
  await files.rename(file, `${file}.unfinished`);
  await createDataFiles(files, directory);
}

/** Makes the data file and its name durable. */
export async function syncDataFile(files: FileSystem, directory: string): Promise<void> {
  const file = await files.open(join(directory, dataFileName), {});
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  await files.syncDirectory(directory);
}

/** Whether LMDB will accept a file that begins so. */
function isDataFile(start: Buffer): boolean {
  if (start.length < metaPageCount * pageBytes) return false;
  for (let page = 0; page < metaPageCount; page += 1) {
    const offset = page * pageBytes;
    if (start.readUInt16LE(offset + 18) !== metaPageFlag) return false;
    if (start.readUInt32LE(offset + 24) !== magicNumber) return false;
    if (start.readUInt32LE(offset + 28) !== lmdbFormat) return false;
  }
  return true;
}

async function readStart(files: FileSystem, path: string): Promise<Buffer | undefined> {
  try {
    const file = await files.open(path, {});
    try {
      return await file.read(metaPageCount * pageBytes, 0);
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === 'ENOENT') return undefined;
    const message =
      code === 'EISDIR'
        ? `The path ${path} is not a file: remove it.`
        : code === 'EACCES' || code === 'EPERM'
          ? `The file ${path} is not writable for this user: change its permissions.`
          : `The file ${path} cannot be read.`;
    throw new StorageError('open', message, { cause: error });
  }
}
