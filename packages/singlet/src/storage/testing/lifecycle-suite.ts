import { describe, expect, test } from 'vitest';
import type { Store } from '../store.ts';
import type { FixtureAccess } from './store-fixture.ts';
import { bytes, keysOf, put, testKey, textsOf, wholeSpace } from './store-probe.ts';

/** Closing, and the contents after reopening. */
export function lifecycleSuite({ store, openAgain }: FixtureAccess): void {
  describe('close', () => {
    test('can be called again, also while it is going on', async () => {
      await put(store(), { key: testKey(1, 1), value: bytes('x') });
      await Promise.all([store().close(), store().close()]);
      await store().close();
    });

    test('makes every later call fail with code `closed`', async () => {
      await put(store(), { key: testKey(1, 1), value: bytes('x') });
      const closing = store().close();
      await expectClosed(store());
      await closing;
      await expectClosed(store());
    });

    test('lets the writes finish that were under way', async () => {
      const writes = Array.from({ length: 100 }, async (_, index) =>
        store().write([], () => ({ answer: index, writes: [{ key: testKey(1, index), value: bytes('x') }] })),
      );
      let settled = 0;
      const counting = writes.map(async (write) => write.finally(() => (settled += 1)));
      await store().close();
      // One turn for the reactions; none of the writes may need longer than the closing did.
      await new Promise((resolve) => setImmediate(resolve));
      expect(settled).toBe(writes.length);
      await Promise.all(counting);
      expect(await Promise.all(writes)).toEqual(writes.map((_, index) => index));
    });

    test('closes a store that was never used', async () => {
      await store().close();
      await expectClosed(store());
    });
  });

  describe('opening again', () => {
    test('finds everything that was acknowledged', async ({ skip }) => {
      skip(store().manifest.durability === 'none', 'the manifest says that nothing outlives the store');
      const keys = Array.from({ length: 300 }, (_, index) => testKey(1, index % 250, [index >> 4]));
      await Promise.all(keys.map(async (key, index) => put(store(), { key, value: bytes(`${index}`) })));
      const removed = keys.slice(0, 50);
      await Promise.all(removed.map(async (key) => put(store(), { key, value: undefined })));
      await store().close();

      const reopened = await openAgain();
      expect(await textsOf(reopened, keys)).toEqual(keys.map((_, index) => (index < 50 ? undefined : `${index}`)));
      expect(await keysOf(reopened, wholeSpace(1))).toHaveLength(250);
      await put(reopened, { key: testKey(1, 1), value: bytes('and continues') });
      expect(await textsOf(reopened, [testKey(1, 1)])).toEqual(['and continues']);
    });

    test('works while the one before is still closing', async ({ skip }) => {
      skip(store().manifest.durability === 'none', 'the manifest says that nothing outlives the store');
      const write = put(store(), { key: testKey(1, 1), value: bytes('last') });
      const closing = store().close();
      const reopened = await openAgain();
      await Promise.all([write, closing]);
      expect(await textsOf(reopened, [testKey(1, 1)])).toEqual(['last']);
    });

    test('leaves others on the same data alone when one closes', async ({ skip }) => {
      skip(!store().manifest.multiProcess, 'the manifest says that only one may open the data');
      const other = await openAgain();
      await put(store(), { key: testKey(1, 1), value: bytes('x') });
      await store().close();
      await expectClosed(store());
      expect(await textsOf(other, [testKey(1, 1)])).toEqual(['x']);
      await put(other, { key: testKey(1, 1), value: bytes('y') });
      expect(await textsOf(other, [testKey(1, 1)])).toEqual(['y']);
    });
  });
}

async function expectClosed(store: Store): Promise<void> {
  const calls = [
    async (): Promise<unknown> => store.read([testKey(1, 1)], () => 1),
    async (): Promise<unknown> => store.range(wholeSpace(1), () => true),
    async (): Promise<unknown> => store.write([], () => ({ answer: 1, writes: [] })),
  ];
  for (const call of calls) await expect(call()).rejects.toMatchObject({ name: 'StorageError', code: 'closed' });
}
