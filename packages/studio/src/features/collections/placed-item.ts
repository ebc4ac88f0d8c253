import type { AttributeMap } from '../../../../singlet/src/values/attribute-value.ts';
import { entryOf } from '../../effects/write-effects.ts';
import type { PlacedItem } from '../../grid/collection-source.ts';
import { whyNotIn } from '../../grid/index-membership.ts';
import { call, type Exchange } from '../../wire/client.ts';
import { inspect } from '../../wire/inspect.ts';
import { keyNamesOf, type TableDescription, type TableIndex } from '../../wire/table-description.ts';

interface PlaceOptions {
  readonly table: TableDescription;
  readonly index: TableIndex | undefined;
  readonly key: AttributeMap;
  readonly onExchange: (exchange: Exchange) => void;
}

/**
 * An item as a table or index has it, with its position in hash space. Undefined if it is not in there, or if the endpoint does not know
 * positions: the public API cannot tell them.
 */
export async function placedItem({ table, index, key, onExchange }: PlaceOptions): Promise<PlacedItem | undefined> {
  const { TableName } = table;
  const { Item } = await call<{ Item?: AttributeMap }>('GetItem', { TableName, Key: key }, { onExchange });
  if (Item === undefined || (index && whyNotIn(Item, index, table) !== undefined)) return undefined;
  const { partition } = keyNamesOf(index ?? table);
  const query = new URLSearchParams({
    key: JSON.stringify({ [partition]: Item[partition] }),
    ...(index && { index: index.IndexName }),
  });
  try {
    const { fraction } = await inspect<{ readonly fraction: number }>(
      `place/${encodeURIComponent(TableName)}?${query.toString()}`,
      { onExchange },
    );
    return { item: index === undefined ? Item : entryOf(Item, index, table), fraction };
  } catch {
    return undefined; // the strip says that it failed; the item itself is shown beside the rows
  }
}
