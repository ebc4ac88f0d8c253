import { attributeValuesEqual } from '../../../values/compare.ts';
import type { Limits } from '../../../values/limits.ts';
import type { FollowedChange, ItemFollower } from '../item-follower.ts';
import type { EncodedItem } from '../../layout/item-codec.ts';
import { updatedItemTooLarge } from '../item-too-large.ts';
import type { StoredItem } from '../../layout/stored-item.ts';
import type { Table } from '../../catalog/table.ts';
import { checkUpdatedIndexKeys } from './check-index-keys.ts';
import { attributesReadBy } from '../../catalog/table.ts';
import { indexChanges } from './index-changes.ts';
import { indexEntryKey, localEntriesSizeBytes } from './index-entry.ts';

/** Maintains the entries of a table's indexes, and refuses items that cannot be in them. */
export function indexFollower(table: Table): ItemFollower | undefined {
  if (table.writtenIndexes.length === 0) return undefined;
  return table.writtenIndexes.every(({ readable }) => readable)
    ? new IndexFollower(table)
    : new BuiltIndexFollower(table);
}

class IndexFollower implements ItemFollower {
  readonly keyCount = 0;
  protected readonly table: Table;

  constructor(table: Table) {
    this.table = table;
  }

  /** The service limits an item together with its entries in local indexes. */
  checkUpdated(before: StoredItem | undefined, after: EncodedItem, { itemSizeBytesMax }: Limits): void {
    const { sizeBytes } = after;
    if (sizeBytes + localEntriesSizeBytes(this.table, after, sizeBytes) > itemSizeBytesMax) throw updatedItemTooLarge();
    checkUpdatedIndexKeys(this.table, after, changedIndexKeys(this.table, before, after));
  }

  follow(change: FollowedChange): void {
    const { key, before, after } = change;
    const changes = indexChanges(
      this.table,
      key.storeKey,
      before,
      after,
      (entryKey) => change.lookUp(entryKey) !== undefined,
    );
    change.indexChanges = changes;
    for (const { writes } of changes) for (const write of writes) change.write(write);
  }
}

/**
 * While an index is being built, a decision must know whether the old entry of an item already exists. The key of that entry
 * depends on the item.
 */
class BuiltIndexFollower extends IndexFollower {
  keysOfItem(item: StoredItem, itemKey: Buffer): readonly Buffer[] {
    return this.table.writtenIndexes.flatMap((index) =>
      index.readable ? [] : (indexEntryKey(index, item, itemKey) ?? []),
    );
  }
}

/** The index key attributes whose values an update changed: only these can cause a refusal. */
function changedIndexKeys(table: Table, before: StoredItem | undefined, after: StoredItem): ReadonlySet<string> {
  const changed = new Set<string>();
  for (const index of table.writtenIndexes) {
    for (const attributeName of attributesReadBy(index)) {
      const newValue = after.getAttribute(attributeName);
      if (newValue === undefined) continue;
      const oldValue = before?.getAttribute(attributeName);
      if (oldValue === undefined || !attributeValuesEqual(oldValue, newValue)) changed.add(attributeName);
    }
  }
  return changed;
}
