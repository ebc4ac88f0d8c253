import type { Limits } from '../../values/limits.ts';
import type { StoreValue, StoreWrite } from '../../storage/store.ts';
import { StaleTableError } from '../catalog/catalog.ts';
import type { SpaceCounter } from '../catalog/space-counter.ts';
import { Table } from '../catalog/table.ts';
import type { ChangeLogRecord, TableRecord } from '../catalog/table-record.ts';
import { tooManyReaders } from './backup-errors.ts';
import { firstStep, type ImageJob, jobWrite } from './backup-job.ts';
import { decodeHead, OpenChangeLog } from '../followers/recovery/recovery-log.ts';
import { firstMomentOf, lastMomentOf } from '../layout/moment.ts';

/*
 * The beginning of an image, as a part of the decision that changes the record of its table. The log is switched on if it is
 * off, the image is added to the log's readers, and the heads are raised to the moment of the image. From then on, every item
 * write that is decided is logged, with a later moment.
 */

/** A table's log before the decision that changes it. The table's record says which keys it has. */
export class PresentChangeLog {
  readonly #table: Table | undefined;

  constructor(table: Table | undefined) {
    this.#table = table;
  }

  /** The keys that the decision must read: the heads of the log, none when it is off. */
  get keys(): readonly Buffer[] {
    const log = this.#table?.record.changeLog;
    return log === undefined ? [] : new OpenChangeLog(log.space).headKeys;
  }

  /**
   * The moment of the last change in any bucket, but not before `nowMs`.
   *
   * @param record - the table's present record.
   * @param heads - the values read under the keys.
   * @throws {StaleTableError} when the keys are not the ones that the record requires.
   */
  lastMoment(record: TableRecord, heads: readonly StoreValue[], nowMs: number): number {
    const isSame = this.#table?.record.itemSpace === record.itemSpace;
    if (!isSame || this.#table?.record.changeLog?.space !== record.changeLog?.space) {
      throw new StaleTableError(this.#table ?? new Table(record));
    }
    return heads.reduce((last, head) => Math.max(last, decodeHead(head)), firstMomentOf(nowMs));
  }
}

export interface BegunImage {
  readonly record: TableRecord;
  readonly writes: readonly StoreWrite[];
}

/**
 * @param options.at - `now`: exactly what has been committed before this decision. Or the state at a time, which
 *   the log must reach back to.
 * @throws {StaleTableError} as {@link PresentChangeLog.lastMoment}.
 * @throws {LimitExceededException}
 */
export function beginImage(
  record: TableRecord,
  options: {
    readonly at: 'now' | { readonly ms: number };
    readonly nowMs: number;
    readonly log: PresentChangeLog;
    readonly heads: readonly StoreValue[];
    readonly spaces: SpaceCounter;
    /** The space allocated for the image. */
    readonly imageSpace: number;
    readonly changes?: ImageJob['changes'];
    readonly owner: ImageJob['owner'];
    readonly limits: Limits;
  },
): BegunImage {
  const { at, nowMs, log, heads, spaces, imageSpace, changes, owner, limits } = options;
  const last = log.lastMoment(record, heads, nowMs);
  const after = at === 'now' ? last : lastMomentOf(at.ms);
  const changeLog: ChangeLogRecord = record.changeLog ?? { space: spaces.next(), readers: [] };
  if (changeLog.readers.length >= limits.changeLogReaderCountMax) {
    throw tooManyReaders(record.tableName, limits.changeLogReaderCountMax);
  }
  const job: ImageJob = {
    ...firstStep,
    kind: 'image',
    accountId: record.accountId,
    region: record.region,
    tableName: record.tableName,
    itemSpace: record.itemSpace,
    logSpace: changeLog.space,
    after,
    imageSpace,
    ...(changes !== undefined && { changes }),
    phase: 'copying',
    bucket: 0,
    itemCount: 0,
    sizeBytes: 0,
    owner,
  };
  return {
    record: {
      ...record,
      changeLog: { ...changeLog, readers: [...changeLog.readers, { imageSpace, after: changes?.after ?? after }] },
    },
    writes: [...new OpenChangeLog(changeLog.space).headWrites(Math.max(last, after)), jobWrite(job)],
  };
}
