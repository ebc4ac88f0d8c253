import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { Clock } from '../../clock.ts';
import type { ApplicationStart } from '../../http/start-options.ts';
import { statsConsumer, statsKeeper } from '../material-stats.ts';

const POLL_INTERVAL_MS = 100;

/** AM-W6, in this process: keeps the sums of each material from the table's stream. @returns a function that stops it. */
export async function keepStatistics({
  client,
  database,
  clock,
  tableName,
}: Pick<ApplicationStart, 'client' | 'database'> & {
  readonly clock: Clock;
  readonly tableName: string;
}): Promise<() => Promise<void>> {
  const streams = new DynamoDBStreamsClient(database.clientConfig);
  const consumer = statsConsumer({
    client,
    streams,
    tableName,
    count: statsKeeper({ client, clock, tableName }),
    checkpointTable: `${tableName}-checkpoints`,
    pollIntervalMs: POLL_INTERVAL_MS,
  });
  await consumer.start();
  return async () => {
    await consumer.stop();
    streams.destroy();
  };
}
