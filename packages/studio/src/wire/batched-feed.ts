/** Entries as they arrive, the newest first. They are kept by id and shown in batches, so that a thousand per second cause five renders. */
export class BatchedFeed<Entry> {
  readonly #idOf: (entry: Entry) => string;
  readonly #isNewer: (a: Entry, b: Entry) => boolean;
  readonly #entriesMax: number;
  readonly #listeners = new Set<() => void>();
  #waiting: Entry[] = [];
  #known = new Set<string>();
  #entries: readonly Entry[] = [];
  #isDue = false;

  /** @param options.entriesMax - older entries are dropped. */
  constructor(options: {
    readonly idOf: (entry: Entry) => string;
    readonly isNewer: (a: Entry, b: Entry) => boolean;
    readonly entriesMax: number;
  }) {
    this.#idOf = options.idOf;
    this.#isNewer = options.isNewer;
    this.#entriesMax = options.entriesMax;
  }

  /** A known entry is not added again, because an interrupted connection may deliver it twice. */
  readonly add = (entries: readonly Entry[]): void => {
    for (const entry of entries) {
      const id = this.#idOf(entry);
      if (this.#known.has(id)) continue;
      this.#known.add(id);
      this.#waiting.push(entry);
    }
    if (this.#waiting.length === 0 || this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => this.#flush(), batchMs);
  };

  readonly clear = (): void => {
    this.#waiting = [];
    this.#set([]);
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): readonly Entry[] => this.#entries;

  #flush(): void {
    this.#isDue = false;
    const all = [...this.#waiting, ...this.#entries];
    this.#waiting = [];
    all.sort((a, b) => (this.#isNewer(a, b) ? -1 : this.#isNewer(b, a) ? 1 : 0));
    this.#set(all.slice(0, this.#entriesMax));
  }

  #set(entries: readonly Entry[]): void {
    this.#entries = entries;
    this.#known = new Set(entries.map(this.#idOf));
    for (const listener of this.#listeners) listener();
  }
}

const batchMs = 200;
