/** A record that has been read and is not done yet, or waits for one before it. */
export interface ProgressEntry {
  readonly sequenceNumber: string;
  isDone: boolean;
}

/**
 * How far the records of a shard are done. Records of different keys may be done in any order; the checkpoint moves over the
 * records that are done without a gap.
 */
export class ShardProgress {
  readonly #entries: ProgressEntry[] = [];
  /** So many entries at the front are done with. */
  #passedCount = 0;
  #checkpoint: string | undefined;

  add(sequenceNumber: string): ProgressEntry {
    const entry: ProgressEntry = { sequenceNumber, isDone: false };
    this.#entries.push(entry);
    return entry;
  }

  /** @returns the checkpoint, if it has moved. */
  complete(entries: readonly ProgressEntry[]): string | undefined {
    for (const entry of entries) entry.isDone = true;
    const before = this.#checkpoint;
    for (let next = this.#entries[this.#passedCount]; next?.isDone; next = this.#entries[this.#passedCount]) {
      this.#checkpoint = next.sequenceNumber;
      this.#passedCount += 1;
    }
    if (this.#passedCount > 1000 && this.#passedCount * 2 > this.#entries.length) {
      this.#entries.splice(0, this.#passedCount);
      this.#passedCount = 0;
    }
    return this.#checkpoint === before ? undefined : this.#checkpoint;
  }

  /** Records that have been read and are before or behind the checkpoint's gap: what memory is held for. */
  get pendingCount(): number {
    return this.#entries.length - this.#passedCount;
  }
}
