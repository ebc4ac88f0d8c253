import type { Table } from '../catalog/table.ts';
import { localEntriesSizeBytes } from '../followers/indexes/index-entry.ts';
import { hashOf, spaceOf, storeKey } from '../layout/spaces.ts';
import type { StoredItem } from '../layout/stored-item.ts';

/** An item collection, by one of its items, and what its items and their entries in local indexes come to. */
export interface CollectionSum {
  readonly itemKey: Buffer;
  readonly sizeBytes: number;
}

/**
 * Adds up item collections while the items of a table come by, in the order of their keys: those of a collection follow one another.
 *
 * Decision 0090 says how the scrubber uses it.
 */
export class CollectionSums {
  readonly #table: Table;
  #present: CollectionSum | undefined;
  #ended: CollectionSum[] = [];

  constructor(table: Table) {
    this.#table = table;
  }

  add(itemKey: Buffer, item: StoredItem): void {
    const known = this.#present;
    const isSame = known !== undefined && Buffer.compare(hashOf(known.itemKey), hashOf(itemKey)) === 0;
    if (!isSame) this.end();
    const sizeBytes = item.sizeBytes + localEntriesSizeBytes(this.#table, item, item.sizeBytes);
    this.#present = { itemKey, sizeBytes: sizeBytes + (isSame ? known.sizeBytes : 0) };
  }

  /** No further item comes. */
  end(): void {
    if (this.#present !== undefined) this.#ended.push(this.#present);
    this.#present = undefined;
  }

  /** The collections that have ended since this was called last. */
  take(): readonly CollectionSum[] {
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }
}

/** Where the items of a collection are in the store. */
export function collectionRange(itemKey: Buffer): { readonly from: Buffer; readonly to: Buffer } {
  const from = storeKey(spaceOf(itemKey), hashOf(itemKey));
  const to = Buffer.from(from);
  let at = to.length - 1;
  while (to[at] === 0xff) to[at--] = 0;
  to[at] = (to[at] ?? 0) + 1; // in the bytes of the space at the latest
  return { from, to };
}
