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
 * Work that outlasts the request that caused it: filling new global, vector and expiry indexes, purging deleted indexes
 * and tables, making backups and restoring tables.
 *
 * The store records pending work (a phase in the table's record, or an entry in the list of purges), and the decision that
 * finishes the work removes that mark. So the work survives any interruption, can start again, and can run in several
 * processes at once.
 */

/** How many resumed jobs run at a time. */
const resumedJobsAtOnce = 2;

/**
 * Resumes unfinished work when an engine starts, and periodically, because the process that ran it may have died. Work that
 * this process is already running is left alone.
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
      // Each is spawned separately: one may wait long for its bucket, or for the lease of another process.
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

/** Starts the work that some indexes of a table are waiting for, after the change that caused it. */
export function spawnIndexWork(services: EngineServices, table: Table, indexNames: readonly string[]): void {
  const indexes = onlineIndexes(table.record).filter(({ indexName }) => indexNames.includes(indexName));
  for (const job of indexJobsOf(services, table.record, indexes))
    spawnJob(services, `index work on ${table.tableName}`, job);
}

/** Starts the work that a change of a table's time to live has caused, if any. */
export function spawnTimeToLiveWork(services: EngineServices, table: Table): void {
  for (const job of timeToLiveJobsOf(services, table.record))
    spawnJob(services, `time to live of ${table.tableName}`, job);
}

/** Starts the removal of a deleted table. */
export function spawnPurge(services: EngineServices, itemSpace: number): void {
  spawnJob(services, 'purge of a deleted table', tableJob(services, itemSpace));
}

/** Starts or resumes an import or bulk operation. */
export function spawnLoad(services: EngineServices, load: LoadReference): void {
  const run = (): Promise<void> => runLoad(services, load);
  spawnJob(services, `load ${load.loadId}`, { key: `load ${load.kind} ${load.loadId}`, run });
}

/** Starts the work on a backup that fills a space. */
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
