import type { AttributeMap } from '../../values/attribute-value.ts';
import type { Store } from '../../storage/store.ts';
import { decodeCollectionSize } from '../followers/collection-size-follower.ts';
import { indexEntryOf, localEntriesSizeBytes } from '../followers/indexes/index-entry.ts';
import { copyStoredItem } from '../layout/item-codec.ts';
import type { StoredItem } from '../layout/stored-item.ts';
import { hashOf, space, spaceStart, storeKey } from '../layout/spaces.ts';
import { decodeStatistics, type SpaceStatistics, statisticsBucketCount, statisticsKey } from '../catalog/statistics.ts';
import type { Table, WrittenIndex } from '../catalog/table.ts';
import { expiryEntry, expirySecondsOf } from '../followers/expiry/expiry-index.ts';
import { findReplicationInconsistencies } from './replication-consistency.ts';
import { findChangeLogInconsistencies } from './change-log-consistency.ts';
import { findStreamProblems } from '../doctor/stream-problems.ts';
import { findJournalInconsistencies, vectorEntriesOf } from './vector-consistency.ts';

/**
 * Checks that the data derived from the items of a table agrees with them: the entries of its indexes and of its expiry
 * index, its counts and sizes, the sizes of its item collections, its stream, its log of changes.
 *
 * @returns one sentence for each inconsistency; none if there is none.
 */
export async function findInconsistencies(store: Store, table: Table): Promise<readonly string[]> {
  const items = await entriesOf(store, table.record.itemSpace);
  const problems: string[] = [];
  const expected = new Map<number, SpaceStatistics>([[table.record.itemSpace, totals(items.values())]]);
  for (const index of table.writtenIndexes) {
    const wanted = new Map<string, string>();
    let sizeBytes = 0;
    for (const [key, item] of items) {
      const entry = indexEntryOf(table, index, item, Buffer.from(key, 'latin1'));
      if (entry === undefined) continue;
      wanted.set(entry.key.toString('latin1'), entryText(entry.item.toMap(), entry.vector));
      sizeBytes += entry.sizeBytes;
    }
    expected.set(index.space, { itemCount: wanted.size, sizeBytes });
    const stored = await indexEntriesOf(store, index);
    for (const [key, found] of stored) {
      const text = wanted.get(key);
      if (text === undefined) problems.push(`${index.indexName} holds an entry of no item: ${found}`);
      else if (text !== found) problems.push(`${index.indexName} holds an old entry: ${found}`);
    }
    if (index.kind === 'vector') problems.push(...(await findJournalInconsistencies(store, index)));
    for (const [key, text] of wanted) if (!stored.has(key)) problems.push(`${index.indexName} lacks the entry ${text}`);
  }
  const counted = await statisticsOf(store, table.record.itemSpace);
  for (const [spaceId, { itemCount, sizeBytes }] of expected) {
    const found = counted.get(spaceId) ?? { itemCount: 0, sizeBytes: 0 };
    if (found.itemCount !== itemCount || found.sizeBytes !== sizeBytes) {
      problems.push(
        `space ${spaceId} counts ${found.itemCount} items of ${found.sizeBytes} bytes and holds ${itemCount} of ${sizeBytes}`,
      );
    }
  }
  if (table.localIndexes.length > 0) problems.push(...(await collectionProblems(store, table, items)));
  problems.push(...(await expiryProblems(store, table, items)));
  problems.push(...(await findStreamProblems(store, table)));
  problems.push(...(await findReplicationInconsistencies(store, table)));
  problems.push(...(await findChangeLogInconsistencies(store, table)));
  return problems;
}

async function expiryProblems(
  store: Store,
  { expiryIndex }: Table,
  items: ReadonlyMap<string, StoredItem>,
): Promise<readonly string[]> {
  if (expiryIndex === undefined) return [];
  const wanted = new Set<string>();
  for (const [key, item] of items) {
    const epochSeconds = expirySecondsOf(item.getAttribute(expiryIndex.attributeName));
    if (epochSeconds === undefined) continue;
    const entry = expiryEntry(expiryIndex, epochSeconds, Buffer.from(key, 'latin1'));
    wanted.add(Buffer.from(entry.key).toString('latin1'));
  }
  const stored = new Set<string>();
  await store.range({ from: spaceStart(expiryIndex.space), to: spaceStart(expiryIndex.space + 1) }, (key) => {
    stored.add(Buffer.from(key).toString('latin1'));
    return true;
  });
  const shown = (key: string): string => Buffer.from(key, 'latin1').toString('hex');
  return [
    ...[...stored].filter((key) => !wanted.has(key)).map((key) => `an expiry entry of no item: ${shown(key)}`),
    ...[...wanted].filter((key) => !stored.has(key)).map((key) => `an expiry entry is missing: ${shown(key)}`),
  ];
}

async function collectionProblems(
  store: Store,
  table: Table,
  items: ReadonlyMap<string, StoredItem>,
): Promise<readonly string[]> {
  const wanted = new Map<string, number>();
  for (const [key, item] of items) {
    const hash = Buffer.from(hashOf(Buffer.from(key, 'latin1'))).toString('latin1');
    const sizeBytes = item.sizeBytes + localEntriesSizeBytes(table, item, item.sizeBytes);
    wanted.set(hash, (wanted.get(hash) ?? 0) + sizeBytes);
  }
  const problems: string[] = [];
  const itemSpace = Buffer.alloc(4);
  itemSpace.writeUInt32BE(table.record.itemSpace);
  for (const [hash, sizeBytes] of wanted) {
    const key = storeKey(space.collectionSizes, Buffer.from(hash, 'latin1'), itemSpace);
    const stored = await store.read([key], ([value]) => decodeCollectionSize(value));
    if (stored !== sizeBytes) problems.push(`a collection counts ${stored} bytes and holds ${sizeBytes}`);
  }
  return problems;
}

/** The entries of an index as texts that can be compared. */
async function indexEntriesOf(store: Store, index: WrittenIndex): Promise<ReadonlyMap<string, string>> {
  if (index.kind === 'vector') {
    const entries = await vectorEntriesOf(store, index);
    return new Map(Array.from(entries, ([key, { item, vector }]) => [key, entryText(item.toMap(), vector)]));
  }
  const entries = await entriesOf(store, index.space);
  return new Map(Array.from(entries, ([key, entry]) => [key, entryText(entry.toMap(), undefined)]));
}

function entryText(map: AttributeMap, vector: Float32Array | undefined): string {
  return vector === undefined ? canonical(map) : `${canonical(map)} ${Array.from(vector).join(' ')}`;
}

async function entriesOf(store: Store, spaceId: number): Promise<Map<string, StoredItem>> {
  const entries = new Map<string, StoredItem>();
  await store.range({ from: spaceStart(spaceId), to: spaceStart(spaceId + 1) }, (key, value) => {
    entries.set(Buffer.from(key).toString('latin1'), copyStoredItem(key, value));
    return true;
  });
  return entries;
}

async function statisticsOf(store: Store, itemSpace: number): Promise<Map<number, SpaceStatistics>> {
  const sum = new Map<number, SpaceStatistics>();
  const keys = Array.from({ length: statisticsBucketCount }, (_, bucket) => statisticsKey(itemSpace, bucket));
  const buckets = await store.read(keys, (values) => values.map((value) => decodeStatistics(value)));
  for (const bucket of buckets) {
    for (const [spaceId, { itemCount, sizeBytes }] of bucket) {
      const known = sum.get(spaceId) ?? { itemCount: 0, sizeBytes: 0 };
      sum.set(spaceId, { itemCount: known.itemCount + itemCount, sizeBytes: known.sizeBytes + sizeBytes });
    }
  }
  return sum;
}

function totals(items: Iterable<StoredItem>): SpaceStatistics {
  let itemCount = 0;
  let sizeBytes = 0;
  for (const item of items) {
    itemCount += 1;
    sizeBytes += item.sizeBytes;
  }
  return { itemCount, sizeBytes };
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
