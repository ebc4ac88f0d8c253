import { mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { nodeFileSystem } from '../storage/files/node-file-system.ts';
import { openLmdbStore } from '../storage/lmdb/lmdb-store.ts';
import type { BackupTarget } from './backup-target.ts';
import { restore, type Restored, type RestoreOptions } from './restore.ts';

/**
 * Restores into a new directory, which gets its name once it is complete and durable.
 *
 * @param directory - must not exist; its parent must.
 * @throws {BackupError} as `restore`. The directory is then removed.
 */
export async function restoreDirectory(
  target: BackupTarget,
  directory: string,
  options: RestoreOptions,
): Promise<Restored> {
  const parent = dirname(directory);
  const unfinished = await mkdtemp(join(parent, `.${basename(directory)}.restoring-`));
  try {
    // Shared: writes go directly to the data file, without a write-ahead log.
    const store = await openLmdbStore({ directory: unfinished, shared: true });
    let restored: Restored;
    try {
      restored = await restore(target, store, options);
    } finally {
      await store.close();
    }
    await rename(unfinished, directory);
    await nodeFileSystem.syncDirectory(parent);
    return restored;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}
