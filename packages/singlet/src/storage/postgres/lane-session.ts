/**
 * The connection of a writer, and what it knows about its own row.
 *
 * A writer (a *lane*) commits one group after the other, and its row counts them. When a connection is lost while a group is in flight, the next
 * session raises the row's `epoch` and reads the count. Raising it waits for a statement that is still running on the old connection, and a
 * statement that has not begun cannot find the row any more. So the count shows, exactly and permanently, whether the group was committed.
 *
 * The outcome is unknown only if the row is gone, or the server does not come back.
 */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Client } from 'pg';
import { clientConfig, type PostgresUrl } from './connection-settings.ts';
import type { LanePosition, Statement } from './group-statement.ts';
import type { PgPackage } from './load-pg.ts';
import { failureKind } from './postgres-failure.ts';
import type { TableNames } from './schema.ts';

/** A row of results, each column as PostgreSQL's text. */
export type TextRow = readonly (string | null)[];

export class LaneSession {
  readonly #client: Client;
  readonly #position: LanePosition;

  private constructor(client: Client, position: LanePosition) {
    this.#client = client;
    this.#position = position;
  }

  /**
   * Connects, and takes over the lane's row from any earlier session.
   *
   * @throws the client's error.
   */
  static async open(pg: PgPackage, url: PostgresUrl, tables: TableNames, id: string): Promise<LaneSession> {
    const client = new pg.Client(clientConfig(url));
    // The error of a connection is reported to the query that uses it. Without a listener it would end the process.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query(
        `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`,
      );
      const { rows } = await client.query<[string, string]>({
        text: `INSERT INTO ${tables.lane} AS l (id, epoch, groups) VALUES ($1, 1, 0)
  ON CONFLICT (id) DO UPDATE SET epoch = l.epoch + 1, used_at = now() RETURNING epoch, groups`,
        values: [id],
        rowMode: 'array',
      });
      const [epoch = '', groups = ''] = rows[0] ?? [];
      return new LaneSession(client, { id, epoch, groups });
    } catch (error) {
      drop(client);
      throw error;
    }
  }

  /** The state of the lane's row while no group is in flight. */
  get position(): LanePosition {
    return this.#position;
  }

  /** The same connection, after a group has been committed on it. */
  advanced(): LaneSession {
    return new LaneSession(this.#client, { ...this.#position, groups: groupsAfter(this.#position) });
  }

  /** Whether the connection is known to be lost. */
  get isLost(): boolean {
    return socketOf(this.#client)?.destroyed !== false;
  }

  /** Whether this is the first session of its row. */
  get isNew(): boolean {
    return this.#position.epoch === '1';
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

  /** Runs statements in one transaction, which is rolled back when the body throws. */
  async transaction<T>(body: () => Promise<T>): Promise<T> {
    await this.#client.query('BEGIN');
    let result: T;
    try {
      result = await body();
    } catch (error) {
      // A lost connection ends its transaction, too.
      if (failureKind(error) !== 'lost') await this.#client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
    await this.#client.query('COMMIT');
    return result;
  }

  /** Ends the lane: its row is not needed any more. */
  async close(tables: TableNames): Promise<void> {
    const remove = { name: 'lane_end', text: `DELETE FROM ${tables.lane} WHERE id = $1`, values: [this.#position.id] };
    await this.#client.query(remove).catch(() => undefined);
    await this.#client.end().catch(() => undefined);
  }

  /** Drops the connection, even in the middle of a statement. */
  drop(): void {
    drop(this.#client);
  }
}

/** The count in a lane's row once the group that was sent from this position is committed. */
export function groupsAfter({ groups }: LanePosition): string {
  return `${BigInt(groups) + 1n}`;
}

export function newLaneId(): string {
  return randomUUID();
}

function drop(client: Client): void {
  client.end().catch(() => undefined);
  // Closing cleanly would wait forever for a server that does not answer.
  socketOf(client)?.destroy();
}

/** The client's types do not declare it. */
function socketOf(client: Client): Socket | undefined {
  const { connection } = client as unknown as { readonly connection?: { readonly stream?: Socket } };
  return connection?.stream;
}
