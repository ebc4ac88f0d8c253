import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDirectoryInUse } from '../storage/lmdb/directory-users.ts';
import { StorageError } from '../storage/storage-error.ts';
import { openLmdbStore } from '../storage/lmdb/lmdb-store.ts';
import type { CheckAtStart } from '../storage/check-at-start.ts';
import type { Store } from '../storage/store.ts';
import { LogShipper, type ShipperOptions } from './log-shipper.ts';

export interface BackedUpStoreOptions extends ShipperOptions {
  readonly checkAtStart?: CheckAtStart;
}

/** A store in a directory, and what ships it. Close the shipper, which closes the store. */
export interface BackedUpStore {
  readonly store: Store;
  readonly shipper: LogShipper;
}

/**
 * Opens a directory whose log is shipped to a target while it is open. The target need not be there yet.
 *
 * @throws {StorageError} as `openLmdbStore`, and when another process uses the directory.
 */
export async function openBackedUpStore(options: BackedUpStoreOptions): Promise<BackedUpStore> {
  const { directory, checkAtStart } = options;
  // Asked before the store is opened: a process that has the directory to itself would see this one, and give up its log, and with it its backup.
  if (existsSync(join(directory, 'data.mdb')) && (await isDirectoryInUse(directory))) {
    const message = `Another process uses the directory ${directory}, and what it writes would be missing in the backup: stop it first.`;
    throw new StorageError('open', message);
  }
  const shipper = await LogShipper.open(options);
  const store = await openLmdbStore({ directory, archive: shipper, ...(checkAtStart && { checkAtStart }) });
  try {
    await shipper.begin(store);
    return { store, shipper };
  } catch (error) {
    await store.close();
    throw error;
  }
}
