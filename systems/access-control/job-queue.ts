import type { Job, NewJob } from './access.ts';

/** How far a job has come. */
export interface Progress {
  readonly phase: string;
  readonly cursor: string | undefined;
}

/** A job leased by one worker, until the lease runs out. */
export interface Delivery {
  readonly job: Job;
  /**
   * Records the progress of the job and renews the lease.
   *
   * @throws {LeaseLostError} if another worker has the job by now, as do the other methods.
   */
  checkpoint(progress: Progress): Promise<void>;
  /** The job is done. */
  complete(): Promise<void>;
  /** The job is retried later or, after five attempts, is dead. */
  fail(error: unknown): Promise<void>;
}

/** AC-P8. A queue of jobs: each is delivered at least once, by one worker at a time. */
export interface JobQueue {
  /** Whether writing a job to the table is enough to queue it. */
  readonly isTable: boolean;
  /** Queues a job. An id that was used before is not queued again. */
  send(job: NewJob): Promise<void>;
  /** The next job that is due, claimed; undefined if none is due. */
  receive(): Promise<Delivery | undefined>;
  /** Jobs that were given up. */
  dead(): Promise<Job[]>;
  /** Gives a dead job five more attempts. */
  redrive(jobId: string): Promise<void>;
}

export const LEASE_SECONDS = 60;
export const ATTEMPTS_MAX = 5;

/** How long a job with this many failures waits for its next attempt. */
export function backOffSeconds(attempts: number): number {
  return Math.min(2 ** attempts, 300);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
