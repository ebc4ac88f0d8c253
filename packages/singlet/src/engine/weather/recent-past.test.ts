import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openMemoryStore } from '../../storage/memory/memory-store.ts';
import { storeKey } from '../layout/spaces.ts';
import { RecentPast } from './recent-past.ts';

const keyOf = (at: number): Buffer => storeKey(300, new Uint8Array(16), Uint8Array.of(at));
const whole = { from: storeKey(300), to: storeKey(301) };

async function stateOf(
  reads: Pick<RecentPast, 'range'>,
  reverse = false,
): Promise<readonly (readonly [number, number])[]> {
  const entries: (readonly [number, number])[] = [];
  await reads.range({ ...whole, reverse }, (key, value) => {
    entries.push([key[20] ?? -1, value[0] ?? -1]);
    return true;
  });
  return entries;
}

/** Writes of small values under small keys; no value is a removal. */
const script = fc.array(
  fc.dictionary(fc.integer({ min: 0, max: 6 }).map(String), fc.option(fc.integer({ min: 0, max: 255 })), {
    maxKeys: 4,
  }),
  { minLength: 1, maxLength: 12 },
);

test('every moment shows the state as it was then, in both directions', async () => {
  await fc.assert(
    fc.asyncProperty(script, async (writes) => {
      let nowMs = 1000;
      const past = new RecentPast(openMemoryStore(), { nowMs: () => nowMs }, () => 60_000);
      const states = new Map<number, readonly (readonly [number, number])[]>();
      states.set(nowMs, []);
      for (const changes of writes) {
        nowMs += 10;
        const entries = Object.entries(changes).map(([at, value]) => ({
          key: keyOf(Number(at)),
          value: value === null ? undefined : Uint8Array.of(value),
        }));
        // Half of the keys are written without being read first.
        const known = entries.filter((_, at) => at % 2 === 0).map(({ key }) => key);
        await past.write(known, () => ({ answer: undefined, writes: entries }));
        states.set(nowMs, await stateOf(past));
      }
      for (const [moment, state] of states) {
        expect(await stateOf(past.at(moment))).toEqual(state);
        expect(await stateOf(past.at(moment), true)).toEqual(state.toReversed());
        const values = await past
          .at(moment)
          .read([0, 1, 2, 3, 4, 5, 6].map(keyOf), (found) => found.map((value) => value?.[0]));
        expect(values).toEqual([0, 1, 2, 3, 4, 5, 6].map((at) => state.find(([key]) => key === at)?.[1]));
      }
    }),
  );
});

test('a range stops at its limit, and where the visitor says so', async () => {
  let nowMs = 1;
  const past = new RecentPast(openMemoryStore(), { nowMs: () => nowMs }, () => 60_000);
  const put = (at: number, value: number | undefined): Promise<void> =>
    past.write([], () => ({
      answer: undefined,
      writes: [{ key: keyOf(at), value: value === undefined ? undefined : Uint8Array.of(value) }],
    }));
  for (const at of [1, 2, 3, 4]) await put(at, at);
  nowMs = 5;
  await put(1, undefined);
  await put(3, 33);
  const seen: number[] = [];
  const then = past.at(4);
  expect(await then.range({ ...whole, limit: 3 }, (_key, value) => seen.push(value[0] ?? 0) > 0)).toBe('stopped');
  expect(seen).toEqual([1, 2, 3]);
  expect(await then.range(whole, () => false)).toBe('stopped');
  expect(await then.range({ ...whole, limit: 5 }, () => true)).toBe('end');
});

test('states older than what is remembered are forgotten', async () => {
  let nowMs = 0;
  const past = new RecentPast(openMemoryStore(), { nowMs: () => nowMs }, () => 100);
  for (const value of [1, 2, 3]) {
    nowMs += 80;
    await past.write([keyOf(1)], () => ({
      answer: undefined,
      writes: [{ key: keyOf(1), value: Uint8Array.of(value) }],
    }));
  }
  const at = (moment: number): unknown => past.at(moment).read([keyOf(1)], ([value]) => value?.[0]);
  expect(await at(170)).toBe(2);
  expect(await at(10)).toBe(1); // the write at 80 ms, and the value before it, are forgotten
});
