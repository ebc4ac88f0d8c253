import { describe, expect, test } from 'vitest';
import { describeRequest } from './describe-request.ts';

function describedAs(operation: string, input: Record<string, unknown>, keyNames = ['PK', 'SK']): readonly string[] {
  return describeRequest({ operation, input, latencyMs: 1 }, keyNames);
}

describe('a request in words', () => {
  test('a query, with names and values in place of their placeholders', () => {
    const input = {
      TableName: 'Shop',
      IndexName: 'GSI1',
      KeyConditionExpression: '#key = :order AND SK < :b',
      FilterExpression: '#ttl > :now',
      ExpressionAttributeNames: { '#key': 'GSI1PK', '#ttl': 'TTL' },
      ExpressionAttributeValues: { ':order': 'ORDER#1', ':b': { S: 'typed' }, ':now': { N: '17' } },
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: 11,
    };
    expect(describedAs('Query', input)).toEqual([
      'Query on Shop, index GSI1',
      'GSI1PK = "ORDER#1" AND SK < "typed"',
      'only TTL > 17',
      'descending',
      'strongly consistent',
      'at most 11',
    ]);
  });

  test('an update, with a name that is no word in quotes', () => {
    const input = {
      TableName: 'Shop',
      Key: { PK: 'A', SK: '#B' },
      UpdateExpression: 'SET Addresses.#name = :address',
      ConditionExpression: 'attribute_exists(PK)',
      ExpressionAttributeNames: { '#name': "Parents' House" },
      ExpressionAttributeValues: { ':address': { City: 'Omaha' } },
    };
    expect(describedAs('UpdateItem', input)).toEqual([
      'UpdateItem on Shop',
      'PK = "A", SK = "#B"',
      'SET Addresses."Parents\' House" = {"City":"Omaha"}',
      'if attribute_exists(PK)',
    ]);
  });

  test('a put by its key, typed or not, and a long value cut short', () => {
    const item = { SessionToken: { S: 'x'.repeat(100) }, Username: { S: 'u' } };
    expect(describedAs('PutItem', { TableName: 'Sessions', Item: item }, ['SessionToken'])).toEqual([
      'PutItem on Sessions',
      `SessionToken = "${'x'.repeat(59)}…`,
    ]);
  });

  test('a transaction action by action, the first five', () => {
    const put = { Put: { Item: { PK: 'A', SK: 'A', Name: 'n' }, ConditionExpression: 'attribute_not_exists(PK)' } };
    const check = { ConditionCheck: { Key: { PK: 'A', SK: 'B' }, ConditionExpression: 'attribute_exists(PK)' } };
    const input = { TransactItems: [check, put, put, put, put, put, put] };
    expect(describedAs('TransactWriteItems', input)).toEqual([
      'TransactWriteItems, 7 actions',
      'ConditionCheck  PK = "A", SK = "B"  if attribute_exists(PK)',
      ...Array<string>(4).fill('Put  PK = SK = "A"  if attribute_not_exists(PK)'),
      'and 2 more',
    ]);
  });

  test('a batch write by write', () => {
    const write = { DeleteRequest: { Key: { SessionToken: { S: 't' } } } };
    expect(describedAs('BatchWriteItem', { RequestItems: { Sessions: [write] } }, ['SessionToken'])).toEqual([
      'BatchWriteItem, 1 actions',
      'Delete  SessionToken = "t"',
    ]);
  });

  test('a batch of reads key by key', () => {
    const keys = ['A', 'B'].map((PK) => ({ PK: { S: PK }, SK: { S: '#1' } }));
    expect(describedAs('BatchGetItem', { RequestItems: { Shop: { Keys: keys } } })).toEqual([
      'BatchGetItem, 2 keys',
      'PK = "A", SK = "#1"',
      'PK = "B", SK = "#1"',
    ]);
  });
});
