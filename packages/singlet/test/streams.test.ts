import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
  type _Record,
} from '@aws-sdk/client-dynamodb-streams';
import { DynamoDBDocumentClient, PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type Database, type DatabaseServer, serve } from '../src/index.ts';

const TableName = 'Orders';

/** All records of a stream, shard by shard, parents before children. */
async function readAll(client: DynamoDBStreamsClient, StreamArn: string): Promise<readonly _Record[]> {
  const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn }));
  const records: _Record[] = [];
  for (const { ShardId } of StreamDescription?.Shards ?? []) {
    const start = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' } as const;
    let { ShardIterator } = await client.send(new GetShardIteratorCommand(start));
    for (;;) {
      const page = await client.send(new GetRecordsCommand({ ShardIterator }));
      records.push(...(page.Records ?? []));
      ShardIterator = page.NextShardIterator;
      if (ShardIterator === undefined || page.Records?.length === 0) break;
    }
  }
  return records;
}

describe.each(['in process', 'over HTTP'])('DB-255 the AWS SDK reads a stream %s', (way) => {
  let database: Database;
  let server: DatabaseServer | undefined;
  let items: DynamoDBDocumentClient;
  let streams: DynamoDBStreamsClient;

  beforeAll(async () => {
    database = await createDatabase();
    server = way === 'over HTTP' ? await serve(database, { port: 0 }) : undefined;
    const config =
      server === undefined
        ? database.clientConfig()
        : {
            endpoint: server.url,
            region: 'us-east-1',
            credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
          };
    items = DynamoDBDocumentClient.from(new DynamoDBClient(config));
    streams = new DynamoDBStreamsClient(config);
  });

  afterAll(async () => {
    items.destroy();
    streams.destroy();
    await server?.close();
    await database.close();
  });

  test('each change once, with the images that were asked for', async () => {
    const created = await items.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      }),
    );
    const StreamArn = created.TableDescription?.LatestStreamArn ?? '';
    const { Streams } = await streams.send(new ListStreamsCommand({ TableName }));
    expect(Streams?.map((each) => each.StreamArn)).toEqual([StreamArn]);

    await items.send(new PutCommand({ TableName, Item: { id: 'one', cents: 1 } }));
    await items.send(new PutCommand({ TableName, Item: { id: 'one', cents: 1 } }));
    await items.send(
      new UpdateCommand({
        TableName,
        Key: { id: 'one' },
        UpdateExpression: 'ADD cents :n',
        ExpressionAttributeValues: { ':n': 2 },
      }),
    );
    await items.send(
      new TransactWriteCommand({
        TransactItems: [
          { Delete: { TableName, Key: { id: 'one' } } },
          { Put: { TableName, Item: { id: 'two' } } },
          { Delete: { TableName, Key: { id: 'never there' } } },
        ],
      }),
    );

    const records = await readAll(streams, StreamArn);
    const ofItem = (id: string): readonly _Record[] =>
      records.filter(({ dynamodb }) => dynamodb?.Keys?.['id']?.S === id);
    expect(records).toHaveLength(4);
    expect(ofItem('one').map(({ eventName, dynamodb }) => [eventName, dynamodb?.OldImage, dynamodb?.NewImage])).toEqual(
      [
        ['INSERT', undefined, { id: { S: 'one' }, cents: { N: '1' } }],
        ['MODIFY', { id: { S: 'one' }, cents: { N: '1' } }, { id: { S: 'one' }, cents: { N: '3' } }],
        ['REMOVE', { id: { S: 'one' }, cents: { N: '3' } }, undefined],
      ],
    );
    expect(ofItem('two').map(({ eventName }) => eventName)).toEqual(['INSERT']);
    const positions = ofItem('one').map(({ dynamodb }) => BigInt(dynamodb?.SequenceNumber ?? 0));
    expect(positions).toEqual(positions.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(records.every(({ dynamodb }) => dynamodb?.ApproximateCreationDateTime instanceof Date)).toBe(true);
  });
});
