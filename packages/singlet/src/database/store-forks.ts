import type { Store } from '../storage/index.ts';
import type { ForkableStore, Layer } from '../storage/memory/memory-store.ts';
import { nothingAtRest, openStore } from './open-store.ts';

/** A store, and how it is forked. */
export interface OpenedStore {
  readonly store: Store;
  /** Absent for a store that cannot be forked. */
  readonly forks?: StoreForks;
}

export interface StoreForks {
  /** Whether the forked store must not be written to any more. */
  readonly sealsParent: boolean;
  readonly open: () => Promise<OpenedStore>;
  /** Closes the store that forks read from. */
  readonly close?: () => Promise<void>;
}

/** Opens a store that can be forked, in memory or on a directory. */
export async function openForkable(directory: string | undefined, encryptionKeys?: string): Promise<OpenedStore> {
  const { openMemoryStore, openMemoryStoreOver } = await import('../storage/memory/memory-store.ts');
  if (directory === undefined) {
    if (encryptionKeys !== undefined) throw nothingAtRest();
    return inMemory(openMemoryStore());
  }
  const store = await openStore({ kind: 'directory', directory }, { encryptionKeys });
  // Forks read through their own handle, so that the store above can be closed to requests.
  let beneath: Promise<Store> | undefined;
  const open = async (): Promise<OpenedStore> => {
    beneath ??= openStore({ kind: 'directory', directory }, { checkAtStart: 'quick', encryptionKeys });
    return inMemory(openMemoryStoreOver(layerOf(await beneath)));
  };
  const close = async (): Promise<void> => (await beneath)?.close();
  return { store, forks: { sealsParent: true, open, close } };
}

function inMemory(store: ForkableStore): OpenedStore {
  return { store, forks: { sealsParent: false, open: async () => inMemory(store.fork()) } };
}

/** The directory driver answers reads synchronously: it never returns a promise. */
function layerOf(store: Store): Layer {
  return {
    read: (keys, body) => store.read(keys, body) as ReturnType<typeof body>,
    range: (request, visit) => store.range(request, visit) as ReturnType<Layer['range']>,
  };
}
