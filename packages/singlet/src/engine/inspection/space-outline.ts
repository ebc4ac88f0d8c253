import type { AttributeMap } from '../../values/attribute-value.ts';
import { ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import { readSizes } from '../catalog/statistics.ts';
import { partOf } from '../followers/indexes/index-entry.ts';
import { copyStoredItem, decodeStoredItem } from '../layout/item-codec.ts';
import { hashOf } from '../layout/spaces.ts';
import type { EngineServices } from '../services.ts';
import {
  type InspectedSpace,
  hashTextAt,
  inspectedSpace,
  keyAtPlace,
  placeCount,
  placeOfHash,
  type Subject,
} from './inspected-space.ts';

/** The distribution of the items of a table, or the entries of an index, in hash space. */
export interface SpaceOutline {
  /** Exact: they are counted with every write. */
  readonly items: number;
  readonly bytes: number;
  /** Whether some of the rows are estimates, because they hold more than an outline reads. */
  readonly isEstimate: boolean;
  /** Parts of hash space of equal width, from low to high. */
  readonly rows: readonly OutlineRow[];
}

export interface OutlineRow {
  /** In hexadecimal; the row ends where the next begins. */
  readonly hashFrom: string;
  readonly items: number;
  readonly bytes: number;
  /** Item collections. */
  readonly collections: number;
  /** Key of the first item; null in an empty row. */
  readonly firstKey: AttributeMap | null;
}

/** The maximum number of rows of an outline. */
const outlineRowsMax = 512;

/** The maximum that one outline reads, over all of its rows: items, and bytes of them. */
const outlineItemsMax = 16_384;
const outlineBytesMax: number = 16 * 1024 * 1024;

/** A row as far as it was read. */
interface ReadRow {
  readonly from: number;
  readonly to: number;
  items: number;
  bytes: number;
  collections: number;
  firstKey: AttributeMap | null;
  isComplete: boolean;
  /** The last place that was read. */
  last: number;
}

/**
 * Counts the contents of each part of hash space: all of it if it is small, otherwise from a sample of each part. The estimates
 * and the counts add up to the exact totals.
 *
 * @param request.rows - from 1 to {@link outlineRowsMax}.
 * @throws {ResourceNotFoundException}
 * @throws {ValidationException}
 */
export async function spaceOutline(
  services: EngineServices,
  request: Subject & { readonly rows: number },
  context: RequestContext,
): Promise<SpaceOutline> {
  const { rows: count } = request;
  if (!Number.isInteger(count) || count < 1 || count > outlineRowsMax) {
    throw new ValidationException(`An outline has from 1 to ${outlineRowsMax} rows.`);
  }
  const inspected = await inspectedSpace(services, request, context);
  const rows: ReadRow[] = [];
  for (let n = 0; n < count; n += 1) {
    rows.push(
      await readRow(services, inspected, { from: (n / count) * placeCount, to: ((n + 1) / count) * placeCount }, count),
    );
    // Other requests run between the rows.
    await services.environment.tasks.pause(0);
  }
  const sizes = await readSizes(services.store, inspected.table.record.itemSpace);
  const { itemCount, sizeBytes } = sizes.get(inspected.space) ?? { itemCount: 0, sizeBytes: 0 };
  return {
    items: itemCount,
    bytes: sizeBytes,
    isEstimate: rows.some(({ isComplete }) => !isComplete),
    rows: estimated(rows, itemCount, sizeBytes),
  };
}

async function readRow(
  { store }: EngineServices,
  { space, keyNames }: InspectedSpace,
  { from, to }: { readonly from: number; readonly to: number },
  rowCount: number,
): Promise<ReadRow> {
  const row: ReadRow = {
    from,
    to,
    items: 0,
    bytes: 0,
    collections: 0,
    firstKey: null,
    isComplete: true,
    last: from,
  };
  const itemsMax = Math.floor(outlineItemsMax / rowCount);
  const bytesMax = outlineBytesMax / rowCount;
  let collection: Buffer | undefined;
  await store.range({ from: keyAtPlace(space, from), to: keyAtPlace(space, to) }, (key, value) => {
    if (row.items >= itemsMax || row.bytes >= bytesMax) {
      row.isComplete = false;
      return false;
    }
    row.firstKey ??= partOf(copyStoredItem(key, value), keyNames);
    row.items += 1;
    row.bytes += decodeStoredItem(key, value).sizeBytes;
    const hash = hashOf(key);
    if (collection === undefined || !collection.equals(hash)) {
      collection = Buffer.from(hash);
      row.collections += 1;
    }
    row.last = placeOfHash(hash);
    return true;
  });
  return row;
}

/** Rows that were not read to their end share the rest of the totals, in proportion to the estimates from their samples. */
function estimated(rows: readonly ReadRow[], itemCount: number, sizeBytes: number): readonly OutlineRow[] {
  const guesses = rows.map((row) => (row.isComplete ? 0 : guessOf(row, itemCount)));
  const guessed = sum(guesses);
  const counted = rows.filter(({ isComplete }) => isComplete);
  const itemsLeft = itemCount - sum(counted.map(({ items }) => items));
  const bytesLeft = sizeBytes - sum(counted.map(({ bytes }) => bytes));
  const weights = rows.map(({ bytes, items }, at) => ((guesses[at] ?? 0) * bytes) / Math.max(1, items));
  const weighed = sum(weights);
  return rows.map((row, at) => {
    const { from, isComplete, firstKey } = row;
    const shown = { hashFrom: hashTextAt(from), firstKey };
    if (isComplete) return { ...shown, items: row.items, bytes: row.bytes, collections: row.collections };
    // Never less than was read.
    const items = Math.max(row.items, Math.round((itemsLeft * (guesses[at] ?? 0)) / guessed));
    const bytes = Math.max(row.bytes, Math.round((bytesLeft * (weights[at] ?? 0)) / weighed));
    const collections = Math.max(row.collections, Math.round((items * row.collections) / row.items));
    return { ...shown, items, bytes, collections };
  });
}

/** Assumes the density of the part that was read for the rest of the row, limited by the total number of items. */
function guessOf({ from, to, items, last }: ReadRow, itemCount: number): number {
  const part = Math.max((last - from) / (to - from), 1e-9);
  return Math.min(items / part, Math.max(items, itemCount));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
