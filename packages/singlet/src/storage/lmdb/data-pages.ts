import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { pageBytes } from './data-file.ts';

/*
 * The pages of an LMDB data file, as this driver makes it. Numbers are little-endian.
 *
 *     page    number 8 | transaction 8 | pad 2 | flags 2 | lower 2 | upper 2 | offsets of the nodes 2 each … free … nodes
 *             of an overflow page, lower and upper are one number: how many pages it takes
 *     meta    header 24 | magic 4 | format 4 | address 8 | map size 8 | tree of free pages 48 | tree of entries 48
 *             | last page 8 | transaction 8
 *     tree    pad 4 | flags 2 | depth 2 | branch pages 8 | leaf pages 8 | overflow pages 8 | entries 8 | root 8
 *     node    in a leaf: size of the data 4 | flags 2 | size of the key 2 | key | data,
 *             or (flag 1) first overflow page 8 | transaction 8 | overflow pages 8
 *             in a branch: page 6, in the place of size and flags | size of the key 2 | key
 *
 * Offsets of nodes, `lower` and `upper` count from the end of the header.
 */
export const pageHeaderBytes = 24;
export const magicOffset = 24;
export const magicNumber = 0xbeef_c0de;
export const nodeHeaderBytes = 8;
export const pageFlag = { branch: 1, leaf: 2, overflow: 4, meta: 8 } as const;
/** Flags that describe a page in memory only. */
const momentaryFlags = 0xe000;
export const bigDataFlag = 1;
export const noPage = -1;

export const metaOffset = { freeTree: 48, mainTree: 96, lastPage: 144, transaction: 152 } as const;

/** One of the two trees that a meta page names. */
export interface TreeRoot {
  readonly depth: number;
  readonly branchPages: number;
  readonly leafPages: number;
  readonly overflowPages: number;
  readonly entries: number;
  /** {@link noPage} for an empty tree. */
  readonly root: number;
}

/** The contents of a meta page. */
export interface MetaPage {
  readonly transaction: number;
  readonly lastPage: number;
  readonly pageBytes: number;
  readonly free: TreeRoot;
  readonly main: TreeRoot;
}

/** A data file that is open for reading. It is read, never mapped, so a missing page is an error and not a signal. */
export class DataPages {
  readonly #fd: number;

  constructor(path: string) {
    this.#fd = openSync(path, 'r');
  }

  get pageCount(): number {
    return Math.floor(fstatSync(this.#fd).size / pageBytes);
  }

  /** @returns undefined when the file does not have all of these pages. */
  read(page: number, count = 1): Buffer | undefined {
    const bytes = Buffer.allocUnsafe(count * pageBytes);
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(this.#fd, bytes, length, bytes.length - length, page * pageBytes + length);
      if (read === 0) return undefined;
      length += read;
    }
    return bytes;
  }

  close(): void {
    closeSync(this.#fd);
  }
}

export function flagsOf(page: Buffer): number {
  return page.readUInt16LE(18) & ~momentaryFlags;
}

export function readMeta(page: Buffer): MetaPage {
  return {
    transaction: readNumber(page, metaOffset.transaction),
    lastPage: readNumber(page, metaOffset.lastPage),
    pageBytes: page.readUInt32LE(metaOffset.freeTree),
    free: readTree(page, metaOffset.freeTree),
    main: readTree(page, metaOffset.mainTree),
  };
}

function readTree(page: Buffer, at: number): TreeRoot {
  return {
    depth: page.readUInt16LE(at + 6),
    branchPages: readNumber(page, at + 8),
    leafPages: readNumber(page, at + 16),
    overflowPages: readNumber(page, at + 24),
    entries: readNumber(page, at + 32),
    root: readNumber(page, at + 40),
  };
}

/** Eight bytes; -1 is what LMDB writes for no page. Numbers larger than a file can be are inexact, and not needed. */
export function readNumber(bytes: Buffer, at: number): number {
  return Number(bytes.readBigInt64LE(at));
}

/** The offset of a node in its page. */
export function nodeOffset(page: Buffer, index: number): number {
  return page.readUInt16LE(pageHeaderBytes + 2 * index) + pageHeaderBytes;
}

/** The page that a node of a branch leads to. */
export function childPage(page: Buffer, node: number): number {
  return page.readUIntLE(node, 6);
}

/** How many overflow pages are needed for data of this size that does not fit in a leaf. */
export function overflowPagesOf(dataBytes: number): number {
  return Math.floor((pageHeaderBytes - 1 + dataBytes) / pageBytes) + 1;
}

/** The number of the last transaction in a data file; 0 when there is no data file yet. */
export function lastTransaction(path: string): number {
  if (!existsSync(path)) return 0;
  const pages = new DataPages(path);
  try {
    return lastTransactionIn(pages);
  } finally {
    pages.close();
  }
}

/** The same for a file that is open. */
export function lastTransactionIn(pages: DataPages): number {
  const metas = [0, 1].map((page) => pages.read(page)).filter((page) => page !== undefined);
  return Math.max(0, ...metas.map((page) => readMeta(page).transaction));
}
