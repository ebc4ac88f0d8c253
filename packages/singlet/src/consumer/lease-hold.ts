import type { ConsumerEnvironment } from './consumer-environment.ts';
import { type Lease, shardEnd } from './lease.ts';
import type { LeaseTable } from './lease-table.ts';

/** A lease held by this worker until it is lost or released, or its shard is finished. */
export class LeaseHold {
  readonly lease: Lease;
  readonly #table: LeaseTable;
  readonly #environment: ConsumerEnvironment;
  readonly #leaseMs: number;
  readonly #lost = new AbortController();
  #touchedAtMs: number;
  #checkpoint: string;
  #wanted: string | undefined;
  #saving: Promise<void> | undefined;
  #isReleased = false;

  constructor(
    lease: Lease,
    parts: {
      readonly table: LeaseTable;
      readonly environment: ConsumerEnvironment;
      readonly leaseMs: number;
      /** The time just before the lease was requested. */
      readonly takenAtMs: number;
    },
  ) {
    this.lease = lease;
    this.#table = parts.table;
    this.#environment = parts.environment;
    this.#leaseMs = parts.leaseMs;
    this.#touchedAtMs = parts.takenAtMs;
    this.#checkpoint = lease.checkpoint;
  }

  /** Aborts when another worker holds the lease, or may hold it. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Whether the lease is certainly held. Others may take it when it has not been renewed for the lease time. */
  isHeld(): boolean {
    if (this.#environment.nowMs() - this.#touchedAtMs > this.#leaseMs) this.lose();
    return !this.#lost.signal.aborted;
  }

  lose(): void {
    this.#lost.abort();
  }

  /** Renews the lease for another lease time. */
  async renew(): Promise<void> {
    if (!this.isHeld()) return;
    // Retries a checkpoint that could not be saved. It is not saved from here, because two writes could overtake each other.
    if (this.#wanted !== undefined) this.checkpointLater(this.#wanted);
    await this.#touch({});
  }

  /**
   * Saves how far the shard has been read. Does not wait: of several checkpoints that arrive while one is being saved, only the last is saved
   * after it. A failure is not reported; the next checkpoint, or the next holder, makes up for it.
   */
  checkpointLater(checkpoint: string): void {
    if (this.#isReleased) return;
    this.#wanted = checkpoint;
    this.#saving ??= this.#saveWanted().finally(() => (this.#saving = undefined));
  }

  /** Saves that reading began at the end of the shard, and when. A reader without a checkpoint begins there. */
  async beginAt(checkpoint: string, fromMs: number): Promise<void> {
    await this.#touch({ checkpoint, fromMs });
    this.#checkpoint = checkpoint;
  }

  /** Ends the hold: because everything has been read, or so that another worker can continue. */
  async release(isFinished: boolean): Promise<void> {
    // The release itself saves the last checkpoint.
    this.#isReleased = true;
    await this.#saving;
    if (!this.isHeld()) return;
    const checkpoint = isFinished ? shardEnd : (this.#wanted ?? this.#checkpoint);
    await this.#touch({ checkpoint, giveBack: true });
  }

  async #saveWanted(): Promise<void> {
    while (this.#wanted !== undefined && this.isHeld()) {
      const checkpoint = this.#wanted;
      try {
        await this.#touch({ checkpoint });
      } catch {
        // Kept as wanted: it is saved with the next write, at the latest when the lease is released.
        return;
      }
      this.#checkpoint = checkpoint;
      if (this.#wanted === checkpoint) this.#wanted = undefined;
    }
  }

  async #touch(changes: Parameters<LeaseTable['touch']>[1]): Promise<void> {
    const nowMs = this.#environment.nowMs();
    if (await this.#table.touch(this.lease, changes)) this.#touchedAtMs = nowMs;
    else this.lose();
  }
}
