import type { ItemImage } from './change-record.ts';
import { ConsumerError } from './consumer-error.ts';
import { type ConsumerOptions, type ConsumerSettings, settingsOf } from './consumer-options.ts';
import { type Lease, shardEnd, type StreamStart } from './lease.ts';
import { LeaseHold } from './lease-hold.ts';
import { planLeases } from './lease-plan.ts';
import { LeaseTable } from './lease-table.ts';
import { compileFilters } from './record-filter.ts';
import { runShard } from './shard-run.ts';
import { describeStream, findStreamArn, type StreamDescription } from './stream-source.ts';

/** A worker that reads the stream of a table, alone or with others that name the same table of checkpoints. */
export interface Consumer {
  readonly workerId: string;
  /**
   * Finds the stream, makes the table of checkpoints, takes its share of the shards and begins to read them. What is written
   * after this resolves is seen even with the starting position LATEST, if no other worker was there before.
   *
   * @throws {ConsumerError} `no-table`, `no-stream`, `checkpoint-table`; `state` when it was started before.
   * @throws what the service answers to the first requests.
   */
  start(): Promise<void>;
  /** Lets running batches finish, saves the checkpoints, and gives the leases back. Idempotent. */
  stop(): Promise<void>;
  /** Resolves after {@link stop}, or when the stream is disabled and every record of it is done. */
  readonly ended: Promise<void>;
}

/**
 * A consumer of the stream of a table. Every change is handed to the handler at least once, the changes of a partition key in
 * order; without failures and takeovers, exactly once.
 *
 * @throws {ConsumerError} `options` for an option out of its range.
 */
export function createConsumer<Item = ItemImage>(options: ConsumerOptions<Item>): Consumer {
  return new StreamConsumer(settingsOf(options));
}

/** A lease is renewed so many times within the lease time. */
const roundsPerLease = 3;

interface HeldShard {
  readonly hold: LeaseHold;
  /** Resolves when the shard is being read, or will not be. */
  readonly reading: Promise<void>;
  readonly done: Promise<void>;
}

class StreamConsumer<Item> implements Consumer {
  readonly ended: Promise<void>;
  readonly #settings: ConsumerSettings<Item>;
  readonly #matches: ((value: unknown) => boolean) | undefined;
  readonly #stop = new AbortController();
  readonly #held = new Map<string, HeldShard>();
  /** The counter of each lease, and since when it has stood there by this worker's clock. */
  readonly #observed = new Map<string, { readonly counter: number; readonly sinceMs: number }>();
  #wake = new AbortController();
  #resolveEnded: () => void = () => undefined;
  #isStarted = false;
  #streamArn = '';
  #table: LeaseTable;
  #stream: StreamDescription = { isDisabled: false, partitionKeyName: '', shards: [] };
  #nextSyncMs = 0;

  constructor(settings: ConsumerSettings<Item>) {
    this.#settings = settings;
    this.#matches = compileFilters(settings.filters);
    this.#table = new LeaseTable(settings.dynamodb, settings.checkpointTable, '');
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
  }

  get workerId(): string {
    return this.#settings.workerId;
  }

  async start(): Promise<void> {
    if (this.#isStarted) throw new ConsumerError('state', 'A consumer is started once.');
    this.#isStarted = true;
    const { dynamodb, tableName, checkpointTable, environment } = this.#settings;
    try {
      this.#streamArn = await findStreamArn(dynamodb, tableName);
      this.#table = new LeaseTable(dynamodb, checkpointTable, this.#streamArn);
      await this.#table.ensure(environment);
      await this.#round();
    } catch (error) {
      await this.#finish();
      throw error;
    }
    void this.#run();
    await Promise.all([...this.#held.values()].map(({ reading }) => reading));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wake.abort();
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#resolveEnded();
    }
    await this.ended;
  }

  async #run(): Promise<void> {
    const { environment, leaseMs, onEvent } = this.#settings;
    while (!this.#stop.signal.aborted || this.#held.size > 0) {
      if (!this.#wake.signal.aborted) {
        const roundMs = (leaseMs / roundsPerLease) * (0.9 + environment.random() / 10);
        await environment.pause(Math.floor(roundMs), this.#wake.signal);
      }
      this.#wake = new AbortController();
      try {
        await this.#round();
      } catch (error) {
        onEvent({ level: 'warn', event: 'leases could not be looked after, is tried again', error });
      }
    }
    await this.#finish();
  }

  async #finish(): Promise<void> {
    this.#stop.abort();
    await Promise.all([...this.#held.values()].map(({ done }) => done));
    this.#resolveEnded();
  }

  /** Keeps what is held, and, unless the worker is stopping, finds new shards and takes its share. */
  async #round(): Promise<void> {
    const { environment } = this.#settings;
    const isStopping = this.#stop.signal.aborted;
    await Promise.all([...this.#held.values()].map(({ hold }) => this.#renew(hold)));
    if (isStopping) return;
    if (environment.nowMs() >= this.#nextSyncMs) await this.#findShards();
    const { leases } = await this.#table.read();
    this.#observe(leases);
    const wanted = planLeases({
      leases,
      worker: this.workerId,
      heldShardIds: new Set(this.#held.keys()),
      isFree: (lease) => this.#isExpired(lease),
      random: () => environment.random(),
    });
    await Promise.all(wanted.map((lease) => this.#take(lease)));
    if (this.#stream.isDisabled && this.#held.size === 0 && ![...leases.values()].some(isUnfinished)) {
      this.#settings.onEvent({
        level: 'info',
        event: 'stream is disabled and has been read',
        streamArn: this.#streamArn,
      });
      this.#stop.abort();
    }
  }

  async #renew(hold: LeaseHold): Promise<void> {
    try {
      await hold.renew();
    } catch (error) {
      // There is time for another attempt before the lease can be taken by others.
      this.#settings.onEvent({ level: 'warn', event: 'lease not renewed', shardId: hold.lease.shardId, error });
    }
  }

  #observe(leases: ReadonlyMap<string, Lease>): void {
    const nowMs = this.#settings.environment.nowMs();
    for (const { shardId, counter } of leases.values()) {
      if (this.#observed.get(shardId)?.counter !== counter) this.#observed.set(shardId, { counter, sinceMs: nowMs });
    }
    for (const shardId of this.#observed.keys()) {
      if (!leases.has(shardId)) this.#observed.delete(shardId);
    }
  }

  #isExpired({ shardId }: Lease): boolean {
    const { environment, leaseMs } = this.#settings;
    const { sinceMs } = this.#observed.get(shardId) ?? { sinceMs: Infinity };
    return environment.nowMs() - sinceMs > leaseMs;
  }

  /** Makes leases for shards that have none, parents first, and removes those that were read and are trimmed. */
  async #findShards(): Promise<void> {
    const { environment, shardSyncMs, streams } = this.#settings;
    this.#nextSyncMs = environment.nowMs() + Math.floor(shardSyncMs * (0.9 + environment.random() / 10));
    this.#stream = await describeStream(streams, this.#streamArn);
    const { shards } = this.#stream;
    const read = await this.#table.read();
    const start = read.start ?? (await this.#begin());
    for (const shard of shards) {
      const isKnown = read.leases.has(shard.shardId) || start.closedShardIds.has(shard.shardId);
      if (!isKnown) await this.#table.add(shard, start);
    }
    const present = new Set(shards.map(({ shardId }) => shardId));
    for (const lease of read.leases.values()) {
      if (!present.has(lease.shardId) && lease.checkpoint === shardEnd) await this.#table.remove(lease);
    }
  }

  /** Decides where reading begins, unless another worker has. */
  async #begin(): Promise<StreamStart> {
    const { startingPosition } = this.#settings;
    const idsOf = (isClosed: boolean): ReadonlySet<string> =>
      new Set(
        startingPosition === 'LATEST'
          ? this.#stream.shards.filter((shard) => shard.isClosed === isClosed).map(({ shardId }) => shardId)
          : [],
      );
    const wanted: StreamStart = {
      // Records carry the second they were made in.
      fromMs: startingPosition instanceof Date ? Math.floor(startingPosition.getTime() / 1000) * 1000 : undefined,
      openShardIds: idsOf(false),
      closedShardIds: idsOf(true),
    };
    if (await this.#table.begin(wanted)) return wanted;
    return (await this.#table.read()).start ?? wanted;
  }

  async #take(wanted: Lease): Promise<void> {
    const { environment, leaseMs, onEvent } = this.#settings;
    const takenAtMs = environment.nowMs();
    const lease = await this.#table.take(wanted, this.workerId);
    if (lease === undefined) return;
    const hold = new LeaseHold(lease, { table: this.#table, environment, leaseMs, takenAtMs });
    onEvent({ level: 'debug', event: 'shard taken', shardId: lease.shardId, from: wanted.worker });
    let onReading = (): void => undefined;
    const reading = new Promise<void>((resolve) => (onReading = resolve));
    const done = this.#read(hold, onReading).then((outcome) => {
      this.#held.delete(lease.shardId);
      onReading();
      if (outcome === 'end') this.#nextSyncMs = 0;
      // Not after a failure: what could not be read must not be tried without a pause.
      if (outcome === 'end' || this.#stop.signal.aborted) this.#wake.abort();
    });
    this.#held.set(lease.shardId, { hold, reading, done });
  }

  /** Reads a shard for as long as the lease is held, and ends the hold. Never rejects. */
  async #read(hold: LeaseHold, onReading: () => void): Promise<'end' | 'stopped'> {
    const { onEvent } = this.#settings;
    const { shardId } = hold.lease;
    try {
      const outcome = await runShard({
        settings: this.#settings,
        streamArn: this.#streamArn,
        partitionKeyName: this.#stream.partitionKeyName,
        matches: this.#matches,
        hold,
        stop: this.#stop.signal,
        onReading,
      });
      await hold.release(outcome === 'end');
      onEvent({ level: 'debug', event: outcome === 'end' ? 'shard finished' : 'shard left', shardId });
      return outcome;
    } catch (error) {
      // Not given back: it expires, and whoever takes it begins at the last checkpoint.
      hold.lose();
      onEvent({ level: 'error', event: 'shard left in the middle', shardId, error });
      return 'stopped';
    }
  }
}

function isUnfinished(lease: Lease): boolean {
  return lease.checkpoint !== shardEnd;
}
