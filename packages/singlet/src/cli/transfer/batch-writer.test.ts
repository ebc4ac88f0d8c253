import * as sdk from '@aws-sdk/client-dynamodb';
import { once } from 'node:events';
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { writeRecords } from './batch-writer.ts';
import type { TableEndpoint } from './dynamodb-endpoint.ts';
import { acceptRequestTexts } from './request-text.ts';

/**
 * An endpoint that leaves a given number of requests of a batch unprocessed, and refuses items without a number.
 *
 * @param breaks - whether it breaks the connection instead of answering.
 */
async function busyEndpoint(
  unprocessed: number[],
  breaks: (headers: IncomingHttpHeaders) => boolean = () => false,
): Promise<{
  readonly endpoint: TableEndpoint;
  readonly written: string[];
  readonly items: WireItem[];
  readonly sizes: number[];
  readonly requests: { readonly headers: IncomingHttpHeaders; readonly body: Buffer }[];
}> {
  const written: string[] = [];
  const items: WireItem[] = [];
  const sizes: number[] = [];
  const requests: { readonly headers: IncomingHttpHeaders; readonly body: Buffer }[] = [];
  const answerTo = (action: string, input: Input): { readonly status: number; readonly body: object } => {
    const requests = input.RequestItems?.['Table'] ?? [{ PutRequest: { Item: input.Item ?? {} } }];
    if (requests.some(({ PutRequest }) => PutRequest.Item['n'] === undefined)) {
      const type = 'com.amazon.coral.validate#ValidationException';
      return { status: 400, body: { __type: type, message: 'Missing the key n in the item' } };
    }
    const isBatch = action === 'BatchWriteItem';
    if (isBatch) sizes.push(requests.length);
    const left = isBatch ? (unprocessed.shift() ?? 0) : 0;
    for (const { PutRequest } of requests.slice(left)) {
      written.push(PutRequest.Item['n']?.N ?? '');
      items.push(PutRequest.Item);
    }
    return { status: 200, body: left === 0 ? {} : { UnprocessedItems: { Table: requests.slice(0, left) } } };
  };
  const server = createServer((request, response) => {
    void (async () => {
      const action = String(request.headers['x-amz-target']).split('.')[1] ?? '';
      const text = await buffer(request);
      requests.push({ headers: request.headers, body: text });
      if (breaks(request.headers)) return void request.socket.destroy();
      const { status, body } = answerTo(action, JSON.parse(text.toString()) as Input);
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
    })();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = new sdk.DynamoDBClient({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  acceptRequestTexts(client);
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  const table = { TableName: 'Table', KeySchema: [{ AttributeName: 'n', KeyType: 'HASH' as const }] };
  return { endpoint: { sdk, client, table }, written, items, sizes, requests };
}

type WireItem = Readonly<Record<string, { readonly N?: string; readonly B?: string }>>;

interface Input {
  readonly Item?: WireItem;
  readonly RequestItems?: Readonly<Record<string, readonly { readonly PutRequest: { readonly Item: WireItem } }[]>>;
}

const record = (n: string, line = 1): { line: number; item: { n: { N: string } } } => ({ line, item: { n: { N: n } } });

test('what comes back unprocessed is sent again, ever more slowly, until nothing does', async () => {
  const { endpoint, written, sizes } = await busyEndpoint([4, 4, 1]);
  const delays: number[] = [];
  const records = ['1', '2', '3', '4', '5'].map((n) => record(n));
  expect(await writeRecords(endpoint, records, async (delayMs) => delays.push(delayMs))).toEqual([]);
  expect(sizes).toEqual([5, 4, 4, 1]);
  expect(written.toSorted()).toEqual(['1', '2', '3', '4', '5']);
  for (const [at, delayMs] of delays.entries()) {
    expect(delayMs).toBeGreaterThanOrEqual(25 * 2 ** at);
    expect(delayMs).toBeLessThanOrEqual(50 * 2 ** at);
  }
});

test('an item that is refused does not keep the others of its batch from being written', async () => {
  const { endpoint, written } = await busyEndpoint([]);
  const wrong = { line: 7, item: { other: { S: 'x' } } };
  expect(await writeRecords(endpoint, [record('1'), wrong, record('2')])).toEqual([
    { record: wrong, reason: 'Missing the key n in the item' },
  ]);
  expect(written).toEqual(['1', '2']);
});

describe('after the first batch', () => {
  /** The SDK adds an id to each request that it makes itself. */
  const isMadeBySdk = (headers: IncomingHttpHeaders): boolean => headers['amz-sdk-invocation-id'] !== undefined;

  test('requests are made like the first, and signed', async () => {
    const { endpoint, written, requests } = await busyEndpoint([]);
    for (const n of ['1', '2', '3']) expect(await writeRecords(endpoint, [record(n)])).toEqual([]);
    expect(written).toEqual(['1', '2', '3']);
    expect(requests.map(({ headers }) => isMadeBySdk(headers))).toEqual([true, false, false]);
    for (const { headers, body } of requests) expect(headers.authorization).toBe(signatureOf(headers, body));
  });

  test('what does not succeed is sent again in the way of the SDK', async () => {
    const { endpoint, written, requests } = await busyEndpoint([], (headers) => !isMadeBySdk(headers));
    const wrong = { line: 2, item: { other: { S: 'x' } } };
    for (const batch of [[record('1')], [record('2')], [record('3'), wrong]]) await writeRecords(endpoint, batch);
    expect(written).toEqual(['1', '2', '3']);
    // One put for each item of the refused batch.
    expect(requests.map(({ headers }) => isMadeBySdk(headers))).toEqual([true, false, true, false, true, true, true]);
  });

  test('what comes back unprocessed is sent again as it was', async () => {
    const { endpoint, items, sizes } = await busyEndpoint([0, 2]);
    await writeRecords(endpoint, [record('1')]);
    const binary = (n: string) => ({ line: 1, item: { n: { N: n }, b: { B: 'AAH/' } } });
    await writeRecords(endpoint, [binary('2'), binary('3'), binary('4')], async () => undefined);
    expect(sizes).toEqual([1, 3, 2]);
    expect(items.slice(1)).toEqual(['4', '2', '3'].map((n) => binary(n).item));
  });
});

/** Signature Version 4, implemented from its specification. */
function signatureOf(headers: IncomingHttpHeaders, body: Buffer): string {
  const [, scope = '', names = ''] =
    /Credential=local\/([^,]+), SignedHeaders=([^,]+),/.exec(headers.authorization ?? '') ?? [];
  expect(names.split(';')).toEqual(expect.arrayContaining(['host', 'x-amz-date', 'x-amz-target']));
  const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');
  const lines = names.split(';').map((name) => `${name}:${String(headers[name])}\n`);
  const request = ['POST', '/', '', lines.join(''), names, sha256(body)].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(request)].join('\n');
  let key: Buffer = Buffer.from('AWS4local');
  for (const part of scope.split('/')) key = createHmac('sha256', key).update(part).digest();
  const signature = createHmac('sha256', key).update(text).digest('hex');
  return `AWS4-HMAC-SHA256 Credential=local/${scope}, SignedHeaders=${names}, Signature=${signature}`;
}
