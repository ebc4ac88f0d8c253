import { CallerGuard, assertKey } from '../caller-checks.ts';
import { StorageError } from '../storage-error.ts';
import type { Decision, RangeEnd, RangeRequest, RangeVisitor, Store, StoreManifest, StoreValue } from '../store.ts';
import { ByteTree } from './byte-tree.ts';

const manifest: StoreManifest = { name: 'memory', durability: 'none', multiProcess: false, keyBytesMax: 4_000 };

/**
 * Opens an empty store in the memory of this process. Nothing outlives `close`.
 *
 * Every call runs to its end before it returns, a decision included: calls never wait for each other, and a promise is
 * settled when it is handed out.
 */
export function openMemoryStore(): Store {
  return new MemoryStore();
}

class MemoryStore implements Store {
  readonly manifest: StoreManifest = manifest;
  readonly #guard = new CallerGuard();
  #tree: ByteTree | undefined = new ByteTree();

  read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): T {
    const tree = this.#open();
    return this.#guard.run(body, readAll(tree, keys));
  }

  range(request: RangeRequest, visit: RangeVisitor): RangeEnd {
    const tree = this.#open();
    return this.#guard.run((range) => visitRange(tree, range, visit), request);
  }

  async write<T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>): Promise<T> {
    const tree = this.#open();
    const { answer, writes } = this.#guard.run(decide, readAll(tree, keys));
    for (const { key } of writes) assertKey(key, manifest.keyBytesMax);
    tree.write(writes);
    return answer;
  }

  async close(): Promise<void> {
    this.#guard.assertOutside();
    this.#tree = undefined;
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

function visitRange(tree: ByteTree, request: RangeRequest, visit: RangeVisitor): RangeEnd {
  const { from, to, reverse = false, limit = Infinity } = request;
  let count = 0;
  const visitCounted: RangeVisitor = (key, value) => {
    count += 1;
    return visit(key, value) && count < limit;
  };
  const ended = reverse ? tree.descend(from, to, visitCounted) : tree.ascend(from, to, visitCounted);
  return ended ? 'end' : 'stopped';
}
