import type { ConsumptionNote } from '../../engine/index.ts';

/*
 * What the processes of one server say to each other, beside the connections that the primary hands out:
 *
 *     worker  -> primary   ready (it listens), or refused (it cannot, and says why; then it ends)
 *     primary -> worker    background work (it is yours now; or, to whom has it: look whether somebody left some), stop
 *
 *     worker  -> primary   asks all others        primary -> each of them    asked
 *     each    -> primary   answers                primary -> worker          answered
 *
 *     worker  -> primary   consumed (what of the throughput of tables)                primary -> all others   consumed
 */

/** What one worker asks of the others. */
export interface Question {
  /** Who answers it there. */
  readonly to: 'metrics' | 'inspection';
  readonly what?: unknown;
}

export type WorkerMessage =
  | { readonly singlet: 'ready'; readonly url: string; readonly port: number }
  /** One sentence for the person at the command line. */
  | { readonly singlet: 'refused'; readonly sentence: string }
  /** `id` is the worker's own, and comes back with the answers. */
  | { readonly singlet: 'asks'; readonly id: number; readonly question: Question }
  | { readonly singlet: 'consumed'; readonly notes: readonly ConsumptionNote[] }
  /** `id` is that of the request. */
  | { readonly singlet: 'answers'; readonly id: number; readonly answer?: unknown };

export type PrimaryMessage =
  | { readonly singlet: 'background work' | 'stop' }
  | { readonly singlet: 'asked'; readonly id: number; readonly question: Question }
  | { readonly singlet: 'consumed'; readonly notes: readonly ConsumptionNote[] }
  | { readonly singlet: 'answered'; readonly id: number; readonly answers: readonly unknown[] };

/** Names the port that a worker is to listen on. A process that has it in its environment is a worker. */
export const workerPortVariable = 'SINGLET_WORKER_PORT';

/** @returns the port that this process is to listen on as one of several workers; undefined when it is none. */
export function workerPortOf(environment: NodeJS.ProcessEnv): number | undefined {
  const text = environment[workerPortVariable];
  return text === undefined || process.send === undefined ? undefined : Number(text);
}

/** @returns which of several workers this process is. */
export function workerNumberOf(environment: NodeJS.ProcessEnv): number {
  return Number(environment[workerNumberVariable] ?? 0);
}

/** Tells the workers that serve at the same time apart, from 0. */
export const workerNumberVariable = 'SINGLET_WORKER_NUMBER';

/** @returns undefined for what is none of ours: other libraries may use the channel, too. */
export function workerMessageOf(value: unknown): WorkerMessage | undefined {
  return isOurs(value) ? (value as unknown as WorkerMessage) : undefined; // of the same program, so of this form
}

export function primaryMessageOf(value: unknown): PrimaryMessage | undefined {
  return isOurs(value) ? (value as unknown as PrimaryMessage) : undefined; // the same
}

function isOurs(value: unknown): value is { readonly singlet: string } {
  return typeof value === 'object' && value !== null && 'singlet' in value;
}
