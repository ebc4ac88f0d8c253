import type { Job, NewJob } from './access.ts';

/** How far a job has come. */
export interface Progress {
  readonly phase: string;
  readonly cursor: string | undefined;
}

/** A job in the hands of one worker, until its lease runs out. */
export interface Delivery {
  readonly job: Job;
  /**
   * Keeps how far the job has come and renews the lease.
   *
   * @throws {LeaseLostError} if another worker has the job by now; so do the others.
   */
  checkpoint(progress: Progress): Promise<void>;
  /** The job is done. */
  complete(): Promise<void>;
  /** The job comes again later, or, after five attempts, is dead. */
  fail(error: unknown): Promise<void>;
}

/** AC-P8. A queue of jobs: each is delivered at least once, by one worker at a time. */
export interface JobQueue {
  /** Whether jobs that are put into the table are in the queue by that alone. */
  readonly isTable: boolean;
  /** Queues a job. One with an id that there has been before is not queued again. */
  send(job: NewJob): Promise<void>;
  /** The next job that is due, claimed; undefined when there is none. */
  receive(): Promise<Delivery | undefined>;
  /** Jobs that were given up. */
  dead(): Promise<Job[]>;
  /** Gives a dead job five more attempts. */
  redrive(jobId: string): Promise<void>;
}

export const LEASE_SECONDS = 60;
export const ATTEMPTS_MAX = 5;

/** How long a job that has failed so often waits for its next attempt. */
export function backOffSeconds(attempts: number): number {
  return Math.min(2 ** attempts, 300);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
