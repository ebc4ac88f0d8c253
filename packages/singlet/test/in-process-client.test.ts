import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteItemCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  DynamoDBServiceException,
  GetItemCommand,
  IdempotentParameterMismatchException,
  ListTablesCommand,
  paginateListTables,
  paginateQuery,
  paginateScan,
  PutItemCommand,
  QueryCommand,
  ResourceInUseException,
  ResourceNotFoundException,
  ScanCommand,
  TransactGetItemsCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  UpdateTableCommand,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  NumberValue,
  paginateQuery as paginateDocumentQuery,
  PutCommand,
  QueryCommand as DocumentQueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDatabase, type Database, type DatabaseOptions, DynamoError, serve, StorageError } from '../src/index.ts';

/** The unmodified SDK against the database, without a socket and over HTTP: the same answers. */

const things: CreateTableCommandInput = {
  TableName: 'Things',
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'N' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  BillingMode: 'PAY_PER_REQUEST',
};

interface Connected {
  readonly config: DynamoDBClientConfig;
  close(): Promise<void>;
}

const ways: readonly { readonly way: string; readonly connect: (options?: DatabaseOptions) => Promise<Connected> }[] = [
  {
    way: 'in process',
    connect: async (options) => {
      const database = await createDatabase(options);
      return { config: database.clientConfig(), close: () => database.close() };
    },
  },
  {
    way: 'over HTTP',
    connect: async (options) => {
      const database = await createDatabase(options);
      const server = await serve(database);
      return {
        config: {
          endpoint: server.url,
          region: 'us-east-1',
          credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
        },
        close: async () => {
          await server.close();
          await database.close();
        },
      };
    },
  },
];

describe('DB-126 calls in process, one after the other without a pause', () => {
  test.each(['DescribeLimits', 'DescribeTable'])('leave others their turn: %s', async (action) => {
    await using database = disposable(await createDatabase());
    const others = { had: false };
    setTimeout(() => (others.had = true), 1);
    // For a missing table, so that the loop sees only errors.
    while (!others.had) await database.request(action, { TableName: 'Missing' }).catch(() => undefined);
    expect(others.had).toBe(true);
  });
});

describe.each(ways)('DB-126 the AWS SDK $way', ({ connect }) => {
  let connected: Connected;
  let client: DynamoDBClient;
  let documents: DynamoDBDocumentClient;

  beforeEach(async () => {
    connected = await connect();
    client = new DynamoDBClient(connected.config);
    documents = DynamoDBDocumentClient.from(client);
    await client.send(new CreateTableCommand(things));
  });

  afterEach(async () => {
    client.destroy();
    await connected.close();
  });

  async function put(sk: number, attributes: Record<string, unknown> = {}): Promise<void> {
    await documents.send(new PutCommand({ TableName: 'Things', Item: { pk: 'a', sk, ...attributes } }));
  }

  test('waiters end, for a table that comes and for one that goes', async () => {
    const waiter = { client, maxWaitTime: 20, minDelay: 1, maxDelay: 1 };
    expect(await waitUntilTableExists(waiter, { TableName: 'Things' })).toMatchObject({ state: 'SUCCESS' });
    await client.send(new DeleteTableCommand({ TableName: 'Things' }));
    expect(await waitUntilTableNotExists(waiter, { TableName: 'Things' })).toMatchObject({ state: 'SUCCESS' });
  });

  test('DB-134 DB-265 all ten types come back as they were sent', async () => {
    const item = {
      pk: { S: 'a' },
      sk: { N: '-1.5' },
      string: { S: 'zoë 🎈\u0000' },
      empty: { S: '' },
      number: { N: '12345678901234567890123456789012345678' },
      binary: { B: Uint8Array.of(0, 1, 127, 128, 255) },
      emptyBinary: { B: new Uint8Array() },
      yes: { BOOL: true },
      no: { BOOL: false },
      nothing: { NULL: true as const },
      list: { L: [{ S: 'a' }, { N: '1' }, { L: [] }, { M: {} }] },
      map: { M: { inner: { M: { 'odd.name': { B: Uint8Array.of(9) } } }, __proto: { S: 'x' } } },
      strings: { SS: ['a', 'ä'] },
      numbers: { NS: ['1', '20'] },
      binaries: { BS: [Uint8Array.of(1), Uint8Array.of(2, 3)] },
    };
    await client.send(new PutItemCommand({ TableName: 'Things', Item: item }));
    const key = { pk: item.pk, sk: item.sk };
    const { Item } = await client.send(new GetItemCommand({ TableName: 'Things', Key: key, ConsistentRead: true }));
    expect(Item).toEqual(item);
  });

  test('DB-266 document client: plain values, sets, binary and large numbers', async () => {
    // Document clients of one client share its options.
    const another = new DynamoDBClient(connected.config);
    const exact = DynamoDBDocumentClient.from(another, { unmarshallOptions: { wrapNumbers: true } });
    const precise = '99999999999999999999.123456789';
    await put(1, {
      nested: { list: [1, 'two', null, true, { three: 3 }] },
      tags: new Set(['x', 'y']),
      sizes: new Set([1, 2.5]),
      photo: Uint8Array.of(1, 2, 3),
      precise: NumberValue.from(precise),
    });
    const key = { TableName: 'Things', Key: { pk: 'a', sk: 1 } };
    const wrapped = await exact.send(new GetCommand(key));
    expect(wrapped.Item?.['precise']).toEqual(NumberValue.from(precise));
    another.destroy();
    await documents.send(new UpdateCommand({ ...key, UpdateExpression: 'REMOVE precise' }));
    const { Item } = await documents.send(new GetCommand(key));
    expect(Item).toEqual({
      pk: 'a',
      sk: 1,
      nested: { list: [1, 'two', null, true, { three: 3 }] },
      tags: new Set(['x', 'y']),
      sizes: new Set([1, 2.5]),
      photo: Uint8Array.of(1, 2, 3),
    });
  });

  test('what finds nothing says so in the way of the SDK', async () => {
    const key = { TableName: 'Things', Key: { pk: { S: 'none' }, sk: { N: '0' } } };
    expect((await client.send(new GetItemCommand(key))).Item).toBeUndefined();
    expect((await client.send(new DeleteItemCommand({ ...key, ReturnValues: 'ALL_OLD' }))).Attributes).toBeUndefined();
    const scanned = await client.send(new ScanCommand({ TableName: 'Things' }));
    expect([scanned.Items, scanned.Count, scanned.ScannedCount, scanned.LastEvaluatedKey]).toEqual([
      [],
      0,
      0,
      undefined,
    ]);
    const counted = await client.send(new ScanCommand({ TableName: 'Things', Select: 'COUNT' }));
    expect([counted.Items, counted.Count]).toEqual([undefined, 0]);
    const batch = await client.send(new BatchGetItemCommand({ RequestItems: { Things: { Keys: [key.Key] } } }));
    expect([batch.Responses, batch.UnprocessedKeys]).toEqual([{ Things: [] }, {}]);
    const read = await client.send(new TransactGetItemsCommand({ TransactItems: [{ Get: key }] }));
    expect(read.Responses).toEqual([{}]);
  });

  test('paginators walk all pages', async () => {
    await client.send(
      new BatchWriteItemCommand({
        RequestItems: {
          Things: Array.from({ length: 25 }, (_, sk) => ({
            PutRequest: { Item: { pk: { S: 'a' }, sk: { N: `${sk}` } } },
          })),
        },
      }),
    );
    const query = { TableName: 'Things', KeyConditionExpression: 'pk = :a' };
    const pages = await collect(
      paginateQuery({ client, pageSize: 10 }, { ...query, ExpressionAttributeValues: { ':a': { S: 'a' } } }),
    );
    expect(pages.map(({ Count }) => Count)).toEqual([10, 10, 5]);
    expect(pages.flatMap(({ Items = [] }) => Items.map((item) => Number(item['sk']?.N)))).toEqual(range(25));

    const scanned = await collect(paginateScan({ client, pageSize: 7 }, { TableName: 'Things' }));
    expect(scanned.flatMap(({ Items }) => Items ?? [])).toHaveLength(25);

    const backwards = await collect(
      paginateDocumentQuery(
        { client: documents, pageSize: 20 },
        { ...query, ExpressionAttributeValues: { ':a': 'a' }, ScanIndexForward: false },
      ),
    );
    expect(backwards.flatMap(({ Items = [] }) => Items.map((item) => item['sk'] as number))).toEqual(
      range(25).toReversed(),
    );

    for (const name of ['Aaa', 'Zzz']) await client.send(new CreateTableCommand({ ...things, TableName: name }));
    const tables = await collect(paginateListTables({ client, pageSize: 1 }, {}));
    expect(tables.flatMap(({ TableNames }) => TableNames ?? [])).toEqual(['Aaa', 'Things', 'Zzz']);
  });

  test('DB-274 a condition that is false throws a typed error, with the item if asked for', async () => {
    await put(1, { owner: 'x' });
    const refused = new PutItemCommand({
      TableName: 'Things',
      Item: { pk: { S: 'a' }, sk: { N: '1' } },
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    const error = await failure(client.send(refused), ConditionalCheckFailedException);
    expect(error.message).toBe('The conditional request failed');
    expect(error.Item).toEqual({ pk: { S: 'a' }, sk: { N: '1' }, owner: { S: 'x' } });
    expect(error.$metadata.httpStatusCode).toBe(400);
    expect(error.$metadata.requestId).toMatch(/^[0-9A-Z]{52}$/);

    const plain = new DeleteCommand({
      TableName: 'Things',
      Key: { pk: 'a', sk: 1 },
      ConditionExpression: '#owner = :y',
      ExpressionAttributeNames: { '#owner': 'owner' },
      ExpressionAttributeValues: { ':y': 'y' },
    });
    expect((await failure(documents.send(plain), ConditionalCheckFailedException)).Item).toBeUndefined();
  });

  test('DB-278 a cancelled transaction throws a typed error with one reason for each action', async () => {
    await put(1, { owner: 'x' });
    const check = { TableName: 'Things', ConditionExpression: 'attribute_not_exists(pk)' };
    const error = await failure(
      documents.send(
        new TransactWriteCommand({
          TransactItems: [
            { Put: { TableName: 'Things', Item: { pk: 'b', sk: 1 } } },
            { ConditionCheck: { ...check, Key: { pk: 'a', sk: 1 }, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } },
            { Delete: { ...check, Key: { pk: 'c', sk: 1 } } },
          ],
        }),
      ),
      TransactionCanceledException,
    );
    expect(error.message).toBe(
      'Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed, None]',
    );
    expect(error.CancellationReasons).toEqual([
      { Code: 'None' },
      {
        Code: 'ConditionalCheckFailed',
        Message: 'The conditional request failed',
        Item: { pk: { S: 'a' }, sk: { N: '1' }, owner: { S: 'x' } },
      },
      { Code: 'None' },
    ]);
    expect((await documents.send(new GetCommand({ TableName: 'Things', Key: { pk: 'b', sk: 1 } }))).Item).toBe(
      undefined,
    );
  });

  test('DB-174 a repeated transaction happens once; another one with its token is refused', async () => {
    const add = (by: number): TransactWriteItemsCommand =>
      new TransactWriteItemsCommand({
        ClientRequestToken: 'once',
        TransactItems: [
          {
            Update: {
              TableName: 'Things',
              Key: { pk: { S: 'a' }, sk: { N: '1' } },
              UpdateExpression: 'ADD hits :by',
              ExpressionAttributeValues: { ':by': { N: `${by}` } },
            },
          },
        ],
      });
    await client.send(add(1));
    await client.send(add(1));
    await failure(client.send(add(2)), IdempotentParameterMismatchException);
    const { Item } = await documents.send(new GetCommand({ TableName: 'Things', Key: { pk: 'a', sk: 1 } }));
    expect(Item).toEqual({ pk: 'a', sk: 1, hits: 1 });
  });

  test('other errors of the service are typed too', async () => {
    const { message } = await failure(
      client.send(new DescribeTableCommand({ TableName: 'Nothing' })),
      ResourceNotFoundException,
    );
    expect(message).toBe('Requested resource not found: Table: Nothing not found');
    await failure(client.send(new CreateTableCommand(things)), ResourceInUseException);
    const invalid = await failure(
      client.send(new GetItemCommand({ TableName: 'Things', Key: { pk: { S: 'a' } } })),
      DynamoDBServiceException,
    );
    expect([invalid.name, invalid.message]).toEqual([
      'ValidationException',
      'The provided key element does not match the schema',
    ]);
  });

  test('indexes: created later, waited for, read in key order and projected', async () => {
    for (const sk of [1, 2, 3]) await put(sk, { group: sk === 2 ? 'even' : 'odd', rank: -sk, extra: 'x' });
    await client.send(
      new UpdateTableCommand({
        TableName: 'Things',
        AttributeDefinitions: [
          { AttributeName: 'group', AttributeType: 'S' },
          { AttributeName: 'rank', AttributeType: 'N' },
        ],
        GlobalSecondaryIndexUpdates: [
          {
            Create: {
              IndexName: 'byGroup',
              KeySchema: [
                { AttributeName: 'group', KeyType: 'HASH' },
                { AttributeName: 'rank', KeyType: 'RANGE' },
              ],
              Projection: { ProjectionType: 'KEYS_ONLY' },
            },
          },
        ],
      }),
    );
    for (;;) {
      const { Table } = await client.send(new DescribeTableCommand({ TableName: 'Things' }));
      if (Table?.GlobalSecondaryIndexes?.[0]?.IndexStatus === 'ACTIVE') break;
      // Without a pause, other work still gets its turn.
    }
    const { Items } = await documents.send(
      new DocumentQueryCommand({
        TableName: 'Things',
        IndexName: 'byGroup',
        KeyConditionExpression: '#group = :odd',
        ExpressionAttributeNames: { '#group': 'group' },
        ExpressionAttributeValues: { ':odd': 'odd' },
      }),
    );
    expect(Items).toEqual([
      { pk: 'a', sk: 3, group: 'odd', rank: -3 },
      { pk: 'a', sk: 1, group: 'odd', rank: -1 },
    ]);
  });

  test('capacity, old and new attributes are where the SDK expects them', async () => {
    await put(1, { hits: 1 });
    const { Attributes, ConsumedCapacity } = await client.send(
      new UpdateItemCommand({
        TableName: 'Things',
        Key: { pk: { S: 'a' }, sk: { N: '1' } },
        UpdateExpression: 'ADD hits :one',
        ExpressionAttributeValues: { ':one': { N: '1' } },
        ReturnValues: 'UPDATED_NEW',
        ReturnConsumedCapacity: 'TOTAL',
      }),
    );
    expect(Attributes).toEqual({ hits: { N: '2' } });
    expect(ConsumedCapacity).toEqual({ TableName: 'Things', CapacityUnits: 1 });
    const { Responses } = await documents.send(
      new BatchGetCommand({ RequestItems: { Things: { Keys: [{ pk: 'a', sk: 1 }] } } }),
    );
    expect(Responses).toEqual({ Things: [{ pk: 'a', sk: 1, hits: 2 }] });
  });

  test('large answers and many requests at once', async () => {
    const text = 'ü'.repeat(150_000);
    await Promise.all(range(8).map((sk) => put(sk, { text })));
    const query = new QueryCommand({
      TableName: 'Things',
      KeyConditionExpression: 'pk = :a',
      ExpressionAttributeValues: { ':a': { S: 'a' } },
    });
    const { Items = [], LastEvaluatedKey } = await client.send(query);
    expect(Items).toHaveLength(4); // the page ends with the item that passes 1 MB
    expect(Items.every((item) => item['text']?.S === text)).toBe(true);
    expect(LastEvaluatedKey).toEqual({ pk: { S: 'a' }, sk: { N: '3' } });
    const answers = await Promise.all(
      range(200).map((turn) =>
        documents.send(new GetCommand({ TableName: 'Things', Key: { pk: 'a', sk: turn % 10 } })),
      ),
    );
    expect(answers.filter(({ Item }) => Item?.['text'] === text)).toHaveLength(160);
  });

  test('a request that has been aborted ends with AbortError', async () => {
    const aborted = client.send(new ListTablesCommand({}), { abortSignal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
    const stop = new AbortController();
    const late = client.send(new ListTablesCommand({}), { abortSignal: stop.signal });
    stop.abort();
    await expect(late).rejects.toMatchObject({ name: 'AbortError' });
    expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual(['Things']);
  });
});

describe('createDatabase', () => {
  test('fifty at once: cheap, and each on its own', async () => {
    const databases = await Promise.all(range(50).map(() => createDatabase()));
    const clients = databases.map((database) => new DynamoDBClient(database.clientConfig()));
    await Promise.all(
      clients.map(async (client, at) => {
        const name = `Table-${at}`;
        await client.send(new CreateTableCommand({ ...things, TableName: name }));
        await client.send(new PutItemCommand({ TableName: name, Item: { pk: { S: `${at}` }, sk: { N: '1' } } }));
      }),
    );
    for (const [at, client] of clients.entries()) {
      expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual([`Table-${at}`]);
      const { Items } = await client.send(new ScanCommand({ TableName: `Table-${at}` }));
      expect(Items).toEqual([{ pk: { S: `${at}` }, sk: { N: '1' } }]);
    }
    await Promise.all(databases.map((database) => database.close()));
  });

  test('regions are worlds of their own; the database’s region and account are in ARNs', async () => {
    await using database = disposable(await createDatabase({ region: 'eu-west-1', accountId: '111122223333' }));
    const here = new DynamoDBClient(database.clientConfig());
    const elsewhere = new DynamoDBClient({ ...database.clientConfig(), region: 'ap-south-1' });
    const { TableDescription } = await here.send(new CreateTableCommand(things));
    expect(TableDescription?.TableArn).toBe('arn:aws:dynamodb:eu-west-1:111122223333:table/Things');
    expect((await elsewhere.send(new ListTablesCommand({}))).TableNames).toEqual([]);
  });

  test('takes time from a clock of the test', async () => {
    let nowMs = Date.UTC(2030, 0, 1);
    await using database = disposable(await createDatabase({ clock: { nowMs: () => nowMs }, lifecycleDelayMs: 5000 }));
    const client = new DynamoDBClient(database.clientConfig());
    const describeTable = new DescribeTableCommand({ TableName: 'Things' });
    await client.send(new CreateTableCommand(things));
    nowMs += 4999;
    const { Table } = await client.send(describeTable);
    expect([Table?.TableStatus, Table?.CreationDateTime]).toEqual(['CREATING', new Date('2030-01-01T00:00:00Z')]);
    await failure(client.send(new ScanCommand({ TableName: 'Things' })), ResourceNotFoundException);
    nowMs += 1;
    expect((await client.send(describeTable)).Table?.TableStatus).toBe('ACTIVE');
  });

  test('takes smaller limits', async () => {
    await using database = disposable(
      await createDatabase({ limits: { itemSizeBytesMax: 100, queryPageBytesMax: 150 } }),
    );
    const client = new DynamoDBClient(database.clientConfig());
    await client.send(new CreateTableCommand(things));
    const put = (sk: number, size: number): PutItemCommand =>
      new PutItemCommand({
        TableName: 'Things',
        Item: { pk: { S: 'a' }, sk: { N: `${sk}` }, text: { S: 'x'.repeat(size) } },
      });
    const { message } = await failure(client.send(put(0, 100)), DynamoDBServiceException);
    expect(message).toContain('Item size has exceeded the maximum allowed size');
    for (const sk of [1, 2, 3]) await client.send(put(sk, 80));
    const pages = await collect(paginateScan({ client }, { TableName: 'Things' }));
    expect(pages.map(({ Count }) => Count)).toEqual([2, 1]);
  });

  test('tells of each request that it answered', async () => {
    const seen: (string | undefined)[] = [];
    await using database = disposable(
      await createDatabase({ onRequest: ({ action, table, status }) => seen.push(`${action} ${table} ${status}`) }),
    );
    const client = new DynamoDBClient(database.clientConfig());
    await client.send(new CreateTableCommand(things));
    await failure(client.send(new DescribeTableCommand({ TableName: 'Nothing' })), ResourceNotFoundException);
    expect(seen).toEqual(['CreateTable Things 200', 'DescribeTable Nothing 400']);
  });

  test('refuses a directory that cannot be one, with a sentence', async () => {
    const opening = createDatabase({ directory: '/proc/self/cmdline' });
    const error = await failure(opening, StorageError);
    expect([error.code, error.message]).toEqual(['open', expect.stringContaining('is not a directory')]);
  });
});

describe('Database.request', () => {
  test('takes and gives what is on the wire', async () => {
    await using database = disposable(await createDatabase());
    await database.request('CreateTable', things);
    const item = { pk: { S: 'a' }, sk: { N: '1' }, photo: { B: 'AAEC' } };
    expect(await database.request('PutItem', { TableName: 'Things', Item: item })).toEqual({});
    expect(await database.request('Scan', { TableName: 'Things' })).toEqual({
      Items: [item],
      Count: 1,
      ScannedCount: 1,
    });
  });

  test('throws what the service would answer', async () => {
    await using database = disposable(await createDatabase());
    const missing = await failure(database.request('DescribeTable', { TableName: 'Nothing' }), DynamoError);
    expect([missing.name, missing.message, missing.status]).toEqual([
      'ResourceNotFoundException',
      'Requested resource not found: Table: Nothing not found',
      400,
    ]);
    expect((await failure(database.request('Nonsense', {}), DynamoError)).name).toBe('UnknownOperationException');
    const wrong = await failure(database.request('ListTables', { Limit: 'many' }), DynamoError);
    expect(wrong.name).toBe('SerializationException');
  });
});

describe('Database.close', () => {
  test('finishes what is running', async () => {
    const database = await createDatabase();
    await database.request('CreateTable', things);
    const key = { TableName: 'Things', Key: { pk: { S: 'a' }, sk: { N: '1' } } };
    const running = range(20).map(() => database.request('GetItem', key));
    const closing = database.close();
    expect(await Promise.all(running)).toEqual(range(20).map(() => ({})));
    await closing;
  });

  test('does not wait for those who never stop asking', async () => {
    const database = await createDatabase();
    let asked = 0;
    const ask = async (): Promise<number> => {
      for (;;) {
        const { status } = await database.handle({
          method: 'POST',
          url: '/',
          headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'DynamoDB_20120810.ListTables' },
          body: Buffer.from('{}'),
        });
        asked += 1;
        if (status !== 200) return status;
      }
    };
    const asking = ask();
    await database.close();
    expect(await asking).toBe(503);
    expect(asked).toBeGreaterThan(0);
  });

  test('may be called again; calls fail clearly from then on, and at once', async () => {
    const database = await createDatabase();
    let attempts = 0;
    const client = new DynamoDBClient(database.clientConfig());
    client.middlewareStack.add(
      (next) => (args) => {
        attempts += 1;
        return next(args);
      },
      { step: 'deserialize' },
    );
    await Promise.all([database.close(), database.close()]);
    await database.close();
    for (const call of [
      (): Promise<unknown> => client.send(new ListTablesCommand({})),
      (): Promise<unknown> => database.request('ListTables', {}),
    ]) {
      const error = await failure(call(), StorageError);
      expect([error.code, error.message]).toEqual(['closed', 'The database has been closed.']);
    }
    expect(attempts).toBe(1);
  });
});

async function collect<T>(pages: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(page);
  return all;
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at);
}

/** @returns the error of this class with which a promise rejects. */
async function failure<E extends Error>(
  promise: Promise<unknown>,
  kind: abstract new (...args: never[]) => E,
): Promise<E> {
  const reason: unknown = await promise.then(
    (answer) => expect.fail(`answered ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  );
  expect(reason).toBeInstanceOf(kind);
  return reason as E;
}

function disposable(database: Database): Database & AsyncDisposable {
  return Object.assign(database, { [Symbol.asyncDispose]: () => database.close() });
}
