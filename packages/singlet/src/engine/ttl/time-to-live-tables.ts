import type { Store, StoreWrite } from '../../storage/store.ts';
import type { RequestContext } from '../environment.ts';
import { RecordCodec } from '../layout/record-codec.ts';
import { space, spaceStart, storeKey } from '../layout/spaces.ts';
import type { TableRecord } from '../catalog/table-record.ts';

/*
 * The list of tables that have a time to live, so that the sweep need not scan all tables. The
 * decisions that enable and disable it, and that delete the table, write it.
 */

const listFormat = 1;

export interface TimeToLiveTable extends RequestContext {
  readonly tableName: string;
}

interface StoredTimeToLiveTable extends TimeToLiveTable {
  readonly format: typeof listFormat;
}

const listedTables = new RecordCodec<StoredTimeToLiveTable>(
  listFormat,
  ({ tableName }) => `The time to live of table ${tableName}`,
);

/** Adds a table to the list. */
export function listedTable({ accountId, region, tableName, itemSpace }: TableRecord): StoreWrite {
  const listed: StoredTimeToLiveTable = { format: listFormat, accountId, region, tableName };
  return listedTables.write(listKey(itemSpace), listed);
}

/** Removes a table from the list. */
export function unlistedTable({ itemSpace }: TableRecord): StoreWrite {
  return { key: listKey(itemSpace), value: undefined };
}

export async function listTimeToLiveTables(store: Store): Promise<readonly TimeToLiveTable[]> {
  const tables: TimeToLiveTable[] = [];
  await store.range({ from: spaceStart(space.timeToLive), to: spaceStart(space.timeToLive + 1) }, (key, value) => {
    tables.push(listedTables.decode(key, value));
    return true;
  });
  return tables;
}

function listKey(itemSpace: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(itemSpace, 0);
  return storeKey(space.timeToLive, undefined, bytes);
}
