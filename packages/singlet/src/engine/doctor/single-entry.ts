import { StorageError } from '../../storage/storage-error.ts';
import { Table } from '../catalog/table.ts';
import { decodeTableRecord } from '../catalog/table-record.ts';
import { decodeStoredItem } from '../layout/item-codec.ts';
import { firstDataSpace, space, spaceOf } from '../layout/spaces.ts';

/*
 * What an entry is by itself, for data whose store can no longer be opened.
 */

/** A table, as far as its record tells where its items are. */
export interface FoundTable {
  readonly tableName: string;
  readonly itemSpace: number;
  /** Of its indexes. */
  readonly derivedSpaces: readonly number[];
}

/** The table whose record an entry is; undefined of any other entry, and of a record that is damaged. */
export function tableOfEntry(key: Uint8Array, value: Uint8Array): FoundTable | undefined {
  if (spaceOf(key) !== space.tables) return undefined;
  const record = decoded(() => decodeTableRecord(key, value));
  if (record === undefined) return undefined;
  const { tableName, writtenIndexes } = new Table(record);
  return { tableName, itemSpace: record.itemSpace, derivedSpaces: writtenIndexes.map((index) => index.space) };
}

/**
 * The item that an entry is; undefined of any other entry, and of an item that is damaged. Where the record of its table is gone,
 * its space represents the table; that may be a copy of the items, or an index.
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
