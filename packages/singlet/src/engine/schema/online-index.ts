import type { GlobalIndexRecord, TableRecord, VectorIndexRecord } from '../catalog/table-record.ts';
import { namesOf } from './validate-key-schema.ts';

/** An index that can be added to and removed from a table with items, while the table is in use. */
export type OnlineIndexRecord = GlobalIndexRecord | VectorIndexRecord;

/** The global and the vector indexes of a table. */
export function onlineIndexes(record: TableRecord): readonly OnlineIndexRecord[] {
  return record.vectorIndexes === undefined ? record.globalIndexes : [...record.globalIndexes, ...record.vectorIndexes];
}

/** The index with this space; undefined if it is gone. */
export function onlineIndexIn(record: TableRecord, space: number): OnlineIndexRecord | undefined {
  return onlineIndexes(record).find((index) => index.space === space);
}

/** The record with one of its indexes replaced. */
export function withOnlineIndex(record: TableRecord, changed: OnlineIndexRecord): TableRecord {
  if ('journalSpace' in changed) {
    const vectorIndexes = (record.vectorIndexes ?? []).map((index) =>
      index.space === changed.space ? changed : index,
    );
    return { ...record, vectorIndexes };
  }
  const globalIndexes = record.globalIndexes.map((index) => (index.space === changed.space ? changed : index));
  return { ...record, globalIndexes };
}

/** The record without a removed index, and without the attribute definitions that only it used. */
export function withoutOnlineIndex(record: TableRecord, space: number): TableRecord {
  const { vectorIndexes: present = [], ...rest } = record;
  const globalIndexes = record.globalIndexes.filter((index) => index.space !== space);
  const vectorIndexes = present.filter((index) => index.space !== space);
  const used = new Set([
    ...[record, ...record.localIndexes, ...globalIndexes].flatMap(({ keySchema }) => namesOf(keySchema)),
    ...vectorIndexes.flatMap(({ searchSchema }) => namesOf(searchSchema ?? [])),
  ]);
  return {
    ...rest,
    globalIndexes,
    ...(vectorIndexes.length > 0 && { vectorIndexes }),
    attributeDefinitions: record.attributeDefinitions.filter(({ attributeName }) => used.has(attributeName)),
  };
}
