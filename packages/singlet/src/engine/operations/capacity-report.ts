import type { ResourceCapacity } from '../capacity/resource-capacity.ts';
import type { ThroughputMeter } from '../capacity/throughput-meter.ts';
import type { ThroughputLimit } from '../capacity/throughput-settings.ts';
import type { RequestContext } from '../environment.ts';
import { hashBytes } from '../layout/spaces.ts';
import type { EngineServices } from '../services.ts';
import { tableNotFound } from '../catalog/parameter-errors.ts';
import { readSizes, type SpaceStatistics } from '../catalog/statistics.ts';
import type { SecondaryIndex, Table } from '../catalog/table.ts';
import type { BillingMode } from '../catalog/table-description.ts';

/** Reads or writes of a table, an index or one partition. */
export interface ThroughputReport {
  /** The refill rate of the token bucket, which holds up to `bucketUnitsMax` and now holds `bucketUnits`. */
  readonly unitsPerSecond: number;
  readonly bucketUnits: number;
  readonly bucketUnitsMax: number;
  /** Average of the last sixty seconds. */
  readonly consumedUnitsPerSecond: number;
  /** Since the process began to count; for a partition, since it was split off. */
  readonly consumedUnits: number;
  readonly throttledCount: number;
}

export interface PartitionReport {
  /** The first hash, and the hash before which the partition ends, in hexadecimal; `null` for the end of the last one. */
  readonly hashFrom: string;
  readonly hashTo: string | null;
  /** Where the partition begins or ends within an item collection: the rest of the key, in hexadecimal. */
  readonly sortKeyFrom?: string;
  readonly sortKeyTo?: string;
  /** Estimated; with the entries of local indexes. */
  readonly sizeBytes: number;
  /** How many times the partition was split off from a larger one. */
  readonly splitCount: number;
  /** The fraction of its limit that was used in the last sixty seconds, for reads or for writes, whichever is greater. */
  readonly heat: number;
  readonly reads: ThroughputReport;
  readonly writes: ThroughputReport;
}

export interface ResourceCapacityReport {
  readonly itemCount: number;
  readonly sizeBytes: number;
  /** Which limit determines the throughput of the whole. */
  readonly readLimit: ThroughputLimit;
  readonly writeLimit: ThroughputLimit;
  readonly reads: ThroughputReport;
  readonly writes: ThroughputReport;
  /** In the order of their hashes: disjoint, and together complete. */
  readonly partitions: readonly PartitionReport[];
}

/** The capacity of a table in the capacity model. Local indexes are part of their table. */
export interface CapacityReport {
  /** The table that is reported on. */
  readonly tableName: string;
  /** Its ARN. */
  readonly tableArn: string;
  /** Provisioned or on demand. */
  readonly billingMode: BillingMode;
  /** Whether requests above the throughput are refused. */
  readonly isThrottled: boolean;
  /** When the report was made, in milliseconds since 1970. */
  readonly atEpochMs: number;
  /** The table itself, including its local indexes. */
  readonly table: ResourceCapacityReport;
  /** By name. */
  readonly globalSecondaryIndexes: Readonly<Record<string, ResourceCapacityReport>>;
}

/**
 * Shows capacity, partitions and heat of a table and its global indexes. Not an action of the API.
 *
 * @throws {ResourceNotFoundException} if there is no such table.
 */
export async function capacityReport(
  services: EngineServices,
  { tableName }: { readonly tableName: string },
  context: RequestContext,
): Promise<CapacityReport> {
  const { capacity, catalog, environment, store } = services;
  const table = await catalog.load(context, tableName);
  if (table === undefined) throw tableNotFound(tableName);
  const sizes = await readSizes(store, table.record.itemSpace);
  const nowMs = environment.clock.nowMs();
  const reportOf = (index: SecondaryIndex | undefined): ResourceCapacityReport =>
    resourceReport(capacity.capacityOf(table, index, sizes), spaceSizes(table, index, sizes), nowMs);
  return {
    tableName,
    tableArn: table.arn,
    billingMode: table.record.billingMode,
    isThrottled: capacity.throttlingOf(table) === 'on',
    atEpochMs: nowMs,
    table: reportOf(undefined),
    globalSecondaryIndexes: Object.fromEntries(
      table.globalIndexes.filter(({ written }) => written).map((index) => [index.indexName, reportOf(index)]),
    ),
  };
}

function spaceSizes(
  table: Table,
  index: SecondaryIndex | undefined,
  sizes: ReadonlyMap<number, SpaceStatistics>,
): SpaceStatistics {
  return sizes.get(index?.space ?? table.record.itemSpace) ?? { itemCount: 0, sizeBytes: 0 };
}

function resourceReport(
  { reads, writes, settings, partitions }: ResourceCapacity,
  { itemCount, sizeBytes }: SpaceStatistics,
  nowMs: number,
): ResourceCapacityReport {
  return {
    itemCount,
    sizeBytes,
    readLimit: settings.reads.limit,
    writeLimit: settings.writes.limit,
    reads: throughputReport(reads, nowMs),
    writes: throughputReport(writes, nowMs),
    partitions: partitions.placed().map(({ partition, to }) => ({
      hashFrom: hashText(partition.from),
      hashTo: to === undefined ? null : hashText(to),
      ...(partition.from.length > hashBytes && { sortKeyFrom: partition.from.toString('hex', hashBytes) }),
      ...(to !== undefined && to.length > hashBytes && { sortKeyTo: to.toString('hex', hashBytes) }),
      sizeBytes: Math.round(partition.bytes),
      splitCount: partition.splitCount,
      heat: Math.max(heatOf(partition.reads, nowMs), heatOf(partition.writes, nowMs)),
      reads: throughputReport(partition.reads, nowMs),
      writes: throughputReport(partition.writes, nowMs),
    })),
  };
}

function heatOf(meter: ThroughputMeter, nowMs: number): number {
  return meter.unitsPerSecondAt(nowMs) / meter.bucketAt(nowMs).unitsPerSecond;
}

function hashText(key: Buffer): string {
  return key.toString('hex', 0, hashBytes);
}

function throughputReport(meter: ThroughputMeter, nowMs: number): ThroughputReport {
  const { units, unitsMax, unitsPerSecond } = meter.bucketAt(nowMs);
  return {
    unitsPerSecond,
    bucketUnits: units,
    bucketUnitsMax: unitsMax,
    consumedUnitsPerSecond: meter.unitsPerSecondAt(nowMs),
    consumedUnits: meter.consumedUnits,
    throttledCount: meter.throttledCount,
  };
}
