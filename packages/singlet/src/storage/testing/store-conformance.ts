import { afterEach, beforeEach, describe } from 'vitest';
import type { Store } from '../store.ts';
import { concurrencySuite } from './concurrency-suite.ts';
import { historySuite } from './history-suite.ts';
import { lifecycleSuite } from './lifecycle-suite.ts';
import { rangeSuite } from './range-suite.ts';
import { readWriteSuite } from './read-write-suite.ts';

/** What a driver brings to be examined. */
export interface StoreFixture {
  /** An empty store. The suite closes it. */
  readonly store: Store;
  /** Opens a further store on the same data. Needed where the manifest says `durability: 'disk'` or `multiProcess`. */
  readonly openAgain?: () => Promise<Store>;
  /** Removes the data. Every store is closed by then. */
  readonly dispose?: () => Promise<void>;
}

/** Gives the tests of a suite the fixture of the running test, and closes all that they open. */
export interface FixtureAccess {
  readonly store: () => Store;
  readonly openAgain: () => Promise<Store>;
}

/**
 * Examines whether a driver keeps the contract of `Store`. A driver's test file is a factory and one call:
 *
 *     describeStore('memory', async () => ({ store: openMemoryStore() }));
 *
 * What a driver cannot do is skipped by what its manifest says, and by nothing else.
 *
 * @param createFixture - called before every test.
 */
export function describeStore(name: string, createFixture: () => Promise<StoreFixture>): void {
  describe(`store contract: ${name}`, () => {
    let fixture: StoreFixture | undefined;
    let opened: Store[] = [];

    beforeEach(async () => {
      fixture = await createFixture();
      opened = [fixture.store];
    });

    afterEach(async () => {
      await Promise.all(opened.map((store) => store.close()));
      await fixture?.dispose?.();
      fixture = undefined;
    });

    const access: FixtureAccess = {
      store: () => present(fixture).store,
      openAgain: async () => {
        const store = await present(present(fixture).openAgain)();
        opened.push(store);
        return store;
      },
    };
    rangeSuite(access);
    readWriteSuite(access);
    concurrencySuite(access);
    lifecycleSuite(access);
    historySuite(access);
  });
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError('the fixture lacks what the manifest of its store promises');
  return value;
}
