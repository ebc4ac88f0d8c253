import { AsyncLocalStorage } from 'node:async_hooks';
import type { ObservedRequest } from './observe-requests.ts';
import type { RequestFigures } from './request-figures.ts';
import { figuresOf } from './request-figures.ts';

export interface PatternFigures extends RequestFigures {
  /** Number of calls of the pattern. */
  readonly calls: number;
  readonly requests: number;
  /** Of all requests together. */
  readonly latencyMs: number;
}

/** A request as an example of its pattern. */
export interface ExampleRequest extends ObservedRequest {
  readonly figures: RequestFigures;
}

/** More items than this make a poor example on a screen. */
const EXAMPLE_ITEMS_MAX = 12;

/**
 * Records the figures of each access pattern. The application is unchanged: a call is run `during` a pattern, and the
 * requests that it causes, however deep inside, are recorded under it.
 */
export class PatternLedger {
  readonly #running = new AsyncLocalStorage<Account>();
  readonly #accounts = new Map<string, Account>();

  async during<Result>(patternId: string, call: () => Promise<Result>): Promise<Result> {
    const account = this.#account(patternId);
    account.calls += 1;
    return await this.#running.run(account, call);
  }

  /** Must receive every request. A request that belongs to no pattern, such as CreateTable, is left out. */
  record(request: ObservedRequest): void {
    this.#running.getStore()?.add(request);
  }

  figures(patternId: string): PatternFigures {
    return this.#account(patternId).figures();
  }

  /** One request of each operation that the pattern used, in the order they first appeared. */
  examples(patternId: string): readonly ExampleRequest[] {
    return [...this.#account(patternId).examples.values()];
  }

  #account(patternId: string): Account {
    const account = this.#accounts.get(patternId) ?? new Account();
    this.#accounts.set(patternId, account);
    return account;
  }
}

class Account {
  calls = 0;
  readonly examples = new Map<string, ExampleRequest>();
  #requests = 0;
  #latencyMs = 0;
  #sum: RequestFigures = { itemsRead: 0, itemsReturned: 0, itemsWritten: 0, readUnits: 0, writeUnits: 0 };

  add(request: ObservedRequest): void {
    const figures = figuresOf(request);
    this.#requests += 1;
    this.#latencyMs += request.latencyMs;
    this.#sum = {
      itemsRead: this.#sum.itemsRead + figures.itemsRead,
      itemsReturned: this.#sum.itemsReturned + figures.itemsReturned,
      itemsWritten: this.#sum.itemsWritten + figures.itemsWritten,
      readUnits: this.#sum.readUnits + figures.readUnits,
      writeUnits: this.#sum.writeUnits + figures.writeUnits,
    };
    const known = this.examples.get(request.operation);
    if (
      known === undefined ||
      isGoodExample(request, figures) ||
      (touched(known.figures) === 0 && touched(figures) > 0)
    ) {
      this.examples.set(request.operation, { ...request, figures });
    }
  }

  figures(): PatternFigures {
    return { ...this.#sum, calls: this.calls, requests: this.#requests, latencyMs: this.#latencyMs };
  }
}

function touched({ itemsReturned, itemsWritten }: RequestFigures): number {
  return itemsReturned + itemsWritten;
}

/** Whether it succeeded, with a result to show. The last such request wins, because by then there are items to read. */
function isGoodExample(request: ObservedRequest, figures: RequestFigures): boolean {
  const items = touched(figures);
  return request.output !== undefined && items > 0 && items <= EXAMPLE_ITEMS_MAX;
}
