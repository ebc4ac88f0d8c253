/**
 * Compares the explanation of a read with the read itself: its statements about the first page must match what the request then reads,
 * returns and consumes, and the explanation must leave no trace.
 */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type Database, type DatabaseServer, serve } from '../src/index.ts';

interface Explanation {
  readonly table: string;
  readonly index: string | null;
  readonly isScan: boolean;
  readonly operations: readonly {
    readonly operation: string;
    readonly keyConditions: readonly object[];
    readonly filter: string | null;
  }[];
  readonly firstPage: { read: number; returned: number; reads: number; isLast: boolean } | null;
  readonly whole: { items: number; bytes: number; reads: number } | null;
  readonly findings: readonly { readonly code: string; readonly message: string; readonly remedy: string }[];
}

let database: Database;
let server: DatabaseServer;

const statuses = ['open', 'sent', 'paid'];
const itemCount = 120;

beforeAll(async () => {
  database = await createDatabase();
  const key = (partition: string, sort: string): object[] => [
    { AttributeName: partition, KeyType: 'HASH' },
    { AttributeName: sort, KeyType: 'RANGE' },
  ];
  await database.request('CreateTable', {
    TableName: 'Orders',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['PK', 'SK', 'Status'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: key('PK', 'SK'),
    GlobalSecondaryIndexes: [
      { IndexName: 'ByStatus', KeySchema: key('Status', 'SK'), Projection: { ProjectionType: 'ALL' } },
    ],
  });
  const items = Array.from({ length: itemCount }, (_, at) => ({
    PK: { S: `c#${at % 4}` },
    SK: { S: `o#${String(at).padStart(3, '0')}` },
    Status: { S: statuses[at % 3] },
    Note: { S: 'x'.repeat((at % 7) * 300) },
  }));
  for (let from = 0; from < itemCount; from += 20) {
    const puts = items.slice(from, from + 20).map((Item) => ({ PutRequest: { Item } }));
    await database.request('BatchWriteItem', { RequestItems: { Orders: puts } });
  }
  server = await serve(database);
});
afterAll(async () => {
  await server.close();
  await database.close();
});

async function explained(operation: string, input: object): Promise<Explanation> {
  const { status, body } = await ask(operation, input);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as Explanation;
}

async function ask(operation: string, input: object): Promise<{ status: number; body: unknown }> {
  return await post('explain', { operation, input });
}

async function post(endpoint: string, body: object): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${server.url}/_singlet/${endpoint}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

const value = (text: string): object => ({ S: text });

/** Reads of the table and its index, with and without conditions, limits and filters. */
const reads: fc.Arbitrary<readonly ['Query' | 'Scan', object]> = fc
  .record({
    isScan: fc.boolean(),
    isIndex: fc.boolean(),
    partition: fc.integer({ min: 0, max: 4 }),
    from: fc.option(fc.integer({ min: 0, max: itemCount })),
    isFiltered: fc.boolean(),
    limit: fc.option(fc.integer({ min: 1, max: 60 })),
    isConsistent: fc.boolean(),
    isDescending: fc.boolean(),
  })
  .map(({ isScan, isIndex, partition, from, isFiltered, limit, isConsistent, isDescending }) => {
    const values = {
      ...(!isScan && { ':p': value(isIndex ? (statuses[partition] ?? 'none') : `c#${partition}`) }),
      ...(!isScan && from !== null && { ':s': value(`o#${String(from).padStart(3, '0')}`) }),
      ...(isFiltered && { ':n': value('x') }),
    };
    const input = {
      TableName: 'Orders',
      ...(isIndex && { IndexName: 'ByStatus' }),
      ...(!isScan && { KeyConditionExpression: `#p = :p${from === null ? '' : ' AND SK >= :s'}` }),
      ...(!isScan && { ExpressionAttributeNames: { '#p': isIndex ? 'Status' : 'PK' } }),
      ...(!isScan && { ScanIndexForward: !isDescending }),
      ...(isFiltered && { FilterExpression: 'Note > :n' }),
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
      ...(limit !== null && { Limit: limit }),
      ...(!isIndex && { ConsistentRead: isConsistent }),
    };
    return [isScan ? 'Scan' : 'Query', input] as const;
  });

describe('an explanation', () => {
  test('says what the request then reads, returns and consumes', async () => {
    await fc.assert(
      fc.asyncProperty(reads, async ([operation, input]) => {
        const { firstPage, isScan, whole } = await explained(operation, input);
        const page = (await database.request(operation, { ...input, ReturnConsumedCapacity: 'TOTAL' })) as {
          Count: number;
          ScannedCount: number;
          LastEvaluatedKey?: object;
          ConsumedCapacity: { CapacityUnits: number };
        };
        expect(firstPage).toEqual({
          read: page.ScannedCount,
          returned: page.Count,
          reads: page.ConsumedCapacity.CapacityUnits,
          isLast: page.LastEvaluatedKey === undefined,
        });
        expect([isScan, whole?.items]).toEqual(operation === 'Scan' ? [true, itemCount] : [false, undefined]);
      }),
      { numRuns: 60 },
    );
  });

  test('WB-38: names a scan, all that it reads, and the index that the conditions already name', async () => {
    const { whole, findings } = await explained('Scan', {
      TableName: 'Orders',
      FilterExpression: '#s = :s',
      ExpressionAttributeNames: { '#s': 'Status' },
      ExpressionAttributeValues: { ':s': value('paid') },
    });
    const all = (await database.request('Scan', { TableName: 'Orders', ReturnConsumedCapacity: 'TOTAL' })) as {
      ConsumedCapacity: { CapacityUnits: number };
    };
    expect(whole).toMatchObject({ items: itemCount, reads: all.ConsumedCapacity.CapacityUnits });
    expect(findings.map(({ code }) => code)).toEqual(['scan', 'filter-after-read']);
    expect(findings[0]).toMatchObject({
      message: expect.stringContaining(`reads all ${itemCount} items of Orders`) as string,
      remedy: 'Query ByStatus by Status, which the conditions already name.',
    });
    expect(findings[1]?.message).toContain('120 items to return 40: Status is looked at after reading');
  });

  test('of a statement names its operations; of one that writes, the key, and nothing is written', async () => {
    const select = await explained('ExecuteStatement', {
      Statement: `SELECT * FROM "Orders" WHERE "PK" = 'c#1' AND begins_with("SK", 'o#0') AND "Status" = 'paid'`,
    });
    expect(select).toMatchObject({ table: 'Orders', index: null, isScan: false, whole: null });
    expect(select.operations).toEqual([
      {
        operation: 'Query',
        keyConditions: [
          { attributeName: 'PK', operator: '=', operands: [{ S: 'c#1' }] },
          { attributeName: 'SK', operator: 'begins_with', operands: [{ S: 'o#0' }] },
        ],
        filter: `("Status" = 'paid')`,
      },
    ]);
    expect(select.firstPage).toMatchObject({ read: 25, returned: 8, isLast: true });
    const deletion = await explained('ExecuteStatement', {
      Statement: `DELETE FROM "Orders" WHERE "PK" = 'c#1' AND "SK" = 'o#001'`,
    });
    expect(deletion).toMatchObject({ firstPage: null, operations: [{ operation: 'DeleteItem' }] });
    const key = { PK: value('c#1'), SK: value('o#001') };
    expect(await explained('GetItem', { TableName: 'Orders', Key: key })).toMatchObject({
      firstPage: { read: 1, returned: 1, isLast: true },
      operations: [{ operation: 'GetItem', keyConditions: [{ attributeName: 'PK' }, { attributeName: 'SK' }] }],
    });
  });

  test('a statement that writes is previewed as the write that it is; one that reads is refused', async () => {
    const preview = async (Statement: string): Promise<{ readonly status: number; readonly body: unknown }> => {
      const response = await fetch(`${server.url}/_singlet/preview`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ operation: 'ExecuteStatement', input: { Statement } }),
      });
      return { status: response.status, body: await response.json() };
    };
    const update = `UPDATE "Orders" SET "Status" = 'void' WHERE "PK" = 'c#1' AND "SK" = 'o#001'`;
    const TableName = 'Orders';
    const Key = { PK: value('c#1'), SK: value('o#001') };
    const before = await database.request('GetItem', { TableName, Key });
    expect(await preview(update)).toMatchObject({
      status: 200,
      body: {
        ok: true,
        items: [
          {
            table: TableName,
            old: { Status: { S: 'sent' } },
            new: { Status: { S: 'void' } },
            indexes: [{ name: 'ByStatus', change: 'move', writes: 2 }],
          },
        ],
        capacity: { writes: 3 },
      },
    });
    expect(await database.request('GetItem', { TableName, Key })).toEqual(before);
    expect(await preview(`${update} AND "Status" = 'never'`)).toMatchObject({
      body: { ok: false, error: { name: 'ConditionalCheckFailedException' } },
    });
    expect(await preview('SELECT * FROM "Orders"')).toMatchObject({
      status: 400,
      body: { error: 'ValidationException' },
    });
  });

  test('leaves no trace: neither units nor keys are counted', async () => {
    const report = async (): Promise<unknown> => (await fetch(`${server.url}/_singlet/capacity/Orders`)).json();
    // Buckets fill as time passes.
    const consumed = (told: unknown): string =>
      JSON.stringify(told).replaceAll(/"(?:\w*[mM]s|bucketUnits)":[\d.]+/g, '');
    const before = consumed(await report());
    await explained('Scan', { TableName: 'Orders' });
    expect(consumed(await report())).toBe(before);
  });

  test.each([
    ['Scan', { TableName: 'Nothing' }, 404, 'ResourceNotFoundException'],
    ['Query', { TableName: 'Orders' }, 400, 'ValidationException'],
    ['ExecuteStatement', { Statement: 'SELECT' }, 400, 'ValidationException'],
    ['PutItem', { TableName: 'Orders', Item: {} }, 400, 'ValidationException'],
  ])('%s %j is refused: %i %s', async (operation, input, status, error) => {
    expect(await ask(operation, input)).toMatchObject({ status, body: { error } });
  });
});

test('a statement alone is explained, and previewed, as the input of ExecuteStatement with its parameters is', async () => {
  const Statement = `SELECT * FROM "Orders"."ByStatus" WHERE Status = ?`;
  const parameters = [{ S: 'open' }];
  const whole = await explained('ExecuteStatement', { Statement, Parameters: parameters });
  expect(await post('explain', { statement: Statement, parameters })).toEqual({ status: 200, body: whole });
  expect(whole).toMatchObject({ table: 'Orders', index: 'ByStatus', isScan: false });
  expect(await post('explain', { statement: 1 })).toMatchObject({ status: 400 });
  expect(await post('explain', { statement: 'SELECT' })).toMatchObject({ status: 400 });
  const update = `UPDATE "Orders" SET Note = 'y' WHERE PK = 'c#0' AND SK = 'o#000'`;
  const operation = 'ExecuteStatement';
  const previewed = await post('preview', { operation, input: { Statement: update } });
  expect(previewed).toMatchObject({ status: 200, body: { ok: true, items: [{ new: { Note: { S: 'y' } } }] } });
  expect(await post('preview', { statement: update })).toEqual(previewed);
});
