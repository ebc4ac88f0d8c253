import { TokenBucket } from './token-bucket.ts';

/** How far back consumption is known second by second. */
const meteredSeconds = 60;

/** A second is hot when this fraction of its units was used. */
const hotShare = 0.9;

/**
 * The reads, or the writes, of a table, an index or one partition: the units that may still be spent, those spent in each of the
 * last sixty seconds, and the number of refusals.
 *
 * Every request passes through it, so the common path is short: one comparison and one addition, and the rest once a second.
 * Only where requests are throttled is the bucket updated with each of them.
 */
export class ThroughputMeter {
  throttledCount = 0;
  /** For how many consecutive seconds, up to the last complete one, it ran at its limit. */
  hotSeconds = 0;
  readonly #bucket: TokenBucket;
  readonly #throttles: boolean;
  /** Indexed by the second modulo sixty. The present second is counted in `#unitsNow`. */
  readonly #unitsBySecond = new Float32Array(meteredSeconds);
  #second: number;
  #secondEndMs: number;
  #unitsNow = 0;
  #consumedBefore = 0;
  #consumedElsewhere = 0;
  /** Running requests that were admitted but would have been refused: they do not use the bucket. */
  #unaccounted = 0;

  /** @param options.throttles - whether requests wait for the bucket. */
  constructor(
    options: {
      readonly unitsPerSecond: number;
      readonly burstSeconds: number;
      readonly sinceMs: number;
      readonly throttles: boolean;
    },
    nowMs: number,
  ) {
    this.#bucket = new TokenBucket({ ...options, owes: options.throttles });
    this.#throttles = options.throttles;
    this.#second = Math.floor(nowMs / 1000);
    this.#secondEndMs = (this.#second + 1) * 1000;
  }

  /** Units since the meter was created, without those of other processes. */
  get consumedUnits(): number {
    return this.#consumedBefore + this.#unitsNow - this.#consumedElsewhere;
  }

  /**
   * @param reservedUnits - what {@link reserve} has already taken for it.
   * @returns the total units taken from the bucket for it: none for a request that would have been refused.
   */
  consume(units: number, reservedUnits: number, nowMs: number): number {
    if (nowMs >= this.#secondEndMs) this.#turnTo(nowMs);
    this.#unitsNow += units;
    if (!this.#throttles) return units;
    if (this.#unaccounted > 0) {
      this.#unaccounted -= 1;
      return 0;
    }
    this.#bucket.take(units - reservedUnits, nowMs);
    return units;
  }

  /** Adds the consumption of another process. @param bucketUnits - the units that its bucket gave. */
  consumeElsewhere(units: number, bucketUnits: number, nowMs: number): void {
    if (nowMs >= this.#secondEndMs) this.#turnTo(nowMs);
    this.#unitsNow += units;
    this.#consumedElsewhere += units;
    if (this.#throttles) this.#bucket.take(bucketUnits, nowMs);
  }

  /**
   * One of the running requests would have been refused, and would have consumed nothing: the next one that ends takes nothing from
   * the bucket. Which of them that is does not change their sum, provided that they cost the same.
   */
  leaveOut(nowMs: number): void {
    this.#turnTo(nowMs);
    this.#unaccounted += 1;
  }

  /** Takes the minimum cost of a request, so that requests which arrive together do not all find the same units. */
  reserve(units: number, nowMs: number): void {
    this.#bucket.take(units, nowMs);
  }

  isExhausted(nowMs: number): boolean {
    return this.#bucket.levelAt(nowMs) <= 0;
  }

  /** Changes the rate from now on. */
  configure(unitsPerSecond: number, burstSeconds: number, nowMs: number): void {
    this.#turnTo(nowMs);
    this.#bucket.configure(unitsPerSecond, burstSeconds, nowMs);
  }

  /** The bucket now. Where nothing is throttled, the consumption of the present second is not subtracted yet. */
  bucketAt(nowMs: number): { readonly units: number; readonly unitsMax: number; readonly unitsPerSecond: number } {
    this.#turnTo(nowMs);
    const { capacity, unitsPerSecond } = this.#bucket;
    return { units: this.#bucket.levelAt(nowMs), unitsMax: capacity, unitsPerSecond };
  }

  /** Average of the last sixty seconds, including the present one. */
  unitsPerSecondAt(nowMs: number): number {
    this.#turnTo(nowMs);
    let units = this.#unitsNow;
    for (const ofSecond of this.#unitsBySecond) units += ofSecond;
    return units / meteredSeconds;
  }

  #turnTo(nowMs: number): void {
    if (nowMs < this.#secondEndMs) return;
    // Requests that failed for another reason never end here.
    this.#unaccounted = 0;
    const second = Math.floor(nowMs / 1000);
    const last = this.#second;
    const units = this.#unitsNow;
    if (!this.#throttles) this.#bucket.take(units, this.#secondEndMs);
    const isHot = units >= hotShare * this.#bucket.unitsPerSecond;
    // The seconds without a request since then were not hot.
    this.hotSeconds = isHot && second === last + 1 ? this.hotSeconds + 1 : 0;
    this.#unitsBySecond[last % meteredSeconds] = units;
    const passed = Math.min(second - last, meteredSeconds);
    for (let n = 1; n <= passed; n += 1) this.#unitsBySecond[(last + n) % meteredSeconds] = 0;
    this.#consumedBefore += units;
    this.#unitsNow = 0;
    this.#second = second;
    this.#secondEndMs = (second + 1) * 1000;
  }
}
