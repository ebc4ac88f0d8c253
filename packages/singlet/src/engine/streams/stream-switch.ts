import { assert } from '../../values/assert.ts';
import type { Limits } from '../../values/limits.ts';
import type { StoreValue, StoreWrite } from '../../storage/store.ts';
import type { RequestContext } from '../environment.ts';
import type { CatalogServices } from '../catalog/catalog-services.ts';
import { StaleTableError } from '../catalog/catalog.ts';
import type { SpaceCounter } from '../catalog/space-counter.ts';
import type { StreamReference, TableRecord } from '../catalog/table-record.ts';
import { Table } from '../catalog/table.ts';
import { decodeHead, encodeHead } from '../followers/streams/shard-head.ts';
import { headKey, shardPrefix } from '../followers/streams/shard-keys.ts';
import { closeShards, firstPosition, firstShards, openShards } from './shard-lineage.ts';
import {
  decodeStreamRecord,
  streamWrite,
  newStreamRecord,
  type ShardRecord,
  streamKey,
  streamKeys,
  type StreamRecord,
} from './stream-record.ts';

/*
 * Switching streams on and off. This is part of the decision that creates, changes or deletes the table: every write that is
 * decided by the table's new record is in the stream, and none that was decided by the old one.
 */

/** A table's record with the consequences of a change of its stream, and the other writes of the change. */
export interface SwitchedStream {
  readonly record: TableRecord;
  readonly writes: readonly StoreWrite[];
}

/**
 * The earliest label that a stream of a table of this name can have: later than that of any other stream, including readable ones
 * of a deleted table.
 */
export async function freeStreamTime(
  { store, environment }: CatalogServices,
  context: RequestContext,
  tableName: string,
): Promise<number> {
  let sinceMs = environment.clock.nowMs();
  await store.range({ ...streamKeys(context, tableName), reverse: true, limit: 1 }, (key, value) => {
    sinceMs = Math.max(sinceMs, decodeStreamRecord(key, value).sinceMs + 1);
    return false;
  });
  return sinceMs;
}

/** Switches a stream on, with the specification in the record. */
export function openStream(
  record: TableRecord,
  options: {
    /** Its label. */
    readonly sinceMs: number;
    /** When ENABLING ends. */
    readonly enabledFromMs: number;
    readonly spaces: SpaceCounter;
    readonly limits: Limits;
  },
): SwitchedStream {
  const { sinceMs, enabledFromMs, spaces, limits } = options;
  const { accountId, region, tableName, keySchema } = record;
  const viewType = record.streamSpecification?.streamViewType;
  assert(viewType !== undefined, 'a stream that is on has a view type');
  const space = spaces.next();
  const shards = firstShards({ space }, sinceMs, limits);
  const stream = newStreamRecord({
    accountId,
    region,
    tableName,
    sinceMs,
    space,
    viewType,
    keySchema,
    enabledFromMs,
    nextShardNumber: shards.length,
    shards,
  });
  return {
    record: { ...record, streamSinceMs: sinceMs, stream: referenceTo(stream) },
    writes: [streamWrite(stream), ...shards.map((shard) => headWrite(stream, shard, firstPosition(shard)))],
  };
}

/**
 * The stream of a table that will be switched off, or deleted with the table. The keys to read depend on the
 * table's record, which is therefore read beforehand. If it has changed by the time of the decision, the operation starts over.
 */
export class StreamToClose {
  readonly #table: Table | undefined;

  private constructor(table: Table | undefined) {
    this.#table = table;
  }

  static async find({ catalog }: CatalogServices, context: RequestContext, tableName: string): Promise<StreamToClose> {
    return new StreamToClose(await catalog.load(context, tableName));
  }

  /** The keys that the decision must read. */
  get keys(): readonly Uint8Array[] {
    const record = this.#table?.record;
    if (record?.stream === undefined) return [];
    const { stream, tableName, streamSinceMs } = record;
    assert(streamSinceMs !== undefined, 'a stream that is on has a label');
    return [
      streamKey(record, tableName, streamSinceMs),
      ...stream.openShards.map((shard) => headKey(shardPrefix(stream.space, shard))),
    ];
  }

  /**
   * Switches the stream off, if there is one.
   *
   * @param record - the current record of the table.
   * @param values - the values of the keys.
   * @throws {StaleTableError} if these are not the keys of the record.
   */
  close(
    record: TableRecord,
    values: readonly StoreValue[],
    times: { readonly nowMs: number; readonly untilMs: number },
  ): SwitchedStream {
    const { stream: reference, ...rest } = record;
    if (reference === undefined) return { record, writes: [] };
    if (this.#table?.record.version !== record.version) throw new StaleTableError(new Table(record));
    const [streamValue, ...heads] = values;
    assert(streamValue !== undefined, 'a stream that is on has a record');
    const stream = decodeStreamRecord(streamKey(record, record.tableName, record.streamSinceMs ?? 0), streamValue);
    const ends = openShards(stream.shards).map((shard, at) => ({ shard, nextPosition: decodeHead(heads[at]) }));
    const closed: StreamRecord = {
      ...stream,
      shards: closeShards(stream.shards, ends, times.nowMs),
      disabled: { atMs: times.nowMs, untilMs: times.untilMs },
    };
    return {
      record: rest,
      writes: [streamWrite(closed), ...ends.map(({ shard }) => headRemoval(stream, shard))],
    };
  }
}

/** The reference to a stream in the table's record: what item writes need. */
export function referenceTo(stream: StreamRecord): StreamReference {
  return {
    space: stream.space,
    openShards: openShards(stream.shards).map(({ number, hashFrom }) => ({ number, hashFrom })),
  };
}

export function headWrite(stream: StreamRecord, shard: ShardRecord, nextPosition: number): StoreWrite {
  return { key: headKey(shardPrefix(stream.space, shard)), value: encodeHead(nextPosition) };
}

export function headRemoval(stream: StreamRecord, shard: ShardRecord): StoreWrite {
  return { key: headKey(shardPrefix(stream.space, shard)), value: undefined };
}
