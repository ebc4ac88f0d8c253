import type { Store } from '../storage/store.ts';
import type { ObjectStore } from '../transfer/buckets/bucket.ts';
import { type Limits, serviceLimits } from '../values/limits.ts';
import { bindActions } from './actions/bind-actions.ts';
import { CapacityModel, type Throttle } from './capacity/capacity-model.ts';
import type { Engine } from './engine.ts';
import type { EngineEnvironment } from './environment.ts';
import { streamPolicy, tableAccessFacts } from './operations/access-facts.ts';
import { uuidOf } from './layout/uuid.ts';
import type { ChangeSink } from './kinesis/change-sink.ts';
import type { ReplicaLink } from './replication/replica-message.ts';
import type { Scaler } from './scaling/scaler.ts';
import type { Scrubber } from './doctor/scrubber.ts';
import { loadDeferredEngine } from './load-deferred-engine.ts';
import { RecentClock } from './recent-clock.ts';
import type { EngineServices } from './services.ts';
import { Catalog } from './catalog/catalog.ts';
import type { ServersOfStore } from './catalog/catalog-services.ts';
import { bucketOfServer } from './catalog/statistics.ts';
import type { LoadVectorGraphs } from './vectors/vector-graph.ts';
import { VectorGraphs } from './vectors/vector-graphs.ts';
import type { WeatherForecast } from './weather/weather-settings.ts';
import { Weather } from './weather/weather.ts';

export interface EngineOptions {
  readonly store: Store;
  readonly environment: EngineEnvironment;
  /** The service's limits, or smaller ones for tests. */
  readonly limits?: Limits | undefined;
  /** How long CREATING, UPDATING and DELETING last, in milliseconds. With 0, the default, the next request sees the final state. */
  readonly lifecycleDelayMs?: number | undefined;
  /** How often expired items are removed, in milliseconds; absent: only when {@link Engine.sweepExpiredItems} is called. */
  readonly expirySweepMs?: number | 'on-demand' | undefined;
  /**
   * When background work begins. By default, a moment after the engine is opened. Otherwise only with
   * {@link Engine.beginBackgroundWork}, for an engine on a store where another engine does the work.
   */
  readonly backgroundWork?: 'at-once' | 'on-demand' | undefined;
  /** How often all stored data is checked, in milliseconds. By default, only with {@link Engine.scrub}. */
  readonly scrubMs?: number | 'on-demand' | undefined;
  /** When the alarms of scaling policies evaluate consumption: every minute, or only with {@link Engine.scaleThroughput}. */
  readonly scaling?: 'every-minute' | 'on-demand' | undefined;
  /** The regions that other servers serve, and how to reach them. */
  readonly replicaLinks?: ReadonlyMap<string, ReplicaLink> | undefined;
  /** How often pending changes are sent to other regions, in milliseconds; or only when {@link Engine.replicate} is called. */
  readonly replicationMs?: number | 'on-demand' | undefined;
  /** Makes approximate vector indexes; without it all vector searches are exact. */
  readonly loadVectorGraphs?: LoadVectorGraphs | undefined;
  /** Which tables refuse requests above their throughput. None by default. Consumption is recorded for all tables. */
  readonly throttle?: Throttle | undefined;
  /**
   * Whether other processes serve the same data and receive what this one consumes: see {@link Engine.takeConsumption}.
   */
  readonly isShared?: boolean | undefined;
  /** Identifies this process among those that serve the same store; by default a random name. */
  readonly processId?: string | undefined;
  /** Servers on several machines that share the store: what this one knows of the others, by the names in {@link processId}. */
  readonly servers?: ServersOfStore | undefined;
  /**
   * The disturbances that the service occasionally causes for applications. Without it there are none, and none can be requested later.
   *
   * @throws {ValidationException} for invalid settings.
   */
  readonly forecast?: WeatherForecast | undefined;
  /** Where eventually consistent GetItem, Query and Scan read; by default the store. */
  readonly replicaReads?: Pick<Store, 'read' | 'range'> | undefined;
  /** Where changes are delivered to Kinesis data streams. The caller closes it, after the engine. */
  readonly changeSink?: ChangeSink | undefined;
  /** Buckets for exports and imports. Without them, the actions that need them are refused. */
  readonly objects?: ObjectStore | undefined;
}

/** How long a new engine only answers requests before it looks for background work, in milliseconds. */
export const backgroundDelayMs = 250;

/**
 * Opens the engine on a store. Shortly afterwards, unless configured otherwise, it resumes the background work that an
 * earlier engine left unfinished.
 */
export function createEngine(options: EngineOptions): Engine {
  const environment = { ...options.environment, clock: new RecentClock(options.environment.clock) };
  const weather = options.forecast && new Weather(options.store, environment, options.forecast);
  const store = weather?.store ?? options.store;
  const limits = options.limits ?? serviceLimits;
  const closing = new AbortController();
  const services: EngineServices = {
    store,
    environment,
    catalog: new Catalog(
      store,
      environment.clock,
      store.manifest.multiServer === true ? bucketOfServer(environment) : undefined,
    ),
    limits,
    capacity: new CapacityModel({
      store,
      environment,
      limits,
      throttle: options.throttle,
      weather,
      isShared: options.isShared,
    }),
    weather,
    replicaReads: options.replicaReads,
    lifecycleDelayMs: options.lifecycleDelayMs ?? 0,
    backgroundJobs: new Set(),
    ...(options.replicaLinks !== undefined && { replicaLinks: options.replicaLinks }),
    processId: options.processId ?? uuidOf(environment.random.bytes(16)),
    ...(options.servers !== undefined && { servers: options.servers }),
    replicationLeases: new Map(),
    vectorGraphs: new VectorGraphs(options.loadVectorGraphs),
    ...(options.changeSink !== undefined && { changeSink: options.changeSink }),
    objects: options.objects,
    closing: closing.signal,
  };
  let scrubber: Scrubber | undefined;
  const loadScrubber = async (): Promise<Scrubber> => {
    const { Scrubber } = await loadDeferredEngine();
    return (scrubber ??= new Scrubber(services));
  };
  let scaler: Scaler | undefined;
  const loadScaler = async (): Promise<Scaler> => {
    const { Scaler } = await loadDeferredEngine();
    return (scaler ??= new Scaler(services));
  };
  let hasBegun = false;
  const beginBackgroundWork = async (): Promise<void> => {
    if (closing.signal.aborted) return;
    const rest = await loadDeferredEngine();
    if (closing.signal.aborted) return;
    if (hasBegun) return rest.resumeBackgroundWork(services);
    hasBegun = true;
    rest.beginBackgroundWork(services, options);
    const { scrubMs = 'on-demand', scaling = 'every-minute' } = options;
    if (scaling === 'every-minute') {
      environment.tasks.spawn('auto scaling', async () => (await loadScaler()).runRegularly());
    }
    if (scrubMs === 'on-demand') return;
    environment.tasks.spawn('scrub', async () => (await loadScrubber()).runRegularly(scrubMs));
  };
  if (options.backgroundWork !== 'on-demand') {
    environment.tasks.spawn('background work', async () => {
      await environment.tasks.pause(backgroundDelayMs, closing.signal);
      await beginBackgroundWork();
    });
  }
  return {
    ...bindActions(services),
    capacityReport: async (request, context) => (await loadDeferredEngine()).capacityReport(services, request, context),
    contributorInsightsReport: async (request, context) =>
      (await loadDeferredEngine()).contributorInsightsReport(services, request, context),
    throttlingReport: async (context) => (await loadDeferredEngine()).throttlingReport(services, context),
    takeConsumption: () => services.capacity.takeConsumption(),
    addConsumption: async (notes) => {
      for (const note of notes) {
        const { catalog } = services;
        const table = catalog.known(note.context, note.tableName) ?? (await catalog.load(note.context, note.tableName));
        if (table !== undefined) services.capacity.consumeElsewhere(table, note);
      }
    },
    tableAccessFacts: (tableName, context) => tableAccessFacts(services, tableName, context),
    streamPolicy: (streamArn, context) => streamPolicy(services, streamArn, context),
    beginBackgroundWork,
    sweepExpiredItems: async () => (await loadDeferredEngine()).sweepExpiredItems(services),
    replicate: async (route) => (await loadDeferredEngine()).replicate(services, route),
    replicationReport: async () => (await loadDeferredEngine()).replicationReport(services),
    receiveReplicaMessage: async (message) => (await loadDeferredEngine()).receiveRemoteMessage(services, message),
    scrub: async (bytesPerSecond) => (await loadScrubber()).start(bytesPerSecond),
    scrubReport: () => scrubber?.report,
    autoScaling: async () => new (await loadDeferredEngine()).AutoScaling(services),
    scaleThroughput: async () => (await loadScaler()).run(),
    inspection: async () => (await import('./inspection/inspection.ts')).inspectionOf(services),
    close: async () => {
      closing.abort();
      await environment.tasks.settle();
      if (services.replicationLeases.size > 0) await (await loadDeferredEngine()).releaseLeases(services);
    },
  };
}
