import {
  DescribeStreamCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type Shard,
} from '@aws-sdk/client-dynamodb-streams';
import { UsageError } from '../../usage-error.ts';
import type { Place } from './place.ts';
import { type Item, textOf } from './table-items.ts';

/** Most keys that are remembered while a table is copied: about two gigabytes. */
const changedKeysMax = 5_000_000;

/**
 * Collects the keys of the items that have changed, from a table's stream.
 *
 * Only keys: the caller that applies a change reads the item as it is by then. So a key counts once however often it has changed, the order of records and
 * of shards does not matter, and any kind of stream will do.
 */
export class ChangedKeys {
  readonly #place: Place;
  readonly #streamArn: string;
  /** Where each open shard continues. */
  readonly #iterators = new Map<string, string>();
  readonly #known = new Set<string>();
  #keys = new Map<string, Item>();

  private constructor(place: Place, streamArn: string) {
    this.#place = place;
    this.#streamArn = streamArn;
  }

  /** Begins now: earlier changes are not collected. */
  static async from(place: Place, streamArn: string): Promise<ChangedKeys> {
    const keys = new ChangedKeys(place, streamArn);
    await keys.#findShards('LATEST');
    return keys;
  }

  /** How many keys are waiting to be taken. */
  get size(): number {
    return this.#keys.size;
  }

  /** @returns the keys collected so far, which are then forgotten. */
  take(): readonly Item[] {
    const taken = [...this.#keys.values()];
    this.#keys = new Map();
    return taken;
  }

  /**
   * Reads every shard once.
   *
   * @returns how many records were read: 0 when there was nothing new.
   * @throws {UsageError} when more keys have changed than can be remembered.
   */
  async read(): Promise<number> {
    // New shards begin where their parents end: everything in them is later than the beginning.
    await this.#findShards('TRIM_HORIZON');
    let count = 0;
    for (const [shardId, iterator] of this.#iterators) {
      const { Records = [], NextShardIterator } = await this.#place.streams.send(
        new GetRecordsCommand({ ShardIterator: iterator }),
      );
      for (const { dynamodb } of Records) {
        const key = dynamodb?.Keys;
        if (key !== undefined) this.#keys.set(textOf(key), key);
      }
      count += Records.length;
      if (NextShardIterator === undefined) this.#iterators.delete(shardId);
      else this.#iterators.set(shardId, NextShardIterator);
    }
    if (this.#keys.size > changedKeysMax) {
      throw new UsageError(
        `More than ${changedKeysMax.toLocaleString('en')} items have changed during the copy. Move the table at a quieter time, or with more --segments.`,
      );
    }
    return count;
  }

  async #findShards(ShardIteratorType: 'LATEST' | 'TRIM_HORIZON'): Promise<void> {
    for (const { ShardId: shardId = '', SequenceNumberRange } of await this.#shards()) {
      if (this.#known.has(shardId)) continue;
      this.#known.add(shardId);
      const isClosed = SequenceNumberRange?.EndingSequenceNumber !== undefined;
      if (isClosed && ShardIteratorType === 'LATEST') continue;
      const { ShardIterator } = await this.#place.streams.send(
        new GetShardIteratorCommand({ StreamArn: this.#streamArn, ShardId: shardId, ShardIteratorType }),
      );
      if (ShardIterator !== undefined) this.#iterators.set(shardId, ShardIterator);
    }
  }

  async #shards(): Promise<readonly Shard[]> {
    const shards: Shard[] = [];
    let start: string | undefined;
    do {
      const { StreamDescription } = await this.#place.streams.send(
        new DescribeStreamCommand({
          StreamArn: this.#streamArn,
          ...(start !== undefined && { ExclusiveStartShardId: start }),
        }),
      );
      shards.push(...(StreamDescription?.Shards ?? []));
      start = StreamDescription?.LastEvaluatedShardId;
    } while (start !== undefined);
    return shards;
  }
}
