import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
} from '@aws-sdk/client-dynamodb-streams';

/**
 * Items that tests change to see how far a stream has been read: each shard has the changes of one. Earlier writes
 * to the same shard have then been read, too. One item says nothing about other shards.
 *
 * @param idName - the attribute that contains the item's id.
 * @param create - creates an item. The database alone determines its shard, so several may be needed.
 * @returns their ids, one for each shard.
 */
export async function createSentinels(
  { streams, tableName, idName }: { streams: DynamoDBStreamsClient; tableName: string; idName: string },
  create: (id: string) => Promise<unknown>,
): Promise<readonly string[]> {
  const found = new Map<string, string>();
  const iterators = await iteratorsOf(streams, tableName);
  for (let number = 1; found.size < iterators.size; number += 1) {
    await create(`sentinel-${number}`);
    for (const [shardId, ShardIterator] of iterators) {
      const { Records = [], NextShardIterator } = await streams.send(new GetRecordsCommand({ ShardIterator }));
      iterators.set(shardId, NextShardIterator);
      const ids = Records.map(({ dynamodb }) => dynamodb?.NewImage?.[idName]?.S ?? '');
      const sentinel = ids.find((id) => id.startsWith('sentinel-'));
      if (sentinel !== undefined) found.set(shardId, sentinel);
    }
  }
  return [...found.values()];
}

/** Where each shard begins. */
async function iteratorsOf(
  streams: DynamoDBStreamsClient,
  tableName: string,
): Promise<Map<string, string | undefined>> {
  const { Streams = [] } = await streams.send(new ListStreamsCommand({ TableName: tableName }));
  const StreamArn = Streams[0]?.StreamArn;
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
  const iterators = new Map<string, string | undefined>();
  for (const { ShardId = '' } of StreamDescription?.Shards ?? []) {
    const { ShardIterator } = await streams.send(
      new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }),
    );
    iterators.set(ShardId, ShardIterator);
  }
  return iterators;
}
