import { assert } from '../../../values/assert.ts';
import type { FollowedChange, ItemFollower } from '../item-follower.ts';
import type { StoredItem } from '../../layout/stored-item.ts';
import type { Table } from '../../catalog/table.ts';
import { vectorDiscountBytes } from './vector-entry.ts';
import { decodeJournalNumber, encodeJournalChange, journalChangeKey, journalHeadKey } from './vector-journal.ts';

/** Maintains the journals of a table's vector indexes. Their entries are maintained with those of the other indexes. */
export function vectorFollower(table: Table): ItemFollower | undefined {
  return table.writtenVectorIndexes.length === 0 ? undefined : new VectorFollower(table);
}

class VectorFollower implements ItemFollower {
  /** The head of the item's bucket in each journal. */
  readonly keyCount: number;
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
    this.keyCount = table.writtenVectorIndexes.length;
  }

  keyOf(itemKey: Buffer, n: number): Buffer {
    const index = this.#table.writtenVectorIndexes[n];
    assert(index !== undefined, 'there is a journal for each key');
    return journalHeadKey(index, itemKey);
  }

  follow(change: FollowedChange): void {
    change.meteredSizeBytes = Math.max(this.#meteredBytes(change.before), this.#meteredBytes(change.after));
    const { writtenVectorIndexes } = this.#table;
    for (const { index, writes } of change.indexChanges) {
      const n = writtenVectorIndexes.findIndex((one) => one === index);
      const vectorIndex = writtenVectorIndexes[n];
      if (vectorIndex === undefined) continue; // not a vector index
      let number = decodeJournalNumber(change.read(n));
      for (const { key: entryKey } of writes) {
        change.write({
          key: journalChangeKey(vectorIndex, change.key.storeKey, number),
          value: encodeJournalChange(number, entryKey),
        });
        number += 1;
      }
      change.replace(n, encodeJournalChange(number));
    }
  }

  #meteredBytes(item: StoredItem | undefined): number {
    return item === undefined ? 0 : item.sizeBytes - vectorDiscountBytes(this.#table, item.toMap());
  }
}
