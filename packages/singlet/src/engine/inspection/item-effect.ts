import { typeTag } from '../../values/attribute-value.ts';
import { serviceLimits } from '../../values/limits.ts';
import { isEmptyKeyValue } from '../catalog/item-key.ts';
import { attributesReadBy, type Table, type WrittenIndex } from '../catalog/table.ts';
import { expirySecondsOf } from '../followers/expiry/expiry-index.ts';
import { type IndexEntry, indexEntryOf, partOf } from '../followers/indexes/index-entry.ts';
import type { IndexChange } from '../followers/indexes/index-changes.ts';
import { decodeStoredItem } from '../layout/item-codec.ts';
import { sameItem, type StoredItem } from '../layout/stored-item.ts';
import type { PreviewedWrite } from './preview-capacity.ts';
import type { PreviewStore } from './preview-store.ts';
import type { IndexEffect, ItemEffect } from './write-preview.ts';

/** Bytes of items that one preview shows: a transaction may touch a hundred items of 400 KB, old and new. */
const previewImageBytesMax: number = 4 * 1024 * 1024;

/** The unused part of {@link previewImageBytesMax}. */
export class ImageBudget {
  #bytes = previewImageBytesMax;

  take(...items: readonly (StoredItem | undefined)[]): boolean {
    const bytes = items.reduce((sum, item) => sum + (item?.json.length ?? 0), 0);
    if (bytes > this.#bytes) return false;
    this.#bytes -= bytes;
    return true;
  }
}

/** The effect of one write of a request on its item, and all that follows from it. */
export function itemEffect(
  { write, outcome, tableUnits }: PreviewedWrite,
  store: PreviewStore,
  budget: ImageBudget,
): ItemEffect {
  const { table, key, change } = write;
  const seen = store.seenUnder(key.storeKey);
  const before = seen === undefined ? undefined : decodeStoredItem(key.storeKey, seen);
  // An item whose write is refused, or that is only checked, does not change.
  const after = outcome === undefined || change.kind === 'check' ? before : outcome.after;
  const isChange = outcome !== undefined && change.kind !== 'check';
  const isShown = budget.take(before, after);
  return {
    table: table.tableName,
    key: key.attributes,
    action: change.kind,
    old: isShown ? (before?.toMap() ?? null) : null,
    new: isShown ? (after?.toMap() ?? null) : null,
    oldBytes: before?.sizeBytes ?? 0,
    newBytes: after?.sizeBytes ?? 0,
    ...(!isShown && { imagesOmitted: true as const }),
    indexes: table.writtenIndexes.map((index) =>
      indexEffect({ table, index, itemKey: key.storeKey, before, after, changes: outcome?.indexChanges ?? [] }),
    ),
    stream: isChange ? streamEffect(table, before, after) : null,
    ttl: expiryEffect(table, after),
    collectionBytes: outcome?.collectionSizeBytes ?? null,
    replicas: isChange && !isSame(before, after) ? replicasOf(table) : [],
    writes: tableUnits,
  };
}

function isSame(before: StoredItem | undefined, after: StoredItem | undefined): boolean {
  return before === undefined || after === undefined ? before === after : sameItem(before, after);
}

function streamEffect(
  { record }: Table,
  before: StoredItem | undefined,
  after: StoredItem | undefined,
): ItemEffect['stream'] {
  const view = record.streamSpecification?.streamViewType;
  if (record.stream === undefined || view === undefined || isSame(before, after)) return null;
  return { eventName: before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY', view };
}

function expiryEffect({ expiryIndex }: Table, after: StoredItem | undefined): ItemEffect['ttl'] {
  if (expiryIndex === undefined) return null;
  const seconds = expirySecondsOf(after?.getAttribute(expiryIndex.attributeName));
  return { expiresAtEpochMs: seconds === undefined ? null : seconds * 1000 };
}

function replicasOf({ replication }: Table): readonly string[] {
  if (replication === undefined) return [];
  return replication.record.members
    .filter(({ regionName, state }) => regionName !== replication.region && state === 'active')
    .map(({ regionName }) => regionName);
}

function indexEffect({
  table,
  index,
  itemKey,
  before,
  after,
  changes,
}: {
  readonly table: Table;
  readonly index: WrittenIndex;
  readonly itemKey: Buffer;
  readonly before: StoredItem | undefined;
  readonly after: StoredItem | undefined;
  readonly changes: readonly IndexChange[];
}): IndexEffect {
  const [oldEntry, newEntry] = [before, after].map((item) => item && indexEntryOf(table, index, item, itemKey));
  const change = changes.find((one) => one.index.indexName === index.indexName);
  return {
    name: index.indexName,
    kind: index.kind,
    change: kindOfChange(oldEntry, newEntry, change !== undefined),
    ...(after !== undefined && newEntry === undefined && { reason: reasonFor(index, after) }),
    ...(oldEntry !== undefined && { oldKey: keyOfEntry(table, index, oldEntry) }),
    ...(newEntry !== undefined && { newKey: keyOfEntry(table, index, newEntry) }),
    writes: change?.capacityUnits ?? 0,
    ...(index.kind === 'vector' && { vectorWriteBytes: change?.vectorWriteRequestBytes ?? 0 }),
  };
}

function kindOfChange(
  oldEntry: IndexEntry | undefined,
  newEntry: IndexEntry | undefined,
  isWritten: boolean,
): IndexEffect['change'] {
  if (oldEntry === undefined) return newEntry === undefined ? 'absent' : 'put';
  if (newEntry === undefined) return 'delete';
  if (!oldEntry.key.equals(newEntry.key)) return 'move';
  return isWritten ? 'replace' : 'none';
}

/** The key of an entry in the form of a start key: the index's attributes and the table's. */
function keyOfEntry(table: Table, index: WrittenIndex, { item }: IndexEntry): IndexEffect['oldKey'] & object {
  const names = [...index.keyAttributes, ...table.keyAttributes].map(({ attributeName }) => attributeName);
  return partOf(item, new Set(names));
}

/** Why an item is not in an index. */
function reasonFor(index: WrittenIndex, item: StoredItem): string {
  for (const attributeName of attributesReadBy(index)) {
    const value = item.getAttribute(attributeName);
    if (value === undefined) return `${attributeName} is missing`;
    const declared = index.keyAttributes.find((attribute) => attribute.attributeName === attributeName);
    if (declared === undefined) continue;
    const type = typeTag(value);
    if (type !== declared.attributeType)
      return `${attributeName} is of type ${type}, and a key of ${declared.attributeType}`;
    if (isEmptyKeyValue(value)) return `${attributeName} is empty`;
  }
  const { partitionKeyBytesMax, sortKeyBytesMax } = serviceLimits;
  return `the index key is longer than ${partitionKeyBytesMax} (partition) or ${sortKeyBytesMax} bytes (sort)`;
}
