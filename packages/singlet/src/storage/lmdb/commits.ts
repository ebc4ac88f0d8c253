import { assertKey, assertValue } from '../caller-checks.ts';
import type { CheckpointLag, Decision, StoreValue, StoreWrite } from '../store.ts';
import { keyBytesMax } from './key-bytes-max.ts';

/** Less than 16 MB: from that size on the package maps values instead of copying them. */
const valueBytesMax = 15 * 1024 * 1024;

/** Bytes after which a group accepts no further decision; the others wait for the next group. One decision may be larger. */
export const groupBytesMax: number = 8 * 1024 * 1024;

/** How writes are made durable. */
export interface Commits {
  /** The `write` of the contract. */
  write<T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>): Promise<T>;
  /** Resolves when every decision that has arrived so far is settled, even if more arrive meanwhile. */
  settled(): Promise<void>;
  /** Resolves when nothing is waiting and nothing is running. */
  idle(): Promise<void>;
  /** What is durable in a log only; absent when there is no log. */
  checkpointLag?(): CheckpointLag;
}

/** Fails a decision that no store could hold before the first of its writes is made, because half a decision must not remain. */
export function assertWrites(writes: readonly StoreWrite[]): void {
  for (const { key, value } of writes) {
    assertKey(key, keyBytesMax);
    if (value !== undefined) assertValue(value, valueBytesMax);
  }
}
