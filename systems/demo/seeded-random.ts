/**
 * Random numbers that are the same in every run with the same seed (the mulberry32 generator): good enough to spread
 * customers over a day, but not for secrets.
 */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, less than 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `from` to `to`, both possible. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.fraction() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<const Values extends readonly [unknown, ...unknown[]]>(values: Values): Values[number] {
    return values[this.integer(0, values.length - 1)] ?? values[0];
  }

  /** An index into `weights`, each as likely as its weight says. */
  weightedIndex(weights: readonly number[]): number {
    let rest = this.fraction() * weights.reduce((sum, weight) => sum + weight, 0);
    return Math.max(
      weights.findIndex((weight) => (rest -= weight) < 0),
      0,
    );
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.integer(0, 255));
  }
}
