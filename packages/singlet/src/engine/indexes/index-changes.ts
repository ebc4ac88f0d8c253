import type { AttributeMap } from '../../values/attribute-value.ts';
import { attributeValuesEqual } from '../../values/compare.ts';
import { writeCapacityUnits } from '../../values/capacity-units.ts';
import type { StoreWrite } from '../../storage/store.ts';
import type { EncodedItem } from '../items/item-codec.ts';
import type { StoredItem } from '../items/stored-item.ts';
import type { SecondaryIndex, Table } from '../tables/table.ts';
import { type IndexEntry, indexEntryOf } from './index-entry.ts';

/** What a change of an item means for one index that it touches. */
export interface IndexChange {
  readonly index: SecondaryIndex;
  readonly writes: readonly StoreWrite[];
  readonly capacityUnits: number;
  readonly itemCountDelta: number;
  readonly sizeBytesDelta: number;
  /** What it costs by entry: one, or two when an entry moves. */
  readonly charges: readonly IndexCharge[];
}

/** What the change of an index costs in one of its places. */
export interface IndexCharge {
  /** Store key of the entry. */
  readonly key: Buffer;
  /** The entry, with its key attributes. */
  readonly attributes: AttributeMap;
  readonly capacityUnits: number;
  readonly sizeBytesDelta: number;
}

/**
 * The changes of a table's indexes when an item changes from `before` to `after`. An index whose entry stays as it is has
 * no part in the result, and costs nothing.
 *
 * Index writes in a transaction cost what they cost outside of one.
 *
 * @param isPresent - whether the entry of that key is there. Asked only for an index that is being built, where the entry of
 *   an item that is older than the index may be missing still: it was not counted, and is not counted off.
 */
export function indexChanges(
  table: Table,
  itemKey: Uint8Array,
  before: StoredItem | undefined,
  after: EncodedItem | undefined,
  isPresent: (entryKey: Buffer) => boolean,
): readonly IndexChange[] {
  const changes: IndexChange[] = [];
  for (const index of table.writtenIndexes) {
    const oldEntry = presentEntry(index, before && indexEntryOf(table, index, before.toMap(), itemKey), isPresent);
    const newEntry = after && indexEntryOf(table, index, after.map, itemKey, after);
    const change = indexChange(index, oldEntry, newEntry);
    if (change !== undefined) changes.push(change);
  }
  return changes;
}

function presentEntry(
  index: SecondaryIndex,
  entry: IndexEntry | undefined,
  isPresent: (entryKey: Buffer) => boolean,
): IndexEntry | undefined {
  return entry === undefined || index.readable || isPresent(entry.key) ? entry : undefined;
}

function indexChange(
  index: SecondaryIndex,
  oldEntry: IndexEntry | undefined,
  newEntry: IndexEntry | undefined,
): IndexChange | undefined {
  if (oldEntry === undefined) {
    return newEntry && { ...entered(newEntry), index };
  }
  if (newEntry === undefined) {
    return { ...left(oldEntry), index };
  }
  if (!oldEntry.key.equals(newEntry.key)) {
    const [out, into] = [left(oldEntry), entered(newEntry)];
    return {
      index,
      writes: [...out.writes, ...into.writes],
      capacityUnits: out.capacityUnits + into.capacityUnits,
      itemCountDelta: 0,
      sizeBytesDelta: newEntry.sizeBytes - oldEntry.sizeBytes,
      charges: [...out.charges, ...into.charges],
    };
  }
  if (attributeValuesEqual({ M: oldEntry.map }, { M: newEntry.map })) return undefined;
  const capacityUnits = writeCapacityUnits(Math.max(oldEntry.sizeBytes, newEntry.sizeBytes), false);
  const sizeBytesDelta = newEntry.sizeBytes - oldEntry.sizeBytes;
  return {
    index,
    writes: [{ key: newEntry.key, value: newEntry.value }],
    capacityUnits,
    itemCountDelta: 0,
    sizeBytesDelta,
    charges: [{ key: newEntry.key, attributes: newEntry.map, capacityUnits, sizeBytesDelta }],
  };
}

function entered(entry: IndexEntry): Omit<IndexChange, 'index'> {
  const capacityUnits = writeCapacityUnits(entry.sizeBytes, false);
  return {
    writes: [{ key: entry.key, value: entry.value }],
    capacityUnits,
    itemCountDelta: 1,
    sizeBytesDelta: entry.sizeBytes,
    charges: [{ key: entry.key, attributes: entry.map, capacityUnits, sizeBytesDelta: entry.sizeBytes }],
  };
}

function left(entry: IndexEntry): Omit<IndexChange, 'index'> {
  const capacityUnits = writeCapacityUnits(entry.sizeBytes, false);
  return {
    writes: [{ key: entry.key, value: undefined }],
    capacityUnits,
    itemCountDelta: -1,
    sizeBytesDelta: -entry.sizeBytes,
    charges: [{ key: entry.key, attributes: entry.map, capacityUnits, sizeBytesDelta: -entry.sizeBytes }],
  };
}
