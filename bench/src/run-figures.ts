import { percentile } from './statistics.ts';

/** The results of one run of one subject. */
export interface RunFigures {
  /** Requests answered inside the measured window. */
  readonly requests: number;
  /** Answers among them whose status was not 200 (or, in process, rejections), and wrong answers of the sample. */
  readonly errors: number;
  /** The first such answer. */
  readonly firstError?: string;
  readonly seconds: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of the measured process per request; absent where the system does not report it. */
  readonly subjectCpuMicroseconds?: number;
  /** CPU time of the load generator per request: what it takes from a server on the same cores. */
  readonly generatorCpuMicroseconds?: number;
  /** Share of one core that the load generator used. Near 1 the generator, not the server, was the limit. */
  readonly generatorCpuShare?: number;
}

/** How long a run takes and how many requests are in flight. */
export interface Timing {
  readonly concurrency: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
}

/** The last position of the ring up to `index` where a run may start. */
export function restingPoint(index: number, restEvery: number): number {
  return index - (index % restEvery);
}

/** A window continues until it has this many answers, for slow requests, but not indefinitely. */
const answersMin = 20;
const durationFactorMax = 20;

/** The measured time: begins after the warm-up, and counts the answers within it. */
export class MeasuredWindow {
  readonly startMs: number;
  readonly #latestMs: number;
  readonly #latencies = new LatencyRecorder();
  #endMs: number;

  constructor(nowMs: number, { warmUpMs, durationMs }: Pick<Timing, 'warmUpMs' | 'durationMs'>) {
    this.startMs = nowMs + warmUpMs;
    this.#endMs = this.startMs + durationMs;
    this.#latestMs = this.startMs + durationMs * durationFactorMax;
  }

  /** When it ends, as far as is known. */
  get endMs(): number {
    return this.#endMs;
  }

  get count(): number {
    return this.#latencies.count;
  }

  /** Counts an answer by its time of arrival and its latency. @returns whether it came before, inside or after the window. */
  add(nowMs: number, latencyMs: number): 'before' | 'inside' | 'after' {
    if (nowMs < this.startMs) return 'before';
    if (nowMs >= this.#endMs) {
      if (this.count >= answersMin || nowMs >= this.#latestMs) return 'after';
      this.#endMs = nowMs;
    }
    this.#latencies.add(latencyMs);
    return 'inside';
  }

  figures(): Pick<RunFigures, 'requests' | 'seconds' | 'requestsPerSecond' | 'p50Ms' | 'p99Ms'> {
    return this.#latencies.figures((this.#endMs - this.startMs) / 1000);
  }
}

/** Collects the latencies of one measured window. */
class LatencyRecorder {
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
