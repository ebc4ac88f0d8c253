import type { Store, StoreValue } from '../../storage/store.ts';
import { attempt, type Awaitable } from '../../values/awaitable.ts';
import { ResourceNotFoundException, ValidationException } from '../../values/service-error.ts';
import type { Clock, RequestContext } from '../environment.ts';
import { DamagedValueError } from '../layout/damaged-value.ts';
import { spaceOf } from '../layout/spaces.ts';
import type { ChooseBucket } from './statistics.ts';
import { Table, tableRecordKey } from './table.ts';
import { TableCache } from './table-cache.ts';
import { decodeTableRecord } from './table-record.ts';

/** How often an operation starts over because its table changed. */
const staleRetriesMax = 32;

/**
 * The cache of the tables' records. It keeps them ready in memory but never trusts its memory: every operation reads the
 * table's *fence* together with its data, in the same snapshot or decision, and starts over with a fresh record when the
 * fence differs. So any number of processes may share a store.
 *
 * Decision 0005 says why.
 */
export class Catalog {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #bucketOfServer: ChooseBucket | undefined;
  readonly #tables = new TableCache();

  /** @param bucketOfServer - the bucket for counts; absent where a single server writes. */
  constructor(store: Store, clock: Clock, bucketOfServer?: ChooseBucket) {
    this.#store = store;
    this.#clock = clock;
    this.#bucketOfServer = bucketOfServer;
  }

  /**
   * Runs `body` with the tables of these names, for item operations: they must exist and be usable.
   * `body` calls {@link checkFence} on what it reads. When the fence shows that a table is outdated, everything starts over.
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

  /** The path of most requests: the tables are in memory and have not changed. */
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

  /** Runs `attempt` until every fence matches. */
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

  /** The table as stored now, in any status; undefined when there is none. */
  async load(context: RequestContext, tableName: string): Promise<Table | undefined> {
    const key = tableRecordKey(context.accountId, context.region, tableName);
    const record = await this.#store.read([key], ([bytes]) =>
      bytes === undefined ? undefined : decodeTableRecord(key, bytes),
    );
    if (record === undefined) {
      this.#tables.delete({ ...context, tableName });
      return undefined;
    }
    const table = new Table(record, this.#bucketOfServer);
    this.#tables.set(table);
    return table.isGone(this.#clock.nowMs()) ? undefined : table;
  }

  /**
   * Decides what an error means when the operation's tables may be outdated. An error about a request that does not fit a
   * table's keys or indexes must refer to the present table, and an operation that fails early has not read the fence yet.
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

  /** The table in this process's memory, in any status. It may have changed; its fence tells. */
  known({ accountId, region }: RequestContext, tableName: string): Table | undefined {
    return this.#tables.get(accountId, region, tableName);
  }

  /** Remembers a table that this process has just changed, so that the next operation does not begin with the old one. */
  remember(table: Table): void {
    this.#tables.set(table);
  }

  /** A table that was not usable may have become usable: the process that imports it writes the end of its CREATING. */
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

/** The same error, with a description of the damaged value. */
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

/** Not a fault: signals the operation to start over with the table's present record. */
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
