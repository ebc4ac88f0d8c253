import { join } from 'node:path';
import type { FileSystem } from '../storage/files/file-system.ts';
import type { LogPosition } from './log-position.ts';

/** The file in a data directory that records how its backup continues. */
export const stateName = 'backup.json';

/**
 * Records how a chain can continue with the directory as it is. A chain must not have a gap, so one of these has to be shown at the start:
 *
 * - The log of the last era is present, because its process was killed.
 * - The data file is at `transaction`. Nothing was written after the process that wrote this file ended.
 *
 * Otherwise (a process without a backup has written, or recovered the log) a new chain begins. A new chain also begins if the chain in the
 * target ends in an era that is not listed here: this is then an old copy of the directory.
 */
export interface BackupState {
  readonly target: string;
  readonly chain: string;
  /** Eras of the log, in order, beginning with the one in which the chain ends or ended. */
  readonly eras: readonly LogEra[];
  /** The last transaction of the data file. */
  readonly transaction: number;
}

export interface LogEra {
  /** In hexadecimal. */
  readonly era: string;
  /** Where it ended; null while it is being written. */
  readonly end: LogPosition | null;
}

/** @returns undefined if it is missing or damaged: a new chain then begins. */
export async function readState(files: FileSystem, directory: string): Promise<BackupState | undefined> {
  const bytes = await files.readFile(join(directory, stateName));
  if (bytes === undefined) return undefined;
  try {
    const { format, ...state } = JSON.parse(bytes.toString('utf8')) as BackupState & { readonly format: number };
    return format === 1 ? state : undefined;
  } catch {
    return undefined;
  }
}

/** The file is durable when this resolves. */
export async function writeState(files: FileSystem, directory: string, state: BackupState): Promise<void> {
  await writeDurably(files, directory, stateName, Buffer.from(`${JSON.stringify({ format: 1, ...state })}\n`));
}

export async function removeState(files: FileSystem, directory: string): Promise<void> {
  await files.unlink(join(directory, stateName));
  await files.syncDirectory(directory);
}

/** Replaces a file atomically. */
export async function writeDurably(files: FileSystem, directory: string, name: string, bytes: Buffer): Promise<void> {
  const temporary = join(directory, `${name}.tmp`);
  await files.unlink(temporary);
  const file = await files.open(temporary, { create: true });
  try {
    await file.write(bytes, 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await files.rename(temporary, join(directory, name));
  await files.syncDirectory(directory);
}
