import type { RequestContext } from '../../engine/index.ts';
import { DynamoError, ResourceNotFoundException } from '../../values/service-error.ts';
import type { InspectServices } from '../endpoint.ts';
import type { Cursor } from './cursor.ts';
import type { InspectionEvent } from './inspection-event.ts';

/** The number of records read from one shard at a time. */
const recordsAtOnce = 100;

interface GetRecordsOutput {
  readonly Records: readonly { readonly dynamodb: { readonly SequenceNumber: string } }[];
  readonly NextShardIterator?: string;
}

/** Reads the records of one table's stream as they arrive, each once, following its shards. */
export class RecordSource {
  readonly #services: InspectServices;
  readonly #context: RequestContext;
  readonly #tableName: string;
  /** The stream that is read. It changes when the stream is disabled and enabled again. */
  #streamArn: string | undefined;
  /** The iterator of each shard; undefined for one that has been read to its end. */
  readonly #iterators = new Map<string, string | undefined>();
  readonly #seen: Map<string, string>;
  #hasBegun = false;

  /** @param cursor - the last sequence number of each shard, from a client that reconnects. */
  constructor(
    services: InspectServices,
    context: RequestContext,
    { tableName, cursor }: { readonly tableName: string; readonly cursor: Cursor },
  ) {
    this.#services = services;
    this.#context = context;
    this.#tableName = tableName;
    this.#seen = new Map(Object.entries(cursor.shards?.[tableName] ?? {}));
  }

  /** The last sequence number of each shard. */
  get position(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#seen);
  }

  /** The events since the last call. */
  async poll(): Promise<readonly InspectionEvent[]> {
    const events: InspectionEvent[] = [];
    await this.#findShards(events);
    for (const [shardId, iterator] of this.#iterators) {
      if (iterator !== undefined) events.push(...(await this.#read(shardId, iterator)));
    }
    return events;
  }

  async #findShards(events: InspectionEvent[]): Promise<void> {
    const { engine } = this.#services;
    let stream;
    try {
      stream = await (await engine.inspection()).streamReport({ tableName: this.#tableName }, this.#context);
    } catch (error) {
      // The table or stream may be created later, and then all of its records are new.
      if (!(error instanceof ResourceNotFoundException)) throw error;
      this.#hasBegun = true;
      return;
    }
    if (this.#streamArn !== stream.streamArn) {
      if (this.#streamArn !== undefined) this.#seen.clear();
      this.#streamArn = stream.streamArn;
      this.#iterators.clear();
    }
    const isResumed = this.#seen.size > 0;
    for (const { shardId, closedAtEpochMs, lastSequenceNumber } of stream.shards) {
      if (this.#iterators.has(shardId)) continue;
      const seen = this.#seen.get(shardId);
      // At the first poll all existing records are skipped. Later, or for a client that reconnects, a new shard has only new records.
      if (seen === undefined && !this.#hasBegun && !isResumed) {
        this.#seen.set(shardId, lastSequenceNumber);
        this.#iterators.set(
          shardId,
          closedAtEpochMs === null ? await this.#iteratorAt(shardId, lastSequenceNumber, events) : undefined,
        );
      } else {
        this.#iterators.set(shardId, await this.#iteratorAt(shardId, seen, events));
      }
    }
    this.#hasBegun = true;
  }

  async #iteratorAt(
    shardId: string,
    after: string | undefined,
    events: InspectionEvent[],
  ): Promise<string | undefined> {
    const input = { StreamArn: this.#streamArn, ShardId: shardId };
    try {
      const position =
        after === undefined
          ? { ShardIteratorType: 'TRIM_HORIZON' }
          : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after };
      return iteratorOf(await this.#call('GetShardIterator', { ...input, ...position }));
    } catch (error) {
      if (!(error instanceof DynamoError) || after === undefined) throw error;
      // The last record seen has been trimmed, and possibly others after it; or it never belonged to this stream.
      events.push({ topic: 'gap', data: { topic: 'record', table: this.#tableName, shardId, count: null } });
      return iteratorOf(await this.#call('GetShardIterator', { ...input, ShardIteratorType: 'TRIM_HORIZON' }));
    }
  }

  async #read(shardId: string, iterator: string): Promise<readonly InspectionEvent[]> {
    const output = (await this.#call('GetRecords', {
      ShardIterator: iterator,
      Limit: recordsAtOnce,
    })) as GetRecordsOutput;
    this.#iterators.set(shardId, output.NextShardIterator);
    return output.Records.map((record) => {
      const { SequenceNumber } = record.dynamodb;
      return {
        topic: 'record' as const,
        data: { table: this.#tableName, arn: this.#streamArn, shardId, record },
        seen: () => this.#seen.set(shardId, SequenceNumber),
      };
    });
  }

  #call(action: string, input: object): Promise<object> {
    return this.#services.call(action, input, this.#context);
  }
}

function iteratorOf(output: object): string {
  return (output as { readonly ShardIterator: string }).ShardIterator; // the shape of the action's answer
}
