import { CreateTableCommand, DynamoDBClient, ScanCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { type Model, tableDefinitions, timeToLiveAttributes } from '@singlet/model';
import { createDatabase, type Database, type DatabaseOptions } from 'singlet';
import { onTestFinished } from 'vitest';
import { type ObservedRequest, observeRequests } from '../measurement/observe-requests.ts';
import { plainItem, type PlainItem } from './plain-item.ts';

/** A database in this process for one test, with the tables of a model and a record of its requests. */
export interface ExampleDatabase {
  readonly database: Database;
  readonly client: DynamoDBClient;
  readonly streams: DynamoDBStreamsClient;
  /** Requests that were answered since the last call of this or of {@link operations}. */
  requests(): readonly ObservedRequest[];
  /** Their names: `['Query']`. */
  operations(): readonly string[];
  /** Items in the last answer, in its order, with their key attributes. */
  lastItems(): readonly PlainItem[];
  /** All items of a table, or all entries of an index, in its own order. */
  stored(table: string, index?: string): Promise<readonly PlainItem[]>;
}

/** Opens a database with the tables of a model. The current test closes it. */
export async function openExample(model?: Model, options: DatabaseOptions = {}): Promise<ExampleDatabase> {
  const database = await createDatabase(options);
  const client = new DynamoDBClient(database.clientConfig());
  const streams = new DynamoDBStreamsClient(database.clientConfig());
  const unseen = new DynamoDBClient(database.clientConfig());
  onTestFinished(async () => {
    for (const each of [client, streams, unseen]) each.destroy();
    await database.close();
  });
  if (model !== undefined) await createTables(unseen, model);
  let requests: ObservedRequest[] = [];
  let last: ObservedRequest | undefined;
  observeRequests(client, (request) => {
    requests.push(request);
    last = request;
  });
  const taken = (): readonly ObservedRequest[] => {
    const seen = requests;
    requests = [];
    return seen;
  };
  return {
    database,
    client,
    streams,
    requests: taken,
    operations: () => taken().map(({ operation }) => operation),
    lastItems: () =>
      ((last?.output?.['Items'] ?? []) as Parameters<typeof plainItem>[0][]).map((item) => plainItem(item)),
    stored: async (TableName, IndexName) => {
      const { Items = [] } = await unseen.send(
        new ScanCommand({ TableName, ...(IndexName === undefined ? {} : { IndexName }) }),
      );
      return Items.map((item) => plainItem(item));
    },
  };
}

/** Creates the tables of a model, with their time to live. */
export async function createTables(client: DynamoDBClient, model: Model): Promise<void> {
  for (const definition of tableDefinitions(model)) await client.send(new CreateTableCommand(definition));
  for (const [TableName, AttributeName] of Object.entries(timeToLiveAttributes(model))) {
    await client.send(
      new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: { AttributeName, Enabled: true } }),
    );
  }
}

/** The error with which a promise rejects. */
export async function errorOf(attempt: Promise<unknown>): Promise<unknown> {
  return await attempt.then(
    (value: unknown) => ({ resolved: value }),
    (reason: unknown) => reason,
  );
}
