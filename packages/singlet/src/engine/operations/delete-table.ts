import { ValidationException } from '../../values/service-error.ts';
import { DeletedTableBackup } from '../backups/deleted-table-backup.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { StreamToClose } from '../streams/stream-switch.ts';
import { accountUsageKey, changedUsage, decodeAccountUsage, encodeAccountUsage } from '../tables/account-usage.ts';
import { spawnPurge } from '../tables/background-work.ts';
import { describeTableRecord, readStatistics } from '../tables/describe.ts';
import { tableNotFound } from '../tables/parameter-errors.ts';
import { purgeWrite } from '../tables/purge.ts';
import { settleRecord } from '../tables/settle.ts';
import { fenceKey, fenceOf, Table, tableRecordKey } from '../tables/table.ts';
import { checkTableCanBeDeleted } from '../tables/table-conflicts.ts';
import type { TableDescription } from '../tables/table-description.ts';
import { decodeTableRecord, encodeTableRecord, type TableRecord } from '../tables/table-record.ts';
import { unlistedTable } from '../ttl/time-to-live-tables.ts';

export interface DeleteTableRequest {
  readonly tableName: string;
}

export interface DeleteTableResult {
  readonly tableDescription: TableDescription;
}

/**
 * Deletes a table with its indexes and tags. The answer shows it DELETING; its name is free once the lifecycle delay has
 * passed. The data is removed in the background; no operation reaches it from now on. Its stream is switched off and can be
 * read for another day. With point-in-time recovery, a backup is left.
 *
 * @throws {ResourceNotFoundException}
 * @throws {ResourceInUseException} while the table or one of its indexes is being created, changed or deleted.
 * @throws {ValidationException} when it is protected against deletion.
 * @see Amazon DynamoDB API Reference, DeleteTable
 */
export async function deleteTable(
  services: EngineServices,
  { tableName }: DeleteTableRequest,
  context: RequestContext,
): Promise<DeleteTableResult> {
  const { accountId, region } = context;
  const recordKey = tableRecordKey(accountId, region, tableName);
  const usageKey = accountUsageKey(context);
  const nowMs = services.environment.clock.nowMs();
  const untilMs = nowMs + services.lifecycleDelayMs;
  const record = await services.catalog.retryWhenStale(async () => {
    const stream = await StreamToClose.find(services, context, tableName);
    const backup = new DeletedTableBackup(await services.catalog.load(context, tableName));
    const keys = [recordKey, usageKey, ...backup.keys, ...stream.keys];
    return services.store.write(keys, ([recordValue, usageValue, ...values]) => {
      const stored = recordValue === undefined ? undefined : decodeTableRecord(recordValue);
      if (stored === undefined || new Table(stored).isGone(nowMs)) throw tableNotFound(tableName);
      const before = settleRecord(stored, nowMs);
      checkTableCanBeDeleted(before);
      if (before.deletionProtectionEnabled) {
        throw new ValidationException(
          'Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.',
        );
      }
      const closed = stream.close(before, values.slice(backup.keys.length), { nowMs, untilMs });
      const backupWrite = backup.write(before, values.slice(0, backup.keys.length), nowMs, services.limits);
      const deleted: TableRecord = {
        ...closed.record,
        version: stored.version + 1,
        transition: { status: 'DELETING', untilMs },
      };
      const usage = changedUsage(decodeAccountUsage(usageValue), before, undefined);
      return {
        answer: deleted,
        writes: [
          { key: recordKey, value: encodeTableRecord(deleted) },
          { key: fenceKey(accountId, region, tableName), value: fenceOf(deleted) },
          { key: usageKey, value: encodeAccountUsage(usage) },
          purgeWrite(deleted, { keepsItems: backupWrite !== undefined }),
          ...(backupWrite === undefined ? [] : [backupWrite]),
          unlistedTable(deleted),
          ...closed.writes,
        ],
      };
    });
  });
  const table = new Table(record);
  const statistics = await readStatistics(services, table);
  spawnPurge(services, record.itemSpace);
  const description = describeTableRecord({ table, statistics, limits: services.limits, at: 'changing' });
  return { tableDescription: description };
}
