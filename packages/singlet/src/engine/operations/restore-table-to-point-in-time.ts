import { ValidationException } from '../../values/service-error.ts';
import { invalidRequest, sourceTableNotFound, targetTableExists } from '../backups/backup-errors.ts';
import { beginImage, PresentChangeLog } from '../backups/begin-image.ts';
import { beginRestore, checkRestoreCount, restoreTarget, restoreTargetKeys } from '../backups/begin-restore.ts';
import { tableArnOf } from '../backups/describe-backup.ts';
import { restorableTime } from '../backups/recovery-window.ts';
import type { RestoreOverrides } from '../backups/restored-table.ts';
import { parseSourceTableArn, sourceTable } from '../backups/source-table.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { decodeAccountUsage } from '../catalog/account-usage.ts';
import { spawnBackupWork } from '../jobs/background-work.ts';
import { StaleTableError } from '../catalog/catalog.ts';
import { describeTableRecord, noStatistics } from '../tables/describe.ts';
import { SpaceCounter, spaceCounterKey } from '../catalog/space-counter.ts';
import { fenceKey, fenceOf, Table, tableRecordKey } from '../catalog/table.ts';
import type { TableDescription } from '../catalog/table-description.ts';
import { decodeTableRecord, encodeTableRecord, type TableRecord } from '../catalog/table-record.ts';

export interface RestoreTableToPointInTimeRequest extends RestoreOverrides {
  readonly sourceTableArn?: string | undefined;
  readonly sourceTableName?: string | undefined;
  readonly targetTableName: string;
  readonly useLatestRestorableTime?: boolean | undefined;
  /** Seconds since 1970. */
  readonly restoreDateTime?: number | undefined;
}

export interface RestoreTableToPointInTimeResult {
  readonly tableDescription: TableDescription;
}

/** The requested state: everything committed so far, or the state at a time. */
type RestoreTime = 'now' | { readonly ms: number };

/**
 * Creates a table with the items that another one had at a time: exactly the result of the writes up to that time. The table
 * is CREATING until it is complete; it is filled in the background.
 *
 * @throws {ValidationException} if source or time are not specified correctly, or an override is invalid.
 * @throws {TableNotFoundException}
 * @throws {PointInTimeRecoveryUnavailableException} | {InvalidRestoreTimeException}
 * @throws {TableAlreadyExistsException} | {TableInUseException} | {LimitExceededException}
 * @see Amazon DynamoDB API Reference, RestoreTableToPointInTime; conformance/backups
 */
export async function restoreTableToPointInTime(
  services: EngineServices,
  request: RestoreTableToPointInTimeRequest,
  context: RequestContext,
): Promise<RestoreTableToPointInTimeResult> {
  const { sourceTableArn: _arn, sourceTableName: _name, targetTableName, ...rest } = request;
  const { useLatestRestorableTime: _latest, restoreDateTime: _time, ...overrides } = rest;
  const source = sourceOf(request, context);
  const at = timeOf(request);
  const isElsewhere = source.context.region !== context.region;
  if (isElsewhere && overrides.sseSpecificationOverride === undefined) {
    throw invalidRequest('sseSpecificationOverride must be provided for cross-region restores');
  }
  const { catalog, limits } = services;
  const target = restoreTarget(services, targetTableName, context, overrides);
  const begun = await catalog.retryWhenStale(async () => {
    const known = await sourceTable(services, source.context, source.tableName);
    restorableTime(known.record, at, target.nowMs);
    if (!isElsewhere && source.tableName === targetTableName) throw targetTableExists(targetTableName);
    await checkRestoreCount(services, context);
    return begin(services, { known, at, target });
  });
  spawnBackupWork(services, begun.imageSpace);
  const table = new Table(begun.record);
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

interface Begin {
  readonly known: Table;
  readonly at: RestoreTime;
  readonly target: ReturnType<typeof restoreTarget>;
}

/** Creates the table, and adds the image that fills it to the source's record: in one decision. */
async function begin(
  services: EngineServices,
  { known, at, target }: Begin,
): Promise<{ readonly record: TableRecord; readonly imageSpace: number }> {
  const { limits, store } = services;
  const { accountId, region, tableName } = known.record;
  const { nowMs } = target;
  const log = new PresentChangeLog(known);
  const sourceKey = tableRecordKey(accountId, region, tableName);
  const keys = [sourceKey, spaceCounterKey, ...restoreTargetKeys(target), ...log.keys];
  return store.write(keys, ([sourceValue, counterValue, targetValue, usageValue, ...heads]) => {
    const source = sourceValue === undefined ? undefined : decodeTableRecord(sourceKey, sourceValue);
    if (source === undefined || source.transition?.status === 'DELETING') throw sourceTableNotFound(tableName);
    if (source.itemSpace !== known.record.itemSpace) throw new StaleTableError(known);
    const restored = restorableTime(source, at, nowMs);
    const spaces = new SpaceCounter(counterValue);
    const imageSpace = spaces.next();
    const begun = beginRestore(
      services,
      target,
      {
        table: source,
        restore: { sourceTableArn: tableArnOf(source), atMs: at === 'now' ? nowMs : at.ms },
        image: { imageSpace, phase: 'waiting' },
      },
      { record: targetValue, usage: decodeAccountUsage(usageValue), spaces },
    );
    const owner = { kind: 'job', space: begun.record.itemSpace } as const;
    const image = beginImage(source, { at: restored, nowMs, log, heads, spaces, imageSpace, owner, limits });
    const read: TableRecord = { ...image.record, version: source.version + 1 };
    return {
      answer: { record: begun.record, imageSpace },
      writes: [
        { key: sourceKey, value: encodeTableRecord(sourceKey, read) },
        { key: fenceKey(accountId, region, tableName), value: fenceOf(read) },
        ...image.writes,
        ...begun.writes,
        ...spaces.writes,
      ],
    };
  });
}

function sourceOf(
  { sourceTableArn, sourceTableName }: RestoreTableToPointInTimeRequest,
  context: RequestContext,
): { readonly context: RequestContext; readonly tableName: string } {
  if (sourceTableArn !== undefined && sourceTableName !== undefined) {
    throw invalidRequest('Must provide exactly one of: sourceTableArn, sourceTableName');
  }
  if (sourceTableName !== undefined) return { context, tableName: sourceTableName };
  if (sourceTableArn === undefined) {
    throw new ValidationException("The parameter 'TableName' is required but was not present in the request");
  }
  const source = parseSourceTableArn(sourceTableArn, 'sourceTableArn');
  if (source.context.accountId !== context.accountId) {
    throw new ValidationException("This action is only supported by accounts that match the resource owner's account");
  }
  return source;
}

function timeOf(request: RestoreTableToPointInTimeRequest): RestoreTime {
  const { restoreDateTime, useLatestRestorableTime = false } = request;
  if (restoreDateTime !== undefined && useLatestRestorableTime) {
    throw invalidRequest(
      'Both RestoreDateTime and UseLatestRestorableTime cannot be set for point-in-time restore request. Please specify either RestoreDateTime time or UseLatestRestorableTime',
    );
  }
  if (useLatestRestorableTime) return 'now';
  if (restoreDateTime === undefined) {
    throw invalidRequest('Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both');
  }
  return { ms: Math.round(restoreDateTime * 1000) };
}
