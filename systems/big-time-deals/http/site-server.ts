import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { tableDefinitions } from '@singlet/model';
import { type HttpServer, serveHttp } from '../../http/node-server.ts';
import { ensureTable } from '../../table-lifecycle.ts';
import type { OpenDatabase } from '../../testing/databases.ts';
import { type BigTimeDeals, openBigTimeDeals } from '../big-time-deals.ts';
import { dealConsumer } from '../deal-consumer.ts';
import { bigTimeDeals } from '../model.ts';
import { seed, type SeedCounts } from '../seed.ts';
import { application } from './application.ts';

export interface SiteServerOptions {
  readonly database: Pick<OpenDatabase, 'clientConfig'>;
  readonly editorToken: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly host?: string;
  readonly tableName?: string;
  /** Fills the site with sample data of this scale before it is served. */
  readonly seedScale?: number | undefined;
  /** The polling interval of the change stream while it is idle. */
  readonly pollIntervalMs?: number;
  readonly checksAnswers?: boolean;
  /** Receives errors whose details callers do not see. */
  readonly onFault?: (error: unknown) => void;
}

export interface SiteServer extends HttpServer {
  readonly site: BigTimeDeals;
  /** The sample data, if it was requested. */
  readonly seeded: SeedCounts | undefined;
}

/** Serves the site on a database, whose table it creates, and applies the effects of changes. */
export async function startSite(options: SiteServerOptions): Promise<SiteServer> {
  const { database, seedScale, onFault } = options;
  const client = new DynamoDBClient(database.clientConfig);
  const streams = new DynamoDBStreamsClient(database.clientConfig);
  const closings: (() => Promise<void>)[] = [async () => (client.destroy(), streams.destroy())];
  const close = async (): Promise<void> => {
    for (const closing of closings.toReversed()) await closing();
  };
  try {
    const [definition = { TableName: bigTimeDeals.name }] = tableDefinitions(bigTimeDeals);
    const tableName = options.tableName ?? definition.TableName ?? bigTimeDeals.name;
    await ensureTable(client, { ...definition, TableName: tableName });
    const site = openBigTimeDeals({ client, tableName });
    const clock = { nowMs: () => Date.now() };
    const seeded = seedScale === undefined ? undefined : await seed(site, { clock, scale: seedScale });
    // Deals of the sample need no messages to watchers. Changes from now on do.
    await site.changes.refreshCache();
    const consumer = dealConsumer({
      client,
      streams,
      tableName,
      changes: site.changes,
      startingPosition: 'LATEST',
      ...(options.pollIntervalMs !== undefined && { pollIntervalMs: options.pollIntervalMs }),
      onEvent: ({ level, event, ...details }) => {
        if (level === 'error') onFault?.(new Error(event, { cause: details }));
      },
    });
    closings.push(async () => consumer.stop());
    await consumer.start();
    const handler = await application({ ...options, site });
    const server = await serveHttp(handler, options);
    closings.push(async () => server.close());
    return { url: server.url, site, seeded, close };
  } catch (error) {
    await close();
    throw error;
  }
}
