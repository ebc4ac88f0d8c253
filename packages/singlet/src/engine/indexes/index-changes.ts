import type { AttributeMap } from '../../values/attribute-value.ts';
import { attributeValuesEqual } from '../../values/compare.ts';
import { writeCapacityUnits } from '../../values/capacity-units.ts';
import { serviceLimits } from '../../values/limits.ts';
import type { StoreWrite } from '../../storage/store.ts';
import type { EncodedItem } from '../items/item-codec.ts';
import type { StoredItem } from '../items/stored-item.ts';
import type { Table, WrittenIndex } from '../tables/table.ts';
import { type IndexEntry, indexEntryOf } from './index-entry.ts';

/** What a change of an item means for one index that it touches. */
export interface IndexChange {
  readonly index: WrittenIndex;
  readonly writes: readonly StoreWrite[];
  /** None in a vector index. */
  readonly capacityUnits: number;
  /** What a vector index is metered in instead; 0 in all others. */
  readonly vectorWriteRequestBytes: number;
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
    const newEntry = after && indexEntryOf(table, index, after.toMap(), itemKey, after);
    const change = indexChange(index, oldEntry, newEntry);
    if (change !== undefined) changes.push(change);
  }
  return changes;
}

function presentEntry(
  index: WrittenIndex,
  entry: IndexEntry | undefined,
  isPresent: (entryKey: Buffer) => boolean,
): IndexEntry | undefined {
  return entry === undefined || index.readable || isPresent(entry.key) ? entry : undefined;
}

function indexChange(
  index: WrittenIndex,
  oldEntry: IndexEntry | undefined,
  newEntry: IndexEntry | undefined,
): IndexChange | undefined {
  if (oldEntry === undefined) {
    return newEntry && entered(index, newEntry);
  }
  if (newEntry === undefined) {
    return left(index, oldEntry);
  }
  if (!oldEntry.key.equals(newEntry.key)) {
    const [out, into] = [left(index, oldEntry), entered(index, newEntry)];
    return {
      index,
      writes: [...out.writes, ...into.writes],
      capacityUnits: out.capacityUnits + into.capacityUnits,
      vectorWriteRequestBytes: out.vectorWriteRequestBytes + into.vectorWriteRequestBytes,
      itemCountDelta: 0,
      sizeBytesDelta: newEntry.sizeBytes - oldEntry.sizeBytes,
      charges: [...out.charges, ...into.charges],
    };
  }
  if (isSame(oldEntry, newEntry)) return undefined;
  return change(index, newEntry, {
    value: newEntry.value,
    meteredBytes: Math.max(oldEntry.sizeBytes, newEntry.sizeBytes),
    itemCountDelta: 0,
    sizeBytesDelta: newEntry.sizeBytes - oldEntry.sizeBytes,
  });
}

/** Texts may differ in the order of attributes, and vectors in what 32-bit numbers do not tell apart. */
function isSame(oldEntry: IndexEntry, newEntry: IndexEntry): boolean {
  const sameVector =
    oldEntry.vector === newEntry.vector ||
    (oldEntry.vector !== undefined &&
      newEntry.vector !== undefined &&
      bytesOf(oldEntry.vector).equals(bytesOf(newEntry.vector)));
  return sameVector && attributeValuesEqual({ M: oldEntry.map }, { M: newEntry.map });
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function entered(index: WrittenIndex, entry: IndexEntry): IndexChange {
  const { value, sizeBytes } = entry;
  return change(index, entry, { value, meteredBytes: sizeBytes, itemCountDelta: 1, sizeBytesDelta: sizeBytes });
}

function left(index: WrittenIndex, entry: IndexEntry): IndexChange {
  const { sizeBytes } = entry;
  return change(index, entry, {
    value: undefined,
    meteredBytes: sizeBytes,
    itemCountDelta: -1,
    sizeBytesDelta: -sizeBytes,
  });
}

/** A change in one place of an index. A vector index has no capacity of its own, and no partitions to be charged. */
function change(
  index: WrittenIndex,
  entry: IndexEntry,
  {
    value,
    meteredBytes,
    itemCountDelta,
    sizeBytesDelta,
  }: Pick<IndexChange, 'itemCountDelta' | 'sizeBytesDelta'> & {
    readonly value: Buffer | undefined;
    readonly meteredBytes: number;
  },
): IndexChange {
  const cost = costOf(index, meteredBytes);
  const { capacityUnits } = cost;
  return {
    index,
    writes: [{ key: entry.key, value }],
    ...cost,
    itemCountDelta,
    sizeBytesDelta,
    charges: index.kind === 'vector' ? [] : [{ key: entry.key, attributes: entry.map, capacityUnits, sizeBytesDelta }],
  };
}

function costOf(
  index: WrittenIndex,
  sizeBytes: number,
): Pick<IndexChange, 'capacityUnits' | 'vectorWriteRequestBytes'> {
  return index.kind === 'vector'
    ? { capacityUnits: 0, vectorWriteRequestBytes: Math.max(sizeBytes, serviceLimits.vectorRequestBytesMin) }
    : { capacityUnits: writeCapacityUnits(sizeBytes, false), vectorWriteRequestBytes: 0 };
}
