import type { GlobalIndexRecord, TableRecord, VectorIndexRecord } from './table-record.ts';

/**
 * The record without the transitions that have ended. Statuses end by the clock, and their end is not written to the store,
 * so a change of the record clears them first: every remaining transition is in progress.
 */
export function settleRecord(record: TableRecord, nowMs: number): TableRecord {
  const ended = (transition: { readonly untilMs: number } | undefined): boolean =>
    transition !== undefined && transition.untilMs <= nowMs;
  const { transition, warmTransition, sseUpdatingUntilMs, ...rest } = record;
  return {
    ...rest,
    globalIndexes: record.globalIndexes.map((index) => settleIndex(index, ended)),
    ...(record.vectorIndexes !== undefined && {
      vectorIndexes: record.vectorIndexes.map((index) => settleVectorIndex(index, ended)),
    }),
    ...(transition !== undefined && !ended(transition) && { transition }),
    ...(warmTransition !== undefined && !ended(warmTransition) && { warmTransition }),
    ...(sseUpdatingUntilMs !== undefined && sseUpdatingUntilMs > nowMs && { sseUpdatingUntilMs }),
  };
}

function settleIndex(
  index: GlobalIndexRecord,
  ended: (transition: { readonly untilMs: number } | undefined) => boolean,
): GlobalIndexRecord {
  const { transition, warmTransition, ...rest } = index;
  return {
    ...rest,
    ...(transition !== undefined && !ended(transition) && { transition }),
    ...(warmTransition !== undefined && !ended(warmTransition) && { warmTransition }),
  };
}

function settleVectorIndex(
  index: VectorIndexRecord,
  ended: (transition: { readonly untilMs: number } | undefined) => boolean,
): VectorIndexRecord {
  const { transition, ...rest } = index;
  return { ...rest, ...(transition !== undefined && !ended(transition) && { transition }) };
}
