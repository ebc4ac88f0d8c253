/**
 * What was made of recently used texts, the most recently used kept. It is bounded by the length of the texts, which
 * bounds what is made of them too.
 */
export class TextCache<T> {
  readonly #charactersMax: number;
  /** From the least to the most recently used. */
  readonly #entries = new Map<string, T>();
  #characters = 0;

  /** @param charactersMax - of all texts together, in UTF-16 code units; zero keeps nothing. */
  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax;
  }

  /** Characters of the texts that are kept. */
  get characters(): number {
    return this.#characters;
  }

  /** What was kept for the text, or what `make` makes of it. When `make` throws, nothing is kept. */
  get(text: string, make: () => T): T {
    const kept = this.#entries.get(text);
    if (kept !== undefined) {
      this.#entries.delete(text);
      this.#entries.set(text, kept);
      return kept;
    }
    const made = make();
    this.#entries.set(text, made);
    this.#characters += text.length;
    this.#evict();
    return made;
  }

  #evict(): void {
    for (const text of this.#entries.keys()) {
      if (this.#characters <= this.#charactersMax) return;
      this.#entries.delete(text);
      this.#characters -= text.length;
    }
  }
}
