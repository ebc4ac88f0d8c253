import type { ConsumerEnvironment } from './consumer-environment.ts';
import { type Lease, shardEnd } from './lease.ts';
import type { LeaseTable } from './lease-table.ts';

/** A lease that this worker holds, until it is lost, given back, or its shard is finished. */
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
      /** Before the lease was asked for. */
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

  /** Aborts when the lease is another worker's, or may be. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Whether the lease is certainly held: others may take it when it has not been touched for the lease time. */
  isHeld(): boolean {
    if (this.#environment.nowMs() - this.#touchedAtMs > this.#leaseMs) this.lose();
    return !this.#lost.signal.aborted;
  }

  lose(): void {
    this.#lost.abort();
  }

  /** Keeps the lease for another lease time. */
  async renew(): Promise<void> {
    if (!this.isHeld()) return;
    // What could not be saved before is tried again. Not saved from here: two writes could overtake each other.
    if (this.#wanted !== undefined) this.checkpointLater(this.#wanted);
    await this.#touch({});
  }

  /**
   * Saves how far the shard has been read. Does not wait: of several checkpoints that come while one is being saved, only the
   * last is saved after it. A failure is not reported: the next checkpoint, or the next holder, makes it good.
   */
  checkpointLater(checkpoint: string): void {
    if (this.#isReleased) return;
    this.#wanted = checkpoint;
    this.#saving ??= this.#saveWanted().finally(() => (this.#saving = undefined));
  }

  /** Saves that reading began at the end of the shard, at a time: a reader without a checkpoint begins there. */
  async beginAt(checkpoint: string, fromMs: number): Promise<void> {
    await this.#touch({ checkpoint, fromMs });
    this.#checkpoint = checkpoint;
  }

  /** Ends the hold: with everything read, or for another worker to continue. */
  async release(isFinished: boolean): Promise<void> {
    // What is saved last is what the release says.
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
        // Left as wanted: saved with what comes next, at the latest when the lease is given back.
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
