import { StorageError } from '../storage/storage-error.ts';
import type { Store } from '../storage/store.ts';
import type { ObjectStore } from '../transfer/buckets/bucket.ts';
import { type Limits, serviceLimits } from '../values/limits.ts';
import { CapacityModel, type Throttle } from './capacity/capacity-model.ts';
import { keepBackups } from './backups/backup-upkeep.ts';
import type { Engine } from './engine.ts';
import type { EngineEnvironment } from './environment.ts';
import { uuidOf } from './layout/uuid.ts';
import type { ChangeSink } from './kinesis/change-sink.ts';
import { keepDelivering } from './kinesis/deliver-changes.ts';
import { batchExecuteStatement } from './operations/batch-execute-statement.ts';
import { batchGetItem } from './operations/batch-get-item.ts';
import { batchWriteItem } from './operations/batch-write-item.ts';
import { capacityReport } from './operations/capacity-report.ts';
import { contributorInsightsReport } from './operations/contributor-insights-report.ts';
import { cancelBulkOperation } from './operations/cancel-bulk-operation.ts';
import { createBackup } from './operations/create-backup.ts';
import { createTable } from './operations/create-table.ts';
import { deleteBackup } from './operations/delete-backup.ts';
import { deleteItem } from './operations/delete-item.ts';
import { deleteResourcePolicy } from './operations/delete-resource-policy.ts';
import { deleteTable } from './operations/delete-table.ts';
import { describeContributorInsights } from './operations/describe-contributor-insights.ts';
import { describeEndpoints } from './operations/describe-endpoints.ts';
import { describeKinesisStreamingDestination } from './operations/describe-kinesis-streaming-destination.ts';
import { describeBulkOperation } from './operations/describe-bulk-operation.ts';
import { describeImport } from './operations/describe-import.ts';
import { describeBackup } from './operations/describe-backup.ts';
import { describeContinuousBackups } from './operations/describe-continuous-backups.ts';
import { describeExport } from './operations/describe-export.ts';
import { describeLimits } from './operations/describe-limits.ts';
import { describeStream } from './operations/describe-stream.ts';
import { describeTable } from './operations/describe-table.ts';
import { describeTimeToLive } from './operations/describe-time-to-live.ts';
import { disableKinesisStreamingDestination } from './operations/disable-kinesis-streaming-destination.ts';
import { enableKinesisStreamingDestination } from './operations/enable-kinesis-streaming-destination.ts';
import { executeStatement } from './operations/execute-statement.ts';
import { executeTransaction } from './operations/execute-transaction.ts';
import { explainStatement } from './operations/explain-statement.ts';
import { exportTableToPointInTime } from './operations/export-table-to-point-in-time.ts';
import { getItem } from './operations/get-item.ts';
import { getRecords } from './operations/get-records.ts';
import { getResourcePolicy } from './operations/get-resource-policy.ts';
import { getShardIterator } from './operations/get-shard-iterator.ts';
import {
  createGlobalTable,
  describeGlobalTable,
  describeGlobalTableSettings,
  listGlobalTables,
  updateGlobalTable,
  updateGlobalTableSettings,
} from './operations/legacy-global-tables.ts';
import { listContributorInsights } from './operations/list-contributor-insights.ts';
import { importTable } from './operations/import-table.ts';
import { listBulkOperations } from './operations/list-bulk-operations.ts';
import { listImports } from './operations/list-imports.ts';
import { listBackups } from './operations/list-backups.ts';
import { listExports } from './operations/list-exports.ts';
import { listStreams } from './operations/list-streams.ts';
import { listTables } from './operations/list-tables.ts';
import { listTagsOfResource } from './operations/list-tags-of-resource.ts';
import { putItem } from './operations/put-item.ts';
import { putResourcePolicy } from './operations/put-resource-policy.ts';
import { query } from './operations/query.ts';
import { restoreTableFromBackup } from './operations/restore-table-from-backup.ts';
import { restoreTableToPointInTime } from './operations/restore-table-to-point-in-time.ts';
import { scan } from './operations/scan.ts';
import {
  describeTableReplicaAutoScaling,
  updateTableReplicaAutoScaling,
} from './operations/table-replica-auto-scaling.ts';
import { searchVectors } from './operations/search-vectors.ts';
import { startBulkPutItems } from './operations/start-bulk-put-items.ts';
import { tagResource } from './operations/tag-resource.ts';
import { transactGetItems } from './operations/transact-get-items.ts';
import { transactWriteItems } from './operations/transact-write-items.ts';
import { untagResource } from './operations/untag-resource.ts';
import { updateContributorInsights } from './operations/update-contributor-insights.ts';
import { updateContinuousBackups } from './operations/update-continuous-backups.ts';
import { updateItem } from './operations/update-item.ts';
import { updateKinesisStreamingDestination } from './operations/update-kinesis-streaming-destination.ts';
import { updateTable } from './operations/update-table.ts';
import { updateTimeToLive } from './operations/update-time-to-live.ts';
import { receiveFromAfar } from './replication/receive-message.ts';
import type { ReplicaLink } from './replication/replica-message.ts';
import { replicate, replicateRegularly, replicationIntervalMs } from './replication/replicate.ts';
import { releaseLeases } from './replication/replication-lease.ts';
import { replicationReport } from './replication/replication-report.ts';
import { RecentClock } from './recent-clock.ts';
import type { EngineServices } from './services.ts';
import { keepStreams } from './streams/stream-upkeep.ts';
import { resumeBackgroundWork } from './tables/background-work.ts';
import { Catalog } from './tables/catalog.ts';
import { sweepIdempotencyTokens } from './transactions/idempotency-token.ts';
import { expirySweepIntervalMs, sweepExpiredItems, sweepRegularly } from './ttl/sweep-expired-items.ts';
import type { LoadVectorGraphs } from './vectors/vector-graph.ts';
import { VectorGraphs } from './vectors/vector-graphs.ts';

export interface EngineOptions {
  readonly store: Store;
  readonly environment: EngineEnvironment;
  /** The service's limits, or smaller ones for tests. */
  readonly limits?: Limits | undefined;
  /** How long CREATING, UPDATING and DELETING last, in milliseconds. 0 (the default): the next request sees the end. */
  readonly lifecycleDelayMs?: number | undefined;
  /** How often expired items are removed, in milliseconds; or only when {@link Engine.sweepExpiredItems} is called. */
  readonly expirySweepMs?: number | 'on-demand' | undefined;
  /** The regions that other servers have, and how these are reached. */
  readonly replicaLinks?: ReadonlyMap<string, ReplicaLink> | undefined;
  /** How often what other regions are owed is sent, in milliseconds; or only when {@link Engine.replicate} is called. */
  readonly replicationMs?: number | 'on-demand' | undefined;
  /** Makes approximate vector indexes; without it all vector searches are exact. */
  readonly loadVectorGraphs?: LoadVectorGraphs | undefined;
  /** Which tables refuse requests above their throughput. None by default; the account is kept for all. */
  readonly throttle?: Throttle | undefined;
  /** Where changes are delivered to Kinesis data streams. Whoever opened it closes it, after the engine. */
  readonly changeSink?: ChangeSink | undefined;
  /** Buckets for exports and imports. Without them, the actions that need them are refused. */
  readonly objects?: ObjectStore | undefined;
}

/** How often what has run out is swept, and work taken up that another process has left, in milliseconds. */
const sweepIntervalMs = 60_000;

/** Opens the engine on a store, and takes up the background work that an earlier one left unfinished. */
export function createEngine(options: EngineOptions): Engine {
  const { store } = options;
  const environment = { ...options.environment, clock: new RecentClock(options.environment.clock) };
  const limits = options.limits ?? serviceLimits;
  const closing = new AbortController();
  const services: EngineServices = {
    store,
    environment,
    catalog: new Catalog(store, environment.clock),
    limits,
    capacity: new CapacityModel({ store, environment, limits, throttle: options.throttle }),
    lifecycleDelayMs: options.lifecycleDelayMs ?? 0,
    backgroundJobs: new Set(),
    ...(options.replicaLinks !== undefined && { replicaLinks: options.replicaLinks }),
    processId: uuidOf(environment.random.bytes(16)),
    replicationLeases: new Set(),
    vectorGraphs: new VectorGraphs(options.loadVectorGraphs),
    ...(options.changeSink !== undefined && { changeSink: options.changeSink }),
    objects: options.objects,
    closing: closing.signal,
  };
  resumeBackgroundWork(services);
  environment.tasks.spawn('sweep', () => sweep(services));
  environment.tasks.spawn('upkeep of streams', () => keepStreams(services));
  environment.tasks.spawn('delivery of changes', () => keepDelivering(services));
  environment.tasks.spawn('upkeep of backups', () => keepBackups(services));
  const { expirySweepMs = expirySweepIntervalMs } = options;
  if (expirySweepMs !== 'on-demand') {
    environment.tasks.spawn('expiry sweep', () => sweepRegularly(services, expirySweepMs));
  }
  const { replicationMs = replicationIntervalMs } = options;
  if (replicationMs !== 'on-demand') {
    environment.tasks.spawn('replication', () => replicateRegularly(services, replicationMs));
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
    cancelBulkOperation: bind(cancelBulkOperation),
    createBackup: bind(createBackup),
    createTable: bind(createTable),
    deleteBackup: bind(deleteBackup),
    deleteItem: bind(deleteItem),
    deleteResourcePolicy: bind(deleteResourcePolicy),
    deleteTable: bind(deleteTable),
    describeContributorInsights: bind(describeContributorInsights),
    describeEndpoints: bind(describeEndpoints),
    describeKinesisStreamingDestination: bind(describeKinesisStreamingDestination),
    describeBulkOperation: bind(describeBulkOperation),
    describeImport: bind(describeImport),
    describeBackup: bind(describeBackup),
    describeContinuousBackups: bind(describeContinuousBackups),
    describeExport: bind(describeExport),
    describeLimits: bind(describeLimits),
    describeStream: bind(describeStream),
    describeTable: bind(describeTable),
    describeTimeToLive: bind(describeTimeToLive),
    disableKinesisStreamingDestination: bind(disableKinesisStreamingDestination),
    enableKinesisStreamingDestination: bind(enableKinesisStreamingDestination),
    executeStatement: bind(executeStatement),
    executeTransaction: bind(executeTransaction),
    explainStatement: bind(explainStatement),
    exportTableToPointInTime: bind(exportTableToPointInTime),
    getItem: bind(getItem),
    getRecords: bind(getRecords),
    getResourcePolicy: bind(getResourcePolicy),
    getShardIterator: bind(getShardIterator),
    listContributorInsights: bind(listContributorInsights),
    importTable: bind(importTable),
    listBulkOperations: bind(listBulkOperations),
    listImports: bind(listImports),
    listBackups: bind(listBackups),
    listExports: bind(listExports),
    listStreams: bind(listStreams),
    listTables: bind(listTables),
    listTagsOfResource: bind(listTagsOfResource),
    putItem: bind(putItem),
    putResourcePolicy: bind(putResourcePolicy),
    query: bind(query),
    restoreTableFromBackup: bind(restoreTableFromBackup),
    restoreTableToPointInTime: bind(restoreTableToPointInTime),
    scan: bind(scan),
    searchVectors: bind(searchVectors),
    startBulkPutItems: bind(startBulkPutItems),
    tagResource: bind(tagResource),
    transactGetItems: bind(transactGetItems),
    transactWriteItems: bind(transactWriteItems),
    untagResource: bind(untagResource),
    updateContributorInsights: bind(updateContributorInsights),
    updateContinuousBackups: bind(updateContinuousBackups),
    updateItem: bind(updateItem),
    updateKinesisStreamingDestination: bind(updateKinesisStreamingDestination),
    updateTable: bind(updateTable),
    updateTimeToLive: bind(updateTimeToLive),
    createGlobalTable: bind(createGlobalTable),
    describeGlobalTable: bind(describeGlobalTable),
    describeGlobalTableSettings: bind(describeGlobalTableSettings),
    describeTableReplicaAutoScaling: bind(describeTableReplicaAutoScaling),
    listGlobalTables: bind(listGlobalTables),
    updateGlobalTable: bind(updateGlobalTable),
    updateGlobalTableSettings: bind(updateGlobalTableSettings),
    updateTableReplicaAutoScaling: bind(updateTableReplicaAutoScaling),
    capacityReport: bind(capacityReport),
    contributorInsightsReport: bind(contributorInsightsReport),
    sweepExpiredItems: () => sweepExpiredItems(services),
    replicate: (route) => replicate(services, route),
    replicationReport: () => replicationReport(services),
    receiveReplicaMessage: (message) => receiveFromAfar(services, message),
    close: async () => {
      closing.abort();
      await environment.tasks.settle();
      await releaseLeases(services);
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
