import { parseBackupArn } from '../backups/backup-arn.ts';
import { backupBeingCreated, backupBeingRestored, backupNotFound, invalidRequest } from '../backups/backup-errors.ts';
import { keyText } from '../backups/backup-job.ts';
import { backupKey, backupWrite, presentBackup } from '../backups/backup-record.ts';
import { beginRestore, checkRestoreCount, restoreTarget, restoreTargetKeys } from '../backups/begin-restore.ts';
import { tableArnOf } from '../backups/describe-backup.ts';
import type { RestoreOverrides } from '../backups/restored-table.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { decodeAccountUsage } from '../catalog/account-usage.ts';
import { spawnBackupWork } from '../jobs/background-work.ts';
import { describeTableRecord, noStatistics } from '../tables/describe.ts';
import { SpaceCounter, spaceCounterKey } from '../catalog/space-counter.ts';
import { Table } from '../catalog/table.ts';
import type { TableDescription } from '../catalog/table-description.ts';

export interface RestoreTableFromBackupRequest extends RestoreOverrides {
  readonly targetTableName: string;
  readonly backupArn: string;
}

export interface RestoreTableFromBackupResult {
  readonly tableDescription: TableDescription;
}

/**
 * Creates a table from a backup. It is CREATING until it is complete; it is filled in the background.
 *
 * @throws {ValidationException} if it is not the ARN of a backup, or an override is invalid.
 * @throws {BackupNotFoundException} | {AccessDeniedException}
 * @throws {BackupInUseException} while the backup is being built, or another table restored from it.
 * @throws {TableAlreadyExistsException} | {TableInUseException} | {LimitExceededException}
 * @see Amazon DynamoDB API Reference, RestoreTableFromBackup; conformance/backups
 */
export async function restoreTableFromBackup(
  services: EngineServices,
  { targetTableName, backupArn, ...overrides }: RestoreTableFromBackupRequest,
  context: RequestContext,
): Promise<RestoreTableFromBackupResult> {
  const { store, limits } = services;
  const { region, tableName, backupId } = parseBackupArn(backupArn, context);
  if (region !== context.region && overrides.sseSpecificationOverride === undefined) {
    throw invalidRequest('sseSpecificationOverride must be provided for cross-region restores');
  }
  await checkRestoreCount(services, context);
  const target = restoreTarget(services, targetTableName, context, overrides);
  const key = backupKey({ ...context, region }, tableName, backupId);
  const keys = [key, spaceCounterKey, ...restoreTargetKeys(target)];
  const record = await store.write(keys, ([backupValue, counterValue, targetValue, usageValue]) => {
    const backup = presentBackup(key, backupValue, target.nowMs);
    if (backup === undefined) throw backupNotFound(backupArn);
    const spaces = new SpaceCounter(counterValue);
    const begun = beginRestore(
      services,
      target,
      {
        table: backup.table,
        restore: {
          sourceBackupArn: backupArn,
          sourceTableArn: tableArnOf(backup.table),
          atMs: backup.createdAtMs,
        },
        image: { imageSpace: backup.imageSpace, phase: 'filling', backup: keyText(key) },
      },
      { record: targetValue, usage: decodeAccountUsage(usageValue), spaces },
    );
    if (backup.status === 'CREATING') throw backupBeingCreated(backupArn);
    if (backup.restoringTo !== undefined) throw backupBeingRestored(backupArn, 'restore');
    const restoringTo = { region: context.region, tableName: targetTableName };
    return {
      answer: begun.record,
      writes: [...begun.writes, ...spaces.writes, backupWrite({ ...backup, restoringTo })],
    };
  });
  spawnBackupWork(services, record.itemSpace);
  const table = new Table(record);
  return {
    tableDescription: describeTableRecord({
      table,
      statistics: noStatistics,
      limits,
      store: services.store,
      at: 'changing',
    }),
  };
}
