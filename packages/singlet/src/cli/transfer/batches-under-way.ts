import { type RefusedItem, writeRecords } from './batch-writer.ts';
import type { TableEndpoint } from './dynamodb-endpoint.ts';
import type { RecordBatch } from './record-batch.ts';

/** A batch that has been processed completely. */
export interface WrittenBatch {
  /** The number of its records, including refused ones. */
  readonly count: number;
  readonly refused: readonly RefusedItem[];
}

/**
 * Batches being written: a limited number at a time, and no two of them with the same item. If an item occurs in the files more than once, the
 * last occurrence wins. Batches complete in the order in which they were read.
 */
export class BatchesUnderWay {
  readonly #endpoint: TableEndpoint;
  readonly #batchesMax: number;
  readonly #onDone: (batch: WrittenBatch) => Promise<void>;
  readonly #batches: { readonly batch: RecordBatch; readonly refused: Promise<readonly RefusedItem[]> }[] = [];
  /** The keys of their items. */
  readonly #keys = new Set<string>();

  /** @param onDone - called for one batch after the other: everything read before it has been written, too. */
  constructor(endpoint: TableEndpoint, batchesMax: number, onDone: (batch: WrittenBatch) => Promise<void>) {
    this.#endpoint = endpoint;
    this.#batchesMax = batchesMax;
    this.#onDone = onDone;
  }

  /** Begins to write a batch, after waiting for conflicting batches and for a free place. @throws the error of a batch that it waited for. */
  async add(batch: RecordBatch): Promise<void> {
    while (this.#batches.length === this.#batchesMax || this.#hasItemOf(batch)) await this.#finishOldest();
    for (const key of batch.keys) this.#keys.add(key);
    const refused = writeRecords(this.#endpoint, batch.records);
    // Awaited later; until then a rejection must not be reported as unhandled.
    refused.catch(() => undefined);
    this.#batches.push({ batch, refused });
  }

  /** Resolves when all are written. @throws the error of the first that failed. */
  async settle(): Promise<void> {
    while (this.#batches.length > 0) await this.#finishOldest();
  }

  /** Resolves when nothing is being written any more; failures are not reported here. */
  async abandon(): Promise<void> {
    await Promise.allSettled(this.#batches.splice(0).map(({ refused }) => refused));
  }

  #hasItemOf(batch: RecordBatch): boolean {
    for (const key of batch.keys) if (this.#keys.has(key)) return true;
    return false;
  }

  async #finishOldest(): Promise<void> {
    const oldest = this.#batches.shift();
    if (oldest === undefined) return;
    const { batch } = oldest;
    const refused = await oldest.refused;
    for (const key of batch.keys) this.#keys.delete(key);
    await this.#onDone({ count: batch.records.length, refused });
  }
}
