import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DescribeKinesisStreamingDestinationCommand,
  DisableKinesisStreamingDestinationCommand,
  DynamoDBClient,
  EnableKinesisStreamingDestinationCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDatabase, type Database } from '../src/index.ts';
import { KinesisReceiver } from './kinesis-receiver.ts';

const TableName = 'Orders';
const StreamArn = 'arn:aws:kinesis:us-east-1:000000000000:stream/changes';

describe('changes of a table reach a Kinesis endpoint', () => {
  let receiver: KinesisReceiver;
  let directory: string;
  const databases: Database[] = [];

  beforeEach(async () => {
    receiver = await KinesisReceiver.open();
    receiver.streams.set('changes', 'ACTIVE');
    directory = mkdtempSync(join(tmpdir(), 'singlet-kinesis-'));
  });

  afterEach(async () => {
    for (const database of databases.splice(0)) await database.close();
    await receiver.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function open(kinesisEndpoint: string | undefined = receiver.url): Promise<DynamoDBClient> {
    const database = await createDatabase({ directory, kinesisEndpoint });
    databases.push(database);
    return new DynamoDBClient(database.clientConfig());
  }

  async function closeAll(): Promise<void> {
    for (const database of databases.splice(0)) await database.close();
  }

  async function openTable(kinesisEndpoint?: string): Promise<DynamoDBClient> {
    const client = await open(kinesisEndpoint);
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      }),
    );
    return client;
  }

  const destinations = async (client: DynamoDBClient) =>
    (await client.send(new DescribeKinesisStreamingDestinationCommand({ TableName }))).KinesisDataStreamDestinations;
  const put = (client: DynamoDBClient, id: string, more: Record<string, { S: string }> = {}) =>
    client.send(new PutItemCommand({ TableName, Item: { id: { S: id }, ...more } }));
  const ids = (): readonly string[] =>
    receiver.received.map(({ body }) => (body.dynamodb.Keys as { id: { S: string } }).id.S);

  async function enable(client: DynamoDBClient): Promise<void> {
    await client.send(new EnableKinesisStreamingDestinationCommand({ TableName, StreamArn }));
    await expect.poll(async () => await destinations(client)).toEqual([{ StreamArn, DestinationStatus: 'ACTIVE' }]);
  }

  test('as JSON records, until the destination is disabled', async () => {
    const client = await openTable();
    await enable(client);
    await put(client, 'a', { name: { S: 'ä' } });
    await expect.poll(ids).toEqual(['a']);
    expect(receiver.received[0]).toMatchObject({
      stream: 'changes',
      partitionKey: expect.stringMatching(/^[0-9A-F]{32}$/) as string,
      body: {
        awsRegion: 'us-east-1',
        eventName: 'INSERT',
        recordFormat: 'application/json',
        tableName: TableName,
        dynamodb: { NewImage: { id: { S: 'a' }, name: { S: 'ä' } }, SizeBytes: 12 },
        eventSource: 'aws:dynamodb',
      },
    });
    await client.send(new DisableKinesisStreamingDestinationCommand({ TableName, StreamArn }));
    await put(client, 'b');
    expect(await destinations(client)).toEqual([{ StreamArn, DestinationStatus: 'DISABLED' }]);
    await enable(client);
    await put(client, 'c');
    await expect.poll(ids).toEqual(['a', 'c']);
  });

  test('in batches, again after a busy shard, without what is too large', async () => {
    const client = await openTable();
    receiver.recordBytesMax = 300_000;
    await enable(client);
    receiver.busyCount = 3;
    const wanted = Array.from({ length: 100 }, (_, at) => `item-${String(at).padStart(3, '0')}`);
    for (let at = 0; at < wanted.length; at += 25) {
      const requests = wanted.slice(at, at + 25).map((id) => ({ PutRequest: { Item: { id: { S: id } } } }));
      await client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: requests } }));
    }
    await put(client, 'huge', { text: { S: 'x'.repeat(390_000) } });
    await put(client, 'last');
    await expect.poll(() => ids().toSorted()).toEqual([...wanted, 'last']);
    expect(Math.max(...receiver.requestSizes)).toBeGreaterThan(1);
  });

  test('that were made while they could not be delivered, after a new start', async () => {
    await enable(await openTable());
    await closeAll();
    const without = await open('http://127.0.0.1:1');
    await put(without, 'a');
    await closeAll();
    expect(ids()).toEqual([]);
    await open();
    await expect.poll(ids).toEqual(['a']);
  });

  test('not when the stream or the endpoint is missing, which is said', async () => {
    const client = await openTable();
    const missing = StreamArn.replace('changes', 'missing');
    await client.send(new EnableKinesisStreamingDestinationCommand({ TableName, StreamArn: missing }));
    await expect
      .poll(async () => await destinations(client))
      .toEqual([
        {
          StreamArn: missing,
          DestinationStatus: 'ENABLE_FAILED',
          DestinationStatusDescription: 'User does not have a permission to use kinesis stream',
        },
      ]);
    await closeAll();
    const unreachable = await open('http://127.0.0.1:1');
    await unreachable.send(new EnableKinesisStreamingDestinationCommand({ TableName, StreamArn }));
    await expect
      .poll(async () => (await destinations(unreachable))?.[0])
      .toMatchObject({
        DestinationStatus: 'ENABLE_FAILED',
        DestinationStatusDescription: expect.stringContaining('http://127.0.0.1:1/ did not answer') as string,
      });
    await closeAll();
    const database = await createDatabase({ directory });
    databases.push(database);
    await expect(
      new DynamoDBClient(database.clientConfig()).send(
        new EnableKinesisStreamingDestinationCommand({ TableName, StreamArn }),
      ),
    ).rejects.toThrow('This database delivers to no Kinesis endpoint.');
  });
});
