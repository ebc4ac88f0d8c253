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
 * The backup that a table with point-in-time recovery leaves behind when it is deleted. It takes over the items where they lie:
 * they are not written to any more, so there is nothing to copy.
 */
export class DeletedTableBackup {
  readonly #table: Table | undefined;

  /** @param table - as it was before the decision that deletes it. */
  constructor(table: Table | undefined) {
    this.#table = table;
  }

  /** To be read by the decision. */
  get keys(): readonly Buffer[] {
    const record = this.#table?.record;
    return record?.changeLog?.recovery === undefined ? [] : statisticsKeys(record.itemSpace);
  }

  /**
   * The record of the backup; undefined when the table leaves none.
   *
   * @param record - the table's present record.
   * @param buckets - what was read under the keys.
   * @throws {StaleTableError} when the keys are not those that the record asks for.
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
