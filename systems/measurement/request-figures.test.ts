import { describe, expect, test } from 'vitest';
import type { RequestFigures } from './request-figures.ts';
import { capacityByPlace, figuresOf } from './request-figures.ts';

const NOTHING: RequestFigures = { itemsRead: 0, itemsReturned: 0, itemsWritten: 0, readUnits: 0, writeUnits: 0 };
const CONSUMED = {
  TableName: 'Shop',
  CapacityUnits: 3,
  Table: { CapacityUnits: 1 },
  GlobalSecondaryIndexes: { GSI1: { CapacityUnits: 2 } },
};

describe('figures of a request', () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>, Partial<RequestFigures>]>([
    [
      'Query',
      {},
      { Count: 1, ScannedCount: 2, ConsumedCapacity: CONSUMED },
      { itemsRead: 2, itemsReturned: 1, readUnits: 3 },
    ],
    [
      'GetItem',
      {},
      { Item: {}, ConsumedCapacity: { CapacityUnits: 0.5 } },
      { itemsRead: 1, itemsReturned: 1, readUnits: 0.5 },
    ],
    ['GetItem', {}, { ConsumedCapacity: { CapacityUnits: 0.5 } }, { readUnits: 0.5 }],
    [
      'BatchGetItem',
      { RequestItems: { Shop: { Keys: [{}, {}, {}] } } },
      { Responses: { Shop: [{}, {}] }, ConsumedCapacity: [CONSUMED] },
      { itemsRead: 2, itemsReturned: 2, readUnits: 3 },
    ],
    ['PutItem', {}, { ConsumedCapacity: CONSUMED }, { itemsWritten: 1, writeUnits: 3 }],
    [
      'TransactWriteItems',
      { TransactItems: [{ ConditionCheck: {} }, { Put: {} }, { Update: {} }, { Delete: {} }] },
      { ConsumedCapacity: [CONSUMED, CONSUMED] },
      { itemsWritten: 3, writeUnits: 6 },
    ],
    [
      'BatchWriteItem',
      { RequestItems: { Shop: [{}, {}, {}] } },
      { UnprocessedItems: { Shop: [{}] }, ConsumedCapacity: [CONSUMED] },
      { itemsWritten: 2, writeUnits: 3 },
    ],
    ['DeleteItem', {}, {}, { itemsWritten: 1 }],
  ])('%s %j %j', (operation, input, output, expected) => {
    expect(figuresOf({ operation, input, output, latencyMs: 1 })).toEqual({ ...NOTHING, ...expected });
  });

  test('a failed request has none', () => {
    const failed = { operation: 'PutItem', input: {}, errorName: 'ConditionalCheckFailedException', latencyMs: 1 };
    expect(figuresOf(failed)).toEqual(NOTHING);
  });

  test('capacity is summed by table and index', () => {
    expect([...capacityByPlace([CONSUMED, CONSUMED])]).toEqual([
      ['table', 2],
      ['GSI1', 4],
    ]);
    expect([...capacityByPlace(undefined)]).toEqual([]);
  });
});
