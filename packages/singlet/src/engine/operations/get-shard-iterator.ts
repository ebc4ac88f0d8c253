import { assert } from '../../values/assert.ts';
import { ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { findStream, presentShard, retentionMsOf } from '../streams/find-stream.ts';
import { readShardBounds, type ShardBounds } from '../streams/read-shard.ts';
import { parseSequenceNumber } from '../streams/sequence-number.ts';
import { encodeShardIterator } from '../streams/shard-iterator.ts';
import { firstPosition } from '../streams/shard-lineage.ts';
import { dataTrimmed, invalidSequenceNumber } from '../streams/stream-errors.ts';
import type { ShardRecord } from '../streams/stream-record.ts';

export type ShardIteratorType = 'TRIM_HORIZON' | 'LATEST' | 'AT_SEQUENCE_NUMBER' | 'AFTER_SEQUENCE_NUMBER';

export interface GetShardIteratorRequest {
  readonly streamArn: string;
  readonly shardId: string;
  readonly shardIteratorType: ShardIteratorType;
  readonly sequenceNumber?: string | undefined;
}

export interface GetShardIteratorResult {
  readonly shardIterator: string;
}

/**
 * Returns an iterator for a position in a shard, for GetRecords.
 *
 * @throws {ValidationException} if the sequence number is missing, not allowed, or not in the shard.
 * @throws {ResourceNotFoundException} if the stream or shard does not exist, or no longer does.
 * @throws {DynamoError} `TrimmedDataAccessException` if the sequence number is older than the kept records.
 * @see Amazon DynamoDB API Reference, GetShardIterator
 */
export async function getShardIterator(
  services: EngineServices,
  request: GetShardIteratorRequest,
  context: RequestContext,
): Promise<GetShardIteratorResult> {
  checkSequenceNumber(request);
  for (let attempt = 1; ; attempt += 1) {
    assert(attempt <= 2, 'a shard is closed once');
    const stream = await findStream(services, request.streamArn, context);
    const shard = presentShard(services, stream, ({ shardId }) => shardId === request.shardId);
    const nowMs = services.environment.clock.nowMs();
    const bounds = await readShardBounds(services.store, stream, shard, nowMs - retentionMsOf(services));
    if (bounds === undefined) continue; // closed meanwhile
    const { streamArn } = request;
    const position = positionOf(request, shard, bounds);
    const shardIterator = encodeShardIterator({ streamArn, issuedAtMs: nowMs, shardNumber: shard.number, position });
    return { shardIterator };
  }
}

/** Assumed: the texts of Kinesis for the same errors. */
function checkSequenceNumber({ shardIteratorType, sequenceNumber }: GetShardIteratorRequest): void {
  const isWanted = shardIteratorType === 'AT_SEQUENCE_NUMBER' || shardIteratorType === 'AFTER_SEQUENCE_NUMBER';
  if (isWanted === (sequenceNumber !== undefined)) return;
  throw new ValidationException(
    'Must either specify (1) AT_SEQUENCE_NUMBER or AFTER_SEQUENCE_NUMBER and SequenceNumber or (2) TRIM_HORIZON or LATEST ' +
      `and no SequenceNumber. Request specified ${shardIteratorType} and ${isWanted ? 'no' : 'also a'} SequenceNumber.`,
  );
}

function positionOf(request: GetShardIteratorRequest, shard: ShardRecord, bounds: ShardBounds): number {
  const { shardIteratorType, sequenceNumber } = request;
  switch (shardIteratorType) {
    case 'TRIM_HORIZON':
      return bounds.firstPosition;
    case 'LATEST':
      return bounds.nextPosition;
    case 'AT_SEQUENCE_NUMBER':
      return Math.max(sequencePosition(sequenceNumber, shard, bounds), firstPosition(shard));
    case 'AFTER_SEQUENCE_NUMBER':
      return sequencePosition(sequenceNumber, shard, bounds) + 1;
  }
}

/** The position that a sequence number represents: that of a stored record, or the one before the first record. */
function sequencePosition(sequenceNumber: string | undefined, shard: ShardRecord, bounds: ShardBounds): number {
  const parsed = parseSequenceNumber(sequenceNumber ?? '');
  if (parsed?.shardNumber !== shard.number) throw invalidSequenceNumber();
  const { position } = parsed;
  if (position < shard.startPosition || position >= bounds.nextPosition) throw invalidSequenceNumber();
  const isSomethingTrimmed = bounds.firstPosition > firstPosition(shard);
  if (isSomethingTrimmed && position < bounds.firstPosition) throw dataTrimmed();
  return position;
}
