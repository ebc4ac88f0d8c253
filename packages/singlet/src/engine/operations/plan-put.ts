import type { AttributeMap, UncheckedAttributeMap } from '../../values/attribute-value.ts';
import { checkAttributeMap } from '../../values/check-attribute-value.ts';
import type { ValueCheckLayer } from '../../values/value-check-layer.ts';
import { itemSizeBytes } from '../../values/item-size.ts';
import type { Limits } from '../../values/limits.ts';
import { checkIndexKeys } from '../indexes/check-index-keys.ts';
import { localEntriesSizeBytes, partOf } from '../indexes/index-entry.ts';
import { EncodedItem, encodeItem } from '../items/item-codec.ts';
import { describedKeyProblem, type ItemKey, itemKeyOfItem } from '../items/item-key.ts';
import type { ItemChange } from '../items/item-write.ts';
import { RequestRefusedException } from '../items/request-refused.ts';
import type { Table } from '../tables/table.ts';

/**
 * The item of a request. What was read from the text of the request was checked there.
 *
 * @param layer - as {@link checkAttributeMap}.
 * @throws {ValidationException}
 */
export function checkedItem(
  item: UncheckedAttributeMap | EncodedItem,
  layer?: ValueCheckLayer,
): AttributeMap | EncodedItem {
  return item instanceof EncodedItem ? item : checkAttributeMap(item, layer);
}

/**
 * Holds a checked item against its table: the item's size, its key, the keys of indexes, and its size together with its
 * entries in local indexes. PutItem, BatchWriteItem and TransactWriteItems do this alike.
 *
 * @param keyProblem - words a key attribute that is missing or of another type than the table's.
 * @throws {ValidationException}
 */
export function planPut(
  table: Table,
  item: AttributeMap | EncodedItem,
  limits: Limits,
  keyProblem: typeof describedKeyProblem = describedKeyProblem,
): { readonly key: ItemKey; readonly change: ItemChange } {
  const isEncoded = item instanceof EncodedItem;
  const sizeBytes = isEncoded ? item.sizeBytes : itemSizeBytes(item);
  if (sizeBytes > limits.itemSizeBytesMax) throw itemTooLarge();
  // Of an item that nobody has parsed, only what the table and its indexes look at.
  const keyed = isEncoded ? partOf(item, table.keyedNames) : item;
  const key = itemKeyOfItem(table, keyed, keyProblem);
  checkIndexKeys(table, keyed);
  const encoded = isEncoded ? item : encodeItem(item, sizeBytes);
  if (table.localIndexes.length > 0) {
    const withEntries = sizeBytes + localEntriesSizeBytes(table, encoded, sizeBytes);
    if (withEntries > limits.itemSizeBytesMax) throw itemTooLarge();
  }
  return { key, change: { kind: 'put', item: encoded } };
}

function itemTooLarge(): RequestRefusedException {
  return new RequestRefusedException('Item size has exceeded the maximum allowed size');
}
