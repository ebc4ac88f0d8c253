/**
 * Units that may be spent: a fixed number is added each second, and unspent units are kept up to a capacity.
 *
 * The cost of a request is known only after it has run. So a request may take more than is left; the bucket then goes
 * into debt, and no request is served until the debt is paid. A request is refused if it finds the bucket at or below zero.
 */
export class TokenBucket {
  readonly #owes: boolean;
  #unitsPerSecond: number;
  #capacity: number;
  #level: number;
  #updatedMs: number;

  /**
   * @param options.sinceMs - when it began to fill; it held one second's units then.
   * @param options.owes - whether it goes below zero. One that only shows what would be left does not: no request waits for it.
   */
  constructor(options: {
    readonly unitsPerSecond: number;
    readonly burstSeconds: number;
    readonly sinceMs: number;
    readonly owes: boolean;
  }) {
    this.#unitsPerSecond = options.unitsPerSecond;
    this.#capacity = options.unitsPerSecond * options.burstSeconds;
    this.#level = options.unitsPerSecond;
    this.#updatedMs = options.sinceMs;
    this.#owes = options.owes;
  }

  get unitsPerSecond(): number {
    return this.#unitsPerSecond;
  }

  get capacity(): number {
    return this.#capacity;
  }

  /** Changes the rate from now on. Saved units stay, as far as there is room. */
  configure(unitsPerSecond: number, burstSeconds: number, nowMs: number): void {
    this.#level = this.levelAt(nowMs);
    this.#updatedMs = nowMs;
    this.#unitsPerSecond = unitsPerSecond;
    this.#capacity = unitsPerSecond * burstSeconds;
  }

  levelAt(nowMs: number): number {
    // A clock that is set back adds nothing, and removes nothing.
    const elapsedMs = nowMs > this.#updatedMs ? nowMs - this.#updatedMs : 0;
    const level = this.#level + (elapsedMs * this.#unitsPerSecond) / 1000;
    return level < this.#capacity ? level : this.#capacity;
  }

  take(units: number, nowMs: number): void {
    const level = this.levelAt(nowMs) - units;
    this.#level = level < 0 && !this.#owes ? 0 : level;
    this.#updatedMs = nowMs;
  }
}
