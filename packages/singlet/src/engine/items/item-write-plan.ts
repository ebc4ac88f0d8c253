import { assert } from '../../values/assert.ts';
import { writeCapacityUnits } from '../../values/capacity-units.ts';
import { invariantsAreOn, mayTakeFastPath } from '../../values/invariants.ts';
import type { Limits } from '../../values/limits.ts';
import { ConditionalCheckFailedException } from '../../values/service-error.ts';
import type { Update } from '../../expressions/index.ts';
import type { Store, StoreValue, StoreWrite } from '../../storage/store.ts';
import type { ItemChange, ItemWrite, ItemWriteOutcome } from '../followers/item-write.ts';
import { followersOf } from '../followers/followers-of.ts';
import type { ItemFollower } from '../followers/item-follower.ts';
import { firstMomentOf } from '../layout/moment.ts';
import { checkFence, StaleTableError } from '../catalog/catalog.ts';
import type { Table } from '../catalog/table.ts';
import { DecidedChange, WriteDraft } from './decided-change.ts';
import { checkItemRead, checkItemWritten } from './item-invariants.ts';
import {
  changeStoredItem,
  type DecodeItem,
  type EncodedItem,
  encodeItem,
  encodeStoredItem,
  itemDecoder,
  itemKeeper,
  type KeepItem,
  readsOwnMemory,
} from '../layout/item-codec.ts';
import type { ItemKey } from '../catalog/item-key.ts';
import { updatedItemTooLarge } from '../followers/item-too-large.ts';
import type { StoredItem } from '../layout/stored-item.ts';

const emptyItem = { getAttribute: (): undefined => undefined };

/**
 * Plans writes of one or several items as one decision of the store.
 *
 * The table's followers make all writes other than the item itself (index entries, counts, streams, logs); see
 * `followers/item-follower.ts`. This code is independent of the followers. Keys that several writes share are read once
 * and written once.
 */
export class ItemWritePlan {
  readonly keys: Buffer[] = [];
  readonly #writes: readonly ItemWrite[];
  readonly #limits: Limits;
  readonly #decode: DecodeItem;
  readonly #keep: KeepItem;
  readonly #isInMemory: boolean;
  readonly #nowMs: number;
  readonly #fences: { readonly table: Table; readonly at: number }[] = [];
  /** For each write, the places of the keys that its followers read; the item's own place is last. */
  readonly #places: readonly (readonly number[])[];
  /** Places of the keys whose values the logical clock of the decision must exceed; undefined if there are none. */
  #clocks: { readonly follower: ItemFollower; readonly at: number }[] | undefined;
  /** Places, by name, of keys that depend on the items' present state; undefined if there are none. */
  #lookedAhead: Map<string, number> | undefined;

  /** Whether several writes may need one key. */
  readonly #isShared: boolean;

  /** @param nowMs - the time of the changes, for their followers. */
  constructor(
    writes: readonly ItemWrite[],
    { limits, store }: { readonly limits: Limits; readonly store: Pick<Store, 'manifest'> },
    nowMs: number,
  ) {
    this.#writes = writes;
    this.#limits = limits;
    this.#decode = itemDecoder(store);
    this.#keep = itemKeeper(store);
    this.#isInMemory = readsOwnMemory(store) && mayTakeFastPath();
    this.#nowMs = nowMs;
    // Fast path of a single write: it shares no key with another. The result is the same (followers/followers.test.ts).
    const shared = writes.length === 1 && mayTakeFastPath() ? undefined : new Map<string, number>();
    this.#isShared = shared !== undefined;
    this.#places = writes.map((write) => this.#plan(write, shared));
  }

  #plan({ table, key, change }: ItemWrite, shared: Map<string, number> | undefined): readonly number[] {
    if (!this.#fences.some((fence) => fence.table === table)) {
      this.#fences.push({ table, at: this.#append(table.fenceKey) });
    }
    const places: number[] = [];
    if (change.kind !== 'check') {
      for (const follower of followersOf(table).all) this.#planFollower(follower, key.storeKey, shared, places);
    }
    // After the others: a store need not copy the last value that it reads, and this is the largest.
    places.push(this.#append(key.storeKey));
    return places;
  }

  #planFollower(
    follower: ItemFollower,
    itemKey: Buffer,
    shared: Map<string, number> | undefined,
    places: number[],
  ): void {
    for (let n = 0; n < follower.keyCount; n += 1) {
      const key = follower.keyOf?.(itemKey, n);
      assert(key !== undefined, 'a follower that counts keys names them');
      const at = shared === undefined ? this.#append(key) : this.#appendShared(key, shared);
      places.push(at);
      if (n === 0 && follower.momentSeen !== undefined) (this.#clocks ??= []).push({ follower, at });
    }
  }

  #appendShared(key: Buffer, shared: Map<string, number>): number {
    const name = key.toString('latin1');
    const known = shared.get(name);
    if (known !== undefined) return known;
    const at = this.#append(key);
    shared.set(name, at);
    return at;
  }

  /** Whether {@link prepare} has anything to do. */
  get needsPreparation(): boolean {
    return this.#writes.some(looksAhead);
  }

  /**
   * Called before the keys are read, if followers need keys that depend on the items' present state: reads the items and
   * adds these keys. If an item changes before the decision, the decision is stale.
   */
  async prepare(store: Store): Promise<void> {
    const writes = this.#writes.filter(looksAhead);
    if (writes.length === 0) return;
    const itemKeys = writes.map(({ key }) => key.storeKey);
    const keys = await store.read(itemKeys, (values) =>
      writes.flatMap(({ table, key }, at) => {
        const value = values[at];
        if (value === undefined) return [];
        const item = this.#decode(key.storeKey, value);
        return followersOf(table).lookingAhead.flatMap((follower) => follower.keysOfItem?.(item, key.storeKey) ?? []);
      }),
    );
    this.#lookedAhead = new Map();
    for (const key of keys) this.#lookedAhead.set(key.toString('latin1'), this.#append(key));
  }

  /**
   * Decides all writes, given the values read. Pure: only its result outlives the call.
   *
   * @param onRefusal - receives the error and the index of a write that is refused; if it throws, the decision ends. It may
   *   also return, to receive further refusals: then the caller must not use the writes of this decision.
   * @throws {StaleTableError} when a table has changed since it was resolved, or an item since {@link prepare}.
   */
  decide(
    values: readonly StoreValue[],
    onRefusal: (error: unknown, index: number) => void,
  ): { readonly writes: StoreWrite[]; readonly outcomes: readonly ItemWriteOutcome[] } {
    for (const { table, at } of this.#fences) checkFence(table, values[at]);
    const outcomes: ItemWriteOutcome[] = [];
    const draft = new WriteDraft({
      keys: this.keys,
      values,
      lookedAhead: this.#lookedAhead,
      isShared: this.#isShared,
      limits: this.#limits,
      nowMs: this.#nowMs,
      moment: this.#moment(values),
    });
    this.#writes.forEach((write, index) => {
      try {
        // Each write has its places, and that of the item is among them.
        outcomes.push(this.#decideOne(write, this.#places[index] as readonly number[], values, draft));
      } catch (error) {
        if (error instanceof StaleTableError) throw error;
        onRefusal(error, index);
      }
    });
    return { writes: draft.finish(), outcomes };
  }

  /** The time of the decision on the logical clock: not before now, and after everything that is logged. */
  #moment(values: readonly StoreValue[]): number {
    let moment = firstMomentOf(this.#nowMs);
    if (this.#clocks === undefined) return moment;
    for (const { follower, at } of this.#clocks) {
      moment = Math.max(moment, (follower.momentSeen?.(values[at]) ?? 0) + 1);
    }
    return moment;
  }

  #append(key: Buffer): number {
    return this.keys.push(key) - 1;
  }

  #decideOne(
    write: ItemWrite,
    places: readonly number[],
    values: readonly StoreValue[],
    draft: WriteDraft,
  ): ItemWriteOutcome {
    const { table, key, change } = write;
    const storedBefore = values[places[places.length - 1] as number];
    // In the store's memory: read here, copied before it is returned.
    const before = storedBefore && this.#decode(key.storeKey, storedBefore);
    if (before !== undefined && invariantsAreOn()) checkItemRead(table, key.storeKey, before);
    if (write.condition !== undefined && !draft.holds(write.condition, before ?? emptyItem)) {
      throw new ConditionalCheckFailedException(
        write.returnOldOnFailure ? before?.toMap() : undefined,
        before?.sizeBytes,
      );
    }
    const keptBefore = write.keepBefore && before !== undefined ? this.#keep(before) : undefined;
    if (change.kind === 'check') {
      const sizeBytes = before?.sizeBytes ?? 0;
      const tableCapacityUnits = writeCapacityUnits(sizeBytes, false);
      return {
        before: keptBefore,
        after: undefined,
        tableCapacityUnits,
        sizeBytes,
        sizeBytesDelta: 0,
        indexChanges: [],
        collectionSizeBytes: undefined,
      };
    }
    const after = this.#itemAfter(write, change, before);
    if (this.#isInMemory) after?.storeInMemory();
    if (after !== undefined && invariantsAreOn()) checkItemWritten(table, key.storeKey, after);
    const decided = new DecidedChange(draft, places, write, { before, after });
    decided.follow(followersOf(table).all);
    if (after !== undefined || before !== undefined) {
      draft.writes.push({ key: key.storeKey, value: after?.storedUnder(key.storeKey) });
    }
    return {
      before: keptBefore,
      after,
      tableCapacityUnits: writeCapacityUnits(decided.meteredSizeBytes, false),
      sizeBytes: decided.sizeBytes,
      sizeBytesDelta: (after?.sizeBytes ?? 0) - (before?.sizeBytes ?? 0),
      indexChanges: decided.indexChanges,
      collectionSizeBytes: decided.collectionSizeBytes,
    };
  }

  #itemAfter(
    { key, table }: ItemWrite,
    change: Exclude<ItemChange, { readonly kind: 'check' }>,
    before: StoredItem | undefined,
  ): EncodedItem | undefined {
    switch (change.kind) {
      case 'put':
        return change.item;
      case 'delete':
        return undefined;
      case 'update': {
        if (before === undefined && change.update?.createsItem === false) return undefined;
        const after = updatedItem(change.update, before, key);
        if (after.sizeBytes > this.#limits.itemSizeBytesMax) throw updatedItemTooLarge();
        for (const follower of followersOf(table).checking) follower.checkUpdated?.(before, after, this.#limits);
        return after;
      }
    }
  }
}

/** Whether a follower needs keys that depend on the item's present state. */
function looksAhead({ table, change }: ItemWrite): boolean {
  return change.kind !== 'check' && followersOf(table).lookingAhead.length > 0;
}

function updatedItem(update: Update | undefined, before: StoredItem | undefined, { attributes }: ItemKey): EncodedItem {
  if (before === undefined) return encodeItem(update === undefined ? attributes : update.apply(attributes));
  return update === undefined ? encodeStoredItem(before) : changeStoredItem(before, update.changes(before));
}
