import type { ConsumptionNote } from '../../engine/index.ts';
import type { LimitReport } from './shared-limits.ts';

/*
 * The messages between the processes of one server, in addition to the connections that the primary hands out:
 *
 *     worker  -> primary   ready (it listens), or refused (it cannot, and says why; then it ends)
 *     primary -> worker    background work (run it; or, if you run it already, look for work that a lost worker left), stop
 *
 *     worker  -> primary   asks all others        primary -> each of them    asked
 *     each    -> primary   answers                primary -> worker          answered
 *
 *     worker  -> primary   consumed (what of the throughput of tables)                primary -> all others   consumed
 *     worker  -> primary   limits (what each of its callers has)                      primary -> all others   limits of it
 *     primary -> all others  report limits (to a worker that has just started), worker lost (forget what it has reported)
 */

/** A question of one worker to the others. */
export interface Question {
  /** The recipient there. */
  readonly to: 'metrics' | 'inspection';
  readonly what?: unknown;
}

export type WorkerMessage =
  | { readonly singlet: 'ready'; readonly url: string; readonly port: number }
  /** One sentence for the user of the command line. */
  | { readonly singlet: 'refused'; readonly sentence: string }
  /** `id` is chosen by the worker, and is returned with the answers. */
  | { readonly singlet: 'asks'; readonly id: number; readonly question: Question }
  | { readonly singlet: 'consumed'; readonly notes: readonly ConsumptionNote[] }
  | { readonly singlet: 'limits'; readonly report: LimitReport }
  /** `id` is that of the question. */
  | { readonly singlet: 'answers'; readonly id: number; readonly answer?: unknown };

export type PrimaryMessage =
  | { readonly singlet: 'background work' | 'stop' | 'report limits' }
  /** Workers are known by their numbers. */
  | { readonly singlet: 'limits of'; readonly worker: number; readonly report: LimitReport }
  | { readonly singlet: 'worker lost'; readonly worker: number }
  | { readonly singlet: 'asked'; readonly id: number; readonly question: Question }
  | { readonly singlet: 'consumed'; readonly notes: readonly ConsumptionNote[] }
  | { readonly singlet: 'answered'; readonly id: number; readonly answers: readonly unknown[] };

/** The port that a worker should listen on. A process with this environment variable is a worker. */
export const workerPortVariable = 'SINGLET_WORKER_PORT';

/** @returns the port that this process should listen on as a worker; undefined if it is not one. */
export function workerPortOf(environment: NodeJS.ProcessEnv): number | undefined {
  const text = environment[workerPortVariable];
  return text === undefined || process.send === undefined ? undefined : Number(text);
}

/** @returns the number of this worker. */
export function workerNumberOf(environment: NodeJS.ProcessEnv): number {
  return Number(environment[workerNumberVariable] ?? 0);
}

/** The number of a worker, from 0, unique among those running at the same time. */
export const workerNumberVariable = 'SINGLET_WORKER_NUMBER';

/** @returns undefined for other messages: other libraries may use the channel, too. */
export function workerMessageOf(value: unknown): WorkerMessage | undefined {
  return isOurs(value) ? (value as unknown as WorkerMessage) : undefined; // sent by the same program, so it has this form
}

export function primaryMessageOf(value: unknown): PrimaryMessage | undefined {
  return isOurs(value) ? (value as unknown as PrimaryMessage) : undefined; // the same
}

function isOurs(value: unknown): value is { readonly singlet: string } {
  return typeof value === 'object' && value !== null && 'singlet' in value;
}
