import type { StoreWrite } from '../../storage/store.ts';
import { listJobs } from '../backups/backup-job.ts';
import { RecordCodec } from '../layout/record-codec.ts';
import { hashOf, space, spaceStart, storeKey } from '../layout/spaces.ts';
import type { CatalogServices } from '../catalog/catalog-services.ts';
import { pauseUntil, takeTurn } from '../background/background-pace.ts';
import { statisticsKeys, withoutSpace } from '../catalog/statistics.ts';
import { onlineIndexIn, withoutOnlineIndex } from '../schema/online-index.ts';
import { changeTable } from '../catalog/table-change.ts';
import { fenceKey, tableRecordKey } from '../catalog/table.ts';
import { decodeTableRecord, type TableRecord } from '../catalog/table-record.ts';

/*
 * Removing the entries of deleted tables and indexes.
 *
 * No request reads or writes them any more: the deletion advanced the table's fence. So they are removed in chunks, each
 * in a decision of its own, without urgency. A process that is interrupted starts again and finds fewer. Several processes may purge
 * at the same time, because removing an entry that is already gone is not an error.
 */

/** Entries removed in one decision. */
export const purgeChunkEntries = 500;

const purgeFormat = 1;

const purges = new RecordCodec<PurgeRecord>(purgeFormat, ({ tableName }) => `What is left of table ${tableName}`);

/** The remains of a deleted table, as the list of purges records them. */
interface PurgeRecord {
  readonly format: typeof purgeFormat;
  readonly accountId: string;
  readonly region: string;
  readonly tableName: string;
  readonly itemSpace: number;
  readonly indexSpaces: readonly number[];
  readonly hasCollectionSizes: boolean;
  /** The items stay because they belong to a backup. */
  readonly keepsItems?: true;
  /** Until then the table is shown as DELETING. */
  readonly notBeforeMs: number;
}

/**
 * Adds a table that is being deleted to the list of purges.
 *
 * @param options.keepsItems - whether a backup keeps the items.
 */
export function purgeWrite(
  record: TableRecord,
  { keepsItems = false }: { readonly keepsItems?: boolean } = {},
): StoreWrite {
  const purge: PurgeRecord = {
    format: purgeFormat,
    accountId: record.accountId,
    region: record.region,
    tableName: record.tableName,
    itemSpace: record.itemSpace,
    indexSpaces: [
      ...[...record.localIndexes, ...record.globalIndexes].map((index) => index.space),
      ...(record.vectorIndexes ?? []).flatMap((index) => [index.space, index.journalSpace]),
      ...(record.timeToLive === undefined ? [] : [record.timeToLive.space]),
      ...replicationSpaces(record),
      ...(record.changeLog === undefined ? [] : [record.changeLog.space]),
    ],
    hasCollectionSizes: record.localIndexes.length > 0,
    ...(keepsItems && { keepsItems }),
    notBeforeMs: record.transition?.untilMs ?? 0,
  };
  return purges.write(purgeKey(record.itemSpace), purge);
}

function replicationSpaces({ replication }: TableRecord): readonly number[] {
  if (replication === undefined) return [];
  const { versionSpace, tombstoneSpace, peers } = replication;
  return [versionSpace, tombstoneSpace, ...peers.map(({ owedSpace }) => owedSpace)];
}

/**
 * Adds spaces that are no longer read to the list of purges, under the first of them: spaces of a log of changes, of the items of
 * a backup, of replication. The table's own record does not change.
 */
export function spacePurgeWrite(
  {
    accountId,
    region,
    tableName,
    localIndexes = [],
  }: Pick<TableRecord, 'accountId' | 'region' | 'tableName'> & { readonly localIndexes?: TableRecord['localIndexes'] },
  first: number,
  {
    others = [],
    holdsItemsOfTable = false,
  }: { readonly others?: readonly number[]; readonly holdsItemsOfTable?: boolean } = {},
): StoreWrite {
  const purge: PurgeRecord = {
    format: purgeFormat,
    accountId,
    region,
    tableName,
    itemSpace: first,
    indexSpaces: others,
    // Items that a deleted table has left to a backup are purged together with the sizes of their collections.
    hasCollectionSizes: holdsItemsOfTable && localIndexes.length > 0,
    notBeforeMs: 0,
  };
  return purges.write(purgeKey(first), purge);
}

/** The item spaces of all tables whose purge is not finished. */
export async function listPurges({ store }: CatalogServices): Promise<readonly number[]> {
  const itemSpaces: number[] = [];
  await store.range({ from: spaceStart(space.purges), to: spaceStart(space.purges + 1) }, (key, value) => {
    itemSpaces.push(purges.decode(key, value).itemSpace);
    return true;
  });
  return itemSpaces;
}

/** Removes a deleted table: its record, its items and entries, its statistics, and last its entry in the list. */
export async function purgeTable(services: CatalogServices, itemSpace: number): Promise<void> {
  const key = purgeKey(itemSpace);
  const purge = await services.store.read([key], ([value]) =>
    value === undefined ? undefined : purges.decode(key, value),
  );
  if (purge === undefined || (await isBeingRead(services, purge))) return;
  await pauseUntil(services, purge.notBeforeMs);
  await removeRecord(services, purge);
  for (const indexSpace of purge.indexSpaces) await purgeSpace(services, indexSpace);
  if (purge.keepsItems !== true) {
    await purgeSpace(
      services,
      itemSpace,
      purge.hasCollectionSizes ? (itemKey) => collectionSizeKey(itemKey, itemSpace) : undefined,
    );
  }
  await services.store.write([], () => ({
    answer: undefined,
    writes: [...statisticsKeys(itemSpace).map(removal), removal(key)],
  }));
}

/** Whether an image of the table's items is still being made. The process that finishes it resumes the purge. */
async function isBeingRead({ store }: CatalogServices, { itemSpace }: PurgeRecord): Promise<boolean> {
  const jobs = await listJobs(store);
  return jobs.some((job) => job.kind === 'image' && job.phase !== 'complete' && job.itemSpace === itemSpace);
}

/** Another table may have been created with the name; then record and fence belong to that table. */
async function removeRecord({ store }: CatalogServices, purge: PurgeRecord): Promise<void> {
  const { accountId, region, tableName } = purge;
  const recordKey = tableRecordKey(accountId, region, tableName);
  await store.write([recordKey], ([value]) => {
    const isOurs = value !== undefined && decodeTableRecord(recordKey, value).itemSpace === purge.itemSpace;
    const keys = isOurs ? [recordKey, fenceKey(accountId, region, tableName)] : [];
    return { answer: undefined, writes: keys.map(removal) };
  });
}

export interface IndexTarget {
  readonly accountId: string;
  readonly region: string;
  readonly tableName: string;
  readonly indexName: string;
  /** The space of the index: another index of the same name has a different one. */
  readonly space: number;
}

/** Removes a deleted global or vector index: its entries, then its statistics together with its part of the table's record. */
export async function purgeIndex(services: CatalogServices, target: IndexTarget): Promise<void> {
  const table = await services.catalog.load(target, target.tableName);
  if (table === undefined || !isDeleting(table.record, target)) return;
  const index = onlineIndexIn(table.record, target.space);
  await pauseUntil(services, table.record.transition?.untilMs ?? 0);
  await purgeSpace(services, target.space);
  if (index !== undefined && 'journalSpace' in index) await purgeSpace(services, index.journalSpace);
  const bucketKeys = statisticsKeys(table.record.itemSpace);
  await changeTable(
    services,
    target,
    target.tableName,
    ({ record, values }) => {
      if (!isDeleting(record, target)) return { record };
      const writes = bucketKeys.flatMap((key, at) => {
        const value = withoutSpace(values[at], target.space);
        return value === undefined ? [] : [{ key, value }];
      });
      return { record: withoutOnlineIndex(record, target.space), writes };
    },
    bucketKeys,
  );
}

function isDeleting(record: TableRecord, target: IndexTarget): boolean {
  return onlineIndexIn(record, target.space)?.phase === 'deleting';
}

/**
 * Removes all entries of a space.
 *
 * @param companion - returns a further key to remove with an entry.
 */
export async function purgeSpace(
  services: CatalogServices,
  spaceId: number,
  companion?: (entryKey: Uint8Array) => Buffer,
): Promise<void> {
  for (;;) {
    const keys = new Map<string, Uint8Array>();
    const end = await services.store.range(
      { from: spaceStart(spaceId), to: spaceStart(spaceId + 1), limit: purgeChunkEntries },
      (key) => {
        const entryKey = Buffer.from(key);
        for (const doomed of companion === undefined ? [entryKey] : [entryKey, companion(entryKey)]) {
          keys.set(Buffer.from(doomed).toString('latin1'), doomed);
        }
        return true;
      },
    );
    if (keys.size > 0) {
      await services.store.write([], () => ({ answer: undefined, writes: Array.from(keys.values(), removal) }));
    }
    if (end === 'end') return;
    await takeTurn(services);
  }
}

function removal(key: Uint8Array): StoreWrite {
  return { key, value: undefined };
}

function purgeKey(itemSpace: number): Buffer {
  return storeKey(space.purges, undefined, spaceBytesOf(itemSpace));
}

function collectionSizeKey(itemKey: Uint8Array, itemSpace: number): Buffer {
  return storeKey(space.collectionSizes, hashOf(itemKey), spaceBytesOf(itemSpace));
}

function spaceBytesOf(spaceId: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(spaceId, 0);
  return bytes;
}
