import type { Limits } from '../../values/limits.ts';
import { withOnDemandThroughput } from './global-index-updates.ts';
import { invalidParameter, subscriberLimitExceeded } from '../catalog/parameter-errors.ts';
import type { TableChangeInput } from '../catalog/table-change.ts';
import type { ProvisionedThroughput } from '../catalog/table-description.ts';
import type { GlobalIndexRecord, TableRecord, ThroughputRecord } from '../catalog/table-record.ts';
import type { TableUpdateRequest } from './table-update.ts';
import { checkThroughputQuota, decreasesOn, throughputOnDemand } from './throughput-changes.ts';
import { shortUtcText } from '../catalog/utc-text.ts';
import { leastWarmThroughput, raisedWarmThroughput } from './warm-throughput.ts';

const dayMs = 24 * 60 * 60 * 1000;

/**
 * The record of a table that switches from provisioned to on-demand mode.
 *
 * @throws {LimitExceededException} if it switched too often in the last 24 hours.
 */
export function switchToOnDemand(
  record: TableRecord,
  { nowMs, untilMs }: TableChangeInput,
  limits: Limits,
): TableRecord {
  const recent = (record.switchesToOnDemandMs ?? []).filter((ms) => ms > nowMs - dayMs);
  checkSwitchCount(recent, limits);
  const throughput = throughputOnDemand(record.throughput);
  const initial = leastWarmThroughput('PAY_PER_REQUEST', throughput, limits);
  return {
    ...record,
    billingMode: 'PAY_PER_REQUEST',
    onDemandSinceMs: untilMs,
    switchesToOnDemandMs: [...recent, nowMs],
    throughput,
    warmThroughput: raisedWarmThroughput(record.warmThroughput, initial),
    globalIndexes: record.globalIndexes.map((index) => indexOnDemand(index, nowMs, untilMs, limits)),
    transition: {
      status: 'UPDATING',
      untilMs,
      change: 'billing-mode',
      shown: {
        // The decrease to zero is shown during the change, and then forgotten.
        throughput: { ...throughput, lastDecreaseMs: nowMs, numberOfDecreasesToday: decreasesOn(throughput, nowMs) },
        ...(record.warmThroughput !== undefined && { warmThroughput: record.warmThroughput }),
      },
    },
  };
}

function checkSwitchCount(recent: readonly number[], limits: Limits): void {
  const [oldest] = recent;
  const last = recent.at(-1);
  if (oldest === undefined || last === undefined || recent.length < limits.billingModeSwitchPerDayCountMax) return;
  // Assumed: the recorded text is from when one switch a day was allowed ("once in 1 day(s)").
  throw subscriberLimitExceeded(
    `Update to PayPerRequest mode are limited to ${limits.billingModeSwitchPerDayCountMax} times in 1 day(s). Last update at ${shortUtcText(last)}. Next update can be made at ${shortUtcText(oldest + dayMs)}`,
  );
}

function indexOnDemand(index: GlobalIndexRecord, nowMs: number, untilMs: number, limits: Limits): GlobalIndexRecord {
  const units = throughputOnDemand(index.throughput);
  const decreases = decreasesOn(index.throughput, nowMs);
  const initial = leastWarmThroughput('PAY_PER_REQUEST', units, limits);
  return {
    ...index,
    throughput: { ...units, lastDecreaseMs: nowMs, numberOfDecreasesToday: decreases + 1 },
    warmThroughput: raisedWarmThroughput(index.warmThroughput, initial),
    // An index that is being created or deleted has a status of its own.
    ...(index.phase === undefined && {
      transition: { status: 'UPDATING' as const, untilMs, shown: { ...units, numberOfDecreasesToday: decreases } },
    }),
  };
}

/**
 * The record of a table that switches from on-demand to provisioned mode. The request must give a throughput for every
 * global index; the maxima of on-demand mode are dropped.
 *
 * @throws {ValidationException} if an index is left out.
 * @throws {LimitExceededException} above a quota.
 */
export function switchToProvisioned(
  record: TableRecord,
  request: TableUpdateRequest,
  provisionedThroughput: ProvisionedThroughput,
  { nowMs, untilMs }: TableChangeInput,
  limits: Limits,
): TableRecord {
  const { region } = record;
  const requested = new Map(
    (request.globalSecondaryIndexUpdates ?? []).map(({ update }) => [update?.indexName, update?.provisionedThroughput]),
  );
  const left = record.globalIndexes.filter(({ indexName, phase }) => {
    return phase !== 'deleting' && requested.get(indexName) === undefined;
  });
  if (left.length > 0) {
    const names = left.map(({ indexName }) => indexName).join(',');
    throw invalidParameter(`ProvisionedThroughput must be specified for index: ${names}`);
  }
  checkThroughputQuota(provisionedThroughput, { region }, limits);
  const provisioned = <T extends TableRecord | GlobalIndexRecord>(subject: T, units: ProvisionedThroughput): T => ({
    ...withOnDemandThroughput(subject, undefined),
    throughput: provisionedUnits(subject.throughput, units, nowMs),
    warmThroughput: raisedWarmThroughput(subject.warmThroughput, leastWarmThroughput('PROVISIONED', units, limits)),
  });
  return {
    ...provisioned(record, provisionedThroughput),
    billingMode: 'PROVISIONED',
    globalIndexes: record.globalIndexes.map((index) => {
      const units = requested.get(index.indexName);
      if (units === undefined) return index;
      checkThroughputQuota(units, { region, indexName: index.indexName }, limits);
      const changed = provisioned(index, units);
      return index.phase === undefined ? { ...changed, transition: { status: 'UPDATING', untilMs } } : changed;
    }),
    transition: { status: 'UPDATING', untilMs, change: 'billing-mode' },
  };
}

function provisionedUnits(present: ThroughputRecord, units: ProvisionedThroughput, nowMs: number): ThroughputRecord {
  return {
    ...present,
    readCapacityUnits: units.readCapacityUnits,
    writeCapacityUnits: units.writeCapacityUnits,
    lastIncreaseMs: nowMs,
  };
}
