import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { paginateScan as paginateTypedScan } from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  paginateQuery,
  paginateScan,
  PutCommand,
} from '@aws-sdk/lib-dynamodb';

export type RawItem = Record<string, unknown>;

const BATCH_WRITES_MAX = 25;

/** A table in stored form, including keys, for loading a fixture and for checking an application's writes. */
export class RawTable {
  readonly name: string;
  readonly #client: DynamoDBClient;
  readonly #documents: DynamoDBDocumentClient;

  constructor(client: DynamoDBClient, name: string) {
    this.name = name;
    this.#client = client;
    this.#documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  }

  /** @param item - attributes that are `undefined` are left out. */
  async put(item: RawItem): Promise<void> {
    await this.#documents.send(new PutCommand({ TableName: this.name, Item: item }));
  }

  async putAll(items: readonly RawItem[]): Promise<void> {
    for (let start = 0; start < items.length; start += BATCH_WRITES_MAX) {
      let writes: WriteRequest[] = items
        .slice(start, start + BATCH_WRITES_MAX)
        .map((Item) => ({ PutRequest: { Item } }));
      while (writes.length > 0) {
        const { UnprocessedItems } = await this.#documents.send(
          new BatchWriteCommand({ RequestItems: { [this.name]: writes } }),
        );
        writes = UnprocessedItems?.[this.name] ?? [];
      }
    }
  }

  async get(key: RawItem): Promise<RawItem | undefined> {
    const { Item } = await this.#documents.send(
      new GetCommand({ TableName: this.name, Key: key, ConsistentRead: true }),
    );
    return Item;
  }

  async scan(indexName?: string): Promise<RawItem[]> {
    const pages = paginateScan(
      { client: this.#documents },
      indexName === undefined
        ? { TableName: this.name, ConsistentRead: true }
        : { TableName: this.name, IndexName: indexName },
    );
    return await collect(pages);
  }

  /** All items with the types of their values, as in a stream or an export. */
  async scanTyped(): Promise<Record<string, AttributeValue>[]> {
    const items: Record<string, AttributeValue>[] = [];
    const pages = paginateTypedScan({ client: this.#client }, { TableName: this.name, ConsistentRead: true });
    for await (const { Items = [] } of pages) {
      items.push(...Items);
    }
    return items;
  }

  /** All entries of one partition of an index, in ascending order. */
  async queryIndex(partition: {
    readonly indexName: string;
    readonly attributeName: string;
    readonly value: string;
  }): Promise<RawItem[]> {
    const pages = paginateQuery(
      { client: this.#documents },
      {
        TableName: this.name,
        IndexName: partition.indexName,
        KeyConditionExpression: '#key = :value',
        ExpressionAttributeNames: { '#key': partition.attributeName },
        ExpressionAttributeValues: { ':value': partition.value },
      },
    );
    return await collect(pages);
  }
}

type WriteRequest = NonNullable<NonNullable<BatchWriteCommand['input']['RequestItems']>[string]>[number];

async function collect(pages: AsyncIterable<{ readonly Items?: RawItem[] | undefined }>): Promise<RawItem[]> {
  const items: RawItem[] = [];
  for await (const page of pages) {
    items.push(...(page.Items ?? []));
  }
  return items;
}
