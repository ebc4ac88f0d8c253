import { HttpConnection } from '../http-connection.ts';
import { LatencyHistogram } from './latency-histogram.ts';

/** Requests that are due are sent so often. Milliseconds. */
const tickMs = 2;

export interface PacedLoadOptions {
  readonly port: number;
  readonly connections: number;
  readonly requestsPerSecond: number;
  /** Sent in a ring. */
  readonly requests: readonly Buffer[];
}

/**
 * Requests at a constant rate, whatever the server does: one that finds no free connection waits for it, and its latency counts from the moment at which it
 * was due.
 */
export class PacedLoad {
  /** Answers that were not of status 200. */
  errors = 0;
  firstError: string | undefined;
  readonly #options: PacedLoadOptions;
  readonly #free: HttpConnection[];
  readonly #connections: readonly HttpConnection[];
  /** When those were due that wait for a connection. */
  readonly #due: number[] = [];
  #next = 0;
  #sentCount = 0;
  readonly #startMs = performance.now();
  /** Of the present window. */
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

  /** Continues for a while. @returns the latencies of what was answered in it. */
  async run(durationMs: number): Promise<LatencyHistogram> {
    this.#latencies = new LatencyHistogram();
    const endMs = performance.now() + durationMs;
    while (performance.now() < endMs) {
      const nowMs = performance.now();
      const dueCount = Math.floor(((nowMs - this.#startMs) / 1000) * this.#options.requestsPerSecond);
      for (; this.#sentCount < dueCount; this.#sentCount += 1) {
        this.#due.push(this.#startMs + (this.#sentCount * 1000) / this.#options.requestsPerSecond);
      }
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
    while (this.#due.length > 0) {
      const connection = this.#free.pop();
      if (connection === undefined) return;
      const dueMs = this.#due.shift() as number; // there is one
      const request = this.#options.requests[this.#next] as Buffer; // a ring, which is not empty
      this.#next = (this.#next + 1) % this.#options.requests.length;
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
