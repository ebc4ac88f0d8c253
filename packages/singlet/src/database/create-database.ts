import { inspect } from 'node:util';
import { type Authenticator, createAuthorizer, createInspectionAuthorizer, type Denial } from '../access/index.ts';
import {
  type CapacityReport,
  type ChangeSink,
  type Clock,
  type ContributorInsightsReport,
  createEngine,
  type Engine,
  type EngineLogEvent,
  type ReplicaLag,
  type ReplicaLink,
  type ReplicationRound,
  type ReplicationRoute,
  type RequestContext,
  type NamedSettings,
  type Throttle,
  type ThrottlingReport,
  type WeatherChoice,
  type WeatherForecast,
  type WeatherReport,
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
// By itself: the rest of the room is loaded when something is asked for.
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
import { openStore, storeLocationOf } from './open-store.ts';
import { policyForAll, readPolicy } from './policy-for-all.ts';
import { openForkable, type OpenedStore, type StoreForks } from './store-forks.ts';

/** What a database is opened with. Every member has a default. */
export interface DatabaseOptions {
  /** Where to keep the data. Without it (and without `store`) everything is in memory and gone at the end. */
  readonly directory?: string | undefined;
  /**
   * Instead of a directory: the URL of a store, such as `postgres://HOST/DATABASE`, or a store of one's own. The database closes it.
   */
  readonly store?: Store | string | undefined;
  /**
   * Keys with which the data in a directory is encrypted: one a line, 32 random bytes as base64, of which the first encrypts. Only an empty
   * directory can begin with it, and it is needed every time after that.
   */
  readonly encryptionKeys?: string | undefined;
  /** Time, for tests: milliseconds since 1970. */
  readonly clock?: Clock | undefined;
  /** Smaller limits than the service's, for tests. */
  readonly limits?: Partial<Limits> | undefined;
  /** How long CREATING, UPDATING and DELETING last, in milliseconds. By default the next request sees the end. */
  readonly lifecycleDelayMs?: number | undefined;
  /**
   * How often items whose time to live has passed are removed, in milliseconds: 10,000 by default. `on-demand`: only by
   * {@link Database.sweepExpiredItems}, which is the default with a `clock` of one's own. Who decides what time it is also
   * decides when it shows.
   */
  readonly expirySweepMs?: number | 'on-demand' | undefined;
  /**
   * How often all stored data is checked while requests are served, in milliseconds: once a week where it is kept on disk, at 5 MB a
   * second. `on-demand`: not by itself, which is the default with a `clock` of one's own. What is found is logged.
   */
  readonly scrubMs?: number | 'on-demand' | undefined;
  /**
   * Whether requests above a table's throughput are refused, as the service refuses them: of all tables, or of those of these
   * names. By default none are; what is consumed can be seen by {@link Database.capacity} all the same. `report`: none are, and those that
   * would be are logged and counted ({@link Database.throttling}).
   */
  readonly throttle?: Throttle | undefined;
  /**
   * Where Kinesis data streams are, for tables with a Kinesis streaming destination: the URL of whatever speaks that protocol.
   * Without it, enabling a destination is refused.
   */
  readonly kinesisEndpoint?: string | undefined;
  /**
   * What the service does to an application now and then and a local database never shows: throttling, conflicts, stale reads, lost
   * answers. Without it none of it happens, and {@link Database.setWeather} is refused; with `{}` none happens until then.
   */
  readonly weather?: WeatherForecast | undefined;
  /** Where exports go and imports come from: a directory with a directory for each bucket, or an S3 endpoint. */
  readonly buckets?: BucketLocation | undefined;
  /**
   * What clients may do: an IAM policy, as JSON or as the object that it is. Requests that it does not allow are answered with
   * AccessDeniedException, as those of a user with this policy; signatures are not verified. {@link Database.request} is not held to it. Without it
   * clients may do everything.
   */
  readonly policy?: string | object | undefined;
  /** The region of requests that name none. */
  readonly region?: string | undefined;
  /**
   * Whether every client sees the same tables, whatever region it is configured for: those of `region`. False by default: each region has
   * tables of its own.
   */
  readonly oneRegion?: boolean | undefined;
  /** The account that owns the tables: twelve digits. */
  readonly accountId?: string | undefined;
  /**
   * Whose an access key is: accounts (twelve digits) by access key id. A key that is not named belongs to `accountId`. Each
   * account has tables of its own in each region.
   */
  readonly accounts?: Readonly<Record<string, string>> | undefined;
  /**
   * The regions that other servers have, and where these are: `{ 'eu-west-1': 'http://10.0.0.2:8000' }`. Replicas of a table may
   * be there, too. All other regions are here.
   */
  readonly replicaEndpoints?: Readonly<Record<string, string>> | undefined;
  /** What servers whose tables replicate have in common. Without it, no other server is listened to. */
  readonly replicaSecret?: string | undefined;
  /**
   * How often pending changes are sent to other regions, in milliseconds: 500 by default. `on-demand`: only by
   * {@link Database.replicate}, which is the default with a `clock` of one's own.
   */
  readonly replicationMs?: number | 'on-demand' | undefined;
  /**
   * When work that no request waits for begins (indexes that are being filled, deletion of expired items, upkeep of streams and
   * backups, replication, deliveries): a moment after the database is opened, which is the default; or only with
   * {@link Database.beginBackgroundWork}, where one of several processes on a directory does it for all. What a request sets
   * going is begun where the request was made, all the same.
   */
  readonly backgroundWork?: 'at-once' | 'on-demand' | undefined;
  /** What the endpoints below `/_singlet/` tell of the server around the database. */
  readonly inspection?: InspectionOptions | undefined;
  /** Gets each event of the log; docs/logging.md lists them. Without it, nothing is logged. */
  readonly log?: ((event: EngineLogEvent) => void) | undefined;
  /** Sees every request once it is answered. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
}

/** What only the program knows that serves the database. */
export interface InspectionOptions {
  /** How many processes serve the same data: one by default. */
  readonly workers?: number | undefined;
  /** Which of them this is, from 0. */
  readonly worker?: number | undefined;
  /** Whether requests are logged from the start; without it, from when the log is first read. */
  readonly logRequests?: boolean | undefined;
  /** The models that are shown, and whose patterns may be run. */
  readonly models?: ModelSource | undefined;
  /** The other processes that serve the same data: reports are the sum over all. */
  readonly peers?: Peers | undefined;
}

/** In whose name, and where. */
export interface Caller {
  /** The region whose tables are meant; the database's own by default. */
  readonly region?: string | undefined;
  /** Twelve digits. */
  readonly accountId?: string | undefined;
}

/** A database in this process. */
export interface Database {
  /** Answers a request of the DynamoDB protocol, without a socket. Never rejects; once closed, it answers 503. */
  handle(request: WireRequest): Promise<WireResponse>;
  /**
   * Calls an action with its input in wire form (`{ TableName: … }`) and answers in wire form.
   *
   * @param caller - where the request comes from, if not from the default region and account.
   * @throws {DynamoError} what the service would answer.
   * @throws {StorageError} `closed` once the database is closed.
   */
  request(action: string, input: object, caller?: Caller): Promise<unknown>;
  /**
   * Tells what a PartiQL statement would do, without doing it: operations by key, or a scan.
   *
   * @throws {DynamoError} what ExecuteStatement would throw before it reads or writes anything.
   * @throws {StorageError} `closed` once the database is closed.
   */
  explainStatement(request: ExplainStatementInput): Promise<ExplainStatementOutput>;
  /** Configuration for `new DynamoDBClient(…)` of the AWS SDK: same answers, no socket. */
  clientConfig(): InProcessClientConfig;
  /**
   * Begins background work in a database that was opened without ({@link DatabaseOptions.backgroundWork}). Where it has begun, it
   * is looked once more for work that another process on the directory has left unfinished.
   *
   * @throws {StorageError} `closed` once the database is closed.
   */
  beginBackgroundWork(): Promise<void>;
  /**
   * Removes, once, every item whose time to live has passed by now, in all tables. Where time to live has just been enabled,
   * the items that were there before are looked through first.
   *
   * @returns how many items this call has removed.
   * @throws {StorageError} `closed` once the database is closed.
   */
  sweepExpiredItems(): Promise<number>;
  /**
   * Sends, once, the changes of global tables that are pending for other regions by now. What is written meanwhile is left to
   * the next time, as is what a region passes on to a third: call it until the answer says `isSettled`.
   *
   * @param route - only for some tables, from one region, or to one: for tests that want to see replicas apart.
   * @throws {StorageError} `closed` once the database is closed.
   */
  replicate(route?: ReplicationRoute): Promise<ReplicationRound>;
  /** What is pending from each region for each other one, and how old the oldest of it is. */
  replicationReport(): Promise<readonly ReplicaLag[]>;
  /**
   * What a table and its global indexes consume and may consume, as a whole and by partition: a model that is always kept.
   *
   * @param region - of the table; by default that of the database.
   * @throws {DynamoError} ResourceNotFoundException when there is no such table.
   * @throws {StorageError} `closed` once the database is closed.
   */
  capacity(tableName: string, region?: string): Promise<CapacityReport>;
  /**
   * What was throttled since the database was opened, or would have been where `throttle` only reports: by table, global index, limit and
   * partition key.
   *
   * @param region - of the tables; by default that of the database.
   * @throws {StorageError} `closed` once the database is closed.
   */
  throttling(region?: string): Promise<ThrottlingReport>;
  /**
   * Lets the alarms of all scaling policies look at the last minute, and changes throughput as they ask for. It happens by itself each minute;
   * with a `clock` of one's own only here, so a test calls it once for each minute that passes.
   *
   * @returns how many throughputs this call has changed.
   * @throws {StorageError} `closed` once the database is closed.
   */
  scaleThroughput(): Promise<number>;
  /**
   * The most accessed and most throttled keys of a table or global index, where contributor insights are enabled.
   *
   * @throws {DynamoError} ResourceNotFoundException when there is no such table or global index.
   * @throws {StorageError} `closed` once the database is closed.
   */
  contributorInsights(
    tableName: string,
    options?: { readonly indexName?: string; readonly region?: string },
  ): Promise<ContributorInsightsReport>;
  /**
   * Changes the weather of a database that was opened with one.
   *
   * @throws {DynamoError} ValidationException for settings that cannot be, and in a database that was opened without.
   */
  setWeather(forecast: WeatherForecast): Promise<WeatherReport>;
  /** What the weather is, and how often it has acted on each table. */
  weatherReport(): Promise<WeatherReport>;
  /**
   * A database that begins with everything that is in this one now, and keeps its own writes in memory: in about a millisecond, however much there
   * is. It has the options of this one, but for those given. For tests: fill a database once, and give each test a fork.
   *
   * A database in memory stays what it is beside its forks. One on a directory becomes their template with the first fork: it answers no requests
   * any more, what forks write never reaches the directory, and no other process may write there while forks are open.
   *
   * @throws {StorageError} `closed` once the database is closed.
   * @throws {TypeError} when the database was opened on a `store` of one's own, or on PostgreSQL.
   */
  fork(options?: ForkOptions): Promise<Database>;
  /** Finishes what is running, flushes and closes. Idempotent. */
  close(): Promise<void>;
}

/** What a fork may have otherwise than the database that it comes from. */
export type ForkOptions = Omit<DatabaseOptions, 'directory' | 'store'>;

/**
 * Opens a database: in memory, on a directory, or on a store that a URL names.
 *
 * @throws {StorageError} `open` or `format` when the directory cannot be used, with a sentence that says why.
 * @throws {TypeError} for buckets that are none, a policy that is none, a region that is none, for replica endpoints without a secret, and for encryption keys beside a store.
 */
export async function createDatabase(options: DatabaseOptions = {}): Promise<Database> {
  return openDatabase(options, storeOpener(options));
}

/** Who may use a database, and what for. */
export interface DatabaseAccess {
  /** Finds out who sends a request. */
  readonly authenticator: Authenticator;
  /** How many requests each of them may have at a time. */
  readonly requestLimit?: RequestLimit | undefined;
  /** How many requests a second each of them may make. */
  readonly requestRate?: RequestRate | undefined;
  /** Sees each denial. Must not throw. */
  readonly onDenial?: (denial: Denial) => void;
}

/** {@link createDatabase}, and every request in the protocol has to be signed and permitted by policies. */
export async function createVerifiedDatabase(options: DatabaseOptions, access: DatabaseAccess): Promise<Database> {
  return openDatabase(options, storeOpener(options), access);
}

const engines = new WeakMap<Database, Engine>();

/** The engine of a database, for what the command measures. */
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
  // First what may be refused: nothing is open yet.
  const { region = defaultRegion } = options;
  if (!isRegionName(region))
    throw new TypeError(`region takes the name of a region such as eu-west-1, not ${JSON.stringify(region)}.`);
  const policy = options.policy === undefined ? undefined : readPolicy(options.policy);
  const replicaLinks = replicaLinksOf(options);
  const objects = options.buckets === undefined ? undefined : objectStoreOf(options.buckets);
  const changeSink = options.kinesisEndpoint === undefined ? undefined : openKinesisSink(options.kinesisEndpoint);
  const { store, forks } = await open();
  const environment = hostEnvironment(options);
  const { replicaSecret } = options;
  const isCheckedByItself = options.clock === undefined && store.manifest.durability === 'disk';
  const engine = createEngine({
    store,
    environment,
    limits: { ...serviceLimits, ...options.limits },
    lifecycleDelayMs: options.lifecycleDelayMs,
    loadVectorGraphs: async () => (await import('./usearch-graphs.ts')).loadUsearchGraphs(),
    throttle: options.throttle,
    isShared: (options.inspection?.workers ?? 1) > 1,
    changeSink,
    expirySweepMs: options.expirySweepMs ?? (options.clock === undefined ? undefined : 'on-demand'),
    scrubMs: options.scrubMs ?? (isCheckedByItself ? scrubIntervalMs : 'on-demand'),
    backgroundWork: options.backgroundWork,
    scaling: options.clock === undefined ? 'every-minute' : 'on-demand',
    replicaLinks,
    replicationMs: options.replicationMs ?? (options.clock === undefined ? undefined : 'on-demand'),
    objects,
    forecast: options.weather,
  });
  const context: RequestContext = {
    accountId: options.accountId ?? defaultAccountId,
    region,
  };
  const nowMs = (): number => environment.clock.nowMs();
  const accounts = new Map(Object.entries(options.accounts ?? {}));
  const requests = new RequestLog({
    nowMs,
    worker: options.inspection?.worker ?? 0,
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
      peers: options.inspection?.peers,
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
    ...(options.onRequest && { onRequest: options.onRequest }),
  });
  const database = new OpenDatabase({ options, store, forks, engine, handler, context, changeSink });
  engines.set(database, engine);
  return database;
}

/** Who sends a request is known by its signature, and what it may do by policies. */
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

/** After so many calls the event loop has a turn: some milliseconds. */
const callsInTurnMax = 128;

class OpenDatabase implements Database {
  readonly #options: DatabaseOptions;
  readonly #store: Store;
  readonly #forks: StoreForks | undefined;
  readonly #engine: Engine;
  readonly #handler: WireHandler;
  readonly #context: RequestContext;
  readonly #changeSink: ChangeSink | undefined;
  /** How many calls that came before {@link close} are under way. A number, because a list of them costs every call. */
  #running = 0;
  #callsInTurn = 0;
  #whenIdle: (() => void) | undefined;
  #closed: Promise<void> | undefined;
  /** Set once requests find the store closed: by `close`, or because the database is the template of forks. */
  #sealed: Promise<void> | undefined;

  constructor(parts: {
    readonly options: DatabaseOptions;
    readonly store: Store;
    readonly forks: StoreForks | undefined;
    readonly engine: Engine;
    readonly handler: WireHandler;
    readonly context: RequestContext;
    readonly changeSink: ChangeSink | undefined;
  }) {
    this.#options = parts.options;
    this.#store = parts.store;
    this.#forks = parts.forks;
    this.#engine = parts.engine;
    this.#handler = parts.handler;
    this.#context = parts.context;
    this.#changeSink = parts.changeSink;
  }

  async handle(request: WireRequest): Promise<WireResponse> {
    // Who keeps calling finds a closed store, and does not hold up the end.
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
    // The shape of the action's answer makes it so.
    return (await this.request('ExplainStatement', request)) as ExplainStatementOutput;
  }

  clientConfig(): InProcessClientConfig {
    const handle = async (request: WireRequest): Promise<WireResponse> => {
      // Said plainly, and not as the 503 that a server would answer: the SDK would try that again and again.
      if (this.#closed !== undefined) throw closedError();
      return this.handle(request);
    };
    return inProcessClientConfig({ handle }, this.#context.region);
  }

  async beginBackgroundWork(): Promise<void> {
    return this.#whileOpen(() => this.#engine.beginBackgroundWork());
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
    return this.#whileOpen(() => this.#engine.setWeather(request, this.#context));
  }

  async weatherReport(): Promise<WeatherReport> {
    return this.#whileOpen(() => this.#engine.getWeather({}, this.#context));
  }

  async fork(options: ForkOptions = {}): Promise<Database> {
    if (this.#closed !== undefined) throw closedError();
    const forks = this.#forks;
    if (forks === undefined) throw new TypeError('a database on PostgreSQL, or on your own store, cannot be forked');
    const opened = await forks.open();
    if (forks.sealsParent) await this.#seal();
    return openDatabase({ ...this.#options, ...options }, async () => opened);
  }

  close(): Promise<void> {
    this.#closed ??= this.#finish();
    return this.#closed;
  }

  /**
   * In memory all is done without leaving the present turn of the event loop: a caller in a loop would keep timers and
   * sockets from theirs.
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

  /** From now on the store is closed to requests, and no background work changes it. */
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
    this.#changeSink?.close();
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
    await this.#store.close();
  }

  #ended(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#whenIdle?.();
  }
}

function namedSettings(choice: WeatherChoice): NamedSettings {
  return typeof choice === 'string' ? { name: choice } : choice;
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
    // One line says all about a full disk. It may come with every request.
    error: error instanceof StorageError && error.isDiskFull ? error.message : inspect(error),
  };
}
