import type { ConsumerSettings } from './consumer-options.ts';
import { type Lease, shardEnd, type StreamStart } from './lease.ts';
import { LeaseHold } from './lease-hold.ts';
import { planLeases } from './lease-plan.ts';
import type { LeaseTable } from './lease-table.ts';
import { runShard } from './shard-run.ts';
import { describeStream, type StreamDescription } from './stream-source.ts';

/** How often a lease is renewed within the lease time. */
const roundsPerLease = 3;

interface HeldShard {
  readonly hold: LeaseHold;
  /** Resolves when the shard is being read, or will not be read. */
  readonly reading: Promise<void>;
}

export interface StreamWorkerParts<Item> {
  readonly settings: ConsumerSettings<Item>;
  /** Which records, in Lambda's form, reach the handler; absent if all do. */
  readonly matches: ((value: unknown) => boolean) | undefined;
  readonly streamArn: string;
  readonly table: LeaseTable;
  /** Aborted from outside to stop the worker; aborted by the worker at the end of the stream. */
  readonly stop: AbortController;
}

/**
 * One worker of a stream. In rounds, several within a lease time, it renews its leases, finds new shards, and takes its share of the free ones.
 */
export class StreamWorker<Item> {
  readonly #parts: StreamWorkerParts<Item>;
  readonly #settings: ConsumerSettings<Item>;
  readonly #table: LeaseTable;
  readonly #held = new Map<string, HeldShard>();
  /** The counter of each lease, and since when it has had that value, by this worker's clock. */
  readonly #observed = new Map<string, { readonly counter: number; readonly sinceMs: number }>();
  /** Aborts when the next round should not wait. */
  #wake = new AbortController();
  #stream: StreamDescription = { isDisabled: false, partitionKeyName: '', shards: [] };
  #nextSyncMs = 0;

  constructor(parts: StreamWorkerParts<Item>) {
    this.#parts = parts;
    this.#settings = parts.settings;
    this.#table = parts.table;
    parts.stop.signal.addEventListener('abort', () => this.#wake.abort());
  }

  /** The first round. @throws the service's errors. */
  async begin(): Promise<void> {
    await this.#round();
  }

  /** Runs until the worker is stopped or the stream ends, and every lease has been released. Never rejects. */
  async run(): Promise<void> {
    const { environment, leaseMs, onEvent } = this.#settings;
    while (!this.#stop.aborted || this.#held.size > 0) {
      if (!this.#wake.signal.aborted) {
        const roundMs = (leaseMs / roundsPerLease) * (0.9 + environment.random() / 10);
        await environment.pause(Math.floor(roundMs), this.#wake.signal);
      }
      this.#wake = new AbortController();
      try {
        await this.#round();
      } catch (error) {
        onEvent({ level: 'warn', event: 'lease-upkeep-failed', error });
      }
    }
  }

  /** Resolves when all held shards are being read. */
  async reading(): Promise<void> {
    await Promise.all([...this.#held.values()].map(({ reading }) => reading));
  }

  get #stop(): AbortSignal {
    return this.#parts.stop.signal;
  }

  /** Renews held leases, and, unless the worker is stopping, finds new shards and takes its share. */
  async #round(): Promise<void> {
    const { environment } = this.#settings;
    const isStopping = this.#stop.aborted;
    await Promise.all([...this.#held.values()].map(({ hold }) => this.#renew(hold)));
    if (isStopping) return;
    if (environment.nowMs() >= this.#nextSyncMs) await this.#syncShards();
    const { leases } = await this.#table.read();
    this.#observe(leases);
    const wanted = planLeases({
      leases,
      worker: this.#settings.workerId,
      heldShardIds: new Set(this.#held.keys()),
      isFree: (lease) => this.#isExpired(lease),
      random: () => environment.random(),
    });
    await Promise.all(wanted.map((lease) => this.#take(lease)));
    if (this.#stream.isDisabled && this.#held.size === 0 && ![...leases.values()].some(isUnfinished)) {
      this.#settings.onEvent({
        level: 'info',
        event: 'disabled-stream-finished',
        streamArn: this.#parts.streamArn,
      });
      this.#parts.stop.abort();
    }
  }

  async #renew(hold: LeaseHold): Promise<void> {
    try {
      await hold.renew();
    } catch (error) {
      // There is time for another attempt before other workers can take the lease.
      this.#settings.onEvent({ level: 'warn', event: 'lease-not-renewed', shardId: hold.lease.shardId, error });
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

  async #syncShards(): Promise<void> {
    const { environment, shardSyncMs } = this.#settings;
    // Set first, because a shard that ends meanwhile requests another sync.
    this.#nextSyncMs = environment.nowMs() + Math.floor(shardSyncMs * (0.9 + environment.random() / 10));
    try {
      await this.#findShards();
    } catch (error) {
      this.#nextSyncMs = 0;
      throw error;
    }
  }

  /** Creates leases for new shards, parents first, and removes those of shards that were read and trimmed. */
  async #findShards(): Promise<void> {
    this.#stream = await describeStream(this.#settings.streams, this.#parts.streamArn);
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

  /** Decides where reading begins, unless another worker has decided. */
  async #begin(): Promise<StreamStart> {
    const { startingPosition } = this.#settings;
    const idsOf = (isClosed: boolean): ReadonlySet<string> =>
      new Set(
        startingPosition === 'LATEST'
          ? this.#stream.shards.filter((shard) => shard.isClosed === isClosed).map(({ shardId }) => shardId)
          : [],
      );
    const wanted: StreamStart = {
      // Creation times of records have a precision of one second.
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
    const lease = await this.#table.take(wanted, this.#settings.workerId);
    if (lease === undefined) return;
    const hold = new LeaseHold(lease, { table: this.#table, environment, leaseMs, takenAtMs });
    onEvent({ level: 'debug', event: 'shard-taken', shardId: lease.shardId, from: wanted.worker });
    let onReading = (): void => undefined;
    const reading = new Promise<void>((resolve) => (onReading = resolve));
    void this.#read(hold, onReading).then((outcome) => {
      this.#held.delete(lease.shardId);
      onReading();
      if (outcome === 'end') this.#nextSyncMs = 0;
      // Not after a failure, which must not be retried without a pause.
      if (outcome === 'end' || this.#stop.aborted) this.#wake.abort();
    });
    this.#held.set(lease.shardId, { hold, reading });
  }

  /** Reads a shard for as long as the lease is held, and ends the hold. Never rejects. */
  async #read(hold: LeaseHold, onReading: () => void): Promise<'end' | 'stopped'> {
    const { onEvent } = this.#settings;
    const { shardId } = hold.lease;
    try {
      const outcome = await runShard({
        settings: this.#settings,
        streamArn: this.#parts.streamArn,
        partitionKeyName: this.#stream.partitionKeyName,
        matches: this.#parts.matches,
        hold,
        stop: this.#stop,
        onReading,
      });
      await hold.release(outcome === 'end');
      onEvent({ level: 'debug', event: outcome === 'end' ? 'shard-finished' : 'shard-left', shardId });
      return outcome;
    } catch (error) {
      // Not released: it expires, and the next holder begins at the last checkpoint.
      hold.lose();
      onEvent({ level: 'error', event: 'shard-failed', shardId, error });
      return 'stopped';
    }
  }
}

function isUnfinished(lease: Lease): boolean {
  return lease.checkpoint !== shardEnd;
}
