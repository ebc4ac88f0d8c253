import type { Limits } from '../../values/limits.ts';
import { checkIndexKeys } from '../followers/indexes/check-index-keys.ts';
import { localEntriesSizeBytes, partOf } from '../followers/indexes/index-entry.ts';
import type { EncodedItem } from '../layout/item-codec.ts';
import { describedKeyProblem, type ItemKey, itemKeyOfItem } from '../catalog/item-key.ts';
import type { ItemChange } from '../followers/item-write.ts';
import { RequestRefusedException } from '../catalog/request-refused.ts';
import type { Table } from '../catalog/table.ts';

/**
 * Checks an item against its table: the item's size, its key, the keys of indexes, and its size together with its
 * entries in local indexes. PutItem, BatchWriteItem and TransactWriteItems share this check.
 *
 * @param keyProblem - words the error for a key attribute that is missing or of another type than the table's.
 * @throws {ValidationException}
 */
export function planPut(
  table: Table,
  item: EncodedItem,
  limits: Limits,
  keyProblem: typeof describedKeyProblem = describedKeyProblem,
): { readonly key: ItemKey; readonly change: ItemChange } {
  const { sizeBytes } = item;
  if (sizeBytes > limits.itemSizeBytesMax) throw itemTooLarge();
  // Only the attributes that the table and its indexes use are parsed.
  const keyed = partOf(item, table.keyedNames);
  const key = itemKeyOfItem(table, keyed, keyProblem);
  checkIndexKeys(table, keyed);
  if (table.localIndexes.length > 0) {
    const withEntries = sizeBytes + localEntriesSizeBytes(table, item, sizeBytes);
    if (withEntries > limits.itemSizeBytesMax) throw itemTooLarge();
  }
  return { key, change: { kind: 'put', item } };
}

function itemTooLarge(): RequestRefusedException {
  return new RequestRefusedException('Item size has exceeded the maximum allowed size');
}
