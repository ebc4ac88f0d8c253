import type { ConsumerEnvironment } from './consumer-environment.ts';

/** A batch is not sent with more than Lambda's payload of 6 MB; a single record always goes. */
const batchBytesMax = 6 * 1024 * 1024;

/** Something that waits in a lane. */
export interface LaneEntry {
  readonly sizeBytes: number;
}

/** A queue of the records of some partition keys, taken from in batches, one at a time. */
export class KeyLane<Entry extends LaneEntry> {
  readonly #batchSize: number;
  readonly #windowMs: number;
  readonly #environment: ConsumerEnvironment;
  readonly #signal: AbortSignal;
  readonly #queue: Entry[] = [];
  #isClosed = false;
  #arrived: () => void = () => undefined;
  /** Cuts the wait for more records short. */
  #enough = new AbortController();

  constructor(parts: {
    readonly batchSize: number;
    readonly windowMs: number;
    readonly environment: ConsumerEnvironment;
    /** When this has aborted there are no more batches; `close` informs readers that wait for one. */
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

  /** Nothing more will come: what waits goes out without waiting for more. */
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

/** The lane of a partition key: the same for the same key, by the FNV-1a hash of its text. */
export function laneOf(partitionKey: string, laneCount: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < partitionKey.length; at += 1) {
    hash = Math.imul(hash ^ partitionKey.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0) % laneCount;
}
