import { parseBackupArn } from '../backups/backup-arn.ts';
import { backupNotFound } from '../backups/backup-errors.ts';
import { backupKey, presentBackup } from '../backups/backup-record.ts';
import { type BackupDescription, describeBackupRecord } from '../backups/describe-backup.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';

export type { BackupDescription };

export interface DescribeBackupRequest {
  readonly backupArn: string;
}

export interface DescribeBackupResult {
  readonly backupDescription: BackupDescription;
}

/**
 * Describes a backup, and the table as it was when the backup began.
 *
 * @throws {ValidationException} if it is not the ARN of a backup.
 * @throws {BackupNotFoundException} | {AccessDeniedException}
 * @see Amazon DynamoDB API Reference, DescribeBackup; conformance/backups
 */
export async function describeBackup(
  services: EngineServices,
  { backupArn }: DescribeBackupRequest,
  context: RequestContext,
): Promise<DescribeBackupResult> {
  const { tableName, backupId } = parseBackupArn(backupArn, context);
  const nowMs = services.environment.clock.nowMs();
  const key = backupKey(context, tableName, backupId);
  const backup = await services.store.read([key], ([value]) => presentBackup(key, value, nowMs));
  if (backup === undefined) throw backupNotFound(backupArn);
  return { backupDescription: describeBackupRecord(backup, services.store) };
}
