import type { Limits } from '../../values/limits.ts';
import type { StoreValue, StoreWrite } from '../../storage/store.ts';
import type { IndexChange } from './indexes/index-changes.ts';
import type { EncodedItem } from '../layout/item-codec.ts';
import type { ItemKey } from '../catalog/item-key.ts';
import type { StoredItem } from '../layout/stored-item.ts';
import type { Version } from '../catalog/item-version.ts';

/**
 * Derived data that changes together with the items of a table: index entries, counts, a stream, a log. A follower belongs to one
 * table, is created with it (`followers-of.ts`), and takes part in every decision that writes an item of the table:
 *
 *     plan      keyOf: the keys that it needs read with the item
 *     decide    follow: (old item, new item, values read) → writes
 *
 * A decision may run again, so `follow` is pure: it keeps no state, and takes the time from the change. Several items may be
 * written in one decision. A key that several of these writes need is read once and written once. A value that one of them writes
 * there with {@link FollowedChange.replace} is read by the next: a counter is incremented by reading and replacing it.
 *
 * Followers run in the order of their list, after the condition has held and the new item is known. When one throws, the item
 * is not written.
 *
 * Decision 0046 says why.
 */
export interface ItemFollower {
  /** How many keys the follower needs read for each item that is written. */
  readonly keyCount: number;
  /** Key number `n` of these, from 0, for the item with that store key. Absent if there are none. */
  keyOf?(itemKey: Buffer, n: number): Buffer;
  /**
   * Further keys that depend on the item before the write. The item is read ahead of the decision to find them. If
   * it changes before the decision, the decision is stale and is made again.
   */
  keysOfItem?(item: StoredItem, itemKey: Buffer): readonly Buffer[];
  /**
   * The last moment that the value under its first key has seen. Only for a follower that orders changes by a logical clock:
   * the moment of a decision comes after all of these.
   */
  momentSeen?(value: StoreValue): number;
  /**
   * Refuses the result of an update.
   *
   * @throws {ValidationException}
   */
  checkUpdated?(before: StoredItem | undefined, after: EncodedItem, limits: Limits): void;
  /** Makes the writes that follow from a change. Also called for the deletion of an item that does not exist. */
  follow(change: FollowedChange): void;
}

/** The change of one item, as its followers see it. */
export interface FollowedChange {
  readonly key: ItemKey;
  /** In the store's memory: valid until the decision ends. */
  readonly before: StoredItem | undefined;
  readonly after: EncodedItem | undefined;
  /** A time that was taken before the decision, milliseconds since 1970. */
  readonly nowMs: number;
  /** The decision's time on the logical clock of `moment.ts`; only for followers with `momentSeen`. */
  readonly moment: number;
  /** Whether the service itself makes the change: an item has expired. */
  readonly byService: boolean;
  readonly replicatedFrom: ReplicatedFrom | undefined;
  readonly limits: Limits;
  /** The index changes: set by the follower that maintains the indexes, for the followers after it and for the outcome. */
  indexChanges: readonly IndexChange[];
  /** Size of the item collection after the write, bytes; only in a table with a local index. */
  collectionSizeBytes: number | undefined;
  /** The size by which the write is metered, bytes: the larger of the two items, or less if there are vectors in them. */
  meteredSizeBytes: number;
  /** The value under the follower's own key number `n`, including earlier writes of the decision. */
  read(n: number): StoreValue;
  /** Writes to the follower's own key number `n`, or removes its entry. */
  replace(n: number, value: Buffer | undefined): void;
  /**
   * The value under one of the keys of `keysOfItem`.
   *
   * @throws {StaleTableError} when the key was not among them.
   */
  lookUp(key: Buffer): StoreValue;
  /** Writes to a key that was not read, or removes its entry. */
  write(write: StoreWrite): void;
}

/** The origin of a write that was made in another region. */
export interface ReplicatedFrom {
  /** The region that sent it, which is not necessarily the one that made it. */
  readonly sender: string;
  readonly version: Version;
}
