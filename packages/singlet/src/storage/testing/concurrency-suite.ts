import { describe, expect, test } from 'vitest';
import type { Store, StoreValue } from '../store.ts';
import type { FixtureAccess } from './store-fixture.ts';
import { bytes, entriesOf, put, testKey, valueText, textsOf, valueOf, wholeSpace } from './store-probe.ts';

/** Many callers at once: serialisability, snapshots, visibility. */
export function concurrencySuite({ store, openAgain }: FixtureAccess): void {
  describe('concurrent callers', () => {
    test('lose no increment of shared counters', async () => {
      const counters = [0, 1, 2].map((index) => testKey(1, index));
      const answers = await Promise.all(
        Array.from({ length: 900 }, async (_, index) => increment(store(), counters[index % 3] ?? testKey(1, 9))),
      );
      expect(await textsOf(store(), counters)).toEqual(['300', '300', '300']);
      // Each value from 1 to 300 was answered once per counter: no two decisions saw the same state.
      for (const counter of [0, 1, 2]) {
        const seen = answers.filter((_, index) => index % 3 === counter).toSorted((left, right) => left - right);
        expect(seen).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
      }
    });

    test('decide on what decisions answered before have written, in a row of dependent writes', async () => {
      // Each decision reads what the previous one wrote; all are in flight at once.
      const links = Array.from({ length: 200 }, async (_, index) =>
        store().write([testKey(1, index)], ([value]) => ({
          answer: undefined,
          writes: [{ key: testKey(1, index + 1), value: bytes(`${Number(valueText(value ?? bytes('0'))) + 1}`) }],
        })),
      );
      await Promise.all(links);
      // Whatever the order was, no link saw a state that never existed: along the chain a value is one more or a restart.
      const texts = await textsOf(
        store(),
        Array.from({ length: 200 }, (_, index) => testKey(1, index + 1)),
      );
      const values = [0, ...texts.map(Number)];
      for (let index = 1; index < values.length; index += 1) {
        expect([1, (values[index - 1] ?? Number.NaN) + 1]).toContain(values[index]);
      }
    });

    test('see money neither vanish nor appear while it moves between accounts', async () => {
      const accounts = Array.from({ length: 12 }, (_, index) => testKey(1 + (index % 3), index * 20));
      const total = accounts.length * 100;
      await put(store(), ...accounts.map((key) => ({ key, value: bytes('100') })));
      const state = { moving: true };
      const sums: number[] = [];
      const watch = async (): Promise<void> => {
        while (state.moving) {
          sums.push(await store().read(accounts, sumOf));
          sums.push(await sumOfRange(store()));
          await nextTurn();
        }
      };
      const move = async (worker: number): Promise<void> => {
        for (let step = 0; step < 25 || sums.length < 5; step += 1) {
          const from = (worker * 7 + step * 5) % accounts.length;
          const to = (from + 1 + ((worker + step) % (accounts.length - 1))) % accounts.length;
          const between = [accounts[from] ?? testKey(1, 0), accounts[to] ?? testKey(1, 0)] as const;
          await Promise.race([watching, transfer(store(), between, 1 + (step % 40))]);
          await nextTurn();
        }
      };
      const watchers = [watch(), watch()];
      const watching = Promise.all(watchers);
      await Promise.all(Array.from({ length: 16 }, async (_, worker) => move(worker)));
      state.moving = false;
      await watching;
      expect(new Set(sums)).toEqual(new Set([total]));
      expect(await store().read(accounts, sumOf)).toBe(total);
    });

    test.each([2, 90])('see the guard of a range in the snapshot of its %i entries', async (count) => {
      const keys = Array.from({ length: count }, (_, index) => testKey(1, 1, [index]));
      const fence = testKey(2, 7);
      const writeAll = async (round: number): Promise<void> =>
        put(store(), ...[fence, ...keys].map((key) => ({ key, value: bytes(`${round}`) })));
      await writeAll(0);
      const state = { writing: true, ranges: 0 };
      const watch = async (): Promise<void> => {
        while (state.writing) {
          const seen: string[] = [];
          const check = ([value]: readonly StoreValue[]): void => void seen.push(valueText(value ?? bytes('none')));
          await store().range({ ...wholeSpace(1), guard: { keys: [fence], check } }, (_key, value) => {
            seen.push(valueText(value));
            return true;
          });
          expect(seen).toHaveLength(count + 1);
          expect(new Set(seen).size, `a range saw ${[...new Set(seen)].join(', ')}`).toBe(1);
          state.ranges += 1;
          await nextTurn();
        }
      };
      const watchers = [watch(), watch(), watch()];
      // On a busy machine few ranges end while 60 rounds are written: more rounds follow until five have.
      const watching = Promise.all(watchers);
      for (let round = 1; round <= 60 || state.ranges < 5; round += 1) {
        await Promise.race([watching, writeAll(round)]);
        await nextTurn();
      }
      state.writing = false;
      await watching;
    });

    test('settle on one of them when all claim the same key', async () => {
      const claims = await Promise.all(
        Array.from({ length: 100 }, async (_, index) =>
          store().write([testKey(1, 1)], ([owner]) =>
            owner === undefined
              ? { answer: true, writes: [{ key: testKey(1, 1), value: bytes(`${index}`) }] }
              : { answer: false, writes: [] },
          ),
        ),
      );
      const winners = claims.flatMap((won, index) => (won ? [`${index}`] : []));
      expect(winners).toHaveLength(1);
      expect(await textsOf(store(), [testKey(1, 1)])).toEqual(winners);
    });
  });

  describe('visibility', () => {
    test('every read and range sees what was acknowledged before it', async () => {
      const key = testKey(1, 1);
      for (let round = 1; round <= 300; round += 1) {
        // The read before this catches a driver that retains a snapshot for a while.
        await valueOf(store(), key);
        await put(store(), { key, value: bytes(`${round}`) });
        expect(await textsOf(store(), [key])).toEqual([`${round}`]);
        expect((await entriesOf(store(), wholeSpace(1))).entries[0]?.value).toBe(`${round}`);
      }
    });

    test('a read right in the reaction to an acknowledgement sees the write', async () => {
      const rounds = Array.from({ length: 200 }, async (_, index) => {
        const key = testKey(1, index);
        return put(store(), { key, value: bytes(`${index}`) }).then(() => valueOf(store(), key));
      });
      const seen = await Promise.all(rounds);
      expect(seen.map((value) => valueText(value ?? bytes('')))).toEqual(seen.map((_, index) => `${index}`));
    });

    test('a read sees a decision whole or not at all', async () => {
      const [left, right] = [testKey(1, 1), testKey(9, 200)];
      const state = { writing: true };
      const torn: unknown[] = [];
      const watch = async (): Promise<void> => {
        while (state.writing) {
          const [one, two] = await textsOf(store(), [left, right]);
          if (one !== two) torn.push([one, two]);
          await nextTurn();
        }
      };
      const watching = watch();
      await Promise.all(
        Array.from({ length: 300 }, async (_, index) => {
          const value = bytes(`${index}`);
          await put(store(), { key: left, value }, { key: right, value });
        }),
      );
      state.writing = false;
      await watching;
      expect(torn).toEqual([]);
    });

    test('a second store on the same data sees what the first acknowledged, and counts with it', async ({ skip }) => {
      skip(!store().manifest.multiProcess, 'the manifest says that only one may open the data');
      const other = await openAgain();
      const key = testKey(1, 1);
      for (let round = 1; round <= 50; round += 1) {
        await increment(round % 2 === 0 ? store() : other, key);
        expect(await textsOf(store(), [key])).toEqual([`${round}`]);
        expect(await textsOf(other, [key])).toEqual([`${round}`]);
      }
      await Promise.all(
        Array.from({ length: 200 }, async (_, index) => increment(index % 2 === 0 ? store() : other, key)),
      );
      expect(await textsOf(other, [key])).toEqual(['250']);
    });
  });
}

/** Lets other pending work run. */
async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

async function increment(store: Store, key: Uint8Array): Promise<number> {
  return store.write([key], ([value]) => {
    const next = Number(valueText(value ?? bytes('0'))) + 1;
    return { answer: next, writes: [{ key, value: bytes(`${next}`) }] };
  });
}

/** Moves an amount if there is enough, and declines by throwing if not. */
async function transfer(store: Store, [from, to]: readonly [Uint8Array, Uint8Array], amount: number): Promise<void> {
  const declined = new RangeError('not enough');
  await store
    .write([from, to], (values) => {
      const [source = Number.NaN, target = Number.NaN] = values.map((value) =>
        Number(valueText(value ?? bytes('NaN'))),
      );
      if (source < amount) throw declined;
      return {
        answer: undefined,
        writes: [
          { key: from, value: bytes(`${source - amount}`) },
          { key: to, value: bytes(`${target + amount}`) },
        ],
      };
    })
    .catch((error: unknown) => {
      if (error !== declined) throw error;
    });
}

function sumOf(values: readonly (Uint8Array | undefined)[]): number {
  return values.reduce((sum, value) => sum + Number(valueText(value ?? bytes('NaN'))), 0);
}

async function sumOfRange(store: Store): Promise<number> {
  const { entries } = await entriesOf(store, { from: wholeSpace(1).from, to: wholeSpace(3).to });
  return entries.reduce((sum, { value }) => sum + Number(value), 0);
}
