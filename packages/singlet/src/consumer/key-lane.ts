import type { ConsumerEnvironment } from './consumer-environment.ts';

/** The maximum size of a batch, which is Lambda's payload of 6 MB; a single record is always sent. */
const batchBytesMax = 6 * 1024 * 1024;

/** An entry that waits in a lane. */
export interface LaneEntry {
  readonly sizeBytes: number;
}

/** A queue of the records of some partition keys, from which batches are taken one at a time. */
export class KeyLane<Entry extends LaneEntry> {
  readonly #batchSize: number;
  readonly #windowMs: number;
  readonly #environment: ConsumerEnvironment;
  readonly #signal: AbortSignal;
  readonly #queue: Entry[] = [];
  #isClosed = false;
  #arrived: () => void = () => undefined;
  /** Ends the wait for more records early. */
  #enough = new AbortController();

  constructor(parts: {
    readonly batchSize: number;
    readonly windowMs: number;
    readonly environment: ConsumerEnvironment;
    /** After this has aborted there are no more batches; `close` notifies readers that wait for one. */
    readonly signal: AbortSignal;
  }) {
    this.#batchSize = parts.batchSize;
    this.#windowMs = parts.windowMs;
    this.#environment = parts.environment;
    this.#signal = parts.signal;
  }

  push(entry: Entry): void {
    this.#queue.push(entry);
    this.#notify();
  }

  /** No more records will arrive; waiting ones are handed out without waiting for a full batch. */
  close(): void {
    this.#isClosed = true;
    this.#notify();
  }

  /** Waits for records, then for a full batch or the end of the window. @returns undefined when there are no more. */
  async nextBatch(): Promise<readonly Entry[] | undefined> {
    while (this.#queue.length === 0 && !this.#isClosed && !this.#signal.aborted) {
      await new Promise<void>((resolve) => (this.#arrived = resolve));
    }
    if (this.#windowMs > 0 && !this.#isEnough()) {
      this.#enough = new AbortController();
      await this.#environment.pause(this.#windowMs, this.#enough.signal);
    }
    if (this.#signal.aborted || this.#queue.length === 0) return undefined;
    return this.#queue.splice(0, this.#batchCount());
  }

  #notify(): void {
    this.#arrived();
    if (this.#isEnough()) this.#enough.abort();
  }

  #isEnough(): boolean {
    return this.#signal.aborted || this.#isClosed || this.#queue.length >= this.#batchSize;
  }

  #batchCount(): number {
    let bytes = 0;
    const tooMany = this.#queue.findIndex(({ sizeBytes }, at) => {
      bytes += sizeBytes;
      return at > 0 && (at === this.#batchSize || bytes > batchBytesMax);
    });
    return tooMany < 0 ? this.#queue.length : tooMany;
  }
}

/** The lane of a partition key, by the FNV-1a hash of its text; always the same for one key. */
export function laneOf(partitionKey: string, laneCount: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < partitionKey.length; at += 1) {
    hash = Math.imul(hash ^ partitionKey.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0) % laneCount;
}
