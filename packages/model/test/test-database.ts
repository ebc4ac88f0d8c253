import { CreateTableCommand, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { createDatabase } from 'singlet';
import { tableDefinitions } from '../src/index.ts';
import { fromAttributeValue } from '../src/run/attribute-value.ts';

/** A real database in this process with a model's tables, and the requests that were sent to it. */
export interface TestDatabase extends AsyncDisposable {
  readonly client: DynamoDBClient;
  /** Its streams. */
  readonly streams: DynamoDBStreamsClient;
  /** Another client, as in another process. */
  newClient(): DynamoDBClient;
  /** Names of the operations sent since the last call of `sent`. */
  sent(): string[];
  /** All items as stored, without type descriptors. */
  stored(table: string, index?: string): Promise<Record<string, unknown>[]>;
}

/** Opens one, with the clock of the machine by default. */
export async function testDatabase(
  model: object,
  options: Parameters<typeof createDatabase>[0] = {},
): Promise<TestDatabase> {
  const database = await createDatabase(options);
  const client = new DynamoDBClient(database.clientConfig());
  const streams = new DynamoDBStreamsClient(database.clientConfig());
  const others: DynamoDBClient[] = [];
  let names: string[] = [];
  for (const definition of tableDefinitions(model)) await client.send(new CreateTableCommand(definition));
  client.middlewareStack.add(
    (next, context) => async (args) => {
      names.push(String(context.commandName).replace(/Command$/, ''));
      return next(args);
    },
    { step: 'initialize' },
  );
  return {
    client,
    streams,
    newClient: () => {
      const other = new DynamoDBClient(database.clientConfig());
      others.push(other);
      return other;
    },
    sent: () => {
      const sent = names;
      names = [];
      return sent;
    },
    stored: async (TableName, IndexName) => {
      const { Items = [] } = await client.send(
        new ScanCommand({ TableName, ...(IndexName === undefined ? {} : { IndexName }) }),
      );
      names.pop();
      return Items.map((item) => fromAttributeValue({ M: item }) as Record<string, unknown>);
    },
    [Symbol.asyncDispose]: async () => {
      for (const each of [client, ...others]) each.destroy();
      streams.destroy();
      await database.close();
    },
  };
}
