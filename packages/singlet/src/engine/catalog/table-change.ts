import { assert } from '../../values/assert.ts';
import type { StoreValue, StoreWrite } from '../../storage/store.ts';
import type { RequestContext } from '../environment.ts';
import { withChangedSettings } from './shared-settings.ts';
import type { CatalogServices } from './catalog-services.ts';
import {
  type AccountUsage,
  accountUsageKey,
  changedUsage,
  decodeAccountUsage,
  encodeAccountUsage,
} from './account-usage.ts';
import { tableNotFound } from './parameter-errors.ts';
import { settleRecord } from './settle.ts';
import { SpaceCounter, spaceCounterKey } from './space-counter.ts';
import { fenceKey, fenceOf, Table, tableRecordKey } from './table.ts';
import { decodeTableRecord, encodeTableRecord, type TableRecord } from './table-record.ts';

/** The input of the decision that changes a table. */
export interface TableChangeInput {
  /** The present record, without the transitions that have ended. */
  readonly record: TableRecord;
  readonly nowMs: number;
  /** When a change that begins now ends, as seen by requests for the status. */
  readonly untilMs: number;
  readonly usage: AccountUsage;
  readonly spaces: SpaceCounter;
  /** The values read under the further keys. */
  readonly values: readonly StoreValue[];
}

export interface TableChangeOutput {
  /** The record after the change (its version is set automatically); the same object as the input when nothing is to be written. */
  readonly record: TableRecord;
  readonly writes?: readonly StoreWrite[];
}

/**
 * Changes a table's record in one decision: reads it, calls `change`, and rewrites record, fence and account usage.
 * From then on no operation uses the old record.
 *
 * @param change - pure, as decisions are. If it throws, the change ends and nothing is written.
 * @param furtherKeys - read with the rest and passed to `change`.
 * @returns the table after the change.
 * @throws {ResourceNotFoundException} when there is no such table.
 */
export async function changeTable(
  services: CatalogServices,
  context: RequestContext,
  tableName: string,
  change: (input: TableChangeInput) => TableChangeOutput,
  furtherKeys: readonly Uint8Array[] = [],
): Promise<Table> {
  const { accountId, region } = context;
  const recordKey = tableRecordKey(accountId, region, tableName);
  const usageKey = accountUsageKey(context);
  const nowMs = services.environment.clock.nowMs();
  const untilMs = nowMs + services.lifecycleDelayMs;
  const keys = [recordKey, usageKey, spaceCounterKey, ...furtherKeys];
  const record = await services.store.write(keys, ([recordValue, usageValue, counterValue, ...values]) => {
    const stored = recordValue === undefined ? undefined : decodeTableRecord(recordKey, recordValue);
    if (stored === undefined || new Table(stored).isGone(nowMs)) throw tableNotFound(tableName);
    const before = settleRecord(stored, nowMs);
    const usage = decodeAccountUsage(usageValue);
    const spaces = new SpaceCounter(counterValue);
    const after = change({ record: before, nowMs, untilMs, usage, spaces, values });
    if (after.record === before) return { answer: before, writes: after.writes ?? [] };
    // A replica that leaves its global table must first make sure that the others have all its data.
    const isLeaving = before.replication !== undefined;
    assert(before.transition?.status !== 'DELETING' || isLeaving, 'a table that is being deleted does not change');
    const changed = withChangedSettings(before, after.record, nowMs);
    const next: TableRecord = { ...changed, version: stored.version + 1 };
    return {
      answer: next,
      writes: [
        { key: recordKey, value: encodeTableRecord(recordKey, next) },
        { key: fenceKey(accountId, region, tableName), value: fenceOf(next) },
        { key: usageKey, value: encodeAccountUsage(changedUsage(usage, before, next)) },
        ...spaces.writes,
        ...(after.writes ?? []),
      ],
    };
  });
  const table = new Table(record);
  services.catalog.remember(table);
  services.capacity.tableChanged(table);
  return table;
}
