/** A result and its distance. */
export interface Found<T> {
  readonly distance: number;
  /** Orders equal distances, so that the same data gives the same answer. */
  readonly key: Buffer;
  readonly what: T;
}

/** The closest few of any number of candidates, the closest first. */
export class Nearest<T> {
  readonly #countMax: number;
  readonly #found: Found<T>[] = [];

  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  /**
   * Adds a candidate if it is close enough.
   *
   * @param key - copied when it is added.
   * @param keep - called only for a candidate that is close enough; returns undefined if it does not count after all.
   */
  offer(distance: number, key: Uint8Array, keep: () => T | undefined): void {
    let at = this.#found.length;
    while (at > 0 && isBefore(distance, key, this.#found[at - 1] as Found<T>)) at -= 1;
    if (at >= this.#countMax) return;
    const what = keep();
    if (what === undefined) return;
    this.#found.splice(at, 0, { distance, key: Buffer.from(key), what });
    if (this.#found.length > this.#countMax) this.#found.pop();
  }

  get isFull(): boolean {
    return this.#found.length === this.#countMax;
  }

  get found(): readonly Found<T>[] {
    return this.#found;
  }
}

function isBefore(distance: number, key: Uint8Array, other: Found<unknown>): boolean {
  return distance < other.distance || (distance === other.distance && other.key.compare(key) > 0);
}
