import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { type Model, tableDefinitions, timeToLiveAttributes } from '@singlet/model';
import type { Consumer } from 'singlet/consumer';
import { expect, onTestFinished } from 'vitest';
import { ManualClock } from '../clock.ts';
import { createTable, enableTimeToLive } from '../table-lifecycle.ts';
import { openStormyDatabase, type StormChanges } from './databases.ts';
import { RawTable } from './raw-table.ts';

/*
 * A storm for the test of an application: several concurrent callers, each retrying as the SDK does, on a database that loses
 * answers, throttles, causes conflicts, ends pages early and returns stale reads. The story says what the callers do; then the storm
 * ends, and the test compares the stored items with the answers to the callers.
 */

/** The actions of an application's callers in a storm, and the invariants afterwards. */
export interface StormStory {
  readonly model: Model;
  /** In a sentence, for the name of the test. */
  readonly invariant: string;
  /** Weather that differs from the default: throttling affects each item, so long transactions never succeed under much of it. */
  readonly weather?: StormChanges;
  /** Runs the callers, calls {@link Storm.over}, and compares the stored items. */
  readonly play: (storm: Storm) => Promise<void>;
}

/** What a caller knows after a call: it was done; the application's rules refused it; or nothing, since no answer came. */
export type Outcome = 'done' | 'refused' | 'unknown';

export interface Storm {
  readonly client: DynamoDBClient;
  readonly streams: DynamoDBStreamsClient;
  readonly clock: ManualClock;
  /** The tables of the model in stored form, by name, for inspection when the storm is over. */
  readonly table: (name: string) => RawTable;
  /** A number from 0 up to a bound, by the seed. */
  readonly below: (bound: number) => number;
  /** One of several, by the seed. */
  readonly oneOf: <Each>(all: readonly Each[]) => Each;
  /** Makes a call, and returns what the caller knows afterwards. Errors that are neither the application's nor DynamoDB's fail the test. */
  readonly attempt: (call: () => Promise<unknown>) => Promise<Outcome>;
  /**
   * Makes a call until an answer comes, as a caller does who may repeat it. A refusal after an attempt without an answer may be the echo of that attempt.
   */
  readonly insist: (call: () => Promise<unknown>) => Promise<Outcome>;
  /** Several concurrent callers, with the given total number of calls. */
  readonly callers: (calls: number, act: (call: number) => Promise<unknown>) => Promise<void>;
  /** Starts a consumer of a stream, and retries a failed start, like a process supervisor. @returns a function that stops it. */
  readonly started: (make: () => Consumer) => Promise<() => Promise<void>>;
  /** Ends the storm. @throws an assertion error if the storm had too little effect. */
  readonly over: () => Promise<void>;
}

const ATTEMPTS_MAX = 6;
const INSISTS_MAX = 40;
const CALLERS = 4;

/**
 * How often a storm must strike for the end of a story to be meaningful. Several callers share the weather, so the count varies from run to run:
 * a story makes enough calls for 30 on average, which makes fewer than this as good as impossible.
 */
const STRIKES_MIN = 5;

/**
 * Opens a database in a storm, with the tables of a model. The current test closes it.
 *
 * @param seed - decides the weather, and what {@link Storm.below} draws.
 * @param store - as for {@link openStormyDatabase}.
 */
export async function openStorm(
  seed: number,
  { model, weather }: Omit<StormStory, 'play'>,
  store?: string,
): Promise<Storm> {
  const database = await openStormyDatabase(seed, {
    latencyMs: 2,
    lostAnswerRate: 0.15,
    ...weather,
    ...(store !== undefined && { store }),
  });
  const config: DynamoDBClientConfig = { ...database.clientConfig, retryStrategy: promptRetries };
  const client = new DynamoDBClient(config);
  const streams = new DynamoDBStreamsClient(config);
  onTestFinished(async () => {
    client.destroy();
    streams.destroy();
    await database.close();
  });
  await createTables(client, model);
  const below = drawing(seed);
  const attempt = async (call: () => Promise<unknown>): Promise<Outcome> => {
    try {
      await call();
      return 'done';
    } catch (error) {
      return outcomeOf(error);
    }
  };
  const insist = async (call: () => Promise<unknown>): Promise<Outcome> => {
    for (let insisted = 0; insisted < INSISTS_MAX; insisted += 1) {
      const outcome = await attempt(call);
      if (outcome !== 'unknown') return outcome;
    }
    return 'unknown';
  };
  return {
    client,
    streams,
    clock: new ManualClock('2026-03-02T08:00:00Z'),
    table: (name) => new RawTable(client, name),
    below,
    oneOf: (all) => all[below(all.length)]!, // below the length
    attempt,
    insist,
    started: async (make) => {
      let stop = async (): Promise<void> => await Promise.resolve();
      const outcome = await insist(async () => {
        const consumer = make();
        await consumer.start();
        stop = async () => await consumer.stop();
      });
      expect(outcome).toBe('done');
      return stop;
    },
    callers: async (calls, act) => {
      let next = 0;
      const caller = async (): Promise<void> => {
        while (next < calls) await act(next++);
      };
      await Promise.all(Array.from({ length: CALLERS }, caller));
    },
    over: async () => {
      const acted = await database.acted();
      const struck = [...acted].filter(([kind]) => kind !== 'latency').reduce((sum, [, count]) => sum + count, 0);
      expect(struck).toBeGreaterThanOrEqual(STRIKES_MIN);
      await database.calm();
    },
  };
}

/** Retries as often as a patient client does, but without waiting, since the weather of a test does not depend on time. */
const promptRetries: NonNullable<DynamoDBClientConfig['retryStrategy']> = {
  mode: 'standard',
  acquireInitialRetryToken: async () => await Promise.resolve(retryToken(0)),
  refreshRetryTokenForRetry: async (token, { errorType }) => {
    const count = token.getRetryCount() + 1;
    const passes = errorType === 'THROTTLING' || errorType === 'TRANSIENT';
    if (!passes || count >= ATTEMPTS_MAX) throw new NotRetriedError();
    return await Promise.resolve(retryToken(count));
  },
  recordSuccess: () => undefined,
};

/** For the SDK, which throws the error of the request itself. */
class NotRetriedError extends Error {
  override readonly name = 'NotRetriedError';
}

function retryToken(count: number): { getRetryCount: () => number; getRetryDelay: () => number } {
  return { getRetryCount: () => count, getRetryDelay: () => 0 };
}

async function createTables(client: DynamoDBClient, model: Model): Promise<void> {
  for (const definition of tableDefinitions(model)) await createTable(client, definition);
  for (const [TableName, AttributeName] of Object.entries(timeToLiveAttributes(model))) {
    await enableTimeToLive(client, { TableName, TimeToLiveSpecification: { AttributeName, Enabled: true } });
  }
}

/** An application's refusal has a code. After an error of DynamoDB, or of many attempts, the outcome is unknown. */
function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof Error)) throw error;
  if ('$metadata' in error || error.name === 'UnprocessedError') return 'unknown';
  if (!('code' in error)) throw error;
  return UNFINISHED.has(String(error.code)) ? 'unknown' : 'refused';
}

/** Codes of applications for conflicts, or for an interrupted write of several parts. */
const UNFINISHED: ReadonlySet<unknown> = new Set(['busy', 'write-conflict', 'order-unfinished']);

/** Numbers from 0 up to a bound, the same for the same seed (mulberry32). */
function drawing(seed: number): (bound: number) => number {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
}
