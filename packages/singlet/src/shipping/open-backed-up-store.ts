import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDirectoryInUse } from '../storage/lmdb/directory-users.ts';
import { StorageError } from '../storage/storage-error.ts';
import { openLmdbStore, openSharedLmdbStore } from '../storage/lmdb/lmdb-store.ts';
import type { CheckAtStart } from '../storage/check-at-start.ts';
import type { Store } from '../storage/store.ts';
import { LogShipper, type ShipperOptions } from './log-shipper.ts';

export interface BackedUpStoreOptions extends ShipperOptions {
  readonly checkAtStart?: CheckAtStart;
}

/** A store in a directory, and its shipper. Closing the shipper closes the store. */
export interface BackedUpStore {
  readonly store: Store;
  readonly shipper: LogShipper;
}

/**
 * Opens a directory whose log is shipped to a target while it is open. The target need not exist yet.
 *
 * @throws {StorageError} as `openLmdbStore`, and if another process uses the directory.
 */
export async function openBackedUpStore(options: BackedUpStoreOptions): Promise<BackedUpStore> {
  const { directory, checkAtStart } = options;
  await refuseDirectoryInUse(directory);
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

/** The same in one of several processes. One of them ships the writes of all. */
export interface SharedBackedUpStore {
  readonly store: Store;
  /** Makes this process the shipper. No other process may be one. */
  readonly ship: () => Promise<LogShipper>;
  /** @param closeStore - closes the store. */
  readonly close: (closeStore: () => Promise<void>) => Promise<void>;
}

/**
 * Opens a directory that several processes serve. Each of them opens it this way.
 *
 * @throws {StorageError} as `openLmdbStore`.
 */
export async function openSharedBackedUpStore(options: BackedUpStoreOptions): Promise<SharedBackedUpStore> {
  const { directory, checkAtStart } = options;
  const { store, log } = await openSharedLmdbStore({ directory, ...(checkAtStart && { checkAtStart }) });
  let shipping: Promise<LogShipper> | undefined;
  const begin = async (): Promise<LogShipper> => {
    const shipper = await LogShipper.open({ ...options, sharedLog: log });
    await shipper.begin(store);
    return shipper;
  };
  const close = async (closeStore: () => Promise<void>): Promise<void> => {
    const shipper = await shipping?.catch(() => undefined);
    await (shipper === undefined ? closeStore() : shipper.close(closeStore));
  };
  return { store, ship: () => (shipping ??= begin()), close };
}

/**
 * Checks a directory that must not be shared, before it is opened. A process that has the directory to itself would detect this one, and give
 * up its log and with it its backup.
 *
 * @throws {StorageError} `open`.
 */
export async function refuseDirectoryInUse(directory: string): Promise<void> {
  if (!existsSync(join(directory, 'data.mdb')) || !(await isDirectoryInUse(directory))) return;
  const message = `Another process uses the directory ${directory}, and what it writes would be missing in the backup: stop it first.`;
  throw new StorageError('open', message);
}
