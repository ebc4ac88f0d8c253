import { assert } from '../../values/assert.ts';
import { type AttributeMap, type MutableAttributeMap, setAttribute } from '../../values/attribute-value.ts';
import { attempt, type Awaitable, chain } from '../../values/awaitable.ts';
import { type ReadConsistency, readCapacityUnits } from '../../values/capacity-units.ts';
import { invariantsAreOn, mayTakeFastPath } from '../../values/invariants.ts';
import type { Limits } from '../../values/limits.ts';
import { evaluationUnits } from '../../values/work-units.ts';
import type { Condition, Projection } from '../../expressions/index.ts';
import type { RangeEnd, RangeGuard, Store } from '../../storage/store.ts';
import type { CapacityModel } from '../capacity/capacity-model.ts';
import type { ReadUnits } from '../capacity/read-capacity.ts';
import { restOf } from '../layout/spaces.ts';
import type { ItemServices } from '../capacity/item-services.ts';
import { checkFence } from '../catalog/catalog.ts';
import type { SecondaryIndex, Table } from '../catalog/table.ts';
import { justAfter, prefixRange } from './key-range.ts';
import { DamagedValueError } from '../layout/damaged-value.ts';
import {
  areIntact,
  copyStoredItem,
  decodeStoredItem,
  itemDecoder,
  itemKeeper,
  type KeepItem,
  keepStoredItem,
  keepUnverified,
  readsOwnMemory,
} from '../layout/item-codec.ts';
import { itemKeyOfItem } from '../catalog/item-key.ts';
import { checkItemRead, OrderCheck } from './item-invariants.ts';
import { ReadingTurn } from './reading-turn.ts';
import { readsOf } from './reads-of.ts';
import type { ItemOutput, StoredItem } from '../layout/stored-item.ts';

/** A contiguous range of a table or index, to be read page by page. */
export interface PagePlan {
  readonly table: Table;
  readonly index: SecondaryIndex | undefined;
  /** First store key, inclusive, and last, exclusive. */
  readonly from: Uint8Array;
  readonly to: Uint8Array;
  readonly reverse: boolean;
  /** The maximum number of items to evaluate. */
  readonly limit: number | undefined;
  readonly filter: Condition | undefined;
  readonly projection: Projection | undefined;
  /** Only counts, and returns no items. */
  readonly countOnly: boolean;
  /** The (local) index lacks some of the requested attributes, so the items themselves are read as well. */
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

/** How many index entries are read ahead of the items they represent. */
const fetchBatchCount = 64;

/**
 * Reads one page: items in key order until the range, the limit or 1 MB is used up, measured before the filter.
 *
 * The item that crosses 1 MB still belongs to the page. When the limit or the size ends it, the page has a key to continue
 * from, whether or not anything follows.
 */
export function readPage(services: ItemServices, plan: PagePlan): Awaitable<Page> {
  const { store, limits, capacity } = services;
  capacity.admitPage(plan.table, plan.index, plan.from);
  const page = new PageBuilder(plan, limits, {
    keepsFirst: keepsFirst(capacity, plan),
    isInMemory: readsOwnMemory(store),
  });
  const filled: Awaitable<unknown> = plan.fetchFromTable
    ? readThroughIndex(services, plan, page)
    : readDirectly(services, plan, page);
  return chain(filled, () => {
    const finished = page.finish();
    consume(capacity, plan, finished, page);
    return finished;
  });
}

/**
 * A long read is split into turns, with other requests served between them. A page then consists of several snapshots, which is what
 * the service promises for Query and Scan, too.
 */
function readDirectly(services: ItemServices, plan: PagePlan, page: PageBuilder): Awaitable<unknown> {
  const turn = new ReadingTurn(services.environment.clock);
  const reads = pageReads(services, plan);
  const decode = page.verifiesTogether ? keepUnverified : itemDecoder(services.store);
  const keep = page.verifiesTogether ? itself : itemKeeper(services.store, keepStoredItem);
  const order = invariantsAreOn() ? new OrderCheck(plan.reverse) : undefined;
  const guard = fenceOf(plan.table);
  let pausedAt: Buffer | undefined;
  const run = (from: Uint8Array, to: Uint8Array): Awaitable<RangeEnd> => {
    pausedAt = undefined;
    const { reverse, limit } = plan;
    return reads.range(
      { from, to, reverse, guard, ...(limit !== undefined && { limit: limit - page.scannedCount }) },
      (key, value) => {
        const entry = decode(key, value);
        order?.check(key);
        if (order !== undefined && plan.index === undefined)
          checkItemRead(plan.table, key, decodeStoredItem(key, value));
        page.read(entry.sizeBytes, entry);
        const units = page.take(entry, keep);
        if (page.isFull(entry, key)) return false;
        if (!turn.isOver(units)) return true;
        pausedAt = Buffer.from(key);
        return false;
      },
    );
  };
  const goOn = async (): Promise<void> => {
    for (let at = pausedAt; at !== undefined; at = pausedAt) {
      await services.environment.tasks.pause(0);
      turn.begin();
      await (plan.reverse ? run(plan.from, at) : run(justAfter(at), plan.to));
    }
  };
  const readAll = (): Awaitable<unknown> =>
    chain<RangeEnd, unknown>(run(plan.from, plan.to), () => (pausedAt === undefined ? undefined : goOn()));
  if (!page.verifiesTogether) return readAll();
  return attempt(
    () => chain(readAll(), () => page.verify()),
    (error) => {
      if (error instanceof SuspectItemsError) return refuseDamaged(reads, plan, page.scannedCount);
      throw error;
    },
  );
}

/** Finds which of the items read is damaged. @throws {StorageError} `damaged`, always. */
function refuseDamaged(reads: Pick<Store, 'range'>, plan: PagePlan, count: number): Awaitable<never> {
  const { from, to, reverse } = plan;
  const verified = reads.range({ from, to, reverse, limit: count }, (key, value) => {
    decodeStoredItem(key, value);
    return true;
  });
  return chain(verified, () => {
    throw new DamagedValueError('The data read for a page', undefined);
  });
}

/** Signals that an item of a page does not match its checksum. */
class SuspectItemsError extends Error {}

function pageReads(services: ItemServices, { table, index, consistency }: PagePlan): Pick<Store, 'read' | 'range'> {
  return readsOf(services, { table, isGlobalIndex: index?.kind === 'global', consistency });
}

/** Whatever is read of a table comes with its fence: if the table has changed, the page is read again, as the table is now. */
function fenceOf(table: Table): RangeGuard {
  return { keys: [table.fenceKey], check: ([fence]) => checkFence(table, fence) };
}

/** Whether a page keeps its first item: it identifies the collection of a one-collection page, if insights count keys. */
function keepsFirst(capacity: CapacityModel, { table, index, from, to }: PagePlan): boolean {
  return capacity.insightsOf(table, index) !== undefined && isOneCollection(from, to);
}

function isOneCollection(from: Uint8Array, to: Uint8Array): boolean {
  const hash = from.subarray(0, from.length - restOf(from).length);
  return prefixRange(Buffer.from(hash)).to.compare(to) >= 0;
}

function itself(item: StoredItem): StoredItem {
  return item;
}

/** Charges the page to the range from its beginning to the item at which it ended. */
function consume(capacity: CapacityModel, plan: PagePlan, { units }: Page, { lastKey, first }: PageBuilder): void {
  capacity.consumePage(plan.table, {
    index: plan.index,
    from: plan.reverse ? (lastKey ?? plan.from) : plan.from,
    to: plan.reverse ? plan.to : (lastKey ?? plan.to),
    units: units.tableUnits + (units.index?.units ?? 0),
    collection: first,
  });
}

/** Local index, whole items requested: entries in batches, then the items of the batch, until the page is full. */
async function readThroughIndex(services: ItemServices, plan: PagePlan, page: PageBuilder): Promise<void> {
  const { limits } = services;
  const store = pageReads(services, plan);
  const turn = new ReadingTurn(services.environment.clock);
  const guard = fenceOf(plan.table);
  let { from, to } = plan;
  for (let atEnd = false; !atEnd;) {
    const entries: { readonly key: Buffer; readonly entry: StoredItem }[] = [];
    const range = { from, to, reverse: plan.reverse, limit: fetchBatchCount, guard };
    const end = await store.range(range, (key, value) => {
      entries.push({ key: Buffer.from(key), entry: copyStoredItem(key, value) });
      return true;
    });
    atEnd = end === 'end';
    const itemKeys = entries.map(({ entry }) => itemKeyOfItem(plan.table, entry.toMap()).storeKey);
    const items = await store.read(itemKeys, (values) => {
      // Items after the one that fills the page are not needed: 64 large items would be 25 MB.
      let bytesLeft = limits.queryPageBytesMax;
      return values.map((value, at) => {
        if (value === undefined || bytesLeft <= 0) return undefined;
        const item = copyStoredItem(itemKeys[at] as Buffer, value);
        bytesLeft -= item.sizeBytes;
        return item;
      });
    });
    for (const [at, { key, entry }] of entries.entries()) {
      page.read(entry.sizeBytes, entry);
      // An item deleted since its entry was read is not returned.
      const item = items[at];
      let units = 0;
      if (item !== undefined) {
        page.fetched(item.sizeBytes);
        units = page.take(item, itself);
      }
      if (page.isFull(entry, key)) return;
      if (plan.reverse) to = key;
      else from = justAfter(key);
      if (turn.isOver(units)) {
        await services.environment.tasks.pause(0);
        turn.begin();
      }
    }
  }
}

interface PageOptions {
  readonly keepsFirst: boolean;
  readonly isInMemory: boolean;
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
  /**
   * Whether items are verified together, after they were copied: one checksum for adjacent copies. This is the fast path of verifying
   * each when it is read, for pages whose items are not looked at; the same items are refused (items/read-page.test.ts). Decision 0109.
   */
  readonly verifiesTogether: boolean;
  #verifiedCount = 0;
  /** Store key of the entry that filled the page. */
  lastKey: Buffer | undefined;
  first: AttributeMap | undefined;

  constructor(plan: PagePlan, limits: Limits, { keepsFirst, isInMemory }: PageOptions) {
    const isCopied =
      plan.filter === undefined && plan.projection === undefined && !plan.countOnly && !plan.fetchFromTable;
    this.verifiesTogether = isCopied && !keepsFirst && !isInMemory && mayTakeFastPath();
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

  /** Items evaluated so far. */
  get scannedCount(): number {
    return this.#scannedCount;
  }

  /**
   * Applies filter and projection.
   *
   * @param keep - applied to an item that is answered whole.
   * @returns the work that the filter took, in units.
   */
  take(item: StoredItem, keep: KeepItem): number {
    const { filter, projection, countOnly } = this.#plan;
    let units = 0;
    if (filter !== undefined) {
      const isFound = filter.evaluate(item);
      units = evaluationUnits();
      if (!isFound) return units;
    }
    this.#count += 1;
    if (!countOnly) this.#items.push(projection === undefined ? keep(item) : projection.project(item));
    return units;
  }

  isFull(entry: StoredItem, key: Uint8Array): boolean {
    const { limit, table, index } = this.#plan;
    const full =
      this.#scannedCount === limit || this.#sizeBytes + this.#fetchedSizeBytes >= this.#limits.queryPageBytesMax;
    if (full) {
      if (this.verifiesTogether) this.verify();
      this.#lastEvaluatedKey = pageKeyOf(table, index, entry);
      this.lastKey = Buffer.from(key);
    }
    return full;
  }

  /** @throws {SuspectItemsError} */
  verify(): void {
    const items = this.#items.slice(this.#verifiedCount) as StoredItem[]; // neither filtered nor projected
    if (!areIntact(items)) throw new SuspectItemsError();
    this.#verifiedCount = this.#items.length;
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

/** The key to continue from: of the table, and of the index if one is read. */
function pageKeyOf(table: Table, index: SecondaryIndex | undefined, entry: StoredItem): AttributeMap {
  const key: MutableAttributeMap = {};
  for (const { attributeName } of [...table.keyAttributes, ...(index?.keyAttributes ?? [])]) {
    const value = entry.getAttribute(attributeName);
    assert(value !== undefined, 'an entry holds its key attributes');
    setAttribute(key, attributeName, value);
  }
  return key;
}
