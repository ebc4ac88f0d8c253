/** The request log below `/_singlet/`: what it records about requests, that it is off until it is read, and that it changes no answer. */
import { describe, expect, test } from 'vitest';
import { createDatabase, type Database, type InspectionOptions } from '../src/index.ts';

interface Logged {
  readonly seq: number;
  readonly action: string;
  readonly [member: string]: unknown;
}

interface LogPage {
  readonly last: number;
  readonly dropped: number;
  readonly requests: readonly Logged[];
}

const target = (action: string): string => `DynamoDB_20120810.${action}`;

class Client {
  readonly database: Database;
  readonly clock: { now: number };

  constructor(database: Database, clock: { now: number }) {
    this.database = database;
    this.clock = clock;
  }

  async call(
    action: string,
    input: object,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; text: string }> {
    const { status, body } = await this.database.handle({
      method: 'POST',
      url: '/',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': target(action),
        authorization:
          'AWS4-HMAC-SHA256 Credential=alice/20260101/us-east-1/dynamodb/aws4_request, Signature=planted-secret',
        'user-agent': 'test/1.0',
        ...headers,
      },
      body: Buffer.from(JSON.stringify(input)),
    });
    return { status, text: Buffer.from(body).toString('utf8') };
  }

  async get(path: string): Promise<{ status: number; text: string }> {
    const { status, body } = await this.database.handle({
      method: 'GET',
      url: `/_singlet/${path}`,
      headers: {},
      body: Buffer.alloc(0),
    });
    return { status, text: Buffer.from(body).toString('utf8') };
  }

  async log(query = ''): Promise<LogPage> {
    const { status, text } = await this.get(`requests${query}`);
    expect(status, text).toBe(200);
    return JSON.parse(text) as LogPage;
  }
}

const table = {
  TableName: 'Orders',
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: ['PK', 'SK', 'G'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
  KeySchema: [
    { AttributeName: 'PK', KeyType: 'HASH' },
    { AttributeName: 'SK', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    { IndexName: 'byG', KeySchema: [{ AttributeName: 'G', KeyType: 'HASH' }], Projection: { ProjectionType: 'ALL' } },
  ],
};

async function open(inspection?: InspectionOptions): Promise<Client> {
  const clock = { now: 1_767_225_600_000 };
  const database = await createDatabase({ clock: { nowMs: () => clock.now }, inspection });
  const client = new Client(database, clock);
  await client.call('CreateTable', table);
  return client;
}

const item = (pk: string, sk: string, more: object = {}): object => ({ PK: { S: pk }, SK: { S: sk }, ...more });
const put = (pk: string, sk: string, more: object = {}): object => ({ TableName: 'Orders', Item: item(pk, sk, more) });

describe('the request log', () => {
  test('says of each request what it read, returned and cost, which keys, and who asked', async () => {
    const client = await open();
    await client.log();
    await client.call('PutItem', put('a', '1', { G: { S: 'g' }, Status: { S: 'NEW' } }));
    await client.call('PutItem', put('a', '2', { Status: { S: 'OLD' } }));
    await client.call('Query', {
      TableName: 'Orders',
      KeyConditionExpression: 'PK = :pk',
      FilterExpression: '#s = :s',
      ExpressionAttributeNames: { '#s': 'Status' },
      ExpressionAttributeValues: { ':pk': { S: 'a' }, ':s': { S: 'NEW' } },
    });
    await client.call('Query', {
      TableName: 'Orders',
      IndexName: 'byG',
      KeyConditionExpression: 'G = :g',
      ExpressionAttributeValues: { ':g': { S: 'g' } },
    });
    await client.call('Scan', { TableName: 'Orders' });
    await client.call('ExecuteStatement', { Statement: 'SELECT * FROM "Orders" WHERE Status = \'NEW\'' });
    await client.call('GetItem', { TableName: 'Orders', Key: item('b', '1') });
    await client.call('TransactGetItems', { TransactItems: [{ Get: { TableName: 'Orders', Key: item('a', '1') } }] });
    await client.call('UpdateItem', { TableName: 'Orders', Key: item('a', '1'), UpdateExpression: 'nonsense' });
    const { requests } = await client.log();
    expect(requests.map(({ action }) => action)).toEqual([
      'PutItem',
      'PutItem',
      'Query',
      'Query',
      'Scan',
      'ExecuteStatement',
      'GetItem',
      'TransactGetItems',
      'UpdateItem',
    ]);
    const [written, , filtered, ofIndex, scanned, statement, absent, transaction, refused] = requests;
    expect(written).toMatchObject({
      table: 'Orders',
      index: null,
      status: 200,
      error: null,
      scan: false,
      keys: ['a'],
      capacity: { reads: 0, writes: 2, indexes: { byG: { reads: 0, writes: 1 } } },
      who: { identity: 'alice', userAgent: 'test/1.0' },
    });
    expect(filtered).toMatchObject({
      read: 2,
      returned: 1,
      keys: ['a'],
      capacity: { reads: 0.5, writes: 0, indexes: {} },
    });
    expect(ofIndex).toMatchObject({
      index: 'byG',
      read: 1,
      returned: 1,
      keys: ['g'],
      capacity: { indexes: { byG: { reads: 0.5 } } },
    });
    expect(scanned).toMatchObject({ scan: true, read: 2, returned: 2, keys: [] });
    expect(statement).toMatchObject({ scan: true, returned: 1, capacity: { reads: 0.5, writes: 0 } });
    expect(absent).toMatchObject({ read: 0, returned: 0, keys: ['b'] });
    expect(transaction).toMatchObject({ read: 1, returned: 1, capacity: { reads: 2 } });
    expect(refused).toMatchObject({ status: 400, error: 'ValidationException', capacity: null });
    await client.database.close();
  });

  test('is off until it is read, and off again when it has not been read for a while', async () => {
    const client = await open();
    await client.call('PutItem', put('a', '1'));
    expect((await client.log()).requests).toEqual([]);
    await client.call('PutItem', put('a', '2'));
    expect((await client.log()).requests).toHaveLength(1);
    client.clock.now += 5 * 60_000 + 1;
    await client.call('PutItem', put('a', '3')); // detects that there is no reader
    await client.call('PutItem', put('a', '4'));
    expect((await client.log()).requests).toEqual([]);
    await client.database.close();
    const always = await open({ logRequests: true });
    expect((await always.log()).requests.map(({ action }) => action)).toEqual(['CreateTable']);
    await always.database.close();
  });

  test('pages on by number, and says how many it forgot', async () => {
    const client = await open({ logRequests: true });
    const { last } = await client.log();
    for (let n = 0; n < 5; n += 1) await client.call('PutItem', put('a', String(n)));
    const first = await client.log(`?after=${last}&limit=2`);
    const second = await client.log(`?after=${first.last}&limit=2`);
    const third = await client.log(`?after=${second.last}&limit=2`);
    expect([first, second, third].map(({ requests }) => requests.length)).toEqual([2, 2, 1]);
    const seqs = [first, second, third].flatMap(({ requests }) => requests.map(({ seq }) => seq));
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    expect(new Set(seqs).size).toBe(5);
    expect((await client.log(`?after=${third.last}`)).requests).toEqual([]);
    for (let n = 0; n < 10_050; n += 1) await client.call('ListTables', {});
    const late = await client.log(`?after=${third.last}&limit=1`);
    expect(late.dropped).toBe(50);
    expect((await client.log('?limit=1000')).requests).toHaveLength(1000);
    await client.database.close();
  });

  test('shows bodies, within limits, and no signature', async () => {
    const client = await open({ logRequests: true });
    await client.call('GetItem', { TableName: 'Orders', Key: item('a', '1') });
    await client.call('PutItem', put('a', '1', { big: { S: 'x'.repeat(70_000) } }));
    const { requests } = await client.log();
    const [, read, large] = requests;
    const shown = JSON.parse((await client.get(`requests/${read?.seq}`)).text) as {
      bodies: { request: string; response: string };
    };
    expect(JSON.parse(shown.bodies.request)).toEqual({ TableName: 'Orders', Key: item('a', '1') });
    expect(shown.bodies.response).toBe('{}');
    const omitted = await client.get(`requests/${large?.seq}`);
    expect(omitted.text).not.toContain('xxxx');
    expect(JSON.parse(omitted.text)).toMatchObject({
      bodies: { request: null, omitted: expect.stringContaining('65536') as string },
    });
    expect((await client.get('requests')).text + omitted.text).not.toContain('planted-secret');
    expect((await client.get('requests/1')).status).toBe(404);
    expect((await client.get('requests?limit=1001')).status).toBe(400);
    expect((await client.get('requests?after=x')).status).toBe(400);
    await client.database.close();
  });

  test('changes no answer', async () => {
    const key = item('a', '1');
    const calls: readonly (readonly [string, object])[] = [
      ['PutItem', put('a', '1', { n: { N: '1' } })],
      ['PutItem', { ...put('a', '1'), ReturnValues: 'ALL_OLD' }],
      ['PutItem', { ...put('a', '1'), ConditionExpression: 'attribute_not_exists(PK)' }],
      [
        'UpdateItem',
        {
          TableName: 'Orders',
          Key: key,
          UpdateExpression: 'SET n = :n',
          ExpressionAttributeValues: { ':n': { N: '2' } },
          ReturnValues: 'ALL_NEW',
        },
      ],
      ['GetItem', { TableName: 'Orders', Key: key }],
      ['BatchGetItem', { RequestItems: { Orders: { Keys: [key] } } }],
      ['BatchWriteItem', { RequestItems: { Orders: [{ PutRequest: { Item: item('b', '1') } }] } }],
      ['TransactGetItems', { TransactItems: [{ Get: { TableName: 'Orders', Key: key } }] }],
      ['TransactWriteItems', { TransactItems: [{ Delete: { TableName: 'Orders', Key: item('b', '1') } }] }],
      ['ExecuteStatement', { Statement: 'SELECT * FROM "Orders" WHERE PK = \'a\'' }],
      [
        'BatchExecuteStatement',
        { Statements: [{ Statement: "SELECT * FROM \"Orders\" WHERE PK = 'a' AND SK = '1'" }] },
      ],
      [
        'ExecuteTransaction',
        { TransactStatements: [{ Statement: "SELECT * FROM \"Orders\" WHERE PK = 'a' AND SK = '1'" }] },
      ],
      [
        'Query',
        { TableName: 'Orders', KeyConditionExpression: 'PK = :pk', ExpressionAttributeValues: { ':pk': { S: 'a' } } },
      ],
      ['Scan', { TableName: 'Orders', Select: 'COUNT' }],
      ['DeleteItem', { TableName: 'Orders', Key: key, ReturnValues: 'ALL_OLD' }],
      ['DescribeLimits', {}],
      [
        'TagResource',
        { ResourceArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/Orders', Tags: [{ Key: 'a', Value: 'b' }] },
      ],
      ['Nonsense', {}],
    ];
    const [plain, watched] = [await open(), await open({ logRequests: true })];
    for (const [action, input] of calls) {
      for (const more of [
        {},
        { ReturnConsumedCapacity: 'NONE' },
        { ReturnConsumedCapacity: 'TOTAL' },
        { ReturnConsumedCapacity: 'INDEXES' },
      ]) {
        const request = { ...input, ...more };
        expect(await watched.call(action, request), action).toEqual(await plain.call(action, request));
      }
    }
    expect((await watched.log('?limit=200')).requests).toHaveLength(1 + 4 * (calls.length - 1));
    await plain.database.close();
    await watched.database.close();
  });
});
