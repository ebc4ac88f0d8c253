/** How often a key was counted, and the maximum overcount. */
export interface HeavyHitter {
  readonly key: string;
  /** At least the true weight, and at most `error` more. */
  readonly weight: number;
  readonly error: number;
  /** The parts of the weight that were added as the first and as the second kind. The rest is the error. */
  readonly parts: readonly [number, number];
}

interface Counter {
  key: string;
  weight: number;
  error: number;
  parts: [number, number];
  /** Index in the heap. */
  at: number;
}

/**
 * The keys of greatest weight in a stream, in bounded memory: the Space-Saving algorithm (Metwally, Agrawal, El Abbadi 2005)
 * with weights.
 *
 * When all `capacity` counters are in use, a key without one takes over the smallest, with its weight as the possible error. So
 * no weight is too small, and none is too large by more than the smallest counter, which is at most total / capacity. Every
 * key that weighs more than that is present.
 */
export class SpaceSavingSketch {
  readonly #capacity: number;
  readonly #counters = new Map<string, Counter>();
  /** A heap with the smallest weight first. */
  readonly #heap: Counter[] = [];
  #totalWeight = 0;

  /** @param capacity - the maximum number of keys counted, at least one. */
  constructor(capacity: number) {
    this.#capacity = Math.max(1, capacity);
  }

  get totalWeight(): number {
    return this.#totalWeight;
  }

  /** @param part - which of the two kinds of weight it is. */
  add(key: string, weight: number, part: 0 | 1 = 0): void {
    this.#totalWeight += weight;
    const known = this.#counters.get(key);
    if (known !== undefined) {
      known.weight += weight;
      known.parts[part] += weight;
      this.#sink(known);
      return;
    }
    if (this.#heap.length < this.#capacity) {
      const counter: Counter = { key, weight, error: 0, parts: [0, 0], at: this.#heap.length };
      counter.parts[part] = weight;
      this.#counters.set(key, counter);
      this.#heap.push(counter);
      this.#rise(counter);
      return;
    }
    const smallest = this.#heap[0] as Counter; // the heap is full
    this.#counters.delete(smallest.key);
    smallest.key = key;
    smallest.error = smallest.weight;
    smallest.weight += weight;
    smallest.parts = [0, 0];
    smallest.parts[part] = weight;
    this.#counters.set(key, smallest);
    this.#sink(smallest);
  }

  /** All keys that have a counter, the greatest weight first. */
  heavyHitters(): readonly HeavyHitter[] {
    return this.#heap
      .map(({ key, weight, error, parts }): HeavyHitter => ({ key, weight, error, parts: [parts[0], parts[1]] }))
      .toSorted((a, b) => b.weight - a.weight || (a.key < b.key ? -1 : 1));
  }

  #rise(counter: Counter): void {
    while (counter.at > 0) {
      const parent = this.#heap[(counter.at - 1) >>> 1] as Counter; // a parent's index is smaller, so it exists
      if (parent.weight <= counter.weight) return;
      this.#swap(parent, counter);
    }
  }

  #sink(counter: Counter): void {
    for (;;) {
      const left = this.#heap[2 * counter.at + 1];
      const right = this.#heap[2 * counter.at + 2];
      const child = right !== undefined && left !== undefined && right.weight < left.weight ? right : left;
      if (child === undefined || child.weight >= counter.weight) return;
      this.#swap(child, counter);
    }
  }

  #swap(a: Counter, b: Counter): void {
    [a.at, b.at] = [b.at, a.at];
    this.#heap[a.at] = a;
    this.#heap[b.at] = b;
  }
}
