import { describe, expect, it } from 'vitest';
import { createRandom } from './random.ts';
import {
  createTableRequest,
  distinctItemIndexes,
  itemIndexOf,
  itemOf,
  itemsPerPartition,
  keyOf,
  loadRequests,
  type TableSpec,
  wholePartitions,
} from './workload.ts';

const table: TableSpec = { name: 'Bench', itemCount: 400, itemBytes: 1024, indexCount: 0, stream: false };

describe('the items', () => {
  it.each([100, 1024, 10 * 1024, 100 * 1024])('are %i bytes of JSON, and each has its own key', (itemBytes) => {
    for (const index of [0, 1, 2, 3, 8999, 9000, 99_999, 9_999_999]) {
      const item = itemOf({ itemBytes }, index);
      expect(Buffer.byteLength(JSON.stringify(item))).toBe(itemBytes);
      expect(item).toMatchObject(keyOf(index));
      expect(itemIndexOf(item)).toBe(index);
    }
  });

  it('have twelve attributes, and another version keeps the length', () => {
    const [first, second] = [itemOf(table, 5), itemOf(table, 5, 9)];
    expect(Object.keys(first)).toHaveLength(12);
    expect(second).toEqual({ ...first, Version: { N: '9' } });
  });

  it('are not smaller than their keys, and not larger than the text there is', () => {
    expect(() => itemOf({ itemBytes: 50 }, 0)).toThrow(/100 to 102400 bytes; not 50/);
    expect(() => itemOf({ itemBytes: 200_000 }, 0)).toThrow(/not 200000/);
  });

  it('lie together in partitions', () => {
    expect(keyOf(itemsPerPartition - 1)['PK']).toEqual(keyOf(0)['PK']);
    expect(keyOf(itemsPerPartition)['PK']).not.toEqual(keyOf(0)['PK']);
    const sortKeys = Array.from({ length: itemsPerPartition }, (_, index) => JSON.stringify(keyOf(index)['SK']));
    expect(new Set(sortKeys).size).toBe(itemsPerPartition);
    expect([1, 200, 201].map(wholePartitions)).toEqual([200, 200, 400]);
  });

  it('knows no index of what is not a key', () => {
    expect(itemIndexOf({ PK: { S: 'CUSTOMER#1' } })).toBeUndefined();
    expect(itemIndexOf({ PK: { S: 'x' }, SK: { S: 'ORDER#1' } })).toBeUndefined();
  });
});

describe('a table', () => {
  it('has the indexes and the stream that were asked for, and declares their keys once', () => {
    const request = createTableRequest({ ...table, indexCount: 5, stream: true }) as {
      AttributeDefinitions: { AttributeName: string; AttributeType: string }[];
      GlobalSecondaryIndexes: unknown[];
      StreamSpecification: unknown;
    };
    expect(request.GlobalSecondaryIndexes).toHaveLength(5);
    expect(request.AttributeDefinitions.map((each) => each.AttributeName)).toEqual([
      'PK',
      'SK',
      'OrderId',
      'Status',
      'Type',
      'Amount',
    ]);
    expect(request.StreamSpecification).toEqual({ StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' });
    expect(createTableRequest(table)).not.toHaveProperty('GlobalSecondaryIndexes');
    expect(createTableRequest(table)).not.toHaveProperty('StreamSpecification');
  });

  it('is loaded whole, the last batch shorter', () => {
    const batches = [...loadRequests({ ...table, itemCount: 60 })].map(
      (each) => (each as { RequestItems: Record<string, unknown[]> }).RequestItems['Bench'] ?? [],
    );
    expect(batches.map((batch) => batch.length)).toEqual([25, 25, 10]);
    expect(new Set(batches.flat().map((put) => JSON.stringify(put))).size).toBe(60);
  });
});

describe('random keys', () => {
  it('repeats for the same seed, stays within the bound and reaches both ends', () => {
    const draw = (seed: number): number[] => {
      const random = createRandom(seed);
      return Array.from({ length: 2000 }, () => random(10));
    };
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
    expect(new Set(draw(3))).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
  });

  it('never names an item twice in one request', () => {
    expect(new Set(distinctItemIndexes(createRandom(5), 30, 25)).size).toBe(25);
  });
});
