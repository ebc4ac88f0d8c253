import { DynamoError, LimitExceededException, ValidationException } from '../../values/service-error.ts';
import type { RestoreRecord } from '../catalog/table-record.ts';
import { streamLabel } from '../catalog/utc-text.ts';

/** The errors of the actions on backups and exports. Texts that are not known from the service are marked. */

export function invalidRequest(detail: string): ValidationException {
  return new ValidationException(`Invalid Request: ${detail}`);
}

/** Unlike the other actions on tables, these have their own error for a table that does not exist. */
export function sourceTableNotFound(nameOrArn: string): DynamoError {
  return new DynamoError('TableNotFoundException', `Table not found: ${nameOrArn}`);
}

export function accessDenied(): DynamoError {
  return new DynamoError('AccessDeniedException', 'Access is denied');
}

export function invalidBackupArn(): ValidationException {
  return new ValidationException('Invalid Backup ARN');
}

export function backupNotFound(backupArn: string): DynamoError {
  return new DynamoError('BackupNotFoundException', `Backup not found: ${backupArn}`);
}

/** Assumed text: the service makes a backup too fast for the text to have been recorded. */
export function backupBeingCreated(backupArn: string): DynamoError {
  return new DynamoError('BackupInUseException', `Backup is being created: ${backupArn}`);
}

export function backupBeingRestored(backupArn: string, purpose: 'restore' | 'delete'): DynamoError {
  const table = purpose === 'restore' ? 'another table' : 'table';
  return new DynamoError('BackupInUseException', `Backup is being used to restore ${table}: ${backupArn}`);
}

export function systemBackupKept(backupArn: string, expiresAtMs: number): ValidationException {
  return invalidRequest(
    `User is not allowed to delete the system backup with arn ${backupArn}. It will automatically expire on ${wholeSecond(expiresAtMs)}`,
  );
}

export function recoveryNotEnabled(tableName: string): DynamoError {
  return new DynamoError(
    'PointInTimeRecoveryUnavailableException',
    `Point in time recovery is not enabled for table '${tableName}'`,
  );
}

export function invalidRestoreTime(
  atMs: number,
  { earliestMs, latestMs }: { readonly earliestMs: number; readonly latestMs: number },
): DynamoError {
  return new DynamoError(
    'InvalidRestoreTimeException',
    `RestoreDateTime '${wholeSecond(atMs)}' must be within EarliestRestorableDateTime '${wholeSecond(earliestMs)}' and LatestRestorableDateTime '${wholeSecond(latestMs)}'`,
  );
}

export function targetTableExists(tableName: string): DynamoError {
  return new DynamoError('TableAlreadyExistsException', `Table already exists: ${tableName}`);
}

/** Assumed for a restore to a point in time. The text for a restore from a backup is known. */
export function targetBeingRestored(
  tableName: string,
  { sourceBackupArn, sourceTableArn }: RestoreRecord,
): DynamoError {
  const from = sourceBackupArn === undefined ? `table: ${sourceTableArn}` : `backup: ${sourceBackupArn}`;
  return new DynamoError('TableInUseException', `Table: ${tableName} is already being restored from ${from}`);
}

export function tooManyRestores(countMax: number): LimitExceededException {
  return new LimitExceededException(`Only ${countMax} restore operations can be in progress at one time`);
}

export function exportNotFound(detail: string): DynamoError {
  return new DynamoError('ExportNotFoundException', `Export not found: ${detail}`);
}

export function invalidExportTime(message: string): DynamoError {
  return new DynamoError('InvalidExportTimeException', message);
}

export function exportConflict(): DynamoError {
  return new DynamoError(
    'ExportConflictException',
    'Export conflict: Duplicate request detected with conflicting parameters',
  );
}

/** Assumed text. The quota is known. */
export function tooManyExports(countMax: number): LimitExceededException {
  return new LimitExceededException(`Only ${countMax} exports can be in progress at one time`);
}

/** Assumed: the service documents no such limit. */
export function tooManyReaders(tableName: string, countMax: number): LimitExceededException {
  return new LimitExceededException(
    `Only ${countMax} backups, restores and exports of table ${tableName} can be prepared at one time`,
  );
}

/** `2026-10-06T23:16:32Z`. */
export function wholeSecond(ms: number): string {
  return `${streamLabel(Math.floor(ms / 1000) * 1000).slice(0, -'.000'.length)}Z`;
}
