import { inspect } from 'node:util';
import { createEngine, type Clock, type Engine, type EngineLogEvent, type RequestContext } from '../engine/index.ts';
import {
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
import { hostEnvironment } from './host-environment.ts';
import { type InProcessClientConfig, inProcessClientConfig } from './in-process-client.ts';
import { type BucketLocation, objectStoreOf } from './object-store.ts';
import { openStore } from './open-store.ts';

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
  /** Where exports go and imports come from: a directory with a directory for each bucket, or an S3 endpoint. */
  readonly buckets?: BucketLocation | undefined;
  /** The region of requests that name none. */
  readonly region?: string | undefined;
  /** The account that owns the tables: twelve digits. */
  readonly accountId?: string | undefined;
  readonly log?: ((event: EngineLogEvent) => void) | undefined;
  /** Sees every request once it is answered. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
}

/** A database in this process. */
export interface Database {
  /** Answers a request of the DynamoDB protocol, without a socket. Never rejects; once closed, it answers 503. */
  handle(request: WireRequest): Promise<WireResponse>;
  /**
   * Calls an action with its input in wire form (`{ TableName: … }`) and answers in wire form.
   *
   * @throws {DynamoError} what the service would answer.
   * @throws {StorageError} `closed` once the database is closed.
   */
  request(action: string, input: object): Promise<unknown>;
  /** Configuration for `new DynamoDBClient(…)` of the AWS SDK: same answers, no socket. */
  clientConfig(): InProcessClientConfig;
  /**
   * Removes, once, every item whose time to live has passed by now, in all tables. Where time to live has just been enabled,
   * the items that were there before are looked through first.
   *
   * @returns how many items this call has removed.
   * @throws {StorageError} `closed` once the database is closed.
   */
  sweepExpiredItems(): Promise<number>;
  /** Finishes what is running, flushes and closes. Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens a database, in memory or on a directory.
 *
 * @throws {StorageError} `open` or `format` when the directory cannot be used, with a sentence that says why.
 */
export async function createDatabase(options: DatabaseOptions = {}): Promise<Database> {
  const store =
    options.store ??
    (await openStore(
      options.directory === undefined ? { kind: 'memory' } : { kind: 'directory', directory: options.directory },
    ));
  const environment = hostEnvironment(options);
  const engine = createEngine({
    store,
    environment,
    limits: { ...serviceLimits, ...options.limits },
    lifecycleDelayMs: options.lifecycleDelayMs,
    expirySweepMs: options.expirySweepMs ?? (options.clock === undefined ? undefined : 'on-demand'),
    objects: options.buckets === undefined ? undefined : objectStoreOf(options.buckets),
  });
  const context: RequestContext = {
    accountId: options.accountId ?? defaultAccountId,
    region: options.region ?? defaultRegion,
  };
  const handler = createWireHandler(engine, {
    ...context,
    random: environment.random,
    monotonicMs: () => performance.now(),
    onInternalError: (event) => environment.log(internalErrorEvent(event)),
    ...(options.onRequest && { onRequest: options.onRequest }),
  });
  return new OpenDatabase({ store, engine, handler, context });
}

const defaultAccountId = '000000000000';
const defaultRegion = 'us-east-1';

class OpenDatabase implements Database {
  readonly #store: Store;
  readonly #engine: Engine;
  readonly #handler: WireHandler;
  readonly #context: RequestContext;
  /** How many calls that came before {@link close} are under way. A number, because a list of them costs every call. */
  #running = 0;
  #whenIdle: (() => void) | undefined;
  #closed: Promise<void> | undefined;

  constructor(parts: {
    readonly store: Store;
    readonly engine: Engine;
    readonly handler: WireHandler;
    readonly context: RequestContext;
  }) {
    this.#store = parts.store;
    this.#engine = parts.engine;
    this.#handler = parts.handler;
    this.#context = parts.context;
  }

  async handle(request: WireRequest): Promise<WireResponse> {
    // Who goes on calling finds a closed store, and does not hold up the end.
    if (this.#closed !== undefined) return this.#handler(request);
    this.#running += 1;
    try {
      return await this.#handler(request);
    } finally {
      this.#ended();
    }
  }

  async request(action: string, input: object): Promise<unknown> {
    if (this.#closed !== undefined) throw closedError();
    this.#running += 1;
    try {
      return await directCall(this.#engine, action, input, this.#context);
    } finally {
      this.#ended();
    }
  }

  clientConfig(): InProcessClientConfig {
    const handle = async (request: WireRequest): Promise<WireResponse> => {
      // Said plainly, and not as the 503 that a server would answer: the SDK would try that again and again.
      if (this.#closed !== undefined) throw closedError();
      return this.handle(request);
    };
    return inProcessClientConfig({ handle }, this.#context.region);
  }

  async sweepExpiredItems(): Promise<number> {
    if (this.#closed !== undefined) throw closedError();
    this.#running += 1;
    try {
      return await this.#engine.sweepExpiredItems();
    } finally {
      this.#ended();
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#finish();
    return this.#closed;
  }

  async #finish(): Promise<void> {
    await this.#engine.close();
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
    await this.#store.close();
  }

  #ended(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#whenIdle?.();
  }
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
