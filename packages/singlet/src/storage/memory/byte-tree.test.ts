import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hex } from '../testing/store-probe.ts';
import { SeededRandom } from '../testing/seeded-random.ts';
import { ByteTree } from './byte-tree.ts';

const everything: { from: Uint8Array; to: Uint8Array } = { from: new Uint8Array(0), to: new Uint8Array(64).fill(0xff) };

/** A key that sorts as its number does, behind `prefixBytes` equal bytes. */
function numbered(number: number, prefixBytes = 0): Uint8Array {
  const key = new Uint8Array(prefixBytes + 4);
  new DataView(key.buffer).setUint32(prefixBytes, number);
  return key;
}

function entriesOf(tree: ByteTree, { from, to } = everything): string[] {
  const entries: string[] = [];
  tree.ascend(from, to, (key, value) => entries.push(`${hex(key)}=${hex(value)}`) > 0);
  return entries;
}

function shuffle<T>(items: readonly T[], random: SeededRandom): T[] {
  return items
    .map((item) => ({ item, order: random.next() }))
    .toSorted((left, right) => left.order - right.order)
    .map(({ item }) => item);
}

describe('ByteTree', () => {
  // Behind 0 bytes the numbers decide, behind 4 the numbers and the keys, behind 20 the keys alone.
  const arrivals = { ascending: 1, descending: -1, random: 0 } as const;
  test.each([0, 4, 20].flatMap((prefix) => Object.keys(arrivals).map((arrival) => [prefix, arrival] as const)))(
    'holds 8,000 keys behind %i equal bytes, arriving %s, and lets them go again',
    (prefix, arrival) => {
      const random = new SeededRandom(prefix);
      const ascending = Array.from({ length: 8_000 }, (_, index) => numbered(index * 7, prefix));
      const keys = { ascending, descending: ascending.toReversed(), random: shuffle(ascending, random) }[
        arrival as keyof typeof arrivals
      ];
      const tree = new ByteTree();
      for (const key of keys) tree.set(key, key.subarray(prefix));
      expect(tree.size).toBe(keys.length);
      expect(keys.every((key) => tree.get(key)?.at(-1) === key.at(-1))).toBe(true);
      expect(tree.get(numbered(3, prefix))).toBeUndefined();
      expect(entriesOf(tree)).toEqual(ascending.map((key) => `${hex(key)}=${hex(key.subarray(prefix))}`));

      const order = shuffle(keys, random);
      order.forEach((key, index) => {
        if (index === order.length / 2) expect(entriesOf(tree)).toHaveLength(order.length / 2);
        if (!tree.delete(key)) throw new TypeError(`lost ${hex(key)}`);
      });
      expect(tree.size).toBe(0);
      expect(entriesOf(tree)).toEqual([]);
      expect(tree.delete(numbered(0, prefix))).toBe(false);
    },
  );

  test('replaces a value without keeping the new key', () => {
    const tree = new ByteTree();
    const first = numbered(1);
    tree.set(first, numbered(10));
    const again = numbered(1);
    tree.set(again, numbered(20));
    again.fill(9);
    expect(tree.size).toBe(1);
    expect(entriesOf(tree)).toEqual(['00000001=00000014']);
  });

  test('sorts keys of any length, however short', () => {
    const keys = ['', '00', '0000', '00000000', '000000000000', '00000000000000', '00000001', '01', 'ff', 'ffff'];
    const tree = new ByteTree();
    for (const key of keys.toReversed()) tree.set(Buffer.from(key, 'hex'), new Uint8Array(0));
    expect(entriesOf(tree)).toEqual(keys.map((key) => `${key}=`));
  });

  test('goes down the same entries that it goes up, from any bound to any bound', () => {
    const tree = new ByteTree();
    for (let number = 0; number < 3_000; number += 1) tree.set(numbered(number * 2), numbered(number));
    for (const [from, to] of [
      [0, 6_000],
      [1, 5_999],
      [777, 778],
      [778, 779],
      [100, 4_321],
      [5_998, 9_000],
      [7_000, 9_000],
    ]) {
      const bounds = { from: numbered(from ?? 0), to: numbered(to ?? 0) };
      const down: string[] = [];
      const ended = tree.descend(bounds.from, bounds.to, (key, value) => down.push(`${hex(key)}=${hex(value)}`) > 0);
      expect(ended).toBe(true);
      expect(down.toReversed()).toEqual(entriesOf(tree, bounds));
      const expected = Array.from({ length: 3_000 }, (_, index) => index * 2).filter(
        (number) => number >= (from ?? 0) && number < (to ?? 0),
      );
      expect(down).toHaveLength(expected.length);
    }
  });

  test('says whether it reached the end', () => {
    const tree = new ByteTree();
    for (let number = 0; number < 500; number += 1) tree.set(numbered(number), numbered(number));
    for (const stopAt of [1, 63, 64, 65, 499, 500]) {
      let count = 0;
      const visit = (): boolean => (count += 1) < stopAt;
      expect(tree.ascend(everything.from, everything.to, visit)).toBe(false);
      expect(count).toBe(stopAt);
      count = 0;
      expect(tree.descend(everything.from, everything.to, visit)).toBe(false);
      expect(count).toBe(stopAt);
    }
    expect(tree.ascend(everything.from, everything.to, () => true)).toBe(true);
  });

  test('forks into trees that change independently of each other, in any history', () => {
    const operation = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ kind: fc.constant('set'), tree: fc.nat(3), from: fc.nat(400), count: fc.nat(150) }),
      },
      {
        weight: 4,
        arbitrary: fc.record({ kind: fc.constant('delete'), tree: fc.nat(3), from: fc.nat(400), count: fc.nat(150) }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant('fork'), tree: fc.nat(3), from: fc.nat(3), count: fc.constant(0) }),
      },
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 30 }), (history) => {
        const trees = Array.from({ length: 4 }, () => ({ tree: new ByteTree(), model: new Map<number, number>() }));
        history.forEach(({ kind, tree, from, count }, step) => {
          const target = trees[tree]!;
          if (kind === 'fork') {
            trees[from] = { tree: target.tree.fork(), model: new Map(target.model) };
            return;
          }
          for (let number = from; number < from + count; number += 1) {
            if (kind === 'set') {
              target.tree.set(numbered(number, 4), numbered(step));
              target.model.set(number, step);
            } else {
              expect(target.tree.delete(numbered(number, 4))).toBe(target.model.delete(number));
            }
          }
        });
        for (const { tree, model } of trees) {
          expect(tree.size).toBe(model.size);
          const expected = [...model].toSorted(([left], [right]) => left - right);
          expect(entriesOf(tree)).toEqual(
            expected.map(([number, step]) => `${hex(numbered(number, 4))}=${hex(numbered(step))}`),
          );
        }
      }),
      { numRuns: 150 },
    );
  });

  test('forks a large tree without copying it', () => {
    const tree = new ByteTree();
    for (let number = 0; number < 100_000; number += 1) tree.set(numbered(number), numbered(number));
    const forks = Array.from({ length: 10_000 }, () => tree.fork());
    tree.set(numbered(5), numbered(77));
    expect(forks.every((fork) => fork.size === 100_000)).toBe(true);
    expect(hex(forks[0]?.get(numbered(5)) ?? new Uint8Array(0))).toBe(hex(numbered(5)));
    expect(hex(tree.get(numbered(5)) ?? new Uint8Array(0))).toBe(hex(numbered(77)));
  });
});
