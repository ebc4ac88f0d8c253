import type { InspectionRequest } from '../server/index.ts';

/** The other processes that serve the same data. */
export interface Peers {
  /** Asks each of them. Processes that refuse or do not answer in time are left out. */
  ask(question: object): Promise<readonly unknown[]>;
  /** Sets how this process answers the others. */
  answerWith(answer: (question: unknown) => Promise<unknown>): void;
}

/** The parts of a request that another process needs to answer it. */
export type PartRequest = Pick<InspectionRequest, 'method' | 'path' | 'query' | 'json' | 'context'>;

/** A request as it is sent between processes. */
interface PartQuestion {
  readonly method: string;
  readonly path: readonly string[];
  readonly query: string;
  readonly json?: unknown;
  readonly context: InspectionRequest['context'];
}

/** The question that requests the parts of all other processes. */
export function partQuestion({ method, path, query, json, context }: PartRequest): PartQuestion {
  return { method, path, query: query.toString(), json, context };
}

/** The request from which {@link partQuestion} made a question. */
export function partRequest(question: unknown): PartRequest {
  const { query, json, ...rest } = question as PartQuestion; // sent by the same program, so it has this form
  return { ...rest, json, query: new URLSearchParams(query) };
}
