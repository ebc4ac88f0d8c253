import type { RequestContext } from '../environment.ts';
import type { ItemOutput } from '../layout/stored-item.ts';
import { textHash } from '../layout/partition-hash.ts';
import type { EngineServices } from '../services.ts';
import type { ChangeRecord, EventName } from '../followers/streams/change-record.ts';
import { findStream, presentShard, retentionMsOf } from '../streams/find-stream.ts';
import { type ImageSelection, imagesOf } from '../followers/streams/open-stream.ts';
import { type PlacedRecord, readShardPage } from '../streams/read-shard.ts';
import { sequenceNumberText } from '../streams/sequence-number.ts';
import { decodeShardIterator, encodeShardIterator } from '../streams/shard-iterator.ts';
import { iteratorExpired } from '../streams/stream-errors.ts';
import type { ShardRecord, StreamRecord } from '../streams/stream-record.ts';
import type { StreamViewType } from '../catalog/table-description.ts';

export interface GetRecordsRequest {
  readonly shardIterator: string;
  readonly limit?: number | undefined;
}

export interface StreamEvent {
  readonly awsRegion: string;
  readonly dynamodb: {
    /** Whole seconds since 1970. */
    readonly approximateCreationDateTime: number;
    readonly keys: ItemOutput;
    readonly newImage?: ItemOutput;
    readonly oldImage?: ItemOutput;
    readonly sequenceNumber: string;
    readonly sizeBytes: number;
    readonly streamViewType: StreamViewType;
  };
  readonly eventId: string;
  readonly eventName: EventName;
  readonly eventSource: 'aws:dynamodb';
  readonly eventVersion: '1.1';
  readonly userIdentity?: { readonly principalId: 'dynamodb.amazonaws.com'; readonly type: 'Service' };
}

export interface GetRecordsResult {
  readonly records: readonly StreamEvent[];
  /** Absent at the end of a closed shard. */
  readonly nextShardIterator?: string;
}

const minuteMs = 60_000;

/**
 * Reads records from an iterator's position in a shard.
 *
 * @throws {ValidationException} if the iterator is malformed.
 * @throws {DynamoError} `ExpiredIteratorException` if the iterator is too old, `TrimmedDataAccessException` if its record was trimmed.
 * @throws {ResourceNotFoundException} if stream or shard are gone.
 * @see Amazon DynamoDB API Reference, GetRecords
 */
export async function getRecords(
  services: EngineServices,
  request: GetRecordsRequest,
  context: RequestContext,
): Promise<GetRecordsResult> {
  const { store, limits, environment } = services;
  const { streamArn, issuedAtMs, shardNumber, position } = decodeShardIterator(request.shardIterator);
  const nowMs = environment.clock.nowMs();
  if (issuedAtMs + limits.shardIteratorMinutes * minuteMs < nowMs) throw iteratorExpired();
  const stream = await findStream(services, streamArn, context);
  const shard = presentShard(services, stream, ({ number }) => number === shardNumber);
  const images = imagesOf(stream.viewType);
  const { records, nextPosition } = await readShardPage(store, stream, shard, {
    position,
    countMax: Math.min(request.limit ?? Infinity, limits.streamRecordsCountMax),
    bytesMax: limits.streamRecordsBytesMax,
    trimmedUntilMs: nowMs - retentionMsOf(services),
    sizeBytesOf: (record) => sizeBytesOf(record, images),
  });
  const isAtEnd = shard.closed !== undefined && nextPosition > shard.closed.endPosition;
  return {
    records: records.map((placed) => eventOf(stream, shard, placed, images)),
    ...(!isAtEnd && {
      nextShardIterator: encodeShardIterator({ streamArn, issuedAtMs: nowMs, shardNumber, position: nextPosition }),
    }),
  };
}

function eventOf(
  stream: StreamRecord,
  shard: ShardRecord,
  { position, record }: PlacedRecord,
  images: ImageSelection,
): StreamEvent {
  const sequenceNumber = sequenceNumberText({ shardNumber: shard.number, position });
  return {
    awsRegion: stream.region,
    dynamodb: {
      approximateCreationDateTime: Math.floor(record.createdAtMs / 1000),
      keys: record.keys,
      ...(images.newImage && record.newImage !== undefined && { newImage: record.newImage }),
      ...(images.oldImage && record.oldImage !== undefined && { oldImage: record.oldImage }),
      sequenceNumber,
      sizeBytes: sizeBytesOf(record, images),
      streamViewType: stream.viewType,
    },
    // The same each time the record is read, and unique to the record.
    eventId: Buffer.from(textHash('event', String(stream.space), sequenceNumber)).toString('hex'),
    eventName: record.eventName,
    eventSource: 'aws:dynamodb',
    eventVersion: '1.1',
    ...(record.byService && { userIdentity: { principalId: 'dynamodb.amazonaws.com', type: 'Service' } }),
  };
}

/** The size of the keys and the returned images, by the formula for items. */
function sizeBytesOf({ keys, newImage, oldImage }: ChangeRecord, images: ImageSelection): number {
  return (
    keys.sizeBytes +
    (images.newImage ? (newImage?.sizeBytes ?? 0) : 0) +
    (images.oldImage ? (oldImage?.sizeBytes ?? 0) : 0)
  );
}
