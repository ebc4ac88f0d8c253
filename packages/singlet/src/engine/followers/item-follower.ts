import type { Limits } from '../../values/limits.ts';
import type { StoreValue, StoreWrite } from '../../storage/store.ts';
import type { IndexChange } from './indexes/index-changes.ts';
import type { EncodedItem } from '../layout/item-codec.ts';
import type { ItemKey } from '../catalog/item-key.ts';
import type { StoredItem } from '../layout/stored-item.ts';
import type { Version } from '../catalog/item-version.ts';

/**
 * Something that is kept in step with the items of a table: index entries, counts, a stream, a log. A follower belongs to one
 * table, is made with it (`followers-of.ts`), and takes part in every decision that writes an item of the table:
 *
 *     plan      keyOf: which keys it wants read with the item
 *     decide    follow: (old item, new item, what was read) → what to write
 *
 * A decision may run again, so `follow` is pure: it keeps nothing, and takes the time from the change. Several items may be
 * written in one decision. A key that several of these writes want is read once and written once, and what one of them writes
 * there with {@link FollowedChange.replace} the next of them reads: a counter is counted on by reading and replacing it.
 *
 * Followers run in the order of their list, after the condition has held and the new item is known. When one throws, the item
 * is not written.
 *
 * Decision 0046 says why.
 */
export interface ItemFollower {
  /** How many keys it wants read for each item that is written. */
  readonly keyCount: number;
  /** Key number `n` of these, from 0, for the item with that store key. Absent where there are none. */
  keyOf?(itemKey: Buffer, n: number): Buffer;
  /**
   * Further keys that follow from the item as it is before the write. The item is read ahead of the decision for these; when
   * it changes in between, the decision is stale and is made again.
   */
  keysOfItem?(item: StoredItem, itemKey: Buffer): readonly Buffer[];
  /**
   * The last moment that the value under its first key has seen. Only of a follower that orders changes by a logical clock:
   * the moment of a decision comes after all of these.
   */
  momentSeen?(value: StoreValue): number;
  /**
   * Refuses what an update makes of an item.
   *
   * @throws {ValidationException}
   */
  checkUpdated?(before: StoredItem | undefined, after: EncodedItem, limits: Limits): void;
  /** Writes what follows from a change. Also called for a deletion of what is not there. */
  follow(change: FollowedChange): void;
}

/** The change of one item, as its followers see it. */
export interface FollowedChange {
  readonly key: ItemKey;
  /** On the store's memory: good until the decision ends. */
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
  /** What the change did to indexes: set by the follower that keeps them, for those after it and for the outcome. */
  indexChanges: readonly IndexChange[];
  /** Size of the item collection after the write, bytes; only in a table with a local index. */
  collectionSizeBytes: number | undefined;
  /** What the write is metered by, bytes: the larger of the two items, or less where there are vectors in them. */
  meteredSizeBytes: number;
  /** What is under the follower's own key number `n`, with what earlier writes of the decision put there. */
  read(n: number): StoreValue;
  /** Writes to the follower's own key number `n`, or removes what is there. */
  replace(n: number, value: Buffer | undefined): void;
  /**
   * What is under one of the keys of `keysOfItem`.
   *
   * @throws {StaleTableError} when it was not among them.
   */
  lookUp(key: Buffer): StoreValue;
  /** Writes to a key that was not read, or removes what is there. */
  write(write: StoreWrite): void;
}

/** Where a write comes from that was made in another region. */
export interface ReplicatedFrom {
  /** The region that sent it, which is not necessarily the one that made it. */
  readonly sender: string;
  readonly version: Version;
}
