/**
 * A cache of values made from texts that were used recently. It is bounded by the length of the texts, which also bounds the size of the
 * values.
 *
 * There are two halves. A text that is used moves to the newer half. When that is full it becomes the older half, whose texts are forgotten
 * unless they are used again. So most uses need no bookkeeping.
 */
export class TextCache<T> {
  readonly #halfCharactersMax: number;
  #newer = new Map<string, T>();
  #newerCharacters = 0;
  #older = new Map<string, T>();
  #olderCharacters = 0;

  /** @param charactersMax - of all texts together, in UTF-16 code units; no text is kept that is longer than half of it. */
  constructor(charactersMax: number) {
    this.#halfCharactersMax = charactersMax / 2;
  }

  /** Characters of the texts that are kept: one that is in both halves counts twice. */
  get characters(): number {
    return this.#newerCharacters + this.#olderCharacters;
  }

  /** The cached value for the text, or the result of `make`. When `make` throws, nothing is cached. */
  get(text: string, make: () => T): T {
    const kept = this.#newer.get(text);
    if (kept !== undefined) return kept;
    const made = this.#older.get(text) ?? make();
    this.#keep(text, made);
    return made;
  }

  #keep(text: string, made: T): void {
    if (text.length > this.#halfCharactersMax) return;
    if (this.#newerCharacters + text.length > this.#halfCharactersMax) {
      this.#older = this.#newer;
      this.#olderCharacters = this.#newerCharacters;
      this.#newer = new Map();
      this.#newerCharacters = 0;
    }
    this.#newer.set(text, made);
    this.#newerCharacters += text.length;
  }
}
