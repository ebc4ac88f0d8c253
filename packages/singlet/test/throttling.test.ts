import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DescribeContributorInsightsCommand,
  DynamoDBClient,
  GetItemCommand,
  ListContributorInsightsCommand,
  ProvisionedThroughputExceededException,
  PutItemCommand,
  ThrottlingException,
  TransactWriteItemsCommand,
  UpdateContributorInsightsCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, expect, test } from 'vitest';
import {
  type CapacityReport,
  createDatabase,
  type Database,
  type DatabaseOptions,
  serve,
  ThroughputExceededError,
} from '../src/index.ts';

/** Throughput as an application sees it: the SDK, a controlled clock, tables small enough to hit their limits. */

const TableName = 'Sessions';
const resource = `arn:aws:dynamodb:us-east-1:000000000000:table/${TableName}`;

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

interface Setting {
  readonly database: Database;
  readonly client: DynamoDBClient;
  readonly wait: (seconds: number) => void;
}

/** A table of one read and one write a second. */
async function open(options: DatabaseOptions = {}): Promise<Setting> {
  let nowMs = Date.parse('2024-01-01T00:00:00Z');
  const database = await createDatabase({ throttle: true, clock: { nowMs: () => nowMs }, ...options });
  opened.push(database);
  // One attempt: the SDK would wait in real time.
  const client = new DynamoDBClient({ ...database.clientConfig(), maxAttempts: 1 });
  opened.push({ close: async () => client.destroy() });
  await client.send(
    new CreateTableCommand({
      TableName,
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
    }),
  );
  return { database, client, wait: (seconds) => (nowMs += seconds * 1000) };
}

const put = (pk: string): PutItemCommand => new PutItemCommand({ TableName, Item: { pk: { S: pk } } });

test('DB-108 DB-276: the SDK sees the exception, its text and its reasons', async () => {
  const { client, wait } = await open();
  await client.send(put('a'));
  const refused: unknown = await client.send(put('b')).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ProvisionedThroughputExceededException);
  expect(refused).toMatchObject({
    message:
      'The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.',
    ThrottlingReasons: [{ reason: 'TableWriteProvisionedThroughputExceeded', resource }],
    $metadata: { httpStatusCode: 400 },
  });
  wait(1);
  await client.send(put('b'));
});

test('DB-105 DB-276: a ThrottlingException in on-demand mode', async () => {
  const { client } = await open();
  await client.send(
    new UpdateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      OnDemandThroughput: { MaxReadRequestUnits: 1, MaxWriteRequestUnits: 1 },
    }),
  );
  await client.send(put('a'));
  const refused: unknown = await client.send(put('b')).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ThrottlingException);
  expect(refused).toMatchObject({
    throttlingReasons: [{ reason: 'TableWriteMaxOnDemandThroughputExceeded', resource }],
  });
});

test('DB-148 DB-150: what a batch leaves can be sent again as it is', async () => {
  const { client, wait } = await open();
  let requests = ['a', 'b', 'c'].map((pk) => ({ PutRequest: { Item: { pk: { S: pk } } } }));
  for (let left = 3; left > 0; left -= 1) {
    expect(requests).toHaveLength(left);
    const { UnprocessedItems = {} } = await client.send(
      new BatchWriteItemCommand({ RequestItems: { [TableName]: requests } }),
    );
    requests = (UnprocessedItems[TableName] ?? []) as typeof requests;
    wait(1);
  }
  expect(requests).toEqual([]);
});

test('DB-098: a transaction says which of its actions were throttled', async () => {
  const { client } = await open();
  await client.send(put('a'));
  const transaction = new TransactWriteItemsCommand({
    TransactItems: [{ Put: { TableName, Item: { pk: { S: 'b' } } } }],
  });
  await expect(client.send(transaction)).rejects.toMatchObject({
    name: 'TransactionCanceledException',
    CancellationReasons: [{ Code: 'ProvisionedThroughputExceeded' }],
  });
});

test('in process the error and its reasons are thrown as they are', async () => {
  const { database } = await open();
  const write = (pk: string): Promise<unknown> => database.request('PutItem', { TableName, Item: { pk: { S: pk } } });
  await write('a');
  await expect(write('b')).rejects.toBeInstanceOf(ThroughputExceededError);
});

test('nothing is refused unless that is asked for, or for tables of other names', async () => {
  for (const throttle of [undefined, false, { tables: ['Other'] }]) {
    const { client, database } = await open({ throttle });
    for (const pk of ['a', 'b', 'c']) await client.send(put(pk));
    expect((await database.capacity(TableName)).table.writes.consumedUnits).toBe(3);
  }
  const { client } = await open({ throttle: { tables: [TableName] } });
  await client.send(put('a'));
  await expect(client.send(put('b'))).rejects.toThrow('provisioned throughput');
});

test('reports of capacity and keys, in process and over HTTP', async () => {
  const { database, client } = await open();
  await client.send(new UpdateContributorInsightsCommand({ TableName, ContributorInsightsAction: 'ENABLE' }));
  const described = await client.send(new DescribeContributorInsightsCommand({ TableName }));
  expect(described.ContributorInsightsStatus).toBe('ENABLED');
  expect(described.LastUpdateDateTime).toEqual(new Date('2024-01-01T00:00:00Z'));
  const listed = await client.send(new ListContributorInsightsCommand({}));
  expect(listed.ContributorInsightsSummaries).toEqual([
    { TableName, ContributorInsightsStatus: 'ENABLED', ContributorInsightsMode: 'ACCESSED_AND_THROTTLED_KEYS' },
  ]);
  await client.send(put('a'));
  await client.send(new GetItemCommand({ TableName, Key: { pk: { S: 'a' } } }));
  await expect(client.send(put('b'))).rejects.toThrow('provisioned throughput');
  const server = await serve(database);
  opened.push(server);
  const page = async (path: string): Promise<unknown> => (await fetch(`${server.url}/_singlet/${path}`)).json();
  const capacity = (await page(`capacity/${TableName}`)) as CapacityReport;
  expect(capacity).toEqual(JSON.parse(JSON.stringify(await database.capacity(TableName))));
  expect(capacity).toMatchObject({
    isThrottled: true,
    table: {
      itemCount: 1,
      writes: { unitsPerSecond: 1, bucketUnits: 0, bucketUnitsMax: 300, consumedUnits: 1, throttledCount: 1 },
      reads: { consumedUnits: 0.5, consumedUnitsPerSecond: 0.5 / 60 },
      partitions: [{ hashFrom: '0'.repeat(32), hashTo: null }],
    },
  });
  const insights = await page(`contributor-insights/${TableName}`);
  expect(insights).toEqual(JSON.parse(JSON.stringify(await database.contributorInsights(TableName))));
  expect(insights).toMatchObject({
    rules: [
      { rule: 'PKC', contributors: [{ key: { pk: { S: 'a' } }, weight: 3.5 }] },
      { rule: 'PKT', contributors: [{ key: { pk: { S: 'b' } }, weight: 1 }] },
    ],
  });
  await expect(database.capacity('Nothing')).rejects.toThrow('Table: Nothing not found');
  await database.close();
  await expect(database.capacity(TableName)).rejects.toThrow('closed');
});
