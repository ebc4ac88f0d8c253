import { assert } from '../../values/assert.ts';
import { writeCapacityUnits } from '../../values/capacity-units.ts';
import { attributeValuesEqual } from '../../values/compare.ts';
import type { Limits } from '../../values/limits.ts';
import {
  ConditionalCheckFailedException,
  ItemCollectionSizeLimitExceededException,
  ValidationException,
} from '../../values/service-error.ts';
import type { Condition, Update } from '../../expressions/index.ts';
import type { Store, StoreValue, StoreWrite } from '../../storage/store.ts';
import { LoggedChanges } from '../backups/logged-changes.ts';
import { attributesReadBy, checkUpdatedIndexKeys } from '../indexes/check-index-keys.ts';
import { indexEntryKey, localEntriesSizeBytes } from '../indexes/index-entry.ts';
import { type IndexChange, indexChanges } from '../indexes/index-changes.ts';
import { hashOf, space, storeKey } from '../layout/spaces.ts';
import { type ReplicatedFrom, replicatedWrites } from '../replication/replicated-write.ts';
import type { OpenShard, OpenStream } from '../streams/open-stream.ts';
import { RecordedChanges } from '../streams/recorded-changes.ts';
import { checkFence, StaleTableError } from '../tables/catalog.ts';
import { StatisticsDelta, statisticsBucket, statisticsKey } from '../tables/statistics.ts';
import type { Table } from '../tables/table.ts';
import { expiryChanges } from '../ttl/expiry-index.ts';
import { vectorDiscountBytes } from '../vectors/vector-entry.ts';
import { JournalledChanges, journalHeadKey } from '../vectors/vector-journal.ts';
import {
  changeStoredItem,
  copyStoredItem,
  decodeStoredItem,
  type EncodedItem,
  encodeItem,
  encodeStoredItem,
} from './item-codec.ts';
import type { ItemKey } from './item-key.ts';
import type { StoredItem } from './stored-item.ts';

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
  /** Who makes the change, when it is not whoever sent a request. */
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

/** What a write did. The items stand on memory of their own. */
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

const emptyItem = { getAttribute: (): undefined => undefined };

/**
 * Plans writes of one or several items as one decision of the store.
 *
 * Keys that several writes share (fences, statistics, collection sizes, heads of stream shards) are read once and written
 * once.
 */
export class ItemWritePlan {
  readonly keys: Buffer[] = [];
  readonly #writes: readonly ItemWrite[];
  readonly #limits: Limits;
  readonly #nowMs: number;
  readonly #fences: { readonly table: Table; readonly at: number }[] = [];
  readonly #places: readonly WritePlace[];
  /** Places in the keys of the heads of change logs. */
  readonly #logHeads: number[] = [];
  /** Places in the keys, by name, of old entries that an index under construction may lack; undefined where there are none. */
  #entryPlaces: Map<string, number> | undefined;

  /** @param nowMs - when the changes are made, for the stream. */
  constructor(writes: readonly ItemWrite[], limits: Limits, nowMs: number) {
    this.#writes = writes;
    this.#limits = limits;
    this.#nowMs = nowMs;
    // A write by itself has nobody to share a key with.
    const shared = writes.length === 1 ? undefined : new Map<string, number>();
    const sharedKey = (key: Buffer): number => {
      if (shared === undefined) return this.#append(key);
      const name = key.toString('latin1');
      const known = shared.get(name);
      if (known !== undefined) return known;
      shared.set(name, this.keys.push(key) - 1);
      return this.keys.length - 1;
    };
    this.#places = writes.map(({ table, key, change }) => {
      const isKnown = this.#fences.some((fence) => fence.table === table);
      if (!isKnown) this.#fences.push({ table, at: this.#append(table.fenceKey) });
      if (change.kind === 'check') {
        return {
          item: this.#append(key.storeKey),
          statistics: undefined,
          collection: undefined,
          recordings: noRecordings,
          mark: undefined,
          journals: noJournals,
        };
      }
      if (table.changeLog !== undefined) this.#logHeads.push(sharedKey(table.changeLog.headKeyOf(key.storeKey)));
      return {
        mark: table.replication && this.#append(table.replication.versionKey(key.storeKey)),
        journals:
          table.writtenVectorIndexes.length === 0
            ? noJournals
            : table.writtenVectorIndexes.map((index) => sharedKey(journalHeadKey(index, key.storeKey))),
        recordings:
          table.changeLogs.length === 0
            ? noRecordings
            : table.changeLogs.map((log) => {
                const shard = log.shardOf(hashOf(key.storeKey));
                return { log, shard, head: sharedKey(shard.headKey) };
              }),
        statistics: sharedKey(statisticsKey(table.record.itemSpace, statisticsBucket(key.storeKey))),
        collection:
          table.localIndexes.length > 0 ? sharedKey(collectionSizeKey(table, hashOf(key.storeKey))) : undefined,
        // Behind the others: of what is read, a store need not copy the last, and this is the largest.
        item: this.#append(key.storeKey),
      };
    });
  }

  /** Whether {@link prepare} has anything to do. */
  get needsEntries(): boolean {
    return this.#writes.some(isToBuiltIndex);
  }

  /**
   * Called before the keys are read. While an index is being built, a decision has to know whether the old entry of an
   * item is there already; where that would be follows from the item, so it is looked at beforehand. When it changes in
   * between, the decision is stale.
   */
  async prepare(store: Store): Promise<void> {
    const building = this.#writes.filter(isToBuiltIndex);
    if (building.length === 0) return;
    const itemKeys = building.map(({ key }) => key.storeKey);
    const entryKeys = await store.read(itemKeys, (values) =>
      building.flatMap(({ table, key }, at) => {
        const value = values[at];
        if (value === undefined) return [];
        const item = decodeStoredItem(value);
        return table.writtenIndexes.flatMap((index) =>
          index.readable ? [] : (indexEntryKey(index, item, key.storeKey) ?? []),
        );
      }),
    );
    this.#entryPlaces = new Map();
    for (const entryKey of entryKeys) this.#entryPlaces.set(entryKey.toString('latin1'), this.#append(entryKey));
  }

  /**
   * Decides all writes against what was read. Pure: nothing outlives the call but its result.
   *
   * @param onRefusal - given the error and the index of a write that cannot be done; what it throws ends the decision. It may
   *   also return, to hear of further refusals: then the caller must not use the writes of this decision.
   * @throws {StaleTableError} when a table has changed since it was resolved.
   */
  decide(
    values: readonly StoreValue[],
    onRefusal: (error: unknown, index: number) => void,
  ): { readonly writes: StoreWrite[]; readonly outcomes: readonly ItemWriteOutcome[] } {
    for (const { table, at } of this.#fences) checkFence(table, values[at]);
    const outcomes: ItemWriteOutcome[] = [];
    const logged =
      this.#logHeads.length === 0
        ? undefined
        : new LoggedChanges(
            this.#nowMs,
            this.#logHeads.map((at) => values[at]),
          );
    const into = new Draft(this.#nowMs, logged);
    this.#writes.forEach((write, index) => {
      const place = this.#places[index] as WritePlace; // one place per write
      try {
        outcomes.push(this.#decideOne(write, place, values, into));
      } catch (error) {
        onRefusal(error, index);
      }
    });
    if (into.stale !== undefined) throw new StaleTableError(into.stale);
    const { writes } = into;
    for (const { at, delta } of into.statistics) {
      const value = delta.applyTo(values[at]);
      if (value !== undefined) writes.push({ key: this.keys[at] as Buffer, value });
    }
    for (const { at, sizeBytes } of into.collections) {
      writes.push({ key: this.keys[at] as Buffer, value: sizeBytes === 0 ? undefined : encodeSize(sizeBytes) });
    }
    into.addHeads();
    return { writes, outcomes };
  }

  /** Whether an index under construction has the old entry of an item; when nobody looked, the decision is stale. */
  #isPresent(table: Table, entryKey: Buffer, values: readonly StoreValue[], into: Draft): boolean {
    const at = this.#entryPlaces?.get(entryKey.toString('latin1'));
    if (at === undefined) into.stale = table;
    return at !== undefined && values[at] !== undefined;
  }

  #append(key: Buffer): number {
    return this.keys.push(key) - 1;
  }

  #decideOne(write: ItemWrite, place: WritePlace, values: readonly StoreValue[], into: Draft): ItemWriteOutcome {
    const { table, key, change } = write;
    const storedBefore = values[place.item];
    // On the store's memory: read freely here, copied before it leaves.
    const before = storedBefore && decodeStoredItem(storedBefore);
    if (write.condition !== undefined && !write.condition.evaluate(before ?? emptyItem)) {
      throw new ConditionalCheckFailedException(
        write.returnOldOnFailure ? before?.toMap() : undefined,
        before?.sizeBytes,
      );
    }
    const keptBefore = write.keepBefore && storedBefore !== undefined ? copyStoredItem(storedBefore) : undefined;
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
    const sizeBytes = Math.max(before?.sizeBytes ?? 0, after?.sizeBytes ?? 0);
    const changes =
      table.writtenIndexes.length === 0
        ? noChanges
        : indexChanges(table, key.storeKey, before, after, (entryKey) =>
            this.#isPresent(table, entryKey, values, into),
          );
    if (table.replication !== undefined && place.mark !== undefined) {
      const isThere = { wasThere: before !== undefined, isThere: after !== undefined, nowMs: this.#nowMs };
      const mark = values[place.mark];
      into.writes.push(...replicatedWrites(table.replication, key, mark, isThere, write.replicatedFrom));
    }
    const collectionSizeBytes = this.#collectionSize(write, place, values, into, before, after, changes);
    assert(place.statistics !== undefined, 'a write has a statistics entry');
    const delta = into.statisticsAt(place.statistics);
    delta.add(
      table.record.itemSpace,
      (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1),
      (after?.sizeBytes ?? 0) - (before?.sizeBytes ?? 0),
    );
    for (const indexChange of changes) {
      into.writes.push(...indexChange.writes);
      delta.add(indexChange.index.space, indexChange.itemCountDelta, indexChange.sizeBytesDelta);
      const journal = place.journals[table.writtenVectorIndexes.findIndex((index) => index === indexChange.index)];
      if (journal === undefined) continue; // not a vector index
      const headKey = this.keys[journal] as Buffer; // a place in the plan's keys
      into.writes.push(...into.journalled.record(headKey, values[journal], indexChange.writes));
    }
    if (table.expiryIndex !== undefined) {
      into.writes.push(...expiryChanges(table.expiryIndex, key.storeKey, before, after));
    }
    if (after !== undefined || before !== undefined) into.writes.push({ key: key.storeKey, value: after?.stored });
    if (table.changeLog !== undefined && into.logged !== undefined) {
      into.writes.push(...into.logged.record(table.changeLog, key.storeKey, storedBefore, after?.stored));
    }
    for (const { log, shard, head } of place.recordings) {
      const byService = write.userIdentity !== undefined;
      const recordedChange = { keys: key.attributes, before, after, byService };
      into.writes.push(...into.recorded.record(log, shard, values[head], recordedChange));
    }
    return {
      before: keptBefore,
      after,
      tableCapacityUnits: writeCapacityUnits(meteredSizeBytes(table, sizeBytes, before, after), false),
      sizeBytes,
      sizeBytesDelta: (after?.sizeBytes ?? 0) - (before?.sizeBytes ?? 0),
      indexChanges: changes,
      collectionSizeBytes,
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
        const { sizeBytes } = after;
        const { itemSizeBytesMax } = this.#limits;
        if (
          sizeBytes > itemSizeBytesMax ||
          sizeBytes + localEntriesSizeBytes(table, after, sizeBytes) > itemSizeBytesMax
        ) {
          throw updatedItemTooLarge();
        }
        if (table.writtenIndexes.length > 0) {
          checkUpdatedIndexKeys(table, after, changedIndexKeys(table, before, after));
        }
        return after;
      }
    }
  }

  /** With a local index, the items of a partition key and their entries in local indexes form a collection of bounded size. */
  #collectionSize(
    { replicatedFrom }: ItemWrite,
    place: WritePlace,
    values: readonly StoreValue[],
    { collections }: Draft,
    before: StoredItem | undefined,
    after: EncodedItem | undefined,
    changes: readonly IndexChange[],
  ): number | undefined {
    if (place.collection === undefined) return undefined;
    let sizeBytesDelta = (after?.sizeBytes ?? 0) - (before?.sizeBytes ?? 0);
    for (const change of changes) if (change.index.kind === 'local') sizeBytesDelta += change.sizeBytesDelta;
    const at = place.collection;
    let collection = collections.find((one) => one.at === at);
    const sizeBytes = collection?.sizeBytes ?? decodeSize(values[at]);
    // What another replica has accepted is in the global table, and has to be here too.
    const isBounded = replicatedFrom === undefined && sizeBytesDelta > 0;
    if (isBounded && sizeBytes + sizeBytesDelta > this.#limits.itemCollectionBytesMax) {
      throw new ItemCollectionSizeLimitExceededException();
    }
    if (collection === undefined) collections.push((collection = { at, sizeBytes }));
    collection.sizeBytes += sizeBytesDelta;
    return collection.sizeBytes;
  }
}

/** Whether an index that is still being built gets to know of it. */
function isToBuiltIndex({ table, change }: ItemWrite): boolean {
  return change.kind !== 'check' && table.writtenIndexes.some((index) => !index.readable);
}

function updatedItem(update: Update | undefined, before: StoredItem | undefined, { attributes }: ItemKey): EncodedItem {
  if (before === undefined) return encodeItem(update === undefined ? attributes : update.apply(attributes));
  return update === undefined ? encodeStoredItem(before) : changeStoredItem(before, update.changes(before));
}

export function updatedItemTooLarge(): ValidationException {
  return new ValidationException('Item size to update has exceeded the maximum allowed size');
}

const noRecordings: WritePlace['recordings'] = [];
const noJournals: WritePlace['journals'] = [];
const noChanges: readonly IndexChange[] = [];

/** What a decision is going to write. What few writes need is made when one does. */
class Draft {
  readonly writes: StoreWrite[] = [];
  readonly logged: LoggedChanges | undefined;
  /** By their places in the plan's keys. */
  readonly statistics: { readonly at: number; readonly delta: StatisticsDelta }[] = [];
  readonly collections: { readonly at: number; sizeBytes: number }[] = [];
  /** A table that has changed since it was resolved. */
  stale: Table | undefined;
  readonly #nowMs: number;
  #recorded: RecordedChanges | undefined;
  #journalled: JournalledChanges | undefined;

  constructor(nowMs: number, logged: LoggedChanges | undefined) {
    this.#nowMs = nowMs;
    this.logged = logged;
  }

  get recorded(): RecordedChanges {
    return (this.#recorded ??= new RecordedChanges(this.#nowMs));
  }

  get journalled(): JournalledChanges {
    return (this.#journalled ??= new JournalledChanges());
  }

  statisticsAt(at: number): StatisticsDelta {
    const known = this.statistics.find((one) => one.at === at);
    if (known !== undefined) return known.delta;
    const delta = new StatisticsDelta();
    this.statistics.push({ at, delta });
    return delta;
  }

  /** Adds the heads of what was recorded. */
  addHeads(): void {
    if (this.#recorded !== undefined) this.writes.push(...this.#recorded.headWrites);
    if (this.#journalled !== undefined) this.writes.push(...this.#journalled.headWrites);
    if (this.logged !== undefined) this.writes.push(...this.logged.headWrites);
  }
}

interface WritePlace {
  /** Places in the plan's keys. */
  readonly item: number;
  readonly statistics: number | undefined;
  readonly collection: number | undefined;
  /** The item's version, in a table with replicas. */
  readonly mark: number | undefined;
  /** The heads of the journals of the table's written vector indexes, in their order. */
  readonly journals: readonly number[];
  /** The shards of streams that the change is recorded in, and the places of their heads. */
  readonly recordings: readonly { readonly log: OpenStream; readonly shard: OpenShard; readonly head: number }[];
}

function collectionSizeKey(table: Table, hash: Uint8Array): Buffer {
  const itemSpace = Buffer.allocUnsafe(4);
  itemSpace.writeUInt32BE(table.record.itemSpace, 0);
  return storeKey(space.collectionSizes, hash, itemSpace);
}

function encodeSize(sizeBytes: number): Buffer {
  const value = Buffer.allocUnsafe(8);
  value.writeDoubleBE(sizeBytes, 0);
  return value;
}

function decodeSize(value: StoreValue): number {
  return value === undefined ? 0 : new DataView(value.buffer, value.byteOffset).getFloat64(0);
}

/** The larger of the two sizes, or less where there are vectors in them. */
function meteredSizeBytes(
  table: Table,
  sizeBytes: number,
  before: StoredItem | undefined,
  after: EncodedItem | undefined,
): number {
  if (table.writtenVectorIndexes.length === 0) return sizeBytes;
  const metered = (item: StoredItem | undefined): number =>
    item === undefined ? 0 : item.sizeBytes - vectorDiscountBytes(table, item.toMap());
  return Math.max(metered(before), metered(after));
}

/** The index key attributes that an update gave another value: it answers for these, not for what was there before. */
function changedIndexKeys(table: Table, before: StoredItem | undefined, after: StoredItem): ReadonlySet<string> {
  const changed = new Set<string>();
  for (const index of table.writtenIndexes) {
    for (const attributeName of attributesReadBy(index)) {
      const newValue = after.getAttribute(attributeName);
      if (newValue === undefined) continue;
      const oldValue = before?.getAttribute(attributeName);
      if (oldValue === undefined || !attributeValuesEqual(oldValue, newValue)) changed.add(attributeName);
    }
  }
  return changed;
}
