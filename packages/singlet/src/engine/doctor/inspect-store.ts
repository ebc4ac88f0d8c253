import { StorageError } from '../../storage/storage-error.ts';
import type { Store } from '../../storage/store.ts';
import { accountUsageKey, changedUsage, decodeAccountUsage, encodeAccountUsage } from '../catalog/account-usage.ts';
import { decodeTableRecord } from '../catalog/table-record.ts';
import { fenceKey, fenceOf, Table } from '../catalog/table.ts';
import { recordText } from '../layout/record-codec.ts';
import { firstDataSpace, space, spaceStart } from '../layout/spaces.ts';
import type { Finding } from './finding.ts';
import { inspectStream } from './inspect-stream.ts';
import { inspectTable } from './inspect-table.ts';
import { Inspection, type InspectionOptions } from './inspection.ts';

/** Where records are stored, and what errors call them. The records of tables are inspected separately. */
export const recordSpaces: readonly (readonly [number, string])[] = [
  [space.purges, 'what is left of a deleted table'],
  [space.timeToLive, 'a table with a time to live'],
  [space.streams, 'a stream'],
  [space.backups, 'a backup'],
  [space.backupJobs, 'work on a backup'],
  [space.exports, 'an export'],
  [space.replicatedTables, 'a table with replicas'],
  [space.replication, 'a replication lease or copy'],
  [space.deliveries, 'a delivery of changes'],
  [space.deliveryLeases, 'the lease of a delivery'],
  [space.workLeases, 'a lease of background work'],
  [space.scaling, 'a scalable target'],
];

export interface StoreReport {
  readonly tableCount: number;
  /** The number of entries inspected: items, index entries, records. */
  readonly entryCount: number;
  readonly findings: readonly Finding[];
}

/**
 * Inspects a store: every record, every item, every index entry and expiry entry against its item and vice versa, counts, sizes
 * and streams. No other process may use the store meanwhile.
 *
 * Decision 0043 says why.
 */
export async function inspectStore(
  store: Store,
  options: Omit<InspectionOptions, 'onFinding'> & Partial<InspectionOptions>,
): Promise<StoreReport> {
  const findings: Finding[] = [];
  const inspection = new Inspection(store, {
    ...options,
    onFinding: (finding) => {
      findings.push(finding);
      options.onFinding?.(finding);
    },
  });
  const tables = await inspectTableRecords(inspection);
  for (const [spaceId, what] of recordSpaces) await inspectRecords(inspection, spaceId, what);
  for (const table of tables) {
    await inspectFence(inspection, table);
    if (table.record.transition?.status === 'DELETING') continue;
    await inspectTable(inspection, table);
    await inspectStream(inspection, table);
  }
  await inspectUsage(inspection, tables);
  return { tableCount: tables.length, entryCount: inspection.entryCount, findings };
}

async function inspectTableRecords(inspection: Inspection): Promise<readonly Table[]> {
  const tables: Table[] = [];
  await visit(inspection, space.tables, (key, value) => {
    try {
      tables.push(new Table(decodeTableRecord(key, value)));
    } catch (error) {
      reportRecord(inspection, key, 'a table: its items are still there, and cannot be told from others', error);
    }
  });
  return tables;
}

async function inspectRecords(inspection: Inspection, spaceId: number, what: string): Promise<void> {
  await visit(inspection, spaceId, (key, value) => {
    try {
      recordText(key, value);
    } catch (error) {
      reportRecord(inspection, key, what, error);
    }
  });
}

function reportRecord(inspection: Inspection, key: Buffer, what: string, error: unknown): void {
  if (!(error instanceof StorageError)) throw error;
  const message = error.code === 'format' ? error.message : `The record of ${what} does not match its checksum.`;
  inspection.found({ kind: 'record', outcome: 'loss', key: key.toString('hex'), message });
}

/** Operations rely on the fence, so it must match the record. */
async function inspectFence(inspection: Inspection, { record, tableName }: Table): Promise<void> {
  const key = fenceKey(record.accountId, record.region, record.tableName);
  const wanted = fenceOf(record);
  const isSound = await inspection.store.read([key], ([value]) => value !== undefined && wanted.equals(value));
  if (isSound) return;
  const message = `The fence of table ${tableName} is not that of its record.`;
  await inspection.repairable({ kind: 'record', table: tableName, message }, [{ key, value: wanted }]);
}

async function inspectUsage(inspection: Inspection, tables: readonly Table[]): Promise<void> {
  const accounts = new Map<string, Table[]>();
  for (const table of tables) {
    if (table.record.transition?.status === 'DELETING') continue;
    const { accountId, region } = table.record;
    const name = `${accountId} in ${region}`;
    accounts.set(name, [...(accounts.get(name) ?? []), table]);
  }
  for (const [name, its] of accounts) {
    const [first] = its as [Table];
    const key = accountUsageKey(first.record);
    const wanted = its.reduce((sum, { record }) => changedUsage(sum, undefined, record), decodeAccountUsage(undefined));
    const isSound = await inspection.store.read([key], ([value]) => {
      try {
        return JSON.stringify(decodeAccountUsage(value)) === JSON.stringify(wanted);
      } catch (error) {
        if (error instanceof StorageError) return false;
        throw error;
      }
    });
    if (isSound) continue;
    const message = `The usage of account ${name} is not that of its tables.`;
    await inspection.repairable({ kind: 'count', message }, [{ key, value: encodeAccountUsage(wanted) }]);
  }
}

/** All entries of one of the lists, copied. */
async function visit(
  inspection: Inspection,
  spaceId: number,
  look: (key: Buffer, value: Buffer) => void,
): Promise<void> {
  const entries: (readonly [Buffer, Buffer])[] = [];
  const to = spaceId + 1 < firstDataSpace ? spaceStart(spaceId + 1) : spaceStart(firstDataSpace);
  await inspection.store.range({ from: spaceStart(spaceId), to }, (key, value) => {
    entries.push([Buffer.from(key), Buffer.from(value)]);
    return true;
  });
  for (const [key, value] of entries) look(key, value);
  inspection.seen(entries.length);
}
