import { AssertionError } from 'node:assert';
import { describe, expect, test } from 'vitest';
import type { StoreValue } from '../store.ts';
import type { FixtureAccess } from './store-fixture.ts';
import { bytes, entriesOf, hex, keysOf, put, testKey, valueText, textsOf, valueOf, wholeSpace } from './store-probe.ts';

/** The effects of single calls of `read` and `write`, and who owns which bytes. */
export function readWriteSuite({ store }: FixtureAccess): void {
  const [a, b, c] = [testKey(1, 1), testKey(1, 2), testKey(2, 1)] as const;

  describe('read', () => {
    test('passes one value per key, in the order of the keys', async () => {
      await put(store(), { key: a, value: bytes('A') }, { key: c, value: bytes('C') });
      expect(await textsOf(store(), [c, b, a, c])).toEqual(['C', undefined, 'A', 'C']);
      expect(await textsOf(store(), [])).toEqual([]);
    });

    test('tells an empty value from none', async () => {
      await put(store(), { key: a, value: new Uint8Array(0) });
      expect(await textsOf(store(), [a])).toEqual(['']);
      expect(await textsOf(store(), [a, b])).toEqual(['', undefined]);
    });

    test('gives values that are all valid at the same time', async () => {
      const keys = Array.from({ length: 100 }, (_, index) => testKey(1, index));
      await put(store(), ...keys.map((key, index) => ({ key, value: new Uint8Array(1 + index * 700).fill(index) })));
      const right = await store().read(keys, (values) =>
        values.map((value, index) => value?.length === 1 + index * 700 && value.every((byte) => byte === index)),
      );
      expect(right).toEqual(keys.map(() => true));
    });

    test('calls its body once and returns what that returns', async () => {
      let calls = 0;
      const result = await store().read([a], () => {
        calls += 1;
        return { calls };
      });
      expect(result).toEqual({ calls: 1 });
    });

    test('lets the error of its body through and keeps working', async () => {
      await put(store(), { key: a, value: bytes('A') });
      const error = new RangeError('no');
      const attempt = async (): Promise<unknown> =>
        store().read([a], () => {
          throw error;
        });
      await expect(attempt()).rejects.toBe(error);
      expect(await textsOf(store(), [a])).toEqual(['A']);
      await put(store(), { key: a, value: bytes('A2') });
      expect(await textsOf(store(), [a])).toEqual(['A2']);
    });
  });

  describe('write', () => {
    test('sets, replaces and removes', async () => {
      await put(store(), { key: a, value: bytes('1') }, { key: b, value: bytes('2') });
      expect(await textsOf(store(), [a, b])).toEqual(['1', '2']);
      await put(store(), { key: a, value: bytes('a longer value') }, { key: b, value: undefined });
      expect(await textsOf(store(), [a, b])).toEqual(['a longer value', undefined]);
      await put(store(), { key: a, value: bytes('') }, { key: b, value: bytes('3') });
      expect(await textsOf(store(), [a, b])).toEqual(['', '3']);
    });

    test('removes what is not there without complaint', async () => {
      await put(store(), { key: a, value: undefined });
      await put(store(), { key: b, value: bytes('B') }, { key: a, value: undefined });
      expect(await textsOf(store(), [a, b])).toEqual([undefined, 'B']);
    });

    test('passes what is stored to the decision and resolves with its answer', async () => {
      await put(store(), { key: a, value: bytes('41') });
      const answer = await store().write([a, b], ([old, none]) => ({
        answer: { old: valueText(old ?? bytes('?')), none },
        writes: [{ key: b, value: bytes('42') }],
      }));
      expect(answer).toEqual({ old: '41', none: undefined });
      expect(await textsOf(store(), [a, b])).toEqual(['41', '42']);
    });

    test('accepts a decision that writes nothing, and one that reads nothing', async () => {
      expect(await store().write([a], ([value]) => ({ answer: value, writes: [] }))).toBeUndefined();
      expect(await store().write([], (values) => ({ answer: values.length, writes: [] }))).toBe(0);
    });

    test('may write keys it did not read and leave keys it read', async () => {
      await put(store(), { key: a, value: bytes('A') });
      await store().write([a], () => ({ answer: undefined, writes: [{ key: c, value: bytes('C') }] }));
      expect(await textsOf(store(), [a, b, c])).toEqual(['A', undefined, 'C']);
    });

    test('writes nothing when the decision throws, and rejects with that very error', async () => {
      await put(store(), { key: a, value: bytes('before') });
      const error = new TypeError('declined');
      await expect(
        store().write([a], () => {
          throw error;
        }),
      ).rejects.toBe(error);
      expect(await textsOf(store(), [a])).toEqual(['before']);
    });

    test('keeps a thrown decision from disturbing those around it', async () => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 30 }, async (_, index) =>
          store().write([testKey(1, index)], () => {
            if (index % 3 === 0) throw new RangeError(`declined ${index}`);
            return { answer: index, writes: [{ key: testKey(1, index), value: bytes(`${index}`) }] };
          }),
        ),
      );
      expect(outcomes.map(({ status }) => status)).toEqual(
        outcomes.map((_, index) => (index % 3 === 0 ? 'rejected' : 'fulfilled')),
      );
      const { entries } = await entriesOf(store(), wholeSpace(1));
      expect(entries.map(({ value }) => Number(value))).toEqual(
        Array.from({ length: 30 }, (_, index) => index).filter((index) => index % 3 !== 0),
      );
    });

    test('applies hundreds of reads and writes in one decision', async () => {
      const keys = Array.from({ length: 400 }, (_, index) => testKey(1 + (index % 4), index >> 2, [index & 3]));
      await put(store(), ...keys.map((key, index) => ({ key, value: bytes(`${index}`) })));
      const sum = await store().write(keys, (values) => ({
        answer: values.reduce((total, value) => total + Number(valueText(value ?? bytes('NaN'))), 0),
        writes: keys.map((key, index) => ({ key, value: index % 2 === 0 ? undefined : bytes(`${index + 1}`) })),
      }));
      expect(sum).toBe((399 * 400) / 2);
      const texts = await textsOf(store(), keys);
      expect(texts).toEqual(keys.map((_, index) => (index % 2 === 0 ? undefined : `${index + 1}`)));
    });

    test('keeps values of three megabytes', async () => {
      const large = new Uint8Array(3 * 1024 * 1024).map((_, index) => (index * 31) ^ (index >> 12));
      await put(store(), { key: a, value: large }, { key: b, value: bytes('small') });
      expect(hex((await valueOf(store(), a)) ?? bytes(''))).toBe(hex(large));
      await store().write([a], ([value]) => ({ answer: undefined, writes: [{ key: c, value }] }));
      await put(store(), { key: a, value: bytes('now small') });
      expect(hex((await valueOf(store(), c)) ?? bytes(''))).toBe(hex(large));
      expect(await textsOf(store(), [a, b])).toEqual(['now small', 'small']);
    });

    test.each([20, 21, 255, 256, 511, 1_044, 2_000, 3_110])('keeps keys of %i bytes', async (length) => {
      const make = (last: number): Uint8Array => testKey(1, 1, new Uint8Array(length - 20).fill(last));
      const keys = length === 20 ? [make(1)] : [make(1), make(2), make(255)];
      await put(store(), ...keys.map((key, index) => ({ key, value: bytes(`${index}`) })));
      expect(await textsOf(store(), keys)).toEqual(keys.map((_, index) => `${index}`));
      expect(await keysOf(store(), wholeSpace(1))).toEqual(keys.map(hex));
    });

    test('keeps keys as long as its manifest says', async () => {
      const { keyBytesMax } = store().manifest;
      expect(keyBytesMax).toBeGreaterThanOrEqual(3_110);
      const keys = Array.from({ length: 50 }, (_, index) =>
        testKey(1, 1, new Uint8Array(keyBytesMax - 20).fill(index)),
      );
      await put(store(), ...keys.map((key, index) => ({ key, value: bytes(`${index}`) })));
      expect(await textsOf(store(), keys)).toEqual(keys.map((_, index) => `${index}`));
      await put(store(), ...keys.slice(10).map((key) => ({ key, value: undefined })));
      expect(await keysOf(store(), wholeSpace(1))).toEqual(keys.slice(0, 10).map(hex));
    });
  });

  describe('whose bytes are whose', () => {
    test('does not notice what happens to buffers after they were written', async () => {
      const key = testKey(1, 1, [1]);
      const value = bytes('written');
      await put(store(), { key, value });
      value.fill(0);
      key.fill(0xee);
      expect(await textsOf(store(), [testKey(1, 1, [1])])).toEqual(['written']);
      expect(await keysOf(store(), wholeSpace(1))).toEqual([hex(testKey(1, 1, [1]))]);
    });

    test('copies what a decision returns before the next decision runs', async () => {
      const key = testKey(1, 0, [0]);
      const value = new Uint8Array(4);
      await Promise.all(
        Array.from({ length: 40 }, async (_, index) =>
          store().write([], () => {
            key[20] = index;
            value.fill(index);
            return { answer: undefined, writes: [{ key, value }] };
          }),
        ),
      );
      const seen: string[] = [];
      await store().range(wholeSpace(1), (entryKey, entryValue) => seen.push(`${entryKey[20]}:${hex(entryValue)}`) > 0);
      expect(seen).toEqual(Array.from({ length: 40 }, (_, index) => `${index}:${hex(new Uint8Array(4).fill(index))}`));
    });

    test('leaves values that were read as they are, if it reads its own memory', async ({ skip }) => {
      if (store().manifest.readsOwnMemory !== true) skip();
      const keys = Array.from({ length: 100 }, (_, index) => testKey(1, 1, [index]));
      const textOf = (round: number, index: number): string => `${round}: ${'x'.repeat(index * 50)}`;
      const seen: { readonly view: StoreValue; readonly was: string }[] = [];
      for (let round = 0; round < 20; round += 1) {
        await put(store(), ...keys.map((key, index) => ({ key, value: bytes(textOf(round, index)) })));
        await store().read(keys, (views) => {
          for (const [index, view] of views.entries()) seen.push({ view, was: textOf(round, index) });
        });
        await store().range(wholeSpace(1), (key, view) => {
          seen.push({ view, was: textOf(round, key[20] as number) }); // the byte of the key's sort part
          return true;
        });
      }
      await put(store(), ...keys.map((key) => ({ key, value: undefined })));
      expect(seen.filter(({ view, was }) => view === undefined || valueText(view) !== was)).toEqual([]);
    });

    test('takes a view that a decision was given as a value to write', async () => {
      await put(store(), { key: a, value: bytes('first') }, { key: b, value: bytes('second, longer') });
      await store().write([a, b], ([first, second]) => ({
        answer: undefined,
        writes: [
          { key: a, value: second },
          { key: b, value: first },
          { key: c, value: second?.subarray(0, 6) },
        ],
      }));
      expect(await textsOf(store(), [a, b, c])).toEqual(['second, longer', 'first', 'second']);
      await store().write([a], ([only]) => ({ answer: undefined, writes: [{ key: c, value: only }] }));
      expect(await textsOf(store(), [c])).toEqual(['second, longer']);
    });

    test('takes views into larger buffers, and Buffers, as keys and values', async () => {
      const frame = Buffer.alloc(100, 7);
      const key = frame.subarray(3, 30);
      frame.write('payload', 50);
      await put(store(), { key, value: frame.subarray(50, 57) });
      expect(await textsOf(store(), [new Uint8Array(27).fill(7)])).toEqual(['payload']);
      expect(await textsOf(store(), [Buffer.from(key)])).toEqual(['payload']);
    });
  });

  describe('misuse', () => {
    const wrongKeys = (): readonly Uint8Array[] => [
      new Uint8Array(0),
      new Uint8Array(19),
      new Uint8Array(store().manifest.keyBytesMax + 1),
      new Uint8Array(20_000),
    ];

    test('a key of a wrong length is refused and nothing is written', async () => {
      for (const key of wrongKeys()) {
        const write = async (): Promise<unknown> =>
          put(store(), { key: a, value: bytes('A') }, { key, value: bytes('x') });
        const remove = async (): Promise<unknown> =>
          put(store(), { key: a, value: bytes('A') }, { key, value: undefined });
        const decide = async (): Promise<unknown> =>
          store().write([key], () => ({ answer: 1, writes: [{ key: a, value: bytes('A') }] }));
        const read = async (): Promise<unknown> => store().read([a, key], () => 1);
        for (const attempt of [write, remove, decide, read]) await expect(attempt()).rejects.toThrow(AssertionError);
      }
      expect(await textsOf(store(), [a])).toEqual([undefined]);
      await put(store(), { key: a, value: bytes('still works') });
      expect(await textsOf(store(), [a])).toEqual(['still works']);
    });

    test('a call from inside a body, visitor or decision is refused', async () => {
      await put(store(), { key: a, value: bytes('A') });
      const outcomes: Promise<unknown>[] = [];
      const nest = (call: () => unknown): void => {
        // Whether the driver throws or rejects, it counts as a rejection here.
        const attempt = async (): Promise<unknown> => call();
        outcomes.push(
          attempt().then(
            () => 'accepted',
            (error: unknown) => error,
          ),
        );
      };
      const calls = [
        (): unknown => store().read([a], () => 1),
        (): unknown => store().range(wholeSpace(1), () => true),
        (): unknown => store().write([], () => ({ answer: 1, writes: [{ key: a, value: bytes('B') }] })),
        (): unknown => store().close(),
      ];
      await store().read([a], () => calls.forEach(nest));
      await store().range(wholeSpace(1), () => calls.every((call) => (nest(call), true)));
      await store().write([a], () => {
        calls.forEach(nest);
        return { answer: undefined, writes: [] };
      });
      // A decision may have run more than once.
      expect(outcomes.length).toBeGreaterThanOrEqual(3 * calls.length);
      for (const outcome of await Promise.all(outcomes)) expect(outcome).toBeInstanceOf(AssertionError);
      expect(await textsOf(store(), [a])).toEqual(['A']);
    });
  });
}
