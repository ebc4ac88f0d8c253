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
 * The beginning of an image, as a part of the decision that changes the record of its table: the log is switched on if it is
 * off, the image is entered as one of its readers, and its heads are raised to the moment whose state is wanted. Every item
 * write that is decided from then on is logged, and after that moment.
 */

/** A table's log as it was before a decision that changes it: which keys it takes is in the table's record. */
export class PresentChangeLog {
  readonly #table: Table | undefined;

  constructor(table: Table | undefined) {
    this.#table = table;
  }

  /** To be read by the decision: the heads of the log, none when it is off. */
  get keys(): readonly Buffer[] {
    const log = this.#table?.record.changeLog;
    return log === undefined ? [] : new OpenChangeLog(log.space).headKeys;
  }

  /**
   * The moment of the last change in any bucket, and not before `nowMs`.
   *
   * @param record - the table's present record.
   * @param heads - what was read under the keys.
   * @throws {StaleTableError} when the keys are not those that the record asks for.
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
 * @param options.at - `now`: all that has been committed before this decision, and nothing else. Or the state of a time, which
 *   the log must go back to.
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
    /** Where the image will lie: a space that was handed out for it. */
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
