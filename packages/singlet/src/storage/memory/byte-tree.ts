import { compareBytes } from '../byte-order.ts';
import { StorageError } from '../storage-error.ts';
import type { StoreWrite } from '../store.ts';
import { type RecordAddress, Records } from './records.ts';

/** Entries of a leaf, and children of a branch. Wide enough for a shallow tree, narrow enough to shift on insert. */
const nodeEntriesMax = 64;

/** A node that a removal leaves smaller than this is merged with a neighbour, or shares its neighbour's entries. */
const nodeEntriesMin = 16;

/** Two neighbours become one up to this size: below the maximum, so that the next insert does not split it again. */
const nodeEntriesMerged = 48;

/** Whole bytes that are always equal when two heads are. */
const headBytes = 6;

/**
 * An ordered map from byte keys to byte values: a B+tree.
 *
 *     branch    children   c0    c1    c2      ci holds the keys from ki-1 (inclusive) to ki (exclusive)
 *               keys          k0    k1
 *     leaf      places     p0  p1  p2 ...      of the keys with their values, in `Records`
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
    return this.#ascend(this.#root, boundOf(from), boundOf(to), visit);
  }

  /** The same entries as `ascend`, highest first. */
  descend(from: Uint8Array, to: Uint8Array, visit: EntryVisitor): boolean {
    return this.#descend(this.#root, boundOf(from), boundOf(to), visit);
  }

  #find(key: Uint8Array): RecordAddress | undefined {
    const head = headOf(key);
    const leaf = this.#leafOf(key, head);
    const found = this.#search(leaf, key, head);
    return found >= 0 ? leaf.places[found] : undefined;
  }

  #leafOf(key: Uint8Array, head: number): Leaf {
    let node = this.#root;
    while (node instanceof Branch) node = at(node.children, childFor(node, key, head));
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
    const head = headOf(key);
    const leaf = this.#leafOf(key, head);
    const found = this.#search(leaf, key, head);
    if (found >= 0) {
      const before = leaf.places[found];
      leaf.places[found] = place;
      return before;
    }
    insertAt(leaf.heads, ~found, head);
    insertAt(leaf.places, ~found, place);
    this.#size += 1;
    if (leaf.places.length <= nodeEntriesMax) return undefined;
    const right = this.#splitTowards(this.#root, key, head);
    if (right !== undefined) this.#root = new Branch([this.#root, right.node], right.key);
    return undefined;
  }

  /** @returns where the key and its value were. */
  #delete(key: Uint8Array): RecordAddress | undefined {
    const head = headOf(key);
    const leaf = this.#leafOf(key, head);
    const found = this.#search(leaf, key, head);
    if (found < 0) return undefined;
    const place = at(leaf.places, found);
    leaf.heads.splice(found, 1);
    leaf.places.splice(found, 1);
    this.#size -= 1;
    if (leaf.places.length < nodeEntriesMin) this.#mergeTowards(this.#root, key, head);
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
  #splitTowards(node: TreeNode, key: Uint8Array, head: number): RightNeighbour | undefined {
    if (node instanceof Leaf) {
      // Keys that arrive in ascending order leave full nodes behind them, not half empty ones.
      const last = node.places.length - 1;
      return this.#splitLeaf(node, this.#search(node, key, head) === last ? last : node.places.length >> 1);
    }
    const index = childFor(node, key, head);
    const right = this.#splitTowards(at(node.children, index), key, head);
    if (right === undefined) return undefined;
    insertKey(node, index, right.key);
    insertAt(node.children, index + 1, right.node);
    return node.children.length > nodeEntriesMax ? splitBranch(node) : undefined;
  }

  #splitLeaf(leaf: Leaf, index: number): RightNeighbour {
    const right = new Leaf(leaf.heads.splice(index), leaf.places.splice(index));
    // A copy, which remains when the record is removed.
    return { key: new Uint8Array(this.#records.key(at(right.places, 0))), node: right };
  }

  /** Merges nodes that are too small, from the place of a key up to `node`. */
  #mergeTowards(node: TreeNode, key: Uint8Array, head: number): void {
    if (node instanceof Leaf) return;
    const index = childFor(node, key, head);
    const child = at(node.children, index);
    this.#mergeTowards(child, key, head);
    if (entryCount(child) < nodeEntriesMin) this.#balance(node, Math.max(0, index - 1));
  }

  /** Merges the children `index` and `index + 1`, or spreads their entries evenly over both. */
  #balance(parent: Branch, index: number): void {
    const joined = joinNodes(at(parent.children, index), at(parent.children, index + 1), at(parent.keys, index));
    removeKey(parent, index);
    if (entryCount(joined) <= nodeEntriesMerged) {
      parent.children.splice(index, 2, joined);
      return;
    }
    const half = joined instanceof Leaf ? this.#splitLeaf(joined, joined.places.length >> 1) : splitBranch(joined);
    insertKey(parent, index, half.key);
    parent.children.splice(index, 2, joined, half.node);
  }

  #ascend(node: TreeNode, from: Bound | undefined, to: Bound | undefined, visit: EntryVisitor): boolean {
    const [first, last] = this.#span(node, from, to);
    if (node instanceof Leaf) {
      for (let index = first; index < last; index += 1) {
        if (!this.#visit(at(node.places, index), visit)) return false;
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

  #descend(node: TreeNode, from: Bound | undefined, to: Bound | undefined, visit: EntryVisitor): boolean {
    const [first, last] = this.#span(node, from, to);
    if (node instanceof Leaf) {
      for (let index = last - 1; index >= first; index -= 1) {
        if (!this.#visit(at(node.places, index), visit)) return false;
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
  #span(node: TreeNode, from: Bound | undefined, to: Bound | undefined): [number, number] {
    if (node instanceof Leaf) {
      return [
        from === undefined ? 0 : position(this.#search(node, from.key, from.head)),
        to === undefined ? node.places.length : position(this.#search(node, to.key, to.head)),
      ];
    }
    return [
      from === undefined ? 0 : childFor(node, from.key, from.head),
      to === undefined ? node.children.length - 1 : childFor(node, to.key, to.head),
    ];
  }

  /** The index of a key in a leaf; if it is missing, the bitwise complement of the index at which it would be. */
  #search({ heads, places }: Leaf, key: Uint8Array, head: number): number {
    let low = 0;
    let high = places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      let order = at(heads, middle) - head;
      if (order === 0) order = this.#records.compareKey(at(places, middle), key, headBytes);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
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

interface Bound {
  readonly key: Uint8Array;
  readonly head: number;
}

type TreeNode = Leaf | Branch;

/**
 * Reading a key touches bytes that are probably not in the processor's cache, at about ten times the cost of the
 * comparison itself. So a node also holds the first bytes of its keys as plain numbers in one array, and these decide
 * almost every step of a binary search.
 */
class Leaf {
  readonly heads: number[];
  readonly places: RecordAddress[];

  constructor(heads: number[] = [], places: RecordAddress[] = []) {
    this.heads = heads;
    this.places = places;
  }
}

class Branch {
  readonly heads: number[] = [];
  readonly keys: Uint8Array[] = [];
  /** One more than `keys`. */
  readonly children: TreeNode[];

  /** @param between - the key between two children, if there are two. */
  constructor(children: TreeNode[], between?: Uint8Array) {
    this.children = children;
    if (between !== undefined) insertKey(this, 0, between);
  }
}

function entryCount(node: TreeNode): number {
  return node instanceof Leaf ? node.places.length : node.children.length;
}

function insertKey(branch: Branch, index: number, key: Uint8Array): void {
  insertAt(branch.heads, index, headOf(key));
  insertAt(branch.keys, index, key);
}

function removeKey(branch: Branch, index: number): void {
  branch.heads.splice(index, 1);
  branch.keys.splice(index, 1);
}

function appendKeys(target: Branch, source: Branch): void {
  target.heads.push(...source.heads);
  target.keys.push(...source.keys);
}

/** Always splits in the middle, so that no branch ever has an only child, which would have no neighbour to merge with. */
function splitBranch(branch: Branch): RightNeighbour {
  const index = branch.children.length >> 1;
  const right = new Branch(branch.children.splice(index));
  right.heads.push(...branch.heads.splice(index));
  right.keys.push(...branch.keys.splice(index));
  branch.heads.pop();
  const key = branch.keys.pop() as Uint8Array; // the one between the halves
  return { key, node: right };
}

/** Joins two neighbours; both are leaves, or both are branches. */
function joinNodes(left: TreeNode, right: TreeNode, between: Uint8Array): TreeNode {
  if (left instanceof Leaf || right instanceof Leaf) {
    const [low, high] = [left as Leaf, right as Leaf];
    return new Leaf(low.heads.concat(high.heads), low.places.concat(high.places));
  }
  const joined = new Branch(left.children.concat(right.children));
  appendKeys(joined, left);
  insertKey(joined, joined.keys.length, between);
  appendKeys(joined, right);
  return joined;
}

/** The index of the child that would hold a key. */
function childFor({ heads, keys }: Branch, key: Uint8Array, head: number): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    let order = at(heads, middle) - head;
    if (order === 0) order = compareBytes(at(keys, middle), key, headBytes);
    if (order <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function position(found: number): number {
  return found >= 0 ? found : ~found;
}

function boundOf(key: Uint8Array): Bound {
  return { key, head: headOf(key) };
}

/**
 * The first 53 bits of a key as a number (all that a double holds exactly): the space and the first 21 bits of the hash.
 * A key that is shorter counts as if zeros followed; it is then equal to longer ones, and the keys themselves decide.
 */
function headOf(key: Uint8Array): number {
  const space = (key[0] ?? 0) * 0x1_00_00_00 + (((key[1] ?? 0) << 16) | ((key[2] ?? 0) << 8) | (key[3] ?? 0));
  const hash = ((key[4] ?? 0) << 13) | ((key[5] ?? 0) << 5) | ((key[6] ?? 0) >> 3);
  return space * 0x20_00_00 + hash;
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
