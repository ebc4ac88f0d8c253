import { RuleError } from '@singlet/model';
import { epochSecondsOf } from '../clock.ts';
import type { Access, Job, NewJob } from './access.ts';
import { collect, timeOf } from './access.ts';
import { AccessError, LeaseLostError } from './errors.ts';
import type { Delivery, JobQueue } from './job-queue.ts';
import { ATTEMPTS_MAX, backOffSeconds, LEASE_SECONDS, messageOf } from './job-queue.ts';

/** Done jobs are kept for a week, so that a repeated change finds its job. */
const KEPT_SECONDS = 7 * 86_400;

/** The queue within the table: a job is an item, which is in a sparse index while it waits, runs or is dead. */
export class TableQueue implements JobQueue {
  readonly isTable = true;
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async send(job: NewJob): Promise<void> {
    try {
      await this.#access.db.queueJob(job);
    } catch (error) {
      if (!isRefusal(error, 'already-exists')) throw error;
    }
  }

  async receive(): Promise<Delivery | undefined> {
    const { db, clock } = this.#access;
    const now = epochSecondsOf(clock);
    const [due, lapsed] = await Promise.all([
      db.dueJobs({ notBefore: { to: timeOf(clock) } }),
      db.lapsedJobs({ leaseUntil: { before: now } }),
    ]);
    for (const job of [...lapsed.items, ...due.items]) {
      if (job.status === 'running' && job.attempts >= ATTEMPTS_MAX) await this.#buryLapsed(job);
      else {
        const delivery = await this.#claim(job.jobId);
        if (delivery !== undefined) return delivery;
      }
    }
    return undefined;
  }

  async dead(): Promise<Job[]> {
    return await collect(this.#access.db.deadJobs.each({}));
  }

  async redrive(jobId: string): Promise<void> {
    const { db, clock } = this.#access;
    try {
      await db.redriveJob({ jobId, notBefore: timeOf(clock) });
    } catch (error) {
      if (!(error instanceof RuleError)) throw error;
      throw new AccessError('job-not-dead', `${jobId} is not dead`, { cause: error });
    }
  }

  async #claim(jobId: string): Promise<Delivery | undefined> {
    const { db, clock, newId } = this.#access;
    const now = epochSecondsOf(clock);
    // New for each claim: a worker that claims a job again is a different owner.
    const me = newId();
    try {
      const job = await db.claimJob({ jobId, now, leaseUntil: now + LEASE_SECONDS, leaseOwner: me });
      return new Claimed(this.#access, job, me);
    } catch (error) {
      if (isRefusal(error, 'condition-failed') || isRefusal(error, 'not-found')) return undefined;
      throw error;
    }
  }

  /** A job that kills its workers never reports a failure. */
  async #buryLapsed({ jobId, attempts }: Job): Promise<void> {
    const { db, clock, newId } = this.#access;
    const lastError = `its worker has died in each of ${attempts} attempts, or the last of them`;
    try {
      await db.buryJob({ jobId, me: newId(), now: epochSecondsOf(clock), diedAt: timeOf(clock), lastError });
    } catch (error) {
      if (!isRefusal(error, 'condition-failed')) throw error;
    }
  }
}

class Claimed implements Delivery {
  readonly job: Job;
  readonly #access: Access;
  readonly #me: string;

  constructor(access: Access, job: Job, me: string) {
    this.#access = access;
    this.job = job;
    this.#me = me;
  }

  async checkpoint({ phase, cursor }: { readonly phase: string; readonly cursor: string | undefined }): Promise<void> {
    const { db, clock } = this.#access;
    await this.#whileMine(
      db.checkpointJob({
        jobId: this.job.jobId,
        me: this.#me,
        phase,
        cursor: cursor === undefined ? undefined : { after: cursor },
        leaseUntil: epochSecondsOf(clock) + LEASE_SECONDS,
      }),
    );
  }

  async complete(): Promise<void> {
    const { db, clock } = this.#access;
    const ttl = epochSecondsOf(clock) + KEPT_SECONDS;
    await this.#whileMine(db.completeJob({ jobId: this.job.jobId, me: this.#me, ttl }));
  }

  async fail(error: unknown): Promise<void> {
    const { db, clock } = this.#access;
    const { jobId, attempts } = this.job;
    const failed = { jobId, me: this.#me, lastError: messageOf(error) };
    await this.#whileMine(
      attempts >= ATTEMPTS_MAX
        ? db.buryJob({ ...failed, diedAt: timeOf(clock), now: epochSecondsOf(clock) })
        : db.releaseJob({ ...failed, notBefore: timeOf(clock, backOffSeconds(attempts)) }),
    );
  }

  async #whileMine(write: Promise<unknown>): Promise<void> {
    try {
      await write;
    } catch (error) {
      if (error instanceof RuleError) throw new LeaseLostError(this.job.jobId, { cause: error });
      throw error;
    }
  }
}

function isRefusal(error: unknown, code: RuleError['code']): boolean {
  return error instanceof RuleError && error.code === code;
}
