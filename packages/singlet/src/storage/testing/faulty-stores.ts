/** Stores with planted bugs, for the tests of crashes and power cuts: each of them has to find these. */
import { openLmdbStore, type LmdbStoreOptions } from '../lmdb/lmdb-store.ts';
import { openPostgresStore, type PostgresStoreOptions } from '../postgres/postgres-store.ts';
import type { Decision, Store, StoreValue } from '../store.ts';

type Write = Store['write'];

export async function openEarlyLmdbStore(options: LmdbStoreOptions): Promise<Store> {
  return withWrite(await openLmdbStore(options), early);
}

export async function openEarlyPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  return withWrite(await openPostgresStore(options), early);
}

export async function openSplittingLmdbStore(options: LmdbStoreOptions): Promise<Store> {
  return withWrite(await openLmdbStore(options), splitting);
}

/** Answers a write when it is decided, and not when it is on disk. */
function early(inner: Write): Write {
  return <T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>) =>
    new Promise<T>((resolve, reject) => {
      inner(keys, (values) => {
        const decision = decide(values);
        resolve(decision.answer);
        return decision;
      }).catch(reject);
    });
}

/** Writes the second half of a decision when the first half is on disk. */
function splitting(inner: Write): Write {
  return async <T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>) => {
    const { answer, rest } = await inner(keys, (values) => {
      const decision = decide(values);
      const half = Math.ceil(decision.writes.length / 2);
      return {
        answer: { answer: decision.answer, rest: decision.writes.slice(half) },
        writes: decision.writes.slice(0, half),
      };
    });
    await inner([], () => ({ answer: undefined, writes: rest }));
    return answer;
  };
}

function withWrite(store: Store, planted: (inner: Write) => Write): Store {
  const inner: Write = store.write.bind(store);
  return {
    manifest: store.manifest,
    read: store.read.bind(store),
    range: store.range.bind(store),
    write: planted(inner),
    close: () => store.close(),
  };
}
