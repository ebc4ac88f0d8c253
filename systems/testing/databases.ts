import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { createDatabase, serve } from 'singlet';
import type { Clock } from '../clock.ts';

// The databases that the applications run on. Only this file mentions the database package.

/** A database in use; `close` also removes what it stored. */
export interface OpenDatabase {
  readonly clientConfig: DynamoDBClientConfig;
  /** Absent for a database in this process. */
  readonly url?: string;
  /** Deletes the items whose time to live has passed and returns their number; absent if tests must wait for that. */
  readonly sweepExpiredItems?: () => Promise<number>;
  readonly close: () => Promise<void>;
}

export interface DatabaseUnderTest {
  readonly name: string;
  /** Whether it uses the clock it is opened with, and deletes expired items on request. */
  readonly isTimeOurs: boolean;
  readonly open: (options?: OpenOptions) => Promise<OpenDatabase>;
}

export interface OpenOptions {
  /** The database's own time; that of this machine by default. */
  readonly clock?: Clock;
}

/** If this is set to the URL of a DynamoDB endpoint, the suites run only against it. */
const ENDPOINT_VARIABLE = 'SYSTEMS_ENDPOINT';

/** If this is set to the URL of a database in PostgreSQL, the suites run only on that. Every opened database has a schema of its own, which stays. */
const STORE_VARIABLE = 'SYSTEMS_STORE';

export const databasesUnderTest: readonly DatabaseUnderTest[] = databasesNamedBy(process.env);

function databasesNamedBy({
  [ENDPOINT_VARIABLE]: endpoint,
  [STORE_VARIABLE]: store,
}: NodeJS.ProcessEnv): readonly DatabaseUnderTest[] {
  if (endpoint !== undefined) {
    return [{ name: endpoint, isTimeOurs: false, open: async () => await Promise.resolve(openEndpoint(endpoint)) }];
  }
  if (store !== undefined) {
    const open = async (options?: OpenOptions): Promise<EmbeddedDatabase> => await openInStore(store, options);
    return [
      ours('HTTP and PostgreSQL', async (options) => await served(await open(options))),
      ours('in process and PostgreSQL', open),
    ];
  }
  return [
    ours('HTTP and memory', async (options) => await served(await openInMemory(options))),
    ours('HTTP and LMDB', async (options) => await served(await openInTemporaryDirectory(options))),
    ours('in process and memory', openInMemory),
    ours('in process and LMDB', openInTemporaryDirectory),
  ];
}

function ours(name: string, open: DatabaseUnderTest['open']): DatabaseUnderTest {
  return { name, isTimeOurs: true, open };
}

/** A database on its own port, stored in a directory that is removed with it. */
export async function openServedTemporaryDatabase(): Promise<ServedDatabase> {
  return await served(await openInTemporaryDirectory());
}

/** A database on its own port, in memory. Clients of this process need no HTTP. @param buckets - that it can export to, gone with it. */
export async function openServedMemory(buckets: readonly string[] = []): Promise<ServedDatabase> {
  return await servedBeside(await openWithBuckets(buckets));
}

/** A database on its own port, stored in a directory that stays, with its buckets beside it. Clients of this process need no HTTP. */
export async function openServedDirectory(directory: string, buckets: readonly string[] = []): Promise<ServedDatabase> {
  const options = buckets.length === 0 ? {} : { buckets: await bucketsIn(`${directory}-buckets`, buckets) };
  return await servedBeside(embeddedOf(await createDatabase({ directory, ...options })));
}

/** A database on its own port. */
export type ServedDatabase = OpenDatabase & { readonly url: string };

async function servedBeside(embedded: EmbeddedDatabase): Promise<ServedDatabase> {
  return { ...(await served(embedded)), clientConfig: embedded.clientConfig };
}

/** A database in this process, stored in a directory that stays. */
export async function openEmbeddedDirectory(directory: string): Promise<OpenDatabase> {
  return embeddedOf(await createDatabase({ directory }));
}

/** Changes to the database's default weather in a storm. */
export interface StormChanges {
  /** Of writes, from 0 to 1. */
  readonly lostAnswerRate?: number;
  /** Of reads and writes of each item, from 0 to 1. */
  readonly throttleRate?: number;
  /** The longest that a request waits. */
  readonly latencyMs?: number;
  /** How stale an eventually consistent read of a table can be. */
  readonly staleReadMs?: number;
}

/** A database in a storm. */
export interface StormyDatabase extends OpenDatabase {
  /** Ends the storm, so that the result can be inspected. */
  readonly calm: () => Promise<void>;
  /** How often each kind of weather has acted, over all tables. */
  readonly acted: () => Promise<ReadonlyMap<string, number>>;
}

/**
 * A database in this process with the weather of a bad month in an hour: lost answers, throttling, conflicts, short pages, stale reads.
 *
 * @param seed - the same seed makes the same weather for the same requests in the same order.
 * @param store - the URL of a database in PostgreSQL that keeps the data, in a schema of its own; in memory by default.
 */
export async function openStormyDatabase(
  seed: number,
  { store, ...changes }: StormChanges & { readonly store?: string } = {},
): Promise<StormyDatabase> {
  const database = await createDatabase({
    ...(store !== undefined && { store: withOwnSchema(store) }),
    weather: { seed, everywhere: { name: 'storm', ...changes } },
  });
  return {
    ...embeddedOf(database),
    calm: async () => {
      await database.setWeather({});
    },
    acted: async () => {
      const counts = new Map<string, number>();
      for (const kinds of Object.values((await database.weatherReport()).acted)) {
        for (const [kind, count] of Object.entries(kinds)) counts.set(kind, (counts.get(kind) ?? 0) + count);
      }
      return counts;
    },
  };
}

/** A database in this process, in memory. @param buckets - that it can export to, gone with it. */
export async function openEmbeddedDatabase(buckets: readonly string[] = []): Promise<OpenDatabase> {
  return await openWithBuckets(buckets);
}

/**
 * An endpoint that already exists. Region and credentials are the SDK's defaults if the environment names any;
 * otherwise placeholders, which a local database accepts.
 */
export function openEndpoint(url: string): ServedDatabase {
  const clientConfig: DynamoDBClientConfig = {
    endpoint: url,
    region: process.env['AWS_REGION'] ?? 'us-east-1',
    ...(process.env['AWS_ACCESS_KEY_ID'] === undefined && process.env['AWS_PROFILE'] === undefined && ANY_CREDENTIALS),
  };
  return { url, clientConfig, close: async () => await Promise.resolve() };
}

const ANY_CREDENTIALS = { credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

type Database = Awaited<ReturnType<typeof createDatabase>>;

interface EmbeddedDatabase extends OpenDatabase {
  readonly database: Database;
  readonly sweepExpiredItems: () => Promise<number>;
}

async function openInMemory(options: OpenOptions = {}): Promise<EmbeddedDatabase> {
  return embeddedOf(await createDatabase(options));
}

async function openWithBuckets(names: readonly string[]): Promise<EmbeddedDatabase> {
  if (names.length === 0) return await openInMemory();
  const directory = await mkdtemp(join(tmpdir(), 'singlet-buckets-'));
  const embedded = embeddedOf(await createDatabase({ buckets: await bucketsIn(directory, names) }));
  return {
    ...embedded,
    close: async () => {
      await embedded.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** A directory with buckets of these names. */
async function bucketsIn(directory: string, names: readonly string[]): Promise<string> {
  for (const name of names) await mkdir(join(directory, name), { recursive: true });
  return directory;
}

async function openInTemporaryDirectory(options: OpenOptions = {}): Promise<EmbeddedDatabase> {
  const directory = await mkdtemp(join(tmpdir(), 'singlet-systems-'));
  const embedded = embeddedOf(await createDatabase({ ...options, directory }));
  return {
    ...embedded,
    close: async () => {
      await embedded.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function openInStore(store: string, options: OpenOptions = {}): Promise<EmbeddedDatabase> {
  return embeddedOf(await createDatabase({ ...options, store: withOwnSchema(store) }));
}

function withOwnSchema(store: string): string {
  const url = new URL(store);
  url.searchParams.set('schema', `systems_${randomUUID().replaceAll('-', '')}`);
  return url.href;
}

function embeddedOf(database: Database): EmbeddedDatabase {
  return {
    database,
    clientConfig: database.clientConfig(),
    sweepExpiredItems: async () => await database.sweepExpiredItems(),
    close: async () => await database.close(),
  };
}

async function served(embedded: EmbeddedDatabase): Promise<ServedDatabase> {
  const server = await serve(embedded.database, { port: 0 });
  return {
    ...openEndpoint(server.url),
    sweepExpiredItems: embedded.sweepExpiredItems,
    close: async () => {
      await server.close();
      await embedded.close();
    },
  };
}
