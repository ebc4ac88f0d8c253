import { compareBytes } from '../byte-order.ts';
import { StorageError } from '../storage-error.ts';
import type { StoreWrite } from '../store.ts';
import { headBytes, headOf, orderByPrefix, sharedLength } from './key-heads.ts';
import { type RecordAddress, Records } from './records.ts';

/** Entries of a leaf, and children of a branch. Wide enough for a shallow tree, narrow enough to shift on insert. */
const nodeEntriesMax = 64;

/** A node that a removal leaves smaller than this is merged with a neighbour, or shares its neighbour's entries. */
const nodeEntriesMin = 16;

const noBytes = new Uint8Array(0);

/** Two neighbours become one up to this size: below the maximum, so that the next insert does not split it again. */
const nodeEntriesMerged = 48;

/**
 * An ordered map from byte keys to byte values: a B+tree.
 *
 *     branch    children   c0    c1    c2      ci holds the keys from ki-1 (inclusive) to ki (exclusive)
 *               keys          k0    k1
 *     leaf      places     p0  p1  p2 ...      of the keys with their values, in `Records`
 *
 * A node also has the bytes with which all of its keys begin, once, and the next bytes of each key as a number: see
 * {@link HeadedKeys}.
 *
 * Leaves are not linked to each other: an iteration walks down from the root. Input is copied. Views that were returned do not change,
 * whatever is written later.
 */
export class ByteTree {
  #root: TreeNode = new Leaf();
  readonly #records = new Records();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const place = this.#find(key);
    return place === undefined ? undefined : this.#records.value(place);
  }

  /**
   * Sets the values of keys, and removes those without one. A key appears at most once.
   *
   * @throws {StorageError} `'io'` when out of memory. Nothing has changed then.
   */
  write(writes: readonly StoreWrite[]): void {
    const places = this.#addAll(writes);
    for (let index = 0; index < writes.length; index += 1) {
      const { key } = writes[index] as StoreWrite; // within the bounds
      const place = places[index];
      const before = place === undefined ? this.#delete(key) : this.#set(key, place);
      if (before !== undefined) this.#records.remove(before);
    }
    this.#tidy();
  }

  /**
   * Visits the entries from `from` (inclusive) to `to` (exclusive), lowest first, until `visit` returns false. The tree
   * must not change during the visit.
   *
   * @returns whether the end was reached, that is, `visit` never returned false.
   */
  ascend(from: Uint8Array, to: Uint8Array, visit: EntryVisitor): boolean {
    return this.#ascend(this.#root, from, to, visit);
  }

  /** The same entries as `ascend`, highest first. */
  descend(from: Uint8Array, to: Uint8Array, visit: EntryVisitor): boolean {
    return this.#descend(this.#root, from, to, visit);
  }

  #find(key: Uint8Array): RecordAddress | undefined {
    const leaf = this.#leafOf(key);
    const found = this.#search(leaf, key);
    return found >= 0 ? leaf.places[found] : undefined;
  }

  #leafOf(key: Uint8Array): Leaf {
    let node = this.#root;
    while (node instanceof Branch) node = node.children[childFor(node, key)] as TreeNode; // one of them
    return node;
  }

  /** Adds all records, or none. */
  #addAll(writes: readonly StoreWrite[]): readonly (RecordAddress | undefined)[] {
    const places: (RecordAddress | undefined)[] = [];
    try {
      for (const { key, value } of writes) places.push(value && this.#records.add(key, value));
    } catch (error) {
      for (const place of places) {
        if (place !== undefined) this.#records.remove(place);
      }
      throw error;
    }
    return places;
  }

  /** @returns where the key and its value were before. */
  #set(key: Uint8Array, place: RecordAddress): RecordAddress | undefined {
    const leaf = this.#leafOf(key);
    const found = this.#search(leaf, key);
    if (found >= 0) {
      const before = leaf.places[found];
      leaf.places[found] = place;
      return before;
    }
    this.#widen(leaf, key);
    insertAt(leaf.heads, ~found, headOf(key, leaf.prefix.length));
    insertAt(leaf.places, ~found, place);
    this.#size += 1;
    if (leaf.places.length <= nodeEntriesMax) return undefined;
    const right = this.#splitTowards(this.#root, key);
    if (right !== undefined) this.#root = new Branch([this.#root, right.node], [right.key]);
    return undefined;
  }

  /** @returns where the key and its value were. */
  #delete(key: Uint8Array): RecordAddress | undefined {
    const leaf = this.#leafOf(key);
    const found = this.#search(leaf, key);
    if (found < 0) return undefined;
    const place = at(leaf.places, found);
    leaf.heads.splice(found, 1);
    leaf.places.splice(found, 1);
    this.#size -= 1;
    if (leaf.places.length < nodeEntriesMin) this.#mergeTowards(this.#root, key);
    if (this.#root instanceof Branch && this.#root.children.length === 1) this.#root = at(this.#root.children, 0);
    return place;
  }

  /** When there is no memory to move records to, they stay where they are. */
  #tidy(): void {
    try {
      this.#records.tidy((from, to) => this.#set(this.#records.key(from), to));
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
    }
  }

  /** Splits the leaf of a key, then every ancestor that this makes too large. @returns a new right neighbour of `node`. */
  #splitTowards(node: TreeNode, key: Uint8Array): RightNeighbour | undefined {
    if (node instanceof Leaf) {
      // Keys that arrive in ascending order leave full nodes behind them, not half empty ones.
      const last = node.places.length - 1;
      return this.#splitLeaf(node, this.#search(node, key) === last ? last : node.places.length >> 1);
    }
    const index = childFor(node, key);
    const right = this.#splitTowards(at(node.children, index), key);
    if (right === undefined) return undefined;
    node.insertKey(index, right.key);
    insertAt(node.children, index + 1, right.node);
    return node.children.length > nodeEntriesMax ? splitBranch(node) : undefined;
  }

  #splitLeaf(leaf: Leaf, index: number): RightNeighbour {
    const right = new Leaf(leaf.places.splice(index));
    this.#narrow(leaf);
    this.#narrow(right);
    // A copy, which remains when the record is removed.
    return { key: new Uint8Array(this.#records.key(at(right.places, 0))), node: right };
  }

  /** Makes the prefix of a leaf one that a key to be inserted has, too. */
  #widen(leaf: Leaf, key: Uint8Array): void {
    const shared = sharedLength(leaf.prefix, key);
    if (shared < leaf.prefix.length) this.#setPrefix(leaf, leaf.prefix.subarray(0, shared));
  }

  /** Makes the prefix of a leaf as long as its keys allow. They are sorted, so what the first and the last share, all have. */
  #narrow(leaf: Leaf): void {
    const first = this.#records.key(at(leaf.places, 0));
    const last = this.#records.key(at(leaf.places, leaf.places.length - 1));
    this.#setPrefix(leaf, first.slice(0, sharedLength(first, last)));
  }

  #setPrefix(leaf: Leaf, prefix: Uint8Array): void {
    leaf.prefix = prefix;
    leaf.heads = leaf.places.map((place) => this.#records.headOf(place, prefix.length));
  }

  /** Merges nodes that are too small, from the place of a key up to `node`. */
  #mergeTowards(node: TreeNode, key: Uint8Array): void {
    if (node instanceof Leaf) return;
    const index = childFor(node, key);
    const child = at(node.children, index);
    this.#mergeTowards(child, key);
    if (entryCount(child) < nodeEntriesMin) this.#balance(node, Math.max(0, index - 1));
  }

  /** Merges the children `index` and `index + 1`, or spreads their entries evenly over both. */
  #balance(parent: Branch, index: number): void {
    const joined = joinNodes(at(parent.children, index), at(parent.children, index + 1), at(parent.keys, index));
    parent.removeKey(index);
    if (entryCount(joined) <= nodeEntriesMerged) {
      if (joined instanceof Leaf) this.#narrow(joined);
      parent.children.splice(index, 2, joined);
      return;
    }
    const half = joined instanceof Leaf ? this.#splitLeaf(joined, joined.places.length >> 1) : splitBranch(joined);
    parent.insertKey(index, half.key);
    parent.children.splice(index, 2, joined, half.node);
  }

  #ascend(node: TreeNode, from: Uint8Array | undefined, to: Uint8Array | undefined, visit: EntryVisitor): boolean {
    const [first, last] = this.#span(node, from, to);
    if (node instanceof Leaf) {
      for (let index = first; index < last; index += 1) {
        if (!this.#visit(node.places[index] as RecordAddress, visit)) return false; // within its span
      }
      return true;
    }
    for (let index = first; index <= last; index += 1) {
      const lower = index === first ? from : undefined;
      const upper = index === last ? to : undefined;
      if (!this.#ascend(at(node.children, index), lower, upper, visit)) return false;
    }
    return true;
  }

  #descend(node: TreeNode, from: Uint8Array | undefined, to: Uint8Array | undefined, visit: EntryVisitor): boolean {
    const [first, last] = this.#span(node, from, to);
    if (node instanceof Leaf) {
      for (let index = last - 1; index >= first; index -= 1) {
        if (!this.#visit(node.places[index] as RecordAddress, visit)) return false; // within its span
      }
      return true;
    }
    for (let index = last; index >= first; index -= 1) {
      const lower = index === first ? from : undefined;
      const upper = index === last ? to : undefined;
      if (!this.#descend(at(node.children, index), lower, upper, visit)) return false;
    }
    return true;
  }

  #visit(place: RecordAddress, visit: EntryVisitor): boolean {
    return visit(this.#records.key(place), this.#records.value(place));
  }

  /** Where a range starts and ends in a node: entries (end exclusive) of a leaf, children (end inclusive) of a branch. */
  #span(node: TreeNode, from: Uint8Array | undefined, to: Uint8Array | undefined): [number, number] {
    if (node instanceof Leaf) {
      return [
        from === undefined ? 0 : position(this.#search(node, from)),
        to === undefined ? node.places.length : position(this.#search(node, to)),
      ];
    }
    return [
      from === undefined ? 0 : childFor(node, from),
      to === undefined ? node.children.length - 1 : childFor(node, to),
    ];
  }

  /** The index of a key in a leaf; if it is missing, the bitwise complement of the index at which it would be. */
  #search({ prefix, heads, places }: Leaf, key: Uint8Array): number {
    const order = orderByPrefix(key, prefix);
    if (order !== 0) return order < 0 ? ~0 : ~places.length;
    const head = headOf(key, prefix.length);
    let low = 0;
    let high = places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      // Within the arrays; not by `at`, which V8 does not specialize, since many callers give it arrays of many kinds.
      let difference = (heads[middle] as number) - head;
      if (difference === 0) {
        difference = this.#records.compareKey(places[middle] as RecordAddress, key, prefix.length + headBytes);
        if (difference === 0) return middle;
      }
      if (difference < 0) low = middle + 1;
      else high = middle;
    }
    return ~low;
  }
}

/** Sees one entry; returns whether to continue. */
export type EntryVisitor = (key: Uint8Array, value: Uint8Array) => boolean;

interface RightNeighbour {
  /** Every key of the left node is below it, and every key of `node` is not. */
  readonly key: Uint8Array;
  readonly node: TreeNode;
}

type TreeNode = Leaf | Branch;

/**
 * Reading a key touches bytes that are probably not in the processor's cache, at about ten times the cost of the
 * comparison itself. So a node has the bytes with which all of its keys begin (the keys of one partition share its space, its
 * hash, and mostly the beginning of their sort keys), and of each key a number made of the bytes after those. The numbers
 * are in one array, and decide almost every step of a binary search.
 */
interface HeadedKeys {
  /** The first bytes of every key of the node; a copy. Not always all that they share. */
  prefix: Uint8Array;
  /** `headOf` each key, after the prefix. */
  heads: number[];
}

class Leaf implements HeadedKeys {
  prefix: Uint8Array = noBytes;
  heads: number[] = [];
  readonly places: RecordAddress[];

  /** With places, the caller sets the prefix and the heads. */
  constructor(places: RecordAddress[] = []) {
    this.places = places;
  }
}

class Branch implements HeadedKeys {
  prefix: Uint8Array = noBytes;
  heads: number[] = [];
  readonly keys: Uint8Array[];
  /** One more than `keys`. */
  readonly children: TreeNode[];

  /** @param keys - those between the children. */
  constructor(children: TreeNode[], keys: Uint8Array[]) {
    this.children = children;
    this.keys = keys;
    this.narrow();
  }

  insertKey(index: number, key: Uint8Array): void {
    const shared = sharedLength(this.prefix, key);
    if (shared < this.prefix.length) this.#setPrefix(this.prefix.subarray(0, shared));
    insertAt(this.heads, index, headOf(key, this.prefix.length));
    insertAt(this.keys, index, key);
  }

  removeKey(index: number): void {
    this.heads.splice(index, 1);
    this.keys.splice(index, 1);
  }

  /** Makes the prefix as long as the keys allow. */
  narrow(): void {
    const { keys } = this;
    if (keys.length > 0) this.#setPrefix(at(keys, 0).slice(0, sharedLength(at(keys, 0), at(keys, keys.length - 1))));
  }

  #setPrefix(prefix: Uint8Array): void {
    this.prefix = prefix;
    this.heads = this.keys.map((key) => headOf(key, prefix.length));
  }
}

function entryCount(node: TreeNode): number {
  return node instanceof Leaf ? node.places.length : node.children.length;
}

/** Always splits in the middle, so that no branch ever has an only child, which would have no neighbour to merge with. */
function splitBranch(branch: Branch): RightNeighbour {
  const index = branch.children.length >> 1;
  const right = new Branch(branch.children.splice(index), branch.keys.splice(index));
  const key = branch.keys.pop() as Uint8Array; // the one between the halves
  branch.narrow();
  return { key, node: right };
}

/** Joins two neighbours; both are leaves, or both are branches. The caller sets the prefix of a leaf. */
function joinNodes(left: TreeNode, right: TreeNode, between: Uint8Array): TreeNode {
  if (left instanceof Leaf || right instanceof Leaf) {
    return new Leaf((left as Leaf).places.concat((right as Leaf).places));
  }
  return new Branch(left.children.concat(right.children), [...left.keys, between, ...right.keys]);
}

/** The index of the child that would hold a key. */
function childFor({ prefix, heads, keys }: Branch, key: Uint8Array): number {
  const order = orderByPrefix(key, prefix);
  if (order !== 0) return order < 0 ? 0 : keys.length;
  const head = headOf(key, prefix.length);
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    let difference = (heads[middle] as number) - head; // within the arrays
    if (difference === 0) difference = compareBytes(keys[middle] as Uint8Array, key, prefix.length + headBytes);
    if (difference <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function position(found: number): number {
  return found >= 0 ? found : ~found;
}

/** Inserts by shifting: measured faster than `splice` and `copyWithin` for arrays as short as a node's. */
function insertAt<T>(array: T[], index: number, element: T): void {
  array.push(element);
  for (let place = array.length - 1; place > index; place -= 1) array[place] = at(array, place - 1);
  array[index] = element;
}

/** An element that exists by construction. */
function at<T>(array: readonly T[], index: number): T {
  // Every caller derives the index from the array's own length, so the cast states a fact, at no cost.
  return array[index] as T;
}
