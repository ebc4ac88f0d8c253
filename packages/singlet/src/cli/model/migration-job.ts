import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Migration, Progress, SegmentCount, Step, VerifyReport } from '@singlet/model/migrate';
import type { MigrationSettings } from '../../inspect/index.ts';
import { plainJson } from './plain-json.ts';

/** Operations that take time. */
export type JobWork = 'run' | 'resume' | 'undo' | 'verify';

/** The progress of an operation on a migration. */
export interface JobReport {
  /** Counts the operations of this process. */
  readonly number: number;
  readonly migration: string;
  readonly work: JobWork;
  readonly dryRun: boolean;
  readonly state: 'running' | 'paused' | 'done' | 'failed';
  readonly begunAtMs: number;
  readonly endedAtMs: number | null;
  /** The current step, from 1; null before the first, and for a verification. */
  readonly progress: { readonly text: string; readonly number: number; readonly count: SegmentCount } | null;
  /** The items read and written by each finished step. */
  readonly steps: readonly { readonly text: string; readonly count: SegmentCount }[];
  /** The number of items that a verification has read. */
  readonly scanned: number;
  /** The first items that could not be migrated, at most {@link failuresTold}. */
  readonly failures: readonly string[];
  /** The first requests that a dry run did not send, at most {@link unsentTold}, in the form of the API. */
  readonly unsent: readonly { readonly operation: string; readonly input: unknown }[];
  readonly verified: VerifyReport | null;
  readonly error: { readonly name: string; readonly message: string } | null;
}

/** Further failures are only counted. */
const failuresTold = 100;
const unsentTold = 3;

export interface JobOptions {
  readonly number: number;
  readonly migration: Migration;
  readonly work: JobWork;
  readonly settings: MigrationSettings;
  readonly client: DynamoDBClient;
  readonly tables: Readonly<Record<string, string>>;
  readonly nowMs: () => number;
}

/** An operation on a migration in this process, from its start until it ends or is paused. */
export class MigrationJob {
  /** Resolves when it has ended, for whatever reason. */
  readonly ended: Promise<void>;
  readonly #stop = new AbortController();
  readonly #options: JobOptions;
  #report: JobReport;

  constructor(options: JobOptions) {
    const { number, migration, work, settings, nowMs } = options;
    this.#options = options;
    this.#report = {
      number,
      migration: migration.id,
      work,
      dryRun: settings.dryRun === true,
      state: 'running',
      begunAtMs: nowMs(),
      endedAtMs: null,
      progress: null,
      steps: [],
      scanned: 0,
      failures: [],
      unsent: [],
      verified: null,
      error: null,
    };
    this.ended = this.#work();
  }

  get report(): JobReport {
    return this.#report;
  }

  /** Ends it after the requests in progress. `resume` continues a run; a verification starts over. */
  async pause(): Promise<void> {
    this.#stop.abort();
    await this.ended;
  }

  async #work(): Promise<void> {
    try {
      const done = await this.#take();
      this.#end({ ...done, state: 'done' });
    } catch (error) {
      if (this.#stop.signal.aborted) this.#end({ state: 'paused' });
      else this.#end({ state: 'failed', error: problemOf(error) });
    } finally {
      this.#options.client.destroy();
    }
  }

  async #take(): Promise<Partial<JobReport>> {
    const { migration, work, client, tables } = this.#options;
    const { dryRun, drop, failures, ...rates } = this.#options.settings;
    const { stepText, verify, ...library } = await import('@singlet/model/migrate');
    const traffic = { client, tables, ...rates, signal: this.#stop.signal };
    if (work === 'verify') {
      const verified = await verify(migration, { ...traffic, onScanned: (scanned) => this.#set({ scanned }) });
      return { verified };
    }
    const { steps } = await library[work](migration, {
      ...traffic,
      ...(dryRun !== undefined && { dryRun }),
      ...(drop !== undefined && { drop }),
      ...(failures !== undefined && { failuresMax: failures }),
      onFailure: ({ message }) => {
        if (this.#report.failures.length < failuresTold) this.#set({ failures: [...this.#report.failures, message] });
      },
      onUnsent: ({ operation, input }) => {
        if (this.#report.unsent.length < unsentTold)
          this.#set({ unsent: [...this.#report.unsent, { operation, input: plainJson(input) }] });
      },
      onProgress: (progress) => this.#set({ progress: told(progress, stepText) }),
    });
    return { steps: steps.map(({ step, count }) => ({ text: stepText(step), count })), progress: null };
  }

  #end(more: Partial<JobReport>): void {
    this.#set({ ...more, endedAtMs: this.#options.nowMs() });
  }

  #set(more: Partial<JobReport>): void {
    this.#report = { ...this.#report, ...more };
  }
}

function told({ step, number, count }: Progress, stepText: (step: Step) => string): NonNullable<JobReport['progress']> {
  return { text: stepText(step), number, count };
}

function problemOf(error: unknown): { readonly name: string; readonly message: string } {
  if (error instanceof Error) return { name: error.name, message: error.message };
  return { name: 'Error', message: String(error) };
}
