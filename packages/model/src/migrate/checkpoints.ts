import type { TableInfo } from '../resolve/resolved.ts';
import type { StoredItem } from '../run/attribute-value.ts';
import type { Traffic } from './traffic.ts';
import { MigrationError } from './migration-error.ts';

/**
 * Where a migration stores its checkpoints: short texts by name. A write must be durable once it is acknowledged, and must be
 * atomic.
 */
export interface CheckpointStore {
  /** The text under a name; undefined if there is none. */
  read(name: string): Promise<string | undefined>;
  /** Replaces the text under a name. It is durable when the promise resolves. */
  write(name: string, text: string): Promise<void>;
}

/** The type of checkpoints. */
export const checkpointType: string = 'Migration';

/** Checkpoints as items of the table itself: `MIGRATION#<id>`, with their own type. */
export function tableCheckpoints(traffic: Traffic, table: TableInfo, id: string): CheckpointStore {
  const [partition] = table.place.partition;
  const [sort] = table.place.sort;
  if (partition === undefined || [partition, sort].some((key) => key !== undefined && key.type !== 'S'))
    throw new MigrationError(
      'no-checkpoint-key',
      `The key of ${table.name} is not text: keep the checkpoints in a file.`,
    );
  const { typeAttribute } = table;
  if (typeAttribute === undefined) {
    throw new MigrationError(
      'no-checkpoint-type',
      `The items of ${table.name} have no type to tell checkpoints from them: keep the checkpoints in a file.`,
    );
  }
  const TableName = traffic.tableName(table.name);
  const keyOf = (name: string): StoredItem =>
    sort === undefined
      ? { [partition.attribute]: { S: `MIGRATION#${id}#${name}` } }
      : { [partition.attribute]: { S: `MIGRATION#${id}` }, [sort.attribute]: { S: name } };
  return {
    read: async (name) => {
      const { Item } = await traffic.send({
        operation: 'GetItem',
        input: { TableName, Key: keyOf(name), ConsistentRead: true },
      });
      return (Item as StoredItem | undefined)?.['Checkpoint']?.S;
    },
    write: async (name, text) => {
      const Item = { ...keyOf(name), [typeAttribute]: { S: checkpointType }, Checkpoint: { S: text } };
      await traffic.send({ operation: 'PutItem', input: { TableName, Item } });
    },
  };
}
