/** Buckets for each doubling: a value is accurate to about 2 percent. */
const bucketsPerDoubling = 32;
/** Starts at a microsecond. The last bucket has everything above about 70 minutes. */
const bucketCount = 32 * bucketsPerDoubling;

/** The latencies of a window, in constant and small memory. */
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

  /** The upper edge of the bucket that contains the value. NaN when there are no values. */
  percentileMs(fraction: number): number {
    if (this.#count === 0) return Number.NaN;
    let left = Math.max(1, Math.ceil(fraction * this.#count - 1e-9));
    const bucket = this.#counts.findIndex((count) => (left -= count) <= 0);
    return 2 ** ((bucket + 1) / bucketsPerDoubling) / 1000;
  }
}
