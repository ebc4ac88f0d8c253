import { RuleError } from '@singlet/model';
import type { Clock } from '../../clock.ts';
import type { OnFault } from '../../http/faults.ts';
import type { Pause } from '../../pause.ts';
import { ATTEMPTS_MAX, type Claim, type Job, type Scheduler } from '../scheduler.ts';

// Workers in this process, which a visitor starts and kills. A killed worker writes nothing more: its job is due
// again when its lease ends.

/** Maximum number of live workers. */
export const WORKERS_MAX = 8;
/** Maximum number of killed workers that are shown, and of finished jobs that are remembered. */
const REMEMBERED_MAX = 20;
const LOOK_AGAIN_MS = 250;

/** The payload of a job that must fail on our workers. */
export const FAILING = { fails: 'yes' } as const;

/** A worker in displayed form. */
export interface WorkerView {
  readonly name: string;
  readonly isAlive: boolean;
  /** Its job, or its job when it was killed. */
  readonly claim: Claim | undefined;
}

/** How the work on a job ended. */
export interface Ending {
  readonly jobId: string;
  readonly name: string;
  readonly outcome: 'done' | 'again' | 'failed' | 'dead' | 'taken over';
}

export interface WorkersOptions {
  readonly scheduler: Scheduler;
  readonly clock: Clock;
  readonly pause: Pause;
  /** How long a worker takes for a job. */
  readonly workMs: number;
  /** Starts work that outlasts the request that started it. */
  readonly apart: (begin: () => Promise<void>) => Promise<void>;
  readonly onFault: OnFault;
}

type Mutable<Each> = { -readonly [Name in keyof Each]: Each[Name] };

/** The workers of one process. */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #workers: Mutable<WorkerView>[] = [];
  readonly #endings: Ending[] = [];
  readonly #running = new Set<Promise<void>>();
  #started = 0;

  constructor(options: WorkersOptions) {
    this.#options = options;
  }

  /** The oldest first. */
  list(): readonly WorkerView[] {
    return this.#workers;
  }

  /** The latest first. */
  endings(): readonly Ending[] {
    return this.#endings;
  }

  /** @returns undefined if the maximum number of workers exists. */
  start(): WorkerView | undefined {
    if (this.#workers.filter(({ isAlive }) => isAlive).length >= WORKERS_MAX) return undefined;
    this.#started += 1;
    const worker: Mutable<WorkerView> = { name: `worker-${this.#started}`, isAlive: true, claim: undefined };
    this.#workers.push(worker);
    if (this.#workers.length > REMEMBERED_MAX) {
      const gone = this.#workers.findIndex(({ isAlive }) => !isAlive);
      this.#workers.splice(gone, 1);
    }
    const run = this.#options.apart(async () => await this.#run(worker));
    this.#running.add(run);
    void run.finally(() => this.#running.delete(run));
    return worker;
  }

  /** Kills a worker, like a machine that loses power. @returns false if the worker does not exist, or is dead. */
  kill(name: string): boolean {
    const worker = this.#workers.find((each) => each.name === name && each.isAlive);
    if (worker !== undefined) worker.isAlive = false;
    return worker !== undefined;
  }

  /** Ends all workers, and waits until they have stopped. */
  async close(): Promise<void> {
    for (const worker of this.#workers) worker.isAlive = false;
    await Promise.all(this.#running);
  }

  async #run(worker: Mutable<WorkerView>): Promise<void> {
    const { pause, onFault } = this.#options;
    while (worker.isAlive) {
      try {
        worker.claim = await this.#claim();
        if (worker.claim === undefined) await pause(LOOK_AGAIN_MS);
        else await this.#work(worker, worker.claim);
      } catch (error) {
        onFault(error, worker.name);
        await pause(LOOK_AGAIN_MS);
      }
    }
  }

  /** The job that has been due for longest. A job with no attempts left becomes dead. */
  async #claim(): Promise<Claim | undefined> {
    const { scheduler } = this.#options;
    for (const job of await scheduler.dueBy()) {
      try {
        const claim = await scheduler.claim(job);
        if (claim !== undefined) return claim;
        this.#ended(job, 'dead');
      } catch (error) {
        if (!(error instanceof RuleError)) throw error; // Another worker was faster.
      }
    }
    return undefined;
  }

  async #work(worker: Mutable<WorkerView>, claim: Claim): Promise<void> {
    const { scheduler, clock, pause, workMs } = this.#options;
    const endsAtMs = clock.nowMs() + workMs;
    while (worker.isAlive && clock.nowMs() < endsAtMs) await pause(LOOK_AGAIN_MS);
    if (!worker.isAlive) return;
    const { job } = claim;
    const fails = job.payload?.['fails'] === FAILING.fails;
    try {
      await (fails ? scheduler.fail(claim) : scheduler.complete(claim));
      this.#ended(job, outcomeOf(job, fails));
    } catch (error) {
      if (!(error instanceof RuleError)) throw error;
      this.#ended(job, 'taken over');
    }
    worker.claim = undefined;
  }

  #ended({ jobId, JobName }: Job, outcome: Ending['outcome']): void {
    this.#endings.unshift({ jobId, name: JobName, outcome });
    this.#endings.splice(REMEMBERED_MAX);
  }
}

function outcomeOf({ attempts, schedule }: Job, fails: boolean): Ending['outcome'] {
  if (fails) return attempts >= ATTEMPTS_MAX ? 'dead' : 'failed';
  return schedule === undefined ? 'done' : 'again';
}
