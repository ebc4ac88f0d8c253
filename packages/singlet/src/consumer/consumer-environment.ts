import { setTimeout as sleep } from 'node:timers/promises';

/** What a consumer needs from the world. With a scripted one, nothing waits for real time. */
export interface ConsumerEnvironment {
  /** Milliseconds since 1970-01-01T00:00:00Z, by the clock of this worker. Workers' clocks need not agree. */
  nowMs(): number;
  /** Resolves after `delayMs`, or at once when `signal` aborts. Never rejects. */
  pause(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** At least 0, less than 1. Spreads what several workers would otherwise do at the same moment. */
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

/** How long to wait after so many failures in a row: twice as long each time, up to half a minute, and never quite the same. */
export function backoffMs(failureCount: number, environment: ConsumerEnvironment): number {
  const longest = Math.min(retryDelayMs * 2 ** Math.min(failureCount, 20), retryDelayMsMax);
  return Math.ceil(longest * (0.5 + environment.random() / 2));
}
