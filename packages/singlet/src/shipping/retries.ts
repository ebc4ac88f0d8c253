import { BucketError, type BucketErrorCode } from '../transfer/buckets/index.ts';
import { BackupError } from './backup-error.ts';

/** Pauses between attempts: the first, and the maximum to which they grow. Milliseconds. */
export interface RetryPauses {
  readonly firstMs: number;
  readonly longestMs: number;
}

export const retryPauses: RetryPauses = { firstMs: 1_000, longestMs: 60_000 };

/** Errors about an object, not about the target itself. */
const final: ReadonlySet<BucketErrorCode> = new Set(['exists', 'no-such-key', 'invalid-key']);

export interface RetryOptions {
  /** Waits; rejects if there should be no further attempt. */
  readonly pauses: RetryPauses;
  /** After which the error is thrown. */
  readonly attemptsMax: number;
  readonly pause: (ms: number) => Promise<void>;
  readonly onFailure: (error: unknown, attempts: number) => void;
  readonly onSuccess: (attempts: number) => void;
}

/**
 * Retries until the request succeeds: an unreachable or full target may recover. Retrying does not change the objects in the target, so errors
 * about them are thrown at once.
 */
export async function persistently<T>(
  work: () => Promise<T>,
  { pauses, attemptsMax, pause, onFailure, onSuccess }: RetryOptions,
): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      const result = await work();
      onSuccess(attempts);
      return result;
    } catch (error) {
      if (error instanceof BackupError || (error instanceof BucketError && final.has(error.code))) throw error;
      if (attempts >= attemptsMax) throw new BackupError('unusable', reasonOf(error), { cause: error });
      onFailure(error, attempts);
      await pause(Math.min(pauses.longestMs, pauses.firstMs * 2 ** Math.min(attempts - 1, 10)));
    }
  }
}

function reasonOf(error: unknown): string {
  return `The target cannot be used: ${error instanceof Error ? error.message : String(error)}`;
}
