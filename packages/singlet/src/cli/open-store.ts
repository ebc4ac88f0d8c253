import { resolve } from 'node:path';
import { StorageError, type Store } from '../storage/index.ts';

/** Where the data is: nowhere but in memory, or in a directory. */
export type StoreLocation = { readonly kind: 'memory' } | { readonly kind: 'directory'; readonly directory: string };

/**
 * Opens a store. Drivers are loaded when they are needed: memory alone never loads a native module.
 *
 * @param shared - whether other processes are about to open it, too.
 */
export async function openStore(
  location: StoreLocation,
  { shared = false }: { readonly shared?: boolean } = {},
): Promise<Store> {
  switch (location.kind) {
    case 'memory': {
      const { openMemoryStore } = await import('../storage/memory/memory-store.ts');
      return openMemoryStore();
    }
    case 'directory': {
      const { openLmdbStore } = await import('../storage/lmdb/lmdb-store.ts');
      return openLmdbStore({ directory: resolve(location.directory), shared });
    }
  }
}

/**
 * The location that a store URL names: `memory:` or `lmdb:DIRECTORY`.
 *
 * @throws {StorageError} `open` for any other URL.
 */
export function storeLocationOf(url: string): StoreLocation {
  if (url === 'memory:') return { kind: 'memory' };
  if (url.startsWith('lmdb:') && url.length > 'lmdb:'.length) {
    return { kind: 'directory', directory: url.slice('lmdb:'.length) };
  }
  throw new StorageError(
    'open',
    `There is no store "${url}". Use memory: for a store in memory, or lmdb:DIRECTORY for one on disk.`,
  );
}
