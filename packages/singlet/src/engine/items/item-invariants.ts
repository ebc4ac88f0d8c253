import { assert } from '../../values/assert.ts';
import { itemSizeBytes } from '../../values/item-size.ts';
import { itemKeyOfItem } from '../catalog/item-key.ts';
import type { Table } from '../catalog/table.ts';
import { decodeStoredItem, type EncodedItem } from '../layout/item-codec.ts';
import { StoredItem } from '../layout/stored-item.ts';

/*
 * Invariants of an item at the boundary to the store, checked on reads and on writes while invariants are on.
 */

/** For an item that was read: its key attributes match its key, and its size matches its header. */
export function checkItemRead(table: Table, key: Uint8Array, item: StoredItem): void {
  // Not by item.toMap(), which would keep the map, so that later readers would not read the text.
  const map = new StoredItem(item.bytes, item.sizeBytes, undefined, item.start, item.end).toMap();
  assert(itemKeyOfItem(table, map).storeKey.equals(key), 'an item is stored under its own key');
  assert(itemSizeBytes(map) === item.sizeBytes, 'an item is as large as its header says');
}

/** For an item that is about to be written: it can be read back, and then satisfies the invariants. */
export function checkItemWritten(table: Table, key: Buffer, item: EncodedItem): void {
  checkItemRead(table, key, decodeStoredItem(key, item.storedUnder(key)));
}

/** For the entries of a range: each comes after the one before it, in the direction of the range. */
export class OrderCheck {
  readonly #reverse: boolean;
  #last: Buffer | undefined;

  constructor(reverse: boolean) {
    this.#reverse = reverse;
  }

  check(key: Uint8Array): void {
    if (this.#last !== undefined) {
      const order = Buffer.compare(this.#last, key);
      assert(this.#reverse ? order > 0 : order < 0, 'the entries of a range are in order');
    }
    this.#last = Buffer.from(key);
  }
}
