import { describe, expect, it } from 'vitest';
import { createRandom } from './random.ts';
import { distinctItemIndexes, itemOf, itemTextBytes, keyOf, loadRequest, tableName } from './workload.ts';

describe('the items', () => {
  it.each([0, 1, 2, 3, 8999, 9000, 99_999, 9_999_999])(
    'item %i is 1,024 bytes of JSON and carries its own key',
    (index) => {
      const item = itemOf(index);
      expect(Buffer.byteLength(JSON.stringify(item))).toBe(itemTextBytes);
      expect(item).toMatchObject(keyOf(index));
      expect(Object.keys(item)).toHaveLength(12);
    },
  );

  it('keeps twenty items in a partition', () => {
    expect(keyOf(19)['PK']).toEqual(keyOf(0)['PK']);
    expect(keyOf(20)['PK']).not.toEqual(keyOf(0)['PK']);
    expect(new Set(Array.from({ length: 20 }, (_, index) => JSON.stringify(keyOf(index)['SK']))).size).toBe(20);
  });

  it('loads the last, shorter batch', () => {
    const request = loadRequest(50, 60) as { RequestItems: Record<string, unknown[]> };
    expect(request.RequestItems[tableName]).toHaveLength(10);
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
