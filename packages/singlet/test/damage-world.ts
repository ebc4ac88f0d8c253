import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  type AttributeValue,
} from '@aws-sdk/client-dynamodb';
import { createDatabase } from '../src/index.ts';

/** A directory with a table, an index and items small and large, to be damaged in tests. */

export const itemCount = 400;
const TableName = 'Music';

export function itemOf(number: number): Record<string, AttributeValue> {
  // Some of them have pages of their own.
  const length = number % 23 === 0 ? 20_000 : 100 + ((number * 37) % 700);
  return {
    pk: { S: `artist ${number % 40}` },
    sk: { N: String(number) },
    year: { N: String(1960 + (number % 50)) },
    text: { S: `${number} `.repeat(length).slice(0, length) },
  };
}

export async function makeDirectory(directory: string): Promise<void> {
  const database = await createDatabase({ directory, log: () => undefined });
  const client = new DynamoDBClient(database.clientConfig());
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'N' },
        { AttributeName: 'year', AttributeType: 'N' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'by-year',
          KeySchema: [{ AttributeName: 'year', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    }),
  );
  // Twice, so that the file has free pages.
  for (let round = 0; round < 2; round += 1) {
    for (let number = 0; number < itemCount; number += 25) {
      const some = Array.from({ length: 25 }, (_, at) => itemOf(number + at));
      await Promise.all(some.map(async (Item) => client.send(new PutItemCommand({ TableName, Item }))));
    }
  }
  client.destroy();
  await database.close();
}

/** The outcome of reading a directory. */
export interface Reading {
  /** Refused to open, and the message that says why. */
  readonly refused?: string;
  /** Calls that were answered with an error, and their messages. */
  readonly errors: readonly string[];
  /** Answers that are wrong. */
  readonly wrong: readonly string[];
}

/** Reads everything in every way, and compares it with what was written. */
export async function readEverything(directory: string): Promise<Reading> {
  const [errors, wrong]: [string[], string[]] = [[], []];
  let database;
  try {
    database = await createDatabase({ directory, log: () => undefined });
  } catch (error) {
    return { refused: String(error), errors, wrong };
  }
  const client = new DynamoDBClient({ ...database.clientConfig(), maxAttempts: 1 });
  const attempt = async (what: string, check: () => Promise<boolean>): Promise<void> => {
    try {
      if (!(await check())) wrong.push(what);
    } catch (error) {
      errors.push(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
    }
  };
  const found = new Map<string, string>();
  let hasScanned = false;
  await attempt('scan', async () => {
    for (let ExclusiveStartKey: Record<string, AttributeValue> | undefined; ;) {
      const page = await client.send(new ScanCommand({ TableName, ...(ExclusiveStartKey && { ExclusiveStartKey }) }));
      for (const item of page.Items ?? []) found.set(item['sk']?.N ?? '', canonical(item));
      ExclusiveStartKey = page.LastEvaluatedKey;
      if (ExclusiveStartKey === undefined) break;
    }
    hasScanned = true;
    if (found.size !== itemCount) return false;
    return [...found].every(([sk, text]) => text === canonical(itemOf(Number(sk))));
  });
  for (let year = 1960; year < 2010; year += 1) {
    await attempt(`query of ${year}`, async () => {
      const { Count } = await client.send(
        new QueryCommand({
          TableName,
          IndexName: 'by-year',
          KeyConditionExpression: '#year = :year',
          ExpressionAttributeNames: { '#year': 'year' },
          ExpressionAttributeValues: { ':year': { N: String(year) } },
        }),
      );
      return Count === itemCount / 50;
    });
  }
  for (let number = 0; number < itemCount; number += 7) {
    await attempt(`item ${number}`, async () => {
      const { pk = { S: '' }, sk = { N: '' }, ...rest } = itemOf(number);
      const { Item } = await client.send(new GetItemCommand({ TableName, Key: { pk, sk } }));
      // A changed key is found by reading the whole table, not by requesting the original key.
      if (Item === undefined && !hasScanned) return true;
      return Item !== undefined && canonical(Item) === canonical({ pk, sk, ...rest });
    });
  }
  await attempt('count', async () => {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    return Table?.ItemCount === itemCount;
  });
  client.destroy();
  await database.close().catch((error: unknown) => errors.push(String(error)));
  return { errors, wrong };
}

function canonical(item: Record<string, AttributeValue>): string {
  return JSON.stringify(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
