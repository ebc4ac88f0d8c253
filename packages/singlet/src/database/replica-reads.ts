/**
 * Reads that may be stale: from a replica of the store, or from the store itself when the replica cannot answer.
 *
 * A replica may not know a table yet, or know it as it was. A read that fails there is therefore repeated on the store, so a request fails only if it
 * fails there, too.
 *
 * Decision 0073 says why.
 */
import {
  StorageError,
  type RangeEnd,
  type RangeRequest,
  type RangeVisitor,
  type Store,
  type StoreValue,
} from '../storage/index.ts';

/** How long a replica that did not answer is left alone, milliseconds. */
const leftAloneMs = 2_000;

export class ReplicaReads {
  readonly #store: Store;
  readonly #replica: Store;
  readonly #monotonicMs: () => number;
  readonly #onFailure: (error: StorageError) => void;
  #untilMs = 0;

  /** @param options.onFailure - called when the replica does not answer, before it is left alone for a while. */
  constructor(options: {
    readonly store: Store;
    readonly replica: Store;
    readonly monotonicMs: () => number;
    readonly onFailure: (error: StorageError) => void;
  }) {
    this.#store = options.store;
    this.#replica = options.replica;
    this.#monotonicMs = options.monotonicMs;
    this.#onFailure = options.onFailure;
  }

  async read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): Promise<T> {
    if (this.#isLeftAlone()) return this.#store.read(keys, body);
    try {
      return await this.#replica.read(keys, body);
    } catch (error) {
      this.#note(error);
      return this.#store.read(keys, body);
    }
  }

  /** A range that has begun cannot be continued elsewhere: its entries would be of two moments. */
  async range(request: RangeRequest, visit: RangeVisitor): Promise<RangeEnd> {
    if (this.#isLeftAlone()) return this.#store.range(request, visit);
    let hasBegun = false;
    try {
      return await this.#replica.range(request, (key, value) => {
        hasBegun = true;
        return visit(key, value);
      });
    } catch (error) {
      this.#note(error);
      if (hasBegun) throw error;
      return this.#store.range(request, visit);
    }
  }

  #isLeftAlone(): boolean {
    return this.#monotonicMs() < this.#untilMs;
  }

  #note(error: unknown): void {
    if (!(error instanceof StorageError)) return;
    this.#untilMs = this.#monotonicMs() + leftAloneMs;
    this.#onFailure(error);
  }
}
