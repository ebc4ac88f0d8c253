import { call, type CallOptions } from '../../wire/client.ts';
import type { StreamRecord } from './stream-entry.ts';

/** Read at most, in all, when a stream is read from its start. */
export const pastRecordsMax = 2_000;
const recordsAtOnce = 500;
/** A shard that is open has no end: after so many empty answers there is nothing more for now. */
const emptyAnswersMax = 2;

/** Records that are still kept, the oldest first in each shard. */
export async function readPastRecords(
  streamArn: string,
  shardIds: readonly string[],
  options: CallOptions,
  onRecords: (records: readonly StreamRecord[]) => void,
): Promise<number> {
  let count = 0;
  for (const ShardId of shardIds) {
    const from = { StreamArn: streamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' };
    let { ShardIterator: iterator } = await call<{ ShardIterator?: string }>('GetShardIterator', from, options);
    for (let empty = 0; iterator !== undefined && empty < emptyAnswersMax && count < pastRecordsMax;) {
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
