import type { StoreWrite } from '../../storage/store.ts';
import { space, spaceStart } from '../layout/spaces.ts';
import type { EngineServices } from '../services.ts';
import { takeTurn } from '../background/background-pace.ts';
import { repeatTask } from '../background/background-task.ts';
import { asHolder } from '../background/held-work.ts';
import { checkFence } from '../catalog/catalog.ts';
import { purgeTable, spacePurgeWrite } from '../tables/purge.ts';
import { Table } from '../catalog/table.ts';
import { decodeTableRecord, type TableRecord } from '../catalog/table-record.ts';
import { type BackupRecord, backupKey, decodeBackupRecord, isExpired } from './backup-record.ts';
import { changeLogBucketCount, OpenChangeLog } from '../followers/recovery/recovery-log.ts';
import { decodeExportEntry } from './export-record.ts';
import { firstMomentOf } from '../layout/moment.ts';

/*
 * Time-driven work on backups: change logs are trimmed to their recovery period, and the backups of deleted tables are removed
 * when they expire. Reads go by the clock and see both effects on time; this task makes the store follow. It works
 * in small steps that may be repeated.
 */

/** How often the task looks for such work, in milliseconds. */
const upkeepIntervalMs = 60_000;

/** Entries removed in one decision. */
const trimChunkEntries = 500;

const dayMs = 24 * 60 * 60 * 1000;

/** Logs are kept this much longer than promised, because another process whose clock is behind may still offer that time. */
const trimDelayMs = 60 * 60 * 1000;

/** Does the due work on logs and backups at intervals, until the engine closes. */
export function keepBackups(services: EngineServices): Promise<void> {
  return repeatTask(services, {
    name: 'upkeep of backups',
    everyMs: upkeepIntervalMs,
    postponedEvent: 'backup-upkeep-postponed',
    run: async () => void (await asHolder(services, 'upkeep of backups', tendBackups)),
  });
}

/**
 * Does the work that is due now.
 *
 * @throws {ClosingSignal} when the engine closes.
 * @throws {StorageError} | {StaleTableError} when the work failed; the next run continues it.
 */
export async function tendBackups(services: EngineServices): Promise<void> {
  const { store, environment } = services;
  const nowMs = environment.clock.nowMs();
  const tables: TableRecord[] = [];
  await store.range({ from: spaceStart(space.tables), to: spaceStart(space.tables + 1) }, (key, value) => {
    const record = decodeTableRecord(key, value);
    if (record.changeLog?.recovery !== undefined) tables.push(record);
    return true;
  });
  for (const record of tables) await trimLog(services, new Table(record), nowMs);
  const expired: BackupRecord[] = [];
  await store.range({ from: spaceStart(space.backups), to: spaceStart(space.backups + 1) }, (key, value) => {
    const backup = decodeBackupRecord(key, value);
    if (isExpired(backup, nowMs)) expired.push(backup);
    return true;
  });
  for (const backup of expired) await removeExpired(services, backup);
  await forgetExports(services, nowMs);
}

/** Exports stay listed for a while, and their tokens stay known for a few hours. The files are not removed. */
async function forgetExports({ store, limits }: EngineServices, nowMs: number): Promise<void> {
  const listedFromMs = nowMs - limits.exportHistoryDays * dayMs;
  const writes: StoreWrite[] = [];
  await store.range({ from: spaceStart(space.exports), to: spaceStart(space.exports + 1) }, (key, value) => {
    const entry = decodeExportEntry(key, value);
    const isOver =
      'token' in entry ? entry.untilMs <= nowMs : entry.status !== 'IN_PROGRESS' && entry.startMs <= listedFromMs;
    if (isOver) writes.push({ key: Buffer.from(key), value: undefined });
    return writes.length < trimChunkEntries;
  });
  if (writes.length > 0) await store.write([], () => ({ answer: undefined, writes }));
}

/** Removes the entries that no restore can need any more. The fence keeps a restore from beginning meanwhile. */
async function trimLog({ store, ...services }: EngineServices, table: Table, nowMs: number): Promise<void> {
  const { changeLog } = table.record;
  if (changeLog?.recovery === undefined) return;
  const { recovery, readers } = changeLog;
  const log = new OpenChangeLog(changeLog.space);
  const horizon = firstMomentOf(nowMs - recovery.periodDays * dayMs - trimDelayMs);
  const upTo = readers.reduce((earliest, reader) => Math.min(earliest, reader.after), horizon);
  for (let bucket = 0; bucket < changeLogBucketCount; bucket++) {
    for (;;) {
      const writes: StoreWrite[] = [];
      const range = { ...log.entryRange(bucket, { after: 0, upTo }), limit: trimChunkEntries };
      await store.range(range, (key) => {
        writes.push({ key: Buffer.from(key), value: undefined });
        return true;
      });
      if (writes.length === 0) break;
      await store.write([table.fenceKey], ([fence]) => {
        checkFence(table, fence);
        return { answer: undefined, writes };
      });
      await takeTurn({ store, ...services });
    }
  }
}

/** Leaves a backup in place while a restore from it is running. */
async function removeExpired(services: EngineServices, { table, backupId, imageSpace }: BackupRecord): Promise<void> {
  const key = backupKey(table, table.tableName, backupId);
  const removed = await services.store.write([key], ([value]) => {
    if (value === undefined || decodeBackupRecord(key, value).restoringTo !== undefined) {
      return { answer: false, writes: [] };
    }
    const purge = spacePurgeWrite(table, imageSpace, { holdsItemsOfTable: true });
    return { answer: true, writes: [{ key, value: undefined }, purge] };
  });
  if (removed) await purgeTable(services, imageSpace);
}
