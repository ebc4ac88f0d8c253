import { space, spaceStart } from '../layout/spaces.ts';
import { decodeTableRecord, type TableRecord } from '../catalog/table-record.ts';
import { capacityReport, type ResourceCapacityReport } from '../operations/capacity-report.ts';
import type { EngineServices } from '../services.ts';
import { ResourceNotFoundException } from '../../values/service-error.ts';
import { expiryReport } from './expiry-report.ts';
import { type DeliveryLags, deliveryLags } from '../kinesis/delivery-lags.ts';
import { streamReport } from './stream-report.ts';
import { checkpointTables, readersAmong, type StreamReaderReport } from './stream-readers.ts';

/** The gauges of one table. */
export interface TableGauges {
  readonly accountId: string;
  readonly region: string;
  readonly tableName: string;
  /** The table with its local indexes, under the empty name, and its global indexes under their names. */
  readonly resources: ReadonlyMap<string, ResourceCapacityReport>;
  /** Items that have expired but still exist, counted up to 10,000; undefined if time to live is off. */
  readonly expired: { readonly count: number; readonly oldestEpochMs: number | null } | undefined;
  /** Records of the stream that can be read; undefined without a stream. */
  readonly streamRecords: number | undefined;
  /** The readers of the stream that keep their checkpoints in this database. */
  readonly streamReaders: readonly StreamReaderReport[];
  /** The age of the oldest change that was not delivered to Kinesis yet, milliseconds: 0 if there is none; undefined without a destination. */
  readonly kinesisLagMs: number | undefined;
}

/** Measures the tables of all accounts and regions, up to a number of them, in the order of the store. */
export async function tableGauges(services: EngineServices, tablesMax: number): Promise<readonly TableGauges[]> {
  const records: TableRecord[] = [];
  const range = { from: spaceStart(space.tables), to: spaceStart(space.tables + 1) };
  await services.store.range(range, (key, value) => {
    records.push(decodeTableRecord(key, value));
    return records.length < tablesMax;
  });
  const gauges: TableGauges[] = [];
  const lags = await deliveryLags(services);
  const checkpoints = new Map<string, readonly string[]>();
  for (const record of records) {
    const { accountId, region, stream } = record;
    const place = `${accountId} ${region}`;
    if (stream !== undefined && !checkpoints.has(place)) {
      checkpoints.set(place, await checkpointTables(services, { accountId, region }));
    }
    const each = await gaugesOf(services, record, { lags, checkpointTables: checkpoints.get(place) ?? [] });
    if (each !== undefined) gauges.push(each);
  }
  return gauges;
}

/** @returns undefined for a table that was deleted meanwhile. */
async function gaugesOf(
  services: EngineServices,
  record: TableRecord,
  { lags, checkpointTables: tables }: { readonly lags: DeliveryLags; readonly checkpointTables: readonly string[] },
): Promise<TableGauges | undefined> {
  const { accountId, region, tableName, stream } = record;
  const context = { accountId, region };
  try {
    const { table, globalSecondaryIndexes } = await capacityReport(services, { tableName }, context);
    const { attributeName, due, oldestDueEpochMs } = await expiryReport(services, { tableName }, context);
    const shards = stream === undefined ? undefined : (await streamReport(services, { tableName }, context)).shards;
    const readers =
      stream === undefined ? [] : await readersAmong(services, { tableName, checkpointTables: tables }, context);
    return {
      accountId,
      region,
      tableName,
      resources: new Map([['', table], ...Object.entries(globalSecondaryIndexes)]),
      expired: attributeName === null ? undefined : { count: due, oldestEpochMs: oldestDueEpochMs },
      streamRecords: shards?.reduce((sum, { records: inShard }) => sum + inShard, 0),
      streamReaders: readers,
      kinesisLagMs: lags.of(record),
    };
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}
