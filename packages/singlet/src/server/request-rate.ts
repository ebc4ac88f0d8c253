import { DynamoError } from '../values/service-error.ts';
import type { CallerNumbers } from './caller-counts.ts';

/**
 * Most requests a second of one identity, and of one address, by default: more than one process can answer, so that no request is refused unless
 * a limit is set.
 */
export const requestsPerSecondMax = 50_000;

/** Most callers whose rates are kept. Beyond that, the caller that was seen first starts over. */
export const ratedCallersMax = 10_000;

export interface RequestRateOptions {
  /** Requests a second, and also how many may arrive at once after a second without any. */
  readonly perSecond?: number | undefined;
  /** Milliseconds from some fixed point in time; never goes back. */
  readonly nowMs: () => number;
  /** Called for every request that is refused. */
  readonly onRefused?: ((caller: string) => void) | undefined;
}

/** Limits the requests a second of each caller: a token bucket for each, which time fills and requests empty. */
export class RequestRate {
  readonly #perSecond: number;
  readonly #nowMs: () => number;
  readonly #onRefused: ((caller: string) => void) | undefined;
  readonly #buckets = new Map<string, { tokens: number; sinceMs: number }>();
  /** Requests by caller since {@link takeRequests}. Undefined while no other process asks for them. */
  #requests: Map<string, number> | undefined;

  constructor({ perSecond = requestsPerSecondMax, nowMs, onRefused }: RequestRateOptions) {
    this.#perSecond = perSecond;
    this.#nowMs = nowMs;
    this.#onRefused = onRefused;
  }

  /** How many callers have a rate. */
  get callerCount(): number {
    return this.#buckets.size;
  }

  /** Counts a request. @returns false if it exceeds the limit; it is not counted then. */
  admits(caller: string): boolean {
    const bucket = this.#filledBucket(caller);
    if (bucket.tokens < 1) {
      this.#onRefused?.(caller);
      return false;
    }
    bucket.tokens -= 1;
    this.#requests?.set(caller, (this.#requests.get(caller) ?? 0) + 1);
    return true;
  }

  /** The requests that this process has admitted since the last call; none the first time. */
  takeRequests(): CallerNumbers {
    const requests = this.#requests ?? [];
    this.#requests = new Map();
    return [...requests];
  }

  /** Counts the requests that another process of the server has admitted. A caller never has to wait longer than a second for them. */
  addRequests(requests: CallerNumbers): void {
    for (const [caller, count] of requests) {
      const bucket = this.#filledBucket(caller);
      bucket.tokens = Math.max(1 - this.#perSecond, bucket.tokens - count);
    }
  }

  /** @throws {DynamoError} ThrottlingException if the request exceeds the limit. */
  take(caller: string): void {
    if (!this.admits(caller)) throw rateExceeded();
  }

  #filledBucket(caller: string): { tokens: number; sinceMs: number } {
    const now = this.#nowMs();
    const bucket = this.#bucketOf(caller, now);
    bucket.tokens = Math.min(this.#perSecond, bucket.tokens + ((now - bucket.sinceMs) / 1000) * this.#perSecond);
    bucket.sinceMs = now;
    return bucket;
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

/** The service's answer to requests that come too fast. */
export function rateExceeded(): DynamoError {
  return new DynamoError('ThrottlingException', 'Rate exceeded', { retryable: true });
}
