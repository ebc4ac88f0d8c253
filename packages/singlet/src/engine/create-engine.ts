import type { Store } from '../storage/store.ts';
import type { ObjectStore } from '../transfer/buckets/bucket.ts';
import { type Limits, serviceLimits } from '../values/limits.ts';
import { CapacityModel, type Throttle } from './capacity/capacity-model.ts';
import type { Engine } from './engine.ts';
import type { EngineEnvironment } from './environment.ts';
import { uuidOf } from './layout/uuid.ts';
import type { ChangeSink } from './kinesis/change-sink.ts';
import { batchGetItem } from './operations/batch-get-item.ts';
import { batchWriteItem } from './operations/batch-write-item.ts';
import { deleteItem } from './operations/delete-item.ts';
import { getItem } from './operations/get-item.ts';
import { listTables } from './operations/list-tables.ts';
import { putItem } from './operations/put-item.ts';
import { query } from './operations/query.ts';
import { scan } from './operations/scan.ts';
import { transactGetItems } from './operations/transact-get-items.ts';
import { transactWriteItems } from './operations/transact-write-items.ts';
import { updateItem } from './operations/update-item.ts';
import type { ReplicaLink } from './replication/replica-message.ts';
import { RecentClock } from './recent-clock.ts';
import type * as restOfEngine from './rest-of-engine.ts';
import type { EngineServices } from './services.ts';
import { Catalog } from './tables/catalog.ts';
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
  /**
   * When background work begins: a moment after the engine is opened, which is the default; or only with
   * {@link Engine.beginBackgroundWork}, where another engine on the same store has it in its care.
   */
  readonly backgroundWork?: 'at-once' | 'on-demand' | undefined;
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

type RestOfEngine = typeof restOfEngine;

let loadedRest: RestOfEngine | undefined;

/** A server that starts answers before all that it could do has been read: what few requests need comes when it is asked for. */
async function loadRest(): Promise<RestOfEngine> {
  return (loadedRest ??= await import('./rest-of-engine.ts'));
}

/** How long an engine that starts only answers, before it looks for work of its own, in milliseconds. */
export const backgroundDelayMs = 250;

/**
 * Opens the engine on a store. A moment later, unless it is told otherwise, it takes up the background work that an earlier one
 * left unfinished.
 */
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
  let hasBegun = false;
  const beginBackgroundWork = async (): Promise<void> => {
    if (closing.signal.aborted) return;
    const rest = await loadRest();
    if (closing.signal.aborted) return;
    if (hasBegun) return rest.resumeBackgroundWork(services);
    hasBegun = true;
    rest.beginBackgroundWork(services, options);
  };
  if (options.backgroundWork !== 'on-demand') {
    environment.tasks.spawn('background work', async () => {
      await environment.tasks.pause(backgroundDelayMs, closing.signal);
      await beginBackgroundWork();
    });
  }
  const bind =
    <Request, Context, Result>(operation: (services: EngineServices, request: Request, context: Context) => Result) =>
    (request: Request, context: Context): Result =>
      operation(services, request, context);
  const later =
    <Request, Context, Result>(
      pick: (rest: RestOfEngine) => (services: EngineServices, request: Request, context: Context) => Promise<Result>,
    ) =>
    async (request: Request, context: Context): Promise<Result> =>
      pick(await loadRest())(services, request, context);
  return {
    batchExecuteStatement: later((rest) => rest.batchExecuteStatement),
    batchGetItem: bind(batchGetItem),
    batchWriteItem: bind(batchWriteItem),
    cancelBulkOperation: later((rest) => rest.cancelBulkOperation),
    createBackup: later((rest) => rest.createBackup),
    createTable: later((rest) => rest.createTable),
    deleteBackup: later((rest) => rest.deleteBackup),
    deleteItem: bind(deleteItem),
    deleteResourcePolicy: later((rest) => rest.deleteResourcePolicy),
    deleteTable: later((rest) => rest.deleteTable),
    describeContributorInsights: later((rest) => rest.describeContributorInsights),
    describeEndpoints: later((rest) => rest.describeEndpoints),
    describeKinesisStreamingDestination: later((rest) => rest.describeKinesisStreamingDestination),
    describeBulkOperation: later((rest) => rest.describeBulkOperation),
    describeImport: later((rest) => rest.describeImport),
    describeBackup: later((rest) => rest.describeBackup),
    describeContinuousBackups: later((rest) => rest.describeContinuousBackups),
    describeExport: later((rest) => rest.describeExport),
    describeLimits: later((rest) => rest.describeLimits),
    describeStream: later((rest) => rest.describeStream),
    describeTable: later((rest) => rest.describeTable),
    describeTimeToLive: later((rest) => rest.describeTimeToLive),
    disableKinesisStreamingDestination: later((rest) => rest.disableKinesisStreamingDestination),
    enableKinesisStreamingDestination: later((rest) => rest.enableKinesisStreamingDestination),
    executeStatement: later((rest) => rest.executeStatement),
    executeTransaction: later((rest) => rest.executeTransaction),
    explainStatement: later((rest) => rest.explainStatement),
    exportTableToPointInTime: later((rest) => rest.exportTableToPointInTime),
    getItem: bind(getItem),
    getRecords: later((rest) => rest.getRecords),
    getResourcePolicy: later((rest) => rest.getResourcePolicy),
    getShardIterator: later((rest) => rest.getShardIterator),
    listContributorInsights: later((rest) => rest.listContributorInsights),
    importTable: later((rest) => rest.importTable),
    listBulkOperations: later((rest) => rest.listBulkOperations),
    listImports: later((rest) => rest.listImports),
    listBackups: later((rest) => rest.listBackups),
    listExports: later((rest) => rest.listExports),
    listStreams: later((rest) => rest.listStreams),
    listTables: bind(listTables),
    listTagsOfResource: later((rest) => rest.listTagsOfResource),
    putItem: bind(putItem),
    putResourcePolicy: later((rest) => rest.putResourcePolicy),
    query: bind(query),
    restoreTableFromBackup: later((rest) => rest.restoreTableFromBackup),
    restoreTableToPointInTime: later((rest) => rest.restoreTableToPointInTime),
    scan: bind(scan),
    searchVectors: later((rest) => rest.searchVectors),
    startBulkPutItems: later((rest) => rest.startBulkPutItems),
    tagResource: later((rest) => rest.tagResource),
    transactGetItems: bind(transactGetItems),
    transactWriteItems: bind(transactWriteItems),
    untagResource: later((rest) => rest.untagResource),
    updateContributorInsights: later((rest) => rest.updateContributorInsights),
    updateContinuousBackups: later((rest) => rest.updateContinuousBackups),
    updateItem: bind(updateItem),
    updateKinesisStreamingDestination: later((rest) => rest.updateKinesisStreamingDestination),
    updateTable: later((rest) => rest.updateTable),
    updateTimeToLive: later((rest) => rest.updateTimeToLive),
    createGlobalTable: later((rest) => rest.createGlobalTable),
    describeGlobalTable: later((rest) => rest.describeGlobalTable),
    describeGlobalTableSettings: later((rest) => rest.describeGlobalTableSettings),
    describeTableReplicaAutoScaling: later((rest) => rest.describeTableReplicaAutoScaling),
    listGlobalTables: later((rest) => rest.listGlobalTables),
    updateGlobalTable: later((rest) => rest.updateGlobalTable),
    updateGlobalTableSettings: later((rest) => rest.updateGlobalTableSettings),
    updateTableReplicaAutoScaling: later((rest) => rest.updateTableReplicaAutoScaling),
    capacityReport: later((rest) => rest.capacityReport),
    contributorInsightsReport: later((rest) => rest.contributorInsightsReport),
    beginBackgroundWork,
    sweepExpiredItems: async () => (await loadRest()).sweepExpiredItems(services),
    replicate: async (route) => (await loadRest()).replicate(services, route),
    replicationReport: async () => (await loadRest()).replicationReport(services),
    receiveReplicaMessage: async (message) => (await loadRest()).receiveFromAfar(services, message),
    close: async () => {
      closing.abort();
      await environment.tasks.settle();
      if (services.replicationLeases.size > 0) await (await loadRest()).releaseLeases(services);
    },
  };
}
