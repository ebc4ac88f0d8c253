import type { CallerNumbers, ConnectionLimit, RequestLimit, RequestRate } from '../../server/index.ts';

/** What a worker has counted of its callers since its last report. Lists without entries are left out. */
export interface LimitReport {
  readonly connections?: CallerNumbers;
  readonly requests?: CallerNumbers;
  readonly identityRates?: CallerNumbers;
  readonly addressRates?: CallerNumbers;
}

export interface LimitsOfCallers {
  readonly connections: ConnectionLimit;
  /** The others are absent if requests are not authenticated. */
  readonly requests?: RequestLimit | undefined;
  readonly identityRate?: RequestRate | undefined;
  readonly addressRate?: RequestRate | undefined;
}

/** How often workers report to each other, milliseconds. For this long, workers together may admit too much. */
const reportMs = 50;

/** The limits by identity and by address, which all workers of a server share: each tells the others what it counts. */
export class SharedLimits {
  readonly #limits: LimitsOfCallers;

  constructor(limits: LimitsOfCallers) {
    this.#limits = limits;
  }

  /** Reports as long as this process runs. Does not keep the process alive. */
  share(tell: (report: LimitReport) => void): void {
    this.report();
    setInterval(() => {
      const report = this.report();
      if (Object.keys(report).length > 0) tell(report);
    }, reportMs).unref();
  }

  /** @param all - for a worker that has just started: also what has not changed since the last report. */
  report(all = false): LimitReport {
    const { connections, requests, identityRate, addressRate } = this.#limits;
    const lists = {
      connections: connections.counts.takeChanges({ all }),
      requests: requests?.counts.takeChanges({ all }),
      identityRates: identityRate?.takeRequests(),
      addressRates: addressRate?.takeRequests(),
    };
    return Object.fromEntries(Object.entries(lists).filter(([, numbers]) => (numbers?.length ?? 0) > 0));
  }

  /** Adds what another worker has reported. @param worker - its number. */
  add(worker: number, { connections, requests, identityRates, addressRates }: LimitReport): void {
    if (connections !== undefined) this.#limits.connections.counts.addFrom(worker, connections);
    if (requests !== undefined) this.#limits.requests?.counts.addFrom(worker, requests);
    if (identityRates !== undefined) this.#limits.identityRate?.addRequests(identityRates);
    if (addressRates !== undefined) this.#limits.addressRate?.addRequests(addressRates);
  }

  /** Forgets the connections and requests of a worker that has exited. */
  forget(worker: number): void {
    this.#limits.connections.counts.forget(worker);
    this.#limits.requests?.counts.forget(worker);
  }
}
