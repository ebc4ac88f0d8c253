/**
 * The driver for PostgreSQL. Entries are rows, reads and writes are statements, and this process keeps no state, so any number of processes may
 * serve one store.
 *
 * The guarantees of `Store` depend on a single PostgreSQL server: its snapshots for reads, its row locks for writes (`group-statement.ts`).
 *
 * Decision 0070 says why.
 */
import { CallerGuard } from '../caller-checks.ts';
import { StorageError } from '../storage-error.ts';
import type { Decision, RangeEnd, RangeRequest, RangeVisitor, Store, StoreManifest, StoreValue } from '../store.ts';
import { clientConfig, parsePostgresUrl, type PostgresUrl } from './connection-settings.ts';
import { DeadRows } from './dead-rows.ts';
import { loadPg, type PgPackage } from './load-pg.ts';
import { PointReads } from './point-reads.ts';
import { messageOf } from './postgres-failure.ts';
import { RangeReader } from './range-reader.ts';
import { ReadConnections } from './read-connections.ts';
import {
  checkDurability,
  checkFormat,
  checkServer,
  createSchema,
  removeOldLanes,
  storedFormat,
  tableNames,
} from './schema.ts';
import type { TableNames } from './schema.ts';
import { WriteLane } from './write-lane.ts';

export interface PostgresStoreOptions {
  /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME`; the schema is `singlet` unless it is named. */
  readonly url: string;
  /** Connections for reads, at most: 4 by default. One more is for writes. */
  readonly readConnections?: number;
  /** How many reads, how many ranges and how many writes may wait before more are refused: 4,096 of each by default. */
  readonly waitingMax?: number;
  /** How long a call waits for a PostgreSQL that does not answer, milliseconds: 10,000 by default. */
  readonly patienceMs?: number;
}

const keyBytesMax = 3_110;

export const manifest: StoreManifest = {
  name: 'postgres',
  durability: 'disk',
  multiProcess: true,
  multiServer: true,
  keyBytesMax,
};

const defaultReadConnections = 4;
const defaultWaitingMax = 4_096;
const defaultPatienceMs = 10_000;

/**
 * Opens the store in a schema of a PostgreSQL database, which is created if it is missing.
 *
 * Decisions are committed in groups, each in two round trips. Several processes may have the store open and write to it. When PostgreSQL is down,
 * calls wait and then fail with `io`. If a write loses its connection in the middle, the store looks up its outcome. It is `unknown-outcome`
 * only when PostgreSQL does not come back in time.
 *
 * @throws {StorageError} `open` when it cannot be reached or used, `format` when it was written by another version.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const url = parsePostgresUrl(options.url);
  const tables = tableNames(url.schema);
  const pg = await loadPg();
  await prepare(pg, url, tables);
  return new PostgresStore(pg, url, tables, options);
}

async function prepare(pg: PgPackage, url: PostgresUrl, tables: TableNames): Promise<void> {
  const client = new pg.Client(clientConfig(url));
  client.on('error', () => undefined);
  try {
    await client.connect();
    await checkServer(client);
    await checkDurability(client);
    if ((await storedFormat(client, tables)) === undefined) await createSchema(client, tables);
    checkFormat((await storedFormat(client, tables)) ?? 0, tables);
    await removeOldLanes(client, tables);
  } catch (error) {
    if (error instanceof StorageError) throw error;
    throw new StorageError('open', `The store at ${url.shown} cannot be opened (${messageOf(error)}).`, {
      cause: error,
    });
  } finally {
    await client.end().catch(() => undefined);
  }
}

class PostgresStore implements Store {
  readonly manifest: StoreManifest = manifest;
  readonly #guard = new CallerGuard();
  readonly #connections: ReadConnections;
  readonly #reads: PointReads;
  readonly #ranges: RangeReader;
  readonly #lane: WriteLane;
  readonly #deadRows: DeadRows;
  #closing: Promise<void> | undefined;

  constructor(pg: PgPackage, url: PostgresUrl, tables: TableNames, options: PostgresStoreOptions) {
    const guard = this.#guard;
    const { waitingMax = defaultWaitingMax, patienceMs = defaultPatienceMs } = options;
    const count = options.readConnections ?? defaultReadConnections;
    this.#connections = new ReadConnections({ pg, url, count, patienceMs });
    this.#reads = new PointReads({ connections: this.#connections, tables, guard, keyBytesMax, waitingMax });
    this.#ranges = new RangeReader({ connections: this.#connections, tables, guard, keyBytesMax, waitingMax });
    this.#deadRows = new DeadRows(this.#connections, tables);
    const onDeadRows = (): void => this.#deadRows.remove();
    this.#lane = new WriteLane({ pg, url, tables, guard, keyBytesMax, waitingMax, patienceMs, onDeadRows });
    // Removes dead rows left by a server that stopped in the middle.
    this.#deadRows.remove();
  }

  read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): Promise<T> {
    return this.#whileOpen(() => this.#reads.read(keys, body));
  }

  range(request: RangeRequest, visit: RangeVisitor): Promise<RangeEnd> {
    return this.#whileOpen(() => this.#ranges.range(request, visit));
  }

  write<T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>): Promise<T> {
    return this.#whileOpen(() => this.#lane.write(keys, decide));
  }

  async close(): Promise<void> {
    this.#guard.assertOutside();
    this.#closing ??= this.#finish();
    await this.#closing;
  }

  async #finish(): Promise<void> {
    await Promise.all([this.#lane.close(), this.#reads.close(), this.#ranges.close()]);
    await this.#deadRows.close();
    await this.#connections.close();
  }

  /** Misuse rejects the promise of the call. */
  async #whileOpen<T>(call: () => Promise<T>): Promise<T> {
    this.#guard.assertOutside();
    if (this.#closing !== undefined) throw new StorageError('closed', 'the store is closed');
    return call();
  }
}
