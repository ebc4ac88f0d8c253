import { StorageError } from '../../storage/storage-error.ts';
import type { Store, StoreValue, StoreWrite } from '../../storage/store.ts';
import { type AttributeMap, type MutableAttributeMap, setAttribute } from '../../values/attribute-value.ts';
import { itemKeyOfItem } from '../catalog/item-key.ts';
import {
  decodeStatistics,
  type SpaceStatistics,
  StatisticsDelta,
  statisticsBucket,
  statisticsKeys,
} from '../catalog/statistics.ts';
import type { Table, WrittenIndex } from '../catalog/table.ts';
import {
  collectionSizeKey,
  decodeCollectionSize,
  encodeCollectionSize,
} from '../followers/collection-size-follower.ts';
import { expiryEntry, expirySecondsOf, itemKeyOfExpiryEntry } from '../followers/expiry/expiry-index.ts';
import { indexEntryOf, indexEntryValue, localEntriesSizeBytes } from '../followers/indexes/index-entry.ts';
import { VectorEntryReader } from '../followers/vectors/vector-entry.ts';
import { copyStoredItem } from '../layout/item-codec.ts';
import { hashOf, spaceStart } from '../layout/spaces.ts';
import { sameItem, type StoredItem } from '../layout/stored-item.ts';
import type { Inspection } from './inspection.ts';

/*
 * Compares the data derived from the items of a table with the items. The first pass reads the derived data, and finds entries
 * without an item. The second reads the items, and finds missing entries. It rewrites entries that the first pass removed.
 */

/** Entries read in one step. */
const stepEntries = 500;

export async function inspectTable(inspection: Inspection, table: Table): Promise<void> {
  const pass = new TablePass(inspection, table);
  for (const index of table.writtenIndexes) await pass.inspectIndex(index);
  await pass.inspectExpiry();
  await pass.inspectItems();
}

class TablePass {
  readonly #inspection: Inspection;
  readonly #store: Store;
  readonly #table: Table;
  /** The correct statistics, by bucket. */
  readonly #counted = new Map<number, StatisticsDelta>();
  #collection: { readonly itemKey: Buffer; sizeBytes: number } | undefined;

  constructor(inspection: Inspection, table: Table) {
    this.#inspection = inspection;
    this.#store = inspection.store;
    this.#table = table;
  }

  /** Looks for entries that are damaged, or that belong to no item. */
  async inspectIndex(index: WrittenIndex): Promise<void> {
    const reader = index.kind === 'vector' ? new VectorEntryReader(index) : undefined;
    await this.#walk(index.space, async (entries) => {
      const found: { readonly key: Buffer; readonly item: StoredItem }[] = [];
      for (const { key, value } of entries) {
        const item = this.#decode(() => {
          reader?.vectorOf(key, value);
          return reader === undefined ? copyStoredItem(key, value) : reader.itemOf(key, value);
        });
        if (item === undefined) {
          await this.#entryFound(index.indexName, key, 'is damaged');
        } else {
          found.push({ key, item });
        }
      }
      const itemKeys = found.map(({ item }) => itemKeyOfItem(this.#table, item.toMap()).storeKey);
      const items = await this.#read(itemKeys);
      for (const [at, { key }] of found.entries()) {
        const [itemKey, value] = [itemKeys[at] as Buffer, items[at]]; // one for each entry that was found
        const item = value && this.#decode(() => copyStoredItem(itemKey, value));
        // A damaged item is reported in the second pass; its entries are all that is left of it.
        if (value !== undefined && item === undefined) continue;
        const entry = item && indexEntryOf(this.#table, index, item, itemKey);
        if (entry?.key.equals(key) !== true) await this.#entryFound(index.indexName, key, 'belongs to no item');
      }
    });
  }

  async inspectExpiry(): Promise<void> {
    const { expiryIndex, record } = this.#table;
    if (expiryIndex === undefined) return;
    await this.#walk(expiryIndex.space, async (entries) => {
      const itemKeys = entries.map(({ key }) => itemKeyOfExpiryEntry(key, record.itemSpace));
      const items = await this.#read(itemKeys);
      for (const [at, { key }] of entries.entries()) {
        const [itemKey, value] = [itemKeys[at] as Buffer, items[at]]; // one for each entry
        const item = value && this.#decode(() => copyStoredItem(itemKey, value));
        if (value !== undefined && item === undefined) continue;
        const seconds = expirySecondsOf(item?.getAttribute(expiryIndex.attributeName));
        const isWanted =
          seconds !== undefined && Buffer.from(expiryEntry(expiryIndex, seconds, itemKey).key).equals(key);
        if (!isWanted) await this.#entryFound('the expiry index', key, 'belongs to no item');
      }
    });
  }

  async inspectItems(): Promise<void> {
    await this.#walk(this.#table.record.itemSpace, async (entries) => {
      const sound: { readonly key: Buffer; readonly item: StoredItem }[] = [];
      for (const { key, value } of entries) {
        const item = this.#decode(() => copyStoredItem(key, value));
        if (item === undefined) this.#itemIsLost(key, 'does not match its checksum');
        else if (!this.#isKeyOf(item, key)) this.#itemIsLost(key, 'is stored under a key that is not its own');
        else sound.push({ key, item });
      }
      for (const { key, item } of sound) {
        this.#inspection.exportItem(this.#table, item);
        this.#count(key, item);
        await this.#countCollection(key, item);
      }
      await this.#compareDerived(sound);
    });
    await this.#endCollection();
    await this.#compareStatistics();
  }

  /** Not every checksum covers the key: those in memory do not. */
  #isKeyOf(item: StoredItem, key: Buffer): boolean {
    return this.#decode(() => itemKeyOfItem(this.#table, item.toMap()).storeKey)?.equals(key) === true;
  }

  #itemIsLost(key: Buffer, problem: string): void {
    this.#inspection.found({
      kind: 'value',
      outcome: 'loss',
      table: this.#table.tableName,
      key: key.toString('hex'),
      message: `An item of table ${this.#table.tableName} ${problem}.`,
    });
  }

  /** Looks for missing entries of the items. */
  async #compareDerived(items: readonly { readonly key: Buffer; readonly item: StoredItem }[]): Promise<void> {
    const { writtenIndexes, expiryIndex, tableName } = this.#table;
    const wanted: {
      readonly write: StoreWrite;
      readonly index: WrittenIndex | undefined;
      readonly item: StoredItem;
    }[] = [];
    for (const { key, item } of items) {
      for (const index of writtenIndexes) {
        // Missing entries of an index under construction are still being filled in.
        const entry = index.readable ? indexEntryOf(this.#table, index, item, key) : undefined;
        if (entry === undefined) continue;
        wanted.push({ write: { key: entry.key, value: indexEntryValue(entry) }, index, item });
      }
      const seconds = expiryIndex?.complete ? expirySecondsOf(item.getAttribute(expiryIndex.attributeName)) : undefined;
      if (expiryIndex === undefined || seconds === undefined) continue;
      wanted.push({ write: expiryEntry(expiryIndex, seconds, key), index: undefined, item });
    }
    const values = await this.#read(wanted.map(({ write }) => Buffer.from(write.key)));
    for (const [at, { write, index, item }] of wanted.entries()) {
      const where = index === undefined ? 'The expiry index' : `Index ${index.indexName}`;
      const present = values[at];
      if (present !== undefined && this.#decode(() => isSameEntry(index, write, Buffer.from(present))) === true)
        continue;
      await this.#inspection.repairable(
        {
          kind: 'index',
          table: tableName,
          key: this.#keyText(item),
          message: `${where} of table ${tableName} ${present === undefined ? 'lacks' : 'holds another entry for'} an item.`,
        },
        [write],
      );
    }
  }

  #count(key: Buffer, item: StoredItem): void {
    const bucket = statisticsBucket(key);
    const delta = this.#counted.get(bucket) ?? new StatisticsDelta();
    this.#counted.set(bucket, delta);
    delta.add(this.#table.record.itemSpace, 1, item.sizeBytes);
    for (const index of this.#table.writtenIndexes) {
      const entry = indexEntryOf(this.#table, index, item, key);
      if (entry !== undefined) delta.add(index.space, 1, entry.sizeBytes);
    }
  }

  async #compareStatistics(): Promise<void> {
    const { record, tableName, writtenIndexes } = this.#table;
    // While an index is built, only the decisions that build it know how much of it is counted.
    if (writtenIndexes.some(({ readable }) => !readable)) return;
    const keys = statisticsKeys(record.itemSpace);
    const values = await this.#read(keys);
    for (const [bucket, key] of keys.entries()) {
      const stored = values[bucket];
      const wanted = this.#counted.get(bucket)?.applyTo(undefined);
      const found =
        stored === undefined ? new Map<number, SpaceStatistics>() : this.#decode(() => decodeStatistics(stored));
      if (found !== undefined && countsText(found) === countsText(decodeStatistics(wanted))) continue;
      await this.#inspection.repairable(
        {
          kind: 'count',
          table: tableName,
          message: `The counts and sizes of table ${tableName} are not those of its items (part ${bucket + 1} of ${keys.length}).`,
        },
        [{ key, value: wanted }],
      );
    }
  }

  /** The items of a collection are contiguous. */
  async #countCollection(key: Buffer, item: StoredItem): Promise<void> {
    if (this.#table.localIndexes.length === 0) return;
    const isSame =
      this.#collection !== undefined && Buffer.compare(hashOf(this.#collection.itemKey), hashOf(key)) === 0;
    if (!isSame) await this.#endCollection();
    this.#collection ??= { itemKey: key, sizeBytes: 0 };
    this.#collection.sizeBytes += item.sizeBytes + localEntriesSizeBytes(this.#table, item, item.sizeBytes);
  }

  async #endCollection(): Promise<void> {
    const collection = this.#collection;
    this.#collection = undefined;
    if (collection === undefined) return;
    const { tableName, record } = this.#table;
    const key = collectionSizeKey(record.itemSpace, collection.itemKey);
    const [stored] = await this.#read([key]);
    const found = this.#decode(() => decodeCollectionSize(stored));
    if (found === collection.sizeBytes) return;
    await this.#inspection.repairable(
      {
        kind: 'count',
        table: tableName,
        message: `The size of an item collection of table ${tableName} is not that of its items.`,
      },
      [{ key, value: encodeCollectionSize(collection.sizeBytes) }],
    );
  }

  async #entryFound(where: string, key: Buffer, what: string): Promise<void> {
    const { tableName } = this.#table;
    await this.#inspection.repairable(
      {
        kind: 'index',
        table: tableName,
        key: key.toString('hex'),
        message: `An entry of ${where} of table ${tableName} ${what}.`,
      },
      [{ key, value: undefined }],
    );
  }

  #keyText(item: StoredItem): string {
    const key: MutableAttributeMap = {};
    for (const { attributeName } of this.#table.keyAttributes) {
      const value = item.getAttribute(attributeName);
      if (value !== undefined) setAttribute(key, attributeName, value);
    }
    return JSON.stringify(key satisfies AttributeMap);
  }

  /** @returns undefined for a damaged item. */
  #decode<T>(decode: () => T): T | undefined {
    try {
      return decode();
    } catch (error) {
      // Invalid JSON, or JSON without the keys, is possible in items that were stored before there were checksums.
      if (error instanceof StorageError || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  async #read(keys: readonly Buffer[]): Promise<readonly StoreValue[]> {
    return this.#store.read(keys, (values) => values.map((value) => value && Buffer.from(value)));
  }

  async #walk(
    spaceId: number,
    step: (entries: readonly { readonly key: Buffer; readonly value: Buffer }[]) => Promise<void>,
  ): Promise<void> {
    const to = spaceStart(spaceId + 1);
    for (let from = spaceStart(spaceId); ;) {
      const entries: { readonly key: Buffer; readonly value: Buffer }[] = [];
      const end = await this.#store.range({ from, to, limit: stepEntries }, (key, value) => {
        entries.push({ key: Buffer.from(key), value: Buffer.from(value) });
        return true;
      });
      await step(entries);
      this.#inspection.seen(entries.length);
      const last = entries.at(-1);
      if (end === 'end' || last === undefined) return;
      from = Buffer.concat([last.key, Uint8Array.of(0)]);
    }
  }
}

/** Whether two entries are equal. Their texts may differ in order, because an item is not stored again for that. */
export function isSameEntry(index: WrittenIndex | undefined, { key, value }: StoreWrite, present: Buffer): boolean {
  if (value === undefined || value.length === 0) return present.length === 0;
  if (present.equals(value)) return true;
  if (index?.kind !== 'vector') return sameItem(copyStoredItem(key, value), copyStoredItem(key, present));
  const reader = new VectorEntryReader(index);
  const wanted = reader.vectorOf(key, value).slice();
  const found = reader.vectorOf(key, present);
  return (
    wanted.every((element, at) => Object.is(element, found[at])) &&
    sameItem(reader.itemOf(key, value), reader.itemOf(key, present))
  );
}

/** As text, without the counts that are zero. */
export function countsText(counts: ReadonlyMap<number, SpaceStatistics>): string {
  const some = [...counts].filter(([, { itemCount, sizeBytes }]) => itemCount !== 0 || sizeBytes !== 0);
  return JSON.stringify(some.toSorted(([a], [b]) => a - b));
}
