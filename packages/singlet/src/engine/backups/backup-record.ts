import type { StoreValue, StoreWrite } from '../../storage/store.ts';
import type { RequestContext } from '../environment.ts';
import { textHash } from '../layout/partition-hash.ts';
import { RecordCodec } from '../layout/record-codec.ts';
import { space, storeKey } from '../layout/spaces.ts';
import type { TableRecord } from '../catalog/table-record.ts';
import { backupArnOf } from './backup-arn.ts';

/** The version of the stored form below. A record of another version is refused. */
const backupRecordFormat = 1;

/** The stored record of a backup. It outlives the table. */
export interface BackupRecord {
  readonly format: typeof backupRecordFormat;
  readonly accountId: string;
  readonly region: string;
  readonly backupId: string;
  readonly backupName: string;
  /** `SYSTEM`: made when a table with point-in-time recovery was deleted. */
  readonly type: 'USER' | 'SYSTEM';
  /** `CREATING`: its image is not complete yet. */
  readonly status: 'CREATING' | 'AVAILABLE';
  readonly createdAtMs: number;
  readonly expiresAtMs?: number;
  readonly itemCount: number;
  readonly sizeBytes: number;
  /** The space of its items, whose keys otherwise equal those in the table. */
  readonly imageSpace: number;
  /** The table's record at the time of the backup. */
  readonly table: TableRecord;
  /** The table that is being restored from it. */
  readonly restoringTo?: { readonly region: string; readonly tableName: string };
}

export type NewBackup = Omit<BackupRecord, 'format'>;

export function newBackupRecord(backup: NewBackup): BackupRecord {
  return { format: backupRecordFormat, ...backup };
}

export function arnOfBackup(backup: BackupRecord): string {
  return backupArnOf(backup, { tableName: backup.table.tableName, backupId: backup.backupId });
}

/** Follows the name of the table in a key. No name contains this byte. */
const endOfName = Uint8Array.of(0);
const afterEndOfName = Uint8Array.of(1);
const afterAllNames = Uint8Array.of(0xff);

export function backupKey({ accountId, region }: RequestContext, tableName: string, backupId: string): Buffer {
  const name = Buffer.from(tableName, 'utf8');
  return storeKey(space.backups, textHash(accountId, region), name, endOfName, Buffer.from(backupId, 'utf8'));
}

/** The keys of the backups of an account in a region, or of tables with one name: by name, then by age. */
export function backupKeys(
  { accountId, region }: RequestContext,
  tableName?: string,
): { readonly from: Buffer; readonly to: Buffer } {
  const hash = textHash(accountId, region);
  if (tableName === undefined) {
    return { from: storeKey(space.backups, hash), to: storeKey(space.backups, hash, afterAllNames) };
  }
  const name = Buffer.from(tableName, 'utf8');
  return {
    from: storeKey(space.backups, hash, name, endOfName),
    to: storeKey(space.backups, hash, name, afterEndOfName),
  };
}

const backupRecords = new RecordCodec<BackupRecord>(backupRecordFormat, ({ backupName }) => `Backup ${backupName}`);

export function backupWrite(backup: BackupRecord): StoreWrite {
  return backupRecords.write(backupKey(backup, backup.table.tableName, backup.backupId), backup);
}

/**
 * The backup whose value was read; undefined when there is none, or it has expired.
 *
 * @throws {StorageError} as {@link decodeBackupRecord}.
 */
export function presentBackup(key: Uint8Array, value: StoreValue, nowMs: number): BackupRecord | undefined {
  const backup = value === undefined ? undefined : decodeBackupRecord(key, value);
  return backup === undefined || isExpired(backup, nowMs) ? undefined : backup;
}

export function isExpired({ expiresAtMs }: BackupRecord, nowMs: number): boolean {
  return expiresAtMs !== undefined && expiresAtMs <= nowMs;
}

/** @throws {StorageError} as {@link RecordCodec.decode}. */
export function decodeBackupRecord(key: Uint8Array, value: Uint8Array): BackupRecord {
  return backupRecords.decode(key, value);
}
