import { HttpConnection } from '../http-connection.ts';
import { LatencyHistogram } from './latency-histogram.ts';

/** The interval at which due requests are sent, in milliseconds. */
const tickMs = 2;

export interface PacedLoadOptions {
  readonly port: number;
  readonly connections: number;
  readonly requestsPerSecond: number;
  /** Sent in order, around the ring. */
  readonly requests: readonly Buffer[];
}

/**
 * Sends requests at a constant rate, regardless of the server. A request waits if no connection is free, and its latency counts from when it
 * was due.
 */
export class PacedLoad {
  /** Answers whose status was not 200. */
  errors = 0;
  firstError: string | undefined;
  readonly #options: PacedLoadOptions;
  readonly #free: HttpConnection[];
  readonly #connections: readonly HttpConnection[];
  #sentCount = 0;
  /** Of all requests, those that were not sent wait for a connection. */
  #dueCount = 0;
  readonly #startMs = performance.now();
  /** Of the current window. */
  #latencies = new LatencyHistogram();
  #failure: Error | undefined;

  private constructor(options: PacedLoadOptions, connections: readonly HttpConnection[]) {
    this.#options = options;
    this.#connections = connections;
    this.#free = [...connections];
  }

  static async open(options: PacedLoadOptions): Promise<PacedLoad> {
    const opening = Array.from({ length: options.connections }, () =>
      HttpConnection.open(options.port, { keepBodies: false }),
    );
    return new PacedLoad(options, await Promise.all(opening));
  }

  /** Continues for a while. @returns the latencies of the requests answered meanwhile. */
  async run(durationMs: number): Promise<LatencyHistogram> {
    this.#latencies = new LatencyHistogram();
    const endMs = performance.now() + durationMs;
    while (performance.now() < endMs) {
      const nowMs = performance.now();
      this.#dueCount = Math.floor(((nowMs - this.#startMs) / 1000) * this.#options.requestsPerSecond);
      this.#send();
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise((resolve) => setTimeout(resolve, tickMs));
    }
    return this.#latencies;
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  #send(): void {
    const { requests, requestsPerSecond } = this.#options;
    while (this.#sentCount < this.#dueCount) {
      const connection = this.#free.pop();
      if (connection === undefined) return;
      const dueMs = this.#startMs + (this.#sentCount * 1000) / requestsPerSecond;
      const request = requests[this.#sentCount % requests.length] as Buffer; // a ring, which is not empty
      this.#sentCount += 1;
      connection.send(
        request,
        ({ status, body }) => {
          this.#latencies.add(performance.now() - dueMs);
          if (status !== 200) {
            this.errors += 1;
            this.firstError ??= `${status} ${body.toString().slice(0, 200)}`;
          }
          this.#free.push(connection);
          this.#send();
        },
        (error) => (this.#failure ??= error),
      );
    }
  }
}
