import type { ItemImage } from './change-record.ts';
import { ConsumerError } from './consumer-error.ts';
import { type ConsumerOptions, type ConsumerSettings, settingsOf } from './consumer-options.ts';
import { LeaseTable } from './lease-table.ts';
import { compileFilters } from './record-filter.ts';
import { findStreamArn } from './stream-source.ts';
import { StreamWorker } from './stream-worker.ts';

/** A worker that reads the stream of a table, alone or with others that use the same table of checkpoints. */
export interface Consumer {
  /** The name under which this worker holds leases. */
  readonly workerId: string;
  /**
   * Finds the stream, creates the table of checkpoints, takes its share of the shards and begins to read them. Changes made after this resolves
   * are seen even with the starting position LATEST, if there was no worker before.
   *
   * @throws {ConsumerError} `no-table`, `no-stream`, `checkpoint-table`; `state` if it was started before.
   * @throws the service's errors for the first requests.
   */
  start(): Promise<void>;
  /** Lets running batches finish, saves the checkpoints, and releases the leases. Idempotent. */
  stop(): Promise<void>;
  /** Resolves after {@link stop}, or when the stream is disabled and all its records are done. */
  readonly ended: Promise<void>;
}

/**
 * A consumer of the stream of a table. Every change is handed to the handler at least once, and the changes of a partition key in order;
 * without failures and takeovers, exactly once.
 *
 * @throws {ConsumerError} `options` for an option out of its range.
 */
export function createConsumer<Item = ItemImage>(options: ConsumerOptions<Item>): Consumer {
  return new StreamConsumer(settingsOf(options));
}

class StreamConsumer<Item> implements Consumer {
  readonly ended: Promise<void>;
  readonly #settings: ConsumerSettings<Item>;
  readonly #matches: ((value: unknown) => boolean) | undefined;
  readonly #stop = new AbortController();
  #resolveEnded: () => void = () => undefined;
  #isStarted = false;

  constructor(settings: ConsumerSettings<Item>) {
    this.#settings = settings;
    this.#matches = compileFilters(settings.filters);
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
  }

  get workerId(): string {
    return this.#settings.workerId;
  }

  async start(): Promise<void> {
    if (this.#isStarted) throw new ConsumerError('state', 'A consumer is started once.');
    this.#isStarted = true;
    try {
      await this.#begin();
    } catch (error) {
      this.#resolveEnded();
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#resolveEnded();
    }
    await this.ended;
  }

  async #begin(): Promise<void> {
    const { dynamodb, tableName, checkpointTable, environment } = this.#settings;
    const streamArn = await findStreamArn(dynamodb, tableName);
    const table = new LeaseTable(dynamodb, { tableName: checkpointTable, streamArn, environment });
    await table.ensure();
    const worker = new StreamWorker({
      settings: this.#settings,
      matches: this.#matches,
      streamArn,
      table,
      stop: this.#stop,
    });
    try {
      await worker.begin();
    } catch (error) {
      // Leases taken already are released.
      this.#stop.abort();
      await worker.run();
      throw error;
    }
    void worker.run().then(this.#resolveEnded);
    await worker.reading();
  }
}
