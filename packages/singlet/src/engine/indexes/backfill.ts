import { decodeStoredItem } from '../layout/item-codec.ts';
import type { EngineServices } from '../services.ts';
import { checkFence } from '../catalog/catalog.ts';
import { walkItems } from '../background/item-walk.ts';
import { onlineIndexIn, withOnlineIndex } from '../schema/online-index.ts';
import type { IndexTarget } from '../tables/purge.ts';
import { StatisticsDelta, statisticsBucket, statisticsKey } from '../catalog/statistics.ts';
import { changeTable } from '../catalog/table-change.ts';
import type { Table, WrittenIndex } from '../catalog/table.ts';
import type { StoreWrite } from '../../storage/store.ts';
import { indexEntryKey, indexEntryOf, indexEntryValue } from '../followers/indexes/index-entry.ts';

/*
 * Fills a global or vector index that was added to a table with items in it.
 *
 * As soon as the table's record says that the index is being built, every write of an item maintains it. The missing entries
 * are those of items that have not been written since. The backfill walks over the items in the order of their keys and puts
 * each missing entry in place, in a decision that reads the item as it is then:
 *
 * - the entry is missing: the item has not been written since, so the entry is added and counted;
 * - the entry exists: a write, or an earlier run, has added and counted it;
 * - the item is gone, or has another entry by now: the write that changed it has updated the index.
 *
 * For correct counts, a write must follow the same rule: while an index is being built, an old entry that does
 * not exist yet has not been counted either, and so must not be subtracted.
 *
 * So a backfill may be interrupted anywhere and started again, and several may run at once. Items whose index key
 * attributes have another type than the index declares, or are empty, are not in the index, as in the service.
 */

/** @returns once the index is complete and active, or no longer has to be filled. */
export async function backfillIndex(services: EngineServices, target: IndexTarget): Promise<void> {
  const isComplete = await walkItems<ExpectedEntry>(services, target, (table) => {
    const index = indexInBackfill(table, target);
    if (index === undefined) return undefined;
    return {
      untilMs: onlineIndexIn(table.record, target.space)?.transition?.untilMs ?? 0,
      pick: (itemKey, value) => {
        const entryKey = indexEntryKey(index, decodeStoredItem(itemKey, value), itemKey);
        return entryKey === undefined ? undefined : { itemKey, entryKey };
      },
      fill: (entries) => fillPage(services, table, index, entries),
    };
  });
  if (!isComplete) return;
  await changeTable(services, target, target.tableName, ({ record }) => {
    const index = onlineIndexIn(record, target.space);
    if (index?.phase !== 'backfilling') return { record };
    const { phase: _done, transition: _ended, ...active } = index;
    return { record: withOnlineIndex(record, active) };
  });
}

/** An item that should have an entry, by its key and that of the entry. */
interface ExpectedEntry {
  readonly itemKey: Buffer;
  readonly entryKey: Buffer;
}

/** @throws {StaleTableError} when the table has changed since it was loaded. */
async function fillPage(
  { store }: EngineServices,
  table: Table,
  index: WrittenIndex,
  entries: readonly ExpectedEntry[],
): Promise<void> {
  const buckets = [...new Set(entries.map(({ itemKey }) => statisticsBucket(itemKey)))];
  const bucketKeys = buckets.map((bucket) => statisticsKey(table.record.itemSpace, bucket));
  const keys = [table.fenceKey, ...bucketKeys, ...entries.flatMap(({ itemKey, entryKey }) => [itemKey, entryKey])];
  await store.write(keys, (values) => {
    checkFence(table, values[0]);
    const writes: StoreWrite[] = [];
    const deltas = new Map(buckets.map((bucket) => [bucket, new StatisticsDelta()]));
    entries.forEach(({ itemKey, entryKey }, at) => {
      const itemValue = values[1 + buckets.length + 2 * at];
      const entryValue = values[1 + buckets.length + 2 * at + 1];
      if (itemValue === undefined || entryValue !== undefined) return;
      const entry = indexEntryOf(table, index, decodeStoredItem(itemKey, itemValue), itemKey);
      if (entry === undefined || !entry.key.equals(entryKey)) return;
      writes.push({ key: entry.key, value: indexEntryValue(entry) });
      deltas.get(statisticsBucket(itemKey))?.add(index.space, 1, entry.sizeBytes);
    });
    buckets.forEach((bucket, at) => {
      const value = deltas.get(bucket)?.applyTo(values[1 + at]);
      const key = bucketKeys[at];
      if (value !== undefined && key !== undefined) writes.push({ key, value });
    });
    return { answer: undefined, writes };
  });
}

function indexInBackfill(table: Table, target: IndexTarget): WrittenIndex | undefined {
  if (onlineIndexIn(table.record, target.space)?.phase !== 'backfilling') return undefined;
  return table.writtenIndexes.find((index) => index.space === target.space);
}
