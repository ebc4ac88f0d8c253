import { assert } from '../../values/assert.ts';
import { type AttributeMap, type MutableAttributeMap, setAttribute } from '../../values/attribute-value.ts';
import { type Awaitable, chain } from '../../values/awaitable.ts';
import { type ReadConsistency, readCapacityUnits } from '../../values/capacity-units.ts';
import type { Limits } from '../../values/limits.ts';
import type { Condition, Projection } from '../../expressions/index.ts';
import type { RangeEnd, Store } from '../../storage/store.ts';
import type { CapacityModel } from '../capacity/capacity-model.ts';
import type { ReadUnits } from '../capacity/read-capacity.ts';
import { restOf } from '../layout/spaces.ts';
import type { EngineServices } from '../services.ts';
import { checkFence } from '../tables/catalog.ts';
import type { SecondaryIndex, Table } from '../tables/table.ts';
import { justAfter, prefixRange } from './key-range.ts';
import { copyStoredItem, decodeStoredItem, keepStoredItem } from './item-codec.ts';
import { itemKeyOfItem } from './item-key.ts';
import type { ItemOutput, StoredItem } from './stored-item.ts';

/** A contiguous run of a table or index, to be read page by page. */
export interface PagePlan {
  readonly table: Table;
  readonly index: SecondaryIndex | undefined;
  /** First store key, inclusive, and last, exclusive. */
  readonly from: Uint8Array;
  readonly to: Uint8Array;
  readonly reverse: boolean;
  /** Items to evaluate at most. */
  readonly limit: number | undefined;
  readonly filter: Condition | undefined;
  readonly projection: Projection | undefined;
  /** Count only, hand back no items. */
  readonly countOnly: boolean;
  /** The index (a local one) does not hold all that is wanted: read the items themselves as well. */
  readonly fetchFromTable: boolean;
  readonly consistency: ReadConsistency;
}

export interface Page {
  readonly items: readonly ItemOutput[];
  readonly count: number;
  readonly scannedCount: number;
  readonly lastEvaluatedKey: AttributeMap | undefined;
  readonly units: ReadUnits;
}

/** How many index entries are read ahead of the items they stand for. */
const fetchBatchCount = 64;

/**
 * Reads one page: items in key order until the range, the limit or 1 MB is used up, measured before the filter.
 *
 * The item that crosses 1 MB still belongs to the page. When the limit or the size ends it, the page has a key to go on
 * from, whether or not anything follows.
 */
export function readPage({ store, limits, capacity }: EngineServices, plan: PagePlan): Awaitable<Page> {
  capacity.admitPage(plan.table, plan.index, plan.from);
  const page = new PageBuilder(plan, limits, keepsFirst(capacity, plan));
  const fenced = store.read([plan.table.fenceKey], ([fence]) => checkFence(plan.table, fence));
  const filled = chain<void, unknown>(fenced, () =>
    plan.fetchFromTable ? readThroughIndex(store, plan, page) : readDirectly(store, plan, page),
  );
  return chain(filled, () => {
    const finished = page.finish();
    consume(capacity, plan, finished, page);
    return finished;
  });
}

function readDirectly(store: Store, plan: PagePlan, page: PageBuilder): Awaitable<RangeEnd> {
  return store.range(
    { from: plan.from, to: plan.to, reverse: plan.reverse, ...(plan.limit !== undefined && { limit: plan.limit }) },
    (key, value) => {
      const entry = decodeStoredItem(value);
      page.read(entry.sizeBytes, entry);
      page.take(entry, () => keepStoredItem(value));
      return !page.isFull(entry, key);
    },
  );
}

/** Of a page of one item collection the first item tells whose it is, where somebody counts that. */
function keepsFirst(capacity: CapacityModel, { table, index, from, to }: PagePlan): boolean {
  return capacity.insightsOf(table, index) !== undefined && isOneCollection(from, to);
}

function isOneCollection(from: Uint8Array, to: Uint8Array): boolean {
  const hash = from.subarray(0, from.length - restOf(from).length);
  return prefixRange(Buffer.from(hash)).to.compare(to) >= 0;
}

/** A page lies between where it began and the item that it ended with. */
function consume(capacity: CapacityModel, plan: PagePlan, { units }: Page, { lastKey, first }: PageBuilder): void {
  capacity.consumePage(plan.table, {
    index: plan.index,
    from: plan.reverse ? (lastKey ?? plan.from) : plan.from,
    to: plan.reverse ? plan.to : (lastKey ?? plan.to),
    units: units.tableUnits + (units.index?.units ?? 0),
    collection: first,
  });
}

/** Local index, items wanted whole: entries in batches, then the items of the batch, until the page is full. */
async function readThroughIndex(store: Store, plan: PagePlan, page: PageBuilder): Promise<void> {
  let { from, to } = plan;
  for (let atEnd = false; !atEnd;) {
    const entries: { readonly key: Buffer; readonly entry: StoredItem }[] = [];
    const end = await store.range({ from, to, reverse: plan.reverse, limit: fetchBatchCount }, (key, value) => {
      entries.push({ key: Buffer.from(key), entry: copyStoredItem(value) });
      return true;
    });
    atEnd = end === 'end';
    const items = await store.read(
      entries.map(({ entry }) => itemKeyOfItem(plan.table, entry.toMap()).storeKey),
      (values) => values.map((value) => value && copyStoredItem(value)),
    );
    for (const [at, { key, entry }] of entries.entries()) {
      page.read(entry.sizeBytes, entry);
      // An item deleted since the entry was read is no longer there to be answered.
      const item = items[at];
      if (item !== undefined) {
        page.fetched(item.sizeBytes);
        page.take(item, () => item);
      }
      if (page.isFull(entry, key)) return;
      if (plan.reverse) to = key;
      else from = justAfter(key);
    }
  }
}

class PageBuilder {
  readonly #plan: PagePlan;
  readonly #limits: Limits;
  readonly #items: ItemOutput[] = [];
  #count = 0;
  #scannedCount = 0;
  #sizeBytes = 0;
  #fetchedSizeBytes = 0;
  #fetchedUnits = 0;
  #lastEvaluatedKey: AttributeMap | undefined;
  readonly #keepsFirst: boolean;
  /** Store key of the entry that filled the page. */
  lastKey: Buffer | undefined;
  first: AttributeMap | undefined;

  constructor(plan: PagePlan, limits: Limits, keepsFirst: boolean) {
    this.#plan = plan;
    this.#limits = limits;
    this.#keepsFirst = keepsFirst;
  }

  read(sizeBytes: number, entry: StoredItem): void {
    if (this.#scannedCount === 0 && this.#keepsFirst) this.first = entry.toMap();
    this.#scannedCount += 1;
    this.#sizeBytes += sizeBytes;
  }

  fetched(sizeBytes: number): void {
    this.#fetchedSizeBytes += sizeBytes;
    this.#fetchedUnits += readCapacityUnits(sizeBytes, this.#plan.consistency);
  }

  /** Applies filter and projection. `keep` gives the item on memory of its own. */
  take(item: StoredItem, keep: () => StoredItem): void {
    const { filter, projection, countOnly } = this.#plan;
    if (filter !== undefined && !filter.evaluate(item)) return;
    this.#count += 1;
    if (countOnly) return;
    this.#items.push(projection === undefined ? keep() : projection.project(item));
  }

  isFull(entry: StoredItem, key: Uint8Array): boolean {
    const { limit, table, index } = this.#plan;
    const full =
      this.#scannedCount === limit || this.#sizeBytes + this.#fetchedSizeBytes >= this.#limits.queryPageBytesMax;
    if (full) {
      this.#lastEvaluatedKey = pageKeyOf(table, index, entry);
      this.lastKey = Buffer.from(key);
    }
    return full;
  }

  finish(): Page {
    const { index, consistency, fetchFromTable } = this.#plan;
    assert(fetchFromTable || this.#fetchedUnits === 0, 'only a read through an index fetches items');
    const units = readCapacityUnits(this.#sizeBytes, consistency);
    return {
      items: this.#items,
      count: this.#count,
      scannedCount: this.#scannedCount,
      lastEvaluatedKey: this.#lastEvaluatedKey,
      units: index === undefined ? { tableUnits: units } : { tableUnits: this.#fetchedUnits, index: { index, units } },
    };
  }
}

/** The key to go on from: of the table, and of the index when it is one that is read. */
function pageKeyOf(table: Table, index: SecondaryIndex | undefined, entry: StoredItem): AttributeMap {
  const key: MutableAttributeMap = {};
  for (const { attributeName } of [...table.keyAttributes, ...(index?.keyAttributes ?? [])]) {
    const value = entry.getAttribute(attributeName);
    assert(value !== undefined, 'an entry holds its key attributes');
    setAttribute(key, attributeName, value);
  }
  return key;
}
