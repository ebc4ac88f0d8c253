import { fromAttributeValue, type StoredItem } from '../../run/attribute-value.ts';
import type { Fault, VerifyReport } from '../verify.ts';
import type { Migration } from '../migration.ts';
import { MigrationError } from '../migration-error.ts';
import { readItem } from '../move-item.ts';
import { scanItems } from '../scan-table.ts';
import { sameItem } from '../stored-value.ts';
import { Traffic, type TrafficOptions } from '../traffic.ts';
import { type CopiedItem, copiesOf, keyInSource } from './bring-over.ts';
import { copiedTables, type Direction, formOf, type SourceTable, type TableNames } from './copied-tables.ts';

/** How items and their copies are compared. */
export interface CompareOptions extends Omit<TrafficOptions, 'tables'>, TableNames {
  /** Which tables are the source; `there` by default. */
  readonly direction?: Direction;
  /** Segments of a table that are scanned in parallel. */
  readonly segments?: number;
  /** Items to read per request. A page of 1 MB by default. */
  readonly pageItems?: number;
  /** How many times an item and its copy are read again before a difference is reported. 5 by default. */
  readonly attempts?: number;
}

const faultsMax = 100;

/**
 * Compares every item with its copy, and counts the copies. An item whose copy differs is read again, since following a change
 * takes a moment. The counts show whether the new tables contain anything besides the copies. They agree
 * only while no process writes.
 *
 * Faults: `copy-missing`, `copy-differs`, `refused` (no form at all), `count-differs`.
 */
export async function compareCopies(migrated: Migration, options: CompareOptions): Promise<VerifyReport> {
  const copied = copiedTables(migrated, options.direction ?? 'there', options);
  const comparison = new Comparison(new Traffic({ ...options, tables: {} }), options);
  for (const source of copied.sources) await comparison.compareTable(source);
  for (const [table, name] of copied.targets) await comparison.countTable({ ...table, name });
  return comparison.report();
}

class Comparison {
  readonly #traffic: Traffic;
  readonly #options: CompareOptions;
  /** The number of source items by entity, and of expected items in the targets, by table and type. */
  readonly #entities: Record<string, number> = {};
  readonly #expected = new Map<string, number>();
  readonly #faults: Fault[] = [];
  #faultCount = 0;
  #scanned = 0;

  constructor(traffic: Traffic, options: CompareOptions) {
    this.#traffic = traffic;
    this.#options = options;
  }

  report(): VerifyReport {
    const [scanned, entities, faultCount, faults] = [this.#scanned, this.#entities, this.#faultCount, this.#faults];
    // A new table derives its index entries from its items, all of which were written after it was created.
    return { ok: faultCount === 0, scanned, entities, indexes: {}, faultCount, faults };
  }

  async compareTable(source: SourceTable): Promise<void> {
    for (const { form, target } of source.forms.values()) {
      const { type, unique } = form.to.entity;
      for (const each of [type, ...unique.map((guard) => guard.type)]) this.#expect(target, each, 0);
    }
    const table = { ...source.table, name: source.name };
    const { segments = 4, pageItems } = this.#options;
    await Promise.all(
      Array.from({ length: segments }, async (_, segment) => {
        const read = { table, types: [...source.forms.keys()], segment, segments, pageItems };
        for await (const item of scanItems(this.#traffic, read)) {
          this.#scanned += 1;
          await this.#compare(source, item);
        }
      }),
    );
  }

  /** Counts the items of a target table. */
  async countTable(table: SourceTable['table']): Promise<void> {
    const types = [...this.#expected.keys()].flatMap((id) => (id.startsWith(`${table.name} `) ? [typeIn(id)] : []));
    const found = new Map<string, number>();
    for await (const item of scanItems(this.#traffic, { table, types, segment: 0, segments: 1 })) {
      const type = table.typeAttribute === undefined ? (types[0] ?? '') : (item[table.typeAttribute]?.S ?? '');
      found.set(type, (found.get(type) ?? 0) + 1);
    }
    for (const type of types) {
      const [expected = 0, there = 0] = [this.#expected.get(`${table.name} ${type}`), found.get(type)];
      if (expected === there) continue;
      const message = `${table.name} has ${there} of type ${type}, and ${expected} were to be copied`;
      this.#add({ code: 'count-differs', entity: type, key: {}, message });
    }
  }

  async #compare(source: SourceTable, scanned: StoredItem): Promise<void> {
    const { attempts = 5 } = this.#options;
    const key = keyInSource(source, scanned);
    let item: StoredItem | undefined = scanned;
    for (let attempt = 0; ; attempt += 1) {
      const copied = formOf(source, item);
      if (copied === undefined || item === undefined) return; // deleted since the scan
      const entity = copied.form.to.entity.name;
      let wanted: CopiedItem[];
      try {
        wanted = copiesOf(copied, item);
      } catch (error) {
        if (!(error instanceof MigrationError)) throw error;
        return this.#add({ code: 'refused', entity, key: plain(key), message: error.message });
      }
      const there = await Promise.all(wanted.map(async (copy) => readItem(this.#traffic, copy.tableName, copy.key)));
      const wrong = wanted.findIndex((copy, i) => !isCopy(copy, there[i]));
      if (wrong < 0 || attempt === attempts) {
        this.#entities[entity] = (this.#entities[entity] ?? 0) + 1;
        for (const { table, tableName, item: copy } of wanted)
          this.#expect(tableName, typeOf(table, copy, copied.form.to.entity.type), 1);
        if (wrong >= 0) this.#fault(entity, key, wanted[wrong], there[wrong]);
        return undefined;
      }
      await this.#traffic.backOff(attempt);
      item = await readItem(this.#traffic, source.name, key);
    }
  }

  #fault(entity: string, key: StoredItem, wanted: CopiedItem | undefined, there: StoredItem | undefined): void {
    const at = `${wanted?.tableName ?? ''} ${Object.values(plain(wanted?.key ?? {}))
      .map(String)
      .join(' / ')}`;
    if (there === undefined)
      this.#add({ code: 'copy-missing', entity, key: plain(key), message: `has no copy at ${at}` });
    else this.#add({ code: 'copy-differs', entity, key: plain(key), message: `differs from its copy at ${at}` });
  }

  #expect(table: string, type: string, count: number): void {
    const id = `${table} ${type}`;
    this.#expected.set(id, (this.#expected.get(id) ?? 0) + count);
  }

  #add(fault: Fault): void {
    this.#faultCount += 1;
    if (this.#faults.length < faultsMax) this.#faults.push(fault);
  }
}

function isCopy({ item }: CopiedItem, there: StoredItem | undefined): boolean {
  return there !== undefined && sameItem(there, item);
}

/** A table of one entity stores no types. It has no guards, because they could not be distinguished from its items. */
function typeOf({ typeAttribute }: CopiedItem['table'], item: StoredItem, entityType: string): string {
  return typeAttribute === undefined ? entityType : (item[typeAttribute]?.S ?? '');
}

function typeIn(id: string): string {
  return id.slice(id.indexOf(' ') + 1);
}

function plain(key: StoredItem): Record<string, unknown> {
  return fromAttributeValue({ M: key }) as Record<string, unknown>;
}
