import { encodeItem } from '../items/item-codec.ts';
import { itemKeyOfKey } from '../items/item-key.ts';
import { writeItem } from '../items/write-item.ts';
import type { EngineServices } from '../services.ts';
import type { Table } from '../tables/table.ts';
import type { ReplicaAnswer, ReplicatedChange, WriteMessage } from './replica-message.ts';
import { SupersededSignal } from './replicated-write.ts';

type Written = Extract<ReplicaAnswer, { readonly kind: 'written' }>;

/**
 * Takes in items as they are in another region: of each, the later version holds. Indexes, counts, time to live and the stream
 * follow as with any write. What is taken in is owed to the further replicas, and not to the one that it came from.
 */
export async function receiveChanges(services: EngineServices, message: WriteMessage): Promise<Written> {
  let isKnown = true;
  await Promise.all(
    message.changes.map(async (change) => {
      const isTaken = await services.catalog.retryWhenStale(() => receive(services, message, change));
      if (!isTaken) isKnown = false;
    }),
  );
  return { kind: 'written', outcome: isKnown ? 'taken' : 'unknown' };
}

/** @returns whether the table is a replica. */
async function receive(services: EngineServices, message: WriteMessage, change: ReplicatedChange): Promise<boolean> {
  const table = await replicaOf(services, message);
  if (table === undefined) return false;
  const { key, item, version } = change;
  try {
    await writeItem(services, {
      table,
      key: itemKeyOfKey(table, key),
      // Whoever took the write has checked it: by its size, and by the keys of the indexes that were there at the time.
      change: item === undefined ? { kind: 'delete' } : { kind: 'put', item: encodeItem(item) },
      condition: undefined,
      returnOldOnFailure: false,
      keepBefore: false,
      replicatedFrom: { sender: message.sender, version },
    });
  } catch (error) {
    if (!(error instanceof SupersededSignal)) throw error;
  }
  return true;
}

/** Unlike item operations, replication reaches a table that is CREATING, because it has yet to be filled, or DELETING. */
async function replicaOf({ catalog }: EngineServices, message: WriteMessage): Promise<Table | undefined> {
  const table = await catalog.load(message, message.tableName);
  return table?.replication?.record.groupId === message.groupId ? table : undefined;
}
