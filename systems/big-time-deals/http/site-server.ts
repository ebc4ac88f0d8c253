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
  /** 0 for any that is free. */
  readonly port: number;
  readonly host?: string;
  readonly tableName?: string;
  /** Fills the site with sample data of this scale before it is served. */
  readonly seedScale?: number | undefined;
  /** How often the stream of changes is looked at while nothing happens. */
  readonly pollIntervalMs?: number;
  readonly checksAnswers?: boolean;
  /** Gets errors that callers are told nothing of. */
  readonly onFault?: (error: unknown) => void;
}

export interface SiteServer extends HttpServer {
  readonly site: BigTimeDeals;
  /** What sample data there is, where it was asked for. */
  readonly seeded: SeedCounts | undefined;
}

/** Serves the site on a database, whose table it creates, and does what follows from changes. */
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
    // Deals of the sample have no watchers to be told; what changes from now on does.
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
