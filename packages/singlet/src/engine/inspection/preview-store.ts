import type {
  Decision,
  RangeEnd,
  RangeRequest,
  RangeVisitor,
  Store,
  StoreManifest,
  StoreValue,
} from '../../storage/store.ts';

/**
 * A store whose decisions are made and not carried out: they read what is there, and what they would write is dropped. What
 * was under the keys of each decision is kept, for a look at the items as they were.
 */
export class PreviewStore implements Store {
  readonly manifest: StoreManifest;
  readonly #store: Store;
  readonly #seen = new Map<string, Buffer>();

  constructor(store: Store) {
    this.#store = store;
    this.manifest = store.manifest;
  }

  /** What a decision found under one of its keys, on memory of its own. */
  seenUnder(key: Buffer): Buffer | undefined {
    return this.#seen.get(key.toString('latin1'));
  }

  read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): T | Promise<T> {
    return this.#store.read(keys, body);
  }

  range(request: RangeRequest, visit: RangeVisitor): RangeEnd | Promise<RangeEnd> {
    return this.#store.range(request, visit);
  }

  async write<T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>): Promise<T> {
    return this.#store.read(keys, (values) => {
      for (const [at, key] of keys.entries()) {
        const value = values[at];
        if (value !== undefined) this.#seen.set(Buffer.from(key).toString('latin1'), Buffer.from(value));
      }
      return decide(values).answer;
    });
  }

  /** The store behind it stays open: it belongs to others. */
  async close(): Promise<void> {
    this.#seen.clear();
  }
}
