import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { describeStore } from '../testing/store-conformance.ts';
import { type ForkableStore, type Layer, openMemoryStore, openMemoryStoreOver } from './memory-store.ts';

describeStore('memory', async () => ({ store: openMemoryStore() }));

/** A store with its own entries, which the fork removes again: it must act like an empty one. */
async function emptiedFork(): Promise<ForkableStore> {
  const store = openMemoryStore();
  const keys = Array.from({ length: 200 }, (_, index) => keyOf(index));
  await write(
    store,
    keys.map((key) => [key, Uint8Array.of(1, 2, 3)] as const),
  );
  const fork = store.fork();
  await store.close();
  await write(
    fork,
    keys.map((key) => [key, undefined] as const),
  );
  return fork;
}

describeStore('memory, a fork', async () => ({ store: openMemoryStore().fork() }));
describeStore('memory, a fork of a fork that was emptied', async () => ({ store: (await emptiedFork()).fork() }));
describeStore('memory, with forks', async () => {
  const store = openMemoryStore();
  store.fork();
  return { store };
});

function keyOf(number: number): Uint8Array {
  const key = new Uint8Array(24).fill(7);
  key.set([number >> 8, number & 255], 20);
  return key;
}

async function write(
  store: Store,
  writes: readonly (readonly [key: Uint8Array, value: Uint8Array | undefined])[],
): Promise<void> {
  await store.write([], () => ({ answer: undefined, writes: writes.map(([key, value]) => ({ key, value })) }));
}

type Model = ReadonlyMap<number, number>;

/** All answers of a store about keys 0 to 39, in both directions and in parts. */
async function contents(store: Store, limit: number): Promise<unknown> {
  const seen = async (reverse: boolean): Promise<number[][]> => {
    const entries: number[][] = [];
    await store.range({ from: keyOf(5), to: keyOf(35), reverse, limit }, (key, value) => {
      entries.push([key[21] ?? 0, value[0] ?? 0]);
      return true;
    });
    return entries;
  };
  const keys = Array.from({ length: 40 }, (_, index) => keyOf(index));
  const values = await store.read(keys, (found) => found.map((value) => value?.[0]));
  return { up: await seen(false), down: await seen(true), values };
}

function expectedOf(model: Model, limit: number): unknown {
  const entries = [...model].filter(([key]) => key >= 5 && key < 35).sort(([a], [b]) => a - b);
  return {
    up: entries.slice(0, limit),
    down: entries.toReversed().slice(0, limit),
    values: Array.from({ length: 40 }, (_, index) => model.get(index)),
  };
}

describe('forks', () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ at: fc.nat(), writes: fc.array(fc.tuple(fc.nat(39), fc.option(fc.nat(255)))) }),
    },
    { weight: 1, arbitrary: fc.record({ at: fc.nat(), fork: fc.constant(true) }) },
  );

  test('each has what it was forked from, and its own writes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.integer({ min: 1, max: 40 }), async (steps, limit) => {
        const stores: { readonly store: ForkableStore; readonly model: Map<number, number> }[] = [
          { store: openMemoryStore(), model: new Map() },
        ];
        for (const each of steps) {
          const chosen = stores[each.at % stores.length] as (typeof stores)[number]; // there is one at least
          if ('fork' in each) {
            stores.push({ store: chosen.store.fork(), model: new Map(chosen.model) });
            continue;
          }
          const writes = new Map(each.writes);
          await write(
            chosen.store,
            [...writes].map(([key, value]) => [keyOf(key), value === null ? undefined : Uint8Array.of(value)]),
          );
          for (const [key, value] of writes) {
            if (value === null) chosen.model.delete(key);
            else chosen.model.set(key, value);
          }
        }
        for (const { store, model } of stores) expect(await contents(store, limit)).toEqual(expectedOf(model, limit));
      }),
    );
  });

  test('many forks of a store that is not written to are no deeper than one', async () => {
    const store = openMemoryStore();
    await write(store, [[keyOf(1), Uint8Array.of(1)]]);
    const forks = Array.from({ length: 20_000 }, () => store.fork());
    expect(await contents(forks.at(-1) as Store, 40)).toEqual(expectedOf(new Map([[1, 1]]), 40));
  });

  test('verify what they read if they began with the entries of another store', () => {
    const over = openMemoryStoreOver(openMemoryStore() as unknown as Layer);
    expect(openMemoryStore().fork().manifest.readsOwnMemory).toBe(true);
    expect(over.manifest.readsOwnMemory).toBe(false);
    expect(over.fork().manifest.readsOwnMemory).toBe(false);
  });

  test('a closed store has none', async () => {
    const store = openMemoryStore();
    await store.close();
    expect(() => store.fork()).toThrow('the store is closed');
  });
});
