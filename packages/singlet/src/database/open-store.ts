import { resolve } from 'node:path';
import { type CheckAtStart, StorageError, type Store } from '../storage/index.ts';
import type { WrappingKey } from '../storage/encryption/wrapping-keys.ts';

/** Where the data is: only in memory, in a directory, or in a schema of a PostgreSQL database. */
export type StoreLocation =
  | { readonly kind: 'memory' }
  | { readonly kind: 'directory'; readonly directory: string }
  | { readonly kind: 'postgres'; readonly url: string };

export interface OpenStoreOptions {
  /** Whether other processes are about to open it, too. */
  readonly shared?: boolean;
  /** How much of the data file is checked when it is opened. */
  readonly checkAtStart?: CheckAtStart;
  /** The text of a file of encryption keys. Without it nothing is encrypted. */
  readonly encryptionKeys?: string | undefined;
}

/**
 * Opens a store. Drivers are loaded on demand: a database in memory never loads a native module, and PostgreSQL's client need only be installed
 * by those who use it.
 *
 * @throws {StorageError} also for encryption keys that do not match the data.
 */
export async function openStore(
  location: StoreLocation,
  { shared = false, checkAtStart = 'auto', encryptionKeys }: OpenStoreOptions = {},
): Promise<Store> {
  switch (location.kind) {
    case 'memory': {
      if (encryptionKeys !== undefined) throw nothingAtRest();
      const { openMemoryStore } = await import('../storage/memory/memory-store.ts');
      return openMemoryStore();
    }
    case 'directory': {
      const wrappingKeys = await wrappingKeysOf(encryptionKeys);
      const { openLmdbStore } = await import('../storage/lmdb/lmdb-store.ts');
      const store = await openLmdbStore({ directory: resolve(location.directory), shared, checkAtStart });
      return encryptedOrClosed(store, wrappingKeys, () => store.close());
    }
    case 'postgres': {
      const wrappingKeys = await wrappingKeysOf(encryptionKeys);
      const { openPostgresStore } = await import('../storage/postgres/postgres-store.ts');
      const store = await openPostgresStore({ url: location.url });
      return encryptedOrClosed(store, wrappingKeys, () => store.close());
    }
  }
}

/**
 * Opens a standby of a store in PostgreSQL, for reads.
 *
 * @throws {StorageError} also for another URL, and for encryption keys that do not match the data.
 */
export async function openReadStore(
  url: string,
  of: StoreLocation,
  encryptionKeys: string | undefined,
): Promise<Store> {
  if (of.kind !== 'postgres') throw noReadStore();
  const wrappingKeys = await wrappingKeysOf(encryptionKeys);
  const { openPostgresReplica } = await import('../storage/postgres/postgres-replica.ts');
  const replica = await openPostgresReplica({ url, of: of.url });
  return encryptedOrClosed(replica, wrappingKeys, () => replica.close());
}

/** The error for a read store of data that is not in PostgreSQL. */
export function noReadStore(): StorageError {
  return new StorageError('open', 'Only a store in PostgreSQL can have a read store.');
}

/** The error for encryption keys given for data that is only in memory. */
export function nothingAtRest(): StorageError {
  return new StorageError('open', 'Data in memory is never at rest: an encryption key needs a directory.');
}

/**
 * The keys in the text of a key file. Read them before you open a store, which creates what is missing.
 *
 * @throws {StorageError} `open` for text that is none.
 */
export async function wrappingKeysOf(encryptionKeys: string | undefined): Promise<readonly WrappingKey[] | undefined> {
  if (encryptionKeys === undefined) return undefined;
  const { parseWrappingKeys } = await import('../storage/encryption/wrapping-keys.ts');
  return parseWrappingKeys(encryptionKeys);
}

/**
 * Wraps an open store with encryption if its data is encrypted.
 *
 * @param close - closes the store if it cannot be used with these keys.
 * @throws {StorageError} for keys that do not match the data.
 */
export async function encryptedOrClosed(
  store: Store,
  wrappingKeys: readonly WrappingKey[] | undefined,
  close: () => Promise<void>,
): Promise<Store> {
  try {
    const { withEncryption } = await import('../storage/encryption/with-encryption.ts');
    return await withEncryption(store, wrappingKeys);
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * The location that a store URL names: `memory:`, `lmdb:DIRECTORY` or `postgres://HOST/DATABASE`.
 *
 * @throws {StorageError} `open` for any other URL.
 */
export function storeLocationOf(url: string): StoreLocation {
  if (url === 'memory:') return { kind: 'memory' };
  if (url.startsWith('lmdb:') && url.length > 'lmdb:'.length) {
    return { kind: 'directory', directory: url.slice('lmdb:'.length) };
  }
  if (/^postgres(ql)?:\/\/./.test(url)) return { kind: 'postgres', url };
  const shown = url.replace(/(:\/\/[^/:@]*):.*@/, '$1@'); // without the password
  throw new StorageError(
    'open',
    `There is no store "${shown}". Use memory: for a store in memory, lmdb:DIRECTORY for one on disk, or postgres://HOST/DATABASE for one in PostgreSQL.`,
  );
}
