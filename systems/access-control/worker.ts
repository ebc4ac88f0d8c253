import type { Access } from './access.ts';
import { LeaseLostError } from './errors.ts';
import type { Delivery, JobQueue } from './job-queue.ts';
import type { Phase } from './job-phases.ts';
import { phasesOf } from './job-phases.ts';

const SETTLE_MS = 2000;
const VERIFY = 'verify';

/** AC-P4. Processes jobs of a queue, one after the other. */
export class Worker {
  readonly #access: Access;
  readonly #queue: JobQueue;
  readonly #settleMs: number;

  /** @param options.settleMs - how long an index may lag behind its table. */
  constructor(access: Access, queue: JobQueue, options: { readonly settleMs?: number } = {}) {
    this.#access = access;
    this.#queue = queue;
    this.#settleMs = options.settleMs ?? SETTLE_MS;
  }

  /** Processes the due jobs. @returns how many jobs it claimed. */
  async drain(): Promise<number> {
    let count = 0;
    while (await this.runOne()) count += 1;
    return count;
  }

  /** Processes one job until it is done or goes back to the queue. @returns false when none was due. */
  async runOne(): Promise<boolean> {
    const delivery = await this.#queue.receive();
    if (delivery === undefined) return false;
    try {
      await this.#work(delivery);
      await delivery.complete();
    } catch (error) {
      if (!(error instanceof LeaseLostError)) await this.#giveBack(delivery, error);
    }
    return true;
  }

  async #giveBack(delivery: Delivery, cause: unknown): Promise<void> {
    try {
      await delivery.fail(cause);
    } catch (error) {
      if (!(error instanceof LeaseLostError)) throw error;
    }
  }

  async #work(delivery: Delivery): Promise<void> {
    const { job } = delivery;
    const phases = await phasesOf(this.#access, job);
    const reached = phases.findIndex(({ name }) => name === job.phase);
    if (job.phase !== VERIFY) {
      for (const [i, phase] of phases.entries()) {
        if (i < reached) continue;
        if (i > reached && i > 0) await delivery.checkpoint({ phase: phase.name, cursor: undefined });
        await this.#pages(phase, delivery, i === reached ? job.cursor?.after : undefined);
      }
    }
    if (phases.every(({ isExact }) => isExact)) return;
    await this.#verify(phases, delivery);
  }

  /** Processes the pages of a phase, and records the progress after each. */
  async #pages({ name, page }: Phase, delivery: Delivery, from: string | undefined): Promise<void> {
    let cursor = from;
    do {
      ({ cursor } = await page(cursor));
      if (cursor !== undefined) await delivery.checkpoint({ phase: name, cursor });
    } while (cursor !== undefined);
  }

  /** AC-P5. An index may have hidden a new copy, so all pages are repeated until nothing was left to repair. */
  async #verify(phases: readonly Phase[], delivery: Delivery): Promise<void> {
    let repaired = 0;
    do {
      await delivery.checkpoint({ phase: VERIFY, cursor: undefined });
      await this.#access.pause(this.#settleMs);
      repaired = 0;
      for (const { page } of phases) {
        let cursor: string | undefined;
        do {
          const result = await page(cursor);
          repaired += result.repaired;
          ({ cursor } = result);
          await delivery.checkpoint({ phase: VERIFY, cursor: undefined });
        } while (cursor !== undefined);
      }
    } while (repaired > 0);
  }
}
