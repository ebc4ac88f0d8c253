import type { Table } from '../catalog/table.ts';
import { localEntriesSizeBytes } from '../followers/indexes/index-entry.ts';
import { hashOf, spaceOf, storeKey } from '../layout/spaces.ts';
import type { StoredItem } from '../layout/stored-item.ts';

/** An item collection, identified by one of its items, and the total size of its items and their entries in local indexes. */
export interface CollectionSum {
  readonly itemKey: Buffer;
  readonly sizeBytes: number;
}

/**
 * Adds up item collections from the items of a table in the order of their keys, in which each collection is contiguous.
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

  /** Called after the last item. */
  end(): void {
    if (this.#present !== undefined) this.#ended.push(this.#present);
    this.#present = undefined;
  }

  /** The collections that have ended since the last call. */
  take(): readonly CollectionSum[] {
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }
}

/** The range of store keys of a collection's items. */
export function collectionRange(itemKey: Buffer): { readonly from: Buffer; readonly to: Buffer } {
  const from = storeKey(spaceOf(itemKey), hashOf(itemKey));
  const to = Buffer.from(from);
  let at = to.length - 1;
  while (to[at] === 0xff) to[at--] = 0;
  to[at] = (to[at] ?? 0) + 1; // the carry stops in the bytes of the space at the latest
  return { from, to };
}
