/**
 * A seeded source of random numbers: the same seed gives the same draws on every machine. Mulberry32, a mixer of 32 bits
 * with a period of 2^32; all arithmetic stays within 32 bits.
 */
export class RandomSource {
  #state: number;

  constructor(seed: number) {
    this.#state = mix(seed | 0);
  }

  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.#state = (this.#state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from 0 (inclusive) to `count` (exclusive). */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** An element of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    // An index below the length exists.
    return list[this.below(list.length)] as T;
  }

  /** Up to `count` elements, each once, in random order. */
  some<T>(list: readonly T[], count: number): T[] {
    const rest = [...list];
    const chosen: T[] = [];
    while (chosen.length < count && rest.length > 0) chosen.push(...rest.splice(this.below(rest.length), 1));
    return chosen;
  }

  /** A separate source for one part of the work, whose draws do not affect the other parts. */
  fork(part: number): RandomSource {
    return new RandomSource(Math.imul(this.#state ^ mix(part), 0x9e_37_79_b1));
  }
}

/** Makes neighbouring seeds diverge. */
function mix(seed: number): number {
  let mixed = seed ^ 0x5b_d1_e9_95;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85_eb_ca_6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2_b2_ae_35);
  return (mixed ^ (mixed >>> 16)) | 0;
}
