import { pageBytes } from './data-file.ts';
import {
  bigDataFlag,
  childPage,
  type DataPages,
  flagsOf,
  type MetaPage,
  nodeHeaderBytes,
  nodeOffset,
  noPage,
  overflowPagesOf,
  pageFlag,
  pageHeaderBytes,
  readMeta,
  readNumber,
  type TreeRoot,
} from './data-pages.ts';

/*
 * Checks the structure of a data file before LMDB does: LMDB trusts what it reads, and ends the process (a signal, or a failed
 * assertion) or leaves entries out when a page is not what it should be.
 *
 * It checks both meta pages; for every page of both trees its number, transaction, kind and bounds, the order of its keys and
 * that they are between the separators of the parent page; the heads of overflow pages; that no page is used twice, or used and
 * free; and the counts of pages and entries against the meta page. It does not check the data of entries.
 *
 * Decision 0042 says why.
 */

/** A part of a data file that cannot be valid. */
export interface PageDamage {
  readonly page: number;
  /** A clause: "its keys are not in order". */
  readonly what: string;
}

export interface PageWalk {
  /** In the order in which they were found; at most {@link damagesMax}. */
  readonly damages: readonly PageDamage[];
  /** The last transaction that the file holds; -1 when its meta pages are damaged. */
  readonly transaction: number;
  readonly pagesRead: number;
  readonly entries: number;
  /** Whether the file ends before the last page that the meta page names, which is fine if the missing pages are free. */
  readonly isShort: boolean;
}

export interface PageWalkOptions {
  /** `branches`: reads meta and branch pages only, a small part of the file. `all`: every page. */
  readonly depth: 'branches' | 'all';
  /** Visits the entries of all leaves that can be read, in order, with views that are valid until it returns. With `all` only. */
  readonly onEntry?: (key: Buffer, value: Buffer) => void;
  /** Called occasionally with the number of pages read so far. */
  readonly onProgress?: (pagesRead: number, pagesTotal: number) => void;
}

/** Most damages that are reported: more would not describe the file better. */
export const damagesMax = 100;

/** No tree of LMDB is deeper. */
const depthMax = 32;
const progressPages = 1024;
/** The file may end before its last pages while these are free. */
const pagesAheadMax = 65_536;

type Visit = (key: Buffer, value: Buffer) => void;
type CompareKeys = (a: Buffer, b: Buffer) => number;

export function walkPages(pages: DataPages, options: PageWalkOptions): PageWalk {
  return new Walk(pages, options).run();
}

class Walk {
  readonly #pages: DataPages;
  readonly #options: PageWalkOptions;
  readonly #damages: PageDamage[] = [];
  /** Pages that a tree holds, by number. */
  #used: Uint8Array = new Uint8Array();
  #pageCount = 0;
  #transaction = -1;
  #lastPage = 0;
  #pagesRead = 0;
  #entries = 0;

  constructor(pages: DataPages, options: PageWalkOptions) {
    this.#pages = pages;
    this.#options = options;
  }

  run(): PageWalk {
    const meta = this.#readMetaPages();
    this.#pageCount = this.#pages.pageCount;
    if (meta !== undefined && meta.lastPage > 2 * this.#pageCount + pagesAheadMax) {
      this.#damaged(meta.transaction % 2, 'its last page is far beyond the end of the file');
    } else if (meta !== undefined) {
      this.#lastPage = meta.lastPage;
      this.#transaction = meta.transaction;
      this.#used = new Uint8Array(meta.lastPage + 1);
      const free: number[] = [];
      this.#walkTree(meta.free, compareTransactions, (key, value) => this.#readFreeList(key, value, free));
      this.#walkTree(meta.main, (a, b) => Buffer.compare(a, b), this.#options.onEntry);
      this.#entries = meta.main.entries;
      for (const page of free) {
        if (this.#used[page] === 1) this.#damaged(page, 'it is both in use and listed as free');
      }
    }
    return {
      damages: this.#damages,
      transaction: this.#transaction,
      pagesRead: this.#pagesRead,
      entries: this.#entries,
      isShort: this.#pageCount <= this.#lastPage,
    };
  }

  #damaged(page: number, what: string): void {
    if (this.#damages.length < damagesMax) this.#damages.push({ page, what });
  }

  /** @returns the newer of the two, if it is usable. */
  #readMetaPages(): MetaPage | undefined {
    const metas: MetaPage[] = [];
    for (const page of [0, 1]) {
      const bytes = this.#read(page, 1);
      if (bytes === undefined) return undefined;
      const meta = readMeta(bytes);
      const problem = metaProblem(meta, page, bytes);
      if (problem === undefined) metas.push(meta);
      else this.#damaged(page, problem);
    }
    const [first, second] = metas;
    if (first === undefined || second === undefined) return undefined;
    const newer = first.transaction > second.transaction ? first : second;
    if (Math.abs(first.transaction - second.transaction) > 1) {
      this.#damaged(newer === first ? 1 : 0, 'it is not of the transaction before the last');
    }
    return newer;
  }

  #read(page: number, count: number): Buffer | undefined {
    const bytes = this.#pages.read(page, count);
    if (bytes === undefined) {
      this.#damaged(page, 'the file ends before it');
      return undefined;
    }
    this.#pagesRead += count;
    if (this.#pagesRead % progressPages < count) this.#options.onProgress?.(this.#pagesRead, this.#pageCount);
    return bytes;
  }

  #walkTree(tree: TreeRoot, compareKeys: CompareKeys, visit: Visit | undefined): void {
    if (tree.root === noPage) return;
    if (tree.depth < 1 || tree.depth > depthMax) {
      this.#damaged(tree.root, `its tree is ${tree.depth} pages deep`);
      return;
    }
    const counted = { branch: 0, leaf: 0, overflow: 0, entries: 0 };
    const before = this.#damages.length;
    const root = { page: tree.root, depth: tree.depth, compareKeys, from: undefined, to: undefined };
    this.#walkPage(root, counted, visit);
    if (this.#options.depth === 'branches' || this.#damages.length > before) return;
    const wrong = (
      [
        ['branch pages', counted.branch, tree.branchPages],
        ['leaf pages', counted.leaf, tree.leafPages],
        ['overflow pages', counted.overflow, tree.overflowPages],
        ['entries', counted.entries, tree.entries],
      ] as const
    ).find(([, found, expected]) => found !== expected);
    if (wrong !== undefined) {
      const [what, found, expected] = wrong;
      this.#damaged(tree.root, `its tree has ${found} ${what}, and the meta page counts ${expected}`);
    }
  }

  #walkPage(place: TreePosition, counted: Counted, visit: Visit | undefined): void {
    const { page, depth } = place;
    if (!this.#use(page, 1)) return;
    const isLeaf = depth === 1;
    if (isLeaf && this.#options.depth === 'branches') {
      if (page >= this.#pageCount) this.#damaged(page, 'the file ends before it');
      return;
    }
    const bytes = this.#read(page, 1);
    if (bytes === undefined) return;
    const problem = pageProblem(bytes, place, isLeaf ? pageFlag.leaf : pageFlag.branch, this.#transaction);
    if (problem !== undefined) {
      this.#damaged(page, problem);
      return;
    }
    if (isLeaf) {
      counted.leaf += 1;
      this.#walkLeaf(bytes, page, counted, visit);
      return;
    }
    counted.branch += 1;
    const count = nodeCount(bytes);
    for (let index = 0; index < count; index += 1) {
      const node = nodeOffset(bytes, index);
      this.#walkPage(
        {
          page: childPage(bytes, node),
          depth: depth - 1,
          compareKeys: place.compareKeys,
          // The first separator of a branch is empty: everything before the second one is in its child.
          from: index === 0 ? place.from : keyOf(bytes, node),
          to: index + 1 < count ? keyOf(bytes, nodeOffset(bytes, index + 1)) : place.to,
        },
        counted,
        visit,
      );
    }
  }

  #walkLeaf(bytes: Buffer, page: number, counted: Counted, visit: Visit | undefined): void {
    for (let index = 0; index < nodeCount(bytes); index += 1) {
      const node = nodeOffset(bytes, index);
      const dataBytes = bytes.readUInt32LE(node);
      const data = node + nodeHeaderBytes + bytes.readUInt16LE(node + 6);
      counted.entries += 1;
      if ((bytes.readUInt16LE(node + 4) & bigDataFlag) === 0) {
        visit?.(keyOf(bytes, node), bytes.subarray(data, data + dataBytes));
        continue;
      }
      const first = readNumber(bytes, data);
      const count = readNumber(bytes, data + overflowCountOffset);
      if (!isOverflowCount(count, dataBytes)) {
        this.#damaged(page, 'one of its entries names too few or too many overflow pages');
        continue;
      }
      counted.overflow += count;
      if (!this.#isOverflow(first, count, page) || visit === undefined) continue;
      const value = this.#read(first, count);
      if (value !== undefined) {
        visit(keyOf(bytes, node), value.subarray(pageHeaderBytes, pageHeaderBytes + dataBytes));
      }
    }
  }

  /** Whether an overflow page is the one that an entry of a leaf names. Only its first page says what it is. */
  #isOverflow(first: number, count: number, leaf: number): boolean {
    if (first + count > this.#lastPage + 1) {
      this.#damaged(leaf, 'one of its entries points beyond the last page');
      return false;
    }
    if (!this.#use(first, count)) return false;
    const bytes = this.#read(first, 1);
    if (bytes === undefined) return false;
    const isSound =
      readNumber(bytes, 0) === first &&
      readNumber(bytes, 8) <= this.#transaction &&
      flagsOf(bytes) === pageFlag.overflow &&
      bytes.readUInt32LE(20) === count;
    if (!isSound) this.#damaged(first, 'it is not the overflow page that an entry names');
    else if (first + count > this.#pageCount) this.#damaged(first, 'the file ends before its last part');
    else return true;
    return false;
  }

  /** @returns false when the page number is invalid, or already used elsewhere. */
  #use(page: number, count: number): boolean {
    for (let at = page; at < page + count; at += 1) {
      if (!Number.isSafeInteger(at) || at < 2 || at > this.#lastPage) {
        this.#damaged(page, 'it is named, and is not a page of the file');
        return false;
      }
      if (this.#used[at] === 1) {
        this.#damaged(at, 'it is in two places');
        return false;
      }
      this.#used[at] = 1;
    }
    return true;
  }

  /**
   * The pages freed by a transaction: a count, then that many numbers. A negative number is the length of a
   * run, whose first page follows. Zeros have no meaning.
   */
  #readFreeList(key: Buffer, value: Buffer, free: number[]): void {
    const count = value.length < 8 ? -1 : readNumber(value, 0);
    if (key.length !== 8 || count < 0 || 8 * (count + 1) > value.length) {
      this.#damaged(0, 'a list of free pages does not have its stated length');
      return;
    }
    for (let index = 1; index <= count; index += 1) {
      const number = readNumber(value, 8 * index);
      if (number === 0) continue;
      const isRun = number < 0;
      if (isRun && index === count) continue;
      if (isRun) index += 1;
      const first = isRun ? readNumber(value, 8 * index) : number;
      const length = isRun ? -number : 1;
      if (first === 0) continue;
      if (first < 2 || length > this.#lastPage || first + length > this.#lastPage + 1) {
        this.#damaged(first, 'it is listed as free, and is not a page of the file');
        return;
      }
      for (let page = first; page < first + length; page += 1) free.push(page);
    }
  }
}

/** Where a page is in its tree. */
interface TreePosition {
  readonly page: number;
  /** 1 for a leaf. */
  readonly depth: number;
  readonly compareKeys: CompareKeys;
  /** Lower (inclusive) and upper (exclusive) bounds of its keys. */
  readonly from: Buffer | undefined;
  readonly to: Buffer | undefined;
}

interface Counted {
  branch: number;
  leaf: number;
  overflow: number;
  entries: number;
}

function metaProblem(meta: MetaPage, page: number, bytes: Buffer): string | undefined {
  if (flagsOf(bytes) !== pageFlag.meta || readNumber(bytes, 0) !== page) return 'it is not a meta page';
  if (meta.pageBytes !== pageBytes) return `it says that pages have ${meta.pageBytes} bytes`;
  if (!isCount(meta.transaction) || (meta.transaction > 1 && meta.transaction % 2 !== page)) {
    return 'its transaction belongs to the other meta page';
  }
  if (!isCount(meta.lastPage) || meta.lastPage < 1) return 'its last page cannot be';
  return undefined;
}

function isCount(number: number): boolean {
  return Number.isSafeInteger(number) && number >= 0 && number < 2 ** 40;
}

/**
 * The keys of the tree of free pages are transaction numbers: compared as bytes, 255 would come after 256. A key of another length
 * is reported when its list is read.
 */
function compareTransactions(a: Buffer, b: Buffer): number {
  return transactionOf(a) - transactionOf(b);
}

function transactionOf(key: Buffer): number {
  return key.length === 8 ? readNumber(key, 0) : -1;
}

function nodeCount(bytes: Buffer): number {
  return bytes.readUInt16LE(20) >> 1;
}

function keyOf(bytes: Buffer, node: number): Buffer {
  const start = node + nodeHeaderBytes;
  return bytes.subarray(start, start + bytes.readUInt16LE(node + 6));
}

/** What is wrong with a branch or leaf by itself, or with its position. */
function pageProblem(bytes: Buffer, place: TreePosition, kind: number, transaction: number): string | undefined {
  if (readNumber(bytes, 0) !== place.page) return `it has the number ${readNumber(bytes, 0)}`;
  if (flagsOf(bytes) !== kind) return `it is not a ${kind === pageFlag.leaf ? 'leaf' : 'branch'} page`;
  const written = readNumber(bytes, 8);
  if (written < 0 || written > transaction) return 'it is of a later transaction than the file';
  const [lower, upper] = [bytes.readUInt16LE(20), bytes.readUInt16LE(22)];
  const room = pageBytes - pageHeaderBytes;
  if (lower % 2 !== 0 || lower > upper || upper > room) return 'its bounds cannot be';
  const count = nodeCount(bytes);
  if (kind === pageFlag.branch && count < 2) return 'it leads to fewer than two pages';
  let nodeBytes = 0;
  let previous: Buffer | undefined;
  for (let index = 0; index < count; index += 1) {
    const node = nodeOffset(bytes, index);
    if (node < upper + pageHeaderBytes || node + nodeHeaderBytes > pageBytes) return 'an entry of it is out of bounds';
    const length = nodeLength(bytes, node, kind);
    if (node + length > pageBytes) return 'an entry of it is out of bounds';
    nodeBytes += length + (length % 2);
    const key = keyOf(bytes, node);
    if (kind === pageFlag.branch && index === 0) continue;
    if (kind === pageFlag.leaf && key.length === 0) return 'an entry of it has no key';
    if (previous !== undefined && place.compareKeys(previous, key) >= 0) return 'its keys are not in order';
    if (place.from !== undefined && place.compareKeys(key, place.from) < 0)
      return 'its keys are before those of its place';
    if (place.to !== undefined && place.compareKeys(key, place.to) >= 0) return 'its keys are after those of its place';
    previous = key;
  }
  return nodeBytes === room - upper ? undefined : 'its entries do not fill its used space';
}

function nodeLength(bytes: Buffer, node: number, kind: number): number {
  const keyBytes = bytes.readUInt16LE(node + 6);
  if (kind === pageFlag.branch) return nodeHeaderBytes + keyBytes;
  const isBig = (bytes.readUInt16LE(node + 4) & bigDataFlag) !== 0;
  return nodeHeaderBytes + keyBytes + (isBig ? overflowReferenceBytes : bytes.readUInt32LE(node));
}

/**
 * A value may have more pages than it needs: one that is written twice in a transaction, and is shorter the second time, keeps
 * its pages.
 */
function isOverflowCount(count: number, dataBytes: number): boolean {
  return isCount(count) && count >= overflowPagesOf(dataBytes);
}

/** First page, transaction and number of pages. */
const overflowReferenceBytes = 24;
const overflowCountOffset = 16;
