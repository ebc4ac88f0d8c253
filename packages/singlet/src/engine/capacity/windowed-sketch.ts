import { type HeavyHitter, SpaceSavingSketch } from './space-saving-sketch.ts';

/**
 * The keys of greatest weight in the recent past: a sketch for the present window of time and one for the window before it, so
 * that past demand is forgotten.
 */
export class WindowedSketch {
  readonly #capacity: number;
  readonly #windowMs: number;
  #present: SpaceSavingSketch;
  #last: SpaceSavingSketch | undefined;
  /** Number of the present window since the epoch. */
  #window: number;
  readonly #sinceMs: number;

  constructor(options: { readonly capacity: number; readonly windowMs: number; readonly nowMs: number }) {
    this.#capacity = options.capacity;
    this.#windowMs = options.windowMs;
    this.#window = Math.floor(options.nowMs / options.windowMs);
    this.#sinceMs = options.nowMs;
    this.#present = new SpaceSavingSketch(options.capacity);
  }

  add(key: string, weight: number, part: 0 | 1, nowMs: number): void {
    this.#turnTo(nowMs);
    this.#present.add(key, weight, part);
  }

  /** The greatest weights of both windows together, greatest first, and since when they were counted. */
  top(
    countMax: number,
    nowMs: number,
  ): { readonly sinceMs: number; readonly totalWeight: number; readonly hitters: readonly HeavyHitter[] } {
    this.#turnTo(nowMs);
    const sum = new Map<string, HeavyHitter>();
    for (const sketch of [this.#last, this.#present]) {
      for (const hitter of sketch?.heavyHitters() ?? []) {
        const known = sum.get(hitter.key);
        sum.set(hitter.key, known === undefined ? hitter : together(known, hitter));
      }
    }
    const firstWindow = this.#last === undefined ? this.#window : this.#window - 1;
    return {
      sinceMs: Math.max(this.#sinceMs, firstWindow * this.#windowMs),
      totalWeight: this.#present.totalWeight + (this.#last?.totalWeight ?? 0),
      hitters: [...sum.values()].toSorted((a, b) => b.weight - a.weight || (a.key < b.key ? -1 : 1)).slice(0, countMax),
    };
  }

  #turnTo(nowMs: number): void {
    const window = Math.floor(nowMs / this.#windowMs);
    if (window <= this.#window) return;
    this.#last = window === this.#window + 1 ? this.#present : new SpaceSavingSketch(this.#capacity);
    this.#present = new SpaceSavingSketch(this.#capacity);
    this.#window = window;
  }
}

function together(a: HeavyHitter, b: HeavyHitter): HeavyHitter {
  return {
    key: a.key,
    weight: a.weight + b.weight,
    error: a.error + b.error,
    parts: [a.parts[0] + b.parts[0], a.parts[1] + b.parts[1]],
  };
}
