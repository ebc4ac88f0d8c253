import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DescribeStreamCommand, type DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { ConsumerError, errorNameOf } from './consumer-error.ts';

/** The properties of a shard that determine the order of reading. */
export interface StreamShard {
  readonly shardId: string;
  readonly parentShardId: string | undefined;
  /** Whether the shard is closed to new records. */
  readonly isClosed: boolean;
}

export interface StreamDescription {
  /** Whether the stream will get no more shards, because it was disabled or its table deleted. */
  readonly isDisabled: boolean;
  readonly partitionKeyName: string;
  /** All shards that are not trimmed, parents before children. */
  readonly shards: readonly StreamShard[];
}

/**
 * The stream of a table.
 *
 * @throws {ConsumerError} `no-table`, or `no-stream` with a sentence on how to enable one.
 */
export async function findStreamArn(client: DynamoDBClient, tableName: string): Promise<string> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName })).catch((error: unknown) => {
    if (errorNameOf(error) !== 'ResourceNotFoundException') throw error;
    throw new ConsumerError('no-table', `There is no table ${tableName}.`, { cause: error });
  });
  const { LatestStreamArn, StreamSpecification } = Table ?? {};
  // A disabled stream can still be read to its end, but that is hardly what the caller wants.
  if (LatestStreamArn !== undefined && StreamSpecification?.StreamEnabled === true) return LatestStreamArn;
  throw new ConsumerError(
    'no-stream',
    `The table ${tableName} has no stream. To switch one on: aws dynamodb update-table --table-name ${tableName} ` +
      '--stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES',
  );
}

/** Describes a stream and all its shards. A deleted stream is returned as a disabled one without shards. */
export async function describeStream(client: DynamoDBStreamsClient, streamArn: string): Promise<StreamDescription> {
  const shards: StreamShard[] = [];
  let isDisabled = false;
  let partitionKeyName = '';
  let ExclusiveStartShardId: string | undefined;
  try {
    do {
      const { StreamDescription } = await client.send(
        new DescribeStreamCommand({ StreamArn: streamArn, ExclusiveStartShardId }),
      );
      const { Shards = [], StreamStatus, KeySchema = [] } = StreamDescription ?? {};
      for (const { ShardId, ParentShardId, SequenceNumberRange } of Shards) {
        const isClosed = SequenceNumberRange?.EndingSequenceNumber !== undefined;
        if (ShardId !== undefined) shards.push({ shardId: ShardId, parentShardId: ParentShardId, isClosed });
      }
      isDisabled = StreamStatus === 'DISABLED';
      partitionKeyName = KeySchema.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName ?? '';
      ExclusiveStartShardId = StreamDescription?.LastEvaluatedShardId;
    } while (ExclusiveStartShardId !== undefined);
  } catch (error) {
    if (errorNameOf(error) !== 'ResourceNotFoundException') throw error;
    return { isDisabled: true, partitionKeyName, shards: [] };
  }
  return { isDisabled, partitionKeyName, shards: parentsFirst(shards) };
}

/** The service seems to list shards by age, but does not promise it. Leases must be created parents first. */
function parentsFirst(shards: readonly StreamShard[]): readonly StreamShard[] {
  const waiting = new Map(shards.map((shard) => [shard.shardId, shard]));
  const ordered: StreamShard[] = [];
  for (const shard of shards) {
    const line: StreamShard[] = [];
    let next: StreamShard | undefined = waiting.get(shard.shardId);
    while (next !== undefined) {
      waiting.delete(next.shardId);
      line.push(next);
      next = next.parentShardId === undefined ? undefined : waiting.get(next.parentShardId);
    }
    ordered.push(...line.toReversed());
  }
  return ordered;
}
