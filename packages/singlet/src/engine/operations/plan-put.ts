import type { AttributeMap } from '../../values/attribute-value.ts';
import { itemSizeBytes } from '../../values/item-size.ts';
import type { Limits } from '../../values/limits.ts';
import { checkIndexKeys } from '../indexes/check-index-keys.ts';
import { localEntriesSizeBytes } from '../indexes/index-entry.ts';
import { encodeItem } from '../items/item-codec.ts';
import { describedKeyProblem, type ItemKey, itemKeyOfItem } from '../items/item-key.ts';
import type { ItemChange } from '../items/item-write.ts';
import { RequestRefusedException } from '../items/request-refused.ts';
import type { Table } from '../tables/table.ts';

/**
 * Holds a checked item against its table: the item's size, its key, the keys of indexes, and its size together with its
 * entries in local indexes. PutItem, BatchWriteItem and TransactWriteItems do this alike.
 *
 * @param keyProblem - words a key attribute that is missing or of another type than the table's.
 * @throws {ValidationException}
 */
export function planPut(
  table: Table,
  item: AttributeMap,
  limits: Limits,
  keyProblem: typeof describedKeyProblem = describedKeyProblem,
): { readonly key: ItemKey; readonly change: ItemChange } {
  const sizeBytes = itemSizeBytes(item);
  if (sizeBytes > limits.itemSizeBytesMax) throw itemTooLarge();
  const key = itemKeyOfItem(table, item, keyProblem);
  checkIndexKeys(table, item);
  const encoded = encodeItem(item, sizeBytes);
  if (table.localIndexes.length > 0) {
    const withEntries = sizeBytes + localEntriesSizeBytes(table, encoded, sizeBytes);
    if (withEntries > limits.itemSizeBytesMax) throw itemTooLarge();
  }
  return { key, change: { kind: 'put', item: encoded } };
}

function itemTooLarge(): RequestRefusedException {
  return new RequestRefusedException('Item size has exceeded the maximum allowed size');
}
