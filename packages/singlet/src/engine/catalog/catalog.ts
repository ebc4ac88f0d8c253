import type { Store, StoreValue } from '../../storage/store.ts';
import { attempt, type Awaitable } from '../../values/awaitable.ts';
import { ResourceNotFoundException, ValidationException } from '../../values/service-error.ts';
import type { Clock, RequestContext } from '../environment.ts';
import { DamagedValueError } from '../layout/damaged-value.ts';
import { spaceOf } from '../layout/spaces.ts';
import { Table, tableRecordKey } from './table.ts';
import { TableCache } from './table-cache.ts';
import { decodeTableRecord } from './table-record.ts';

/** How often an operation is begun again because the table changed under it. */
const staleRetriesMax = 32;

/**
 * Knows the tables. Keeps them ready in memory, and never trusts its memory: every operation reads the table's *fence*
 * together with its data, in the same snapshot or decision, and begins again with a fresh record when the fence differs.
 * So any number of processes may share a store.
 *
 * Decision 0005 says why.
 */
export class Catalog {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #tables = new TableCache();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Runs `body` with the tables of these names, for item operations: they must exist and be usable.
   * `body` calls {@link checkFence} on what it reads; when that finds an old table, all begins again.
   *
   * @throws {ResourceNotFoundException} when a table does not exist, or is still being created or already being deleted.
   */
  withTables<T>(
    context: RequestContext,
    tableNames: readonly string[],
    body: (tables: readonly Table[]) => Awaitable<T>,
  ): Awaitable<T> {
    const known: Table[] = [];
    for (const tableName of tableNames) {
      const table = this.#usable(context, tableName);
      if (table === undefined) return this.#withLoadedTables(context, tableNames, body);
      known.push(table);
    }
    return this.#tryWith(
      known,
      () => body(known),
      () => this.#withLoadedTables(context, tableNames, body),
    );
  }

  /** {@link withTables} for one table. */
  withTable<T>(context: RequestContext, tableName: string, body: (table: Table) => Awaitable<T>): Awaitable<T> {
    const anew = (): Promise<T> => this.#withLoadedTables(context, [tableName], ([table]) => body(table as Table)); // one name, one table
    const known = this.#usable(context, tableName);
    return known === undefined ? anew() : this.#tryWith([known], () => body(known), anew);
  }

  /** The way of most requests: with tables that are known and still as they were. */
  #tryWith<T>(known: readonly Table[], body: () => Awaitable<T>, anew: () => Promise<T>): Awaitable<T> {
    return attempt(body, async (cause) => {
      const error = await this.#refusalOf(known, cause);
      if (!(error instanceof StaleTableError)) throw error;
      this.#tables.delete(error.table.record);
      return anew();
    });
  }

  async #withLoadedTables<T>(
    context: RequestContext,
    tableNames: readonly string[],
    body: (tables: readonly Table[]) => Awaitable<T>,
  ): Promise<T> {
    return this.retryWhenStale(async () => {
      const tables: Table[] = [];
      for (const tableName of tableNames) {
        const table = this.#usable(context, tableName) ?? (await this.load(context, tableName));
        if (table === undefined || !isUsable(table, this.#clock.nowMs())) {
          throw new ResourceNotFoundException('Requested resource not found');
        }
        tables.push(table);
      }
      try {
        return await body(tables);
      } catch (error) {
        throw await this.#refusalOf(tables, error);
      }
    });
  }

  /** Runs `attempt` until no fence stops it. */
  async retryWhenStale<T>(attempt: () => Promise<T>): Promise<T> {
    for (let retries = 0; ; retries++) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof StaleTableError) || retries >= staleRetriesMax) throw error;
        this.#tables.delete(error.table.record);
      }
    }
  }

  /** The table as stored now, whatever its status; undefined when there is none. */
  async load(context: RequestContext, tableName: string): Promise<Table | undefined> {
    const key = tableRecordKey(context.accountId, context.region, tableName);
    const record = await this.#store.read([key], ([bytes]) =>
      bytes === undefined ? undefined : decodeTableRecord(key, bytes),
    );
    if (record === undefined) {
      this.#tables.delete({ ...context, tableName });
      return undefined;
    }
    const table = new Table(record);
    this.#tables.set(table);
    return table.isGone(this.#clock.nowMs()) ? undefined : table;
  }

  /**
   * What to make of an error that an operation met with tables that may be out of date. What is wrong with a request by a
   * table's keys or indexes is only said of the table as it is: an operation that refuses has not read the fence yet.
   */
  async #refusalOf(tables: readonly Table[], error: unknown): Promise<unknown> {
    if (error instanceof DamagedValueError) return damageOf(tables, error);
    if (!(error instanceof ValidationException)) return error;
    const isPresent = await this.#store.read(
      tables.map((table) => table.fenceKey),
      (fences) => tables.map((table, at) => fences[at] !== undefined && table.fence.equals(fences[at])),
    );
    const stale = tables[isPresent.indexOf(false)];
    return stale === undefined ? error : new StaleTableError(stale);
  }

  /** A table as this process remembers it, whatever its status: it may have changed, which its fence tells. */
  known({ accountId, region }: RequestContext, tableName: string): Table | undefined {
    return this.#tables.get(accountId, region, tableName);
  }

  /** Takes note of a table as this process has just changed it, so that the next operation does not begin with the old one. */
  remember(table: Table): void {
    this.#tables.set(table);
  }

  /** What was not usable may have become so: the end of an import's CREATING is written by the process that imports. */
  #usable(context: RequestContext, tableName: string): Table | undefined {
    const table = this.#tables.get(context.accountId, context.region, tableName);
    return table !== undefined && isUsable(table, this.#clock.nowMs()) ? table : undefined;
  }
}

/**
 * Compares the fence that was read with the data.
 *
 * @throws {StaleTableError} when the table has changed since; caught by the catalog's retry.
 */
export function checkFence(table: Table, fence: StoreValue): void {
  if (fence === undefined || !table.fence.equals(fence)) throw new StaleTableError(table);
}

/** The same error, with what the damaged value is. */
function damageOf(tables: readonly Table[], error: DamagedValueError): DamagedValueError {
  const { key } = error;
  if (key === undefined) return error;
  const spaceId = spaceOf(key);
  for (const { record, tableName, writtenIndexes } of tables) {
    const index = writtenIndexes.find((one) => one.space === spaceId);
    if (index !== undefined) {
      return new DamagedValueError(`An entry of index ${index.indexName} of table ${tableName}`, key, { cause: error });
    }
    if (record.itemSpace === spaceId) {
      return new DamagedValueError(`An item of table ${tableName}`, key, { cause: error });
    }
  }
  return error;
}

/** Not an error of anybody: the signal to begin again with the table's present record. */
export class StaleTableError extends Error {
  readonly table: Table;

  constructor(table: Table) {
    super(`table ${table.tableName} changed while an operation was running`);
    this.name = 'StaleTableError';
    this.table = table;
  }
}

function isUsable(table: Table, nowMs: number): boolean {
  const status = table.status(nowMs);
  return status === 'ACTIVE' ? !table.isGone(nowMs) : status === 'UPDATING';
}
