import { CallerGuard, assertKey } from '../caller-checks.ts';
import { StorageError } from '../storage-error.ts';
import type { Decision, RangeEnd, RangeRequest, RangeVisitor, Store, StoreManifest, StoreValue } from '../store.ts';
import { ByteTree } from './byte-tree.ts';
import { type Layer, Overlay, TreeLayer, visitTree } from './overlay.ts';

export type { Layer } from './overlay.ts';

const manifest: StoreManifest = {
  name: 'memory',
  durability: 'none',
  atRest: 'nothing',
  multiProcess: false,
  keyBytesMax: 4_000,
};

/**
 * Opens an empty store in the memory of this process. Nothing outlives `close`.
 *
 * Every call runs to its end before it returns, a decision included: calls never wait for each other, and a promise is
 * settled when it is handed out.
 */
export function openMemoryStore(): ForkableStore {
  return new MemoryStore();
}

/**
 * Opens a store in memory that begins with the entries of a layer and keeps its own writes. The layer must not change while the store is open.
 */
export function openMemoryStoreOver(layer: Layer): ForkableStore {
  return new MemoryStore(layer);
}

/** A store that can be copied without copying what it holds. */
export interface ForkableStore extends Store {
  /**
   * A store that begins as this one is now. Both keep their own writes from then on, and share what was there before.
   *
   * @throws {StorageError} `closed` once the store is closed.
   */
  fork(): ForkableStore;
}

class MemoryStore implements ForkableStore {
  readonly manifest: StoreManifest = manifest;
  readonly #guard = new CallerGuard();
  #tree: ByteTree | undefined = new ByteTree();
  /** What is read and written instead of the tree, once there are forks. */
  #overlay: Overlay | undefined;

  constructor(below?: Layer) {
    if (below !== undefined) this.#overlay = new Overlay(below);
  }

  fork(): ForkableStore {
    const tree = this.#open();
    const base = this.#overlay === undefined ? new TreeLayer(tree) : lowest(this.#overlay);
    this.#overlay = new Overlay(base);
    return new MemoryStore(base);
  }

  read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): T {
    const tree = this.#open();
    if (this.#overlay !== undefined) return this.#readOverlay(this.#overlay, keys, body);
    return this.#guard.run(body, readAll(tree, keys));
  }

  range(request: RangeRequest, visit: RangeVisitor): RangeEnd {
    const tree = this.#open();
    const overlay = this.#overlay;
    if (overlay !== undefined) return this.#guard.run((range) => overlay.range(range, visit), request);
    return this.#guard.run((range) => visitTree(tree, range, visit), request);
  }

  async write<T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>): Promise<T> {
    const tree = this.#open();
    if (this.#overlay !== undefined) return this.#writeOverlay(this.#overlay, keys, decide);
    const { answer, writes } = this.#guard.run(decide, readAll(tree, keys));
    for (const { key } of writes) assertKey(key, manifest.keyBytesMax);
    tree.write(writes);
    return answer;
  }

  async close(): Promise<void> {
    this.#guard.assertOutside();
    this.#tree = undefined;
    this.#overlay = undefined;
  }

  #readOverlay<T>(overlay: Overlay, keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): T {
    for (const key of keys) assertKey(key, manifest.keyBytesMax);
    return overlay.read(keys, (values) => this.#guard.run(body, values));
  }

  #writeOverlay<T>(
    overlay: Overlay,
    keys: readonly Uint8Array[],
    decide: (values: readonly StoreValue[]) => Decision<T>,
  ): T {
    // What is to be written may be among the values that were read: it is copied while these are good.
    return this.#readOverlay(overlay, keys, (values) => {
      const { answer, writes } = decide(values);
      for (const { key } of writes) assertKey(key, manifest.keyBytesMax);
      overlay.write(writes);
      return answer;
    });
  }

  #open(): ByteTree {
    this.#guard.assertOutside();
    if (this.#tree === undefined) throw new StorageError('closed', 'the store is closed');
    return this.#tree;
  }
}

function readAll(tree: ByteTree, keys: readonly Uint8Array[]): readonly StoreValue[] {
  const values: StoreValue[] = [];
  for (const key of keys) {
    assertKey(key, manifest.keyBytesMax);
    values.push(tree.get(key));
  }
  return values;
}

/** An overlay without writes adds nothing to what is beneath it. */
function lowest(overlay: Overlay): Layer {
  return overlay.isEmpty ? overlay.below : overlay;
}
