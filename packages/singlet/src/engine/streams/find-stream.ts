import type { RequestContext } from '../environment.ts';
import type { CatalogServices } from '../catalog/catalog-services.ts';
import { parseStreamArn } from './stream-arn.ts';
import { shardNotFound, streamNotFound } from './stream-errors.ts';
import {
  decodeStreamRecord,
  isShardGone,
  isStreamGone,
  type ShardRecord,
  streamKey,
  type StreamRecord,
} from './stream-record.ts';

const hourMs = 3_600_000;

/** How long records can be read, in milliseconds. */
export function retentionMsOf({ limits }: Pick<CatalogServices, 'limits'>): number {
  return limits.streamRetentionHours * hourMs;
}

/**
 * The stream that an ARN names, if it belongs to the requester.
 *
 * @throws {ValidationException} if the text is not the ARN of a stream.
 * @throws {ResourceNotFoundException} if the stream does not exist, or no longer does.
 */
export async function findStream(
  services: CatalogServices,
  streamArn: string,
  context: RequestContext,
): Promise<StreamRecord> {
  const { accountId, region, tableName, sinceMs } = parseStreamArn(streamArn);
  if (accountId !== context.accountId || region !== context.region) throw streamNotFound(streamArn);
  const key = streamKey(context, tableName, sinceMs);
  const stream = await services.store.read([key], ([value]) =>
    value === undefined ? undefined : decodeStreamRecord(key, value),
  );
  const nowMs = services.environment.clock.nowMs();
  if (stream === undefined || isStreamGone(stream, nowMs, retentionMsOf(services))) throw streamNotFound(streamArn);
  return stream;
}

/** The shards of a stream that may still have records to read. */
export function presentShards(services: CatalogServices, { shards }: StreamRecord): readonly ShardRecord[] {
  const nowMs = services.environment.clock.nowMs();
  return shards.filter((shard) => !isShardGone(shard, nowMs, retentionMsOf(services)));
}

/** @throws {ResourceNotFoundException} if the stream does not have this shard, or no longer does. */
export function presentShard(
  services: CatalogServices,
  stream: StreamRecord,
  isWanted: (shard: ShardRecord) => boolean,
): ShardRecord {
  const shard = presentShards(services, stream).find(isWanted);
  if (shard === undefined) throw shardNotFound();
  return shard;
}
