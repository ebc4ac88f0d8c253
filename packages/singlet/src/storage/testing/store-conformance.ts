import { afterEach, beforeEach, describe } from 'vitest';
import type { Store } from '../store.ts';
import { concurrencySuite } from './concurrency-suite.ts';
import { historySuite } from './history-suite.ts';
import { processSuite } from './process-suite.ts';
import { interruptionSuite } from './interruption-suite.ts';
import { lifecycleSuite } from './lifecycle-suite.ts';
import { rangeSuite } from './range-suite.ts';
import { readWriteSuite } from './read-write-suite.ts';
import { skewSuite } from './skew-suite.ts';
import type { FixtureAccess, StoreFixture } from './store-fixture.ts';

export type { FixtureAccess, StoreFixture } from './store-fixture.ts';

/**
 * Tests whether a driver keeps the contract of `Store`. A driver's test file is a factory and one call:
 *
 *     describeStore('memory', async () => ({ store: openMemoryStore() }));
 *
 * Features that the manifest excludes are skipped, and so are the tests of lost connections and of several processes where the fixture has neither
 * (`interrupt`, `startProcess`).
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
      interrupt: () => present(fixture).interrupt,
      startProcess: () => present(fixture).startProcess,
    };
    rangeSuite(access);
    readWriteSuite(access);
    concurrencySuite(access);
    lifecycleSuite(access);
    skewSuite(access);
    interruptionSuite(access);
    processSuite(access);
    historySuite(access);
  });
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError('the fixture lacks what the manifest of its store promises');
  return value;
}
