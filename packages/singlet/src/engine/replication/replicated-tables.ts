import { StorageError } from '../../storage/storage-error.ts';
import type { Store, StoreWrite } from '../../storage/store.ts';
import type { RequestContext } from '../environment.ts';
import { space, spaceStart, storeKey } from '../layout/spaces.ts';
import type { TableRecord } from '../tables/table-record.ts';

/*
 * The list of the tables that have replicas, so that replication need not look through all tables. It is written by the
 * decisions that make a table a replica, or end that.
 */

const listFormat = 1;

export interface ReplicatedTable extends RequestContext {
  readonly tableName: string;
  readonly itemSpace: number;
}

interface StoredReplicatedTable extends ReplicatedTable {
  readonly format: typeof listFormat;
}

/** Puts a table on the list. */
export function listedReplica({ accountId, region, tableName, itemSpace }: TableRecord): StoreWrite {
  const listed: StoredReplicatedTable = { format: listFormat, accountId, region, tableName, itemSpace };
  return { key: listKey(itemSpace), value: Buffer.from(JSON.stringify(listed), 'utf8') };
}

/** Takes a table off the list. */
export function unlistedReplica({ itemSpace }: Pick<TableRecord, 'itemSpace'>): StoreWrite {
  return { key: listKey(itemSpace), value: undefined };
}

export async function listReplicatedTables(store: Store): Promise<readonly ReplicatedTable[]> {
  const tables: ReplicatedTable[] = [];
  const range = { from: spaceStart(space.replicatedTables), to: spaceStart(space.replicatedTables + 1) };
  await store.range(range, (_key, value) => {
    const { format: _checked, ...table } = decodeListed(value);
    tables.push(table);
    return true;
  });
  return tables;
}

function listKey(itemSpace: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(itemSpace, 0);
  return storeKey(space.replicatedTables, undefined, bytes);
}

function decodeListed(value: Uint8Array): StoredReplicatedTable {
  // The bytes were written by listedReplica; the format number guards what the type promises.
  const listed = JSON.parse(Buffer.from(value).toString('utf8')) as StoredReplicatedTable;
  const format: number = listed.format;
  if (format !== listFormat) {
    throw new StorageError(
      'format',
      `The replication of table ${listed.tableName} is listed in format ${format}, and this version of Singlet reads format ${listFormat}. Use the version that wrote it, or a newer one.`,
    );
  }
  return listed;
}
