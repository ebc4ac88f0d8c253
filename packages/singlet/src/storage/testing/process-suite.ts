import { describe, expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { commandKey, type OtherProcess } from './store-process-protocol.ts';
import type { FixtureAccess } from './store-fixture.ts';
import { bytes, put, testKey, textsOf } from './store-probe.ts';

const rounds = 20;

/** Several processes on the same data: what they see of each other, write skew between them, and one that is killed. */
export function processSuite({ store, startProcess }: FixtureAccess): void {
  describe('several processes', () => {
    test('see at once what another was told is written, and decide as if one came after the other', async ({
      skip,
    }) => {
      const start = startProcess();
      if (start === undefined) return skip('the fixture starts no other process');
      const children = [start(), start()] as const;
      try {
        await Promise.all(children.map(async (child) => child.ready()));
        await expectVisible(store(), children[0]);
        await expectCounted(store(), children);
        expect(await skewBetween(store(), children, { rounds })).toBe(0);
      } finally {
        await Promise.all(children.map(async (child) => child.kill()));
      }
    });

    test('continue when one of them is killed in the middle of writing', async ({ skip }) => {
      const start = startProcess();
      if (start === undefined) return skip('the fixture starts no other process');
      const child = start();
      try {
        await child.ready();
        const key = testKey(9, 1);
        child.start({ do: 'write-forever', writers: 8 });
        await child.output();
        const before = await increments(store(), key, 20);
        expect(await child.kill()).toMatch(/^\d+ 1\n/);
        const after = await increments(store(), key, 20);
        expect([...before, ...after].toSorted(byNumber)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
      } finally {
        await child.kill();
      }
    });
  });
}

async function expectVisible(store: Store, child: OtherProcess): Promise<void> {
  const key = testKey(1, 1);
  for (let round = 0; round < rounds; round += 1) {
    await put(store, { key, value: bytes(`here ${round}`) });
    expect(await child.call({ do: 'read', key: commandKey(key) })).toBe(`here ${round}`);
    // Read first: a driver that retains a snapshot for a while has one now.
    expect(await textsOf(store, [key])).toEqual([`here ${round}`]);
    await child.call({ do: 'put', key: commandKey(key), value: `there ${round}` });
    expect(await textsOf(store, [key])).toEqual([`there ${round}`]);
  }
}

async function expectCounted(store: Store, children: readonly OtherProcess[]): Promise<void> {
  const key = testKey(2, 1);
  const times = 60;
  const answers = await Promise.all([
    ...children.map(async (child) => child.call({ do: 'increment', key: commandKey(key), times }) as Promise<number[]>),
    increments(store, key, times),
  ]);
  const count = (children.length + 1) * times;
  expect(answers.flat().toSorted(byNumber)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  expect(await textsOf(store, [key])).toEqual([`${count}`]);
}

/**
 * Two processes each remove one of two entries, if the other one is there. One entry of each pair has to stay.
 *
 * @param limits.rounds - of pairs; ends with the first in which both were removed.
 * @returns how many pairs were removed completely.
 */
export async function skewBetween(
  store: Store,
  [one, other]: readonly [OtherProcess, OtherProcess],
  limits: { readonly rounds: number },
): Promise<number> {
  const pairCount = 20;
  for (let round = 0; round < limits.rounds; round += 1) {
    const pairs = Array.from({ length: pairCount }, (_, at) => [
      testKey(3, at * 12, [round >> 8, round & 255]),
      testKey(4, at * 12, [round >> 8, round & 255]),
    ]);
    await put(store, ...pairs.flat().map((key) => ({ key, value: bytes('there') })));
    const commands = pairs.map((pair) => pair.map(commandKey));
    await Promise.all([
      one.call({ do: 'leave', pairs: commands }),
      other.call({ do: 'leave', pairs: commands.map((pair) => pair.toReversed()) }),
    ]);
    const texts = await textsOf(store, pairs.flat());
    const left = pairs.map((_, at) => texts.slice(2 * at, 2 * at + 2).filter((text) => text === 'there').length);
    // If each pair had been left alone, nothing would have been tested.
    expect(Math.max(...left)).toBeLessThan(2);
    const removed = left.filter((count) => count === 0).length;
    if (removed > 0) return removed;
  }
  return 0;
}

async function increments(store: Store, key: Uint8Array, times: number): Promise<readonly number[]> {
  const increment = async (): Promise<number> =>
    store.write([key], ([value]) => {
      const next = Number(value === undefined ? 0 : Buffer.from(value).toString()) + 1;
      return { answer: next, writes: [{ key, value: bytes(`${next}`) }] };
    });
  return Promise.all(Array.from({ length: times }, increment));
}

function byNumber(left: number, right: number): number {
  return left - right;
}
