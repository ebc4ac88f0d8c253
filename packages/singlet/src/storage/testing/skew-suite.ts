import { describe, expect, test } from 'vitest';
import type { Store } from '../store.ts';
import type { FixtureAccess } from './store-fixture.ts';
import { bytes, put, testKey, textsOf } from './store-probe.ts';

const rounds = 60;

/**
 * Write skew: two decisions that read the same keys and write different ones. Each alone keeps a rule; only a store that also tracks what a decision
 * read, and did not write, keeps it for both. If a second store may be open on the data, it makes one of the decisions.
 */
export function skewSuite({ store, openAgain }: FixtureAccess): void {
  describe('write skew', () => {
    const two = async (): Promise<readonly [Store, Store]> => [
      store(),
      store().manifest.multiProcess ? await openAgain() : store(),
    ];
    const pairOf = (round: number): readonly [Uint8Array, Uint8Array] => [
      testKey(1, round % 256, [round >> 8, 0]),
      testKey(2, (round * 7) % 256, [round >> 8, 1]),
    ];

    test('of two that may leave only while the other stays, one stays', async () => {
      const stores = await two();
      for (let round = 0; round < rounds; round += 1) {
        const keys = pairOf(round);
        await put(store(), ...keys.map((key) => ({ key, value: bytes('there') })));
        const leave = async (index: 0 | 1): Promise<void> =>
          stores[index].write(keys, (values) => ({
            answer: undefined,
            writes: values[1 - index] === undefined ? [] : [{ key: keys[index], value: undefined }],
          }));
        await Promise.all([leave(0), leave(1)]);
        expect((await textsOf(store(), keys)).filter((text) => text !== undefined)).toEqual(['there']);
      }
    });

    test('of two that change only while the other is unchanged, one changes', async () => {
      const stores = await two();
      for (let round = 0; round < rounds; round += 1) {
        const keys = pairOf(round);
        await put(store(), ...keys.map((key) => ({ key, value: bytes('old') })));
        const change = async (index: 0 | 1): Promise<void> =>
          stores[index].write(keys, (values) => ({
            answer: undefined,
            writes: isOld(values[1 - index]) ? [{ key: keys[index], value: bytes('new') }] : [],
          }));
        await Promise.all([change(0), change(1)]);
        expect((await textsOf(store(), keys)).filter((text) => text === 'new')).toHaveLength(1);
      }
    });

    test('of two that come only while the other is absent, one comes', async () => {
      const stores = await two();
      for (let round = 0; round < rounds; round += 1) {
        const keys = pairOf(round);
        const come = async (index: 0 | 1): Promise<void> =>
          stores[index].write(keys, (values) => ({
            answer: undefined,
            writes: values[1 - index] === undefined ? [{ key: keys[index], value: bytes('here') }] : [],
          }));
        await Promise.all([come(0), come(1)]);
        expect((await textsOf(store(), keys)).filter((text) => text !== undefined)).toEqual(['here']);
      }
    });

    test('one that rests on a flag does nothing once the flag is known to be down', async () => {
      const stores = await two();
      for (let round = 0; round < rounds; round += 1) {
        const [flag, entry] = pairOf(round);
        await put(store(), { key: flag, value: bytes('up') });
        const enter = stores[0].write([flag], ([value]) => ({
          answer: undefined,
          // Written without having been read: only the flag keeps it out.
          writes: value === undefined ? [] : [{ key: entry, value: bytes('entered') }],
        }));
        const lower = stores[1].write([flag, entry], ([, entered]) => ({
          answer: entered !== undefined,
          writes: [{ key: flag, value: undefined }],
        }));
        const [sawEntry] = await Promise.all([lower, enter]);
        const [left] = await textsOf(store(), [entry]);
        expect(left === 'entered').toBe(sawEntry);
      }
    });

    test('blind writes of two are as if one came after the other', async () => {
      const stores = await two();
      for (let round = 0; round < rounds; round += 1) {
        const [left, right] = pairOf(round);
        const set = put(stores[0], { key: left, value: bytes('set') }, { key: right, value: bytes('set') });
        const replace = put(stores[1], { key: left, value: bytes('replaced') }, { key: right, value: undefined });
        await Promise.all([set, replace]);
        expect([
          ['set', 'set'],
          ['replaced', undefined],
        ]).toContainEqual(await textsOf(store(), [left, right]));
      }
    });
  });
}

function isOld(value: Uint8Array | undefined): boolean {
  return value !== undefined && Buffer.from(value).toString() === 'old';
}
