import type { Store } from '../store.ts';

/** What a driver brings to be examined. */
export interface StoreFixture {
  /** An empty store. The suite closes it. */
  readonly store: Store;
  /** Opens a further store on the same data. Needed where the manifest says `durability: 'disk'` or `multiProcess`. */
  readonly openAgain?: () => Promise<Store>;
  /**
   * Ends the connections between the store and where its data is, in whichever way, while calls are running. Given where there are any:
   * then it is examined what becomes of these calls.
   */
  readonly interrupt?: () => void;
  /** Removes the data. Every store is closed by then. */
  readonly dispose?: () => Promise<void>;
}

/** Gives the tests of a suite the fixture of the running test, and closes all that they open. */
export interface FixtureAccess {
  /** The store of the running test. */
  readonly store: () => Store;
  /** Closes the store and opens its data again. */
  readonly openAgain: () => Promise<Store>;
  /** See {@link StoreFixture.interrupt}. */
  readonly interrupt: () => (() => void) | undefined;
}
