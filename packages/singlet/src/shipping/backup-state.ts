import { join } from 'node:path';
import type { FileSystem } from '../storage/files/file-system.ts';
import type { LogPosition } from './log-position.ts';

/** Says, in a data directory, how its backup continues. */
export const stateName = 'backup.json';

/**
 * How a chain can continue with the directory as it is. A chain must not have a gap, so one of two things has to be shown at a start:
 *
 * - The log of the last era is there, from a process that was killed.
 * - The data file is at `transaction`. Nothing was written after the process had ended that keeps this file.
 *
 * Anything else (a process without a backup has written, or recovered the log) begins a new chain. So does a chain in the target that ends in an era
 * that is not named here: then this is an old copy of the directory.
 */
export interface BackupState {
  readonly target: string;
  readonly chain: string;
  /** Lives of the log, in order, from that at whose end the chain is or was. */
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

/** @returns undefined when there is none, or a damaged one: then a new chain begins. */
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

/** It is durable when this resolves. */
export async function writeState(files: FileSystem, directory: string, state: BackupState): Promise<void> {
  await writeDurably(files, directory, stateName, Buffer.from(`${JSON.stringify({ format: 1, ...state })}\n`));
}

export async function removeState(files: FileSystem, directory: string): Promise<void> {
  await files.unlink(join(directory, stateName));
  await files.syncDirectory(directory);
}

/** Writes a file whole, or not at all. */
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
