import { assertKey, assertValue } from '../caller-checks.ts';
import type { CheckpointLag, Decision, StoreValue, StoreWrite } from '../store.ts';
import { keyBytesMax } from './snapshot-reader.ts';

/** Below the 16 MB from which on the package no longer copies values but maps them. */
const valueBytesMax = 15 * 1024 * 1024;

/** Bytes after which a group takes no further decision: they wait for the next one. One decision may be larger. */
export const groupBytesMax: number = 8 * 1024 * 1024;

/** How writes are made durable. */
export interface Commits {
  /** The `write` of the contract. */
  write<T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>): Promise<T>;
  /** Resolves when every decision that has arrived so far is settled, however many more arrive meanwhile. */
  settled(): Promise<void>;
  /** Resolves when nothing is waiting and nothing is running. */
  idle(): Promise<void>;
  /** What is durable in a log only; absent where there is none. */
  checkpointLag?(): CheckpointLag;
}

/** Stops a decision that no store could hold, before the first of its writes is made: a half of it must not stay. */
export function assertWrites(writes: readonly StoreWrite[]): void {
  for (const { key, value } of writes) {
    assertKey(key, keyBytesMax);
    if (value !== undefined) assertValue(value, valueBytesMax);
  }
}
