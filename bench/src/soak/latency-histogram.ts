/** Buckets for each doubling: a value is known to some 2 percent. */
const bucketsPerDoubling = 32;
/** From a microsecond on; the last one has everything from some 70 minutes on. */
const bucketCount = 32 * bucketsPerDoubling;

/** Latencies of a window, in little memory however long it is. */
export class LatencyHistogram {
  readonly #counts: Uint32Array = new Uint32Array(bucketCount);
  #count = 0;
  #maxMs = 0;

  get count(): number {
    return this.#count;
  }

  get maxMs(): number {
    return this.#maxMs;
  }

  add(ms: number): void {
    const bucket = Math.floor(Math.log2(Math.max(1, ms * 1000)) * bucketsPerDoubling);
    const at = Math.min(bucketCount - 1, bucket);
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#count += 1;
    this.#maxMs = Math.max(this.#maxMs, ms);
  }

  /** The upper edge of the bucket that has the value. NaN when there are no values. */
  percentileMs(fraction: number): number {
    if (this.#count === 0) return Number.NaN;
    let left = Math.max(1, Math.ceil(fraction * this.#count - 1e-9));
    const bucket = this.#counts.findIndex((count) => (left -= count) <= 0);
    return 2 ** ((bucket + 1) / bucketsPerDoubling) / 1000;
  }
}
