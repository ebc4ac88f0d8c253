import { AssertionError } from 'node:assert';
import { partitionPrefixBytes } from './store.ts';

/** Fails a call whose key no store could hold. The message gives the sizes only, because the bytes may be a customer's. */
export function assertKey(key: Uint8Array, keyBytesMax: number): void {
  if (key.length >= partitionPrefixBytes && key.length <= keyBytesMax) {
    if (key[0] !== 0xff || !isOfDriver(key)) return;
    throw new AssertionError({
      message: `a key begins with ${partitionPrefixBytes + 1} bytes 0xff: drivers have those`,
    });
  }
  throw new AssertionError({
    message: `a key has ${key.length} bytes; this store takes ${partitionPrefixBytes} to ${keyBytesMax}`,
  });
}

/** Whether a key is after the last partition. */
function isOfDriver(key: Uint8Array): boolean {
  return key.length > partitionPrefixBytes && key.subarray(0, partitionPrefixBytes + 1).every((byte) => byte === 0xff);
}

/** Fails a call whose value is larger than the store can hold. */
export function assertValue(value: Uint8Array, valueBytesMax: number): void {
  if (value.length <= valueBytesMax) return;
  throw new AssertionError({
    message: `a value has ${value.length} bytes; this store takes at most ${valueBytesMax}`,
  });
}

/**
 * Tracks whether a caller's function is running inside the store. Every verb calls `assertOutside` first: a nested call
 * would see half of a decision, or overwrite the views that the outer function still reads.
 */
export class CallerGuard {
  #inside = false;

  assertOutside(): void {
    if (!this.#inside) return;
    throw new AssertionError({ message: 'the store was called from inside a body, visitor or decision' });
  }

  /** Runs a caller's function with calls into the store forbidden. */
  run<A, T>(body: (argument: A) => T, argument: A): T {
    this.#inside = true;
    try {
      return body(argument);
    } finally {
      this.#inside = false;
    }
  }
}
