/**
 * Operations on a PostgreSQL store that do not open it for requests: its creation and its status.
 */
import type { Client } from 'pg';
import { StorageError } from '../storage-error.ts';
import { clientConfig, parsePostgresUrl } from './connection-settings.ts';
import { loadPg } from './load-pg.ts';
import { messageOf } from './postgres-failure.ts';
import {
  checkDurability,
  checkFormat,
  checkServer,
  createSchema,
  schemaStatements,
  storedFormat,
  tableNames,
  type TableNames,
} from './schema.ts';

/** The status of a store, from PostgreSQL. */
export interface PostgresStoreStatus {
  /** The URL without its password. */
  readonly store: string;
  readonly schema: string;
  readonly format: number;
  /** Version of PostgreSQL: `18.4`. */
  readonly serverVersion: string;
  /** Tables, their indexes and large values, bytes. */
  readonly sizeBytes: number;
  /** As of the last time that PostgreSQL analysed the table; undefined when it never did. */
  readonly estimatedEntries: number | undefined;
  /** Rows without a value that are still to be removed, up to {@link deadRowsMax}. */
  readonly deadRows: number;
  /** Writers of the last seven days that have not been closed, the latest first. */
  readonly writers: readonly PostgresStoreWriter[];
}

export interface PostgresStoreWriter {
  readonly id: string;
  /** How many groups of decisions it has committed. */
  readonly groups: number;
  /** How long ago it committed the last, seconds. */
  readonly idleSeconds: number;
}

/** A higher count would take long, and be of no more use. */
export const deadRowsMax = 100_000;

/**
 * Creates the schema and the tables of a store, unless they exist.
 *
 * @returns whether they were missing.
 * @throws {StorageError} `open` when PostgreSQL cannot be reached or used, `format` for a store of another version.
 */
export async function createPostgresStore(url: string): Promise<boolean> {
  return withClient(url, async (client, tables) => {
    await checkServer(client);
    await checkDurability(client);
    const before = await storedFormat(client, tables);
    if (before === undefined) await createSchema(client, tables);
    checkFormat((await storedFormat(client, tables)) ?? 0, tables);
    return before === undefined;
  });
}

/**
 * Whether there is a store at this URL.
 *
 * @throws {StorageError} `open` when PostgreSQL cannot be reached or used.
 */
export async function hasPostgresStore(url: string): Promise<boolean> {
  return withClient(url, async (client, tables) => (await storedFormat(client, tables)) !== undefined);
}

/**
 * The status of a store.
 *
 * @throws {StorageError} `open` when it does not exist, or PostgreSQL cannot be reached; `format` for a store of another version.
 */
export async function postgresStoreStatus(url: string): Promise<PostgresStoreStatus> {
  const { shown, schema } = parsePostgresUrl(url);
  return withClient(url, async (client, tables) => {
    const format = await storedFormat(client, tables);
    if (format === undefined) {
      throw new StorageError(
        'open',
        `There is no store in schema ${schema} of ${shown}: singlet store init creates one.`,
      );
    }
    checkFormat(format, tables);
    const one = async (text: string): Promise<string> =>
      Object.values((await client.query<TextRecord>(text)).rows[0] ?? {})[0] ?? '';
    const estimated = Number(await one(`SELECT reltuples::int8 FROM pg_class WHERE oid = '${tables.kv}'::regclass`));
    return {
      store: shown,
      schema,
      format,
      serverVersion: await one('SHOW server_version'),
      sizeBytes: Number(await one(`SELECT pg_total_relation_size('${tables.kv}')`)),
      estimatedEntries: estimated < 0 ? undefined : estimated,
      deadRows: Number(
        await one(`SELECT count(*) FROM (SELECT 1 FROM ${tables.kv} WHERE dead LIMIT ${deadRowsMax}) AS dead`),
      ),
      writers: await writersOf(client, tables),
    };
  });
}

/** How far a standby is behind. */
export interface PostgresReplicaStatus {
  /** The URL without its password. */
  readonly store: string;
  /** Bytes of PostgreSQL's log that the store has written, and the standby has not applied. */
  readonly bytesBehind: number;
  /** How long ago the last transaction that the standby has applied was committed, seconds; undefined when it has applied none. */
  readonly lastAppliedSeconds: number | undefined;
}

/**
 * The status of a standby of a store.
 *
 * @throws {StorageError} `open` when one of them cannot be reached.
 */
export async function postgresReplicaStatus(url: string, of: string): Promise<PostgresReplicaStatus> {
  const one = async (client: Client, text: string): Promise<string | null> =>
    Object.values((await client.query<Readonly<Record<string, string | null>>>(text)).rows[0] ?? {})[0] ?? null;
  const applied = await withClient(url, async (client) => ({
    // A standby that has been promoted has a log of its own.
    position: await one(
      client,
      'SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END',
    ),
    seconds: await one(client, 'SELECT extract(epoch FROM now() - pg_last_xact_replay_timestamp())::float8'),
  }));
  const bytesBehind = await withClient(of, async (client) =>
    one(client, `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '${applied.position ?? '0/0'}')::int8`),
  );
  return {
    store: parsePostgresUrl(url).shown,
    bytesBehind: Math.max(0, Number(bytesBehind)),
    lastAppliedSeconds: applied.seconds === null ? undefined : Number(applied.seconds),
  };
}

/** The statements that create the schema and the tables of a store, in their order, for an operator to run. */
export function postgresStorePlan(url: string): readonly string[] {
  return schemaStatements(tableNames(parsePostgresUrl(url).schema));
}

type TextRecord = Readonly<Record<string, string>>;

async function writersOf(client: Client, { lane }: TableNames): Promise<readonly PostgresStoreWriter[]> {
  const { rows } = await client.query<TextRecord>(
    `SELECT id, groups, extract(epoch FROM now() - used_at)::int8 AS idle FROM ${lane}
  WHERE used_at > now() - interval '7 days' ORDER BY used_at DESC, id LIMIT 1000`,
  );
  return rows.map(({ id = '', groups, idle }) => ({ id, groups: Number(groups), idleSeconds: Number(idle) }));
}

async function withClient<T>(text: string, use: (client: Client, tables: TableNames) => Promise<T>): Promise<T> {
  const url = parsePostgresUrl(text);
  const tables = tableNames(url.schema);
  const pg = await loadPg();
  const client = new pg.Client(clientConfig(url));
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await use(client, tables);
  } catch (error) {
    if (error instanceof StorageError) throw error;
    throw new StorageError('open', `The store at ${url.shown} cannot be used (${messageOf(error)}).`, { cause: error });
  } finally {
    await client.end().catch(() => undefined);
  }
}
