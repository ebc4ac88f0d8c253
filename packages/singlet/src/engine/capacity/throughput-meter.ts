import { TokenBucket } from './token-bucket.ts';

/** How far back consumption is known second by second. */
const meteredSeconds = 60;

/** A second is hot when this part of what there is in it was used. */
const hotShare = 0.9;

/**
 * The reads, or the writes, of a table, an index or one partition: what may still be spent, what was spent in each of the last
 * sixty seconds, and how often it was refused.
 *
 * It is on the way of every request, so that way is short: one comparison and one addition, and the rest once a second. Only
 * where requests are throttled the bucket is kept up to date with each of them.
 */
export class ThroughputMeter {
  throttledCount = 0;
  /** For how many seconds in a row, up to the last one that is over, it ran at its limit. */
  hotSeconds = 0;
  readonly #bucket: TokenBucket;
  readonly #throttles: boolean;
  /** By the second modulo sixty; the present one is counted in `#unitsNow`. */
  readonly #unitsBySecond = new Float32Array(meteredSeconds);
  #second: number;
  #secondEndMs: number;
  #unitsNow = 0;
  #consumedBefore = 0;
  #consumedElsewhere = 0;
  /** Requests under way that are let through and would have been refused: the bucket has nothing to do with them. */
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

  /** Units since the meter is there, without those of other processes. */
  get consumedUnits(): number {
    return this.#consumedBefore + this.#unitsNow - this.#consumedElsewhere;
  }

  /**
   * @param reservedUnits - what {@link reserve} has taken for it already.
   * @returns the units that the bucket has given for it in all: none for a request that would have been refused.
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

  /** Counts what another process has consumed. @param bucketUnits - what its bucket has given for it. */
  consumeElsewhere(units: number, bucketUnits: number, nowMs: number): void {
    if (nowMs >= this.#secondEndMs) this.#turnTo(nowMs);
    this.#unitsNow += units;
    this.#consumedElsewhere += units;
    if (this.#throttles) this.#bucket.take(bucketUnits, nowMs);
  }

  /**
   * One of the requests under way would have been refused, and then would have consumed nothing: the next that ends takes nothing from the
   * bucket. Which of them it is makes no difference to their sum, as far as they cost the same.
   */
  leaveOut(nowMs: number): void {
    this.#turnTo(nowMs);
    this.#unaccounted += 1;
  }

  /** Takes what a request will cost at least, so that those which arrive together do not all find the same units. */
  reserve(units: number, nowMs: number): void {
    this.#bucket.take(units, nowMs);
  }

  isExhausted(nowMs: number): boolean {
    return this.#bucket.levelAt(nowMs) <= 0;
  }

  /** Other units come in from now on. */
  configure(unitsPerSecond: number, burstSeconds: number, nowMs: number): void {
    this.#turnTo(nowMs);
    this.#bucket.configure(unitsPerSecond, burstSeconds, nowMs);
  }

  /** The bucket as it is now. Where nothing is throttled, what was used in the present second is not taken off yet. */
  bucketAt(nowMs: number): { readonly units: number; readonly unitsMax: number; readonly unitsPerSecond: number } {
    this.#turnTo(nowMs);
    const { capacity, unitsPerSecond } = this.#bucket;
    return { units: this.#bucket.levelAt(nowMs), unitsMax: capacity, unitsPerSecond };
  }

  /** Average of the last sixty seconds, the present one included. */
  unitsPerSecondAt(nowMs: number): number {
    this.#turnTo(nowMs);
    let units = this.#unitsNow;
    for (const ofSecond of this.#unitsBySecond) units += ofSecond;
    return units / meteredSeconds;
  }

  #turnTo(nowMs: number): void {
    if (nowMs < this.#secondEndMs) return;
    // Those that failed for another reason never end here.
    this.#unaccounted = 0;
    const second = Math.floor(nowMs / 1000);
    const last = this.#second;
    const units = this.#unitsNow;
    if (!this.#throttles) this.#bucket.take(units, this.#secondEndMs);
    const isHot = units >= hotShare * this.#bucket.unitsPerSecond;
    // Seconds in between, without a request, were not hot.
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
