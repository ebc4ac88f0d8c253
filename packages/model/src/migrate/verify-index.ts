import type { EntityInfo, PlaceInfo, TableInfo } from '../resolve/resolved.ts';
import type { StoredItem } from '../run/attribute-value.ts';
import { Expression } from '../run/expression.ts';
import { holds } from '../patterns/evaluate.ts';
import type { Values } from '../run/item-codec.ts';
import { keyId } from '../run/key-id.ts';
import { keyIn } from './item-form.ts';
import { readItem } from './move-item.ts';
import { sameItem } from './stored-value.ts';
import type { Traffic } from './traffic.ts';

/** Items whose entries are compared one by one. In a larger index the rest is only counted, which limits the memory. */
const entriesMax = 1_000_000;
/** How many times a missing entry is read again, since the index follows its table with a delay. */
const looksMax = 6;

/** How many items of a kind should be in an index, and how many entries it has for them. */
export interface IndexCount {
  /** Items that belong in the index. */
  readonly items: number;
  /** Entries that are in it. */
  readonly entries: number;
}

/** The fault of an index: `entry-missing`, `entry-stray`, `entry-count`. */
export interface IndexFault {
  readonly code: string;
  /** Its entity, if known. */
  readonly entity: string;
  /** The key of the item; undefined for a count. */
  readonly key: StoredItem;
  readonly message: string;
}

/**
 * Compares an index with its table. The caller first adds every item of the table, then this reads the whole index. Each difference is
 * checked again in both before it is reported, because the application may be writing and the index may lag.
 */
export class IndexComparison {
  readonly #traffic: Traffic;
  readonly #table: TableInfo;
  readonly #index: PlaceInfo;
  readonly #entriesMax: number;
  /** Kind by table key and index key. */
  readonly #awaited = new Map<
    string,
    { readonly kind: string; readonly key: StoredItem; readonly entry: StoredItem }
  >();
  readonly #counts = new Map<string, { items: number; entries: number }>();
  /** Items beyond those that are compared one by one, minus their entries that were found. */
  #beyond = 0;
  #isBeyond = false;

  constructor(traffic: Traffic, table: TableInfo, index: PlaceInfo, limit: number = entriesMax) {
    this.#traffic = traffic;
    this.#table = table;
    this.#index = index;
    this.#entriesMax = limit;
  }

  /** By kind: the entity, with the prefix of its sort key if it has several. */
  get counts(): Readonly<Record<string, IndexCount>> {
    return Object.fromEntries([...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Adds an item of the table. It belongs in the index if it has the whole index key. */
  add(item: StoredItem, kind: string): void {
    const entry = this.#entryKey(item);
    if (entry === undefined) return;
    this.#countOf(kind).items += 1;
    if (this.#awaited.size >= this.#entriesMax) {
      this.#isBeyond = true;
      this.#beyond += 1;
      return;
    }
    const key = keyIn({ table: this.#table }, item);
    this.#awaited.set(entryText(key, entry), { kind, key, entry });
  }

  /** Reads the index, after the last item was added. */
  async compare(segments: number, pageItems: number | undefined, report: (fault: IndexFault) => void): Promise<void> {
    await Promise.all(
      Array.from({ length: segments }, async (_, segment) => {
        for await (const found of this.#entries(segment, segments, pageItems)) {
          const fault = await this.#meet(found);
          if (fault !== undefined) report(fault);
        }
      }),
    );
    for (const { kind, key, entry } of this.#awaited.values()) {
      if (!(await this.#isMissing(key, entry))) this.#countOf(kind).entries += 1;
      else
        report({
          code: 'entry-missing',
          entity: kind.split(' ')[0] ?? '',
          key,
          message: `is not in ${this.#index.name}`,
        });
    }
    if (this.#beyond === 0) return;
    const message = `${this.#index.name} has ${Math.abs(this.#beyond)} entries too ${this.#beyond > 0 ? 'few' : 'many'}`;
    report({ code: 'entry-count', entity: '', key: {}, message });
  }

  async #meet(found: StoredItem): Promise<IndexFault | undefined> {
    const key = keyIn({ table: this.#table }, found);
    const entry = this.#entryKey(found) ?? {};
    const text = entryText(key, entry);
    const awaited = this.#awaited.get(text);
    if (awaited !== undefined) {
      this.#awaited.delete(text);
      this.#countOf(awaited.kind).entries += 1;
      return undefined;
    }
    if (this.#isBeyond) {
      this.#beyond -= 1;
      return undefined;
    }
    if (!(await this.#isStray(key, entry))) return undefined;
    return {
      code: 'entry-stray',
      entity: '',
      key,
      message: `is in ${this.#index.name} under a key that it does not have`,
    };
  }

  /** The item has this index key, and the index does not show it. */
  async #isMissing(key: StoredItem, entry: StoredItem): Promise<boolean> {
    for (let look = 0; look < looksMax; look += 1) {
      if (look > 0) await this.#traffic.backOff(look);
      if (!(await this.#hasEntryKey(key, entry)) || (await this.#isShown(key, entry))) return false;
    }
    return true;
  }

  /** The index shows an entry whose item is gone, or has another index key. */
  async #isStray(key: StoredItem, entry: StoredItem): Promise<boolean> {
    for (let look = 0; look < looksMax; look += 1) {
      if (look > 0) await this.#traffic.backOff(look);
      if ((await this.#hasEntryKey(key, entry)) || !(await this.#isShown(key, entry))) return false;
    }
    return true;
  }

  async #hasEntryKey(key: StoredItem, entry: StoredItem): Promise<boolean> {
    const item = await readItem(this.#traffic, this.#traffic.tableName(this.#table.name), key);
    const has = item === undefined ? undefined : this.#entryKey(item);
    return has !== undefined && sameItem(has, entry);
  }

  async #isShown(key: StoredItem, entry: StoredItem): Promise<boolean> {
    const expression = new Expression();
    const conditions = Object.entries(entry).map(
      ([name, value]) => `${expression.name(name)} = ${expression.value(value)}`,
    );
    const input = {
      TableName: this.#traffic.tableName(this.#table.name),
      IndexName: this.#index.name,
      KeyConditionExpression: conditions.join(' AND '),
      ...expression.attributes(),
    };
    let start: unknown;
    do {
      const answer = await this.#traffic.send({
        operation: 'Query',
        input: start === undefined ? input : { ...input, ExclusiveStartKey: start },
      });
      const items = (answer.Items ?? []) as readonly StoredItem[];
      if (items.some((item) => sameItem(keyIn({ table: this.#table }, item), key))) return true;
      start = answer.LastEvaluatedKey;
    } while (start !== undefined);
    return false;
  }

  async *#entries(segment: number, segments: number, pageItems: number | undefined): AsyncGenerator<StoredItem> {
    const expression = new Expression();
    const { place } = this.#table;
    const names = [...place.partition, ...place.sort, ...this.#index.partition, ...this.#index.sort];
    const projected = [...new Set(names.map(({ attribute }) => attribute))].map((name) => expression.name(name));
    const input = {
      TableName: this.#traffic.tableName(this.#table.name),
      IndexName: this.#index.name,
      ProjectionExpression: projected.join(', '),
      ...(segments > 1 && { Segment: segment, TotalSegments: segments }),
      ...(pageItems !== undefined && { Limit: pageItems }),
      ...expression.attributes(),
    };
    let start: unknown;
    do {
      const answer = await this.#traffic.send({
        operation: 'Scan',
        input: start === undefined ? input : { ...input, ExclusiveStartKey: start },
      });
      yield* (answer.Items ?? []) as readonly StoredItem[];
      start = answer.LastEvaluatedKey;
    } while (start !== undefined);
  }

  /** The index key of an item or an entry; undefined if any part is missing. */
  #entryKey(item: StoredItem): StoredItem | undefined {
    const key: StoredItem = {};
    for (const { attribute, type } of [...this.#index.partition, ...this.#index.sort]) {
      const value = item[attribute];
      // An attribute of the wrong type keeps an item out of an index, as a missing one does.
      if (value === undefined || value[type] === undefined) return undefined;
      key[attribute] = value;
    }
    return key;
  }

  #countOf(kind: string): { items: number; entries: number } {
    const count = this.#counts.get(kind) ?? { items: 0, entries: 0 };
    this.#counts.set(kind, count);
    return count;
  }
}

/** The name of an entity's items that have the same form of key in an index. */
export function kindIn(entity: EntityInfo, index: PlaceInfo, values: Values): string {
  const forms = entity.indexes.find(({ place }) => place.name === index.name)?.forms ?? [];
  if (forms.length < 2) return entity.name;
  const form = forms.find(({ when }) => when === undefined || holds(when, values));
  const slot = form?.sort.at(-1) ?? form?.partition[0];
  return slot === undefined ? entity.name : `${entity.name} ${slot.template.prefix}`;
}

function entryText(key: StoredItem, entry: StoredItem): string {
  return `${keyId(key)} ${keyId(entry)}`;
}
