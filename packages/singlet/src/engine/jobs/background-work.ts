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
 * processes at once. Of servers that share a store, one does it, and another takes it over when that one has stopped.
 */

type EngineJob = Job<EngineServices>;

/** How many resumed jobs run at a time. */
const resumedJobsAtOnce = 2;

/**
 * Resumes unfinished work when an engine starts, and periodically, because the process that ran it may have died. Work that
 * this process is already running is left alone.
 */
export function resumeBackgroundWork(services: EngineServices): void {
  spawnJob(services, 'resume background work', {
    key: 'resume',
    isEveryServers: true,
    run: async () => {
      const jobs = [
        ...(await listIndexJobs(services)),
        ...(await listPurges(services)).map(tableJob),
        ...(await listBackupWork(services)).map(backupJob),
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
  for (const job of indexJobsOf(table.record, indexes)) spawnJob(services, `index work on ${table.tableName}`, job);
}

/** Starts the work that a change of a table's time to live has caused, if any. */
export function spawnTimeToLiveWork(services: EngineServices, table: Table): void {
  for (const job of timeToLiveJobsOf(table.record)) spawnJob(services, `time to live of ${table.tableName}`, job);
}

/** Starts the removal of a deleted table. */
export function spawnPurge(services: EngineServices, itemSpace: number): void {
  spawnJob(services, 'purge of a deleted table', tableJob(itemSpace));
}

/** Starts or resumes an import or bulk operation. */
export function spawnLoad(services: EngineServices, load: LoadReference): void {
  spawnJob(services, `load ${load.loadId}`, {
    key: `load ${load.kind} ${load.loadId}`,
    isEveryServers: true,
    run: () => runLoad(services, load),
  });
}

/** Starts the work on a backup that fills a space. */
export function spawnBackupWork(services: EngineServices, filledSpace: number): void {
  spawnJob(services, 'work on a backup', backupJob(filledSpace));
}

function spawnJob(services: EngineServices, name: string, job: EngineJob): void {
  services.environment.tasks.spawn(name, () => runJob(services, job));
}

async function listIndexJobs(services: EngineServices): Promise<readonly EngineJob[]> {
  const jobs: EngineJob[] = [];
  await services.store.range({ from: spaceStart(space.tables), to: spaceStart(space.tables + 1) }, (key, value) => {
    const record = decodeTableRecord(key, value);
    jobs.push(...indexJobsOf(record, onlineIndexes(record)), ...timeToLiveJobsOf(record));
    return true;
  });
  return jobs;
}

function tableJob(itemSpace: number): EngineJob {
  return { key: `table ${itemSpace}`, run: (services) => purgeTable(services, itemSpace) };
}

function backupJob(filledSpace: number): EngineJob {
  return { key: `backup ${filledSpace}`, run: (services) => doBackupWork(services, filledSpace) };
}

function indexJobsOf(
  { accountId, region, tableName }: TableRecord,
  indexes: readonly OnlineIndexRecord[],
): readonly EngineJob[] {
  return indexes.flatMap(({ indexName, space: indexSpace, phase }) => {
    if (phase === undefined) return [];
    const target: IndexTarget = { accountId, region, tableName, indexName, space: indexSpace };
    const work = phase === 'backfilling' ? backfillIndex : purgeIndex;
    return [{ key: `index ${indexSpace} ${phase}`, run: (services) => work(services, target) }];
  });
}

function timeToLiveJobsOf({ accountId, region, tableName, timeToLive }: TableRecord): readonly EngineJob[] {
  if (timeToLive?.phase === undefined) return [];
  const target: ExpiryIndexTarget = { accountId, region, tableName, space: timeToLive.space };
  const work = timeToLive.phase.kind === 'enabling' ? fillExpiryIndex : emptyExpiryIndex;
  return [{ key: `expiry ${timeToLive.space} ${timeToLive.phase.kind}`, run: (services) => work(services, target) }];
}
