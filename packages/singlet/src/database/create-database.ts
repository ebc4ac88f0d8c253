import { inspect } from 'node:util';
import { type Authenticator, createAuthorizer, createInspectionAuthorizer, type Denial } from '../access/index.ts';
import {
  type CapacityReport,
  type ChangeSink,
  type Clock,
  type ContributorInsightsReport,
  createEngine,
  type Engine,
  type EngineEnvironment,
  type EngineLogEvent,
  type ReplicaLag,
  type ReplicaLink,
  type ReplicationRound,
  type ReplicationRoute,
  type RequestContext,
  type Throttle,
  type ThrottlingReport,
  type WeatherForecast,
  type WeatherReport,
  namedSettings,
  scrubIntervalMs,
} from '../engine/index.ts';
import {
  createReplicaAction,
  createWireHandler,
  directCall,
  type Inspect,
  type InternalErrorEvent,
  type RequestEvent,
  type RequestLimit,
  type RequestRate,
  type WireHandler,
  type WireOptions,
  type WireRequest,
  type WireResponse,
} from '../server/index.ts';
import type { InspectServices, ModelSource, Peers } from '../inspect/index.ts';
// Imported directly: the rest of that module is loaded when an inspection endpoint is first used.
import { RequestLog } from '../inspect/requests/request-log.ts';
import { StorageError, type Store } from '../storage/index.ts';
import { isRegionName } from '../values/region-name.ts';
import { assert } from '../values/assert.ts';
import { type Limits, serviceLimits } from '../values/limits.ts';
import type { ExplainStatementInput, ExplainStatementOutput } from './explained-statement.ts';
import { hostEnvironment } from './host-environment.ts';
import { type InProcessClientConfig, inProcessClientConfig } from './in-process-client.ts';
import { openKinesisSink } from './kinesis-sink.ts';
import { type BucketLocation, objectStoreOf } from './object-store.ts';
import { createReplicaLink } from './replica-link.ts';
import { openReadStore, openStore, storeLocationOf } from './open-store.ts';
import { policyForAll, readPolicy } from './policy-for-all.ts';
import { openForkable, type OpenedStore, type StoreForks } from './store-forks.ts';
import { ReplicaReads } from './replica-reads.ts';
import { serverName, StorePeers } from './store-peers.ts';

/** Options for opening a database. Every member has a default. */
export interface DatabaseOptions {
  /** Where to keep the data. Without it (and without `store`) everything is in memory and is lost when the process ends. */
  readonly directory?: string | undefined;
  /**
   * Instead of a directory: the URL of a store, such as `postgres://HOST/DATABASE`, or a custom store. The database closes it.
   */
  readonly store?: Store | string | undefined;
  /**
   * With a store in PostgreSQL: the URL of a standby, or a custom store, which then answers eventually consistent GetItem, Query and Scan. They
   * are as stale as the standby. If it does not answer, the store does. The database closes it.
   */
  readonly readStore?: Store | string | undefined;
  /**
   * Keys that encrypt the data in a directory: one per line, 32 random bytes as base64. The first one encrypts. Encryption can only be enabled
   * on an empty directory, and the keys are then required every time it is opened.
   */
  readonly encryptionKeys?: string | undefined;
  /** The clock, for tests: milliseconds since 1970. */
  readonly clock?: Clock | undefined;
  /** Smaller limits than the service's, for tests. */
  readonly limits?: Partial<Limits> | undefined;
  /** How long CREATING, UPDATING and DELETING last, in milliseconds. By default the next request sees the final state. */
  readonly lifecycleDelayMs?: number | undefined;
  /**
   * How often items whose time to live has passed are removed, in milliseconds: 10,000 by default. `on-demand`: only by {@link
   * Database.sweepExpiredItems}, which is the default with a custom `clock`, so that tests control when items are removed.
   */
  readonly expirySweepMs?: number | 'on-demand' | undefined;
  /**
   * How often all stored data is checked while requests are served, in milliseconds: once a week for data on disk, at 5 MB a second.
   * `on-demand`: not automatically, which is the default with a custom `clock`. Findings are logged.
   */
  readonly scrubMs?: number | 'on-demand' | undefined;
  /**
   * Whether requests above a table's throughput are refused, as the service refuses them: of all tables, or of the named ones. By default none
   * are; {@link Database.capacity} reports consumption in either case. `report`: none are, but those that would be are logged and counted
   * ({@link Database.throttling}).
   */
  readonly throttle?: Throttle | undefined;
  /**
   * Where Kinesis data streams are, for tables with a Kinesis streaming destination: the URL of any server that speaks the Kinesis protocol.
   * Without it, enabling a destination is refused.
   */
  readonly kinesisEndpoint?: string | undefined;
  /**
   * Faults that the service shows now and then and a local database never does: throttling, conflicts, stale reads, lost answers. Without it
   * there are none, and {@link Database.setWeather} is refused; with `{}` there are none until that is called.
   */
  readonly weather?: WeatherForecast | undefined;
  /** Where exports are written and imports are read: a directory with a subdirectory for each bucket, or an S3 endpoint. */
  readonly buckets?: BucketLocation | undefined;
  /**
   * What clients may do: an IAM policy, as JSON text or as an object. Other requests are answered with AccessDeniedException, as for a user
   * with this policy; signatures are not verified. {@link Database.request} is not subject to it. Without it clients may do everything.
   */
  readonly policy?: string | object | undefined;
  /** The region of requests that do not name one. */
  readonly region?: string | undefined;
  /**
   * Whether every client sees the tables of `region`, whatever region the client is configured for. False by default: each region has its own
   * tables.
   */
  readonly oneRegion?: boolean | undefined;
  /** The account that owns the tables: twelve digits. */
  readonly accountId?: string | undefined;
  /**
   * The accounts (twelve digits) of access keys, by access key id. Other keys belong to `accountId`. Each account has its own tables in each
   * region.
   */
  readonly accounts?: Readonly<Record<string, string>> | undefined;
  /**
   * Regions that other servers provide, with their addresses: `{ 'eu-west-1': 'http://10.0.0.2:8000' }`. Tables may have replicas there, too.
   * All other regions are provided by this database.
   */
  readonly replicaEndpoints?: Readonly<Record<string, string>> | undefined;
  /** The shared secret of servers that replicate to each other. Without it, requests of other servers are refused. */
  readonly replicaSecret?: string | undefined;
  /**
   * How often pending changes are sent to other regions, in milliseconds: 500 by default. `on-demand`: only by {@link Database.replicate},
   * which is the default with a custom `clock`.
   */
  readonly replicationMs?: number | 'on-demand' | undefined;
  /**
   * When background tasks begin (backfills, deletion of expired items, maintenance of streams and backups, replication, deliveries): shortly
   * after the database is opened, which is the default; or only with {@link Database.beginBackgroundWork}, if one of several processes on a
   * directory does it for all. A background task that a request starts always begins in the process that received the request.
   */
  readonly backgroundWork?: 'at-once' | 'on-demand' | undefined;
  /** What the endpoints below `/_singlet/` report about the server that runs the database. */
  readonly inspection?: InspectionOptions | undefined;
  /** Called with each log event; docs/logging.md lists them. Without it, nothing is logged. */
  readonly log?: ((event: EngineLogEvent) => void) | undefined;
  /** Called for every request once it is answered. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
}

/** Information that only the serving program has. */
export interface InspectionOptions {
  /** How many processes serve the same data: one by default. */
  readonly workers?: number | undefined;
  /** The number of this process, from 0. */
  readonly worker?: number | undefined;
  /** Whether requests are logged from the start. Otherwise logging begins when the log is first read. */
  readonly logRequests?: boolean | undefined;
  /** The models that are shown and whose patterns can be run. */
  readonly models?: ModelSource | undefined;
  /** The other processes that serve the same data. Reports are the sum over all of them. */
  readonly peers?: Peers | undefined;
}

/** The account and region of a call. */
export interface Caller {
  /** The region of the tables; by default that of the database. */
  readonly region?: string | undefined;
  /** Twelve digits. */
  readonly accountId?: string | undefined;
}

/** A database in this process. */
export interface Database {
  /** Answers a request of the DynamoDB protocol, without a socket. Never rejects; after the database is closed, it answers 503. */
  handle(request: WireRequest): Promise<WireResponse>;
  /**
   * Calls an action with its input in wire form (`{ TableName: … }`) and returns the answer in wire form.
   *
   * @param caller - the account and region of the request; by default those of the database.
   * @throws {DynamoError} the error that the service would return.
   * @throws {StorageError} `closed` once the database is closed.
   */
  request(action: string, input: object, caller?: Caller): Promise<unknown>;
  /**
   * Returns what a PartiQL statement would do, without running it: operations by key, or a scan.
   *
   * @throws {DynamoError} the errors that ExecuteStatement throws before it reads or writes anything.
   * @throws {StorageError} `closed` once the database is closed.
   */
  explainStatement(request: ExplainStatementInput): Promise<ExplainStatementOutput>;
  /** Configuration for `new DynamoDBClient(…)` of the AWS SDK: the same answers without a socket. */
  clientConfig(): InProcessClientConfig;
  /**
   * Begins background work in a database that was opened without it ({@link DatabaseOptions.backgroundWork}). If it has begun, it checks once
   * more for work that another process on the directory has left unfinished.
   *
   * @throws {StorageError} `closed` once the database is closed.
   */
  beginBackgroundWork(): Promise<void>;
  /**
   * Removes, once, every item whose time to live has passed, in all tables. If time to live has just been enabled, the existing items are
   * scanned first.
   *
   * @returns how many items this call has removed.
   * @throws {StorageError} `closed` once the database is closed.
   */
  sweepExpiredItems(): Promise<number>;
  /**
   * Sends, once, the changes of global tables that are pending for other regions. Changes written meanwhile, and changes that a region passes
   * on to a third, are left for the next call: call it until the answer says `isSettled`.
   *
   * @param route - limits the call to some tables, or to one source or target region: for tests that need replicas to differ.
   * @throws {StorageError} `closed` once the database is closed.
   */
  replicate(route?: ReplicationRoute): Promise<ReplicationRound>;
  /** The number of changes pending between each pair of regions, and the age of the oldest. */
  replicationReport(): Promise<readonly ReplicaLag[]>;
  /**
   * The consumed and available capacity of a table and its global indexes, in total and by partition, from a model that is always maintained.
   *
   * @param region - of the table; by default that of the database.
   * @throws {DynamoError} ResourceNotFoundException if the table does not exist.
   * @throws {StorageError} `closed` once the database is closed.
   */
  capacity(tableName: string, region?: string): Promise<CapacityReport>;
  /**
   * What has been throttled since the database was opened, or would have been if `throttle` only reports: by table, global index, limit and
   * partition key.
   *
   * @param region - of the tables; by default that of the database.
   * @throws {StorageError} `closed` once the database is closed.
   */
  throttling(region?: string): Promise<ThrottlingReport>;
  /**
   * Evaluates the alarms of all scaling policies for the last minute, and changes throughput accordingly. This happens automatically each
   * minute. With a custom `clock` it happens only here, so a test calls it once for each minute that passes.
   *
   * @returns how many throughputs this call has changed.
   * @throws {StorageError} `closed` once the database is closed.
   */
  scaleThroughput(): Promise<number>;
  /**
   * The most accessed and most throttled keys of a table or global index with contributor insights enabled.
   *
   * @throws {DynamoError} ResourceNotFoundException if the table or global index does not exist.
   * @throws {StorageError} `closed` once the database is closed.
   */
  contributorInsights(
    tableName: string,
    options?: { readonly indexName?: string; readonly region?: string },
  ): Promise<ContributorInsightsReport>;
  /**
   * Changes the weather of a database that was opened with one.
   *
   * @throws {DynamoError} ValidationException for invalid settings, and if the database was opened without weather.
   */
  setWeather(forecast: WeatherForecast): Promise<WeatherReport>;
  /** The current weather, and how often it has acted on each table. */
  weatherReport(): Promise<WeatherReport>;
  /**
   * A database with the current contents of this one, which keeps its own writes in memory. Forking takes about a millisecond, whatever the
   * size. The fork has the options of this database and the weather that was last set, except those given. For tests: fill a database once, and give each test a fork.
   *
   * A database in memory remains usable beside its forks. One on a directory becomes their template with the first fork: it answers no more
   * requests, writes of forks never reach the directory, and no other process may write there while forks are open.
   *
   * @throws {StorageError} `closed` once the database is closed.
   * @throws {TypeError} if the database was opened on a custom `store`, or on PostgreSQL.
   */
  fork(options?: ForkOptions): Promise<Database>;
  /** Finishes running requests, flushes and closes. Idempotent. */
  close(): Promise<void>;
}

/** Options of a fork that can differ from those of its parent. */
export type ForkOptions = Omit<DatabaseOptions, 'directory' | 'store' | 'readStore'>;

/**
 * Opens a database: in memory, on a directory, or on a store given by a URL.
 *
 * @throws {StorageError} `open` or `format` if the directory cannot be used, with a sentence that says why.
 * @throws {TypeError} for an unknown option, invalid buckets, an invalid policy or region, replica endpoints without a secret, and encryption
 *   keys together with a store.
 */
export async function createDatabase(options: DatabaseOptions = {}): Promise<Database> {
  refuseUnknown(options);
  return openDatabase(options, storeOpener(options));
}

const optionNames: Readonly<Record<keyof DatabaseOptions, true>> = {
  directory: true,
  store: true,
  readStore: true,
  encryptionKeys: true,
  clock: true,
  limits: true,
  lifecycleDelayMs: true,
  expirySweepMs: true,
  scrubMs: true,
  throttle: true,
  kinesisEndpoint: true,
  weather: true,
  buckets: true,
  policy: true,
  region: true,
  oneRegion: true,
  accountId: true,
  accounts: true,
  replicaEndpoints: true,
  replicaSecret: true,
  replicationMs: true,
  backgroundWork: true,
  inspection: true,
  log: true,
  onRequest: true,
};

/** For callers without types: a misspelled `directory` would keep the data in memory, and lose it. */
function refuseUnknown(options: object): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(optionNames, name));
  if (unknown !== undefined) throw new TypeError(`there is no option ${JSON.stringify(unknown)}: is it misspelled?`);
}

/** Authentication and limits of the callers of a database. */
export interface DatabaseAccess {
  /** Identifies the sender of a request. */
  readonly authenticator: Authenticator;
  /** How many concurrent requests each sender may have. */
  readonly requestLimit?: RequestLimit | undefined;
  /** How many requests a second each sender may make. */
  readonly requestRate?: RequestRate | undefined;
  /** Called for each denial. Must not throw. */
  readonly onDenial?: (denial: Denial) => void;
}

/** {@link createDatabase}, but every request of the protocol must be signed, and permitted by policies. */
export async function createVerifiedDatabase(options: DatabaseOptions, access: DatabaseAccess): Promise<Database> {
  return openDatabase(options, storeOpener(options), access);
}

const engines = new WeakMap<Database, Engine>();

/** The engine of a database, for the metrics of the command. */
export function engineOf(database: Database): Engine {
  const engine = engines.get(database);
  assert(engine !== undefined, 'a database was opened by this module');
  return engine;
}

function storeOpener({ store, directory, encryptionKeys }: DatabaseOptions): () => Promise<OpenedStore> {
  if (store === undefined) return () => openForkable(directory, encryptionKeys);
  if (typeof store === 'string') {
    const location = storeLocationOf(store);
    if (location.kind === 'memory') return () => openForkable(undefined, encryptionKeys);
    if (location.kind === 'directory') return () => openForkable(location.directory, encryptionKeys);
    return async () => ({ store: await openStore(location, { encryptionKeys }) });
  }
  if (encryptionKeys === undefined) return async () => ({ store });
  throw new TypeError('encryptionKeys need a directory; a store passed as an option has to encrypt by itself');
}

async function openDatabase(
  options: DatabaseOptions,
  open: () => Promise<OpenedStore>,
  access?: DatabaseAccess,
): Promise<Database> {
  // Invalid options are refused first, while nothing is open.
  const { region = defaultRegion } = options;
  if (!isRegionName(region))
    throw new TypeError(`region takes the name of a region such as eu-west-1, not ${JSON.stringify(region)}.`);
  const policy = options.policy === undefined ? undefined : readPolicy(options.policy);
  const replicaLinks = replicaLinksOf(options);
  const objects = options.buckets === undefined ? undefined : objectStoreOf(options.buckets);
  const changeSink = options.kinesisEndpoint === undefined ? undefined : openKinesisSink(options.kinesisEndpoint);
  const { store, forks } = await open();
  const readStore = await openReplicaOrClose(options, store);
  const environment = hostEnvironment(options);
  const { replicaSecret } = options;
  const isCheckedByItself = options.clock === undefined && store.manifest.durability === 'disk';
  const serverId = environment.random.bytes(16);
  const isShared = store.manifest.multiServer === true;
  const engine: Engine = createEngine({
    store,
    environment,
    processId: isShared ? serverName(serverId) : undefined,
    servers: isShared ? { isRunning: (id) => others?.isRunning(id) ?? true } : undefined,
    limits: { ...serviceLimits, ...options.limits },
    lifecycleDelayMs: options.lifecycleDelayMs,
    loadVectorGraphs: async () => (await import('./usearch-graphs.ts')).loadUsearchGraphs(),
    throttle: options.throttle,
    isShared: isShared || (options.inspection?.workers ?? 1) > 1,
    changeSink,
    expirySweepMs: options.expirySweepMs ?? (options.clock === undefined ? undefined : 'on-demand'),
    scrubMs: options.scrubMs ?? (isCheckedByItself ? scrubIntervalMs : 'on-demand'),
    backgroundWork: options.backgroundWork,
    scaling: options.clock === undefined ? 'every-minute' : 'on-demand',
    replicaLinks,
    replicationMs: options.replicationMs ?? (options.clock === undefined ? undefined : 'on-demand'),
    objects,
    forecast: options.weather,
    replicaReads: readStore && replicaReadsOf(store, readStore, environment),
  });
  const others: StorePeers | undefined = isShared
    ? joinOthers(store, engine, environment, { id: serverId, otherStopped: () => database.otherStopped() })
    : undefined;
  const peers = others ?? options.inspection?.peers;
  const context: RequestContext = {
    accountId: options.accountId ?? defaultAccountId,
    region,
  };
  const nowMs = (): number => environment.clock.nowMs();
  const accounts = new Map(Object.entries(options.accounts ?? {}));
  const requests = new RequestLog({
    nowMs,
    // Servers on several machines have no number: two with the same one may give two requests the same number.
    worker: others === undefined ? (options.inspection?.worker ?? 0) : (environment.random.bytes(1)[0] ?? 0),
    isAlwaysOn: options.inspection?.logRequests ?? false,
  });
  const handler = createWireHandler(engine, {
    ...context,
    ...(access && verified(engine, access, { server: context, nowMs })),
    ...(policy && policyForAll(policy, { engine, nowMs })),
    oneRegion: options.oneRegion ?? false,
    ...(accounts.size > 0 && { accountOf: (accessKeyId) => accounts.get(accessKeyId) }),
    ...(replicaSecret !== undefined && { replicaAction: createReplicaAction(engine, replicaSecret) }),
    inspect: lazyInspect({
      engine,
      peers,
      call: async (action, input, caller) => directCall(engine, action, input, caller),
      nowMs,
      pause: (delayMs, signal) => environment.tasks.pause(delayMs, signal),
      about: {
        store: store.manifest.name,
        accountId: context.accountId,
        workers: options.inspection?.workers ?? 1,
      },
      requests,
      models: options.inspection?.models,
    }),
    observer: requests,
    random: environment.random,
    monotonicMs: () => performance.now(),
    onInternalError: (event) => environment.log(internalErrorEvent(event)),
    get onRequest() {
      return options.onRequest;
    },
  });
  const database = new OpenDatabase({
    options,
    store,
    readStore,
    forks,
    engine,
    handler,
    context,
    changeSink,
    others,
  });
  others?.start();
  engines.set(database, engine);
  return database;
}

async function openReplicaOrClose(
  { store: place, readStore, encryptionKeys }: DatabaseOptions,
  store: Store,
): Promise<Store | undefined> {
  if (typeof readStore !== 'string') return readStore;
  try {
    const location = typeof place === 'string' ? storeLocationOf(place) : ({ kind: 'memory' } as const);
    return await openReadStore(readStore, location, encryptionKeys);
  } catch (error) {
    await store.close();
    throw error;
  }
}

function replicaReadsOf(store: Store, replica: Store, { log }: EngineEnvironment): ReplicaReads {
  return new ReplicaReads({
    store,
    replica,
    monotonicMs: () => performance.now(),
    onFailure: (error) => log({ level: 'warn', event: 'read-store-failed', error }),
  });
}

/** Finds the other servers over the same store: they add up their figures, and take over the background work of those that stop. */
function joinOthers(
  store: Store,
  engine: Engine,
  { tasks, log }: EngineEnvironment,
  { id, otherStopped }: { readonly id: Uint8Array; readonly otherStopped: () => Promise<void> },
): StorePeers {
  return new StorePeers({
    store,
    id,
    monotonicMs: () => performance.now(),
    pause: (delayMs, signal) => tasks.pause(delayMs, signal),
    takeConsumption: () => engine.takeConsumption(),
    addConsumption: (notes) => engine.addConsumption(notes),
    onStopped: async () => {
      log({ level: 'info', event: 'server-stopped' });
      await otherStopped();
    },
    onError: (error) => log({ level: 'debug', event: 'servers-not-reached', error }),
  });
}

/** Identifies the sender of a request by its signature, and authorises it by policies. */
function verified(
  engine: Engine,
  { authenticator, requestLimit, requestRate, onDenial }: DatabaseAccess,
  { server, nowMs }: { readonly server: RequestContext; readonly nowMs: () => number },
): Pick<WireOptions, 'authenticate' | 'requestLimit' | 'requestRate' | 'authorize' | 'authorizeInspection'> {
  const options = { engine, nowMs, ...(onDenial && { onDenial }) };
  const authorize = createAuthorizer(options);
  const authorizeInspection = createInspectionAuthorizer({ ...options, server });
  return {
    authenticate: (request, service) => authenticator.authenticate(request, service),
    requestLimit,
    requestRate,
    authorize: ({ call, touches, context, tableOwner, requester }) => {
      assert(
        requester !== undefined,
        'authorise needs authenticate: a request is authenticated before it is authorised',
      );
      return authorize(requester.caller, requester.origin, { call, touches, context, tableOwner });
    },
    authorizeInspection: ({ caller, origin }, { name, on }, asked) =>
      authorizeInspection(caller, origin, { permission: name, on, context: asked }),
  };
}

/** The endpoints below `/_singlet/` are loaded by the first request for one. */
function lazyInspect(services: InspectServices): Inspect {
  let inspect: Promise<Inspect> | undefined;
  services.peers?.answerWith(async (question) => {
    const { answerPart } = await import('../inspect/index.ts');
    return answerPart(question, services);
  });
  return async (request) => {
    inspect ??= import('../inspect/index.ts').then(({ createInspect }) => createInspect(services));
    return (await inspect)(request);
  };
}

function replicaLinksOf({
  replicaEndpoints,
  replicaSecret,
}: DatabaseOptions): ReadonlyMap<string, ReplicaLink> | undefined {
  const endpoints = Object.entries(replicaEndpoints ?? {});
  if (endpoints.length === 0) return undefined;
  if (replicaSecret === undefined) {
    throw new TypeError('replicaEndpoints need a replicaSecret, shared with the other servers');
  }
  return new Map(endpoints.map(([region, url]) => [region, createReplicaLink({ url, secret: replicaSecret })]));
}

const defaultAccountId = '000000000000';
const defaultRegion = 'us-east-1';

/** After this many calls the event loop gets a turn: some milliseconds. */
const callsInTurnMax = 128;

class OpenDatabase implements Database {
  readonly #options: DatabaseOptions;
  readonly #store: Store;
  readonly #readStore: Store | undefined;
  readonly #forks: StoreForks | undefined;
  readonly #engine: Engine;
  readonly #handler: WireHandler;
  readonly #context: RequestContext;
  readonly #changeSink: ChangeSink | undefined;
  readonly #others: StorePeers | undefined;
  #doesBackgroundWork: boolean;
  /** That of forks. */
  #weather: WeatherForecast | undefined;
  /** The number of running calls that began before {@link close}. A counter, because a list of them would slow down every call. */
  #running = 0;
  #callsInTurn = 0;
  #whenIdle: (() => void) | undefined;
  #closed: Promise<void> | undefined;
  /** Set once requests find the store closed: by `close`, or because the database is the template of forks. */
  #sealed: Promise<void> | undefined;

  constructor(parts: {
    readonly options: DatabaseOptions;
    readonly store: Store;
    readonly readStore: Store | undefined;
    readonly forks: StoreForks | undefined;
    readonly engine: Engine;
    readonly handler: WireHandler;
    readonly context: RequestContext;
    readonly changeSink: ChangeSink | undefined;
    readonly others: StorePeers | undefined;
  }) {
    this.#options = parts.options;
    this.#weather = parts.options.weather;
    this.#store = parts.store;
    this.#readStore = parts.readStore;
    this.#forks = parts.forks;
    this.#engine = parts.engine;
    this.#handler = parts.handler;
    this.#context = parts.context;
    this.#changeSink = parts.changeSink;
    this.#others = parts.others;
    this.#doesBackgroundWork = parts.options.backgroundWork !== 'on-demand';
  }

  async handle(request: WireRequest): Promise<WireResponse> {
    // Later callers find a closed store, and do not delay closing.
    if (this.#closed !== undefined) return this.#handler(request);
    this.#running += 1;
    try {
      const answer = this.#handler(request);
      return answer instanceof Promise ? await answer : answer;
    } finally {
      this.#ended();
      if (this.#isTurnDue()) await nextTurn();
    }
  }

  async request(action: string, input: object, caller?: Caller): Promise<unknown> {
    if (this.#closed !== undefined) throw closedError();
    this.#running += 1;
    try {
      const context =
        caller === undefined
          ? this.#context
          : {
              accountId: caller.accountId ?? this.#context.accountId,
              region: caller.region ?? this.#context.region,
            };
      const answer = directCall(this.#engine, action, input, context);
      return answer instanceof Promise ? await answer : answer;
    } finally {
      this.#ended();
      if (this.#isTurnDue()) await nextTurn();
    }
  }

  async explainStatement(request: ExplainStatementInput): Promise<ExplainStatementOutput> {
    // The shape of the action's answer guarantees this.
    return (await this.request('ExplainStatement', request)) as ExplainStatementOutput;
  }

  clientConfig(): InProcessClientConfig {
    const handle = async (request: WireRequest): Promise<WireResponse> => {
      // Thrown as an error, not the 503 that a server would answer, which the SDK would retry.
      if (this.#closed !== undefined) throw closedError();
      return this.handle(request);
    };
    return inProcessClientConfig({ handle }, this.#context.region);
  }

  async beginBackgroundWork(): Promise<void> {
    this.#doesBackgroundWork = true;
    return this.#whileOpen(() => this.#engine.beginBackgroundWork());
  }

  /** Another server over the same store has stopped, perhaps in the middle of its work. */
  async otherStopped(): Promise<void> {
    if (this.#doesBackgroundWork && this.#closed === undefined) await this.#engine.beginBackgroundWork();
  }

  async sweepExpiredItems(): Promise<number> {
    return this.#whileOpen(() => this.#engine.sweepExpiredItems());
  }

  async replicate(route?: ReplicationRoute): Promise<ReplicationRound> {
    return this.#whileOpen(() => this.#engine.replicate(route));
  }

  async replicationReport(): Promise<readonly ReplicaLag[]> {
    return this.#whileOpen(() => this.#engine.replicationReport());
  }

  async capacity(tableName: string, region?: string): Promise<CapacityReport> {
    return this.#whileOpen(() => this.#engine.capacityReport({ tableName }, this.#contextIn(region)));
  }

  async scaleThroughput(): Promise<number> {
    return this.#whileOpen(() => this.#engine.scaleThroughput());
  }

  async throttling(region?: string): Promise<ThrottlingReport> {
    return this.#whileOpen(() => this.#engine.throttlingReport(this.#contextIn(region)));
  }

  async contributorInsights(
    tableName: string,
    { indexName, region }: { readonly indexName?: string; readonly region?: string } = {},
  ): Promise<ContributorInsightsReport> {
    return this.#whileOpen(() =>
      this.#engine.contributorInsightsReport({ tableName, indexName }, this.#contextIn(region)),
    );
  }

  async setWeather({ seed, everywhere, tables = {} }: WeatherForecast): Promise<WeatherReport> {
    const request = {
      seed,
      everywhere: everywhere === undefined ? undefined : namedSettings(everywhere),
      tables: Object.fromEntries(Object.entries(tables).map(([name, choice]) => [name, namedSettings(choice)])),
    };
    const report = await this.#whileOpen(() => this.#engine.setWeather(request, this.#context));
    this.#weather = { seed, everywhere, tables };
    return report;
  }

  async weatherReport(): Promise<WeatherReport> {
    return this.#whileOpen(() => this.#engine.getWeather({}, this.#context));
  }

  async fork(options: ForkOptions = {}): Promise<Database> {
    if (this.#closed !== undefined) throw closedError();
    refuseUnknown(options);
    const forks = this.#forks;
    if (forks === undefined) throw new TypeError('a database on PostgreSQL, or on your own store, cannot be forked');
    const opened = await forks.open();
    if (forks.sealsParent) await this.#seal();
    return openDatabase({ ...this.#options, weather: this.#weather, ...options }, async () => opened);
  }

  close(): Promise<void> {
    this.#closed ??= this.#finish();
    return this.#closed;
  }

  /**
   * In memory, calls complete within the current turn of the event loop, so a caller in a loop would starve timers and sockets.
   */
  #isTurnDue(): boolean {
    this.#callsInTurn = (this.#callsInTurn + 1) % callsInTurnMax;
    return this.#callsInTurn === 0;
  }

  #contextIn(region: string | undefined): RequestContext {
    return region === undefined ? this.#context : { ...this.#context, region };
  }

  async #whileOpen<T>(call: () => Promise<T>): Promise<T> {
    if (this.#closed !== undefined) throw closedError();
    this.#running += 1;
    try {
      return await call();
    } finally {
      this.#ended();
    }
  }

  /** Closes the store to requests, and stops background work from changing it. */
  #seal(): Promise<void> {
    this.#sealed ??= this.#endWork();
    return this.#sealed;
  }

  async #finish(): Promise<void> {
    await this.#seal();
    await this.#forks?.close?.();
  }

  async #endWork(): Promise<void> {
    await this.#engine.close();
    // After the work has ended: the others take over what is left of it.
    await this.#others?.close();
    this.#changeSink?.close();
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
    await this.#readStore?.close();
    await this.#store.close();
  }

  #ended(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#whenIdle?.();
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function closedError(): StorageError {
  return new StorageError('closed', 'The database has been closed.');
}

function internalErrorEvent({ requestId, action, error }: InternalErrorEvent): EngineLogEvent {
  return {
    level: 'error',
    event: 'request-failed',
    requestId,
    action,
    // One line is enough for a full disk, since it may be logged for every request.
    error: error instanceof StorageError && error.isDiskFull ? error.message : inspect(error),
  };
}
