import { setTimeout as sleep } from 'node:timers/promises';

/** The clock, timers and randomness of a consumer. With a simulated one, nothing waits for real time. */
export interface ConsumerEnvironment {
  /** Milliseconds since 1970-01-01T00:00:00Z, by the clock of this worker. Workers' clocks need not agree. */
  nowMs(): number;
  /** Resolves after `delayMs`, or at once when `signal` aborts. Never rejects. */
  pause(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** From 0 (inclusive) to 1 (exclusive). Spreads actions that several workers would otherwise perform simultaneously. */
  random(): number;
}

/** This machine's clock, timers and randomness. */
export const systemEnvironment: ConsumerEnvironment = {
  nowMs: () => Date.now(),
  async pause(delayMs, signal) {
    if (signal?.aborted === true) return;
    await sleep(delayMs, undefined, signal && { signal }).catch((error: unknown) => {
      if (signal?.aborted !== true) throw error;
    });
  },
  random: () => Math.random(),
};

const retryDelayMs = 100;
const retryDelayMsMax = 30_000;

/** The backoff after a number of consecutive failures: doubling each time, up to half a minute, with jitter. */
export function backoffMs(failureCount: number, environment: ConsumerEnvironment): number {
  const longest = Math.min(retryDelayMs * 2 ** Math.min(failureCount, 20), retryDelayMsMax);
  return Math.ceil(longest * (0.5 + environment.random() / 2));
}
