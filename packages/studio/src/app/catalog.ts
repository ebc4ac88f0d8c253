import { useSyncExternalStore } from 'react';
import { call, type Exchange } from '../wire/client.ts';
import { RequestLog } from '../wire/request-log.ts';
import type { TableDescription } from '../wire/table-description.ts';

/** The tables of the server, as they were last described. */
export interface CatalogState {
  readonly tables: readonly TableDescription[];
  readonly status: 'loading' | 'ready' | 'failed';
  readonly error: Error | undefined;
  /** Whether there are more tables than are listed. */
  readonly isCut: boolean;
}

const tablesMax = 1000;
const describedAtOnce = 4;

/** Lists and describes the tables, again on demand. */
class Catalog {
  readonly log = new RequestLog();
  #state: CatalogState = { tables: [], status: 'loading', error: undefined, isCut: false };
  #listeners = new Set<() => void>();
  #running: Promise<void> | undefined;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#running === undefined && this.#state.status === 'loading') void this.refresh();
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): CatalogState => this.#state;

  refresh(): Promise<void> {
    this.#running ??= this.#load().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #load(): Promise<void> {
    try {
      const { names, isCut } = await listTables(this.log.add);
      const tables: TableDescription[] = [];
      for (let from = 0; from < names.length; from += describedAtOnce) {
        const some = names.slice(from, from + describedAtOnce);
        tables.push(
          ...(await Promise.all(some.map((name) => describeTable(name, this.log.add)))).filter(
            (table) => table !== undefined,
          ),
        );
      }
      this.#set({ tables, status: 'ready', error: undefined, isCut });
    } catch (error) {
      this.#set({ ...this.#state, status: 'failed', error: error as Error }); // call() throws errors only
    }
  }

  #set(state: CatalogState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

export const catalog: Catalog = new Catalog();

export function useCatalog(): CatalogState {
  return useSyncExternalStore(catalog.subscribe, catalog.snapshot);
}

async function listTables(
  onExchange: (exchange: Exchange) => void,
): Promise<{ names: readonly string[]; isCut: boolean }> {
  const names: string[] = [];
  let last: string | undefined;
  do {
    const input = last === undefined ? {} : { ExclusiveStartTableName: last };
    const page = await call<{ TableNames: string[]; LastEvaluatedTableName?: string }>('ListTables', input, {
      onExchange,
    });
    names.push(...page.TableNames);
    last = page.LastEvaluatedTableName;
  } while (last !== undefined && names.length < tablesMax);
  return { names, isCut: last !== undefined };
}

/** @returns undefined for a table that was deleted in the meantime. */
async function describeTable(
  name: string,
  onExchange: (exchange: Exchange) => void,
): Promise<TableDescription | undefined> {
  try {
    const { Table } = await call<{ Table: TableDescription }>('DescribeTable', { TableName: name }, { onExchange });
    return Table;
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}
