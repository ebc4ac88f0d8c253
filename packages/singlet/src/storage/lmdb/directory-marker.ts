import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { errorCodeOf } from '../files/node-file-system.ts';
import type { FileSystem } from '../files/file-system.ts';
import { StorageError } from '../storage-error.ts';

/** Identifies the contents of a directory, so that nothing else is ever opened, or written into, by mistake. */
export const markerName = 'singlet.json';

/**
 * The contents of `singlet.json`.
 *
 *     {"format":2,"kind":"singlet-data","engine":"lmdb","state":"ready","store":"…","generation":7,"check":"…"}
 *
 * - `creating`: the data file may be missing or unfinished, since nothing has been acknowledged yet. `ready`: it was synced, and must exist.
 * - `store`: the id that the data file also has.
 * - `generation`: the generation of the data file when the log was last begun or closed. A data file with an older one is an old copy.
 *
 * Format 1 had none of these.
 */
export type DirectoryMarker =
  | { readonly format: 1 }
  | { readonly format: 2; readonly state: 'creating' }
  | { readonly format: 2; readonly state: 'ready'; readonly store: string; readonly generation: number };

const markerFormat = 2;

/** @returns undefined when the directory has no marker. */
export async function readMarker(files: FileSystem, directory: string): Promise<DirectoryMarker | undefined> {
  const bytes = await files.readFile(join(directory, markerName));
  return bytes && decodeMarker(bytes.toString('utf8'), directory);
}

/** Replaces the marker atomically: a reader sees the old one or the new one, complete. It is durable when this resolves. */
export async function writeMarker(files: FileSystem, directory: string, marker: DirectoryMarker): Promise<void> {
  await withTemporary(files, directory, marker, (temporary) => files.rename(temporary, join(directory, markerName)));
}

/** Writes the first marker of a directory, unless another process has. */
export async function createMarker(files: FileSystem, directory: string): Promise<void> {
  await withTemporary(files, directory, { format: 2, state: 'creating' }, async (temporary) => {
    const marker = join(directory, markerName);
    try {
      // Not renamed: that would replace a marker that another process has written since, possibly `ready`.
      await files.link(temporary, marker);
      await files.unlink(temporary);
    } catch (error) {
      if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP'].includes(errorCodeOf(error) ?? '')) throw error;
      // The file system has no links.
      await files.rename(temporary, marker);
    }
  });
}

export function isTemporaryMarker(name: string): boolean {
  return name.startsWith(`${markerName}.`) && name.endsWith('.tmp');
}

async function withTemporary(
  files: FileSystem,
  directory: string,
  marker: DirectoryMarker,
  place: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = join(directory, `${markerName}.${randomUUID()}.tmp`);
  try {
    const file = await files.open(temporary, { create: true });
    try {
      await file.write(Buffer.from(encodeMarker(marker)), 0);
      await file.sync();
    } finally {
      await file.close();
    }
    await place(temporary);
  } catch (error) {
    await files.unlink(temporary);
    throw error;
  }
  await files.syncDirectory(directory);
}

export function encodeMarker(marker: DirectoryMarker): string {
  const text = JSON.stringify({ ...marker, kind: 'singlet-data', engine: 'lmdb' });
  return `${text.slice(0, -1)},"check":"${checkOf(text)}"}\n`;
}

function checkOf(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

/** @throws {StorageError} `'format'` when it is not ours, or newer; `'damaged'` when it is not as it was written. */
export function decodeMarker(text: string, directory: string): DirectoryMarker {
  const { format, kind, engine, state, store, generation, check } = parse(text);
  if (kind !== 'singlet-data') {
    throw new StorageError(
      'format',
      `The file ${markerName} in ${directory} is not one of Singlet's: choose another directory, or restore the file.`,
    );
  }
  if (engine !== 'lmdb') {
    throw new StorageError(
      'format',
      `The data in ${directory} was written for the engine ${JSON.stringify(engine)}, not "lmdb": open it with that engine.`,
    );
  }
  if (format === 1 && check === undefined) return { format };
  if (format !== markerFormat && check === undefined) {
    throw newerFormat(format, directory);
  }
  if (
    typeof format === 'number' &&
    format > markerFormat &&
    check === checkOf(text.slice(0, text.lastIndexOf(',"check"')) + '}')
  ) {
    throw newerFormat(format, directory);
  }
  const marker: DirectoryMarker =
    state === 'ready'
      ? { format: markerFormat, state, store: String(store), generation: Number(generation) }
      : { format: markerFormat, state: 'creating' };
  if (encodeMarker(marker).trim() === text.trim()) return marker;
  throw new StorageError(
    'damaged',
    `The file ${markerName} in ${directory} is damaged (its check is ${JSON.stringify(check)}). Nothing was changed. Restore the file, or run "singlet doctor ${directory}", which can rebuild it from the data file.`,
  );
}

function newerFormat(format: unknown, directory: string): StorageError {
  return new StorageError(
    'format',
    `The data in ${directory} has format ${JSON.stringify(format)}, and this version of Singlet reads formats 1 and ${markerFormat}: open it with the version that wrote it.`,
  );
}

function parse(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    // Not JSON, so not a marker: the same result as for an object without fields.
    return {};
  }
}
