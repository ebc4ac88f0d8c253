import { tableNameOf, tableOf } from './item-identity.ts';
import { LruCache } from './lru-cache.ts';

/** The JSON of an item, or null if there is no such item. */
export type CachedItem = string | null;

/** The effect of a write on an item: its new state, an unknown state, or no change. */
export type WriteResult = { readonly item: CachedItem } | 'unknown' | 'unchanged';

/** A read in progress. Its result must not be cached if a write overtakes it. */
interface Load {
  readonly projection: string;
  isOvertaken: boolean;
  readonly done: Promise<void>;
}

/** Ends a read, with the item found, or with undefined if nothing should be cached. */
export type EndLoad = (item: CachedItem | undefined) => void;

interface Variant {
  readonly item: CachedItem;
  readonly expiresAtMs: number;
}

/** The key of the whole item among its projections. */
export const wholeItem: string = '';

/**
 * Items by key, each whole or as one of its projections. Three rules keep older states from replacing newer ones. A read that a write has
 * overtaken is not cached. After overlapping writes nothing is cached, since their order is not known. A write replaces or drops all
 * projections.
 *
 * Decision 0020 says why.
 */
export class ItemCache {
  readonly #entries: LruCache<ReadonlyMap<string, Variant>>;
  readonly #ttlMs: number;
  readonly #nowMs: () => number;
  readonly #loads = new Map<string, Set<Load>>();
  /** The writes in progress to an item, by table name and key, and whether they have overlapped. */
  readonly #writes = new Map<string, { count: number; haveOverlapped: boolean }>();
  /** The names and ARNs by which each table has been addressed. */
  readonly #aliases = new Map<string, Set<string>>();

  constructor(parts: { readonly bytesMax: number; readonly ttlMs: number; readonly nowMs: () => number }) {
    this.#entries = new LruCache(parts.bytesMax);
    this.#ttlMs = parts.ttlMs;
    this.#nowMs = parts.nowMs;
  }

  get size(): Pick<LruCache<unknown>, 'count' | 'bytes' | 'evictedCount'> {
    return this.#entries;
  }

  /** @returns undefined if it is not cached, or has expired. */
  get(id: string, projection: string): CachedItem | undefined {
    const variant = this.#entries.get(id)?.get(projection);
    return variant === undefined || variant.expiresAtMs <= this.#nowMs() ? undefined : variant.item;
  }

  /**
   * Reads an item and caches it. Of concurrent reads only one is sent. The others wait for its result, or read for themselves if it fails.
   *
   * @param read - returns undefined if nothing should be cached.
   */
  async load(
    id: string,
    projection: string,
    read: () => Promise<CachedItem | undefined>,
  ): Promise<CachedItem | undefined> {
    const running = [...(this.#loads.get(id) ?? [])].find(
      (load) => load.projection === projection && !load.isOvertaken,
    );
    if (running !== undefined) {
      await running.done;
      const item = this.get(id, projection);
      if (item !== undefined) return item;
    }
    const end = this.beginLoad(id, projection);
    let item: CachedItem | undefined;
    try {
      item = await read();
    } finally {
      end(item);
    }
    return item;
  }

  /** Begins a read of an item; the caller must call the returned function when it has ended. */
  beginLoad(id: string, projection: string): EndLoad {
    this.#register(id);
    let resolveDone = (): void => undefined;
    const load: Load = { projection, isOvertaken: false, done: new Promise((resolve) => (resolveDone = resolve)) };
    const loads = this.#loads.get(id) ?? new Set();
    this.#loads.set(id, loads.add(load));
    return (item) => {
      loads.delete(load);
      if (loads.size === 0) this.#loads.delete(id);
      if (item !== undefined && !load.isOvertaken) this.#keep(id, projection, item);
      resolveDone();
    };
  }

  /** Begins a write to an item. */
  beginWrite(id: string): void {
    const writes = this.#writes.get(canonicalOf(id)) ?? { count: 0, haveOverlapped: false };
    writes.count += 1;
    writes.haveOverlapped ||= writes.count > 1;
    this.#writes.set(canonicalOf(id), writes);
  }

  /** Ends a write to an item. */
  endWrite(id: string, result: WriteResult): void {
    const writes = this.#writes.get(canonicalOf(id)) ?? { count: 1, haveOverlapped: true };
    writes.count -= 1;
    if (writes.count === 0) this.#writes.delete(canonicalOf(id));
    if (result === 'unchanged') return;
    for (const alias of this.#idsOf(id)) {
      this.#entries.delete(alias);
      for (const load of this.#loads.get(alias) ?? []) load.isOvertaken = true;
    }
    if (result !== 'unknown' && !writes.haveOverlapped) this.#keep(id, wholeItem, result.item);
  }

  /** Forgets the items of a table, including the results of reads in progress. */
  forgetTable(table: string): void {
    for (const alias of this.#aliases.get(tableNameOf(table)) ?? []) {
      for (const id of this.#entries.keys()) {
        if (tableOf(id) === alias) this.#entries.delete(id);
      }
      for (const [id, loads] of this.#loads) {
        if (tableOf(id) !== alias) continue;
        for (const load of loads) load.isOvertaken = true;
      }
    }
  }

  clear(): void {
    this.#entries.clear();
    for (const loads of this.#loads.values()) {
      for (const load of loads) load.isOvertaken = true;
    }
  }

  #keep(id: string, projection: string, item: CachedItem): void {
    this.#register(id);
    const nowMs = this.#nowMs();
    const variants = new Map([...(this.#entries.get(id) ?? [])].filter(([, { expiresAtMs }]) => expiresAtMs > nowMs));
    variants.set(projection, { item, expiresAtMs: nowMs + this.#ttlMs });
    let bytes = 0;
    for (const [name, { item: text }] of variants) bytes += name.length + (text?.length ?? 0);
    this.#entries.set(id, variants, bytes);
  }

  #register(id: string): void {
    const table = tableOf(id);
    const aliases = this.#aliases.get(tableNameOf(table)) ?? new Set<string>();
    this.#aliases.set(tableNameOf(table), aliases.add(table));
  }

  /** The ids of an item under all names of its table. */
  #idsOf(id: string): readonly string[] {
    const table = tableOf(id);
    const key = id.slice(table.length);
    return [...new Set([table, ...(this.#aliases.get(tableNameOf(table)) ?? [])])].map((alias) => `${alias}${key}`);
  }
}

/** The id that is the same for all names of a table. */
function canonicalOf(id: string): string {
  const table = tableOf(id);
  return `${tableNameOf(table)}${id.slice(table.length)}`;
}
