import type { Exchange } from './client.ts';

/** The requests behind a view's contents. The oldest are dropped first; the sums are kept. */
export class RequestLog {
  #listeners = new Set<() => void>();
  #snapshot: RequestSums = noRequests;

  readonly add = (exchange: Exchange): void => {
    const { requests, itemsRead, itemsReturned, readUnits, writeUnits, durationMs, last } = this.#snapshot;
    this.#snapshot = {
      requests: requests + 1,
      itemsRead: itemsRead + exchange.itemsRead,
      itemsReturned: itemsReturned + exchange.itemsReturned,
      readUnits: readUnits + exchange.readUnits,
      writeUnits: writeUnits + exchange.writeUnits,
      durationMs: durationMs + exchange.durationMs,
      last: [...last.slice(1 - exchangesMax), exchange],
    };
    for (const listener of this.#listeners) listener();
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): RequestSums => this.#snapshot;
}

export interface RequestSums {
  readonly requests: number;
  readonly itemsRead: number;
  readonly itemsReturned: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly durationMs: number;
  /** The last ones, oldest first. */
  readonly last: readonly Exchange[];
}

const exchangesMax = 50;
const noRequests: RequestSums = {
  requests: 0,
  itemsRead: 0,
  itemsReturned: 0,
  readUnits: 0,
  writeUnits: 0,
  durationMs: 0,
  last: [],
};
