import { access, constants, mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { FileSystem } from '../files/file-system.ts';
import { errorCodeOf, nodeFileSystem } from '../files/node-file-system.ts';
import { StorageError } from '../storage-error.ts';
import { dataFileName } from './data-file.ts';
import { createMarker, isTemporaryMarker, markerName, readMarker } from './directory-marker.ts';

/** Data belongs to the user who runs the process. A directory that already existed keeps its permissions. */
const directoryMode = 0o700;

/** The entries that a new file system has in its root: a mounted, empty volume is an empty directory. */
const namesOfEmptyVolume = new Set(['lost+found']);

/**
 * Makes a directory ready for data: creates it if it is missing (its parent must exist), and marks it as Singlet's if it
 * is empty. Any number of processes may do so at once.
 *
 * @returns the real path of the directory: the same for every way to name it.
 * @throws {StorageError} `'open'` when the path cannot be used, `'format'` when it holds something else or something newer.
 */
export async function prepareDataDirectory(directory: string): Promise<string> {
  try {
    await createDirectory(resolve(directory));
    const path = await realpath(directory);
    if (!(await stat(path)).isDirectory()) throw notADirectory(directory);
    // A missing permission is reported here in words, and not later as an error number from the engine.
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    await ensureMarker(path, nodeFileSystem);
    return path;
  } catch (error) {
    throw asOpenError(error, directory);
  }
}

async function createDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, directoryMode);
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return;
    // Some file systems check permissions before they check whether the name exists.
    if (await exists(path)) return;
    throw error;
  }
  await nodeFileSystem.syncDirectory(dirname(path));
}

/** Ensures that a directory has a marker, if it holds nothing else. */
export async function ensureMarker(path: string, files: FileSystem): Promise<void> {
  for (;;) {
    if ((await readMarker(files, path)) !== undefined) return;
    const names = await files.readDirectory(path);
    // Another process created the marker between the two checks: read what it wrote.
    if (names.includes(markerName)) continue;
    const foreign = names.find((name) => !isTemporaryMarker(name) && !namesOfEmptyVolume.has(name));
    if (foreign !== undefined) {
      const remedy = names.includes(dataFileName)
        ? `if this is a data directory, "singlet doctor ${path} --repair" writes it again; otherwise choose another one.`
        : 'choose an empty or a new directory for the data.';
      throw new StorageError(
        'format',
        `The directory ${path} holds other files (${foreign}) and no ${markerName}: ${remedy}`,
      );
    }
    await createMarker(files, path);
  }
}

function asOpenError(error: unknown, directory: string): StorageError {
  if (error instanceof StorageError) return error;
  const code = errorCodeOf(error);
  const message = openMessage(code, directory);
  return new StorageError('open', message, { cause: error });
}

function openMessage(code: string | undefined, directory: string): string {
  switch (code) {
    case 'ENOENT':
      return `The directory ${directory} cannot be created because its parent does not exist: create the parent first.`;
    case 'ENOTDIR':
    case 'EEXIST':
      return notADirectory(directory).message;
    case 'EACCES':
    case 'EPERM':
      return `The directory ${directory} is not writable for this user: change its permissions or choose another directory.`;
    case 'EROFS':
      return `The directory ${directory} is on a read-only file system: choose another directory.`;
    default:
      return `The directory ${directory} cannot be opened (${code ?? 'unknown error'}): choose another directory.`;
  }
}

function notADirectory(directory: string): StorageError {
  return new StorageError(
    'open',
    `The path ${directory} is not a directory, or leads through a file: name a directory.`,
  );
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    // If something hides it, the error of the attempt to create it is more specific.
    return false;
  }
}
