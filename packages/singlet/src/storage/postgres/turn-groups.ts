/**
 * Collects calls into groups: those of one turn of the event loop, and those that arrive while as many groups run as may run at once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { StorageError } from '../storage-error.ts';

export interface TurnGroupsOptions<C> {
  /** The calls, for messages: `reads`. */
  readonly what: string;
  /** How many groups run at once. */
  readonly runningMax: number;
  /** How many calls may wait. */
  readonly waitingMax: number;
  /** How many of the waiting calls form the next group: at least one. */
  readonly take: (waiting: readonly C[]) => number;
  /** Settles every call of a group. Never rejects. */
  readonly run: (group: readonly C[]) => Promise<void>;
}

export class TurnGroups<C> {
  readonly #options: TurnGroupsOptions<C>;
  readonly #waiting: C[] = [];
  readonly #running = new Set<Promise<void>>();
  #isScheduled = false;

  constructor(options: TurnGroupsOptions<C>) {
    this.#options = options;
  }

  /** @throws {StorageError} `busy`. */
  add(call: C): void {
    const { waitingMax, what } = this.#options;
    if (this.#waiting.length >= waitingMax) {
      throw new StorageError('busy', `${this.#waiting.length} ${what} wait for PostgreSQL, and no more are taken`);
    }
    this.#waiting.push(call);
    this.#schedule();
  }

  /** Waits for all calls. */
  async close(): Promise<void> {
    while (this.#waiting.length > 0 || this.#running.size > 0) {
      await Promise.all(this.#running);
      await delay(0);
    }
  }

  /** Other calls of this turn of the event loop go into the same group. */
  #schedule(): void {
    if (this.#isScheduled || this.#running.size >= this.#options.runningMax) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const group = this.#waiting.splice(0, this.#options.take(this.#waiting));
      const running = this.#options.run(group).finally(() => {
        this.#running.delete(running);
        if (this.#waiting.length > 0) this.#schedule();
      });
      this.#running.add(running);
      if (this.#waiting.length > 0) this.#schedule();
    });
  }
}
