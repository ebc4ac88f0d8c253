import { resolve } from 'node:path';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { createDatabase, type Database } from '../../../database/create-database.ts';
import { type StoreLocation, storeLocationOf } from '../../../database/open-store.ts';
import { dataFileExists } from '../../backup/data-file-exists.ts';
import { endpointConfig, regionOrDefault } from '../../endpoint-client.ts';
import { UsageError } from '../../usage-error.ts';

/** Where tables are moved from or to: a DynamoDB endpoint, or a store that this process opens itself. */
export interface Place {
  /** For messages: without a password. */
  readonly name: string;
  readonly client: DynamoDBClient;
  readonly streams: DynamoDBStreamsClient;
  close(): Promise<void>;
}

/**
 * Opens a place: `aws`, the URL of an endpoint, `lmdb:DIRECTORY` or `postgres://HOST/DATABASE`. Servers may have the directory or the database
 * open, too.
 *
 * @param options.mustExist - whether a store that is missing is refused, and not created.
 * @throws {UsageError} for a text that names none. @throws {StorageError} if a store cannot be opened.
 */
export async function openPlace(
  flag: string,
  text: string,
  { region, mustExist }: { readonly region: string | undefined; readonly mustExist: boolean },
): Promise<Place> {
  if (text === 'aws') {
    return placeOf('Amazon DynamoDB', {
      maxAttempts,
      ...endpointConfig({ endpoint: '', aws: true, ...named(region) }),
    });
  }
  if (/^https?:\/\//.test(text)) {
    return placeOf(text, { maxAttempts, ...endpointConfig({ endpoint: text, ...named(region) }) });
  }
  const location = storeLocationOf(text);
  if (location.kind === 'memory') throw new UsageError(`${flag} takes a place that is kept, not memory:.`);
  const name = location.kind === 'postgres' ? withoutPassword(text) : text;
  if (mustExist && !(await isThere(location))) throw new UsageError(`There is no store at ${name}.`);
  const database = await createDatabase({
    store: text,
    region: regionOrDefault(named(region)),
    backgroundWork: 'on-demand',
  });
  return placeOf(name, { maxAttempts, ...database.clientConfig() }, database);
}

async function isThere(location: Exclude<StoreLocation, { kind: 'memory' }>): Promise<boolean> {
  if (location.kind === 'directory') return dataFileExists(resolve(location.directory));
  const { hasPostgresStore } = await import('../../../storage/postgres/store-status.ts');
  return hasPostgresStore(location.url);
}

/** Attempts of the SDK for each request: throttling by a target of little capacity only slows a move down. */
const maxAttempts = 12;

function placeOf(name: string, config: DynamoDBClientConfig, database?: Database): Place {
  const client = new DynamoDBClient(config);
  const streams = new DynamoDBStreamsClient(config);
  return {
    name,
    client,
    streams,
    close: async () => {
      client.destroy();
      streams.destroy();
      await database?.close();
    },
  };
}

function named(region: string | undefined): { readonly region?: string } {
  return region === undefined ? {} : { region };
}

function withoutPassword(text: string): string {
  const url = new URL(text);
  url.password = '';
  return url.href;
}
