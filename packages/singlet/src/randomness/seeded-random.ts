/**
 * A source of repeatable randomness for weather, verification, tests and fault injection: the same seed gives the same numbers everywhere. (A
 * 32-bit xorshift generator with a final multiplication. Good enough for choices, and for nothing else.)
 */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    // Spreads neighbouring seeds apart; the generator must not start at zero.
    this.#state = Math.imul(seed ^ 0x9e37_79b9, 0x85eb_ca6b) >>> 0 || 1;
  }

  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state >>> 0;
    return (Math.imul(this.#state, 0x9e37_79b1) >>> 0) / 0x1_0000_0000;
  }

  /** An integer from `min` to `max`, both inclusive. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** True with a probability from 0 (never) to 1 (always). */
  chance(probability: number): boolean {
    return this.next() < probability;
  }
}
