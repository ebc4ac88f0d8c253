import type { StoreWrite } from '../../storage/store.ts';
import { spacePurgeWrite } from '../tables/purge.ts';
import type { ChangeLogRecord, TableRecord } from '../catalog/table-record.ts';

/** The table's record with another log, and the further writes: a log that is no longer needed is removed. */
export function withChangeLog(
  record: TableRecord,
  changeLog: ChangeLogRecord,
): { readonly record: TableRecord; readonly writes: readonly StoreWrite[] } {
  if (changeLog.recovery !== undefined || changeLog.readers.length > 0) {
    return { record: { ...record, changeLog }, writes: [] };
  }
  const { changeLog: _unneeded, ...rest } = record;
  return { record: rest, writes: [spacePurgeWrite(record, changeLog.space)] };
}
