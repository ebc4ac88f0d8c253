import { DynamoError } from '../values/service-error.ts';

/**
 * Most requests a second of one identity, and of one address, by default: more than one process answers, so that no one is refused unless
 * they are set.
 */
export const requestsPerSecondMax = 50_000;

/** Most callers that a rate is kept of. Of those beyond, the one that was seen first starts over. */
export const ratedCallersMax = 10_000;

export interface RequestRateOptions {
  /** Requests a second, and how many may come at once after a second without any. */
  readonly perSecond?: number | undefined;
  /** Milliseconds from some fixed point in time; never goes back. */
  readonly nowMs: () => number;
  /** Is told of every request that is refused. */
  readonly onRefused?: ((caller: string) => void) | undefined;
}

/** How many requests a second each caller may make: a bucket for each, which fills by time and is emptied by requests. */
export class RequestRate {
  readonly #perSecond: number;
  readonly #nowMs: () => number;
  readonly #onRefused: ((caller: string) => void) | undefined;
  readonly #buckets = new Map<string, { tokens: number; sinceMs: number }>();

  constructor({ perSecond = requestsPerSecondMax, nowMs, onRefused }: RequestRateOptions) {
    this.#perSecond = perSecond;
    this.#nowMs = nowMs;
    this.#onRefused = onRefused;
  }

  /** How many callers a rate is kept of. */
  get callerCount(): number {
    return this.#buckets.size;
  }

  /** Counts a request. @returns false for one too many, which does not count. */
  admits(caller: string): boolean {
    const now = this.#nowMs();
    const bucket = this.#bucketOf(caller, now);
    bucket.tokens = Math.min(this.#perSecond, bucket.tokens + ((now - bucket.sinceMs) / 1000) * this.#perSecond);
    bucket.sinceMs = now;
    if (bucket.tokens < 1) {
      this.#onRefused?.(caller);
      return false;
    }
    bucket.tokens -= 1;
    return true;
  }

  /** @throws {DynamoError} ThrottlingException for one too many. */
  take(caller: string): void {
    if (!this.admits(caller)) throw rateExceeded();
  }

  #bucketOf(caller: string, now: number): { tokens: number; sinceMs: number } {
    const known = this.#buckets.get(caller);
    if (known !== undefined) return known;
    if (this.#buckets.size >= ratedCallersMax) {
      for (const first of this.#buckets.keys()) {
        this.#buckets.delete(first);
        break;
      }
    }
    const bucket = { tokens: this.#perSecond, sinceMs: now };
    this.#buckets.set(caller, bucket);
    return bucket;
  }
}

/** What the service answers to requests that come too fast. */
export function rateExceeded(): DynamoError {
  return new DynamoError('ThrottlingException', 'Rate exceeded', { retryable: true });
}
