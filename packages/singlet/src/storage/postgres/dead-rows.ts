/**
 * Removes rows without a value: they held the place of a key during a commit, or represent a removed entry.
 *
 * Nothing depends on when that happens. A group that has read such a row and no longer finds it is decided again.
 */
import type { ReadConnections } from './read-connections.ts';
import type { TableNames } from './schema.ts';

/** Rows that are removed in one batch. */
const batchRows = 1_000;

export class DeadRows {
  readonly #connections: ReadConnections;
  readonly #tables: TableNames;
  #running: Promise<void> | undefined;
  #isWanted = false;
  #isClosed = false;

  constructor(connections: ReadConnections, tables: TableNames) {
    this.#connections = connections;
    this.#tables = tables;
  }

  /** Removes all dead rows, in the background. */
  remove(): void {
    if (this.#isClosed) return;
    this.#isWanted = true;
    this.#running ??= this.#removeAll().finally(() => (this.#running = undefined));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  async #removeAll(): Promise<void> {
    while (this.#isWanted && !this.#isClosed) {
      this.#isWanted = false;
      try {
        const [[removed] = []] = await this.#connections.once((connection) => connection.rows(this.#statement()));
        if (Number(removed) === batchRows) this.#isWanted = true;
      } catch {
        // The next removal retries, whatever the error was: rows without a value do no harm.
        return;
      }
    }
  }

  #statement(): { readonly name: string; readonly text: string; readonly values: readonly unknown[] } {
    const { kv } = this.#tables;
    return {
      name: 'remove_dead',
      text: `WITH removed AS (DELETE FROM ${kv} WHERE dead AND ctid = ANY (ARRAY(
  SELECT ctid FROM ${kv} WHERE dead LIMIT ${batchRows} FOR UPDATE SKIP LOCKED)) RETURNING 1) SELECT count(*) FROM removed`,
      values: [],
    };
  }
}
