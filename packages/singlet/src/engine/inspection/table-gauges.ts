import { space, spaceStart } from '../layout/spaces.ts';
import { decodeTableRecord, type TableRecord } from '../catalog/table-record.ts';
import { capacityReport, type ResourceCapacityReport } from '../operations/capacity-report.ts';
import type { EngineServices } from '../services.ts';
import { ResourceNotFoundException } from '../../values/service-error.ts';
import { expiryReport } from './expiry-report.ts';
import { streamReport } from './stream-report.ts';

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
  for (const record of records) {
    const each = await gaugesOf(services, record);
    if (each !== undefined) gauges.push(each);
  }
  return gauges;
}

/** @returns undefined for a table that was deleted meanwhile. */
async function gaugesOf(services: EngineServices, record: TableRecord): Promise<TableGauges | undefined> {
  const { accountId, region, tableName, stream } = record;
  const context = { accountId, region };
  try {
    const { table, globalSecondaryIndexes } = await capacityReport(services, { tableName }, context);
    const { attributeName, due, oldestDueEpochMs } = await expiryReport(services, { tableName }, context);
    const shards = stream === undefined ? undefined : (await streamReport(services, { tableName }, context)).shards;
    return {
      accountId,
      region,
      tableName,
      resources: new Map([['', table], ...Object.entries(globalSecondaryIndexes)]),
      expired: attributeName === null ? undefined : { count: due, oldestEpochMs: oldestDueEpochMs },
      streamRecords: shards?.reduce((sum, { records: inShard }) => sum + inShard, 0),
    };
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}
