import { connect, type Connected, type ConnectOptions, type ItemOf, RuleError } from '@singlet/model';
import { type Clock, epochSecondsOf, isoSeconds } from '../clock.ts';
import { jobSchedulerModel, SHARDS } from './model.ts';

type JobModel = ReturnType<typeof jobSchedulerModel>;
export type Job = ItemOf<JobModel['entities']['Job']>;

/** A job to be done, at the earliest at `dueAt`: a UTC day, or a second of one. */
export type NewJob = Pick<Job, 'jobId' | 'JobName' | 'InputType' | 'payload' | 'schedule'> & { readonly dueAt: string };

/** A job leased by one worker until the lease runs out. */
export interface Claim {
  readonly job: Job;
  /** New for each claim: a worker that claims a job again is a different owner. */
  readonly me: string;
}

export interface SchedulerOptions {
  readonly client: ConnectOptions['client'];
  readonly tableName: string;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly shards?: number;
  readonly leaseSeconds?: number;
  readonly attemptsMax?: number;
  /** Called after each request, with the access pattern that made it. */
  readonly onRequest?: ConnectOptions['onRequest'];
}

/** The default number of attempts for a job, and the default duration of a claim. */
export const ATTEMPTS_MAX = 3;
const LEASE_SECONDS = 60;
const DAY_SECONDS = 86_400;
const BACKOFF_SECONDS_MAX = 3600;

/** Jobs that any number of workers perform when they are due, each at least once. */
export class Scheduler {
  readonly db: Connected<JobModel['entities'], JobModel['patterns']>;
  readonly #clock: Clock;
  readonly #newId: () => string;
  readonly #leaseSeconds: number;
  readonly #attemptsMax: number;

  constructor({ client, tableName, clock, newId, shards = SHARDS, onRequest, ...limits }: SchedulerOptions) {
    this.db = connect(jobSchedulerModel(shards), {
      client,
      tables: { jobs: tableName },
      now: () => clock.nowMs(),
      ...(onRequest && { onRequest }),
    });
    this.#clock = clock;
    this.#newId = newId;
    this.#leaseSeconds = limits.leaseSeconds ?? LEASE_SECONDS;
    this.#attemptsMax = limits.attemptsMax ?? ATTEMPTS_MAX;
  }

  /** JS-W1. @throws {RuleError} `already-exists` */
  async schedule(job: NewJob): Promise<void> {
    await this.db.schedule({ ...job, scheduledFor: job.dueAt });
  }

  /** JS-1. Jobs due by a time, the longest due first: a page over all shards. */
  async dueBy(time: string = this.#now()): Promise<Job[]> {
    return (await this.db.dueJobs({ dueAt: { to: time } })).items;
  }

  /** JS-4. The time of the next due job; undefined when none is waiting or running. */
  async nextDueAt(): Promise<string | undefined> {
    const { items } = await this.db.nextJob({});
    return items[0]?.dueAt;
  }

  /** The job that has been due for longest, claimed; undefined when none is due. */
  async claimNext(): Promise<Claim | undefined> {
    for (const job of await this.dueBy()) {
      const claim = await this.claim(job).catch(unlessRefused);
      if (claim !== undefined) return claim;
    }
    return undefined;
  }

  /**
   * JS-W2. Claims a job in the version that was read. If no attempts are left, the job becomes dead instead: it has killed its workers.
   *
   * @param me - the owner of the lease, a new one for each claim.
   * @returns undefined for a job that is now dead.
   * @throws {RuleError} `condition-failed` if it was claimed, cancelled or rescheduled since.
   */
  async claim({ jobId, dueAt: seen, attempts }: Job, me: string = this.#newId()): Promise<Claim | undefined> {
    if (seen === undefined) return undefined;
    if (attempts >= this.#attemptsMax) {
      await this.db.bury({ jobId, seen });
      return undefined;
    }
    const leaseUntil = this.#now(this.#leaseSeconds);
    const job = await this.db.claim({ jobId, seen, leaseOwner: me, leaseUntil, dueAt: leaseUntil });
    return { job, me };
  }

  /** JS-W3, and JS-W5 for a recurring job. @throws {RuleError} if another worker has the lease. */
  async complete({ job, me }: Claim): Promise<void> {
    const { jobId, schedule } = job;
    if (schedule === undefined) {
      await this.db.complete({ jobId, me });
      return;
    }
    const next = this.#nextTime(job.scheduledFor ?? this.#now(), schedule.everySeconds);
    await this.db.repeat({ jobId, me, dueAt: next, scheduledFor: next });
  }

  /** JS-W4. The job is retried later, or is dead after its last attempt. @throws {RuleError} if another worker has the lease. */
  async fail({ job: { jobId, attempts }, me }: Claim): Promise<void> {
    if (attempts >= this.#attemptsMax) await this.db.giveUp({ jobId, me });
    else await this.db.fail({ jobId, me, dueAt: this.#now(Math.min(2 ** attempts, BACKOFF_SECONDS_MAX)) });
  }

  /** JS-W6. @throws {RuleError} if the job is not waiting. */
  async cancel(jobId: string): Promise<void> {
    await this.db.cancel({ jobId });
  }

  /** JS-W7. @throws {RuleError} if the job is not waiting. */
  async reschedule(jobId: string, dueAt: string): Promise<void> {
    await this.db.reschedule({ jobId, dueAt, scheduledFor: dueAt });
  }

  /** Processes the due jobs. @returns how many jobs it claimed. */
  async work(act: (job: Job) => Promise<void>): Promise<number> {
    let count = 0;
    for (let claim = await this.claimNext(); claim !== undefined; claim = await this.claimNext()) {
      count += 1;
      await this.#run(claim, act);
    }
    return count;
  }

  async #run(claim: Claim, act: (job: Job) => Promise<void>): Promise<void> {
    const done = await act(claim.job).then(
      () => true,
      () => false,
    );
    // If the lease was lost, the job belongs to another worker by now.
    await (done ? this.complete(claim) : this.fail(claim)).catch(unlessRefused);
  }

  /** The next time after now that is a whole number of intervals later. Days stay days. */
  #nextTime(from: string, everySeconds: number): string {
    const start = Date.parse(from) / 1000;
    const now = epochSecondsOf(this.#clock);
    const next = start + Math.max(1, Math.floor((now - start) / everySeconds) + 1) * everySeconds;
    const isDay = from.length === 10 && everySeconds % DAY_SECONDS === 0;
    return isDay ? isoSeconds(next).slice(0, 10) : isoSeconds(next);
  }

  #now(afterSeconds = 0): string {
    return isoSeconds(epochSecondsOf(this.#clock) + afterSeconds);
  }
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof RuleError)) throw error;
}
