import type { Limits } from '../../values/limits.ts';
import type { WarmThroughput } from '../catalog/table-description.ts';
import type { GlobalIndexRecord, TableRecord, ThroughputRecord } from '../catalog/table-record.ts';
import { leastWarmThroughput, raisedWarmThroughput } from '../schema/warm-throughput.ts';

/** Which of the throughputs of a table or index. */
export type ThroughputKind = 'Read' | 'Write';

/** The last part of a throttling reason: the kind of limit. */
export type ThroughputLimit =
  | 'ProvisionedThroughputExceeded'
  | 'MaxOnDemandThroughputExceeded'
  | 'AccountLimitExceeded'
  | 'KeyRangeThroughputExceeded';

export interface ThroughputRate {
  readonly unitsPerSecond: number;
  /** The limit that a request above the rate exceeds. */
  readonly limit: ThroughputLimit;
}

/** The throughput of a table or global index at a given moment. */
export interface ThroughputSettings {
  readonly isProvisioned: boolean;
  readonly reads: ThroughputRate;
  readonly writes: ThroughputRate;
  /** How many seconds of it may be saved. */
  readonly burstSeconds: number;
  /** The number of partitions that the throughput needs. */
  readonly partitionCount: number;
  /** When this ends without any further change; Infinity if never. */
  readonly untilMs: number;
}

/** On-demand tables save no more than this: their limits are ceilings, not capacity that is paid for. */
const onDemandBurstSeconds = 1;

/** The throughput of a table; while it is UPDATING, its former throughput. */
export function tableThroughput(record: TableRecord, nowMs: number, limits: Limits): ThroughputSettings {
  const { transition } = record;
  const isChanging = transition !== undefined && nowMs < transition.untilMs;
  return settingsOf(record, record, {
    throughput: (isChanging ? transition.shown?.throughput : undefined) ?? record.throughput,
    untilMs: isChanging ? transition.untilMs : Infinity,
    limits,
  });
}

/** The throughput of a global index. */
export function indexThroughput(
  record: TableRecord,
  index: GlobalIndexRecord,
  nowMs: number,
  limits: Limits,
): ThroughputSettings {
  const { transition } = index;
  const isChanging = transition !== undefined && nowMs < transition.untilMs;
  return settingsOf(record, index, {
    throughput: (isChanging ? transition.shown : undefined) ?? index.throughput,
    untilMs: isChanging ? transition.untilMs : Infinity,
    limits,
  });
}

function settingsOf(
  { billingMode }: TableRecord,
  subject: TableRecord | GlobalIndexRecord,
  present: { readonly throughput: ThroughputRecord; readonly untilMs: number; readonly limits: Limits },
): ThroughputSettings {
  const { throughput, untilMs, limits } = present;
  const warm = raisedWarmThroughput(subject.warmThroughput, leastWarmThroughput(billingMode, throughput, limits));
  const common = { partitionCount: partitionsFor(warm, limits), untilMs };
  if (billingMode === 'PROVISIONED') {
    const rate = (unitsPerSecond: number): ThroughputRate => ({
      unitsPerSecond,
      limit: 'ProvisionedThroughputExceeded',
    });
    return {
      ...common,
      isProvisioned: true,
      reads: rate(throughput.readCapacityUnits),
      writes: rate(throughput.writeCapacityUnits),
      burstSeconds: limits.burstSecondsMax,
    };
  }
  const ceiling = (maximum: number | undefined): ThroughputRate =>
    maximum === undefined
      ? { unitsPerSecond: limits.tableCapacityUnitsMax, limit: 'AccountLimitExceeded' }
      : { unitsPerSecond: maximum, limit: 'MaxOnDemandThroughputExceeded' };
  return {
    ...common,
    isProvisioned: false,
    reads: ceiling(subject.onDemandThroughput?.maxReadRequestUnits),
    writes: ceiling(subject.onDemandThroughput?.maxWriteRequestUnits),
    burstSeconds: onDemandBurstSeconds,
  };
}

/** Enough for all partitions together to serve what the table can serve at once. */
function partitionsFor({ readUnitsPerSecond = 0, writeUnitsPerSecond = 0 }: WarmThroughput, limits: Limits): number {
  return Math.max(
    1,
    Math.ceil(readUnitsPerSecond / limits.partitionReadCapacityUnitsMax),
    Math.ceil(writeUnitsPerSecond / limits.partitionWriteCapacityUnitsMax),
  );
}
