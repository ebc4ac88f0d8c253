import { randomUUID } from 'node:crypto';
import { RuleError } from '@singlet/model';
import { type Clock, epochSecondsOf, isoSeconds } from '../../clock.ts';
import { HttpError } from '../../http/http-error.ts';
import { bytesFrom } from '../../http/idempotency.ts';
import { orAlready } from '../../http/or-already.ts';
import { opened, sealed } from '../../http/sealed.ts';
import type { Claim, Job, NewJob, Scheduler } from '../scheduler.ts';
import { FAILING } from './workers.ts';

// What the pages and the operations share: jobs that are scheduled once, leases as texts that callers return.

/** A requested job. */
export interface Wanted {
  readonly id?: string | undefined;
  readonly name: string;
  readonly inputType?: string | undefined;
  readonly due: string;
  /** Seconds between two runs of a recurring job. */
  readonly every?: number | undefined;
  /** Whether the workers of this process must fail on it. */
  readonly fails?: boolean | undefined;
}

/** A claim as its caller gets it: a text that proves the lease, and when it ends. */
interface Leased {
  readonly lease: string;
  readonly until: string;
}

/** The scheduler with sign-in for visitors. */
export class Office {
  readonly scheduler: Scheduler;
  readonly clock: Clock;
  readonly #secret: string;

  constructor(options: { readonly scheduler: Scheduler; readonly clock: Clock; readonly secret: string }) {
    this.scheduler = options.scheduler;
    this.clock = options.clock;
    this.#secret = options.secret;
  }

  /** The present second, or one some seconds away, in stored form. */
  now(afterSeconds = 0): string {
    return isoSeconds(epochSecondsOf(this.clock) + afterSeconds);
  }

  /**
   * JS-W1. Schedules a job. Without an id, the id is derived from the key, so that the same key schedules one job.
   *
   * @throws {HttpError} 409 if the id is taken.
   */
  async schedule(wanted: Wanted, key: string | undefined): Promise<Job> {
    const jobId = wanted.id ?? this.#derived(['job'], key);
    const job: NewJob = {
      jobId,
      JobName: wanted.name,
      dueAt: wanted.due,
      ...(wanted.inputType !== undefined && { InputType: wanted.inputType }),
      ...(wanted.every !== undefined && { schedule: { everySeconds: wanted.every } }),
      ...(wanted.fails === true && { payload: FAILING }),
    };
    try {
      await this.scheduler.schedule(job);
    } catch (error) {
      const isRepeated = wanted.id === undefined && key !== undefined;
      if (!(error instanceof RuleError) || error.code !== 'already-exists') throw error;
      if (!isRepeated) {
        throw new HttpError(409, 'taken', 'There is a job with this id.', {}, [{ field: 'id', detail: 'is taken' }]);
      }
    }
    return await this.job(jobId);
  }

  /** JS-2. @throws {HttpError} 404 */
  async job(jobId: string): Promise<Job> {
    const job = await this.scheduler.db.job({ jobId }, { consistent: true });
    if (job === undefined) throw new HttpError(404, 'not-found', 'There is no such job.');
    return job;
  }

  /**
   * JS-W2. With a key, a repeated claim has the lease of the first one while no other worker has claimed the job. Decision 0144.
   *
   * @param seen - the due time that the caller has read. The claim is valid only while it is unchanged.
   */
  async claim(jobId: string, seen: string, key?: string): Promise<Leased> {
    const job = await this.job(jobId);
    if (job.dueAt === undefined) throw new HttpError(409, 'not-now', 'This job is over.');
    const me = this.#derived(['claim', jobId, seen], key);
    const claimed = refusedAs(this.scheduler.claim({ ...job, dueAt: seen }, me), TAKEN_OVER);
    const claim = await orAlready(
      claimed,
      (error) => error === TAKEN_OVER,
      async () => {
        const found = await this.job(jobId);
        return found.leaseOwner === me ? { job: found, me } : undefined;
      },
    );
    if (claim === undefined) throw new HttpError(409, 'limit', 'The attempts of this job are used up: it is dead now.');
    return { lease: sealed(this.#secret, ['lease'], JSON.stringify([jobId, me])), until: claim.job.leaseUntil ?? '' };
  }

  /** JS-W3, and JS-W5 for a recurring job. */
  async complete(lease: string): Promise<Job> {
    const claim = await this.#claimOf(lease);
    await refusedAs(this.scheduler.complete(claim), TAKEN_OVER);
    return await this.job(claim.job.jobId);
  }

  /** JS-W4. */
  async fail(lease: string): Promise<Job> {
    const claim = await this.#claimOf(lease);
    await refusedAs(this.scheduler.fail(claim), TAKEN_OVER);
    return await this.job(claim.job.jobId);
  }

  /** JS-W6. */
  async cancel(jobId: string): Promise<void> {
    await this.job(jobId);
    await refusedAs(this.scheduler.cancel(jobId), NOT_WAITING);
  }

  /** JS-W7. */
  async reschedule(jobId: string, due: string): Promise<Job> {
    await this.job(jobId);
    await refusedAs(this.scheduler.reschedule(jobId, due), NOT_WAITING);
    return await this.job(jobId);
  }

  async #claimOf(lease: string): Promise<Claim> {
    const [jobId = '', me = ''] = this.#partsOf(lease);
    return { job: await this.job(jobId), me };
  }

  #partsOf(lease: string): readonly string[] {
    try {
      return JSON.parse(opened(this.#secret, ['lease'], lease)) as readonly string[]; // as `claim` has sealed it
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      throw new HttpError(404, 'not-found', 'There is no such lease.', {}, [{ field: 'lease', detail: 'is none' }]);
    }
  }

  /** An id that is the same for the same key, and a new one without a key. */
  #derived(subject: readonly string[], key: string | undefined): string {
    return key === undefined
      ? randomUUID()
      : bytesFrom(this.#secret, [...subject, key])
          .toString('hex')
          .slice(0, 32);
  }
}

const TAKEN_OVER = new HttpError(409, 'stale', 'The job was claimed, moved or ended meanwhile. Look at it again.');
const NOT_WAITING = new HttpError(409, 'not-now', 'Only a job that waits can be moved or cancelled.');

async function refusedAs<Result>(write: Promise<Result>, refusal: HttpError): Promise<Result> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof RuleError && error.code === 'condition-failed') throw refusal;
    throw error;
  }
}
