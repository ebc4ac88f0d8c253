import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { StorageError } from '../storage-error.ts';
import type { Store } from '../store.ts';
import type { FixtureAccess } from './store-fixture.ts';
import { bytes, testKey, valueText, valueOf, entriesOf, wholeSpace } from './store-probe.ts';

const interruptions = 25;
const readInterruptions = 10;
const writers = 6;

/** The outcome of calls that lose their connection: applied or not, but never twice, and always reported correctly. */
export function interruptionSuite({ store, interrupt }: FixtureAccess): void {
  describe('lost connections', () => {
    test('lose no acknowledged write and apply none twice', async ({ skip }) => {
      const cut = interrupt();
      if (cut === undefined) return skip('the store has no connections that could be lost');
      const state = { writing: true };
      const tally: Tally = { acknowledged: 0, unknown: 0 };
      const writing = Promise.all(
        Array.from({ length: writers }, async (_, writer) => {
          for (let step = 0; state.writing; step += 1) await countOnce(store(), writer, step, tally);
        }),
      );
      for (let count = 0; count < interruptions; count += 1) {
        const before = tally.acknowledged;
        await expect.poll(() => tally.acknowledged, { interval: 1 }).toBeGreaterThan(before + 5);
        // At any moment of a statement.
        await delay(count % 4);
        cut();
      }
      state.writing = false;
      await writing;
      const total = Number(valueText((await valueOf(store(), totalKey)) ?? bytes('0')));
      const { entries } = await entriesOf(store(), wholeSpace(entrySpace));
      // Each decision counts, and adds an entry: both, or neither.
      expect(entries).toHaveLength(total);
      expect(total).toBeGreaterThanOrEqual(tally.acknowledged);
      expect(total).toBeLessThanOrEqual(tally.acknowledged + tally.unknown);
    });

    test('end no read or range with half of what it is to show', async ({ skip }) => {
      const cut = interrupt();
      if (cut === undefined) return skip('the store has no connections that could be lost');
      const keys = Array.from({ length: 300 }, (_, index) => testKey(1, index % 256, [index >> 8]));
      await store().write([], () => ({
        answer: undefined,
        writes: keys.map((key) => ({ key, value: new Uint8Array(8_000).fill(1) })),
      }));
      const results: number[] = [];
      for (let count = 0; count < readInterruptions; count += 1) {
        const reading = [countRead(store(), keys), countRange(store())];
        await delay(count % 5);
        cut();
        results.push(...(await Promise.all(reading)).filter((seen) => seen >= 0));
      }
      results.push(await countRead(store(), keys), await countRange(store()));
      expect(new Set(results)).toEqual(new Set([keys.length]));
    });
  });
}

interface Tally {
  acknowledged: number;
  unknown: number;
}

const totalKey = testKey(2, 0);
const entrySpace = 3;

async function countOnce(store: Store, writer: number, step: number, tally: Tally): Promise<void> {
  try {
    await store.write([totalKey], ([total]) => ({
      answer: undefined,
      writes: [
        { key: totalKey, value: bytes(`${Number(valueText(total ?? bytes('0'))) + 1}`) },
        { key: testKey(entrySpace, writer, [step >> 8, step & 255]), value: bytes('x') },
      ],
    }));
    tally.acknowledged += 1;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    if (error.code === 'unknown-outcome') tally.unknown += 1;
  }
}

/** @returns how many values there are; -1 when the store reports that it cannot tell. */
async function countRead(store: Store, keys: readonly Uint8Array[]): Promise<number> {
  return orFailed(async () => store.read(keys, (values) => values.filter((value) => value !== undefined).length));
}

async function countRange(store: Store): Promise<number> {
  return orFailed(async () => {
    let seen = 0;
    await store.range(wholeSpace(1), () => (seen += 1) > 0);
    return seen;
  });
}

async function orFailed(count: () => Promise<number>): Promise<number> {
  try {
    return await count();
  } catch (error) {
    if (error instanceof StorageError) return -1;
    throw error;
  }
}
