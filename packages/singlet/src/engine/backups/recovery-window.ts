import type { TableRecord } from '../tables/table-record.ts';
import { invalidRestoreTime, recoveryNotEnabled } from './backup-errors.ts';

/** The times whose state of a table can be restored, in milliseconds; whole seconds, as they are told. */
export interface RecoveryWindow {
  readonly earliestMs: number;
  readonly latestMs: number;
}

const dayMs = 24 * 60 * 60 * 1000;

/**
 * The window of a table with point-in-time recovery; undefined when it is off. It begins in the second in which recovery was
 * enabled, or a recovery period ago, and reaches into the present: the service stays five minutes behind.
 */
export function recoveryWindow({ changeLog }: TableRecord, nowMs: number): RecoveryWindow | undefined {
  const recovery = changeLog?.recovery;
  if (recovery === undefined) return undefined;
  const earliestMs = wholeSeconds(Math.max(recovery.sinceMs, nowMs - recovery.periodDays * dayMs));
  return { earliestMs, latestMs: Math.max(earliestMs, wholeSeconds(nowMs)) };
}

/**
 * Checks that the state of a time can be had.
 *
 * @param at - `now`, or a time.
 * @throws {PointInTimeRecoveryUnavailableException} | {InvalidRestoreTimeException}
 */
export function checkRestorable(record: TableRecord, at: 'now' | { readonly ms: number }, nowMs: number): void {
  const window = recoveryWindow(record, nowMs);
  if (window === undefined) throw recoveryNotEnabled(record.tableName);
  if (at !== 'now' && (at.ms < window.earliestMs || at.ms > nowMs)) throw invalidRestoreTime(at.ms, window);
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
