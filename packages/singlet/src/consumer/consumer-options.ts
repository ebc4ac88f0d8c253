import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { _Record, DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { ChangeRecord, ItemImage, ReadImage } from './change-record.ts';
import { type ConsumerEnvironment, systemEnvironment } from './consumer-environment.ts';
import { ConsumerError } from './consumer-error.ts';
import type { FilterPattern } from './record-filter.ts';

/** What a handler may return with `reportBatchItemFailures`. */
export interface BatchResponse {
  /** The sequence numbers of failed records; the batch continues from the first of them. Empty: all are done. */
  readonly batchItemFailures?: readonly { readonly itemIdentifier: string }[] | null | undefined;
}

/** The origin of a batch. */
export interface BatchContext {
  /** The stream the records are from. */
  readonly streamArn: string;
  /** The shard the records are from. */
  readonly shardId: string;
  /** How often the first record of the batch has failed before. */
  readonly failureCount: number;
}

/** Processes a batch. If it throws or rejects, the batch is retried. */
export type BatchHandler<Item> = (
  records: readonly ChangeRecord<Item>[],
  context: BatchContext,
) => Promise<BatchResponse | void> | BatchResponse | void;

/** Records that were given up. */
export interface DeadLetter {
  /** Whether the attempts or the age of the records ran out. */
  readonly reason: 'RetryAttemptsExhausted' | 'RecordAgeExceeded';
  /** The records as the service returned them. */
  readonly records: readonly _Record[];
  /** The stream the records are from. */
  readonly streamArn: string;
  /** The shard the records are from. */
  readonly shardId: string;
  /** How often the handler failed with them. */
  readonly failureCount: number;
  /** The last error of the handler, if it threw one. */
  readonly error: unknown;
}

/** An event to be logged. */
export interface ConsumerEvent {
  /** The log level. */
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** Its name, in lower case with hyphens: `shard-taken`. docs/logging.md lists them all. */
  readonly event: string;
  /** Further details, which depend on the kind of event: a shard, a count, an error. */
  readonly [detail: string]: unknown;
}

/** What a consumer reads, how it hands records out, and where it keeps its checkpoints. */
export interface ConsumerOptions<Item = ItemImage> {
  /** For DescribeTable and the table of checkpoints. */
  readonly dynamodb: DynamoDBClient;
  /** For the stream: DescribeStream, GetShardIterator and GetRecords. */
  readonly streams: DynamoDBStreamsClient;
  /** The table whose stream is read. */
  readonly tableName: string;
  /**
   * Called with the records in batches. The records of a partition key are in order, and the next batch with that key follows when this one is
   * done.
   * A batch is done when the handler has returned; if it throws, the batch is retried.
   */
  readonly handler: BatchHandler<Item>;
  /** Converts keys and images; by default they stay in the service's form. If it throws, the batch has failed. */
  readonly unmarshall?: ReadImage<Item> | undefined;
  /**
   * The table of checkpoints and leases. Workers that use the same table share the work. `TABLE-checkpoints` by default; it is created if it
   * does not exist.
   */
  readonly checkpointTable?: string | undefined;
  /** The unique name of this worker. Random by default. */
  readonly workerId?: string | undefined;
  /** Where reading begins if there are no checkpoints yet: `TRIM_HORIZON` by default. With a date, records created since then are read. */
  readonly startingPosition?: 'TRIM_HORIZON' | 'LATEST' | Date | undefined;
  /** The maximum number of records in a batch: 1 to 10,000; 100 by default. */
  readonly batchSize?: number | undefined;
  /** How long to wait for a batch to fill up: up to 300,000; 0 by default. */
  readonly batchingWindowMs?: number | undefined;
  /** The number of batches of a shard that are handled concurrently: 1 to 10; 1 by default. The records of a partition key stay in order. */
  readonly parallelizationFactor?: number | undefined;
  /** How often a failed batch is retried: 0 to 10,000. Unlimited by default. */
  readonly maximumRetryAttempts?: number | undefined;
  /** Records older than this are given up. Unlimited by default. */
  readonly maximumRecordAgeMs?: number | undefined;
  /** Whether a failed batch is split in two. Splitting does not count as a retry. */
  readonly bisectBatchOnFunctionError?: boolean | undefined;
  /** Whether the handler's return value says which records failed; the batch then continues from the first of these. */
  readonly reportBatchItemFailures?: boolean | undefined;
  /** Only records that match one of these reach the handler. */
  readonly filters?: readonly FilterPattern[] | undefined;
  /**
   * Called with the records that are given up. They count as done when it has returned; it is retried until it does. Without it they are
   * logged.
   */
  readonly onDeadLetter?: ((letter: DeadLetter) => Promise<void> | void) | undefined;
  /** How long a worker may go without renewing a lease before another worker takes over: at least 1,000; 10,000 by default. */
  readonly leaseMs?: number | undefined;
  /** How long to wait before an empty shard is polled again: 250 by default. */
  readonly pollIntervalMs?: number | undefined;
  /** How often to look for new shards, in addition to whenever one ends: 60,000 by default. */
  readonly shardSyncMs?: number | undefined;
  /** Called with events to be logged. By default they are dropped. */
  readonly onEvent?: ((event: ConsumerEvent) => void) | undefined;
  /** Time, timers and randomness, for tests; those of the process by default. */
  readonly environment?: ConsumerEnvironment | undefined;
}

/** The options with their defaults, checked. */
export type ConsumerSettings<Item> = {
  readonly [Name in Exclude<keyof ConsumerOptions<Item>, 'onDeadLetter'>]-?: NonNullable<ConsumerOptions<Item>[Name]>;
} & Pick<ConsumerOptions<Item>, 'onDeadLetter'>;

/** @throws {ConsumerError} `options` for a number out of its range. */
export function settingsOf<Item>(options: ConsumerOptions<Item>): ConsumerSettings<Item> {
  const environment = options.environment ?? systemEnvironment;
  const { startingPosition = 'TRIM_HORIZON', maximumRetryAttempts, maximumRecordAgeMs } = options;
  if (startingPosition instanceof Date && Number.isNaN(startingPosition.getTime())) {
    throw new ConsumerError('options', 'The starting position is not a valid date.');
  }
  return {
    dynamodb: options.dynamodb,
    streams: options.streams,
    tableName: options.tableName,
    handler: options.handler,
    // Without a converter for images, Item is the type of the images themselves.
    unmarshall: options.unmarshall ?? ((image) => image as Item),
    checkpointTable: options.checkpointTable ?? `${options.tableName}-checkpoints`,
    workerId: options.workerId ?? `worker-${environment.random().toString(36).slice(2, 12)}`,
    startingPosition,
    batchSize: within('batchSize', options.batchSize, 100, 1, 10_000),
    batchingWindowMs: within('batchingWindowMs', options.batchingWindowMs, 0, 0, 300_000),
    parallelizationFactor: within('parallelizationFactor', options.parallelizationFactor, 1, 1, 10),
    maximumRetryAttempts:
      maximumRetryAttempts === undefined
        ? Infinity
        : within('maximumRetryAttempts', maximumRetryAttempts, 0, 0, 10_000),
    maximumRecordAgeMs:
      maximumRecordAgeMs === undefined ? Infinity : within('maximumRecordAgeMs', maximumRecordAgeMs, 0, 1, 604_800_000),
    bisectBatchOnFunctionError: options.bisectBatchOnFunctionError ?? false,
    reportBatchItemFailures: options.reportBatchItemFailures ?? false,
    filters: options.filters ?? [],
    onDeadLetter: options.onDeadLetter,
    leaseMs: within('leaseMs', options.leaseMs, 10_000, 1000, 86_400_000),
    pollIntervalMs: within('pollIntervalMs', options.pollIntervalMs, 250, 1, 60_000),
    shardSyncMs: within('shardSyncMs', options.shardSyncMs, 60_000, 1000, 3_600_000),
    onEvent: options.onEvent ?? ((): void => undefined),
    environment,
  };
}

function within(name: string, value: number | undefined, preset: number, min: number, max: number): number {
  if (value === undefined) return preset;
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new ConsumerError('options', `${name} must be a whole number from ${min} to ${max}, not ${value}.`);
}
