import { doBackupWork, listBackupWork } from '../backups/backup-jobs.ts';
import { backfillIndex } from '../indexes/backfill.ts';
import { space, spaceStart } from '../layout/spaces.ts';
import type { EngineServices } from '../services.ts';
import { emptyExpiryIndex, type ExpiryIndexTarget, fillExpiryIndex } from '../ttl/fill-expiry-index.ts';
import { listOpenLoads } from '../transfer/find-loads.ts';
import type { LoadReference } from '../transfer/load-keys.ts';
import { runLoad } from '../transfer/run-load.ts';
import { type Job, runJob } from '../background/background-task.ts';
import { onlineIndexes, type OnlineIndexRecord } from '../schema/online-index.ts';
import { type IndexTarget, listPurges, purgeIndex, purgeTable } from '../tables/purge.ts';
import type { Table } from '../catalog/table.ts';
import { decodeTableRecord, type TableRecord } from '../catalog/table-record.ts';

/*
 * Work that outlasts the request that caused it: filling new global, vector and expiry indexes, emptying deleted indexes
 * and tables, making backups and restoring tables.
 *
 * What is to be done is in the store (a phase in the table's record, or an entry in the list of purges) and is crossed
 * out by the decision that finishes it. So it survives any interruption, and may be begun again or done by several
 * processes at once.
 */

/** Jobs resumed at the start that run at one time. */
const resumedJobsAtOnce = 2;

/**
 * Looks for work that was left unfinished and takes it up: when an engine starts, and from time to time, because the process
 * that was at it may have died. What this process is at already stays as it is.
 */
export function resumeBackgroundWork(services: EngineServices): void {
  spawnJob(services, 'resume background work', {
    key: 'resume',
    run: async () => {
      const jobs = [
        ...(await listIndexJobs(services)),
        ...(await listTableJobs(services)),
        ...(await listBackupWork(services)).map((filledSpace) => backupJob(services, filledSpace)),
      ];
      // Each on its own: one may wait long for its bucket, or for the lease of another process.
      for (const kind of ['import', 'bulk'] as const) {
        for (const load of await listOpenLoads(services, kind)) spawnLoad(services, load);
      }
      const next = jobs.values();
      const work = async (): Promise<void> => {
        for (const job of next) await runJob(services, job);
      };
      await Promise.all(Array.from({ length: resumedJobsAtOnce }, work));
    },
  });
}

/** Begins the work that some indexes of a table are waiting for, after the change that caused it. */
export function spawnIndexWork(services: EngineServices, table: Table, indexNames: readonly string[]): void {
  const indexes = onlineIndexes(table.record).filter(({ indexName }) => indexNames.includes(indexName));
  for (const job of indexJobsOf(services, table.record, indexes))
    spawnJob(services, `index work on ${table.tableName}`, job);
}

/** Begins the work that a change of a table's time to live has caused, if any. */
export function spawnTimeToLiveWork(services: EngineServices, table: Table): void {
  for (const job of timeToLiveJobsOf(services, table.record))
    spawnJob(services, `time to live of ${table.tableName}`, job);
}

/** Begins to remove a table that has been deleted. */
export function spawnPurge(services: EngineServices, itemSpace: number): void {
  spawnJob(services, 'purge of a deleted table', tableJob(services, itemSpace));
}

/** Begins an import or bulk operation, or continues with it. */
export function spawnLoad(services: EngineServices, load: LoadReference): void {
  const run = (): Promise<void> => runLoad(services, load);
  spawnJob(services, `load ${load.loadId}`, { key: `load ${load.kind} ${load.loadId}`, run });
}

/** Begins the work on a backup that fills a space. */
export function spawnBackupWork(services: EngineServices, filledSpace: number): void {
  spawnJob(services, 'work on a backup', backupJob(services, filledSpace));
}

function spawnJob(services: EngineServices, name: string, job: Job): void {
  services.environment.tasks.spawn(name, () => runJob(services, job));
}

async function listIndexJobs(services: EngineServices): Promise<readonly Job[]> {
  const jobs: Job[] = [];
  await services.store.range({ from: spaceStart(space.tables), to: spaceStart(space.tables + 1) }, (key, value) => {
    const record = decodeTableRecord(key, value);
    jobs.push(...indexJobsOf(services, record, onlineIndexes(record)), ...timeToLiveJobsOf(services, record));
    return true;
  });
  return jobs;
}

async function listTableJobs(services: EngineServices): Promise<readonly Job[]> {
  const itemSpaces = await listPurges(services);
  return itemSpaces.map((itemSpace) => tableJob(services, itemSpace));
}

function tableJob(services: EngineServices, itemSpace: number): Job {
  return { key: `table ${itemSpace}`, run: () => purgeTable(services, itemSpace) };
}

function backupJob(services: EngineServices, filledSpace: number): Job {
  return { key: `backup ${filledSpace}`, run: () => doBackupWork(services, filledSpace) };
}

function indexJobsOf(
  services: EngineServices,
  { accountId, region, tableName }: TableRecord,
  indexes: readonly OnlineIndexRecord[],
): readonly Job[] {
  return indexes.flatMap(({ indexName, space: indexSpace, phase }) => {
    if (phase === undefined) return [];
    const target: IndexTarget = { accountId, region, tableName, indexName, space: indexSpace };
    const work = phase === 'backfilling' ? backfillIndex : purgeIndex;
    return [{ key: `index ${indexSpace} ${phase}`, run: () => work(services, target) }];
  });
}

function timeToLiveJobsOf(
  services: EngineServices,
  { accountId, region, tableName, timeToLive }: TableRecord,
): readonly Job[] {
  if (timeToLive?.phase === undefined) return [];
  const target: ExpiryIndexTarget = { accountId, region, tableName, space: timeToLive.space };
  const work = timeToLive.phase.kind === 'enabling' ? fillExpiryIndex : emptyExpiryIndex;
  return [{ key: `expiry ${timeToLive.space} ${timeToLive.phase.kind}`, run: () => work(services, target) }];
}
