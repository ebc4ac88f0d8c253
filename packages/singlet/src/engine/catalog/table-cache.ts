import type { Table } from './table.ts';

/** The account and region of a table. */
interface TableName {
  readonly accountId: string;
  readonly region: string;
  readonly tableName: string;
}

/** How many tables are kept in memory. Each table beyond that costs only a read. */
const tablesMax = 4096;

/** Tables by account, region and name. Looked up by three existing strings, which avoids building a combined key. */
export class TableCache {
  #accounts = new Map<string, Map<string, Map<string, Table>>>();
  #count = 0;

  get(accountId: string, region: string, tableName: string): Table | undefined {
    return this.#accounts.get(accountId)?.get(region)?.get(tableName);
  }

  set(table: Table): void {
    const { accountId, region, tableName } = table.record;
    if (this.get(accountId, region, tableName) === undefined) this.#count += 1;
    if (this.#count > tablesMax) {
      this.#accounts = new Map();
      this.#count = 1;
    }
    const regions = valueOf(this.#accounts, accountId);
    valueOf(regions, region).set(tableName, table);
  }

  delete({ accountId, region, tableName }: TableName): void {
    if (this.#accounts.get(accountId)?.get(region)?.delete(tableName) === true) this.#count -= 1;
  }
}

function valueOf<V>(map: Map<string, Map<string, V>>, name: string): Map<string, V> {
  const known = map.get(name);
  if (known !== undefined) return known;
  const made = new Map<string, V>();
  map.set(name, made);
  return made;
}
