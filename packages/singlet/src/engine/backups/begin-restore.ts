import { checkCanEncrypt } from '../schema/encryption.ts';
import type { StoreValue, StoreWrite } from '../../storage/store.ts';
import type { RequestContext } from '../environment.ts';
import { uuidOf } from '../layout/uuid.ts';
import type { EngineServices } from '../services.ts';
import { type AccountUsage, changedUsage, encodeAccountUsage, accountUsageKey } from '../catalog/account-usage.ts';
import { newTableRecord } from '../schema/new-table-record.ts';
import { subscriberLimitExceeded } from '../catalog/parameter-errors.ts';
import type { SpaceCounter } from '../catalog/space-counter.ts';
import { fenceKey, fenceOf, Table, tableRecordKey } from '../catalog/table.ts';
import { decodeTableRecord, encodeTableRecord, type RestoreRecord, type TableRecord } from '../catalog/table-record.ts';
import { checkAccountQuota } from '../schema/throughput-changes.ts';
import { targetBeingRestored, targetTableExists, tooManyRestores } from './backup-errors.ts';
import { firstStep, jobWrite, listJobs, type RestoreJob } from './backup-job.ts';
import { type RestoreOverrides, restoredTableDefinition } from './restored-table.ts';

const tableIdBytes = 16;

/** A status without a fixed end: a restored table is CREATING until it is complete. */
const withoutEnd: number = Number.MAX_SAFE_INTEGER;

/** A table that is about to be restored, as far as it is known before the decision. */
export interface RestoreTarget {
  readonly tableName: string;
  readonly context: RequestContext;
  readonly tableId: string;
  readonly nowMs: number;
  readonly overrides: RestoreOverrides;
}

export function restoreTarget(
  { environment, store }: EngineServices,
  tableName: string,
  context: RequestContext,
  overrides: RestoreOverrides,
): RestoreTarget {
  checkCanEncrypt(overrides.sseSpecificationOverride, store);
  const tableId = uuidOf(environment.random.bytes(tableIdBytes));
  return { tableName, context, tableId, nowMs: environment.clock.nowMs(), overrides };
}

/** @throws {LimitExceededException} when the maximum number of restores is running. */
export async function checkRestoreCount(services: EngineServices, context: RequestContext): Promise<void> {
  const { store, limits } = services;
  const running = (await listJobs(store)).filter(
    (job) => job.kind === 'restore' && job.accountId === context.accountId && job.region === context.region,
  );
  if (running.length >= limits.restoreCountMax) throw tooManyRestores(limits.restoreCountMax);
}

/** The keys that the decision which begins a restore must read, in addition to the space counter. */
export function restoreTargetKeys({ tableName, context }: RestoreTarget): readonly Buffer[] {
  return [tableRecordKey(context.accountId, context.region, tableName), accountUsageKey(context)];
}

/**
 * The part of a decision that creates the restored table and the job that fills it.
 *
 * @param found - the value under the target's record key, and the usage of its account.
 * @throws {TableAlreadyExistsException} | {TableInUseException} | {LimitExceededException} | {ValidationException}
 */
export function beginRestore(
  services: EngineServices,
  target: RestoreTarget,
  source: {
    readonly table: TableRecord;
    readonly restore: RestoreRecord;
    readonly image: Pick<RestoreJob, 'imageSpace' | 'phase' | 'backup'>;
  },
  found: { readonly record: StoreValue; readonly usage: AccountUsage; readonly spaces: SpaceCounter },
): { readonly record: TableRecord; readonly writes: readonly StoreWrite[] } {
  const { limits, lifecycleDelayMs } = services;
  const { tableName, context, tableId, nowMs, overrides } = target;
  const defined = restoredTableDefinition(source.table, { tableName, region: context.region }, overrides, limits);
  const recordKey = tableRecordKey(context.accountId, context.region, tableName);
  checkNameIsFree(recordKey, found.record, nowMs);
  if (found.usage.tableCount >= limits.tableCountMax) {
    throw subscriberLimitExceeded(`There is a limit of ${limits.tableCountMax} tables per subscriber`);
  }
  const newTable = { ...defined, context, tableId, nowMs, untilMs: withoutEnd, limits, resourcePolicy: undefined };
  const record: TableRecord = { ...newTableRecord(newTable, found.spaces), restore: source.restore };
  const usage = changedUsage(found.usage, undefined, record);
  checkAccountQuota(found.usage, usage, context.region, limits);
  const job: RestoreJob = {
    ...firstStep,
    kind: 'restore',
    accountId: context.accountId,
    region: context.region,
    tableName,
    itemSpace: record.itemSpace,
    untilMs: nowMs + lifecycleDelayMs,
    ...source.image,
  };
  return {
    record,
    writes: [
      { key: recordKey, value: encodeTableRecord(recordKey, record) },
      { key: fenceKey(context.accountId, context.region, tableName), value: fenceOf(record) },
      { key: accountUsageKey(context), value: encodeAccountUsage(usage) },
      jobWrite(job),
    ],
  };
}

function checkNameIsFree(key: Uint8Array, value: StoreValue, nowMs: number): void {
  const record = value === undefined ? undefined : decodeTableRecord(key, value);
  if (record === undefined || new Table(record).isGone(nowMs)) return;
  throw record.restore === undefined
    ? targetTableExists(record.tableName)
    : targetBeingRestored(record.tableName, record.restore);
}
