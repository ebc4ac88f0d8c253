import type { _Record } from '@aws-sdk/client-dynamodb-streams';
import { changeRecordOf, createdAtMsOf, sequenceNumberOf } from './change-record.ts';
import { backoffMs } from './consumer-environment.ts';
import type { BatchResponse, ConsumerSettings, DeadLetter } from './consumer-options.ts';

/** A record to be handed to the handler. */
export interface Delivery {
  readonly source: _Record;
}

export interface DeliveryParts<Item, Entry extends Delivery> {
  readonly settings: ConsumerSettings<Item>;
  readonly streamArn: string;
  readonly shardId: string;
  /** When this aborts, nothing is retried; running handler calls may finish. */
  readonly signal: AbortSignal;
  /** Whether this worker may still hand out records. */
  readonly mayDeliver: () => boolean;
  /** Called with records that need not be delivered again, in order. */
  readonly onDone: (entries: readonly Entry[]) => void;
}

interface Outcome {
  /** The number of records at the front that are done. */
  readonly doneCount: number;
  readonly error: unknown;
}

/**
 * Hands a batch to the handler until every record in it is done: handled, or given up. As in Lambda with a stream:
 *
 * - a failed batch is retried with increasing backoff;
 * - with `reportBatchItemFailures`, the retry begins at the first failed record, and counting starts over;
 * - with `bisectBatchOnFunctionError`, its first half is retried next, then the second; this does not count as a retry;
 * - a batch that has failed once and `maximumRetryAttempts` times more, or a record that has become too old, is given up.
 *
 * @returns whether every record is done: false if the signal aborted first.
 */
export async function deliverBatch<Item, Entry extends Delivery>(
  batch: readonly Entry[],
  parts: DeliveryParts<Item, Entry>,
  failureCountBefore: number = 0,
): Promise<boolean> {
  const { settings, signal, onDone } = parts;
  const { bisectBatchOnFunctionError, maximumRetryAttempts, environment } = settings;
  let failureCount = failureCountBefore;
  let rest = batch;
  for (;;) {
    const tooOldCount = countTooOld(rest, settings);
    if (tooOldCount > 0) {
      const isGivenUp = await giveUp(rest.slice(0, tooOldCount), 'RecordAgeExceeded', failureCount, undefined, parts);
      if (!isGivenUp) return false;
      rest = rest.slice(tooOldCount);
      failureCount = 0;
    }
    if (rest.length === 0) return true;
    if (signal.aborted || !parts.mayDeliver()) return false;
    const { doneCount, error } = await invoke(rest, failureCount, parts);
    if (doneCount > 0) {
      onDone(rest.slice(0, doneCount));
      rest = rest.slice(doneCount);
      failureCount = 0;
      if (rest.length === 0) return true;
    } else if (bisectBatchOnFunctionError && rest.length > 1) {
      const middle = Math.ceil(rest.length / 2);
      await environment.pause(backoffMs(failureCount, environment), signal);
      if (!(await deliverBatch(rest.slice(0, middle), parts, failureCount))) return false;
      rest = rest.slice(middle);
      continue;
    } else {
      failureCount += 1;
      if (failureCount > maximumRetryAttempts) {
        return giveUp(rest, 'RetryAttemptsExhausted', failureCount, error, parts);
      }
    }
    await environment.pause(backoffMs(failureCount, environment), signal);
  }
}

/** The number of records at the front that are too old. Records are in order of age, to the second. */
function countTooOld(
  batch: readonly Delivery[],
  { maximumRecordAgeMs, environment }: Pick<ConsumerSettings<unknown>, 'maximumRecordAgeMs' | 'environment'>,
): number {
  const oldestMs = environment.nowMs() - maximumRecordAgeMs;
  const firstYoung = batch.findIndex(({ source }) => createdAtMsOf(source) >= oldestMs);
  return firstYoung < 0 ? batch.length : firstYoung;
}

async function invoke<Item, Entry extends Delivery>(
  batch: readonly Entry[],
  failureCount: number,
  { settings, streamArn, shardId }: DeliveryParts<Item, Entry>,
): Promise<Outcome> {
  try {
    const records = batch.map(({ source }) => changeRecordOf(source, shardId, settings.unmarshall));
    const response = await settings.handler(records, { streamArn, shardId, failureCount });
    if (!settings.reportBatchItemFailures) return { doneCount: batch.length, error: undefined };
    return { doneCount: firstFailed(batch, response), error: undefined };
  } catch (error) {
    settings.onEvent({ level: 'warn', event: 'batch-failed', shardId, count: batch.length, failureCount, error });
    return { doneCount: 0, error };
  }
}

/** The index of the first failed record. If the response names none of the records, all have failed. */
function firstFailed(batch: readonly Delivery[], response: BatchResponse | void): number {
  const failures = response?.batchItemFailures ?? [];
  if (failures.length === 0) return batch.length;
  const places = failures.map(({ itemIdentifier }) =>
    batch.findIndex(({ source }) => sequenceNumberOf(source) === itemIdentifier),
  );
  return Math.max(Math.min(...places), 0);
}

async function giveUp<Item, Entry extends Delivery>(
  entries: readonly Entry[],
  reason: DeadLetter['reason'],
  failureCount: number,
  error: unknown,
  { settings, streamArn, shardId, signal, onDone }: DeliveryParts<Item, Entry>,
): Promise<boolean> {
  const { onDeadLetter, onEvent, environment } = settings;
  const records = entries.map(({ source }) => source);
  onEvent({
    level: 'error',
    event: 'records-given-up',
    reason,
    shardId,
    sequenceNumbers: records.map(sequenceNumberOf),
    ...(error !== undefined && { error }),
  });
  for (let attempt = 0; ; attempt += 1) {
    try {
      await onDeadLetter?.({ reason, records, streamArn, shardId, failureCount, error });
      onDone(entries);
      return true;
    } catch (failure) {
      onEvent({ level: 'error', event: 'dead-letter-failed', shardId, error: failure });
    }
    await environment.pause(backoffMs(attempt, environment), signal);
    if (signal.aborted) return false;
  }
}
