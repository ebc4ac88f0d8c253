import type { Limits } from '../../values/limits.ts';
import type { StoreValue, StoreWrite } from '../../storage/store.ts';
import { StaleTableError } from '../catalog/catalog.ts';
import { statisticsKeys } from '../catalog/statistics.ts';
import { Table } from '../catalog/table.ts';
import type { TableRecord } from '../catalog/table-record.ts';
import { backupIdOf } from './backup-arn.ts';
import { backupWrite, newBackupRecord } from './backup-record.ts';
import { statisticsOf } from './describe-backup.ts';

const dayMs = 24 * 60 * 60 * 1000;

/**
 * The backup that a table with point-in-time recovery leaves behind when it is deleted. It takes over the items in place:
 * no request writes to them any more, so nothing has to be copied.
 */
export class DeletedTableBackup {
  readonly #table: Table | undefined;

  /** @param table - the table before the decision that deletes it. */
  constructor(table: Table | undefined) {
    this.#table = table;
  }

  /** The keys that the decision must read. */
  get keys(): readonly Buffer[] {
    const record = this.#table?.record;
    return record?.changeLog?.recovery === undefined ? [] : statisticsKeys(record.itemSpace);
  }

  /**
   * The record of the backup; undefined when the table leaves none.
   *
   * @param record - the table's present record.
   * @param buckets - the values read under the keys.
   * @throws {StaleTableError} when the keys are not the ones that the record requires.
   */
  write(
    record: TableRecord,
    buckets: readonly StoreValue[],
    nowMs: number,
    { systemBackupDays }: Limits,
  ): StoreWrite | undefined {
    const known = this.#table?.record;
    const hasRecovery = record.changeLog?.recovery !== undefined;
    if (hasRecovery !== (known?.changeLog?.recovery !== undefined) || known?.itemSpace !== record.itemSpace) {
      throw new StaleTableError(this.#table ?? new Table(record));
    }
    if (!hasRecovery) return undefined;
    const { changeLog: _ended, ...table } = record;
    return backupWrite(
      newBackupRecord({
        accountId: record.accountId,
        region: record.region,
        backupId: backupIdOf(nowMs, '00000000'),
        backupName: `${record.tableName}$DeletedTableBackup`,
        type: 'SYSTEM',
        status: 'AVAILABLE',
        createdAtMs: nowMs,
        expiresAtMs: nowMs + systemBackupDays * dayMs,
        ...statisticsOf(record, buckets),
        imageSpace: record.itemSpace,
        table,
      }),
    );
  }
}
