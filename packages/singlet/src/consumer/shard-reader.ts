import {
  type _Record,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  type GetRecordsOutput,
  GetShardIteratorCommand,
  type ShardIteratorType,
} from '@aws-sdk/client-dynamodb-streams';
import { sequenceNumberOf } from './change-record.ts';
import { backoffMs, type ConsumerEnvironment } from './consumer-environment.ts';
import { errorNameOf } from './consumer-error.ts';
import type { ConsumerEvent } from './consumer-options.ts';
import { latest, trimHorizon } from './lease.ts';

export interface ShardPage {
  readonly records: readonly _Record[];
  /** Whether these are the last records of the shard. */
  readonly isEnd: boolean;
}

export interface ShardReaderParts {
  readonly client: DynamoDBStreamsClient;
  readonly streamArn: string;
  readonly shardId: string;
  readonly environment: ConsumerEnvironment;
  readonly onEvent: (event: ConsumerEvent) => void;
  /** Called when reading begins after the last record, before anything is read: no later record may be missed. */
  readonly onBeginAtLatest: () => Promise<void>;
}

/** Reads a shard page by page from a checkpoint, and recovers from errors on the way. */
export class ShardReader {
  readonly #parts: ShardReaderParts;
  /** The last sequence number that was read, or the starting position. */
  #position: string;
  #iterator: string | undefined;

  constructor(checkpoint: string, parts: ShardReaderParts) {
    this.#position = checkpoint;
    this.#parts = parts;
  }

  /** Reads the next page, with unlimited retries; returns an empty one when `signal` aborts. */
  async next(signal: AbortSignal): Promise<ShardPage> {
    const { environment, onEvent, shardId } = this.#parts;
    for (let failureCount = 0; !signal.aborted; failureCount += 1) {
      try {
        return await this.#read(signal);
      } catch (error) {
        if (signal.aborted) break;
        this.#iterator = undefined;
        const name = errorNameOf(error);
        if (name === 'ResourceNotFoundException') {
          onEvent({ level: 'warn', event: 'shard-gone', shardId });
          return { records: [], isEnd: true };
        }
        if (name === 'TrimmedDataAccessException') {
          onEvent({ level: 'warn', event: 'records-trimmed-unread', shardId });
          this.#position = trimHorizon;
        } else if (name !== 'ExpiredIteratorException') {
          onEvent({ level: 'warn', event: 'reading-failed', shardId, error });
        }
        await environment.pause(backoffMs(failureCount, environment), signal);
      }
    }
    return { records: [], isEnd: false };
  }

  async #read(signal: AbortSignal): Promise<ShardPage> {
    const ShardIterator = (this.#iterator ??= await this.#open());
    const { Records = [], NextShardIterator } = await this.#getRecords(ShardIterator, signal);
    this.#iterator = NextShardIterator;
    const last = Records.at(-1);
    if (last !== undefined) this.#position = sequenceNumberOf(last);
    return { records: Records, isEnd: NextShardIterator === undefined };
  }

  async #getRecords(ShardIterator: string | undefined, signal: AbortSignal): Promise<GetRecordsOutput> {
    // A controller for each request, because some versions of the SDK leave their listeners on a signal, and this signal is long-lived.
    const request = new AbortController();
    const abort = (): void => request.abort();
    signal.addEventListener('abort', abort);
    try {
      return await this.#parts.client.send(new GetRecordsCommand({ ShardIterator }), { abortSignal: request.signal });
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  async #open(): Promise<string | undefined> {
    const { client, streamArn, shardId, onBeginAtLatest } = this.#parts;
    const isWord = this.#position === trimHorizon || this.#position === latest;
    const { ShardIterator } = await client.send(
      new GetShardIteratorCommand({
        StreamArn: streamArn,
        ShardId: shardId,
        ShardIteratorType: (isWord ? this.#position : 'AFTER_SEQUENCE_NUMBER') as ShardIteratorType, // one of the three words
        ...(!isWord && { SequenceNumber: this.#position }),
      }),
    );
    if (this.#position === latest) {
      await onBeginAtLatest();
      // An iterator that expires before it has returned a record must not be replaced by a later one.
      this.#position = trimHorizon;
    }
    return ShardIterator;
  }
}
