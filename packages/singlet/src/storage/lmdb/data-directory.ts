import { randomUUID } from 'node:crypto';
import { access, constants, mkdir, open, readFile, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { StorageError } from '../storage-error.ts';

/** Says what a directory holds, so that nothing else is ever opened, or written into, by mistake. */
const markerName = 'singlet.json';

const markerFormat = 1;

/** What a fresh file system puts into its root: a mounted, empty volume is an empty directory. */
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
    // A missing right shows here, in words, and not later as an error number from the engine.
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    await checkOrCreateMarker(path);
    return path;
  } catch (error) {
    throw asOpenError(error, directory);
  }
}

/** Makes file names created in a directory durable: syncing a file does not sync the entry that leads to it. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function createDirectory(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    // Some file systems look at the rights before they look whether the name exists.
    if (await exists(path)) return;
    throw error;
  }
  await syncDirectory(dirname(path));
}

async function checkOrCreateMarker(path: string): Promise<void> {
  const marker = join(path, markerName);
  for (;;) {
    const text = await readIfExists(marker);
    if (text !== undefined) {
      checkMarker(text.toString('utf8'), path);
      return;
    }
    const names = await readdir(path);
    // Another process was faster between the two looks: read what it wrote.
    if (names.includes(markerName)) continue;
    const foreign = names.find((name) => !isTemporaryMarker(name) && !namesOfEmptyVolume.has(name));
    if (foreign !== undefined) {
      throw new StorageError(
        'format',
        `The directory ${path} holds other files (${foreign}) and no ${markerName}: choose an empty or a new directory for the data.`,
      );
    }
    await createMarker(path, marker);
  }
}

/**
 * Writes the marker under a name of its own and then renames it: it is there whole or not at all. When several processes
 * do this at once, each replaces the marker by an equal one.
 */
async function createMarker(path: string, marker: string): Promise<void> {
  const temporary = `${marker}.${randomUUID()}.tmp`;
  try {
    const handle = await open(temporary, 'wx');
    try {
      await handle.writeFile(`${JSON.stringify({ format: markerFormat, kind: 'singlet-data', engine: 'lmdb' })}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, marker);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(path);
}

function isTemporaryMarker(name: string): boolean {
  return name.startsWith(`${markerName}.`) && name.endsWith('.tmp');
}

function checkMarker(text: string, path: string): void {
  const { format, kind, engine } = parseMarker(text);
  if (kind !== 'singlet-data') {
    throw new StorageError(
      'format',
      `The file ${markerName} in ${path} is not one of Singlet's: choose another directory, or restore the file.`,
    );
  }
  if (engine !== 'lmdb') {
    throw new StorageError(
      'format',
      `The data in ${path} was written for the engine ${JSON.stringify(engine)}, not "lmdb": open it with that engine.`,
    );
  }
  if (format !== markerFormat) {
    throw new StorageError(
      'format',
      `The data in ${path} has format ${JSON.stringify(format)}, and this version of Singlet reads format ${markerFormat}: open it with the version that wrote it.`,
    );
  }
}

function parseMarker(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    // Not JSON: then it is not a marker, which is what an object without fields says too.
    return {};
  }
}

function asOpenError(error: unknown, directory: string): StorageError {
  if (error instanceof StorageError) return error;
  const code = codeOf(error);
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
      return `The directory ${directory} is not writable for this user: change its rights or choose another directory.`;
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

/** @returns undefined for a file that is not there. */
export async function readIfExists(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    // Whatever hides it: the error of the attempt to create it says more.
    return false;
  }
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
