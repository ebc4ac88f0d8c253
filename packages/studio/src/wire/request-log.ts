import type { Exchange } from './client.ts';

/** The requests behind a view's contents. The oldest are dropped first; the sums are kept. */
export class RequestLog {
  #listeners = new Set<() => void>();
  #snapshot: RequestSums = noRequests;
  #isReceiving = false;

  readonly add = (exchange: Exchange): void =>
    this.#count(exchange, [...this.#snapshot.last.slice(1 - exchangesMax), exchange]);

  /** A request that a view sends again and again. It counts, and the one before it stays the last one that is shown as code. */
  readonly addRepeated = (exchange: Exchange): void => this.#count(exchange, this.#snapshot.last);

  #count(exchange: Exchange, last: readonly Exchange[]): void {
    const { requests, itemsRead, itemsReturned, readUnits, writeUnits, streamUnits, durationMs } = this.#snapshot;
    this.#set({
      requests: requests + 1,
      itemsRead: itemsRead + exchange.itemsRead,
      itemsReturned: itemsReturned + exchange.itemsReturned,
      readUnits: readUnits + exchange.readUnits,
      writeUnits: writeUnits + exchange.writeUnits,
      streamUnits: streamUnits + exchange.streamUnits,
      durationMs: durationMs + exchange.durationMs,
      last,
    });
  }

  /** Items that the server sends by itself, over a connection that stays open. It is one request, whatever it brings. */
  readonly received = (count: number): void => {
    const { requests, itemsRead, itemsReturned } = this.#snapshot;
    this.#set({
      ...this.#snapshot,
      requests: requests + (this.#isReceiving ? 0 : 1),
      itemsRead: itemsRead + count,
      itemsReturned: itemsReturned + count,
    });
    this.#isReceiving = true;
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): RequestSums => this.#snapshot;

  #set(sums: RequestSums): void {
    this.#snapshot = sums;
    for (const listener of this.#listeners) listener();
  }
}

export interface RequestSums {
  readonly requests: number;
  readonly itemsRead: number;
  readonly itemsReturned: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly streamUnits: number;
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
  streamUnits: 0,
  durationMs: 0,
  last: [],
};
