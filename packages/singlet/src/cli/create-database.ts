import { inspect } from 'node:util';
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
  type Throttle,
} from '../engine/index.ts';
import {
  createReplicaAction,
  createWireHandler,
  directCall,
  type InternalErrorEvent,
  type RequestEvent,
  type WireHandler,
  type WireRequest,
  type WireResponse,
} from '../server/index.ts';
import { StorageError, type Store } from '../storage/index.ts';
import { type Limits, serviceLimits } from '../values/limits.ts';
import type { ExplainStatementInput, ExplainStatementOutput } from './explain-statement.ts';
import { hostEnvironment } from './host-environment.ts';
import { type InProcessClientConfig, inProcessClientConfig } from './in-process-client.ts';
import { openKinesisSink } from './kinesis-sink.ts';
import { type BucketLocation, objectStoreOf } from './object-store.ts';
import { openStore } from './open-store.ts';
import { createReplicaLink } from './replica-link.ts';

export interface DatabaseOptions {
  /** Where to keep the data. Without it (and without `store`) everything is in memory and gone at the end. */
  readonly directory?: string | undefined;
  /** A store of one's own, instead of a directory. The database closes it. */
  readonly store?: Store | undefined;
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
   * Whether requests above a table's throughput are refused, as the service refuses them: of all tables, or of those of these
   * names. By default none are; what is consumed can be seen by {@link Database.capacity} all the same.
   */
  readonly throttle?: Throttle | undefined;
  /**
   * Where Kinesis data streams are, for tables with a Kinesis streaming destination: the URL of whatever speaks that protocol.
   * Without it, enabling a destination is refused.
   */
  readonly kinesisEndpoint?: string | undefined;
  /** Where exports go and imports come from: a directory with a directory for each bucket, or an S3 endpoint. */
  readonly buckets?: BucketLocation | undefined;
  /** The region of requests that name none. */
  readonly region?: string | undefined;
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
   * How often what other regions are owed is sent to them, in milliseconds: 500 by default. `on-demand`: only by
   * {@link Database.replicate}, which is the default with a `clock` of one's own.
   */
  readonly replicationMs?: number | 'on-demand' | undefined;
  /**
   * When work that no request waits for begins (indexes that are being filled, deletion of expired items, upkeep of streams and
   * backups, replication, deliveries): a moment after the database is opened, which is the default; or only with
   * {@link Database.beginBackgroundWork}, where one of several processes on a directory has it in its care. What a request sets
   * going is begun where the request was made, all the same.
   */
  readonly backgroundWork?: 'at-once' | 'on-demand' | undefined;
  readonly log?: ((event: EngineLogEvent) => void) | undefined;
  /** Sees every request once it is answered. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
}

/** In whose name, and where. */
export interface Caller {
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
   * Sends, once, what other regions are owed of global tables by now. What is written meanwhile is left to the next time, as is
   * what a region passes on to a third: call it until the answer says `isSettled`.
   *
   * @param route - only for some tables, from one region, or to one: for tests that want to see replicas apart.
   * @throws {StorageError} `closed` once the database is closed.
   */
  replicate(route?: ReplicationRoute): Promise<ReplicationRound>;
  /** What each region is owed by each other one, and how old the oldest of it is. */
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
   * The most accessed and most throttled keys of a table or global index, where contributor insights are enabled.
   *
   * @throws {DynamoError} ResourceNotFoundException when there is no such table or global index.
   * @throws {StorageError} `closed` once the database is closed.
   */
  contributorInsights(
    tableName: string,
    options?: { readonly indexName?: string; readonly region?: string },
  ): Promise<ContributorInsightsReport>;
  /** Finishes what is running, flushes and closes. Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens a database, in memory or on a directory.
 *
 * @throws {StorageError} `open` or `format` when the directory cannot be used, with a sentence that says why.
 * @throws {TypeError} for buckets that are none, and for replica endpoints without a secret.
 */
export async function createDatabase(options: DatabaseOptions = {}): Promise<Database> {
  // First what may be refused: nothing is open yet.
  const replicaLinks = replicaLinksOf(options);
  const objects = options.buckets === undefined ? undefined : objectStoreOf(options.buckets);
  const changeSink = options.kinesisEndpoint === undefined ? undefined : openKinesisSink(options.kinesisEndpoint);
  const store =
    options.store ??
    (await openStore(
      options.directory === undefined ? { kind: 'memory' } : { kind: 'directory', directory: options.directory },
    ));
  const environment = hostEnvironment(options);
  const { replicaSecret } = options;
  const engine = createEngine({
    store,
    environment,
    limits: { ...serviceLimits, ...options.limits },
    lifecycleDelayMs: options.lifecycleDelayMs,
    loadVectorGraphs: async () => (await import('./usearch-graphs.ts')).loadUsearchGraphs(),
    throttle: options.throttle,
    changeSink,
    expirySweepMs: options.expirySweepMs ?? (options.clock === undefined ? undefined : 'on-demand'),
    backgroundWork: options.backgroundWork,
    replicaLinks,
    replicationMs: options.replicationMs ?? (options.clock === undefined ? undefined : 'on-demand'),
    objects,
  });
  const context: RequestContext = {
    accountId: options.accountId ?? defaultAccountId,
    region: options.region ?? defaultRegion,
  };
  const accounts = new Map(Object.entries(options.accounts ?? {}));
  const handler = createWireHandler(engine, {
    ...context,
    ...(accounts.size > 0 && { accountOf: (accessKeyId) => accounts.get(accessKeyId) }),
    ...(replicaSecret !== undefined && { replicaAction: createReplicaAction(engine, replicaSecret) }),
    random: environment.random,
    monotonicMs: () => performance.now(),
    onInternalError: (event) => environment.log(internalErrorEvent(event)),
    ...(options.onRequest && { onRequest: options.onRequest }),
  });
  return new OpenDatabase({ store, engine, handler, context, changeSink });
}

function replicaLinksOf({
  replicaEndpoints,
  replicaSecret,
}: DatabaseOptions): ReadonlyMap<string, ReplicaLink> | undefined {
  const endpoints = Object.entries(replicaEndpoints ?? {});
  if (endpoints.length === 0) return undefined;
  if (replicaSecret === undefined) {
    throw new TypeError('replicaEndpoints need a replicaSecret, which the other servers have too');
  }
  return new Map(endpoints.map(([region, url]) => [region, createReplicaLink({ url, secret: replicaSecret })]));
}

const defaultAccountId = '000000000000';
const defaultRegion = 'us-east-1';

/** After so many calls the event loop has a turn: some milliseconds. */
const callsInTurnMax = 128;

class OpenDatabase implements Database {
  readonly #store: Store;
  readonly #engine: Engine;
  readonly #handler: WireHandler;
  readonly #context: RequestContext;
  readonly #changeSink: ChangeSink | undefined;
  /** How many calls that came before {@link close} are under way. A number, because a list of them costs every call. */
  #running = 0;
  #callsInTurn = 0;
  #whenIdle: (() => void) | undefined;
  #closed: Promise<void> | undefined;

  constructor(parts: {
    readonly store: Store;
    readonly engine: Engine;
    readonly handler: WireHandler;
    readonly context: RequestContext;
    readonly changeSink: ChangeSink | undefined;
  }) {
    this.#store = parts.store;
    this.#engine = parts.engine;
    this.#handler = parts.handler;
    this.#context = parts.context;
    this.#changeSink = parts.changeSink;
  }

  async handle(request: WireRequest): Promise<WireResponse> {
    // Who goes on calling finds a closed store, and does not hold up the end.
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

  async contributorInsights(
    tableName: string,
    { indexName, region }: { readonly indexName?: string; readonly region?: string } = {},
  ): Promise<ContributorInsightsReport> {
    return this.#whileOpen(() =>
      this.#engine.contributorInsightsReport({ tableName, indexName }, this.#contextIn(region)),
    );
  }

  close(): Promise<void> {
    this.#closed ??= this.#finish();
    return this.#closed;
  }

  /**
   * In memory all is done without leaving the present turn of the event loop: whoever calls again and again would keep timers and
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

  async #finish(): Promise<void> {
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

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function closedError(): StorageError {
  return new StorageError('closed', 'The database has been closed.');
}

function internalErrorEvent({ requestId, action, error }: InternalErrorEvent): EngineLogEvent {
  return {
    level: 'error',
    event: 'request failed',
    requestId,
    action,
    error: inspect(error),
  };
}
