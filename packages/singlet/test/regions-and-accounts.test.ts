import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type Database, type DatabaseServer, serve } from '../src/index.ts';

const TableName = 'Things';
const places = [
  { region: 'us-east-1', accessKeyId: 'NOBODY', accountId: '000000000000' },
  { region: 'eu-west-1', accessKeyId: 'NOBODY', accountId: '000000000000' },
  { region: 'us-east-1', accessKeyId: 'SHOP', accountId: '111111111111' },
  { region: 'eu-west-1', accessKeyId: 'BANK', accountId: '222222222222' },
];

/** An account in a region is a namespace: the same name is another table in each. */
describe.each(['in process', 'over HTTP'])('DB-128 regions and accounts %s', (way) => {
  let database: Database;
  let server: DatabaseServer | undefined;
  let clients: readonly DynamoDBClient[];

  beforeAll(async () => {
    database = await createDatabase({ accounts: { SHOP: '111111111111', BANK: '222222222222' } });
    server = way === 'over HTTP' ? await serve(database, { port: 0 }) : undefined;
    clients = places.map(({ region, accessKeyId }) => {
      const own = { region, credentials: { accessKeyId, secretAccessKey: 'x' } };
      return new DynamoDBClient(
        server === undefined ? { ...database.clientConfig(), ...own } : { ...own, endpoint: server.url },
      );
    });
    for (const [at, client] of clients.entries()) {
      await client.send(
        new CreateTableCommand({
          TableName,
          AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
          KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
          BillingMode: 'PAY_PER_REQUEST',
        }),
      );
      await client.send(new PutItemCommand({ TableName, Item: { pk: { S: 'x' }, at: { N: String(at) } } }));
    }
  });

  afterAll(async () => {
    for (const client of clients) client.destroy();
    await server?.close();
    await database.close();
  });

  test.each(places.map((place, at) => ({ ...place, at })))('$accountId in $region', async (place) => {
    const { region, accountId, at } = place;
    const client = clients[at]!;
    const { Item } = await client.send(new GetItemCommand({ TableName, Key: { pk: { S: 'x' } } }));
    expect(Item).toEqual({ pk: { S: 'x' }, at: { N: String(at) } });
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    expect(Table?.TableArn).toBe(`arn:aws:dynamodb:${region}:${accountId}:table/${TableName}`);
    expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual([TableName]);
  });

  test('elsewhere there are no tables', async () => {
    expect(await database.request('ListTables', {}, { region: 'eu-north-1' })).toEqual({ TableNames: [] });
    expect(await database.request('ListTables', {}, { accountId: '333333333333' })).toEqual({ TableNames: [] });
    expect(await database.request('ListTables', {}, { accountId: '111111111111' })).toEqual({
      TableNames: [TableName],
    });
  });
});
