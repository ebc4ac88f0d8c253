import type { ItemFollower } from '../item-follower.ts';
import { OpenStream } from '../streams/open-stream.ts';
import { ChangeRecordFollower } from '../streams/stream-follower.ts';
import type { Table } from '../../catalog/table.ts';
import { liveDestination } from '../../catalog/kinesis-destination.ts';

/** Records the changes of a table with a Kinesis streaming destination in the log from which they are delivered. */
export function destinationFollower({ record }: Table): ItemFollower | undefined {
  const log = liveDestination(record.kinesisDestinations)?.log;
  return log && new ChangeRecordFollower(new OpenStream(log.space, 'NEW_AND_OLD_IMAGES', log.openShards));
}
