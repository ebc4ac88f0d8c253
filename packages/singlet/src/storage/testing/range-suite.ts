import { describe, expect, test } from 'vitest';
import { compareBytes } from '../byte-order.ts';
import type { StoreValue } from '../store.ts';
import type { FixtureAccess } from './store-fixture.ts';
import { bytes, entriesOf, hex, keysOf, put, testKey, valueText, wholeSpace } from './store-probe.ts';

/** Ordering, bounds, limits and early stops of `range`. */
export function rangeSuite({ store }: FixtureAccess): void {
  /** Keys of one partition of space 1, with these single bytes after the prefix. */
  const fill = async (...rests: readonly number[]): Promise<void> =>
    put(store(), ...rests.map((rest) => ({ key: testKey(1, 1, [rest]), value: bytes(`v${rest}`) })));

  /** The bytes after the prefix that a range visits. */
  const visited = async (from: number, to: number, reverse: boolean): Promise<readonly number[]> => {
    const keys = await keysOf(store(), { from: testKey(1, 1, [from]), to: testKey(1, 1, [to]), reverse });
    return keys.map((key) => Number.parseInt(key.slice(40), 16));
  };

  describe('range', () => {
    test('visits keys in unsigned byte order, a prefix before what continues it', async () => {
      const rests = [
        [],
        [0],
        [0, 0],
        [0, 1],
        [1],
        [0x7f],
        [0x7f, 0xff],
        [0x80],
        [0x80, 0],
        [0xfe, 0xff],
        [0xff],
        [0xff, 0xff],
      ];
      const keys = [0, 1, 0x7f, 0x80, 0xff].flatMap((partition) => rests.map((rest) => testKey(1, partition, rest)));
      const shuffled = keys.toSorted(
        (left, right) => hex(left).length - hex(right).length || compareBytes(right, left),
      );
      await put(store(), ...shuffled.map((key) => ({ key, value: bytes('x') })));

      // Hexadecimal digits sort as the bytes they represent, so this order does not come from our own comparison.
      const ascending = keys.map(hex).toSorted();
      expect(await keysOf(store(), wholeSpace(1))).toEqual(ascending);
      expect(await keysOf(store(), { ...wholeSpace(1), reverse: true })).toEqual(ascending.toReversed());
    });

    test('orders by space before partition, over all 32 bits', async () => {
      const spaces = [0, 1, 0xff, 0x100, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe];
      await put(store(), ...spaces.map((space, index) => ({ key: testKey(space, 200 - index), value: bytes('x') })));
      const seen = await keysOf(store(), { from: new Uint8Array(0), to: new Uint8Array(4).fill(0xff) });
      expect(seen.map((key) => Number.parseInt(key.slice(0, 8), 16))).toEqual(spaces);
    });

    test('tells partitions apart that differ in a single late bit', async () => {
      const keys = Array.from({ length: 16 * 8 }, (_, bit) => {
        const key = testKey(1, 0);
        key[4 + (bit >> 3)] = 0x80 >> (bit & 7);
        return key;
      });
      await put(store(), ...keys.map((key) => ({ key, value: bytes('x') })));
      expect(await keysOf(store(), wholeSpace(1))).toEqual(keys.map(hex).toSorted());
    });

    test.each([false, true])('includes `from` and excludes `to` (reverse: %s)', async (reverse) => {
      await fill(10, 20, 30, 40);
      const expected = (ascending: readonly number[]): readonly number[] =>
        reverse ? ascending.toReversed() : ascending;
      expect(await visited(20, 40, reverse)).toEqual(expected([20, 30]));
      expect(await visited(19, 41, reverse)).toEqual(expected([20, 30, 40]));
      expect(await visited(21, 39, reverse)).toEqual(expected([30]));
      expect(await visited(10, 11, reverse)).toEqual([10]);
      expect(await visited(0, 10, reverse)).toEqual([]);
      expect(await visited(0, 255, reverse)).toEqual(expected([10, 20, 30, 40]));
      expect(await visited(41, 255, reverse)).toEqual([]);
      expect(await visited(31, 39, reverse)).toEqual([]);
    });

    test.each([false, true])('has nothing in an empty or inverted range (reverse: %s)', async (reverse) => {
      await fill(10, 20, 30);
      expect(await visited(20, 20, reverse)).toEqual([]);
      expect(await visited(30, 10, reverse)).toEqual([]);
      const nothing = { from: new Uint8Array(0), to: new Uint8Array(0), reverse };
      expect(await entriesOf(store(), nothing)).toEqual({ end: 'end', entries: [] });
    });

    test.each([false, true])('has nothing in an empty store (reverse: %s)', async (reverse) => {
      const everything = { from: new Uint8Array(0), to: new Uint8Array(30).fill(0xff), reverse };
      expect(await entriesOf(store(), everything)).toEqual({ end: 'end', entries: [] });
    });

    test.each([1, 3, 4, 5])('visits as many entries as its limit says, however large (limit: %i)', async (limit) => {
      const value = new Uint8Array(400_000).fill(7);
      const keys = [1, 2, 3, 4, 5].map((rest) => testKey(1, 1, Uint8Array.of(rest)));
      for (const key of keys) await put(store(), { key, value });
      const visited = await keysOf(store(), { ...wholeSpace(1), limit });
      expect(visited).toEqual(keys.slice(0, limit).map(hex));
    });

    test.each([false, true])('takes bounds shorter than a partition prefix (reverse: %s)', async (reverse) => {
      await put(store(), ...[1, 2, 3].map((space) => ({ key: testKey(space, 7), value: bytes(`s${space}`) })));
      expect(await keysOf(store(), { ...wholeSpace(2), reverse })).toEqual([hex(testKey(2, 7))]);
      const fromStart = { from: new Uint8Array(0), to: testKey(2, 7), reverse };
      expect(await keysOf(store(), fromStart)).toEqual([hex(testKey(1, 7))]);
    });

    test.each([false, true])('takes bounds longer than any key (reverse: %s)', async (reverse) => {
      const { keyBytesMax } = store().manifest;
      const longest = testKey(1, 1, new Uint8Array(keyBytesMax - 20).fill(5));
      await put(store(), { key: longest, value: bytes('x') });
      const beyond = (length: number): Uint8Array => {
        const bound = new Uint8Array(length).fill(5);
        bound.set(longest);
        return bound;
      };
      for (const length of [keyBytesMax + 1, keyBytesMax + 2, keyBytesMax + 5_000]) {
        // Such a bound continues the longest key, so it sorts after it.
        expect(await keysOf(store(), { from: longest, to: beyond(length), reverse })).toEqual([hex(longest)]);
        expect(await keysOf(store(), { from: beyond(length), to: wholeSpace(1).to, reverse })).toEqual([]);
      }
    });

    test('separates a key from its direct successor', async () => {
      const key = testKey(1, 1, [9]);
      const successor = testKey(1, 1, [9, 0]);
      await put(store(), { key, value: bytes('a') }, { key: successor, value: bytes('b') });
      expect(await keysOf(store(), { from: key, to: successor })).toEqual([hex(key)]);
      expect(await keysOf(store(), { from: successor, to: wholeSpace(1).to })).toEqual([hex(successor)]);
    });

    test.each([false, true])('visits at most `limit` entries (reverse: %s)', async (reverse) => {
      await fill(1, 2, 3, 4, 5);
      const bounds = { from: testKey(1, 1, [1]), to: testKey(1, 1, [5]), reverse };
      const inOrder = reverse ? [4, 3, 2, 1] : [1, 2, 3, 4];
      for (const limit of [1, 2, 3, 4]) {
        const { end, entries } = await entriesOf(store(), { ...bounds, limit });
        expect(entries.map(({ value }) => value)).toEqual(inOrder.slice(0, limit).map((rest) => `v${rest}`));
        // The fourth is the last of the range, but the driver has not checked that.
        expect(end).toBe('stopped');
      }
      expect((await entriesOf(store(), { ...bounds, limit: 5 })).end).toBe('end');
    });

    test.each([false, true])('stops after the entry at which the visitor says so (reverse: %s)', async (reverse) => {
      await fill(1, 2, 3, 4, 5);
      const seen: string[] = [];
      const end = await store().range({ ...wholeSpace(1), reverse }, (_key, value) => {
        seen.push(Buffer.from(value).toString());
        return seen.length < 3;
      });
      expect(seen).toEqual(reverse ? ['v5', 'v4', 'v3'] : ['v1', 'v2', 'v3']);
      expect(end).toBe('stopped');
    });

    test('lets the error of a visitor through and keeps working', async () => {
      await fill(1, 2, 3);
      const error = new RangeError('enough');
      const attempt = async (): Promise<unknown> =>
        store().range(wholeSpace(1), () => {
          throw error;
        });
      await expect(attempt()).rejects.toBe(error);
      await fill(4);
      expect(await visited(0, 255, false)).toEqual([1, 2, 3, 4]);
    });

    test('passes keys and values together, empty values included', async () => {
      const longest = testKey(1, 3, new Uint8Array(store().manifest.keyBytesMax - 20).fill(0xab));
      const written = [
        { key: testKey(1, 1), value: new Uint8Array(0) },
        { key: testKey(1, 2, [1, 2, 3]), value: bytes('middle') },
        { key: longest, value: bytes('long'.repeat(50_000)) },
      ];
      await put(store(), ...written);
      const { entries } = await entriesOf(store(), wholeSpace(1));
      expect(entries).toEqual(
        written.map(({ key, value }) => ({ key: hex(key), value: Buffer.from(value).toString() })),
      );
    });

    test.each([0, 3, 100])('checks its guard once, before the first of %i entries', async (count) => {
      await fill(...Array.from({ length: count }, (_, index) => index + 1));
      const [known, unknown] = [testKey(2, 9), testKey(2, 8)];
      await put(store(), { key: known, value: bytes('fence') });
      const seen: string[] = [];
      const check = (values: readonly StoreValue[]): void => {
        seen.push(values.map((value) => (value === undefined ? 'none' : valueText(value))).join(' '));
      };
      const end = await store().range({ ...wholeSpace(1), guard: { keys: [known, unknown, known], check } }, () => {
        seen.push('entry');
        return true;
      });
      expect(seen).toEqual(['fence none fence', ...Array.from({ length: count }, () => 'entry')]);
      expect(end).toBe('end');
    });

    test('visits nothing when its guard throws, and passes the error on', async () => {
      const error = new RangeError('changed');
      const guard = {
        keys: [testKey(2, 9)],
        check: (): void => {
          throw error;
        },
      };
      const attempt = async (count: number): Promise<unknown> => {
        await fill(...Array.from({ length: count }, (_, index) => index + 1));
        return store().range({ ...wholeSpace(1), guard }, () => expect.unreachable('an entry was visited'));
      };
      for (const count of [0, 1, 200]) await expect(attempt(count)).rejects.toBe(error);
      const inverted = async (): Promise<unknown> =>
        store().range({ ...wholeSpace(1), to: new Uint8Array(0), guard }, () => true);
      await expect(inverted()).rejects.toBe(error);
      expect((await visited(0, 255, false)).length).toBe(200);
    });

    test('no longer visits what was removed', async () => {
      await fill(1, 2, 3, 4);
      await put(store(), { key: testKey(1, 1, [2]), value: undefined }, { key: testKey(1, 1, [4]), value: undefined });
      expect(await visited(0, 255, false)).toEqual([1, 3]);
      expect(await visited(0, 255, true)).toEqual([3, 1]);
    });

    test('walks a thousand entries page by page, in both directions', async () => {
      const keys = Array.from({ length: 1_000 }, (_, index) => testKey(1, index % 7, [index >> 8, index & 255]));
      await put(store(), ...keys.map((key) => ({ key, value: bytes('x') })));
      const ascending = keys.map(hex).toSorted();
      const forward: string[] = [];
      let { from, to } = wholeSpace(1);
      for (let end = 'stopped'; end === 'stopped';) {
        const page = await entriesOf(store(), { from, to, limit: 97 });
        forward.push(...page.entries.map(({ key }) => key));
        from = Buffer.from(`${forward.at(-1)}00`, 'hex');
        end = page.end;
      }
      expect(forward).toEqual(ascending);
      const backward: string[] = [];
      from = wholeSpace(1).from;
      for (let end = 'stopped'; end === 'stopped';) {
        const page = await entriesOf(store(), { from, to, limit: 89, reverse: true });
        backward.push(...page.entries.map(({ key }) => key));
        to = Buffer.from(backward.at(-1) ?? '', 'hex');
        end = page.end;
      }
      expect(backward).toEqual(ascending.toReversed());
    });
  });
}
