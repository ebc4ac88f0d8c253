import type { Clock } from '../clock.ts';
import type { Job, NewJob } from './access.ts';
import { AccessError, LeaseLostError } from './errors.ts';
import type { Delivery, JobQueue, Progress } from './job-queue.ts';
import { ATTEMPTS_MAX, backOffSeconds, LEASE_SECONDS, messageOf } from './job-queue.ts';

interface Message {
  job: Job;
  /** Hidden from all workers until then. */
  visibleAtMs: number;
  /** The receipt of the message, new each time it is received. */
  receipt: number;
  state: 'waiting' | 'dead' | 'deleted';
}

/** A queue outside the table, like a queue service: messages with a visibility timeout, deleted when done, dead letters. */
export class MemoryQueue implements JobQueue {
  readonly isTable = false;
  readonly #clock: Clock;
  readonly #messages = new Map<string, Message>();
  #receipts = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async send(job: NewJob): Promise<void> {
    await Promise.resolve();
    if (this.#messages.has(job.jobId)) return;
    const whole: Job = { ...job, phase: job.phase ?? 'begin', status: 'queued', attempts: 0 };
    this.#messages.set(job.jobId, { job: whole, visibleAtMs: Date.parse(job.notBefore), receipt: 0, state: 'waiting' });
  }

  async receive(): Promise<Delivery | undefined> {
    await Promise.resolve();
    const now = this.#clock.nowMs();
    const due = [...this.#messages.values()]
      .filter(({ state, visibleAtMs }) => state === 'waiting' && visibleAtMs <= now)
      .sort((a, b) => a.visibleAtMs - b.visibleAtMs);
    for (const message of due) {
      if (message.job.attempts >= ATTEMPTS_MAX) message.state = 'dead';
      else return this.#deliver(message);
    }
    return undefined;
  }

  async dead(): Promise<Job[]> {
    await Promise.resolve();
    return [...this.#messages.values()].filter(({ state }) => state === 'dead').map(({ job }) => job);
  }

  async redrive(jobId: string): Promise<void> {
    await Promise.resolve();
    const message = this.#messages.get(jobId);
    if (message?.state !== 'dead') throw new AccessError('job-not-dead', `${jobId} is not dead`);
    message.state = 'waiting';
    message.visibleAtMs = this.#clock.nowMs();
    message.job = { ...message.job, attempts: 0 };
  }

  #deliver(message: Message): Delivery {
    const receipt = (this.#receipts += 1);
    message.receipt = receipt;
    message.job = { ...message.job, attempts: message.job.attempts + 1 };
    message.visibleAtMs = this.#clock.nowMs() + LEASE_SECONDS * 1000;
    const mine = async (change: (message: Message) => void): Promise<void> => {
      await Promise.resolve();
      if (message.receipt !== receipt || message.state !== 'waiting') throw new LeaseLostError(message.job.jobId);
      change(message);
    };
    return {
      job: message.job,
      checkpoint: async ({ phase, cursor }: Progress) =>
        await mine((own) => {
          own.visibleAtMs = this.#clock.nowMs() + LEASE_SECONDS * 1000;
          const { cursor: _, ...job } = own.job;
          own.job = { ...job, phase, ...(cursor !== undefined && { cursor: { after: cursor } }) };
        }),
      complete: async () => await mine((own) => (own.state = 'deleted')),
      fail: async (error) =>
        await mine((own) => {
          own.receipt = 0;
          own.job = { ...own.job, lastError: messageOf(error) };
          if (own.job.attempts >= ATTEMPTS_MAX) own.state = 'dead';
          else own.visibleAtMs = this.#clock.nowMs() + backOffSeconds(own.job.attempts) * 1000;
        }),
    };
  }
}
