/** Bytes that are kept for the next read after a large one. */
const retainedBytesMax = 4 * 1024 * 1024;

const initialBytes = 64 * 1024;

/**
 * Holds copies of the values of one read: LMDB's binding reads every value into the same buffer.
 *
 * Views stay intact until `reset`, even when the arena grows meanwhile, because it grows by adding another buffer.
 */
export class ValueArena {
  #buffer = new Uint8Array(initialBytes);
  #used = 0;

  /** @returns a view of a copy. */
  copy(value: Uint8Array): Uint8Array {
    if (this.#used + value.length > this.#buffer.length) {
      this.#buffer = new Uint8Array(Math.max(this.#buffer.length * 2, value.length));
      this.#used = 0;
    }
    const view = this.#buffer.subarray(this.#used, this.#used + value.length);
    view.set(value);
    this.#used += value.length;
    return view;
  }

  /** Invalidates all views. */
  reset(): void {
    this.#used = 0;
    if (this.#buffer.length > retainedBytesMax) this.#buffer = new Uint8Array(initialBytes);
  }
}
