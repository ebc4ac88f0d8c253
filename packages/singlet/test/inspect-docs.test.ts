/** The examples of docs/inspect.md: each command is sent, and its answer must have the same form as the documented one. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type Database, type DatabaseServer, serve } from '../src/index.ts';

interface Example {
  readonly title: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly answer: unknown;
}

const text = readFileSync(new URL('../../../docs/inspect.md', import.meta.url), 'utf8');
const pattern = /```\n(curl [^\n]+)\n```\n\n```json\n([\s\S]*?)\n```/g;
const examples: readonly Example[] = Array.from(text.matchAll(pattern), ([, command = '', answer = '']) =>
  exampleOf(command, answer),
);

let database: Database;
let server: DatabaseServer;

beforeAll(async () => {
  database = await createDatabase({ inspection: { logRequests: true } });
  await database.request('CreateTable', {
    TableName: 'Orders',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['PK', 'SK', 'GSI1PK'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: [
      { AttributeName: 'PK', KeyType: 'HASH' },
      { AttributeName: 'SK', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'GSI1',
        KeySchema: [{ AttributeName: 'GSI1PK', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
  await database.request('UpdateTimeToLive', {
    TableName: 'Orders',
    TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
  });
  for (const [SK, GSI1PK, Amount] of [
    ['#ORDER#1', 'STATUS#PLACED', '58.2'],
    ['#ORDER#2', 'STATUS#PLACED', '167.5'],
    ['CUSTOMER#ada', undefined, undefined],
  ] as const) {
    await database.request('PutItem', {
      TableName: 'Orders',
      Item: {
        PK: { S: 'CUSTOMER#ada' },
        SK: { S: SK },
        ...(GSI1PK !== undefined && { GSI1PK: { S: GSI1PK }, Amount: { N: Amount } }),
      },
    });
  }
  server = await serve(database);
  const { status } = await fetch(server.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.Query',
      authorization: 'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, Signature=x',
    },
    body: JSON.stringify({
      TableName: 'Orders',
      IndexName: 'GSI1',
      KeyConditionExpression: 'GSI1PK = :status',
      ExpressionAttributeValues: { ':status': { S: 'STATUS#PLACED' } },
    }),
  });
  expect(status).toBe(200);
});

afterAll(async () => {
  await server.close();
  await database.close();
});

test('every example is a command and its answer', () => {
  expect(examples).toHaveLength(text.split('\ncurl ').length - 1);
  expect(examples.length).toBeGreaterThan(1);
});

test.each(examples)('$title', async ({ method, url, headers, body, answer }) => {
  const response = await fetch(url.replace('http://127.0.0.1:8000', server.url), {
    method,
    headers,
    ...(body !== undefined && { body }),
  });
  const sent = await response.text();
  expect(response.status, sent).toBe(200);
  expect(formOf(JSON.parse(sent))).toEqual(formOf(answer));
});

/** `curl URL [-X METHOD] [-H 'NAME: VALUE']… [-d 'BODY'] [--data-urlencode 'NAME=VALUE']`. */
function exampleOf(command: string, answer: string): Example {
  const words = Array.from(command.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, plain]) => quoted ?? plain ?? '');
  const after = (flag: string): readonly string[] => words.filter((_, at) => words[at - 1] === flag);
  const encoded = after('--data-urlencode').map((pair) => pair.split('=', 2) as [string, string]);
  const query = encoded.length === 0 ? '' : `?${new URLSearchParams(encoded).toString()}`;
  const url = `${words.find((word) => word.startsWith('http://')) ?? ''}${query}`;
  const headers = after('-H').map((header) => header.split(': ', 2) as [string, string]);
  const [body] = after('-d');
  const [method = body === undefined ? 'GET' : 'POST'] = after('-X');
  return {
    title: `${method} ${url.slice(url.indexOf('/_singlet'))}`,
    method,
    url,
    headers: Object.fromEntries(headers),
    body,
    answer: JSON.parse(answer) as unknown,
  };
}

/** The members of an answer and the types of their values; for a list, those of its first element. */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [formOf(value[0])];
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, formOf(member)]),
  );
}
