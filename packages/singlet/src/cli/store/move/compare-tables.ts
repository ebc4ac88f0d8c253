import { type Item, itemsAt, keyOf, type PlacedTable, scanTable, textOf } from './table-items.ts';

/** What differs between two tables, by key. */
export interface TableDifference {
  /** In the source only. */
  readonly missing: readonly Item[];
  /** In the target only. */
  readonly extra: readonly Item[];
  /** In both, with other attributes. */
  readonly different: readonly Item[];
  /** How many items of the source were compared. */
  readonly comparedCount: number;
  /** Whether there are more differences than the lists hold. */
  readonly isCut: boolean;
}

/** Most keys in all the lists together. */
const differencesMax = 100_000;

/**
 * Compares every item of two tables, whatever the order of their scans. Each page of one table is read from the other by its keys, so that no
 * table has to fit into memory. The result is valid only if nothing is written meanwhile.
 */
export async function compareTables(
  source: PlacedTable,
  target: PlacedTable,
  segments: number,
  onPage: (itemCount: number) => void = () => undefined,
): Promise<TableDifference> {
  const missing: Item[] = [];
  const extra: Item[] = [];
  const different: Item[] = [];
  let comparedCount = 0;
  let isCut = false;
  const note = (list: Item[], key: Item): void => {
    if (missing.length + extra.length + different.length < differencesMax) list.push(key);
    else isCut = true;
  };
  await scanTable(source, segments, async (items) => {
    const there = await itemsByKey(target, items);
    for (const item of items) {
      const key = keyOf(source, item);
      const other = there.get(textOf(key));
      if (other === undefined) note(missing, key);
      else if (textOf(other) !== textOf(item)) note(different, key);
    }
    comparedCount += items.length;
    onPage(items.length);
  });
  await scanTable(target, segments, async (items) => {
    const there = await itemsByKey(source, items);
    for (const item of items) {
      const key = keyOf(source, item);
      if (!there.has(textOf(key))) note(extra, key);
    }
    onPage(items.length);
  });
  return { missing, extra, different, comparedCount, isCut };
}

async function itemsByKey(table: PlacedTable, items: readonly Item[]): Promise<ReadonlyMap<string, Item>> {
  const keys = items.map((item) => keyOf(table, item));
  return new Map((await itemsAt(table, keys)).map((item) => [textOf(keyOf(table, item)), item]));
}
