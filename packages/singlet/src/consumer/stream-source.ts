import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DescribeStreamCommand, type DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { ConsumerError, errorNameOf } from './consumer-error.ts';

/** A shard, as far as the order of reading depends on it. */
export interface StreamShard {
  readonly shardId: string;
  readonly parentShardId: string | undefined;
  /** Whether it has its last record. */
  readonly isClosed: boolean;
}

export interface StreamDescription {
  /** Whether the stream will get no more shards: it was disabled, or its table deleted. */
  readonly isDisabled: boolean;
  readonly partitionKeyName: string;
  /** All that are not trimmed, parents before children. */
  readonly shards: readonly StreamShard[];
}

/**
 * The stream of a table.
 *
 * @throws {ConsumerError} `no-table`, or `no-stream` with a sentence on how to switch one on.
 */
export async function findStreamArn(client: DynamoDBClient, tableName: string): Promise<string> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName })).catch((error: unknown) => {
    if (errorNameOf(error) !== 'ResourceNotFoundException') throw error;
    throw new ConsumerError('no-table', `There is no table ${tableName}.`, { cause: error });
  });
  const { LatestStreamArn, StreamSpecification } = Table ?? {};
  // The stream of a table whose stream was disabled can be read to its end, but who asks for it hardly means that.
  if (LatestStreamArn !== undefined && StreamSpecification?.StreamEnabled === true) return LatestStreamArn;
  throw new ConsumerError(
    'no-stream',
    `The table ${tableName} has no stream. To switch one on: aws dynamodb update-table --table-name ${tableName} ` +
      '--stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES',
  );
}

/** Describes a stream and all its shards. A stream that is gone altogether is a disabled one without shards. */
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

/** The service lists shards by age as far as is known, which is not promised; leases must be made parents first. */
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
