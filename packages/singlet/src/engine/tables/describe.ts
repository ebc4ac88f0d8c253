import type { Store } from '../../storage/store.ts';
import type { Limits } from '../../values/limits.ts';
import { describeReplicas } from '../replication/describe-replicas.ts';
import type { CatalogServices } from '../catalog/catalog-services.ts';
import { describeEncryption } from '../schema/encryption.ts';
import type { OnlineIndexRecord } from '../schema/online-index.ts';
import { settleRecord } from '../catalog/settle.ts';
import { readSizes, type SpaceStatistics } from '../catalog/statistics.ts';
import { streamLabel } from '../catalog/utc-text.ts';
import type { Table } from '../catalog/table.ts';
import { decreasesOn } from '../schema/throughput-changes.ts';
import type {
  GlobalSecondaryIndexDescription,
  IndexStatus,
  LocalSecondaryIndexDescription,
  OnDemandThroughput,
  Projection,
  ProvisionedThroughputDescription,
  TableDescription,
  TableStatus,
  VectorIndexDescription,
  WarmThroughputDescription,
} from '../catalog/table-description.ts';
import type {
  GlobalIndexRecord,
  LocalIndexRecord,
  RestoreRecord,
  TableRecord,
  ThroughputRecord,
  VectorIndexRecord,
  WarmTransition,
} from '../catalog/table-record.ts';

export type StatisticsBySpace = ReadonlyMap<number, SpaceStatistics>;

export const noStatistics: StatisticsBySpace = new Map();

/** Exact counts and sizes of a table and its indexes, from one snapshot. */
export async function readStatistics(services: CatalogServices, table: Table): Promise<StatisticsBySpace> {
  return readSizes(services.store, table.record.itemSpace);
}

export interface DescribeOptions {
  readonly table: Table;
  readonly statistics: StatisticsBySpace;
  readonly limits: Limits;
  /** The store of the table. */
  readonly store: Pick<Store, 'manifest'>;
  /**
   * `now`: as DescribeTable shows it at that time. `changing`: as the action that has just begun a change answers, even when
   * the change takes no time; the record then holds no transition that has expired.
   */
  readonly at: { readonly nowMs: number } | 'changing';
  /** The record that the replicas are read from, when the answer shows them as they were before a change. */
  readonly replicasOf?: TableRecord;
}

/** The service's description of a table. */
export function describeTableRecord({
  table,
  statistics,
  limits,
  store,
  at,
  replicasOf,
}: DescribeOptions): TableDescription {
  const record = at === 'changing' ? table.record : settleRecord(table.record, at.nowMs);
  const status: TableStatus = record.transition?.status ?? 'ACTIVE';
  const sizes = statistics.get(record.itemSpace) ?? { itemCount: 0, sizeBytes: 0 };
  const shown = record.transition?.shown;
  const nowMs = at === 'changing' ? undefined : at.nowMs;
  const common = {
    tableName: record.tableName,
    tableStatus: status,
    provisionedThroughput: describeThroughput(shown?.throughput ?? record.throughput, nowMs),
    // Without the 100 bytes per item that are billed for storage.
    tableSizeBytes: sizes.sizeBytes,
    itemCount: sizes.itemCount,
    tableArn: table.arn,
    tableId: record.tableId,
    deletionProtectionEnabled: record.deletionProtectionEnabled,
    ...billingModeSummary(record),
    ...describeReplicas(record, replicasOf),
  };
  // A table that is being deleted shows neither schema nor indexes.
  if (status === 'DELETING') return common;

  // The answer shows the new class only once the change is complete.
  const tableClass: Pick<TableRecord, 'tableClass' | 'tableClassSinceMs'> =
    record.transition?.change === 'table-class' ? (shown ?? {}) : record;
  const onDemandThroughput = describeOnDemand(record.onDemandThroughput);
  const warmThroughput = describeWarm(record, shown?.warmThroughput);
  const sseDescription = describeEncryption(record, store);
  // A stream that is off is shown only while it is being switched off.
  const showsStream =
    record.streamSpecification !== undefined &&
    (record.streamSpecification.streamEnabled || record.transition?.change === 'stream');
  return {
    ...common,
    attributeDefinitions: sorted(record.attributeDefinitions, (definition) => definition.attributeName),
    keySchema: record.keySchema,
    creationDateTime: seconds(record.createdAtMs),
    ...(record.localIndexes.length > 0 && {
      localSecondaryIndexes: record.localIndexes.map((index) => describeLocalIndex(table, index, statistics, limits)),
    }),
    ...(record.globalIndexes.length > 0 && {
      globalSecondaryIndexes: record.globalIndexes.map((index) =>
        describeGlobalIndex(table, record, index, statistics, limits, nowMs),
      ),
    }),
    ...(record.vectorIndexes !== undefined && {
      vectorIndexes: record.vectorIndexes.map((index) => describeVectorIndex(table, record, index, statistics, limits)),
    }),
    ...(showsStream && { streamSpecification: record.streamSpecification }),
    ...(record.streamSinceMs !== undefined && {
      latestStreamLabel: streamLabel(record.streamSinceMs),
      latestStreamArn: `${table.arn}/stream/${streamLabel(record.streamSinceMs)}`,
    }),
    ...(record.restore !== undefined && { restoreSummary: describeRestore(record.restore) }),
    ...(sseDescription !== undefined && { sseDescription }),
    ...(tableClass.tableClass !== undefined && {
      tableClassSummary: {
        tableClass: tableClass.tableClass,
        ...(tableClass.tableClassSinceMs !== undefined && {
          lastUpdateDateTime: seconds(tableClass.tableClassSinceMs),
        }),
      },
    }),
    ...(onDemandThroughput !== undefined && { onDemandThroughput }),
    ...(warmThroughput !== undefined && { warmThroughput }),
  };
}

function describeLocalIndex(
  table: Table,
  index: LocalIndexRecord,
  statistics: StatisticsBySpace,
  limits: Limits,
): LocalSecondaryIndexDescription {
  return {
    indexName: index.indexName,
    keySchema: index.keySchema,
    projection: describeProjection(index.projection),
    ...indexSizes(index, statistics, limits),
    indexArn: `${table.arn}/index/${index.indexName}`,
  };
}

function describeGlobalIndex(
  table: Table,
  record: TableRecord,
  index: GlobalIndexRecord,
  statistics: StatisticsBySpace,
  limits: Limits,
  nowMs: number | undefined,
): GlobalSecondaryIndexDescription {
  const onDemandThroughput = describeOnDemand(index.onDemandThroughput);
  const warmThroughput = describeWarm(index, undefined);
  return {
    ...describeLocalIndex(table, index, statistics, limits),
    indexStatus: indexStatus(record, index),
    // While resources are being allocated for a new index, the backfill has not begun.
    ...(index.phase === 'backfilling' && { backfilling: index.transition === undefined }),
    provisionedThroughput: describeThroughput(index.transition?.shown ?? index.throughput, nowMs),
    ...(onDemandThroughput !== undefined && { onDemandThroughput }),
    ...(warmThroughput !== undefined && { warmThroughput }),
  };
}

function describeVectorIndex(
  table: Table,
  record: TableRecord,
  index: VectorIndexRecord,
  statistics: StatisticsBySpace,
  limits: Limits,
): VectorIndexDescription {
  return {
    indexName: index.indexName,
    ...(index.searchSchema !== undefined && { searchSchema: index.searchSchema }),
    projection: describeProjection(index.projection),
    vectorAttribute: index.vectorAttribute,
    dimensions: index.dimensions,
    distanceFunction: index.distanceFunction,
    indexStatus: indexStatus(record, index),
    ...(index.phase === 'backfilling' && { backfilling: index.transition === undefined }),
    ...indexSizes(index, statistics, limits),
    indexArn: `${table.arn}/index/${index.indexName}`,
  };
}

function indexStatus(record: TableRecord, index: OnlineIndexRecord): IndexStatus {
  if (index.phase === 'deleting') return 'DELETING';
  if (index.phase === 'backfilling' || record.transition?.status === 'CREATING') return 'CREATING';
  return index.transition?.status ?? 'ACTIVE';
}

/** Unlike the size of a table, that of an index includes the overhead of its entries. */
function indexSizes(
  index: Pick<LocalIndexRecord, 'space'>,
  statistics: StatisticsBySpace,
  limits: Limits,
): { readonly indexSizeBytes: number; readonly itemCount: number } {
  const { itemCount, sizeBytes } = statistics.get(index.space) ?? { itemCount: 0, sizeBytes: 0 };
  return { indexSizeBytes: sizeBytes + itemCount * limits.indexEntryOverheadBytes, itemCount };
}

function describeRestore({ atMs, ...source }: RestoreRecord): NonNullable<TableDescription['restoreSummary']> {
  return { ...source, restoreDateTime: seconds(atMs), restoreInProgress: true };
}

function describeProjection({ projectionType, nonKeyAttributes }: Projection): Projection {
  return {
    projectionType,
    ...(nonKeyAttributes !== undefined && { nonKeyAttributes: sorted(nonKeyAttributes, (name) => name) }),
  };
}

/** @param nowMs - decides whether the decreases were today; without it they are shown as they were counted. */
function describeThroughput(throughput: ThroughputRecord, nowMs: number | undefined): ProvisionedThroughputDescription {
  const { lastIncreaseMs, lastDecreaseMs } = throughput;
  return {
    ...(lastIncreaseMs !== undefined && { lastIncreaseDateTime: seconds(lastIncreaseMs) }),
    ...(lastDecreaseMs !== undefined && { lastDecreaseDateTime: seconds(lastDecreaseMs) }),
    numberOfDecreasesToday: nowMs === undefined ? throughput.numberOfDecreasesToday : decreasesOn(throughput, nowMs),
    readCapacityUnits: throughput.readCapacityUnits,
    writeCapacityUnits: throughput.writeCapacityUnits,
  };
}

/** Only tables that are, or ever were, on demand have the summary. */
function billingModeSummary(record: TableRecord): Pick<TableDescription, 'billingModeSummary'> {
  const { billingMode, onDemandSinceMs, transition } = record;
  if (billingMode === 'PROVISIONED' && onDemandSinceMs === undefined) return {};
  const isSwitching = transition?.status === 'CREATING' || transition?.change === 'billing-mode';
  const since = billingMode === 'PAY_PER_REQUEST' && isSwitching ? undefined : onDemandSinceMs;
  return {
    billingModeSummary: {
      billingMode,
      ...(since !== undefined && { lastUpdateToPayPerRequestDateTime: seconds(since) }),
    },
  };
}

/** -1 means a limit that was just removed, and appears only in the answer to the request that removes it. */
function describeOnDemand(throughput: OnDemandThroughput | undefined): OnDemandThroughput | undefined {
  const { maxReadRequestUnits, maxWriteRequestUnits } = throughput ?? {};
  if (maxReadRequestUnits === undefined && maxWriteRequestUnits === undefined) return undefined;
  return {
    ...(maxReadRequestUnits !== undefined && { maxReadRequestUnits }),
    ...(maxWriteRequestUnits !== undefined && { maxWriteRequestUnits }),
  };
}

function describeWarm(
  subject: Pick<TableRecord, 'warmThroughput'> & { readonly warmTransition?: WarmTransition },
  shown: TableRecord['warmThroughput'],
): WarmThroughputDescription | undefined {
  const { warmThroughput, warmTransition } = subject;
  if (warmThroughput === undefined) return undefined;
  return {
    ...(warmTransition?.shown ?? shown ?? warmThroughput),
    status: warmTransition === undefined ? 'ACTIVE' : 'UPDATING',
  };
}

function sorted<T>(elements: readonly T[], nameOf: (element: T) => string): readonly T[] {
  return elements.toSorted((a, b) => Buffer.compare(Buffer.from(nameOf(a)), Buffer.from(nameOf(b))));
}

/** Date-times are sent as seconds. */
function seconds(ms: number): number {
  return ms / 1000;
}
