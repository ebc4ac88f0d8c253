import type { ItemRecord } from '../../transfer/formats/index.ts';
import { canonicalizeNumber } from '../../values/decimal.ts';
import { ItemText } from '../../values/item-text.ts';

/** The maximum number of items in one BatchWriteItem. */
const batchItems = 25;

/** Records for one request: a limited number, and no two for the same item. */
export class RecordBatch {
  readonly records: ItemRecord[] = [];
  readonly #keyNames: readonly string[];
  readonly #keys = new Set<string>();

  /** @param keyNames - the table's key attributes. */
  constructor(keyNames: readonly string[]) {
    this.#keyNames = keyNames;
  }

  /** The keys of the items as texts; equal keys give equal texts. */
  get keys(): ReadonlySet<string> {
    return this.#keys;
  }

  /** @returns false if the record has to be put into another batch. */
  add(record: ItemRecord): boolean {
    if (this.records.length === batchItems) return false;
    const key = this.#keyNames.map((name) => valueText(record, name)).join();
    if (this.#keys.has(key)) return false;
    this.#keys.add(key);
    this.records.push(record);
    return true;
  }
}

/** The value as JSON, numbers in their canonical form; empty if absent. */
function valueText(record: ItemRecord, name: string): string {
  const { item } = record;
  if (item instanceof ItemText) return item.valueText(name) ?? '';
  const value = Object.hasOwn(item, name) ? item[name] : undefined;
  return value?.N === undefined ? (JSON.stringify(value) ?? '') : JSON.stringify({ N: canonicalOf(value.N) });
}

/** Text that is not a number is left unchanged; the table refuses it. */
function canonicalOf(number: string): string {
  try {
    return canonicalizeNumber(number);
  } catch {
    return number;
  }
}
