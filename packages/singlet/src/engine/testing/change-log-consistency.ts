import type { Store } from '../../storage/store.ts';
import { changeLogBucketCount, decodeHead, itemKeyOfEntry, momentOfEntry } from '../backups/change-log.ts';
import { decodeStoredItem } from '../items/item-codec.ts';
import { itemKeyOfItem } from '../items/item-key.ts';
import type { Table } from '../tables/table.ts';

/**
 * Looks whether the log of a table's changes agrees with itself and the items: each bucket has its head, no entry is later than
 * the head, and each holds the item that it is about, which is not the one that is stored when it is the last.
 *
 * @returns one sentence for each thing that is wrong; none when all agrees, or when no log is on.
 */
export async function findChangeLogInconsistencies(store: Store, table: Table): Promise<readonly string[]> {
  const { changeLog: log } = table;
  if (log === undefined) return [];
  const problems: string[] = [];
  for (let bucket = 0; bucket < changeLogBucketCount; bucket += 1) {
    const head = await store.read([log.headKeys[bucket] as Buffer], ([value]) => value && decodeHead(value));
    if (head === undefined) problems.push(`bucket ${bucket} of the log has no head`);
    const last = new Map<string, Buffer>();
    await store.range(log.entryRange(bucket, { after: 0 }), (key, value) => {
      if (momentOfEntry(key) > (head ?? 0)) problems.push(`an entry is later than the head of bucket ${bucket}`);
      const name = itemKeyOfEntry(key, table.record.itemSpace).toString('latin1');
      if (value.length > 0) {
        const { storeKey } = itemKeyOfItem(table, decodeStoredItem(value).toMap());
        if (storeKey.toString('latin1') !== name) problems.push(`an entry of bucket ${bucket} holds another item`);
      }
      last.set(name, Buffer.from(value));
      return true;
    });
    const names = [...last.keys()];
    const stored = await store.read(
      names.map((name) => Buffer.from(name, 'latin1')),
      (values) => values.map((value) => Buffer.from(value ?? [])),
    );
    names.forEach((name, at) => {
      if (last.get(name)?.equals(stored[at] as Buffer) === true) {
        problems.push(`bucket ${bucket} has logged a change that is not there`);
      }
    });
  }
  return problems;
}
