import { AsyncLocalStorage } from 'node:async_hooks';
import { observeRequests, type ObservedRequest } from '../measurement/observe-requests.ts';
import { figuresOf, type RequestFigures } from '../measurement/request-figures.ts';

/** One request to the database, and its cost. */
export interface Cost extends RequestFigures {
  /** DynamoDB's name for it: `Query`, `TransactWriteItems`. */
  readonly operation: string;
  /** The table, and the index if one was read: `EcommerceTable GSI1`. */
  readonly place: string;
  /** Whether a query read against the order of the sort key. */
  readonly isBackwards: boolean;
  /** Whether DynamoDB refused it, or did not answer. */
  readonly isRefused: boolean;
}

type Client = Parameters<typeof observeRequests>[0];

/**
 * Tracks what each answer of an application cost: every request of its clients is counted for the HTTP request that
 * caused it, however deep inside, and for no other.
 */
export class Costs {
  readonly #running = new AsyncLocalStorage<Cost[]>();

  /** Counts everything that a client, and document clients made from it later, send from now on. */
  watch(client: Client): void {
    observeRequests(client, (request) => this.#running.getStore()?.push(costOf(request)));
  }

  /** Runs a function whose requests are counted together. */
  async during<Result>(run: () => Promise<Result>): Promise<Result> {
    return await this.#running.run([], run);
  }

  /** Starts work that outlasts the answer. Its requests are counted for none. */
  apart<Result>(begin: () => Result): Result {
    return this.#running.exit(begin);
  }

  /** What the current one has cost so far, in the order of the answers. */
  soFar(): readonly Cost[] {
    return this.#running.getStore() ?? [];
  }
}

function costOf(request: ObservedRequest): Cost {
  const { operation, input, output } = request;
  return {
    ...figuresOf(request),
    operation,
    place: [...tablesOf(input), ...(typeof input['IndexName'] === 'string' ? [input['IndexName']] : [])].join(' '),
    isBackwards: input['ScanIndexForward'] === false,
    isRefused: output === undefined,
  };
}

function tablesOf(input: Readonly<Record<string, unknown>>): readonly string[] {
  if (typeof input['TableName'] === 'string') return [input['TableName']];
  if (typeof input['RequestItems'] === 'object') return Object.keys(input['RequestItems'] ?? {});
  const actions = Array.isArray(input['TransactItems']) ? (input['TransactItems'] as readonly object[]) : [];
  const names = actions.flatMap((action) =>
    Object.values(action).map(({ TableName }: { TableName: string }) => TableName),
  );
  return [...new Set(names)];
}
