import type { StoreWrite } from '../../storage/store.ts';
import { accountUsageKey, changedUsage, decodeAccountUsage, encodeAccountUsage } from '../catalog/account-usage.ts';
import type { EngineServices } from '../services.ts';
import { purgeTable, purgeWrite } from '../tables/purge.ts';
import { fenceKey, fenceOf, tableRecordKey } from '../catalog/table.ts';
import { decodeTableRecord, encodeTableRecord, type TableRecord } from '../catalog/table-record.ts';
import { removeFailures } from './bulk-report.ts';
import type { LeaseGrant } from '../background/lease.ts';
import { openLoad } from './load-lease.ts';
import { type LoadReference, loadKey, openLoadKey } from './load-keys.ts';
import { decodeLoad, encodeLoad, type LoadFailure, type LoadRecord } from './load-record.ts';

export interface LoadOutcome {
  readonly status: 'COMPLETED' | 'CANCELLED' | 'FAILED';
  readonly failure?: LoadFailure;
}

/**
 * Finishes a load, and the table of an import with it, in one decision: the table becomes active, or is removed if the
 * import failed before any item was written to it.
 *
 * @throws {LeaseLostError} if another process holds the load's lease now.
 */
export async function endLoad(
  services: EngineServices,
  reference: LoadReference,
  grant: LeaseGrant,
  outcome: LoadOutcome,
): Promise<void> {
  const { store, environment } = services;
  const key = loadKey(reference);
  const known = await store.read([key], ([value]) => (value === undefined ? undefined : decodeLoad(key, value)));
  if (known === undefined) return;
  const nowMs = environment.clock.nowMs();
  const tableKey = tableRecordKey(known.accountId, known.region, known.tableName);
  const usageKey = accountUsageKey(known);
  const { ended, removed } = await store.write<EndedLoad>(
    [key, tableKey, usageKey],
    ([value, tableValue, usageValue]) => {
      const load = openLoad(key, value, grant);
      const next = endedLoad(load, outcome, nowMs);
      const writes: StoreWrite[] = [
        { key, value: encodeLoad(key, next) },
        { key: openLoadKey(reference), value: undefined },
      ];
      const table = tableValue === undefined ? undefined : decodeTableRecord(tableKey, tableValue);
      if (next.kind === 'bulk' || table?.tableId !== next.tableId) return { answer: { ended: next }, writes };
      const keepsTable =
        next.counts.written > 0 || next.failure === undefined || next.failure.code === validationFailure.code;
      const settled = keepsTable ? activeTable(table) : removedTable(table, nowMs);
      writes.push(
        { key: tableKey, value: encodeTableRecord(tableKey, settled) },
        { key: fenceKey(settled.accountId, settled.region, settled.tableName), value: fenceOf(settled) },
      );
      if (keepsTable) return { answer: { ended: next }, writes };
      const usage = changedUsage(decodeAccountUsage(usageValue), table, undefined);
      writes.push(purgeWrite(settled), { key: usageKey, value: encodeAccountUsage(usage) });
      return { answer: { ended: next, removed: settled }, writes };
    },
  );
  environment.log({
    level: 'info',
    event: 'load-ended',
    loadId: ended.loadId,
    table: ended.tableName,
    status: ended.status,
    written: ended.counts.written,
    failed: ended.counts.failed,
    ...(ended.failure !== undefined && { reason: ended.failure.message }),
  });
  await removeFailures(services, reference);
  if (removed !== undefined) await purgeTable(services, removed.itemSpace);
}

interface EndedLoad {
  readonly ended: LoadRecord;
  /** The table that was removed with it. */
  readonly removed?: TableRecord;
}

const validationFailure: LoadFailure = {
  code: 'ItemValidationError',
  message:
    'Some of the items failed validation checks and were not imported. Please check CloudWatch error logs for more details.',
};

/** An import fails if a single item has failed; a bulk operation completes and reports it. */
function endedLoad(load: LoadRecord, outcome: LoadOutcome, nowMs: number): LoadRecord {
  const { lease: _lease, ...rest } = load;
  const hasErrors = outcome.status === 'COMPLETED' && load.counts.failed > 0;
  const failure = hasErrors && load.kind === 'import' ? validationFailure : outcome.failure;
  const withErrors = load.kind === 'import' ? 'FAILED' : 'COMPLETED_WITH_ERRORS';
  return {
    ...rest,
    status: hasErrors ? withErrors : outcome.status,
    endedAtMs: nowMs,
    ...(failure !== undefined && { failure }),
  };
}

function activeTable({ transition: _creating, ...record }: TableRecord): TableRecord {
  return { ...record, version: record.version + 1 };
}

function removedTable(record: TableRecord, nowMs: number): TableRecord {
  return { ...record, version: record.version + 1, transition: { status: 'DELETING', untilMs: nowMs } };
}
