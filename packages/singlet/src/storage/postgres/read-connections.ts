/**
 * The connections that reads share: bounded in number, replaced when they are lost.
 *
 * A read can be retried, so a lost connection is an error only when there has been none for `patienceMs`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { clientConfig, type PostgresUrl } from './connection-settings.ts';
import type { Statement } from './group-statement.ts';
import type { TextRow } from './lane-session.ts';
import type { PgPackage } from './load-pg.ts';
import { failureKind, storageErrorOf } from './postgres-failure.ts';

/** Pause before another attempt, milliseconds. */
const retryMs = 100;

/** A connection of the pool while one caller has it. */
export class ReadConnection {
  readonly #client: PoolClient;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  async rows({ name, text, values }: Statement): Promise<readonly TextRow[]> {
    const { rows } = await this.#client.query<(string | null)[]>({
      name,
      text,
      values: [...values],
      rowMode: 'array',
    });
    return rows;
  }

  async query(text: string): Promise<void> {
    await this.#client.query(text);
  }

  /** Ends a read-only transaction. If that fails, the next use of the connection fails, too, and the connection is replaced. */
  async end(): Promise<void> {
    await this.#client.query('COMMIT').catch(() => undefined);
  }
}

export interface ReadConnectionsOptions {
  readonly pg: PgPackage;
  readonly url: PostgresUrl;
  readonly count: number;
  /** How long a read may wait for PostgreSQL, milliseconds. */
  readonly patienceMs: number;
}

export class ReadConnections {
  readonly #pool: Pool;
  readonly #patienceMs: number;
  readonly count: number;

  constructor({ pg, url, count, patienceMs }: ReadConnectionsOptions) {
    this.count = count;
    this.#patienceMs = patienceMs;
    // Statements that are pipelined on one connection are answered in order.
    this.#pool = new pg.Pool({ ...clientConfig(url), max: count, idleTimeoutMillis: 0, pipeline: true });
    // A lost connection is reported to the query that uses it, and replaced on the next use. Without listeners it would
    // end the process.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /**
   * Runs a body with a connection, and again with another one if the connection is lost.
   *
   * @param body - reads only. May run several times, so visible effects must come after the last point of failure.
   * @throws {StorageError} `io`.
   */
  async run<T>(body: (connection: ReadConnection) => Promise<T>): Promise<T> {
    const untilMs = performance.now() + this.#patienceMs;
    for (;;) {
      try {
        return await this.once(body);
      } catch (error) {
        const kind = failureKind(error);
        if (kind === 'refused' || performance.now() >= untilMs) throw storageErrorOf(error, 'a read');
        await delay(retryMs);
      }
    }
  }

  /** Runs a body with a connection, once. */
  async once<T>(body: (connection: ReadConnection) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let failure: Error | undefined;
    try {
      return await body(new ReadConnection(client));
    } catch (error) {
      failure = error instanceof Error ? error : new TypeError(String(error));
      throw error;
    } finally {
      // A connection on which anything failed is not reused.
      client.release(failure);
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}
