import { StorageError } from '../../storage/storage-error.ts';
import { Table } from '../catalog/table.ts';
import { decodeTableRecord } from '../catalog/table-record.ts';
import { decodeStoredItem } from '../layout/item-codec.ts';
import { firstDataSpace, space, spaceOf } from '../layout/spaces.ts';

/*
 * What a single entry reveals, for the data of a store that can no longer be opened.
 */

/** A table, as far as its record tells where its items are. */
export interface FoundTable {
  readonly tableName: string;
  readonly itemSpace: number;
  /** The spaces of its indexes. */
  readonly derivedSpaces: readonly number[];
}

/** The table whose record this entry is; undefined for any other entry, and for a damaged record. */
export function tableOfEntry(key: Uint8Array, value: Uint8Array): FoundTable | undefined {
  if (spaceOf(key) !== space.tables) return undefined;
  const record = decoded(() => decodeTableRecord(key, value));
  if (record === undefined) return undefined;
  const { tableName, writtenIndexes } = new Table(record);
  return { tableName, itemSpace: record.itemSpace, derivedSpaces: writtenIndexes.map((index) => index.space) };
}

/**
 * The item in this entry; undefined for any other entry, and for a damaged item. If the record of its table is gone,
 * its space represents the table. That space may hold a copy of the items, or an index.
 */
export function itemOfEntry(
  key: Uint8Array,
  value: Uint8Array,
  tables: readonly FoundTable[],
): { readonly tableName: string; readonly text: string } | undefined {
  const spaceId = spaceOf(key);
  if (spaceId < firstDataSpace || tables.some(({ derivedSpaces }) => derivedSpaces.includes(spaceId))) return undefined;
  const item = decoded(() => decodeStoredItem(key, value));
  const tableName = tables.find(({ itemSpace }) => itemSpace === spaceId)?.tableName ?? `(space ${spaceId})`;
  return item && { tableName, text: item.json.toString('utf8') };
}

function decoded<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof StorageError) return undefined;
    throw error;
  }
}
