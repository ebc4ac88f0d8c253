import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hex } from '../testing/store-probe.ts';
import { SeededRandom } from '../../randomness/seeded-random.ts';
import { ByteTree } from './byte-tree.ts';

const everything: { from: Uint8Array; to: Uint8Array } = { from: new Uint8Array(0), to: new Uint8Array(64).fill(0xff) };

/** A key that sorts as its number does, after `prefixBytes` equal bytes. */
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

function set(tree: ByteTree, key: Uint8Array, value: Uint8Array): void {
  tree.write([{ key, value }]);
}

function remove(tree: ByteTree, key: Uint8Array): void {
  tree.write([{ key, value: undefined }]);
}

function shuffle<T>(items: readonly T[], random: SeededRandom): T[] {
  return items
    .map((item) => ({ item, order: random.next() }))
    .toSorted((left, right) => left.order - right.order)
    .map(({ item }) => item);
}

describe('ByteTree', () => {
  // After 0 bytes the numbers decide, after 4 the numbers and the keys, after 20 the keys alone.
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
      for (const key of keys) set(tree, key, key.subarray(prefix));
      expect(tree.size).toBe(keys.length);
      expect(keys.every((key) => tree.get(key)?.at(-1) === key.at(-1))).toBe(true);
      expect(tree.get(numbered(3, prefix))).toBeUndefined();
      expect(entriesOf(tree)).toEqual(ascending.map((key) => `${hex(key)}=${hex(key.subarray(prefix))}`));

      const order = shuffle(keys, random);
      order.forEach((key, index) => {
        if (index === order.length / 2) expect(entriesOf(tree)).toHaveLength(order.length / 2);
        remove(tree, key);
        expect(tree.size).toBe(order.length - index - 1);
      });
      expect(tree.size).toBe(0);
      expect(entriesOf(tree)).toEqual([]);
      remove(tree, numbered(0, prefix));
      expect(tree.size).toBe(0);
    },
  );

  test('replaces a value without keeping the new key', () => {
    const tree = new ByteTree();
    const first = numbered(1);
    set(tree, first, numbered(10));
    const again = numbered(1);
    set(tree, again, numbered(20));
    again.fill(9);
    expect(tree.size).toBe(1);
    expect(entriesOf(tree)).toEqual(['00000001=00000014']);
  });

  test('sorts keys of any length, however short', () => {
    const keys = ['', '00', '0000', '00000000', '000000000000', '00000000000000', '00000001', '01', 'ff', 'ffff'];
    const tree = new ByteTree();
    for (const key of keys.toReversed()) set(tree, Buffer.from(key, 'hex'), new Uint8Array(0));
    expect(entriesOf(tree)).toEqual(keys.map((key) => `${key}=`));
  });

  test('goes down the same entries that it goes up, from any bound to any bound', () => {
    const tree = new ByteTree();
    for (let number = 0; number < 3_000; number += 1) set(tree, numbered(number * 2), numbered(number));
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
    for (let number = 0; number < 500; number += 1) set(tree, numbered(number), numbered(number));
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

  test('is a sorted map, whatever is written to it, and what it handed out stays as it was', () => {
    const write = fc.record({
      number: fc.nat(600),
      count: fc.integer({ min: 1, max: 40 }),
      bytes: fc.option(fc.oneof(fc.nat(40), fc.nat(3_000), fc.constant(70_000)), { freq: 3 }),
    });
    fc.assert(
      fc.property(fc.array(write, { maxLength: 60 }), (history) => {
        const tree = new ByteTree();
        const model = new Map<number, Uint8Array>();
        const seen: { readonly view: Uint8Array; readonly was: string }[] = [];
        history.forEach(({ number, count, bytes }, step) => {
          const view = tree.get(numbered(number, 4));
          if (view !== undefined) seen.push({ view, was: hex(view) });
          const numbers = Array.from({ length: count }, (_, index) => number + index);
          const value = bytes === null ? undefined : new Uint8Array(bytes).fill(step);
          tree.write(numbers.map((each) => ({ key: numbered(each, 4), value })));
          for (const each of numbers) {
            if (value === undefined) model.delete(each);
            else model.set(each, value);
          }
        });
        expect(tree.size).toBe(model.size);
        const expected = [...model].toSorted(([left], [right]) => left - right);
        expect(entriesOf(tree)).toEqual(expected.map(([number, value]) => `${hex(numbered(number, 4))}=${hex(value)}`));
        for (const { view, was } of seen) expect(hex(view)).toBe(was);
      }),
      { numRuns: 100 },
    );
  });

  test('writes all, or nothing where there is no memory', () => {
    const tree = new ByteTree();
    set(tree, numbered(1), numbered(10));
    const huge = Object.defineProperty(new Uint8Array(1), 'length', { value: 2 ** 50 });
    const writes = [
      { key: numbered(1), value: undefined },
      { key: numbered(2), value: numbered(20) },
      { key: numbered(3), value: huge },
    ];
    expect(() => tree.write(writes)).toThrow('there is no memory left for data');
    expect(entriesOf(tree)).toEqual(['00000001=0000000a']);
    set(tree, numbered(2), numbered(20));
    expect(entriesOf(tree)).toEqual(['00000001=0000000a', '00000002=00000014']);
  });
});
