import { StorageError } from '../../storage/storage-error.ts';
import type { Store, StoreWrite } from '../../storage/store.ts';
import type { RequestContext } from '../environment.ts';
import { space, spaceStart, storeKey } from '../layout/spaces.ts';
import type { TableRecord } from '../tables/table-record.ts';

/*
 * The list of the tables that have a time to live, so that the sweep need not look through all tables. It is written by the
 * decisions that enable and disable it, and that delete the table.
 */

const listFormat = 1;

export interface TimeToLiveTable extends RequestContext {
  readonly tableName: string;
}

interface StoredTimeToLiveTable extends TimeToLiveTable {
  readonly format: typeof listFormat;
}

/** Puts a table on the list. */
export function listedTable({ accountId, region, tableName, itemSpace }: TableRecord): StoreWrite {
  const listed: StoredTimeToLiveTable = { format: listFormat, accountId, region, tableName };
  return { key: listKey(itemSpace), value: Buffer.from(JSON.stringify(listed), 'utf8') };
}

/** Takes a table off the list. */
export function unlistedTable({ itemSpace }: TableRecord): StoreWrite {
  return { key: listKey(itemSpace), value: undefined };
}

export async function listTimeToLiveTables(store: Store): Promise<readonly TimeToLiveTable[]> {
  const tables: TimeToLiveTable[] = [];
  await store.range({ from: spaceStart(space.timeToLive), to: spaceStart(space.timeToLive + 1) }, (_key, value) => {
    tables.push(decodeListed(value));
    return true;
  });
  return tables;
}

function listKey(itemSpace: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(itemSpace, 0);
  return storeKey(space.timeToLive, undefined, bytes);
}

function decodeListed(value: Uint8Array): StoredTimeToLiveTable {
  // The bytes were written by listedTable; the format number guards what the type promises.
  const listed = JSON.parse(Buffer.from(value).toString('utf8')) as StoredTimeToLiveTable;
  const format: number = listed.format;
  if (format !== listFormat) {
    throw new StorageError(
      'format',
      `The time to live of table ${listed.tableName} is listed in format ${format}, and this version of Singlet reads format ${listFormat}. Use the version that wrote it, or a newer one.`,
    );
  }
  return listed;
}
