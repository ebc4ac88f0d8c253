import { type RefusedItem, writeRecords } from './batch-writer.ts';
import type { TableEndpoint } from './dynamodb-endpoint.ts';
import type { RecordBatch } from './record-batch.ts';

/** A batch of which nothing is on its way any more. */
export interface WrittenBatch {
  /** Its records, refused ones included. */
  readonly count: number;
  readonly refused: readonly RefusedItem[];
}

/**
 * Batches that are being written, only so many at one time, and no two of them with one item: of an item that is in the
 * files more than once, the last is what stays. They are done with in the order in which they were read.
 */
export class BatchesUnderWay {
  readonly #endpoint: TableEndpoint;
  readonly #batchesMax: number;
  readonly #onDone: (batch: WrittenBatch) => Promise<void>;
  readonly #batches: { readonly batch: RecordBatch; readonly refused: Promise<readonly RefusedItem[]> }[] = [];
  /** Of their items. */
  readonly #keys = new Set<string>();

  /** @param onDone - called with one batch after the other: all that was read before it is written, too. */
  constructor(endpoint: TableEndpoint, batchesMax: number, onDone: (batch: WrittenBatch) => Promise<void>) {
    this.#endpoint = endpoint;
    this.#batchesMax = batchesMax;
    this.#onDone = onDone;
  }

  /** Begins to write a batch, once others are done that it has to wait for. @throws what ended one of those. */
  async add(batch: RecordBatch): Promise<void> {
    while (this.#batches.length === this.#batchesMax || this.#hasItemOf(batch)) await this.#finishOldest();
    for (const key of batch.keys) this.#keys.add(key);
    const refused = writeRecords(this.#endpoint, batch.records);
    // It is awaited later: until then a failure is not reported.
    refused.catch(() => undefined);
    this.#batches.push({ batch, refused });
  }

  /** Resolves when all are done. @throws what ended the first that failed. */
  async settle(): Promise<void> {
    while (this.#batches.length > 0) await this.#finishOldest();
  }

  /** Resolves when nothing is being written any more, however that ends; failures are not reported here. */
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
