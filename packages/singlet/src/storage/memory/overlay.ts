import { compareBytes } from '../byte-order.ts';
import type { RangeEnd, RangeRequest, RangeVisitor, StoreValue, StoreWrite } from '../store.ts';
import { ByteTree } from './byte-tree.ts';

/**
 * Entries that do not change any more, beneath the writes of a fork: a tree that is not written to, an overlay, or a store on disk. Both methods
 * answer synchronously, as those of `Store` may.
 */
export interface Layer {
  read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): T;
  range(request: RangeRequest, visit: RangeVisitor): RangeEnd;
}

/** A tree as a layer. */
export class TreeLayer implements Layer {
  readonly #tree: ByteTree;

  constructor(tree: ByteTree) {
    this.#tree = tree;
  }

  read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): T {
    return body(keys.map((key) => this.#tree.get(key)));
  }

  range(request: RangeRequest, visit: RangeVisitor): RangeEnd {
    return visitTree(this.#tree, request, visit);
  }
}

/** Visits a range of a tree, at most `limit` entries. */
export function visitTree(tree: ByteTree, request: RangeRequest, visit: RangeVisitor): RangeEnd {
  const { from, to, reverse = false, limit = Infinity } = request;
  let count = 0;
  const visitCounted: RangeVisitor = (key, value) => {
    count += 1;
    return visit(key, value) && count < limit;
  };
  const ended = reverse ? tree.descend(from, to, visitCounted) : tree.ascend(from, to, visitCounted);
  return ended ? 'end' : 'stopped';
}

/**
 * Writes over a layer that does not change. A removed entry remains as a tombstone that hides the entry beneath.
 *
 * A value in the tree begins with a byte that distinguishes the two.
 */
export class Overlay implements Layer {
  readonly below: Layer;
  readonly #tree: ByteTree = new ByteTree();

  constructor(below: Layer) {
    this.below = below;
  }

  get isEmpty(): boolean {
    return this.#tree.size === 0;
  }

  read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): T {
    const own = keys.map((key) => this.#tree.get(key));
    if (own.every((value) => value !== undefined)) return body(own.map(valueOf));
    // The values beneath are valid only until this callback returns.
    return this.below.read(keys, (values) =>
      body(values.map((value, index) => (own[index] === undefined ? value : valueOf(own[index])))),
    );
  }

  range(request: RangeRequest, visit: RangeVisitor): RangeEnd {
    return new Merge(this.#tree, this.below, request, visit).run();
  }

  write(writes: readonly StoreWrite[]): void {
    this.#tree.write(writes.map(({ key, value }) => ({ key, value: value === undefined ? removedMark : kept(value) })));
  }
}

const removedMark: Uint8Array = Uint8Array.of(0);

function kept(value: Uint8Array): Uint8Array {
  const marked = new Uint8Array(value.length + 1);
  marked[0] = 1;
  marked.set(value, 1);
  return marked;
}

function valueOf(marked: Uint8Array): StoreValue {
  return marked[0] === 0 ? undefined : marked.subarray(1);
}

interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Visits the entries of an overlay and of the layer beneath in one order. */
class Merge {
  readonly #tree: ByteTree;
  readonly #below: Layer;
  readonly #request: RangeRequest;
  readonly #visit: RangeVisitor;
  readonly #isReverse: boolean;
  #left: number;
  #isStopped = false;
  /** The next entry of the overlay. */
  #own: Entry | undefined;

  constructor(tree: ByteTree, below: Layer, request: RangeRequest, visit: RangeVisitor) {
    this.#tree = tree;
    this.#below = below;
    this.#request = request;
    this.#visit = visit;
    this.#isReverse = request.reverse === true;
    this.#left = request.limit ?? Infinity;
  }

  run(): RangeEnd {
    const { from, to } = this.#request;
    this.#own = this.#nextOwn(from, to);
    this.#below.range({ from, to, reverse: this.#isReverse }, (key, value) => {
      this.#ownBefore(key);
      if (this.#isStopped) return false;
      if (this.#own !== undefined && compareBytes(this.#own.key, key) === 0) this.#visitOwn();
      else this.#see(key, value);
      return !this.#isStopped;
    });
    while (this.#own !== undefined && !this.#isStopped) this.#visitOwn();
    return this.#isStopped ? 'stopped' : 'end';
  }

  /** Visits the entries of the overlay that sort before a key of the layer beneath. */
  #ownBefore(key: Uint8Array): void {
    while (this.#own !== undefined && !this.#isStopped) {
      const order = compareBytes(this.#own.key, key);
      if (this.#isReverse ? order <= 0 : order >= 0) return;
      this.#visitOwn();
    }
  }

  #visitOwn(): void {
    const { key, value } = this.#own as Entry; // checked before each call
    const present = valueOf(value);
    if (present !== undefined) this.#see(key, present);
    const { from, to } = this.#request;
    this.#own = this.#isReverse ? this.#nextOwn(from, key) : this.#nextOwn(after(key), to);
  }

  #see(key: Uint8Array, value: Uint8Array): void {
    this.#left -= 1;
    this.#isStopped = !this.#visit(key, value) || this.#left === 0;
  }

  #nextOwn(from: Uint8Array, to: Uint8Array): Entry | undefined {
    let found: Entry | undefined;
    visitTree(this.#tree, { from, to, reverse: this.#isReverse, limit: 1 }, (key, value) => {
      found = { key: key.slice(), value };
      return false;
    });
    return found;
  }
}

/** The smallest key after another. */
function after(key: Uint8Array): Uint8Array {
  const next = new Uint8Array(key.length + 1);
  next.set(key);
  return next;
}
