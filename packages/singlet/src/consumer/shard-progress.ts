/** A record that has been read, and is not done or waits for an earlier one. */
export interface ProgressEntry {
  readonly sequenceNumber: string;
  isDone: boolean;
}

/**
 * Tracks which records of a shard are done. Records of different keys may be done in any order; the checkpoint advances over the records that
 * are done without a gap.
 */
export class ShardProgress {
  readonly #entries: ProgressEntry[] = [];
  /** The number of entries at the front that are no longer needed. */
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

  /** The number of records that have been read and are not covered by the checkpoint, which occupy memory. */
  get pendingCount(): number {
    return this.#entries.length - this.#passedCount;
  }
}
