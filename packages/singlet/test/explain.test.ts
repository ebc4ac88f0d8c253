import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runExplain } from '../src/cli/explain-command.ts';
import { createDatabase, type Database, type DatabaseServer, serve } from '../src/index.ts';

describe('singlet explain', () => {
  let database: Database;
  let server: DatabaseServer;

  beforeAll(async () => {
    database = await createDatabase();
    server = await serve(database);
    await database.request('CreateTable', {
      TableName: 'Orders',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'PK', AttributeType: 'S' },
        { AttributeName: 'SK', AttributeType: 'S' },
        { AttributeName: 'total', AttributeType: 'N' },
        { AttributeName: 'code', AttributeType: 'B' },
      ],
      KeySchema: [
        { AttributeName: 'PK', KeyType: 'HASH' },
        { AttributeName: 'SK', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'byTotal',
          KeySchema: [
            { AttributeName: 'total', KeyType: 'HASH' },
            { AttributeName: 'code', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    });
  });
  afterAll(async () => {
    await server.close();
    await database.close();
  });

  const flags = (statement: string, more: Partial<Parameters<typeof runExplain>[0]> = {}) => {
    return { statement, parameter: [], endpoint: server.url, region: 'us-east-1', ...more };
  };

  test.each<[string, string]>([
    ["SELECT * FROM Orders WHERE PK = 'it''s' AND SK = 'b'", "GetItem on Orders\n  key: PK = 'it''s' and SK = 'b'\n"],
    [
      "SELECT * FROM Orders WHERE PK = 'a' AND begins_with(SK, 'b') AND state = 'open' ORDER BY SK DESC",
      `Query on Orders
  key: PK = 'a' and begins_with(SK, 'b')
  filter: ("state" = 'open')
in descending order of the sort key
The filter is applied to what was read: what it removes costs as much as what it keeps.
`,
    ],
    [
      'SELECT * FROM Orders.byTotal WHERE total IN [1, 2]',
      `Query on Orders.byTotal
  key: total = 1
Query on Orders.byTotal
  key: total = 2
2 operations, one after another
`,
    ],
    [
      "SELECT * FROM Orders WHERE state = 'open'",
      `Scan on Orders
  filter: ("state" = 'open')
This is a scan: it reads all of Orders, however few items the conditions keep.
`,
    ],
    ["UPDATE Orders SET a = 1 WHERE PK = 'a' AND SK = 'b'", "UpdateItem on Orders\n  key: PK = 'a' and SK = 'b'\n"],
  ])('%s', async (statement, expected) => {
    expect(await runExplain(flags(statement))).toBe(expected);
  });

  test('parameters represent what they are, a binary key is written as JSON writes it', async () => {
    const statement = 'SELECT * FROM Orders.byTotal WHERE total = ? AND code BETWEEN ? AND ?';
    const parameter = [{ N: '1.50' }, { B: Buffer.of(0) }, { B: Buffer.of(1) }];
    expect(await runExplain(flags(statement, { parameter }))).toBe(
      'Query on Orders.byTotal\n  key: total = 1.5 and code BETWEEN {"B":"AA=="} AND {"B":"AQ=="}\n',
    );
  });

  test('as JSON, and in process the same', async () => {
    const statement = "SELECT * FROM Orders WHERE PK = 'a' AND x > 1";
    const expected = {
      TableName: 'Orders',
      IsScan: false,
      Operations: [
        {
          Operation: 'Query',
          KeyConditions: [{ AttributeName: 'PK', Operator: '=', Operands: [{ S: 'a' }] }],
          Filter: '("x" > 1)',
        },
      ],
      ScanIndexForward: true,
    };
    expect(JSON.parse(await runExplain(flags(statement, { json: true })))).toEqual(expected);
    expect(await database.explainStatement({ Statement: statement })).toEqual(expected);
    const write = await database.explainStatement({
      Statement: 'DELETE FROM Orders WHERE PK = ? AND SK = ?',
      Parameters: [{ S: 'a' }, { S: 'b' }],
    });
    expect(write).toEqual({
      TableName: 'Orders',
      IsScan: false,
      Operations: [{ Operation: 'DeleteItem', Key: { PK: { S: 'a' }, SK: { S: 'b' } } }],
    });
  });

  test('what cannot be is said in a sentence', async () => {
    await expect(runExplain(flags('SELECT'))).rejects.toThrow(
      /^ValidationException: Statement wasn't well formed, can't be processed: /,
    );
    await expect(runExplain(flags('SELECT * FROM Absent'))).rejects.toThrow(
      'ResourceNotFoundException: Requested resource not found: Table: Absent not found',
    );
    await expect(runExplain(flags('SELECT * FROM Orders.byTotal', { consistent: true }))).rejects.toThrow(
      'Strongly consistent read is not supported on Global Secondary Indexes',
    );
    await expect(runExplain(flags('SELECT * FROM Orders', { endpoint: 'http://127.0.0.1:1' }))).rejects.toThrow(
      'Nothing answers at http://127.0.0.1:1: start a server with singlet serve, or name another --endpoint.',
    );
  });

  test('another endpoint than a Singlet server cannot explain', async () => {
    const other = createServer((_request, response) => {
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
      response.end('{"__type":"com.amazon.coral.service#UnknownOperationException"}');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    await expect(runExplain(flags('SELECT * FROM Orders', { endpoint }))).rejects.toThrow(
      `${endpoint} does not explain statements: only a Singlet server does.`,
    );
    await new Promise((resolve) => other.close(resolve));
  });
});
