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
 * A store that makes decisions without applying them: they read the stored values, and their writes are dropped. The values
 * under the keys of each decision are kept, to show the items before the change.
 */
export class PreviewStore implements Store {
  readonly manifest: StoreManifest;
  readonly #store: Store;
  readonly #seen = new Map<string, Buffer>();

  constructor(store: Store) {
    this.#store = store;
    this.manifest = store.manifest;
  }

  /** The values that a decision found under its keys, in their own memory. */
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

  /** The underlying store stays open, because it belongs to others. */
  async close(): Promise<void> {
    this.#seen.clear();
  }
}
