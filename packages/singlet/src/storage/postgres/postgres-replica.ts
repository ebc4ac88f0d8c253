/**
 * A standby of a store's PostgreSQL, for reads that may be stale. It shows states that the store has had, each read one of them: those of a page or of
 * a range are of the same moment.
 *
 * Decision 0073 says why.
 */
import type { Client } from 'pg';
import { CallerGuard } from '../caller-checks.ts';
import { StorageError } from '../storage-error.ts';
import type { RangeEnd, RangeRequest, RangeVisitor, Store, StoreManifest, StoreValue } from '../store.ts';
import { clientConfig, parsePostgresUrl } from './connection-settings.ts';
import { loadPg, type PgPackage } from './load-pg.ts';
import { PointReads } from './point-reads.ts';
import { messageOf } from './postgres-failure.ts';
import { manifest } from './postgres-store.ts';
import { RangeReader } from './range-reader.ts';
import { ReadConnections } from './read-connections.ts';
import { checkFormat, storedFormat, tableNames, type TableNames } from './schema.ts';

export interface PostgresReplicaOptions {
  /** The URL of the standby, as for the store itself. Its schema is that of the store. */
  readonly url: string;
  /** The URL of the store. */
  readonly of: string;
  /** Connections, at most: 4 by default. */
  readonly readConnections?: number;
  /** How long a read waits for a standby that does not answer, milliseconds: 500 by default. The store itself can answer instead. */
  readonly patienceMs?: number;
}

const defaultReadConnections = 4;
const defaultPatienceMs = 500;
const waitingMax = 4_096;

/**
 * Opens a standby. Its `write` is refused.
 *
 * @throws {StorageError} `open` when it cannot be reached, or is not a copy of the store's PostgreSQL; `format` as the store itself.
 */
export async function openPostgresReplica(options: PostgresReplicaOptions): Promise<Store> {
  const { schema } = parsePostgresUrl(options.of);
  const tables = tableNames(schema);
  const pg = await loadPg();
  const [copy, original] = [await identityOf(pg, options.url, tables), await identityOf(pg, options.of, tables)];
  if (copy !== original) {
    throw new StorageError(
      'open',
      `The PostgreSQL at ${parsePostgresUrl(options.url).shown} is not a standby of the one at ${parsePostgresUrl(options.of).shown}.`,
    );
  }
  return new PostgresReplica(pg, tables, options);
}

/** The identifier that PostgreSQL gave a database cluster when it was created; its standbys have the same. */
async function identityOf(pg: PgPackage, text: string, tables: TableNames): Promise<string> {
  const url = parsePostgresUrl(text);
  const client: Client = new pg.Client(clientConfig(url));
  client.on('error', () => undefined);
  try {
    await client.connect();
    const format = await storedFormat(client, tables);
    // A standby that has not received the store yet is read when it has: until then its reads fail.
    if (format !== undefined) checkFormat(format, tables);
    const { rows } = await client.query<{ id: string }>(
      'SELECT system_identifier::text AS id FROM pg_control_system()',
    );
    return rows[0]?.id ?? '';
  } catch (error) {
    if (error instanceof StorageError) throw error;
    throw new StorageError('open', `The store at ${url.shown} cannot be read (${messageOf(error)}).`, { cause: error });
  } finally {
    await client.end().catch(() => undefined);
  }
}

class PostgresReplica implements Store {
  readonly manifest: StoreManifest = manifest;
  readonly #guard = new CallerGuard();
  readonly #connections: ReadConnections;
  readonly #reads: PointReads;
  readonly #ranges: RangeReader;
  #closing: Promise<void> | undefined;

  constructor(pg: PgPackage, tables: TableNames, options: PostgresReplicaOptions) {
    const { readConnections: count = defaultReadConnections, patienceMs = defaultPatienceMs } = options;
    const { keyBytesMax } = manifest;
    this.#connections = new ReadConnections({ pg, url: parsePostgresUrl(options.url), count, patienceMs });
    this.#reads = new PointReads({
      connections: this.#connections,
      tables,
      guard: this.#guard,
      keyBytesMax,
      waitingMax,
    });
    this.#ranges = new RangeReader({
      connections: this.#connections,
      tables,
      guard: this.#guard,
      keyBytesMax,
      waitingMax,
    });
  }

  async read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): Promise<T> {
    this.#assertOpen();
    return this.#reads.read(keys, body);
  }

  async range(request: RangeRequest, visit: RangeVisitor): Promise<RangeEnd> {
    this.#assertOpen();
    return this.#ranges.range(request, visit);
  }

  async write(): Promise<never> {
    throw new StorageError('io', 'a standby accepts no writes; nothing was written');
  }

  async close(): Promise<void> {
    this.#guard.assertOutside();
    this.#closing ??= this.#finish();
    await this.#closing;
  }

  async #finish(): Promise<void> {
    await Promise.all([this.#reads.close(), this.#ranges.close()]);
    await this.#connections.close();
  }

  #assertOpen(): void {
    this.#guard.assertOutside();
    if (this.#closing !== undefined) throw new StorageError('closed', 'the store is closed');
  }
}
