import type { Condition, Update } from '../../expressions/index.ts';
import type { ItemKey } from '../catalog/item-key.ts';
import type { Table } from '../catalog/table.ts';
import type { EncodedItem } from '../layout/item-codec.ts';
import type { StoredItem } from '../layout/stored-item.ts';
import type { IndexChange } from './indexes/index-changes.ts';
import type { ReplicatedFrom } from './item-follower.ts';

/** One item to be written, or only looked at, under a condition. */
export interface ItemWrite {
  readonly table: Table;
  readonly key: ItemKey;
  readonly change: ItemChange;
  readonly condition: Condition | undefined;
  /** Whether a false condition hands back the item that made it false. */
  readonly returnOldOnFailure: boolean;
  /** Whether the outcome holds the item as it was before. */
  readonly keepBefore: boolean;
  /** Who makes the change, when it is not the sender of a request. */
  readonly userIdentity?: UserIdentity | undefined;
  /** Where the change was made, when it was made to a replica of the table in another region. */
  readonly replicatedFrom?: ReplicatedFrom | undefined;
}

/** The service itself, as its stream records name it. */
export interface UserIdentity {
  readonly type: 'Service';
  readonly principalId: 'dynamodb.amazonaws.com';
}

export type ItemChange =
  | { readonly kind: 'put'; readonly item: EncodedItem }
  | { readonly kind: 'update'; readonly update: Update | undefined }
  | { readonly kind: 'delete' }
  | { readonly kind: 'check' };

/** What a write did. The items have memory of their own. */
export interface ItemWriteOutcome {
  /** Only when asked for with `keepBefore`. */
  readonly before: StoredItem | undefined;
  readonly after: StoredItem | undefined;
  /** Units of the table itself, before any transactional factor. */
  readonly tableCapacityUnits: number;
  /** The larger of the two sizes, bytes: what the units were computed from. */
  readonly sizeBytes: number;
  /** By how much the item grew, bytes. */
  readonly sizeBytesDelta: number;
  readonly indexChanges: readonly IndexChange[];
  /** Size of the item collection after the write, bytes; only for tables with a local index. */
  readonly collectionSizeBytes: number | undefined;
}
