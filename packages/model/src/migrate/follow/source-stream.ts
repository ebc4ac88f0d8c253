import { DescribeTableCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import type { StoredItem } from '../../run/attribute-value.ts';
import { MigrationError } from '../migration-error.ts';
import type { Traffic } from '../traffic.ts';

/** A change of an item, with what a copy needs to know about it. */
export interface ItemChange {
  readonly key: StoredItem;
  /** The item before the change; undefined if it was created. */
  readonly was: StoredItem | undefined;
  readonly sequenceNumber: string;
}

/** Some records of a shard. */
export interface ShardPage {
  readonly changes: readonly ItemChange[];
  /** Where to continue; undefined at the end of a closed shard. */
  readonly iterator: string | undefined;
}

const records = 1000;

/**
 * The stream of a table. It is enabled if necessary, so that no later change is missed.
 *
 * @throws {MigrationError} `no-old-images` if the stream does not contain old images.
 */
export async function openStream(traffic: Traffic, TableName: string): Promise<string> {
  const described = await describeTable(traffic, TableName);
  const { LatestStreamArn, StreamSpecification } = described;
  if (StreamSpecification?.StreamEnabled === true && LatestStreamArn !== undefined) {
    const { StreamViewType } = StreamSpecification;
    if (StreamViewType === 'NEW_AND_OLD_IMAGES' || StreamViewType === 'OLD_IMAGE') return LatestStreamArn;
    throw new MigrationError(
      'no-old-images',
      `The stream of ${TableName} is ${String(StreamViewType)}, which has no old images: disable it, and enable it again with NEW_AND_OLD_IMAGES.`,
    );
  }
  await traffic.client.send(
    new UpdateTableCommand({
      TableName,
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    }),
  );
  for (let attempt = 3; ; attempt += 1) {
    const { TableStatus, StreamSpecification: now, LatestStreamArn: made } = await describeTable(traffic, TableName);
    // Until it is enabled, the table may still name an earlier stream.
    if (TableStatus === 'ACTIVE' && now?.StreamEnabled === true && made !== undefined) return made;
    await traffic.backOff(attempt);
  }
}

interface Described {
  readonly TableStatus?: string;
  readonly LatestStreamArn?: string;
  readonly StreamSpecification?: { readonly StreamEnabled?: boolean | undefined; readonly StreamViewType?: string };
}

async function describeTable(traffic: Traffic, TableName: string): Promise<Described> {
  const { Table } = await traffic.client.send(new DescribeTableCommand({ TableName }));
  return (Table ?? {}) as Described;
}

/** The shards of a stream that are not trimmed. If the service throttles the listing, those that were listed so far. */
export async function shardsOf(streams: DynamoDBStreamsClient, StreamArn: string): Promise<string[]> {
  const shards: string[] = [];
  let ExclusiveStartShardId: string | undefined;
  do {
    const command = new DescribeStreamCommand({ StreamArn, ExclusiveStartShardId });
    const answer = await streams.send(command).catch(unlessThrottled);
    shards.push(...(answer?.StreamDescription?.Shards ?? []).flatMap(({ ShardId }) => ShardId ?? []));
    ExclusiveStartShardId = answer?.StreamDescription?.LastEvaluatedShardId;
  } while (ExclusiveStartShardId !== undefined);
  return shards;
}

const throttled: ReadonlySet<string> = new Set([
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
]);

/** Streams allow a few requests per second. A throttled request is retried in the next round. */
function unlessThrottled(error: unknown): undefined {
  if (!throttled.has((error as Error).name)) throw error;
}

/** Where to read a shard from: after a record, or from the oldest one. */
export async function iteratorAfter(
  streams: DynamoDBStreamsClient,
  StreamArn: string,
  ShardId: string,
  sequenceNumber: string | undefined,
): Promise<string | undefined> {
  const from =
    sequenceNumber === undefined
      ? ({ ShardIteratorType: 'TRIM_HORIZON' } as const)
      : ({ ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: sequenceNumber } as const);
  try {
    const command = new GetShardIteratorCommand({ StreamArn, ShardId, ...from });
    return (await streams.send(command).catch(unlessThrottled))?.ShardIterator;
  } catch (error) {
    throw explained(error);
  }
}

/** Reads some records; undefined if the iterator has expired or the service throttles, so that a new iterator is needed. */
export async function readShard(streams: DynamoDBStreamsClient, iterator: string): Promise<ShardPage | undefined> {
  try {
    const answer = await streams.send(new GetRecordsCommand({ ShardIterator: iterator, Limit: records }));
    const changes = (answer.Records ?? []).flatMap(({ dynamodb }) => {
      if (dynamodb?.Keys === undefined || dynamodb.SequenceNumber === undefined) return [];
      const { Keys, OldImage, SequenceNumber } = dynamodb;
      return [{ key: Keys, was: OldImage, sequenceNumber: SequenceNumber }];
    });
    return { changes, iterator: answer.NextShardIterator };
  } catch (error) {
    const { name } = error as Error;
    if (name === 'ExpiredIteratorException' || throttled.has(name)) return undefined;
    throw explained(error);
  }
}

/** Records that the stream has trimmed cannot be followed, and the copy would miss them. */
function explained(error: unknown): unknown {
  return (error as Error).name === 'TrimmedDataAccessException' ? streamTrimmed(error) : error;
}

/** The records after the last one that was followed no longer exist. */
export function streamTrimmed(cause?: unknown): MigrationError {
  return new MigrationError(
    'stream-trimmed',
    'The stream no longer has the records after the last that were followed: it keeps them for a day. Begin again with another new table.',
    { cause },
  );
}
