import { encodeItem } from '../layout/item-codec.ts';
import { itemKeyOfKey } from '../catalog/item-key.ts';
import { writeItem } from '../items/write-item.ts';
import type { EngineServices } from '../services.ts';
import { StaleTableError } from '../catalog/catalog.ts';
import type { Table } from '../catalog/table.ts';
import type { ReplicaAnswer, ReplicatedChange, WriteMessage } from './replica-message.ts';
import { SupersededSignal } from '../followers/replication/replicated-write.ts';

type Written = Extract<ReplicaAnswer, { readonly kind: 'written' }>;

/**
 * Applies items that another region sends: the later version of each item wins. Indexes, counts, time to live and the stream
 * follow as with any write. An applied item becomes pending for the other replicas, but not for its sender.
 */
export async function receiveChanges(services: EngineServices, message: WriteMessage): Promise<Written> {
  let table = await replicaOf(services, message);
  const receiveOne = async (change: ReplicatedChange): Promise<void> => {
    if (table === undefined) return;
    try {
      await receive(services, table, message.sender, change);
    } catch (error) {
      if (error instanceof StaleTableError) table = await replicaOf(services, message);
      throw error;
    }
  };
  // Concurrently: a store commits such decisions in groups.
  await Promise.all(message.changes.map((change) => services.catalog.retryWhenStale(() => receiveOne(change))));
  return { kind: 'written', outcome: table === undefined ? 'unknown' : 'taken' };
}

async function receive(
  services: EngineServices,
  table: Table,
  sender: string,
  change: ReplicatedChange,
): Promise<void> {
  const { key, item, version } = change;
  try {
    await writeItem(services, {
      table,
      key: itemKeyOfKey(table, key),
      // The replica that accepted the write has checked it: its size, and the keys of the indexes that existed at the time.
      change: item === undefined ? { kind: 'delete' } : { kind: 'put', item: encodeItem(item) },
      condition: undefined,
      returnOldOnFailure: false,
      keepBefore: false,
      replicatedFrom: { sender, version },
    });
  } catch (error) {
    if (!(error instanceof SupersededSignal)) throw error;
  }
}

/** Unlike item operations, replication reaches a table that is CREATING, because it still has to be filled, or DELETING. */
async function replicaOf({ catalog }: EngineServices, message: WriteMessage): Promise<Table | undefined> {
  const table = await catalog.load(message, message.tableName);
  return table?.replication?.record.groupId === message.groupId ? table : undefined;
}
