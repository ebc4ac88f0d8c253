import { ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { StreamToClose } from '../streams/stream-switch.ts';
import { DeletedTableBackup } from '../backups/deleted-table-backup.ts';
import { closedDeliveries } from '../kinesis/destination-change.ts';
import { isPolicyPending } from '../policies/resource-policy.ts';
import { endOfReplication } from '../replication/replication-change.ts';
import { unlistedTable } from '../ttl/time-to-live-tables.ts';
import { accountUsageKey, changedUsage, decodeAccountUsage, encodeAccountUsage } from '../catalog/account-usage.ts';
import { spawnPurge } from '../jobs/background-work.ts';
import { StaleTableError } from '../catalog/catalog.ts';
import { stillInUse, tableNotFound } from '../catalog/parameter-errors.ts';
import { purgeWrite } from './purge.ts';
import { settleRecord } from '../catalog/settle.ts';
import { fenceKey, fenceOf, Table, tableRecordKey } from '../catalog/table.ts';
import { checkTableCanBeDeleted } from '../schema/table-conflicts.ts';
import { decodeTableRecord, encodeTableRecord, type TableRecord } from '../catalog/table-record.ts';

/**
 * Deletes a table in one decision; its contents are removed in the background.
 *
 * @param options.asReplica - for a replica that has left its global table and is deleted at once. Without it,
 *   the table must be ready to be deleted and must not be a replica.
 * @returns the table as it is afterwards.
 * @throws {ResourceNotFoundException} | {ResourceInUseException} | {ValidationException}
 */
export async function removeTable(
  services: EngineServices,
  context: RequestContext,
  tableName: string,
  options: { readonly asReplica: boolean },
): Promise<Table> {
  const { accountId, region } = context;
  const recordKey = tableRecordKey(accountId, region, tableName);
  const usageKey = accountUsageKey(context);
  const nowMs = services.environment.clock.nowMs();
  const untilMs = options.asReplica ? nowMs : nowMs + services.lifecycleDelayMs;
  const record = await services.catalog.retryWhenStale(async () => {
    const stream = await StreamToClose.find(services, context, tableName);
    const backup = new DeletedTableBackup(await services.catalog.load(context, tableName));
    const keys = [recordKey, usageKey, ...backup.keys, ...stream.keys];
    return services.store.write(keys, ([recordValue, usageValue, ...values]) => {
      const stored = recordValue === undefined ? undefined : decodeTableRecord(recordKey, recordValue);
      if (stored === undefined || new Table(stored).isGone(nowMs)) throw tableNotFound(tableName);
      const before = settleRecord(stored, nowMs);
      if (!options.asReplica) checkCanBeRemoved(before, services, nowMs);
      else if (new Table(before).replication?.self.state !== 'gone') throw tableNotFound(tableName);
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
          { key: recordKey, value: encodeTableRecord(recordKey, deleted) },
          { key: fenceKey(accountId, region, tableName), value: fenceOf(deleted) },
          { key: usageKey, value: encodeAccountUsage(usage) },
          purgeWrite(deleted, { keepsItems: backupWrite !== undefined }),
          ...(backupWrite === undefined ? [] : [backupWrite]),
          unlistedTable(deleted),
          ...(deleted.replication === undefined ? [] : endOfReplication(deleted)),
          ...closed.writes,
          ...closedDeliveries(deleted),
        ],
      };
    });
  });
  spawnPurge(services, record.itemSpace);
  return new Table(record);
}

function checkCanBeRemoved(record: TableRecord, { lifecycleDelayMs }: EngineServices, nowMs: number): void {
  // The table has become a replica meanwhile, and is deleted in another way.
  if (record.replication !== undefined) throw new StaleTableError(new Table(record));
  checkTableCanBeDeleted(record);
  if (record.deletionProtectionEnabled) {
    throw new ValidationException(
      'Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.',
    );
  }
  if (isPolicyPending(record.resourcePolicy, { nowMs, lifecycleDelayMs })) {
    throw stillInUse(`Table: ${record.tableName} has a pending resource-based policy update.`);
  }
}
