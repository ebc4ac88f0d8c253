import type { StoreValue } from '../../storage/store.ts';
import { takeTurn } from '../background/background-pace.ts';
import { checkFence, StaleTableError } from '../catalog/catalog.ts';
import { itemKeyOfItem } from '../catalog/item-key.ts';
import { decodeStatistics, StatisticsDelta, statisticsKeys, sumOfStatistics } from '../catalog/statistics.ts';
import { Table, type WrittenIndex } from '../catalog/table.ts';
import { decodeTableRecord } from '../catalog/table-record.ts';
import { collectionSizeKey, decodeCollectionSize } from '../followers/collection-size-follower.ts';
import { expiryEntry, expirySecondsOf, itemKeyOfExpiryEntry } from '../followers/expiry/expiry-index.ts';
import { indexEntryOf, indexEntryValue } from '../followers/indexes/index-entry.ts';
import { VectorEntryReader } from '../followers/vectors/vector-entry.ts';
import { copyStoredItem } from '../layout/item-codec.ts';
import { recordText } from '../layout/record-codec.ts';
import { space, spaceStart } from '../layout/spaces.ts';
import type { StoredItem } from '../layout/stored-item.ts';
import type { EngineServices } from '../services.ts';
import { collectionRange, type CollectionSum, CollectionSums } from './collection-sums.ts';
import type { Finding } from './finding.ts';
import { recordSpaces } from './inspect-store.ts';
import { countsText, isSameEntry } from './inspect-table.ts';
import { scrubFindingsMax, type ScrubReport } from './scrub-report.ts';
import { StreamScrub } from './scrub-stream.ts';
import { decodedOr, type Entry, type Walk } from './scrub-walk.ts';

/** Entries, and bytes of values, read in one step. */
const stepEntries = 100;
const stepBytes = 256 * 1024;

/** An entry that a sound store must have for an item. */
interface Wanted {
  readonly itemKey: Buffer;
  readonly entryKey: Buffer;
  readonly index: WrittenIndex | undefined;
}

/**
 * One pass over the data of a store, while requests change it: every value against its checksum, every item against its index and
 * expiry entries and vice versa, counts and sizes, the sizes of item collections, and every stream against its table.
 *
 * A range is read in steps, so between two of them everything may have changed. An apparent defect is therefore checked again, together
 * with all that it is compared with, in one read: a difference within one snapshot was not caused by a concurrent change.
 */
export class ScrubPass {
  readonly #services: EngineServices;
  readonly #bytesPerSecond: number;
  readonly #startedAtMs: number;
  readonly #findings: Finding[] = [];
  #findingCount = 0;
  #tables = 0;
  #entries = 0;
  #bytes = 0;
  #endedAtMs: number | undefined;
  #failure: string | undefined;

  /** @param bytesPerSecond - of values: the maximum rate of reading. */
  constructor(services: EngineServices, bytesPerSecond: number) {
    this.#services = services;
    this.#bytesPerSecond = bytesPerSecond;
    this.#startedAtMs = services.environment.clock.nowMs();
  }

  get report(): ScrubReport {
    return {
      startedAtMs: this.#startedAtMs,
      ...(this.#endedAtMs !== undefined && { endedAtMs: this.#endedAtMs }),
      tables: this.#tables,
      entries: this.#entries,
      bytes: this.#bytes,
      findingCount: this.#findingCount,
      findings: [...this.#findings],
      ...(this.#failure !== undefined && { failure: this.#failure }),
    };
  }

  /** @throws {ClosingSignal} when the engine closes; {@link StorageError} when the store fails. */
  async run(): Promise<void> {
    try {
      for (const [spaceId, what] of recordSpaces) await this.#scrubRecords(spaceId, what);
      const records: Buffer[] = [];
      await this.#walk(space.tables, async (entries) => void records.push(...entries.map(({ key }) => key)));
      for (const key of records) await this.#scrubTable(key);
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
      throw error;
    } finally {
      this.#endedAtMs = this.#services.environment.clock.nowMs();
    }
  }

  async #scrubRecords(spaceId: number, what: string): Promise<void> {
    await this.#walk(spaceId, async (entries) => {
      for (const { key, value } of entries) {
        if (decoded(() => recordText(key, value)) !== undefined) continue;
        this.#found('record', undefined, key, `The record of ${what} does not match its checksum.`);
      }
    });
  }

  /** A table that changes during the pass is checked in the next pass. */
  async #scrubTable(key: Buffer): Promise<void> {
    const { store, environment } = this.#services;
    const value = await store.read([key], ([bytes]) => bytes && Buffer.from(bytes));
    if (value === undefined) return;
    const record = decoded(() => decodeTableRecord(key, value));
    if (record === undefined) {
      this.#found('record', undefined, key, 'The record of a table does not match its checksum.');
      return;
    }
    const table = new Table(record);
    if (table.isGone(environment.clock.nowMs()) || record.transition?.status === 'DELETING') return;
    this.#tables += 1;
    try {
      await this.#scrubItems(table);
      for (const index of table.writtenIndexes) if (index.readable) await this.#scrubIndex(table, index);
      await this.#scrubExpiry(table);
      await this.#scrubStream(table);
    } catch (error) {
      if (!(error instanceof StaleTableError)) throw error;
    }
  }

  async #scrubItems(table: Table): Promise<void> {
    const difference = await this.#countAndCompare(table, true);
    if (difference === undefined) return;
    // Confirmed by a second count: a counted write may come after the place that was read, and the next write may undo it.
    if ((await this.#countAndCompare(table, false)) !== difference) return;
    const message = `The counts and sizes of table ${table.tableName} are not those of its items.`;
    this.#found('count', table, undefined, message);
  }

  /** @returns the difference between counts and items; undefined when there is none, or while they change. */
  async #countAndCompare(table: Table, isFirst: boolean): Promise<string | undefined> {
    const { store } = this.#services;
    const keys = statisticsKeys(table.record.itemSpace);
    const readCounts = async (): Promise<readonly StoreValue[]> =>
      store.read(keys, (values) => values.map((value) => value && Buffer.from(value)));
    const before = await readCounts();
    const counted = new StatisticsDelta();
    const collections = new CollectionSums(table);
    await this.#walk(table.record.itemSpace, async (entries) => {
      const wanted: Wanted[] = [];
      for (const { key, value } of entries) {
        const item = decoded(() => copyStoredItem(key, value));
        if (item === undefined) {
          const message = `An item of table ${table.tableName} does not match its checksum.`;
          if (isFirst) this.#found('value', table, key, message);
          continue;
        }
        count(counted, table, key, item);
        collections.add(key, item);
        wanted.push(...wantedOf(table, key, item));
      }
      if (isFirst) await this.#confirmEntries(table, wanted);
      if (isFirst) await this.#confirmCollections(table, collections.take());
    });
    collections.end();
    if (isFirst) await this.#confirmCollections(table, collections.take());
    if (table.writtenIndexes.some(({ readable }) => !readable)) return undefined;
    const after = await readCounts();
    if (after.some((value, bucket) => !isSameValue(before[bucket], value))) return undefined;
    const stored = decoded(() => countsText(sumOfStatistics(after)));
    const found = countsText(decodeStatistics(counted.applyTo(undefined)));
    return stored === found ? undefined : `${stored} ${found}`;
  }

  /** Whether items have all their entries. */
  async #confirmEntries(table: Table, wanted: readonly Wanted[]): Promise<void> {
    if (wanted.length === 0) return;
    const { tableName, fenceKey } = table;
    const keys = [fenceKey, ...wanted.flatMap(({ itemKey, entryKey }) => [itemKey, entryKey])];
    const missing = await this.#services.store.read(keys, ([fence, ...values]) => {
      checkFence(table, fence);
      return wanted.filter(({ itemKey, entryKey, index }, at) => {
        const [itemValue, entryValue] = [values[2 * at], values[2 * at + 1]];
        const item = itemValue && decoded(() => copyStoredItem(itemKey, Buffer.from(itemValue)));
        if (item === undefined) return false;
        const present = entryOf(table, index, itemKey, item);
        // The item has changed meanwhile.
        if (present === undefined || !present.key.equals(entryKey)) return false;
        if (entryValue === undefined) return true;
        return decoded(() => isSameEntry(index, present, Buffer.from(entryValue))) !== true;
      });
    });
    for (const { itemKey, index } of missing) {
      const where = index === undefined ? 'The expiry index' : `Index ${index.indexName}`;
      this.#found(
        'index',
        table,
        itemKey,
        `${where} of table ${tableName} lacks an item, or holds another entry for it.`,
      );
    }
  }

  /** Whether collections have the sizes that are stored for them. */
  async #confirmCollections(table: Table, sums: readonly CollectionSum[]): Promise<void> {
    if (table.localIndexes.length === 0) return;
    const { store } = this.#services;
    const sizeKeys = sums.map(({ itemKey }) => collectionSizeKey(table.record.itemSpace, itemKey));
    const suspects = await store.read(sizeKeys, (values) =>
      sums.filter(({ sizeBytes }, at) => decoded(() => decodeCollectionSize(values[at])) !== sizeBytes),
    );
    for (const { itemKey } of suspects) {
      // Twice: one write may have come before the items were read, and its opposite after them.
      if (!(await this.#isOtherSize(table, itemKey)) || !(await this.#isOtherSize(table, itemKey))) continue;
      const message = `The size of an item collection of table ${table.tableName} is not that of its items.`;
      this.#found('count', table, itemKey, message);
    }
  }

  /** Adds up one collection again. @returns false also while it changes, and if one of its items is damaged. */
  async #isOtherSize(table: Table, itemKey: Buffer): Promise<boolean> {
    const key = collectionSizeKey(table.record.itemSpace, itemKey);
    const readSize = async (): Promise<StoreValue> =>
      this.#services.store.read([table.fenceKey, key], ([fence, value]) => {
        checkFence(table, fence);
        return value && Buffer.from(value);
      });
    const before = await readSize();
    const sums = new CollectionSums(table);
    let isSound = true;
    await this.#walkRange(collectionRange(itemKey), async (entries) => {
      for (const entry of entries) {
        const item = decoded(() => copyStoredItem(entry.key, entry.value));
        if (item === undefined) isSound = false;
        else sums.add(entry.key, item);
      }
    });
    sums.end();
    const [sum] = sums.take();
    const after = await readSize();
    if (!isSound || !isSameValue(before, after)) return false;
    return decoded(() => decodeCollectionSize(after)) !== (sum?.sizeBytes ?? 0);
  }

  async #scrubIndex(table: Table, index: WrittenIndex): Promise<void> {
    const reader = index.kind === 'vector' ? new VectorEntryReader(index) : undefined;
    const where = `index ${index.indexName} of table ${table.tableName}`;
    await this.#walk(index.space, async (entries) => {
      const found: Wanted[] = [];
      for (const { key, value } of entries) {
        const item = decoded(() => (reader === undefined ? copyStoredItem(key, value) : reader.itemOf(key, value)));
        const itemKey = item && decoded(() => itemKeyOfItem(table, item.toMap()).storeKey);
        if (itemKey === undefined)
          this.#found('index', table, key, `An entry of ${where} does not match its checksum.`);
        else found.push({ itemKey, entryKey: key, index });
      }
      await this.#confirmItems(table, found, where);
    });
  }

  async #scrubExpiry(table: Table): Promise<void> {
    const { expiryIndex, record, tableName } = table;
    if (expiryIndex?.complete !== true) return;
    await this.#walk(expiryIndex.space, async (entries) => {
      const found = entries.map(({ key }) => ({
        itemKey: itemKeyOfExpiryEntry(key, record.itemSpace),
        entryKey: key,
        index: undefined,
      }));
      await this.#confirmItems(table, found, `the expiry index of table ${tableName}`);
    });
  }

  async #scrubStream(table: Table): Promise<void> {
    const walk: Walk = (range, step) => this.#walkRange(range, step);
    const scrub = new StreamScrub({ store: this.#services.store, walk }, table, (key, problem) =>
      this.#found('stream', table, key, `The stream of table ${table.tableName} does not agree with it: ${problem}.`),
    );
    await scrub.run();
  }

  /** Whether entries belong to items. */
  async #confirmItems(table: Table, found: readonly Wanted[], where: string): Promise<void> {
    if (found.length === 0) return;
    const keys = [table.fenceKey, ...found.flatMap(({ itemKey, entryKey }) => [itemKey, entryKey])];
    const stray = await this.#services.store.read(keys, ([fence, ...values]) => {
      checkFence(table, fence);
      return found.filter(({ itemKey, entryKey, index }, at) => {
        const [itemValue, entryValue] = [values[2 * at], values[2 * at + 1]];
        if (entryValue === undefined) return false;
        if (itemValue === undefined) return true;
        const item = decoded(() => copyStoredItem(itemKey, Buffer.from(itemValue)));
        // A damaged item is reported with the items.
        if (item === undefined) return false;
        return entryOf(table, index, itemKey, item)?.key.equals(entryKey) !== true;
      });
    });
    for (const { entryKey } of stray) this.#found('index', table, entryKey, `An entry of ${where} belongs to no item.`);
  }

  #found(kind: Finding['kind'], table: Table | undefined, key: Buffer | undefined, message: string): void {
    this.#findingCount += 1;
    if (this.#findings.length === scrubFindingsMax) return;
    const finding: Finding = {
      kind,
      outcome: kind === 'index' || kind === 'count' ? 'repairable' : 'loss',
      ...(table !== undefined && { table: table.tableName }),
      ...(key !== undefined && { key: key.toString('hex') }),
      message,
    };
    this.#findings.push(finding);
    this.#services.environment.log({ level: 'error', event: 'scrub-found-damage', ...finding });
  }

  async #walk(spaceId: number, step: (entries: readonly Entry[]) => Promise<void>): Promise<void> {
    await this.#walkRange({ from: spaceStart(spaceId), to: spaceStart(spaceId + 1) }, step);
  }

  async #walkRange(
    { from: start, to }: Parameters<Walk>[0],
    step: (entries: readonly Entry[]) => Promise<void>,
  ): Promise<void> {
    const { store, environment, closing } = this.#services;
    for (let from = start; ;) {
      const entries: Entry[] = [];
      let bytes = 0;
      const end = await store.range({ from, to, limit: stepEntries }, (key, value) => {
        entries.push({ key: Buffer.from(key), value: Buffer.from(value) });
        bytes += key.length + value.length;
        return bytes < stepBytes;
      });
      await step(entries);
      this.#entries += entries.length;
      this.#bytes += bytes;
      await environment.tasks.pause((bytes / this.#bytesPerSecond) * 1000, closing);
      await takeTurn(this.#services);
      const last = entries.at(-1);
      if (end === 'end' || last === undefined) return;
      from = Buffer.concat([last.key, Uint8Array.of(0)]);
    }
  }
}

function wantedOf(table: Table, itemKey: Buffer, item: StoredItem): readonly Wanted[] {
  const indexes = [...table.writtenIndexes.filter(({ readable }) => readable), undefined];
  return indexes.flatMap((index) => {
    const entry = entryOf(table, index, itemKey, item);
    return entry === undefined ? [] : [{ itemKey, entryKey: entry.key, index }];
  });
}

/** The entry of an item in an index, or in the expiry index. */
function entryOf(
  table: Table,
  index: WrittenIndex | undefined,
  itemKey: Buffer,
  item: StoredItem,
): { readonly key: Buffer; readonly value: Buffer } | undefined {
  if (index !== undefined) {
    const entry = indexEntryOf(table, index, item, itemKey);
    return entry && { key: entry.key, value: indexEntryValue(entry) };
  }
  const { expiryIndex } = table;
  if (expiryIndex?.complete !== true) return undefined;
  const seconds = expirySecondsOf(item.getAttribute(expiryIndex.attributeName));
  return seconds === undefined
    ? undefined
    : { key: Buffer.from(expiryEntry(expiryIndex, seconds, itemKey).key), value: Buffer.alloc(0) };
}

function count(delta: StatisticsDelta, table: Table, key: Buffer, item: StoredItem): void {
  delta.add(table.record.itemSpace, 1, item.sizeBytes);
  for (const index of table.writtenIndexes) {
    const entry = indexEntryOf(table, index, item, key);
    if (entry !== undefined) delta.add(index.space, 1, entry.sizeBytes);
  }
}

function isSameValue(one: StoreValue, other: StoreValue): boolean {
  return one === undefined || other === undefined ? one === other : Buffer.compare(one, other) === 0;
}

function decoded<T>(decode: () => T): T | undefined {
  return decodedOr(decode, undefined);
}
