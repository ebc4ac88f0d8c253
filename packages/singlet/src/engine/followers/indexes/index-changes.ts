import type { AttributeMap } from '../../../values/attribute-value.ts';
import { attributeValuesEqual } from '../../../values/compare.ts';
import { writeCapacityUnits } from '../../../values/capacity-units.ts';
import { mayTakeFastPath } from '../../../values/invariants.ts';
import { serviceLimits } from '../../../values/limits.ts';
import type { StoreWrite } from '../../../storage/store.ts';
import type { EncodedItem } from '../../layout/item-codec.ts';
import { sameItem, type StoredItem } from '../../layout/stored-item.ts';
import type { Table, WrittenIndex } from '../../catalog/table.ts';
import { type IndexEntry, indexEntryOf, indexEntryValue, partOf } from './index-entry.ts';

/** The effect of an item's change on one index that it touches. */
export interface IndexChange {
  readonly index: WrittenIndex;
  readonly writes: readonly StoreWrite[];
  /** Empty in a vector index. */
  readonly capacityUnits: number;
  /** The metering of a vector index, instead of units; 0 in all others. */
  readonly vectorWriteRequestBytes: number;
  readonly itemCountDelta: number;
  readonly sizeBytesDelta: number;
  /** The cost by entry: one, or two when an entry moves. */
  readonly charges: readonly IndexCharge[];
}

/** The cost of an index change in one of its places. */
export interface IndexCharge {
  /** Store key of the entry. */
  readonly key: Buffer;
  /** The key attributes of the entry. */
  readonly attributes: AttributeMap;
  readonly capacityUnits: number;
  readonly sizeBytesDelta: number;
}

/**
 * The changes of a table's indexes when an item changes from `before` to `after`. An index whose entry does not change is not
 * in the result, and costs nothing.
 *
 * Index writes in a transaction cost the same as outside of one.
 *
 * Decision 0004 says why.
 *
 * @param isPresent - whether the entry of that key exists. Called only for an index that is being built, where the entry of
 *   an item that is older than the index may still be missing: it was not counted, and is not subtracted.
 */
export function indexChanges(
  table: Table,
  itemKey: Uint8Array,
  before: StoredItem | undefined,
  after: EncodedItem | undefined,
  isPresent: (entryKey: Buffer) => boolean,
): readonly IndexChange[] {
  const changes: IndexChange[] = [];
  // For entries that are the whole item, the answer is the same for all indexes.
  let sameWhole: boolean | undefined;
  const isSame = (oldEntry: IndexEntry, newEntry: IndexEntry): boolean =>
    oldEntry.item === before && newEntry.item === after
      ? (sameWhole ??= sameItem(before, after))
      : sameItem(oldEntry.item, newEntry.item);
  for (const index of table.writtenIndexes) {
    const oldEntry = before && indexEntryOf(table, index, before, itemKey);
    // Fast path of most changes: the entry stays where it is, and its key is not encoded again. It would be the same key
    // (engine/simulation.test.ts).
    const hasSameKey =
      oldEntry !== undefined && after !== undefined && mayTakeFastPath() && sameKey(index, oldEntry.item, after);
    const newEntry = after && indexEntryOf(table, index, after, itemKey, hasSameKey ? oldEntry.key : undefined);
    const change = indexChange(index, presentEntry(index, oldEntry, isPresent), newEntry, isSame);
    if (change !== undefined) changes.push(change);
  }
  return changes;
}

/** Whether an entry keeps its key, as most entries do when an item changes. */
function sameKey({ keyAttributes }: WrittenIndex, before: StoredItem, after: StoredItem): boolean {
  return keyAttributes.every(({ attributeName }) => {
    const [old, next] = [before.getAttribute(attributeName), after.getAttribute(attributeName)];
    return old !== undefined && next !== undefined && attributeValuesEqual(old, next);
  });
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
  isSame: (oldEntry: IndexEntry, newEntry: IndexEntry) => boolean,
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
  if (sameVector(oldEntry, newEntry) && isSame(oldEntry, newEntry)) return undefined;
  return change(index, newEntry, {
    value: indexEntryValue(newEntry),
    meteredBytes: Math.max(oldEntry.sizeBytes, newEntry.sizeBytes),
    itemCountDelta: 0,
    sizeBytesDelta: newEntry.sizeBytes - oldEntry.sizeBytes,
  });
}

/** Compares vectors as 32-bit numbers. */
function sameVector({ vector: old }: IndexEntry, { vector }: IndexEntry): boolean {
  return old === vector || (old !== undefined && vector !== undefined && bytesOf(old).equals(bytesOf(vector)));
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function entered(index: WrittenIndex, entry: IndexEntry): IndexChange {
  const { sizeBytes } = entry;
  const value = indexEntryValue(entry);
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

/** A change in one place of an index. A vector index has no capacity of its own, and no partitions to charge. */
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
    charges:
      index.kind === 'vector'
        ? []
        : [{ key: entry.key, attributes: partOf(entry.item, keyNamesOf(index)), capacityUnits, sizeBytesDelta }],
  };
}

function keyNamesOf({ keyAttributes }: WrittenIndex): readonly string[] {
  return keyAttributes.map(({ attributeName }) => attributeName);
}

function costOf(
  index: WrittenIndex,
  sizeBytes: number,
): Pick<IndexChange, 'capacityUnits' | 'vectorWriteRequestBytes'> {
  return index.kind === 'vector'
    ? { capacityUnits: 0, vectorWriteRequestBytes: Math.max(sizeBytes, serviceLimits.vectorRequestBytesMin) }
    : { capacityUnits: writeCapacityUnits(sizeBytes, false), vectorWriteRequestBytes: 0 };
}
