import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import MiniSearch from 'minisearch';
import type { ChangeRecord } from 'singlet/consumer';

/** What a consumer knows of a change: the key of the item, and its new state, unless it was deleted. */
export interface OrderChange {
  readonly key: string;
  readonly order: { readonly order: string; readonly status: string; readonly amount: number } | undefined;
}

/** P-32 What a record of the stream says to both stores. */
export function orderChangeOf({ keys, newImage }: Pick<ChangeRecord<PlainItem>, 'keys' | 'newImage'>): OrderChange {
  return {
    key: String(keys['PK']),
    order: newImage && {
      order: String(newImage['order']),
      status: String(newImage['status']),
      amount: Number(newImage['amount']),
    },
  };
}

type PlainItem = Readonly<Record<string, unknown>>;

/**
 * P-32 Two stores beside the table, updated from its stream: a SQL table for analysts and a text index for a search box. A change carries
 * the new state of an item, so applying it again, or all of them from the start, gives the same stores.
 */
export class HybridStores {
  readonly #sql: DuckDBConnection;
  readonly #index = new MiniSearch<{ key: string; text: string }>({ idField: 'key', fields: ['text'] });

  private constructor(sql: DuckDBConnection) {
    this.#sql = sql;
  }

  static async open(): Promise<HybridStores> {
    const sql = await (await DuckDBInstance.create(':memory:')).connect();
    await sql.run('create table orders (key text primary key, id text, status text, amount double)');
    return new HybridStores(sql);
  }

  async apply({ key, order }: OrderChange): Promise<void> {
    if (order === undefined) {
      await this.#sql.run('delete from orders where key = $1', [key]);
      if (this.#index.has(key)) this.#index.discard(key);
      return;
    }
    await this.#sql.run('insert or replace into orders values ($1, $2, $3, $4)', [
      key,
      order.order,
      order.status,
      order.amount,
    ]);
    const document = { key, text: `Order ${order.order}: ${order.status}` };
    if (this.#index.has(key)) this.#index.replace(document);
    else this.#index.add(document);
  }

  /** @returns the keys of the items whose text has the word, or one that begins with it, in the order of keys. */
  search(word: string): readonly string[] {
    return this.#index
      .search(word, { prefix: true })
      .map(({ id }) => String(id))
      .sort();
  }

  /** @returns the rows of a query, as analysts would send it. */
  async query(sql: string): Promise<readonly (readonly unknown[])[]> {
    return (await this.#sql.runAndReadAll(sql)).getRows();
  }

  close(): void {
    this.#sql.closeSync();
  }
}
