import * as sdk from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { writeRecords } from './batch-writer.ts';
import type { TableEndpoint } from './dynamodb-endpoint.ts';

/** An endpoint that leaves so many requests of a batch unprocessed as told, and refuses items without a number. */
function busyEndpoint(unprocessed: number[]): {
  readonly endpoint: TableEndpoint;
  readonly written: string[];
  readonly sizes: number[];
} {
  const written: string[] = [];
  const sizes: number[] = [];
  const refuse = (item: sdk.PutItemInput['Item']): void => {
    if (item?.['n'] !== undefined) return;
    throw Object.assign(new Error('Missing the key n in the item'), { name: 'ValidationException' });
  };
  const send = async (command: sdk.BatchWriteItemCommand | sdk.PutItemCommand): Promise<object> => {
    if (command instanceof sdk.PutItemCommand) {
      refuse(command.input.Item);
      written.push(command.input.Item?.['n']?.N ?? '');
      return {};
    }
    const requests = command.input.RequestItems?.['Table'] ?? [];
    for (const { PutRequest } of requests) refuse(PutRequest?.Item);
    sizes.push(requests.length);
    const left = unprocessed.shift() ?? 0;
    for (const { PutRequest } of requests.slice(left)) written.push(PutRequest?.Item?.['n']?.N ?? '');
    return { UnprocessedItems: left === 0 ? {} : { Table: requests.slice(0, left) } };
  };
  const table = { TableName: 'Table', KeySchema: [{ AttributeName: 'n', KeyType: 'HASH' as const }] };
  return { endpoint: { sdk, client: { send } as unknown as sdk.DynamoDBClient, table }, written, sizes };
}

const record = (n: string, line = 1): { line: number; item: { n: { N: string } } } => ({ line, item: { n: { N: n } } });

test('what comes back unprocessed is sent again, ever more slowly, until nothing does', async () => {
  const { endpoint, written, sizes } = busyEndpoint([4, 4, 1]);
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

test('items with one key, however it is written, go one after the other', async () => {
  const { endpoint, written, sizes } = busyEndpoint([]);
  await writeRecords(endpoint, [record('1'), record('2'), record('1.0'), record('3')]);
  expect(sizes).toEqual([2, 2]);
  expect(written).toEqual(['1', '2', '1.0', '3']);
});

test('an item that is refused does not keep the others of its batch from being written', async () => {
  const { endpoint, written } = busyEndpoint([]);
  const wrong = { line: 7, item: { other: { S: 'x' } } };
  expect(await writeRecords(endpoint, [record('1'), wrong, record('2')])).toEqual([
    { record: wrong, reason: 'Missing the key n in the item' },
  ]);
  expect(written).toEqual(['1', '2']);
});
