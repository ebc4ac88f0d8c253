import { StorageError } from '../storage/storage-error.ts';
import type { Store } from '../storage/store.ts';
import type { ObjectStore } from '../transfer/buckets/bucket.ts';
import { type Limits, serviceLimits } from '../values/limits.ts';
import { keepBackups } from './backups/backup-upkeep.ts';
import type { Engine } from './engine.ts';
import type { EngineEnvironment } from './environment.ts';
import { batchExecuteStatement } from './operations/batch-execute-statement.ts';
import { batchGetItem } from './operations/batch-get-item.ts';
import { batchWriteItem } from './operations/batch-write-item.ts';
import { createBackup } from './operations/create-backup.ts';
import { createTable } from './operations/create-table.ts';
import { deleteBackup } from './operations/delete-backup.ts';
import { deleteItem } from './operations/delete-item.ts';
import { deleteTable } from './operations/delete-table.ts';
import { describeBackup } from './operations/describe-backup.ts';
import { describeContinuousBackups } from './operations/describe-continuous-backups.ts';
import { describeEndpoints } from './operations/describe-endpoints.ts';
import { describeExport } from './operations/describe-export.ts';
import { describeLimits } from './operations/describe-limits.ts';
import { describeStream } from './operations/describe-stream.ts';
import { describeTable } from './operations/describe-table.ts';
import { describeTimeToLive } from './operations/describe-time-to-live.ts';
import { executeStatement } from './operations/execute-statement.ts';
import { executeTransaction } from './operations/execute-transaction.ts';
import { exportTableToPointInTime } from './operations/export-table-to-point-in-time.ts';
import { getItem } from './operations/get-item.ts';
import { getRecords } from './operations/get-records.ts';
import { getShardIterator } from './operations/get-shard-iterator.ts';
import { listBackups } from './operations/list-backups.ts';
import { listExports } from './operations/list-exports.ts';
import { listStreams } from './operations/list-streams.ts';
import { listTables } from './operations/list-tables.ts';
import { listTagsOfResource } from './operations/list-tags-of-resource.ts';
import { putItem } from './operations/put-item.ts';
import { query } from './operations/query.ts';
import { restoreTableFromBackup } from './operations/restore-table-from-backup.ts';
import { restoreTableToPointInTime } from './operations/restore-table-to-point-in-time.ts';
import { scan } from './operations/scan.ts';
import { tagResource } from './operations/tag-resource.ts';
import { transactGetItems } from './operations/transact-get-items.ts';
import { transactWriteItems } from './operations/transact-write-items.ts';
import { untagResource } from './operations/untag-resource.ts';
import { updateContinuousBackups } from './operations/update-continuous-backups.ts';
import { updateItem } from './operations/update-item.ts';
import { updateTable } from './operations/update-table.ts';
import { updateTimeToLive } from './operations/update-time-to-live.ts';
import type { EngineServices } from './services.ts';
import { keepStreams } from './streams/stream-upkeep.ts';
import { resumeBackgroundWork } from './tables/background-work.ts';
import { Catalog } from './tables/catalog.ts';
import { sweepIdempotencyTokens } from './transactions/idempotency-token.ts';
import { expirySweepIntervalMs, sweepExpiredItems, sweepRegularly } from './ttl/sweep-expired-items.ts';

export interface EngineOptions {
  readonly store: Store;
  readonly environment: EngineEnvironment;
  /** The service's limits, or smaller ones for tests. */
  readonly limits?: Limits | undefined;
  /** How long CREATING, UPDATING and DELETING last, in milliseconds. 0 (the default): the next request sees the end. */
  readonly lifecycleDelayMs?: number | undefined;
  /** How often expired items are removed, in milliseconds; or only when {@link Engine.sweepExpiredItems} is called. */
  readonly expirySweepMs?: number | 'on-demand' | undefined;
  /** Buckets for exports and imports. Without them, the actions that need them are refused. */
  readonly objects?: ObjectStore | undefined;
}

/** How often what has run out is swept, and work taken up that another process has left, in milliseconds. */
const sweepIntervalMs = 60_000;

/** Opens the engine on a store, and takes up the background work that an earlier one left unfinished. */
export function createEngine(options: EngineOptions): Engine {
  const { store, environment } = options;
  const closing = new AbortController();
  const services: EngineServices = {
    store,
    environment,
    catalog: new Catalog(store, environment.clock),
    limits: options.limits ?? serviceLimits,
    lifecycleDelayMs: options.lifecycleDelayMs ?? 0,
    backgroundJobs: new Set(),
    objects: options.objects,
    closing: closing.signal,
  };
  resumeBackgroundWork(services);
  environment.tasks.spawn('sweep', () => sweep(services));
  environment.tasks.spawn('upkeep of streams', () => keepStreams(services));
  environment.tasks.spawn('upkeep of backups', () => keepBackups(services));
  const { expirySweepMs = expirySweepIntervalMs } = options;
  if (expirySweepMs !== 'on-demand') {
    environment.tasks.spawn('expiry sweep', () => sweepRegularly(services, expirySweepMs));
  }
  const bind =
    <Request, Context, Result>(
      operation: (services: EngineServices, request: Request, context: Context) => Promise<Result>,
    ) =>
    (request: Request, context: Context): Promise<Result> =>
      operation(services, request, context);
  return {
    batchExecuteStatement: bind(batchExecuteStatement),
    batchGetItem: bind(batchGetItem),
    batchWriteItem: bind(batchWriteItem),
    createBackup: bind(createBackup),
    createTable: bind(createTable),
    deleteBackup: bind(deleteBackup),
    deleteItem: bind(deleteItem),
    deleteTable: bind(deleteTable),
    describeBackup: bind(describeBackup),
    describeContinuousBackups: bind(describeContinuousBackups),
    describeEndpoints: bind(describeEndpoints),
    describeExport: bind(describeExport),
    describeLimits: bind(describeLimits),
    describeStream: bind(describeStream),
    describeTable: bind(describeTable),
    describeTimeToLive: bind(describeTimeToLive),
    executeStatement: bind(executeStatement),
    executeTransaction: bind(executeTransaction),
    exportTableToPointInTime: bind(exportTableToPointInTime),
    getItem: bind(getItem),
    getRecords: bind(getRecords),
    getShardIterator: bind(getShardIterator),
    listBackups: bind(listBackups),
    listExports: bind(listExports),
    listStreams: bind(listStreams),
    listTables: bind(listTables),
    listTagsOfResource: bind(listTagsOfResource),
    putItem: bind(putItem),
    query: bind(query),
    restoreTableFromBackup: bind(restoreTableFromBackup),
    restoreTableToPointInTime: bind(restoreTableToPointInTime),
    scan: bind(scan),
    tagResource: bind(tagResource),
    transactGetItems: bind(transactGetItems),
    transactWriteItems: bind(transactWriteItems),
    untagResource: bind(untagResource),
    updateContinuousBackups: bind(updateContinuousBackups),
    updateItem: bind(updateItem),
    updateTable: bind(updateTable),
    updateTimeToLive: bind(updateTimeToLive),
    sweepExpiredItems: () => sweepExpiredItems(services),
    close: async () => {
      closing.abort();
      await environment.tasks.settle();
    },
  };
}

async function sweep(services: EngineServices): Promise<void> {
  const { store, environment, closing } = services;
  for (;;) {
    await environment.tasks.pause(sweepIntervalMs, closing);
    if (closing?.aborted === true) return;
    resumeBackgroundWork(services);
    try {
      const swept = await sweepIdempotencyTokens(store, environment.clock.nowMs());
      if (swept > 0) environment.log({ level: 'debug', event: 'client tokens swept', swept });
    } catch (error) {
      if (!(error instanceof StorageError) || error.code === 'format') throw error;
      if (error.code === 'closed') return;
      environment.log({ level: 'warn', event: 'sweep of client tokens failed', error });
    }
  }
}
