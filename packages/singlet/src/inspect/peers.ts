import type { InspectionRequest } from '../server/index.ts';

/** The other processes that serve the same data. */
export interface Peers {
  /** Asks each of them; one that does not answer in time, or refuses, is left out. */
  ask(question: object): Promise<readonly unknown[]>;
  /** Says how this process answers when it is asked. */
  answerWith(answer: (question: unknown) => Promise<unknown>): void;
}

/** The parts of a request that another process needs to answer it. */
export type PartRequest = Pick<InspectionRequest, 'method' | 'path' | 'query' | 'json' | 'context'>;

/** A request as it travels between processes. */
interface PartQuestion {
  readonly method: string;
  readonly path: readonly string[];
  readonly query: string;
  readonly json?: unknown;
  readonly context: InspectionRequest['context'];
}

/** The question whose answers are the parts of all other processes. */
export function partQuestion({ method, path, query, json, context }: PartRequest): PartQuestion {
  return { method, path, query: query.toString(), json, context };
}

/** The request that {@link partQuestion} was made of. */
export function partRequest(question: unknown): PartRequest {
  const { query, json, ...rest } = question as PartQuestion; // of the same program, so of this form
  return { ...rest, json, query: new URLSearchParams(query) };
}
