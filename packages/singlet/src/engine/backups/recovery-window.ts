import type { TableRecord } from '../catalog/table-record.ts';
import { invalidRestoreTime, recoveryNotEnabled } from './backup-errors.ts';

/** The earliest and latest restorable time of a table, in milliseconds; whole seconds, as in answers. */
export interface RecoveryWindow {
  readonly earliestMs: number;
  readonly latestMs: number;
}

const dayMs = 24 * 60 * 60 * 1000;

/**
 * The window of a table with point-in-time recovery; undefined when it is off. It begins in the second in which recovery was
 * enabled, or one recovery period ago, and reaches the present, while the service stays five minutes behind.
 */
export function recoveryWindow({ changeLog }: TableRecord, nowMs: number): RecoveryWindow | undefined {
  const recovery = changeLog?.recovery;
  if (recovery === undefined) return undefined;
  const earliestMs = wholeSeconds(Math.max(recovery.sinceMs, nowMs - recovery.periodDays * dayMs));
  return { earliestMs, latestMs: Math.max(earliestMs, wholeSeconds(nowMs)) };
}

/**
 * The exact time to restore for a requested time.
 *
 * @param at - `now`, or a time. In the second in which recovery was enabled, the result is the time of enabling, not the second's start.
 * @throws {PointInTimeRecoveryUnavailableException} | {InvalidRestoreTimeException}
 */
export function restorableTime(
  record: TableRecord,
  at: 'now' | { readonly ms: number },
  nowMs: number,
): 'now' | { readonly ms: number } {
  const window = recoveryWindow(record, nowMs);
  if (window === undefined) throw recoveryNotEnabled(record.tableName);
  if (at === 'now') return at;
  if (at.ms < window.earliestMs || at.ms > nowMs) throw invalidRestoreTime(at.ms, window);
  return { ms: Math.max(at.ms, record.changeLog?.recovery?.sinceMs ?? at.ms) };
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
