import type { Limits } from '../../values/limits.ts';
import { ValidationException } from '../../values/service-error.ts';
import { checkAccountQuota, changeThroughput, checkThroughputQuota, shownDuringChange } from './throughput-changes.ts';
import { changedUsage } from '../catalog/account-usage.ts';
import { switchToOnDemand, switchToProvisioned } from './billing-mode-switch.ts';
import { changeEncryption } from './encryption.ts';
import { applyGlobalIndexUpdate, checkIndexUpdates, withOnDemandThroughput } from './global-index-updates.ts';
import { checkOnDemandThroughput, mergeOnDemandThroughput } from './on-demand-throughput.ts';
import { invalidParameter, subscriberLimitExceeded } from '../catalog/parameter-errors.ts';
import type { TableChangeInput } from '../catalog/table-change.ts';
import { checkNoRunningChange, inUse } from './table-conflicts.ts';
import type { StreamSpecification, TableClass } from '../catalog/table-description.ts';
import type { TableRecord } from '../catalog/table-record.ts';
import type { TableUpdateRequest } from './table-update.ts';
import { checkNotRedefined } from './validate-key-schema.ts';
import { checkVectorIndexBilling } from './vector-index-definition.ts';
import { applyVectorIndexUpdates, checkNoVectorIndexInCreation } from './vector-index-updates.ts';
import { raisedWarmThroughput, raiseWarmThroughput } from './warm-throughput.ts';

const tableClassChangesMax = 2;
const tableClassWindowDays = 30;
const dayMs = 24 * 60 * 60 * 1000;

/**
 * The record of a table after an update that has been validated by itself; the same object if nothing changes.
 *
 * @throws {ValidationException} | {ResourceNotFoundException} | {ResourceInUseException} | {LimitExceededException}
 */
export function applyTableUpdate(request: TableUpdateRequest, input: TableChangeInput, limits: Limits): TableRecord {
  checkStreamOfReplica(input.record, request);
  checkNoRunningChange(input.record, request);
  // Definitions have a purpose only where an index is created; the service ignores them otherwise.
  if (createsIndex(request)) checkNotRedefined(input.record, request.attributeDefinitions ?? []);
  const billingMode = request.billingMode ?? input.record.billingMode;
  if (request.provisionedThroughput !== undefined && billingMode === 'PAY_PER_REQUEST') {
    throw invalidParameter(
      'Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST',
    );
  }
  checkNoVectorIndexInCreation(input.record, request.vectorIndexUpdates ?? []);
  checkIndexUpdates(input.record, request.globalSecondaryIndexUpdates ?? [], request.vectorIndexUpdates ?? [], limits);
  const capacity = applyCapacity(input.record, request, input, limits);
  checkVectorIndexBilling(capacity.billingMode, capacity.vectorIndexes);
  const indexed = applyGlobalIndexes(capacity, request, input, limits);
  const changed = applyVectorIndexUpdates(indexed, request, input, limits);
  const next = applyTheRest(changed, request, input, limits);
  checkAccountQuota(input.usage, changedUsage(input.usage, input.record, next), next.region, limits);
  return next;
}

function createsIndex({ globalSecondaryIndexUpdates = [], vectorIndexUpdates = [] }: TableUpdateRequest): boolean {
  return [...globalSecondaryIndexUpdates, ...vectorIndexUpdates].some(({ create }) => create !== undefined);
}

function applyCapacity(
  record: TableRecord,
  request: TableUpdateRequest,
  input: TableChangeInput,
  limits: Limits,
): TableRecord {
  const { provisionedThroughput, onDemandThroughput } = request;
  const { region } = record;
  let next = record;
  if (request.billingMode === 'PAY_PER_REQUEST' && record.billingMode === 'PROVISIONED') {
    next = switchToOnDemand(record, input, limits);
  } else if (provisionedThroughput !== undefined && record.billingMode === 'PAY_PER_REQUEST') {
    next = switchToProvisioned(record, request, provisionedThroughput, input, limits);
  } else if (provisionedThroughput !== undefined) {
    checkThroughputQuota(provisionedThroughput, { region }, limits);
    const throughput = changeThroughput(record.throughput, provisionedThroughput, { region }, input.nowMs, limits);
    const { warmThroughput } = record;
    next = {
      ...record,
      throughput,
      warmThroughput: raisedWarmThroughput(warmThroughput, {
        readUnitsPerSecond: throughput.readCapacityUnits,
        writeUnitsPerSecond: throughput.writeCapacityUnits,
      }),
      transition: {
        status: 'UPDATING',
        untilMs: input.untilMs,
        change: 'throughput',
        shown: {
          throughput: shownDuringChange(record.throughput, throughput, input.nowMs),
          ...(warmThroughput !== undefined && { warmThroughput }),
        },
      },
    };
  }
  if (onDemandThroughput === undefined) return next;
  checkOnDemandThroughput(onDemandThroughput, { region }, { billingMode: next.billingMode, canRemove: true, limits });
  return withOnDemandThroughput(next, mergeOnDemandThroughput(next.onDemandThroughput, onDemandThroughput));
}

function applyGlobalIndexes(
  record: TableRecord,
  request: TableUpdateRequest,
  input: TableChangeInput,
  limits: Limits,
): TableRecord {
  const isSwitched = input.record.billingMode === 'PAY_PER_REQUEST' && record.billingMode === 'PROVISIONED';
  let next = record;
  for (const update of request.globalSecondaryIndexUpdates ?? []) {
    // The switch to provisioned mode has already applied these updates' throughput to each existing index.
    const isDone = isSwitched && record.globalIndexes.some(({ indexName }) => indexName === update.update?.indexName);
    if (!isDone) next = applyGlobalIndexUpdate(next, update, request, input, limits);
  }
  return next;
}

function applyTheRest(
  record: TableRecord,
  request: TableUpdateRequest,
  input: TableChangeInput,
  limits: Limits,
): TableRecord {
  const { nowMs, untilMs } = input;
  let next = record;
  if (request.streamSpecification !== undefined) next = changeStream(next, request.streamSpecification, untilMs);
  if (request.tableClass !== undefined) next = changeTableClass(next, request.tableClass, nowMs, untilMs);
  if (request.sseSpecification !== undefined) {
    const { sseSpecification: present, ...rest } = next;
    const sseSpecification = changeEncryption(present, request.sseSpecification, next);
    next = { ...rest, ...(sseSpecification !== undefined && { sseSpecification }), sseUpdatingUntilMs: untilMs };
  }
  if (request.warmThroughput !== undefined) {
    const { region } = next;
    next = {
      ...next,
      ...raiseWarmThroughput(next.warmThroughput, request.warmThroughput, { region }, { untilMs, limits }),
    };
  }
  if (request.deletionProtectionEnabled !== undefined) {
    next = { ...next, deletionProtectionEnabled: request.deletionProtectionEnabled };
  }
  return next;
}

/** Replicas need their streams, and while one is being added or removed, other changes are refused. */
function checkStreamOfReplica(record: TableRecord, { streamSpecification }: TableUpdateRequest): void {
  const { replication } = record;
  if (replication === undefined) return;
  if (streamSpecification?.streamEnabled === false) {
    throw invalidParameter('Disabling Stream is not allowed for a Global Table replica.');
  }
  if (replication.members.some(({ state }) => state === 'creating' || state === 'deleting')) throw inUse();
}

/** `streams/stream-switch.ts` switches the stream itself, in the same decision. */
function changeStream(record: TableRecord, streamSpecification: StreamSpecification, untilMs: number): TableRecord {
  const isEnabled = record.streamSpecification?.streamEnabled === true;
  if (streamSpecification.streamEnabled && isEnabled) {
    throw new ValidationException(`Table already has an enabled stream: TableName: ${record.tableName}`);
  }
  if (!streamSpecification.streamEnabled && !isEnabled) {
    throw new ValidationException(`Table has no stream to disable: TableName: ${record.tableName}`);
  }
  return {
    ...record,
    streamSpecification,
    transition: record.transition ?? { status: 'UPDATING', untilMs, change: 'stream' },
  };
}

function changeTableClass(record: TableRecord, tableClass: TableClass, nowMs: number, untilMs: number): TableRecord {
  const recent = (record.tableClassChangesMs ?? []).filter((ms) => ms > nowMs - tableClassWindowDays * dayMs);
  if (recent.length >= tableClassChangesMax) {
    throw subscriberLimitExceeded(
      `Updates to TableClass are limited to ${tableClassChangesMax} times in ${tableClassWindowDays} day(s).`,
    );
  }
  if (tableClass === (record.tableClass ?? 'STANDARD')) return record;
  return {
    ...record,
    tableClass,
    tableClassSinceMs: untilMs,
    tableClassChangesMs: [...recent, nowMs],
    transition: {
      status: 'UPDATING',
      untilMs,
      change: 'table-class',
      shown: {
        ...(record.tableClass !== undefined && { tableClass: record.tableClass }),
        ...(record.tableClassSinceMs !== undefined && { tableClassSinceMs: record.tableClassSinceMs }),
      },
    },
  };
}
