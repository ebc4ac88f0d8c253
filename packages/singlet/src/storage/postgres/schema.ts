/**
 * The tables of a store, their creation, and the check of their format.
 *
 *     kv     one row per entry; a row that is `dead` has no value and only holds the place of its key (see `group-statement.ts`)
 *     lane   one row per writer: how many groups it has committed
 *     meta   one row: the format of all of this
 *
 * They are in their own PostgreSQL schema, `singlet` unless the URL names another.
 */
import type { ClientBase } from 'pg';
import { StorageError } from '../storage-error.ts';

/** The format that this version reads and writes. */
const format = 1;

/** PostgreSQL's own limit for names, unquoted. */
const schemaNamePattern = /^[a-z_][a-z0-9_]{0,62}$/;

/** Names of the tables, quoted and with their schema. */
export interface TableNames {
  readonly schema: string;
  readonly kv: string;
  readonly lane: string;
  readonly meta: string;
}

/** @throws {StorageError} `open` for a name that would need quoting. */
export function tableNames(schema: string): TableNames {
  if (!schemaNamePattern.test(schema)) {
    throw new StorageError(
      'open',
      `${JSON.stringify(schema)} cannot be the schema of a store: use small letters, digits and _, at most 63, and no digit first.`,
    );
  }
  return { schema, kv: `"${schema}".kv`, lane: `"${schema}".lane`, meta: `"${schema}".meta` };
}

/** The statements that create a store, in order. Each may be run again. */
export function schemaStatements({ schema, kv, lane, meta }: TableNames): readonly string[] {
  return [
    `CREATE SCHEMA IF NOT EXISTS "${schema}"`,
    `CREATE TABLE IF NOT EXISTS ${kv} (
  head bytea NOT NULL,
  digest bytea NOT NULL,
  tail bytea NOT NULL,
  version int8 NOT NULL,
  dead boolean NOT NULL,
  value bytea,
  PRIMARY KEY (head, digest)
) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.2)`,
    `ALTER TABLE ${kv} ALTER COLUMN value SET STORAGE EXTERNAL`,
    // Not on `value`, which changes with every write and would then keep the row from being updated in place.
    `CREATE INDEX IF NOT EXISTS kv_dead ON ${kv} (head) WHERE dead`,
    `CREATE TABLE IF NOT EXISTS ${lane} (
  id uuid PRIMARY KEY,
  epoch int8 NOT NULL,
  groups int8 NOT NULL,
  used_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50)`,
    `CREATE TABLE IF NOT EXISTS ${meta} (one boolean PRIMARY KEY DEFAULT true CHECK (one), format int NOT NULL)`,
    `INSERT INTO ${meta} (format) VALUES (${format}) ON CONFLICT DO NOTHING`,
  ];
}

/** Any number that nothing else locks: processes that create a store at once take turns. */
const creationLock = 7_305_113_209;

/** Creates the missing parts, unless the store already exists. */
export async function createSchema(client: ClientBase, names: TableNames): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(`SELECT pg_advisory_xact_lock(${creationLock})`);
    for (const statement of schemaStatements(names)) await client.query(statement);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** @returns the format of the store; undefined when it does not exist. */
export async function storedFormat(client: ClientBase, { meta }: TableNames): Promise<number | undefined> {
  const { rows } = await client.query<{ found: string | null }>('SELECT to_regclass($1)::text AS found', [meta]);
  if ((rows[0]?.found ?? null) === null) return undefined;
  const stored = await client.query<{ format: string }>(`SELECT format FROM ${meta}`);
  const [row] = stored.rows;
  return row === undefined ? undefined : Number(row.format);
}

/** @throws {StorageError} `format` for a store of another version. */
export function checkFormat(stored: number, { schema }: TableNames): void {
  if (stored === format) return;
  throw new StorageError(
    'format',
    `The store in schema ${schema} has format ${stored}; this version of Singlet reads format ${format}. Use the version that wrote it, or a newer one.`,
  );
}

const majorMin = 15;

/**
 * What keeps a server from having a store, by the text of its `version()`; undefined for a PostgreSQL that is new enough. Engines that only speak its
 * protocol have locks and snapshots of their own, and this driver has not been tested on them. Decision 0130 says what is needed first.
 */
export function serverProblem(version: string): string | undefined {
  const engine = version.startsWith('CockroachDB')
    ? 'CockroachDB'
    : /^PostgreSQL \S*-YB-/.test(version)
      ? 'YugabyteDB'
      : undefined;
  if (engine !== undefined) return `This is ${engine}. A store needs PostgreSQL itself: docs/scale-out.md says why.`;
  const major = Number(/^PostgreSQL (\d+)/.exec(version)?.[1]);
  if (major >= majorMin) return undefined;
  return `This is ${version.split(' on ')[0] ?? ''}. A store needs PostgreSQL ${majorMin} or newer.`;
}

/** @throws {StorageError} `open` for another engine, or a version that is too old. */
export async function checkServer(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ version: string }>('SELECT version() AS version');
  const problem = serverProblem(rows[0]?.version ?? '');
  if (problem !== undefined) throw new StorageError('open', problem);
}

/**
 * Refuses a server that may lose acknowledged writes.
 *
 * @throws {StorageError} `open`, which names the setting.
 */
export async function checkDurability(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting <> 'on'`,
  );
  const [off] = rows;
  if (off === undefined) return;
  throw new StorageError(
    'open',
    `${off.name} is off on this PostgreSQL: it would acknowledge writes that it loses when the machine stops. Turn it on.`,
  );
}

/** Removes rows of writers that ended without removing theirs. A writer that comes back finds its row gone, and takes a new one. */
export async function removeOldLanes(client: ClientBase, { lane }: TableNames): Promise<void> {
  await client.query(`DELETE FROM ${lane} WHERE used_at < now() - interval '7 days'`);
}
