import { compareBytes } from '../byte-order.ts';

/** Entries of a leaf, and children of a branch. Wide enough for a shallow tree, narrow enough to shift on insert. */
const nodeEntriesMax = 64;

/** A node that a removal leaves smaller than this is merged with a neighbour, or shares its neighbour's entries. */
const nodeEntriesMin = 16;

/** Two neighbours become one up to this size: below the maximum, so that the next insert does not split it again. */
const nodeEntriesMerged = 48;

/** Whole bytes that are certainly equal when two heads are. */
const headBytes = 6;

/**
 * An ordered map from byte keys to byte values: a B+tree.
 *
 *     branch    children   c0    c1    c2      ci holds the keys from ki-1 (inclusive) to ki (exclusive)
 *               keys          k0    k1
 *     leaf      keys       k0  k1  k2 ...
 *               values     v0  v1  v2 ...
 *
 * `fork` takes a copy in constant time: both trees then share all nodes, and a tree copies a node the first time it
 * writes to it. Leaves are therefore not linked to each other, and an iteration walks down from the root.
 *
 * Keys and values are kept as they are passed, and handed out as they are kept: who must own them copies them.
 */
export class ByteTree {
  #root: TreeNode;
  #size = 0;
  /** The nodes this tree may write to carry its mark; all others may be shared with a fork. */
  #mark: object = {};

  constructor() {
    this.#root = emptyLeaf(this.#mark);
  }

  get size(): number {
    return this.#size;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const head = headOf(key);
    let node = this.#root;
    while (node.children !== undefined) node = at(node.children, childFor(node, key, head));
    const found = search(node, key, head);
    return found >= 0 ? node.values[found] : undefined;
  }

  /** Sets the value of a key. Where the key exists, the array that is kept as key stays the one it was. */
  set(key: Uint8Array, value: Uint8Array): void {
    const root = this.#writable(this.#root);
    this.#root = root;
    const right = this.#insert(root, { key, value, head: headOf(key) });
    if (right === undefined) return;
    const top = new TreeNode(this.#mark, [], [root, right.node]);
    insertKey(top, 0, right.key);
    this.#root = top;
  }

  /** Removes a key. @returns whether it was there. */
  delete(key: Uint8Array): boolean {
    const root = this.#writable(this.#root);
    this.#root = root;
    const removed = this.#remove(root, key, headOf(key));
    if (root.children?.length === 1) this.#root = at(root.children, 0);
    if (removed) this.#size -= 1;
    return removed;
  }

  /** A tree with the same entries, in constant time. From here on both change independently of each other. */
  fork(): ByteTree {
    const copy = new ByteTree();
    copy.#root = this.#root;
    copy.#size = this.#size;
    this.#mark = {};
    return copy;
  }

  /**
   * Visits the entries from `from` (inclusive) to `to` (exclusive), lowest first, until `visit` returns false. The tree
   * must not change meanwhile.
   *
   * @returns whether the end was reached, that is, `visit` never returned false.
   */
  ascend(from: Uint8Array, to: Uint8Array, visit: EntryVisitor): boolean {
    return ascend(this.#root, boundOf(from), boundOf(to), visit);
  }

  /** The same entries as `ascend`, highest first. */
  descend(from: Uint8Array, to: Uint8Array, visit: EntryVisitor): boolean {
    return descend(this.#root, boundOf(from), boundOf(to), visit);
  }

  #writable(node: TreeNode): TreeNode {
    return node.mark === this.#mark ? node : copyNode(node, this.#mark);
  }

  /** @returns the new right neighbour when the node had to be split. */
  #insert(node: TreeNode, entry: NewEntry): RightNeighbour | undefined {
    if (node.children === undefined) return this.#insertIntoLeaf(node, entry);
    const index = childFor(node, entry.key, entry.head);
    const child = this.#writable(at(node.children, index));
    node.children[index] = child;
    const right = this.#insert(child, entry);
    if (right === undefined) return undefined;
    insertKey(node, index, right.key);
    insertAt(node.children, index + 1, right.node);
    return node.children.length > nodeEntriesMax ? splitBranch(node) : undefined;
  }

  #insertIntoLeaf(leaf: TreeNode, entry: NewEntry): RightNeighbour | undefined {
    const found = search(leaf, entry.key, entry.head);
    if (found >= 0) {
      leaf.values[found] = entry.value;
      return undefined;
    }
    const index = ~found;
    insertKey(leaf, index, entry.key);
    insertAt(leaf.values, index, entry.value);
    this.#size += 1;
    return leaf.keys.length > nodeEntriesMax ? splitLeaf(leaf, index) : undefined;
  }

  #remove(node: TreeNode, key: Uint8Array, head: number): boolean {
    if (node.children === undefined) {
      const found = search(node, key, head);
      if (found < 0) return false;
      removeKey(node, found);
      node.values.splice(found, 1);
      return true;
    }
    const index = childFor(node, key, head);
    const child = this.#writable(at(node.children, index));
    node.children[index] = child;
    const removed = this.#remove(child, key, head);
    if (entryCount(child) < nodeEntriesMin) this.#balance(node, node.children, Math.max(0, index - 1));
    return removed;
  }

  /** Makes one node of the children `index` and `index + 1`, or spreads their entries evenly over both. */
  #balance(parent: TreeNode, children: TreeNode[], index: number): void {
    const left = at(children, index);
    const right = at(children, index + 1);
    const joined = joinNodes(left, right, at(parent.keys, index), this.#mark);
    if (entryCount(joined) <= nodeEntriesMerged) {
      removeKey(parent, index);
      children.splice(index, 2, joined);
      return;
    }
    const half = joined.children === undefined ? splitLeafAt(joined, joined.keys.length >> 1) : splitBranch(joined);
    removeKey(parent, index);
    insertKey(parent, index, half.key);
    children.splice(index, 2, joined, half.node);
  }
}

/** Sees one entry; returns whether to go on. */
export type EntryVisitor = (key: Uint8Array, value: Uint8Array) => boolean;

interface NewEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly head: number;
}

interface RightNeighbour {
  /** Every key of the left node is below it, and every key of `node` is not. */
  readonly key: Uint8Array;
  readonly node: TreeNode;
}

interface Bound {
  readonly key: Uint8Array;
  readonly head: number;
}

/**
 * Looking at a key means following a pointer to bytes that are probably not in the processor's cache, about ten times
 * the cost of the comparison itself. So a node also holds the first bytes of its keys as plain numbers side by side, and
 * these decide almost every step of a binary search.
 */
class TreeNode {
  readonly mark: object;
  readonly heads: number[] = [];
  readonly keys: Uint8Array[] = [];
  readonly values: Uint8Array[];
  /** One more than `keys`. Undefined in a leaf. */
  readonly children: TreeNode[] | undefined;

  constructor(mark: object, values: Uint8Array[], children: TreeNode[] | undefined) {
    this.mark = mark;
    this.values = values;
    this.children = children;
  }
}

function emptyLeaf(mark: object): TreeNode {
  return new TreeNode(mark, [], undefined);
}

function copyNode(node: TreeNode, mark: object): TreeNode {
  const copy = new TreeNode(mark, node.values.slice(), node.children?.slice());
  appendKeys(copy, node, 0, node.keys.length);
  return copy;
}

function entryCount(node: TreeNode): number {
  return node.children === undefined ? node.keys.length : node.children.length;
}

function insertKey(node: TreeNode, index: number, key: Uint8Array): void {
  insertAt(node.heads, index, headOf(key));
  insertAt(node.keys, index, key);
}

function removeKey(node: TreeNode, index: number): void {
  node.heads.splice(index, 1);
  node.keys.splice(index, 1);
}

function appendKeys(target: TreeNode, source: TreeNode, from: number, to: number): void {
  for (let index = from; index < to; index += 1) {
    target.heads.push(at(source.heads, index));
    target.keys.push(at(source.keys, index));
  }
}

function truncateKeys(node: TreeNode, length: number): void {
  node.heads.length = length;
  node.keys.length = length;
}

function splitLeaf(leaf: TreeNode, insertedAt: number): RightNeighbour {
  // Keys that arrive in ascending order leave full nodes behind them, not half empty ones.
  const ascending = insertedAt === leaf.keys.length - 1;
  return splitLeafAt(leaf, ascending ? insertedAt : leaf.keys.length >> 1);
}

function splitLeafAt(leaf: TreeNode, index: number): RightNeighbour {
  const right = new TreeNode(leaf.mark, leaf.values.splice(index), undefined);
  appendKeys(right, leaf, index, leaf.keys.length);
  truncateKeys(leaf, index);
  return { key: at(right.keys, 0), node: right };
}

/** Always in the middle, so that no branch ever has an only child, which would have no neighbour to merge with. */
function splitBranch(branch: TreeNode): RightNeighbour {
  const children = branch.children ?? [];
  const index = children.length >> 1;
  const right = new TreeNode(branch.mark, [], children.splice(index));
  const key = at(branch.keys, index - 1);
  appendKeys(right, branch, index, branch.keys.length);
  truncateKeys(branch, index - 1);
  return { key, node: right };
}

function joinNodes(left: TreeNode, right: TreeNode, between: Uint8Array, mark: object): TreeNode {
  const children = left.children?.concat(right.children ?? []);
  const joined = new TreeNode(mark, left.values.concat(right.values), children);
  appendKeys(joined, left, 0, left.keys.length);
  if (children !== undefined) insertKey(joined, joined.keys.length, between);
  appendKeys(joined, right, 0, right.keys.length);
  return joined;
}

/** The index of a key in a node; if it is not there, the bitwise complement of the index at which it would be. */
function search(node: TreeNode, key: Uint8Array, head: number): number {
  const { heads, keys } = node;
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    let order = at(heads, middle) - head;
    if (order === 0) order = compareBytes(at(keys, middle), key, headBytes);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return ~low;
}

/** The index of the child that holds a key, if anything does. */
function childFor(branch: TreeNode, key: Uint8Array, head: number): number {
  const found = search(branch, key, head);
  return found >= 0 ? found + 1 : ~found;
}

function ascend(node: TreeNode, from: Bound | undefined, to: Bound | undefined, visit: EntryVisitor): boolean {
  const [first, last] = span(node, from, to);
  if (node.children === undefined) {
    for (let index = first; index < last; index += 1) {
      if (!visit(at(node.keys, index), at(node.values, index))) return false;
    }
    return true;
  }
  for (let index = first; index <= last; index += 1) {
    const child = at(node.children, index);
    const lower = index === first ? from : undefined;
    const upper = index === last ? to : undefined;
    if (!ascend(child, lower, upper, visit)) return false;
  }
  return true;
}

function descend(node: TreeNode, from: Bound | undefined, to: Bound | undefined, visit: EntryVisitor): boolean {
  const [first, last] = span(node, from, to);
  if (node.children === undefined) {
    for (let index = last - 1; index >= first; index -= 1) {
      if (!visit(at(node.keys, index), at(node.values, index))) return false;
    }
    return true;
  }
  for (let index = last; index >= first; index -= 1) {
    const child = at(node.children, index);
    const lower = index === first ? from : undefined;
    const upper = index === last ? to : undefined;
    if (!descend(child, lower, upper, visit)) return false;
  }
  return true;
}

/** Where a range starts and ends in a node: entries (end exclusive) of a leaf, children (end inclusive) of a branch. */
function span(node: TreeNode, from: Bound | undefined, to: Bound | undefined): [number, number] {
  if (node.children === undefined) {
    return [
      from === undefined ? 0 : position(search(node, from.key, from.head)),
      to === undefined ? node.keys.length : position(search(node, to.key, to.head)),
    ];
  }
  return [
    from === undefined ? 0 : childFor(node, from.key, from.head),
    to === undefined ? node.children.length - 1 : childFor(node, to.key, to.head),
  ];
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

/** An element that is there by construction. */
function at<T>(array: readonly T[], index: number): T {
  // Every caller derives the index from the array's own length, so the cast states a fact, at no cost.
  return array[index] as T;
}
