import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serviceLimits } from '../../values/limits.ts';
import { hashedStoreKey } from '../layout/partition-hash.ts';
import { spaceStart, storeKey } from '../layout/spaces.ts';
import { PartitionMap } from './partition-map.ts';
import { splitPoint } from './split-point.ts';

const space = 256;
const options = { limits: serviceLimits, throttles: false };
const keyOf = (partitionKey: string, sortKey = ''): Buffer => hashedStoreKey(space, partitionKey, Buffer.from(sortKey));

/** Whether the ranges are ascending, begin at zero and each end where the next begins. */
function isCover(map: PartitionMap): boolean {
  const placed = map.placed();
  return placed.every(({ partition, to }, at) => {
    const next = placed[at + 1]?.partition.from;
    const begins = at > 0 || partition.from.equals(Buffer.alloc(16));
    return (
      begins && (next === undefined ? to === undefined : to?.equals(next) === true && partition.from.compare(to) < 0)
    );
  });
}

describe('partitions', () => {
  it('DB-003 DB-080 DB-086: stay disjoint and complete, and never become fewer, however they are split', () => {
    const change = fc.record({
      key: fc.integer({ min: 0, max: 5 }),
      sortKey: fc.integer({ min: 0, max: 3 }),
      sampled: fc.nat(40),
      wholeCollections: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(change, { maxLength: 40 }), (count, changes) => {
        const map = new PartitionMap(count, options, 0);
        for (const { key, sortKey, sampled, wholeCollections } of changes) {
          const place = keyOf(`k${key}`, `s${sortKey}`);
          const before = map.length;
          const partition = map.find(place);
          for (let n = 0; n < sampled; n += 1) partition.sample(place.subarray(4));
          const parts = map.split(partition, wholeCollections, 0);
          expect(map.length).toBe(before + (parts.length === 0 ? 0 : 1));
          expect(isCover(map)).toBe(true);
        }
        for (let n = 0; n < 50; n += 1) {
          const key = keyOf(`k${n % 6}`, `s${n}`);
          const holders = map
            .placed()
            .filter(
              ({ partition, to }) =>
                partition.from.compare(key, 4) <= 0 && (to === undefined || to.compare(key, 4) > 0),
            );
          expect(holders.map(({ partition }) => partition)).toEqual([map.find(key)]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('DB-081: spread random keys evenly, and always find the same one for a key', () => {
    const map = new PartitionMap(16, options, 0);
    const counts = new Map<unknown, number>();
    for (let n = 0; n < 16_000; n += 1) {
      const partition = map.find(keyOf(`customer-${n}`));
      expect(map.find(keyOf(`customer-${n}`, 'any'))).toBe(partition);
      counts.set(partition, (counts.get(partition) ?? 0) + 1);
    }
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
    expect(counts.size).toBe(16);
    expect(chiSquare).toBeLessThan(37.7); // 15 degrees of freedom, one in a thousand
  });

  it('DB-086: cut off one key in demand, then nothing more', () => {
    const map = new PartitionMap(1, options, 0);
    const hot = keyOf('hot', 'item');
    const heat = (): boolean => {
      for (let n = 0; n < 64; n += 1) map.find(hot).sample(hot.subarray(4));
      return map.split(map.find(hot), false, 0).length > 0;
    };
    expect([heat(), heat(), heat()]).toEqual([true, true, false]);
    expect(map.length).toBe(3);
    expect(map.find(keyOf('hot', 'item2'))).not.toBe(map.find(hot));
    expect(map.find(keyOf('hot', 'ite'))).not.toBe(map.find(hot));
  });

  it('DB-079 DB-086: never cut an item collection where there is a local index', () => {
    const map = new PartitionMap(1, options, 0);
    const items = Array.from({ length: 64 }, (_, n) => keyOf('hot', `item${n}`));
    for (let round = 0; round < 5; round += 1) {
      const partition = map.find(items[0]!);
      for (const item of items) partition.sample(item.subarray(4));
      map.split(partition, true, 0);
    }
    expect(map.length).toBe(3); // the keys before, the collection, and the keys after
    expect(new Set(items.map((item) => map.find(item))).size).toBe(1);
  });

  it('DB-078: cut an item collection where there is none', () => {
    const map = new PartitionMap(1, options, 0);
    const items = Array.from({ length: 64 }, (_, n) => keyOf('hot', `item${10 + n}`));
    for (const item of items) map.find(item).sample(item.subarray(4));
    map.split(map.find(items[0]!), false, 0);
    const sides = items.map((item) => map.find(item));
    expect(new Set(sides).size).toBe(2);
    expect(sides.filter((side) => side === sides[0])).toHaveLength(32);
  });

  it('DB-080: become more for a raised throughput, up to a limit', () => {
    const map = new PartitionMap(4, { ...options, limits: { ...serviceLimits, partitionCountMax: 10 } }, 0);
    map.growTo(7, 0);
    expect(map.length).toBe(7);
    map.growTo(3, 0);
    expect(map.length).toBe(7);
    map.growTo(100, 0);
    expect(map.length).toBe(10);
    expect(map.split(map.find(keyOf('any')), false, 0)).toEqual([]);
    expect(isCover(map)).toBe(true);
  });

  it('spread bytes by width', () => {
    const map = new PartitionMap(4, options, 0);
    map.addEvenly(1000);
    expect(map.placed().map(({ partition }) => partition.bytes)).toEqual([250, 250, 250, 250]);
    map.split(map.find(storeKey(space)), false, 0);
    expect(map.placed().map(({ partition }) => partition.bytes)).toEqual([125, 125, 250, 250, 250]);
    map.addEvenly(-2000);
    expect(map.placed().every(({ partition }) => partition.bytes === 0)).toBe(true);
  });

  it('tell which of them a range of keys touches', () => {
    const map = new PartitionMap(4, options, 0);
    const at = (first: number): Buffer => storeKey(space, Buffer.alloc(16, first));
    expect(map.covering(spaceStart(space), spaceStart(space + 1))).toHaveLength(4);
    expect(map.covering(at(0x10), at(0x20))).toHaveLength(1);
    expect(map.covering(at(0x3f), at(0x41))).toHaveLength(2);
    expect(map.covering(at(0xff), spaceStart(space + 1))).toHaveLength(1);
  });
});

describe('where a partition is cut', () => {
  const hash = (first: number): Buffer => Buffer.concat([Uint8Array.of(first), Buffer.alloc(15)]);
  const whole = { from: hash(0), to: undefined };

  it('in the middle of its hashes when nothing is known', () => {
    expect(splitPoint(whole, [], false)).toEqual({ at: hash(0x80), shareBefore: 0.5 });
    expect(splitPoint({ from: hash(0x80), to: hash(0xc0) }, [], true)?.at).toEqual(hash(0xa0));
  });

  it('so that demand divides evenly', () => {
    const samples = [1, 1, 1, 1, 2, 3, 4, 5].map(hash);
    const justAfterOne = Buffer.concat([hash(1).subarray(0, 15), Uint8Array.of(1)]);
    expect(splitPoint(whole, samples, true)).toEqual({ at: justAfterOne, shareBefore: 0.5 });
  });

  it('in the middle when what is in demand is elsewhere', () => {
    expect(
      splitPoint(
        { from: hash(0x80), to: hash(0xc0) },
        Array.from({ length: 8 }, () => hash(1)),
        false,
      )?.at,
    ).toEqual(hash(0xa0));
  });

  it('nowhere within one hash', () => {
    const one = { from: hash(7), to: Buffer.concat([hash(7).subarray(0, 15), Uint8Array.of(1)]) };
    expect(splitPoint(one, [], true)).toBeUndefined();
  });
});
