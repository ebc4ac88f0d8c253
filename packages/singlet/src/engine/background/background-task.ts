import { StorageError } from '../../storage/storage-error.ts';
import { StaleTableError } from '../catalog/catalog.ts';
import type { CatalogServices } from '../catalog/catalog-services.ts';
import { ClosingSignal, pauseUntil } from './background-pace.ts';
import { asHolderOnce } from './held-work.ts';
import { LeaseLostError } from './lease.ts';

/*
 * A background task is work of the engine that no request waits for: filling a new index, removing a deleted table, an import,
 * the deletion of expired items, the delivery of changes. All of them follow the same rules.
 *
 * - Pace. A task runs in steps of about a millisecond, each a decision or a page of a range, and calls `takeTurn` between them
 *   (`background-pace.ts`), so that requests are served. A job runs once, to its end. A repeated task runs again and again, with
 *   a pause between runs.
 * - Ownership. In a process, only one run of a task is active at a time: jobs by their key. Several processes may run the same
 *   task, because every step is a decision that reads what it changes and may be repeated. Where repeating it would be wasteful or
 *   would change an order, the process that does it holds a lease, and each step is fenced by it (`lease.ts`). Of servers on several
 *   machines, one at a time does a piece of work (`held-work.ts`).
 * - Hand-over. Pending work is recorded in the store (a phase of a table's record, a list of purges, a record of its own), and
 *   the decision that finishes it removes the record. A task that ends early leaves it in place: a later start, or another process
 *   that looks for unfinished work, resumes it. A lease is released, or runs out.
 * - Errors. `outcomeOf` is the one policy. When the engine closes, a task stops. A transient failure of the store, or a table
 *   that keeps changing, is logged as a warning, and the task continues after a pause. Anything else is a defect, or stored
 *   data that cannot be read: a job ends, and its caller reports the error; a repeated task logs an error and
 *   continues after a longer pause, so that one bad record does not stop all other work until the next start.
 * - Stop. When the engine closes, `takeTurn` and `pauseUntil` throw `ClosingSignal`. A task does not catch it: it may end between
 *   any two steps, and has nothing to clean up except a lease.
 *
 * Decision 0047 says why.
 */

/** Pause after a failure of the store before a job continues, milliseconds. */
const retryDelayMs = 1000;

/** Pause of a repeated task after a permanent error, milliseconds, unless its own pause is longer. */
export const failedPauseMs = 60_000;

/** What the error that ended a task means: see above. */
export type TaskOutcome = 'stopped' | 'postponed' | 'failed';

export function outcomeOf(error: unknown): TaskOutcome {
  if (error instanceof ClosingSignal) return 'stopped';
  if (error instanceof StaleTableError || error instanceof LeaseLostError) return 'postponed';
  if (!(error instanceof StorageError)) return 'failed';
  switch (error.code) {
    case 'closed':
      return 'stopped';
    case 'busy':
    case 'io':
    case 'unknown-outcome':
    case 'conflict':
    case 'open':
      return 'postponed';
    case 'format':
    case 'damaged':
      return 'failed';
  }
}

export interface Job<S extends CatalogServices = CatalogServices> {
  /** Identifies the job: a process runs a job only once at a time. */
  readonly key: string;
  /** Whether servers that share a store may run it at the same time: it has a lease of its own, or is about this process. */
  readonly isEveryServers?: boolean;
  /** Uses the services that it is passed. */
  readonly run: (services: S) => Promise<void>;
}

/**
 * Runs a job to its end, or until the engine closes. Does nothing if this process is already running it, or another server does.
 *
 * @throws the error that ended it, unless it is transient.
 */
export async function runJob<S extends CatalogServices>(services: S, job: Job<S>): Promise<void> {
  const { key, run, isEveryServers = false } = job;
  await runAlone(services, key, async () => {
    for (;;) {
      try {
        if (isEveryServers) await run(services);
        else await asHolderOnce(services, key, run);
        return;
      } catch (error) {
        const outcome = outcomeOf(error);
        if (outcome === 'stopped') return;
        if (outcome === 'failed') throw error;
        services.environment.log({ level: 'warn', event: 'background-work-retried', error });
      }
      if (!(await isOpenAfter(services, retryDelayMs))) return;
    }
  });
}

/** Does work under a key, unless this process is already doing it. */
export async function runAlone(
  { backgroundJobs }: CatalogServices,
  key: string,
  work: () => Promise<void>,
): Promise<void> {
  if (backgroundJobs.has(key)) return;
  backgroundJobs.add(key);
  try {
    await work();
  } finally {
    backgroundJobs.delete(key);
  }
}

export interface RepeatedTask {
  readonly name: string;
  /** Pause before each run, milliseconds. */
  readonly everyMs: number;
  /** The log event for a failed run that the next run makes up for. */
  readonly postponedEvent: string;
  readonly run: () => Promise<void>;
}

/** Runs a task again and again. Resolves when the engine closes. */
export async function repeatTask(services: CatalogServices, task: RepeatedTask): Promise<void> {
  const { environment, closing } = services;
  let pauseMs = task.everyMs;
  for (;;) {
    await environment.tasks.pause(pauseMs, closing);
    if (closing?.aborted === true) return;
    pauseMs = task.everyMs;
    const outcome = await runOnce(services, task);
    if (outcome === 'stopped') return;
    if (outcome === 'failed') pauseMs = Math.max(task.everyMs, failedPauseMs);
  }
}

/** One run of a repeated task, its error logged. */
export async function runOnce(
  { environment }: CatalogServices,
  { name, postponedEvent, run }: Omit<RepeatedTask, 'everyMs'>,
): Promise<TaskOutcome | 'done'> {
  try {
    await run();
    return 'done';
  } catch (error) {
    const outcome = outcomeOf(error);
    if (outcome === 'postponed') environment.log({ level: 'warn', event: postponedEvent, task: name, error });
    if (outcome === 'failed') environment.log({ level: 'error', event: 'background-task-failed', task: name, error });
    return outcome;
  }
}

async function isOpenAfter(services: CatalogServices, delayMs: number): Promise<boolean> {
  try {
    await pauseUntil(services, services.environment.clock.nowMs() + delayMs);
    return true;
  } catch (error) {
    if (error instanceof ClosingSignal) return false;
    throw error;
  }
}
