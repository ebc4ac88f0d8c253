import type { Store } from '../../storage/store.ts';
import {
  changeLogBucketCount,
  decodeHead,
  itemKeyOfEntry,
  momentOfEntry,
  OpenChangeLog,
} from '../followers/recovery/recovery-log.ts';
import { copyStoredItem } from '../layout/item-codec.ts';
import { itemKeyOfItem } from '../catalog/item-key.ts';
import type { Table } from '../catalog/table.ts';

/**
 * Checks that the log of a table's changes agrees with itself and the items: each bucket has its head, no entry is later than
 * the head, each entry holds its own item, and the last entry of an item differs from the stored item.
 *
 * @returns one sentence for each inconsistency; none if there is none, or if no log is on.
 */
export async function findChangeLogInconsistencies(store: Store, table: Table): Promise<readonly string[]> {
  const { changeLog } = table.record;
  if (changeLog === undefined) return [];
  const log = new OpenChangeLog(changeLog.space);
  const problems: string[] = [];
  for (let bucket = 0; bucket < changeLogBucketCount; bucket += 1) {
    const head = await store.read([log.headKeys[bucket] as Buffer], ([value]) => value && decodeHead(value));
    if (head === undefined) problems.push(`bucket ${bucket} of the log has no head`);
    const last = new Map<string, Buffer | undefined>();
    await store.range(log.entryRange(bucket, { after: 0 }), (key, value) => {
      if (momentOfEntry(key) > (head ?? 0)) problems.push(`an entry is later than the head of bucket ${bucket}`);
      const name = itemKeyOfEntry(key, table.record.itemSpace).toString('latin1');
      if (value.length > 0) {
        const { storeKey } = itemKeyOfItem(table, copyStoredItem(key, value).toMap());
        if (storeKey.toString('latin1') !== name) problems.push(`an entry of bucket ${bucket} holds another item`);
      }
      last.set(name, value.length === 0 ? undefined : copyStoredItem(key, value).json);
      return true;
    });
    const names = [...last.keys()];
    const itemKeys = names.map((name) => Buffer.from(name, 'latin1'));
    const stored = await store.read(itemKeys, (values) =>
      values.map((value, at) => value && copyStoredItem(itemKeys[at] as Buffer, value).json),
    );
    names.forEach((name, at) => {
      const [before, present] = [last.get(name), stored[at]];
      if (before === undefined ? present === undefined : present?.equals(before) === true) {
        problems.push(`bucket ${bucket} has logged a change that is not there`);
      }
    });
  }
  return problems;
}
