import type { Store, StoreWrite } from '../../storage/store.ts';
import type { RequestContext } from '../environment.ts';
import { RecordCodec } from '../layout/record-codec.ts';
import { space, spaceStart, storeKey } from '../layout/spaces.ts';
import type { TableRecord } from '../catalog/table-record.ts';

/*
 * The list of tables that have replicas, so that replication need not scan all tables. The decisions that make a table
 * a replica, or end its replication, write it.
 */

const listFormat = 1;

export interface ReplicatedTable extends RequestContext {
  readonly tableName: string;
  readonly itemSpace: number;
}

interface StoredReplicatedTable extends ReplicatedTable {
  readonly format: typeof listFormat;
}

const listedReplicas = new RecordCodec<StoredReplicatedTable>(
  listFormat,
  ({ tableName }) => `The replication of table ${tableName}`,
);

/** Adds a table to the list. */
export function listedReplica({ accountId, region, tableName, itemSpace }: TableRecord): StoreWrite {
  const listed: StoredReplicatedTable = { format: listFormat, accountId, region, tableName, itemSpace };
  return listedReplicas.write(listKey(itemSpace), listed);
}

/** Removes a table from the list. */
export function unlistedReplica({ itemSpace }: Pick<TableRecord, 'itemSpace'>): StoreWrite {
  return { key: listKey(itemSpace), value: undefined };
}

export async function listReplicatedTables(store: Store): Promise<readonly ReplicatedTable[]> {
  const tables: ReplicatedTable[] = [];
  const range = { from: spaceStart(space.replicatedTables), to: spaceStart(space.replicatedTables + 1) };
  await store.range(range, (key, value) => {
    const { format: _checked, ...table } = listedReplicas.decode(key, value);
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
