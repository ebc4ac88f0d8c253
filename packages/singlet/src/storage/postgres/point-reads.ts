/**
 * Point reads. The calls of one turn of the event loop, and those that arrive while all connections are busy, share a statement and so a snapshot.
 *
 * The statement begins after the last of its calls, so the snapshot contains every write that was acknowledged before any of them.
 */
import { assertKey, type CallerGuard } from '../caller-checks.ts';
import type { StoreValue } from '../store.ts';
import { plannedKey, type PlannedKey } from './group-plan.ts';
import { bytesOfText, keyText } from './key-columns.ts';
import type { ReadConnections } from './read-connections.ts';
import type { TableNames } from './schema.ts';
import { TurnGroups } from './turn-groups.ts';
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
  readonly #groups: TurnGroups<PendingRead>;

  constructor(options: PointReadsOptions) {
    this.#options = options;
    this.#groups = new TurnGroups({
      what: 'reads',
      runningMax: options.connections.count,
      waitingMax: options.waitingMax,
      take: groupSize,
      run: (calls) => this.#readTogether(calls),
    });
  }

  read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): Promise<T> {
    const { keyBytesMax, guard } = this.#options;
    for (const key of keys) assertKey(key, keyBytesMax);
    const planned = keys.map(plannedKey);
    return new Promise((resolve, reject) => {
      const answer = (values: readonly StoreValue[]): void => {
        try {
          resolve(guard.run(body, values));
        } catch (error) {
          reject(error);
        }
      };
      this.#groups.add({ keys: planned, answer, reject });
    });
  }

  close(): Promise<void> {
    return this.#groups.close();
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

function groupSize(waiting: readonly PendingRead[]): number {
  let keyCount = 0;
  let count = 0;
  for (const { keys } of waiting) {
    keyCount += keys.length;
    if (count > 0 && keyCount > statementKeysMax) break;
    count += 1;
  }
  return count;
}
