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
  readsOwnMemory: true,
  multiProcess: false,
  keyBytesMax: 4_000,
};

/**
 * Opens an empty store in the memory of this process. Nothing outlives `close`.
 *
 * Every call, including a decision, runs to its end before it returns. Calls never wait for each other, and a returned promise is
 * already settled.
 */
export function openMemoryStore(): ForkableStore {
  return new MemoryStore(manifest);
}

/**
 * Opens a store in memory that begins with the entries of a layer of another store, and keeps its own writes. The layer must not change
 * while the store is open.
 */
export function openMemoryStoreOver(layer: Layer): ForkableStore {
  return new MemoryStore({ ...manifest, readsOwnMemory: false }, layer);
}

/** A store that can be copied without copying its contents. */
export interface ForkableStore extends Store {
  /**
   * A store that begins with the current state of this one. From then on each keeps its own writes, and both share the earlier entries.
   *
   * @throws {StorageError} `closed` once the store is closed.
   */
  fork(): ForkableStore;
}

class MemoryStore implements ForkableStore {
  readonly manifest: StoreManifest;
  readonly #guard = new CallerGuard();
  #tree: ByteTree | undefined = new ByteTree();
  /** Replaces the tree for reads and writes once there are forks. */
  #overlay: Overlay | undefined;

  constructor(ownManifest: StoreManifest, below?: Layer) {
    this.manifest = ownManifest;
    if (below !== undefined) this.#overlay = new Overlay(below);
  }

  fork(): ForkableStore {
    const tree = this.#open();
    const base = this.#overlay === undefined ? new TreeLayer(tree) : lowest(this.#overlay);
    this.#overlay = new Overlay(base);
    return new MemoryStore(this.manifest, base);
  }

  read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): T {
    const tree = this.#open();
    if (this.#overlay !== undefined) return this.#readOverlay(this.#overlay, keys, body);
    return this.#guard.run(body, readAll(tree, keys));
  }

  range(request: RangeRequest, visit: RangeVisitor): RangeEnd {
    const tree = this.#open();
    const overlay = this.#overlay;
    if (request.guard !== undefined) this.read(request.guard.keys, request.guard.check);
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
    // The writes may include values that were read, so they are copied while those are valid.
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

/** The layer beneath an overlay that has no writes, because such an overlay adds nothing. */
function lowest(overlay: Overlay): Layer {
  return overlay.isEmpty ? overlay.below : overlay;
}
