/**
 * Point reads. The calls of one turn of the event loop, and those that arrive while all connections are busy, share a statement and so a snapshot.
 *
 * The statement begins after the last of its calls, so the snapshot contains every write that was acknowledged before any of them.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { assertKey, type CallerGuard } from '../caller-checks.ts';
import { StorageError } from '../storage-error.ts';
import type { StoreValue } from '../store.ts';
import { plannedKey, type PlannedKey } from './group-plan.ts';
import { bytesOfText, keyText } from './key-columns.ts';
import type { ReadConnections } from './read-connections.ts';
import type { TableNames } from './schema.ts';
import { readStatement } from './write-lane.ts';

/** Most keys of one statement: all their values are in memory at once. */
const statementKeysMax = 256;

interface PendingRead {
  readonly keys: readonly PlannedKey[];
  /** Passes the values, which are valid until it returns. */
  readonly answer: (values: readonly StoreValue[]) => void;
  readonly reject: (error: unknown) => void;
}

export interface PointReadsOptions {
  readonly connections: ReadConnections;
  readonly tables: TableNames;
  readonly guard: CallerGuard;
  readonly keyBytesMax: number;
  /** How many calls may wait. */
  readonly waitingMax: number;
}

export class PointReads {
  readonly #options: PointReadsOptions;
  readonly #waiting: PendingRead[] = [];
  readonly #running = new Set<Promise<void>>();
  #isScheduled = false;

  constructor(options: PointReadsOptions) {
    this.#options = options;
  }

  read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): Promise<T> {
    const { keyBytesMax, guard, waitingMax } = this.#options;
    for (const key of keys) assertKey(key, keyBytesMax);
    if (this.#waiting.length >= waitingMax) return Promise.reject(busy(this.#waiting.length));
    const planned = keys.map(plannedKey);
    return new Promise((resolve, reject) => {
      const answer = (values: readonly StoreValue[]): void => {
        try {
          resolve(guard.run(body, values));
        } catch (error) {
          reject(error);
        }
      };
      this.#waiting.push({ keys: planned, answer, reject });
      this.#schedule();
    });
  }

  async close(): Promise<void> {
    while (this.#waiting.length > 0 || this.#running.size > 0) {
      await Promise.all(this.#running);
      await delay(0);
    }
  }

  /** Other reads of this turn of the event loop go into the same statement. */
  #schedule(): void {
    if (this.#isScheduled || this.#running.size >= this.#options.connections.count) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const running = this.#readTogether(this.#take()).finally(() => {
        this.#running.delete(running);
        if (this.#waiting.length > 0) this.#schedule();
      });
      this.#running.add(running);
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #take(): readonly PendingRead[] {
    let keyCount = 0;
    let count = 0;
    for (const { keys } of this.#waiting) {
      keyCount += keys.length;
      if (count > 0 && keyCount > statementKeysMax) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  /** Never rejects: each call gets its own result. */
  async #readTogether(calls: readonly PendingRead[]): Promise<void> {
    try {
      const values = await this.#values(calls.flatMap(({ keys }) => keys));
      for (const { keys, answer } of calls) answer(keys.map(({ text }) => values.get(text)));
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  }

  async #values(keys: readonly PlannedKey[]): Promise<ReadonlyMap<string, Buffer>> {
    const values = new Map<string, Buffer>();
    const columns = new Map(keys.map((key) => [key.text, key.columns]));
    if (columns.size === 0) return values;
    const statement = readStatement(this.#options.tables, [...columns.values()], { withVersions: false });
    const rows = await this.#options.connections.run((connection) => connection.rows(statement));
    for (const [head, tail, value] of rows) {
      if (value !== null && value !== undefined) values.set(keyText(head ?? '', tail ?? ''), bytesOfText(value));
    }
    return values;
  }
}

function busy(waitingCount: number): StorageError {
  return new StorageError('busy', `${waitingCount} reads wait for PostgreSQL, and no more are taken`);
}
