import * as sdk from '@aws-sdk/client-dynamodb';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { writeRecords } from './batch-writer.ts';
import type { TableEndpoint } from './dynamodb-endpoint.ts';
import { acceptRequestTexts } from './request-text.ts';

/** An endpoint that leaves so many requests of a batch unprocessed as told, and refuses items without a number. */
async function busyEndpoint(unprocessed: number[]): Promise<{
  readonly endpoint: TableEndpoint;
  readonly written: string[];
  readonly sizes: number[];
}> {
  const written: string[] = [];
  const sizes: number[] = [];
  const answerTo = (action: string, input: Input): { readonly status: number; readonly body: object } => {
    const requests = input.RequestItems?.['Table'] ?? [{ PutRequest: { Item: input.Item ?? {} } }];
    if (requests.some(({ PutRequest }) => PutRequest.Item['n'] === undefined)) {
      const type = 'com.amazon.coral.validate#ValidationException';
      return { status: 400, body: { __type: type, message: 'Missing the key n in the item' } };
    }
    const isBatch = action === 'BatchWriteItem';
    if (isBatch) sizes.push(requests.length);
    const left = isBatch ? (unprocessed.shift() ?? 0) : 0;
    for (const { PutRequest } of requests.slice(left)) written.push(PutRequest.Item['n']?.N ?? '');
    return { status: 200, body: left === 0 ? {} : { UnprocessedItems: { Table: requests.slice(0, left) } } };
  };
  const server = createServer((request, response) => {
    void (async () => {
      const action = String(request.headers['x-amz-target']).split('.')[1] ?? '';
      const { status, body } = answerTo(action, (await json(request)) as Input);
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
  return { endpoint: { sdk, client, table }, written, sizes };
}

type WireItem = Readonly<Record<string, { readonly N?: string }>>;

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
