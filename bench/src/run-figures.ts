import { percentile } from './statistics.ts';

/** What one run of one subject showed. */
export interface RunFigures {
  /** Requests answered inside the measured window. */
  readonly requests: number;
  /** Answers among them that were not status 200 (or, in process, rejections). */
  readonly errors: number;
  /** The first such answer. */
  readonly firstError?: string;
  readonly seconds: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of the measured process per request; absent where the system does not tell. */
  readonly subjectCpuMicroseconds?: number;
  /** Share of one core that the load generator used. Near 1 the generator, not the server, was the limit. */
  readonly generatorCpuShare?: number;
}

/** How long a run takes and how many requests are in flight. */
export interface Timing {
  readonly concurrency: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
}

/** Collects the latencies of one measured window. */
export class LatencyRecorder {
  #latenciesMs = new Float64Array(65_536);
  #count = 0;

  add(latencyMs: number): void {
    if (this.#count === this.#latenciesMs.length) {
      const larger = new Float64Array(this.#count * 2);
      larger.set(this.#latenciesMs);
      this.#latenciesMs = larger;
    }
    this.#latenciesMs[this.#count] = latencyMs;
    this.#count += 1;
  }

  get count(): number {
    return this.#count;
  }

  figures(seconds: number): Pick<RunFigures, 'requests' | 'seconds' | 'requestsPerSecond' | 'p50Ms' | 'p99Ms'> {
    const sorted = this.#latenciesMs.subarray(0, this.#count).sort();
    return {
      requests: this.#count,
      seconds,
      requestsPerSecond: this.#count / seconds,
      p50Ms: percentile(sorted, 0.5),
      p99Ms: percentile(sorted, 0.99),
    };
  }
}
