import { ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { findStream, presentShards } from '../streams/find-stream.ts';
import { sequenceNumberText } from '../streams/sequence-number.ts';
import { replaceDueShards } from '../streams/shard-turnover.ts';
import { type ShardRecord, streamArnOf, type StreamRecord } from '../streams/stream-record.ts';
import type { KeySchemaElement, StreamViewType } from '../catalog/table-description.ts';
import { streamLabel } from '../catalog/utc-text.ts';

export interface DescribeStreamRequest {
  readonly streamArn: string;
  readonly limit?: number | undefined;
  readonly exclusiveStartShardId?: string | undefined;
  readonly shardFilter?: ShardFilter | undefined;
}

export interface ShardFilter {
  readonly type?: 'CHILD_SHARDS' | undefined;
  /** The parent whose children are requested. */
  readonly shardId?: string | undefined;
}

export interface ShardDescription {
  readonly shardId: string;
  readonly parentShardId?: string;
  readonly sequenceNumberRange: {
    readonly startingSequenceNumber: string;
    /** Present if the shard is closed. */
    readonly endingSequenceNumber?: string;
  };
}

export interface StreamDescription {
  readonly streamArn: string;
  readonly streamLabel: string;
  readonly streamStatus: 'ENABLING' | 'ENABLED' | 'DISABLING' | 'DISABLED';
  readonly streamViewType: StreamViewType;
  /** Seconds since 1970, with fractions. */
  readonly creationRequestDateTime: number;
  readonly tableName: string;
  readonly keySchema: readonly KeySchemaElement[];
  readonly shards: readonly ShardDescription[];
  readonly lastEvaluatedShardId?: string;
}

export interface DescribeStreamResult {
  readonly streamDescription: StreamDescription;
}

/**
 * Describes a stream and a page of its shards, in the order of their ids. Shards that are due are replaced before
 * they are described.
 *
 * @returns `lastEvaluatedShardId` only if there are more shards.
 * @throws {ValidationException} if the ARN is not that of a stream.
 * @throws {ResourceNotFoundException}
 * @see Amazon DynamoDB API Reference, DescribeStream
 */
export async function describeStream(
  services: EngineServices,
  request: DescribeStreamRequest,
  context: RequestContext,
): Promise<DescribeStreamResult> {
  const found = await findStream(services, request.streamArn, context);
  const isReplaced = await replaceDueShards(services, found);
  const stream = isReplaced ? await findStream(services, request.streamArn, context) : found;
  const limit = request.limit ?? services.limits.listStreamsCountMax;
  const { exclusiveStartShardId: start = '' } = request;
  const parentShardId = parentOf(request.shardFilter);
  const shards = presentShards(services, stream)
    .filter((shard) => parentShardId === undefined || shard.parentShardId === parentShardId)
    .filter(({ shardId }) => shardId > start)
    .toSorted((a, b) => (a.shardId < b.shardId ? -1 : 1));
  const page = shards.slice(0, limit);
  const last = shards.length > limit ? page.at(-1) : undefined;
  return {
    streamDescription: {
      streamArn: streamArnOf(stream),
      streamLabel: streamLabel(stream.sinceMs),
      streamStatus: statusOf(stream, services.environment.clock.nowMs()),
      streamViewType: stream.viewType,
      creationRequestDateTime: stream.sinceMs / 1000,
      tableName: stream.tableName,
      keySchema: stream.keySchema,
      shards: page.map(describeShard),
      ...(last !== undefined && { lastEvaluatedShardId: last.shardId }),
    },
  };
}

/** Assumed: the service documents neither a filter without a shard id nor one without a type. */
function parentOf(filter: ShardFilter | undefined): string | undefined {
  if (filter === undefined) return undefined;
  if (filter.type === undefined || filter.shardId === undefined) {
    throw new ValidationException('ShardFilter must have both a Type and a ShardId');
  }
  return filter.shardId;
}

function statusOf(stream: StreamRecord, nowMs: number): StreamDescription['streamStatus'] {
  if (stream.disabled !== undefined) return nowMs < stream.disabled.untilMs ? 'DISABLING' : 'DISABLED';
  return nowMs < stream.enabledFromMs ? 'ENABLING' : 'ENABLED';
}

function describeShard({ number, shardId, parentShardId, startPosition, closed }: ShardRecord): ShardDescription {
  const numberOf = (position: number): string => sequenceNumberText({ shardNumber: number, position });
  return {
    shardId,
    ...(parentShardId !== undefined && { parentShardId }),
    sequenceNumberRange: {
      startingSequenceNumber: numberOf(startPosition),
      ...(closed !== undefined && { endingSequenceNumber: numberOf(closed.endPosition) }),
    },
  };
}
