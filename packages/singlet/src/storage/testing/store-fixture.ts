import type { Store } from '../store.ts';
import type { OtherProcess } from './store-process-protocol.ts';

/** What a driver provides for the tests. */
export interface StoreFixture {
  /** An empty store. The suite closes it. */
  readonly store: Store;
  /** Opens a further store on the same data. Needed when the manifest says `durability: 'disk'` or `multiProcess`. */
  readonly openAgain?: () => Promise<Store>;
  /**
   * Ends the connections between the store and its data, in any way, while calls are running. Present if there are any connections:
   * the suite then tests the outcome of these calls.
   */
  readonly interrupt?: () => void;
  /** Starts another process, which opens a store on the same data. With it, the suite tests several processes. */
  readonly startProcess?: () => OtherProcess;
  /** Removes the data. Every store is closed by then. */
  readonly dispose?: () => Promise<void>;
}

/** Gives the tests of a suite the fixture of the running test, and closes every store that they open. */
export interface FixtureAccess {
  /** The store of the running test. */
  readonly store: () => Store;
  /** Closes the store and opens its data again. */
  readonly openAgain: () => Promise<Store>;
  /** See {@link StoreFixture.interrupt}. */
  readonly interrupt: () => (() => void) | undefined;
  /** See {@link StoreFixture.startProcess}. */
  readonly startProcess: () => (() => OtherProcess) | undefined;
}
