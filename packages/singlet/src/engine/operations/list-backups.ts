import { parseBackupArn } from '../backups/backup-arn.ts';
import { invalidRequest } from '../backups/backup-errors.ts';
import { backupKey, backupKeys, type BackupRecord, presentBackup } from '../backups/backup-record.ts';
import { type BackupSummary, backupSummary } from '../backups/describe-backup.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { invalidParameter } from '../catalog/parameter-errors.ts';

export type { BackupSummary };

export type BackupTypeFilter = 'USER' | 'SYSTEM' | 'AWS_BACKUP' | 'ALL';

export interface ListBackupsRequest {
  /** Only backups of tables of this name, whether or not such a table exists now. */
  readonly tableName?: string | undefined;
  readonly limit?: number | undefined;
  /** Only backups that were requested at this time or later: seconds since 1970. */
  readonly timeRangeLowerBound?: number | undefined;
  /** Only backups that were requested before this time. */
  readonly timeRangeUpperBound?: number | undefined;
  readonly exclusiveStartBackupArn?: string | undefined;
  /** USER if absent. */
  readonly backupType?: BackupTypeFilter | undefined;
}

export interface ListBackupsResult {
  readonly backupSummaries: readonly BackupSummary[];
  readonly lastEvaluatedBackupArn?: string;
}

/**
 * Lists the backups of the account and region by table name and age.
 *
 * @returns `lastEvaluatedBackupArn` only if there are more.
 * @throws {ValidationException} if the time range is inverted, or the start is not the ARN of a backup of this account and region.
 * @see Amazon DynamoDB API Reference, ListBackups; conformance/backups
 */
export async function listBackups(
  services: EngineServices,
  request: ListBackupsRequest,
  context: RequestContext,
): Promise<ListBackupsResult> {
  const { timeRangeLowerBound = -Infinity, timeRangeUpperBound = Infinity } = request;
  if (timeRangeLowerBound > timeRangeUpperBound) {
    throw invalidParameter('Time range lower bound must be less than or equal to upper bound');
  }
  const keys = backupKeys(context, request.tableName);
  const { exclusiveStartBackupArn: startArn } = request;
  const start = startArn === undefined ? undefined : afterBackup(startArn, context);
  const from = start === undefined || Buffer.compare(start, keys.from) < 0 ? keys.from : start;
  const limit = request.limit ?? services.limits.listBackupsCountMax;
  const nowMs = services.environment.clock.nowMs();
  const isWanted = ({ type, createdAtMs }: BackupRecord): boolean => {
    const { backupType = 'USER' } = request;
    const seconds = createdAtMs / 1000;
    return (
      (backupType === 'ALL' || backupType === type) && seconds >= timeRangeLowerBound && seconds < timeRangeUpperBound
    );
  };
  const backupSummaries: BackupSummary[] = [];
  let hasMore = false;
  await services.store.range({ from, to: keys.to }, (key, value) => {
    const backup = presentBackup(key, value, nowMs);
    if (backup === undefined || !isWanted(backup)) return true;
    hasMore = backupSummaries.length === limit;
    if (!hasMore) backupSummaries.push(backupSummary(backup));
    return !hasMore;
  });
  const last = hasMore ? backupSummaries.at(-1) : undefined;
  return { backupSummaries, ...(last !== undefined && { lastEvaluatedBackupArn: last.backupArn }) };
}

/** The start itself is excluded; it need not exist any more. */
function afterBackup(backupArn: string, context: RequestContext): Buffer {
  const { region, tableName, backupId } = parseBackupArn(backupArn, context);
  if (region !== context.region) {
    throw invalidRequest('The supplied ExclusiveStartBackupArn does not match the region');
  }
  return Buffer.concat([backupKey(context, tableName, backupId), Uint8Array.of(0)]);
}
