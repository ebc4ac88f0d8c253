import type { Condition, Update } from '../../expressions/index.ts';
import type { ItemKey } from '../catalog/item-key.ts';
import type { Table } from '../catalog/table.ts';
import type { EncodedItem } from '../layout/item-codec.ts';
import type { StoredItem } from '../layout/stored-item.ts';
import type { IndexChange } from './indexes/index-changes.ts';
import type { ReplicatedFrom } from './item-follower.ts';

/** One item to be written, or only checked against a condition. */
export interface ItemWrite {
  readonly table: Table;
  readonly key: ItemKey;
  readonly change: ItemChange;
  readonly condition: Condition | undefined;
  /** Whether a false condition returns the item that made it false. */
  readonly returnOldOnFailure: boolean;
  /** Whether the outcome holds the item as it was before. */
  readonly keepBefore: boolean;
  /** The maker of the change, unless it is the sender of a request. */
  readonly userIdentity?: UserIdentity | undefined;
  /** The origin of the change, if it was made to a replica of the table in another region. */
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

/** The result of a write. The items have memory of their own. */
export interface ItemWriteOutcome {
  /** Only when requested with `keepBefore`. */
  readonly before: StoredItem | undefined;
  readonly after: StoredItem | undefined;
  /** Units of the table itself, before any transactional factor. */
  readonly tableCapacityUnits: number;
  /** The larger of the two sizes, bytes: the units are computed from it. */
  readonly sizeBytes: number;
  /** By how much the item grew, bytes. */
  readonly sizeBytesDelta: number;
  readonly indexChanges: readonly IndexChange[];
  /** Size of the item collection after the write, bytes; only for tables with a local index. */
  readonly collectionSizeBytes: number | undefined;
}
