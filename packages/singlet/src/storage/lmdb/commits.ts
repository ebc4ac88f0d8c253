import type { Decision, StoreValue } from '../store.ts';

/** How writes are made durable. */
export interface Commits {
  /** The `write` of the contract. */
  write<T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>): Promise<T>;
  /** Resolves when every decision that has arrived so far is settled, however many more arrive meanwhile. */
  settled(): Promise<void>;
  /** Resolves when nothing is waiting and nothing is running. */
  idle(): Promise<void>;
}
