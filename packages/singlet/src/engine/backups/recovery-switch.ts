import type { Limits } from '../../values/limits.ts';
import type { StoreValue } from '../../storage/store.ts';
import type { TableChangeInput, TableChangeOutput } from '../catalog/table-change.ts';
import type { ChangeLogRecord } from '../catalog/table-record.ts';
import type { PresentChangeLog } from './begin-image.ts';
import { OpenChangeLog } from '../followers/recovery/recovery-log.ts';
import { withChangeLog } from './change-log-switch.ts';

const dayMs = 24 * 60 * 60 * 1000;

/**
 * The table's record after point-in-time recovery is enabled, or its period changed. A longer period does not
 * bring back history that a shorter one has trimmed.
 *
 * @param heads - the values read under the keys of `log`.
 */
export function enableRecovery(
  input: TableChangeInput,
  options: {
    readonly periodDays: number | undefined;
    readonly log: PresentChangeLog;
    readonly heads: readonly StoreValue[];
    readonly limits: Limits;
  },
): TableChangeOutput {
  const { record, nowMs, spaces } = input;
  const { periodDays = options.limits.pointInTimeRecoveryDaysMax, log, heads } = options;
  const { changeLog } = record;
  const recovery = changeLog?.recovery;
  if (changeLog !== undefined && recovery !== undefined) {
    if (recovery.periodDays === periodDays) return { record };
    const sinceMs = Math.max(recovery.sinceMs, nowMs - recovery.periodDays * dayMs);
    return { record: { ...record, changeLog: { ...changeLog, recovery: { sinceMs, periodDays } } } };
  }
  const last = log.lastMoment(record, heads, nowMs);
  const opened: ChangeLogRecord = {
    ...(changeLog ?? { space: spaces.next(), readers: [] }),
    recovery: { sinceMs: nowMs, periodDays },
  };
  return { record: { ...record, changeLog: opened }, writes: new OpenChangeLog(opened.space).headWrites(last) };
}

/** The record after point-in-time recovery is disabled: the log is removed once it has no readers. */
export function disableRecovery({ record }: TableChangeInput): TableChangeOutput {
  if (record.changeLog?.recovery === undefined) return { record };
  const { recovery: _forgotten, ...changeLog } = record.changeLog;
  return withChangeLog(record, changeLog);
}
