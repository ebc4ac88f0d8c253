import { assert } from '../../values/assert.ts';
import { itemSizeBytes } from '../../values/item-size.ts';
import { itemKeyOfItem } from '../catalog/item-key.ts';
import type { Table } from '../catalog/table.ts';
import { decodeStoredItem, type EncodedItem } from '../layout/item-codec.ts';
import { StoredItem } from '../layout/stored-item.ts';

/*
 * What must hold of an item wherever it crosses the boundary to the store, checked on both sides while invariants are on.
 */

/** Of an item that was read: it is where its key says, and as large as its header says. */
export function checkItemRead(table: Table, key: Uint8Array, item: StoredItem): void {
  // Not by item.toMap(), which would keep the map, and others then would not read the text.
  const map = new StoredItem(item.bytes, item.sizeBytes, undefined, item.start, item.end).toMap();
  assert(itemKeyOfItem(table, map).storeKey.equals(key), 'an item is stored under its own key');
  assert(itemSizeBytes(map) === item.sizeBytes, 'an item is as large as its header says');
}

/** Of an item that is going to be written: it can be read back, and holds then. */
export function checkItemWritten(table: Table, key: Buffer, item: EncodedItem): void {
  checkItemRead(table, key, decodeStoredItem(key, item.storedUnder(key)));
}

/** Of the entries of a range: each comes after the one before it, in the direction of the range. */
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
