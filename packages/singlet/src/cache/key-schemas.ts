import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { WireObject } from './item-identity.ts';

/** The names of tables' key attributes, which a put does not contain. Requested once for each table. */
export class KeySchemas {
  readonly #client: DynamoDBClient;
  readonly #schemas = new Map<string, Promise<readonly string[] | undefined>>();

  constructor(client: DynamoDBClient) {
    this.#client = client;
  }

  /** The key of an item. @returns undefined if the item does not have it, or the table cannot be described. */
  async keyOf(table: string, item: WireObject): Promise<WireObject | undefined> {
    const key = await this.#keyBySchema(table, item);
    if (key !== undefined) return key;
    // The table may have been created again, with other keys.
    this.forget(table);
    return this.#keyBySchema(table, item);
  }

  forget(table: string): void {
    this.#schemas.delete(table);
  }

  async #keyBySchema(table: string, item: WireObject): Promise<WireObject | undefined> {
    const asked = this.#schemas.get(table) ?? this.#describe(table);
    this.#schemas.set(table, asked);
    const names = await asked;
    if (names?.every((name) => name in item) !== true) return undefined;
    return Object.fromEntries(names.map((name) => [name, item[name]]));
  }

  async #describe(TableName: string): Promise<readonly string[] | undefined> {
    try {
      const { Table } = await this.#client.send(new DescribeTableCommand({ TableName }));
      return Table?.KeySchema?.map(({ AttributeName }) => AttributeName ?? '');
    } catch {
      // No such table, or no permission to describe it. The caller continues without the key.
      return undefined;
    }
  }
}
