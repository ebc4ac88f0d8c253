import { call, type CallOptions } from './client.ts';
import type { StreamRecord } from './stream-records.ts';

/** Maximum records read in total when a stream is read from its start. */
export const pastRecordsMax = 2_000;
const recordsAtOnce = 500;
/** An open shard has no end. After this many empty answers it counts as having no more records for now. */
const emptyAnswersMax = 2;

/** The shards of a stream, the oldest first. */
export async function shardIdsOf(streamArn: string, options: CallOptions): Promise<readonly string[]> {
  const ids: string[] = [];
  let after: string | undefined;
  do {
    const input = { StreamArn: streamArn, ...(after !== undefined && { ExclusiveStartShardId: after }) };
    const { StreamDescription }: Described = await call('DescribeStream', input, options);
    ids.push(...StreamDescription.Shards.map(({ ShardId }) => ShardId));
    after = StreamDescription.LastEvaluatedShardId;
  } while (after !== undefined);
  return ids;
}

interface Described {
  readonly StreamDescription: {
    readonly Shards: readonly { readonly ShardId: string }[];
    readonly LastEvaluatedShardId?: string;
  };
}

/**
 * Records that the stream still has, the oldest first in each shard.
 *
 * @param recordsMax - the maximum number of records to read.
 * @returns the number of records read.
 */
export async function readPastRecords(
  streamArn: string,
  shardIds: readonly string[],
  options: CallOptions,
  onRecords: (records: readonly StreamRecord[]) => void,
  recordsMax: number = pastRecordsMax,
): Promise<number> {
  let count = 0;
  for (const ShardId of shardIds) {
    const from = { StreamArn: streamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' };
    let { ShardIterator: iterator } = await call<{ ShardIterator?: string }>('GetShardIterator', from, options);
    for (let empty = 0; iterator !== undefined && empty < emptyAnswersMax && count < recordsMax;) {
      const input = { ShardIterator: iterator, Limit: recordsAtOnce };
      const page: { Records: readonly StreamRecord[]; NextShardIterator?: string } = await call(
        'GetRecords',
        input,
        options,
      );
      empty = page.Records.length === 0 ? empty + 1 : 0;
      count += page.Records.length;
      onRecords(page.Records);
      iterator = page.NextShardIterator;
    }
  }
  return count;
}
