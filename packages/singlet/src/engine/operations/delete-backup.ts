import { parseBackupArn } from '../backups/backup-arn.ts';
import { backupBeingCreated, backupBeingRestored, backupNotFound, systemBackupKept } from '../backups/backup-errors.ts';
import { arnOfBackup, backupKey, type BackupRecord, presentBackup } from '../backups/backup-record.ts';
import { type BackupDescription, describeBackupRecord } from '../backups/describe-backup.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { spawnPurge } from '../jobs/background-work.ts';
import { spacePurgeWrite } from '../tables/purge.ts';

export interface DeleteBackupRequest {
  readonly backupArn: string;
}

export interface DeleteBackupResult {
  readonly backupDescription: BackupDescription;
}

/**
 * Deletes a backup. Its items are removed in the background.
 *
 * @returns the description of the backup, as DELETED.
 * @throws {ValidationException} if it is not the ARN of a backup, or is that of a deleted table's backup.
 * @throws {BackupNotFoundException} | {AccessDeniedException}
 * @throws {BackupInUseException} while the backup is being built, or a table restored from it.
 * @see Amazon DynamoDB API Reference, DeleteBackup; conformance/backups
 */
export async function deleteBackup(
  services: EngineServices,
  { backupArn }: DeleteBackupRequest,
  context: RequestContext,
): Promise<DeleteBackupResult> {
  const { tableName, backupId } = parseBackupArn(backupArn, context);
  const key = backupKey(context, tableName, backupId);
  const nowMs = services.environment.clock.nowMs();
  const backup = await services.store.write([key], ([value]) => {
    const present = presentBackup(key, value, nowMs);
    if (present === undefined) throw backupNotFound(backupArn);
    checkCanBeDeleted(present);
    const purge = spacePurgeWrite(present.table, present.imageSpace);
    return { answer: present, writes: [{ key, value: undefined }, purge] };
  });
  spawnPurge(services, backup.imageSpace);
  return { backupDescription: describeBackupRecord(backup, services.store, 'DELETED') };
}

function checkCanBeDeleted(backup: BackupRecord): void {
  const arn = arnOfBackup(backup);
  if (backup.type === 'SYSTEM') throw systemBackupKept(arn, backup.expiresAtMs ?? 0);
  if (backup.status === 'CREATING') throw backupBeingCreated(arn);
  if (backup.restoringTo !== undefined) throw backupBeingRestored(arn, 'delete');
}
