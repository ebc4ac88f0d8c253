import { ResourceNotFoundException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import { tableNotFound } from '../catalog/parameter-errors.ts';
import type { StreamViewType } from '../catalog/table-description.ts';
import type { EngineServices } from '../services.ts';
import { findStream, presentShards, retentionMsOf } from '../streams/find-stream.ts';
import { readShardBounds } from '../streams/read-shard.ts';
import { sequenceNumberText } from '../streams/sequence-number.ts';
import { streamArnOf, type StreamRecord } from '../streams/stream-record.ts';

/** The stream of a table, and how far its shards reach. */
export interface StreamReport {
  readonly streamArn: string;
  readonly view: StreamViewType;
  readonly sinceEpochMs: number;
  /** How long a record can be read. */
  readonly retentionMs: number;
  /** In the order of their numbers; closed ones as long as they have readable records. */
  readonly shards: readonly ShardReport[];
}

export interface ShardReport {
  readonly shardId: string;
  readonly parentShardId: string | null;
  /** The first two bytes of the hashes that it covers, in hexadecimal; it ends before `hashTo`, null at the end. */
  readonly hashFrom: string;
  readonly hashTo: string | null;
  readonly openedAtEpochMs: number;
  readonly closedAtEpochMs: number | null;
  /** Records that can be read. */
  readonly records: number;
  /** Of the last record, or the number before the first future record: GetShardIterator takes it as AFTER_SEQUENCE_NUMBER. */
  readonly lastSequenceNumber: string;
}

/** @throws {ResourceNotFoundException} when there is no such table, or it has no stream. */
export async function presentStream(
  services: EngineServices,
  tableName: string,
  context: RequestContext,
): Promise<{ readonly streamArn: string; readonly stream: StreamRecord }> {
  const table = await services.catalog.load(context, tableName);
  if (table === undefined) throw tableNotFound(tableName);
  const { streamSinceMs, stream: isOn } = table.record;
  if (isOn === undefined || streamSinceMs === undefined) {
    throw new ResourceNotFoundException(`Table ${tableName} has no stream.`);
  }
  const streamArn = streamArnOf({ ...context, tableName, sinceMs: streamSinceMs });
  return { streamArn, stream: await findStream(services, streamArn, context) };
}

/** @throws {ResourceNotFoundException} when there is no such table, or it has no stream. */
export async function streamReport(
  services: EngineServices,
  { tableName }: { readonly tableName: string },
  context: RequestContext,
): Promise<StreamReport> {
  const { store, environment } = services;
  const { streamArn, stream } = await presentStream(services, tableName, context);
  const shards: ShardReport[] = [];
  for (const shard of presentShards(services, stream)) {
    const { number, shardId, parentShardId, hashFrom, hashTo, openedAtMs, closed } = shard;
    const bounds = await readShardBounds(store, stream, shard, environment.clock.nowMs() - retentionMsOf(services));
    if (bounds === undefined) continue; // closed meanwhile: the next report shows it with its children
    shards.push({
      shardId,
      parentShardId: parentShardId ?? null,
      hashFrom: hashText(hashFrom),
      hashTo: hashTo > 0xffff ? null : hashText(hashTo),
      openedAtEpochMs: openedAtMs,
      closedAtEpochMs: closed?.atMs ?? null,
      records: bounds.nextPosition - bounds.firstPosition,
      lastSequenceNumber: sequenceNumberText({ shardNumber: number, position: bounds.nextPosition - 1 }),
    });
  }
  return {
    streamArn,
    view: stream.viewType,
    sinceEpochMs: stream.sinceMs,
    retentionMs: retentionMsOf(services),
    shards,
  };
}

function hashText(prefix: number): string {
  return prefix.toString(16).padStart(4, '0');
}
