import { assert } from '../../values/assert.ts';
import { ResourceNotFoundException } from '../../values/service-error.ts';
import { backupIdOf } from '../backups/backup-arn.ts';
import { sourceTableNotFound } from '../backups/backup-errors.ts';
import { keyText } from '../backups/backup-job.ts';
import { backupKey, backupWrite, decodeBackupRecord, newBackupRecord } from '../backups/backup-record.ts';
import { beginImage, PresentChangeLog } from '../backups/begin-image.ts';
import { type BackupDetails, backupDetails, statisticsOf } from '../backups/describe-backup.ts';
import { sourceTable } from '../backups/source-table.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { spawnBackupWork } from '../jobs/background-work.ts';
import { StaleTableError } from '../catalog/catalog.ts';
import { statisticsKeys } from '../catalog/statistics.ts';
import { changeTable } from '../catalog/table-change.ts';

export type { BackupDetails };

export interface CreateBackupRequest {
  readonly tableName: string;
  readonly backupName: string;
}

export interface CreateBackupResult {
  readonly backupDetails: BackupDetails;
}

const suffixBytes = 4;

/**
 * Starts a backup of a table. It contains exactly what was committed before the decision that starts it. It
 * is built in the background. Names of backups need not be unique.
 *
 * @throws {TableNotFoundException} also while the table is being created.
 * @throws {LimitExceededException} if too many backups of the table are being built.
 * @see Amazon DynamoDB API Reference, CreateBackup; conformance/backups
 */
export async function createBackup(
  services: EngineServices,
  { tableName, backupName }: CreateBackupRequest,
  context: RequestContext,
): Promise<CreateBackupResult> {
  const { catalog, environment, limits, store } = services;
  const createdAtMs = environment.clock.nowMs();
  const backupId = backupIdOf(createdAtMs, Buffer.from(environment.random.bytes(suffixBytes)).toString('hex'));
  const key = backupKey(context, tableName, backupId);
  const begun = await catalog.retryWhenStale(async () => {
    const known = await sourceTable(services, context, tableName);
    const log = new PresentChangeLog(known);
    const bucketKeys = statisticsKeys(known.record.itemSpace);
    try {
      return await changeTable(
        services,
        context,
        tableName,
        ({ record, nowMs, spaces, values }) => {
          if (record.transition?.status === 'DELETING') throw new StaleTableError(known);
          const buckets = values.slice(0, bucketKeys.length);
          const heads = values.slice(bucketKeys.length);
          const imageSpace = spaces.next();
          const owner = { kind: 'backup', key: keyText(key) } as const;
          const image = beginImage(record, { at: 'now', nowMs, log, heads, spaces, imageSpace, owner, limits });
          const { changeLog: _notOfTheBackup, ...table } = record;
          const backup = newBackupRecord({
            accountId: context.accountId,
            region: context.region,
            backupId,
            backupName,
            type: 'USER',
            status: 'CREATING',
            createdAtMs,
            ...statisticsOf(record, buckets),
            imageSpace,
            table,
          });
          return { record: image.record, writes: [...image.writes, backupWrite(backup)] };
        },
        [...bucketKeys, ...log.keys],
      );
    } catch (error) {
      if (error instanceof ResourceNotFoundException) throw sourceTableNotFound(tableName);
      throw error;
    }
  });
  const backup = await store.read([key], ([value]) =>
    value === undefined ? undefined : decodeBackupRecord(key, value),
  );
  assert(backup !== undefined, 'a backup that has begun is there');
  spawnBackupWork(services, backup.imageSpace);
  assert(begun.record.tableName === tableName, 'the table that was asked for was backed up');
  return { backupDetails: backupDetails(backup, 'CREATING') };
}
