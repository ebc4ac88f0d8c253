import type { AttributeMap, AttributeValue } from '../../../singlet/src/values/attribute-value.ts';
import { itemBytes } from '../values/attribute-size.ts';
import { keyText, typedText } from '../values/value-text.ts';
import type { KeyNames } from '../wire/table-description.ts';
import type { Entity } from './entities.ts';

// The rows of the grid, from the loaded items: for each collection a header, then its items, with a line of attribute names where
// the entity changes. Heights are known in advance, so that positions can be computed.

export type Row =
  | { readonly kind: 'collection'; readonly id: string; readonly collection: Collection }
  | { readonly kind: 'names'; readonly id: string; readonly entity: Entity | undefined }
  | { readonly kind: 'item'; readonly id: string; readonly item: AttributeMap; readonly entity: Entity | undefined };

/** The loaded items of one partition key. */
export interface Collection {
  readonly partition: AttributeValue;
  readonly text: string;
  readonly items: number;
  readonly bytes: number;
  readonly mix: readonly { readonly entity: Entity | undefined; readonly items: number }[];
  readonly isFolded: boolean;
  /** Whether more of it may exist before or after the loaded part. */
  readonly isPartial: boolean;
}

export interface RowOptions {
  /** Keys of the table or index that is shown, and those of the table. */
  readonly keys: KeyNames;
  readonly tableKeys: KeyNames;
  readonly entityOf: (item: AttributeMap) => Entity | undefined;
  readonly isFolded: (partition: string) => boolean;
  /** Entities that are shown; all if absent. */
  readonly shown: ReadonlySet<string> | undefined;
  readonly isStart: boolean;
  readonly isEnd: boolean;
  /** Collections whose rest was skipped. */
  readonly skipped: ReadonlySet<string>;
}

export interface RowHeights {
  readonly collection: number;
  readonly names: number;
  readonly item: number;
}

/** An item's key as one text, unique in its table. */
export function itemId(item: AttributeMap, { partition, sort }: KeyNames): string {
  return JSON.stringify([partition, sort].map((name) => (name === undefined ? undefined : item[name])));
}

export function rowsOf(items: readonly AttributeMap[], options: RowOptions): readonly Row[] {
  const rows: Row[] = [];
  for (let from = 0; from < items.length;) {
    const partition = items[from]?.[options.keys.partition];
    if (partition === undefined) break; // every item has the key by which it was found
    const text = keyText(partition);
    let to = from + 1;
    while (to < items.length && keyText(items[to]?.[options.keys.partition]) === text) to += 1;
    addCollection(
      rows,
      items.slice(from, to),
      {
        partition,
        isPartial:
          (from === 0 && !options.isStart) ||
          (to === items.length && !options.isEnd) ||
          options.skipped.has(typedText(partition)),
      },
      options,
    );
    from = to;
  }
  return rows;
}

function addCollection(
  rows: Row[],
  items: readonly AttributeMap[],
  { partition, isPartial }: { readonly partition: AttributeValue; readonly isPartial: boolean },
  { entityOf, isFolded, shown, tableKeys }: RowOptions,
): void {
  const id = typedText(partition);
  const counts = new Map<Entity | undefined, number>();
  let bytes = 0;
  for (const item of items) {
    const entity = entityOf(item);
    counts.set(entity, (counts.get(entity) ?? 0) + 1);
    bytes += itemBytes(item);
  }
  const visible = shown === undefined ? items : items.filter((item) => shown.has(entityOf(item)?.name ?? ''));
  if (visible.length === 0) return;
  const folded = isFolded(id);
  const mix = [...counts].map(([entity, count]) => ({ entity, items: count }));
  const collection = {
    partition,
    text: keyText(partition),
    items: items.length,
    bytes,
    mix,
    isFolded: folded,
    isPartial,
  };
  rows.push({ kind: 'collection', id: `collection ${id}`, collection });
  if (folded) return;
  let last: Entity | undefined | null = null;
  for (const item of visible) {
    const entity = entityOf(item);
    const itemRowId = itemId(item, tableKeys);
    if (entity !== last) rows.push({ kind: 'names', id: `names ${itemRowId}`, entity });
    last = entity;
    rows.push({ kind: 'item', id: itemRowId, item, entity });
  }
}

/** The position of each row; the last number is the total height. */
export function offsetsOf(rows: readonly Row[], heights: RowHeights): Float64Array {
  const offsets = new Float64Array(rows.length + 1);
  for (const [at, row] of rows.entries()) offsets[at + 1] = (offsets[at] ?? 0) + heights[row.kind];
  return offsets;
}

/** The row at a position: the last that begins at or above it. */
export function rowAt(offsets: Float64Array, height: number): number {
  let low = 0;
  let high = Math.max(0, offsets.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= height) low = middle;
    else high = middle - 1;
  }
  return low;
}
