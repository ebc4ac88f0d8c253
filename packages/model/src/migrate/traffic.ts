import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { MigrationError } from './migration-error.ts';
import { type Answer, type BuiltRequest, sender } from '../run/context.ts';

/** The endpoint of the tables, and the allowed rate of requests. */
export interface TrafficOptions {
  /** Sends the requests. */
  readonly client: DynamoDBClient;
  /** Names of the tables that differ from the model's. */
  readonly tables?: { readonly [table: string]: string };
  /** Maximum read units per second. Unlimited by default. */
  readonly readUnits?: number;
  /** Maximum write units per second. Unlimited by default. */
  readonly writeUnits?: number;
  /** Ends the work after the current request, without waiting for another. Completed work is kept, and `resume` continues. */
  readonly signal?: AbortSignal;
  /** Milliseconds since 1970; the machine's clock by default. */
  readonly now?: () => number;
  /** Waits. A timer by default; tests replace it. */
  readonly pause?: (milliseconds: number) => Promise<void>;
  /** From 0 (inclusive) to 1 (exclusive); spreads retries. */
  readonly random?: () => number;
}

const attemptsMax = 12;
const throttled: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'LimitExceededException',
  'TransactionInProgressException',
]);

/** All requests of a migration go through here. They keep to the rate, wait when throttled, and stop on the signal. */
export class Traffic {
  readonly client: DynamoDBClient;
  readonly now: () => number;
  readonly pause: (milliseconds: number) => Promise<void>;
  readonly #random: () => number;
  readonly #tables: { readonly [table: string]: string };
  readonly #signal: AbortSignal | undefined;
  readonly #send: (request: BuiltRequest) => Promise<Answer>;
  readonly #reads: UnitBucket;
  readonly #writes: UnitBucket;

  constructor({
    client,
    tables = {},
    readUnits,
    writeUnits,
    signal,
    now = Date.now,
    pause = (milliseconds) => sleep(milliseconds, signal),
    random = Math.random,
  }: TrafficOptions) {
    this.client = client;
    this.now = now;
    this.pause = pause;
    this.#random = random;
    this.#tables = tables;
    this.#signal = signal;
    this.#send = sender(client);
    this.#reads = new UnitBucket('readUnits', readUnits, this);
    this.#writes = new UnitBucket('writeUnits', writeUnits, this);
  }

  /** The table's name at the endpoint. */
  tableName(table: string): string {
    return this.#tables[table] ?? table;
  }

  /** Sends a request when the rate allows, and retries it when throttled. Other errors go to the caller. */
  async send(request: BuiltRequest): Promise<Answer> {
    const reads = request.operation === 'Scan' || request.operation === 'Query' || request.operation.includes('Get');
    const bucket = reads ? this.#reads : this.#writes;
    return this.#retried(async () => {
      await bucket.wait();
      this.#signal?.throwIfAborted();
      const answer = await this.#send({ ...request, input: { ...request.input, ReturnConsumedCapacity: 'TOTAL' } });
      bucket.take(unitsOf(answer.ConsumedCapacity));
      return answer;
    });
  }

  /** Sends a request about a table itself, which costs no units, and retries it when throttled. */
  async control<T>(send: (client: DynamoDBClient) => Promise<T>): Promise<T> {
    return this.#retried(async () => send(this.client));
  }

  async #retried<T>(send: () => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await send();
      } catch (error) {
        if (!throttled.has((error as Error).name) || attempt === attemptsMax) throw error;
      }
      await this.backOff(attempt);
    }
  }

  /** Waits before a retry, longer each time. */
  async backOff(attempt: number): Promise<void> {
    this.#signal?.throwIfAborted();
    await this.pause(Math.min(5000, 20 * 2 ** attempt) * (0.5 + this.#random() / 2));
  }

  /** Waits until a table meets a condition. */
  async waitFor(table: string, holds: (table: object) => boolean): Promise<void> {
    for (let attempt = 3; ; attempt += 1) {
      const describe = new DescribeTableCommand({ TableName: this.tableName(table) });
      const { Table = {} } = await this.control(async (client) => client.send(describe));
      if (holds(Table)) return;
      await this.backOff(attempt);
    }
  }
}

interface Clock {
  readonly now: () => number;
  readonly pause: (milliseconds: number) => Promise<void>;
}

/**
 * A rate in capacity units. The cost of a request is known only with its answer, so the bucket may be overdrawn, and the next
 * request waits until it is not. Over any period the rate is kept, except for one request of each worker.
 */
class UnitBucket {
  readonly #perSecond: number | undefined;
  readonly #clock: Clock;
  #units = 0;
  #at: number | undefined;

  constructor(name: string, perSecond: number | undefined, clock: Clock) {
    if (perSecond !== undefined && !(perSecond > 0))
      throw new MigrationError('bad-option', `${name} must be more than 0, not ${perSecond}.`);
    this.#perSecond = perSecond;
    this.#clock = clock;
  }

  async wait(): Promise<void> {
    while (this.#perSecond !== undefined) {
      this.#refill(this.#perSecond);
      if (this.#units >= 0) return;
      await this.#clock.pause(Math.ceil((-this.#units / this.#perSecond) * 1000));
    }
  }

  take(units: number): void {
    if (this.#perSecond === undefined) return;
    this.#refill(this.#perSecond);
    this.#units -= units;
  }

  /** Unused units do not accumulate, so no burst follows a pause. */
  #refill(perSecond: number): void {
    const now = this.#clock.now();
    const passed = Math.max(0, now - (this.#at ?? now));
    this.#at = now;
    this.#units = Math.min(0, this.#units + (passed / 1000) * perSecond);
  }
}

function unitsOf(consumed: unknown): number {
  const each = (Array.isArray(consumed) ? consumed : [consumed]) as readonly (
    { readonly CapacityUnits?: number } | undefined
  )[];
  return each.reduce((sum, one) => sum + (one?.CapacityUnits ?? 0), 0);
}

/** Rejects when the work is aborted, because a low rate can cause long waits. */
async function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resume, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error); // what throwIfAborted throws
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resume();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
