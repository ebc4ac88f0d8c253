import type { TableRecord } from '../catalog/table-record.ts';
import { recoveryWindow } from './recovery-window.ts';

/** Date-times are seconds since 1970. */
export interface PointInTimeRecoveryDescription {
  readonly pointInTimeRecoveryStatus: 'ENABLED' | 'DISABLED';
  readonly recoveryPeriodInDays?: number;
  readonly earliestRestorableDateTime?: number;
  readonly latestRestorableDateTime?: number;
}

export interface ContinuousBackupsDescription {
  /** Whether the table can be backed up, which every existing table can. */
  readonly continuousBackupsStatus: 'ENABLED';
  readonly pointInTimeRecoveryDescription: PointInTimeRecoveryDescription;
}

export function describeRecovery(record: TableRecord, nowMs: number): ContinuousBackupsDescription {
  return { continuousBackupsStatus: 'ENABLED', pointInTimeRecoveryDescription: recoveryDescription(record, nowMs) };
}

function recoveryDescription(record: TableRecord, nowMs: number): PointInTimeRecoveryDescription {
  const window = recoveryWindow(record, nowMs);
  const recovery = record.changeLog?.recovery;
  if (window === undefined || recovery === undefined) return { pointInTimeRecoveryStatus: 'DISABLED' };
  return {
    pointInTimeRecoveryStatus: 'ENABLED',
    recoveryPeriodInDays: recovery.periodDays,
    earliestRestorableDateTime: window.earliestMs / 1000,
    latestRestorableDateTime: window.latestMs / 1000,
  };
}
