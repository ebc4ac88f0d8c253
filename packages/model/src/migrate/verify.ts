import type { EntityInfo, PlaceInfo, TableInfo } from '../resolve/resolved.ts';
import { fromAttributeValue, type StoredItem } from '../run/attribute-value.ts';
import * as evaluator from '../patterns/evaluate.ts';
import { ItemCodec, type Values } from '../run/item-codec.ts';
import type { Version } from '../versions/snapshot.ts';
import { indexNames } from './change-table.ts';
import { checkpointType } from './checkpoints.ts';
import { countAll, countIn, countingsOf, parentId } from './count-children.ts';
import { type Guard, ItemForm, keyIn } from './item-form.ts';
import { formsOf, type Migration } from './migration.ts';
import { MigrationError } from './migration-error.ts';
import { readItem } from './move-item.ts';
import { type SegmentRead, scanItems, typeIn } from './scan-table.ts';
import { sameItem, sameValue } from './stored-value.ts';
import { Traffic, type TrafficOptions } from './traffic.ts';
import { type IndexCount, IndexComparison, kindIn } from './verify-index.ts';

/**
 * A difference from what the new version would have written.
 *
 * `wrong-attribute`, `wrong-key`, `refused` (no form at all), `guard-missing`, `guard-of-another`, `guard-without-owner`, `wrong-count`;
 * of an index whose keys the migration changes: `index-missing`, `entry-missing`, `entry-stray`, `entry-count`.
 */
export interface Fault {
  /** The kind of fault, stable for tools: `wrong-count`. */
  readonly code: string;
  /** The entity of the item. */
  readonly entity: string;
  /** The primary key of the item. */
  readonly key: Readonly<Record<string, unknown>>;
  /** The fault, in a sentence. */
  readonly message: string;
}

/** What a verification read and found. */
export interface VerifyReport {
  /** Whether no fault was found. */
  readonly ok: boolean;
  /** Items read. */
  readonly scanned: number;
  /** Items by entity. */
  readonly entities: Readonly<Record<string, number>>;
  /** The indexes whose keys the migration changes: how many items belong in each, and how many it contains, by kind. */
  readonly indexes: { readonly [index: string]: Readonly<Record<string, IndexCount>> };
  /** Number of faults in total; `faults` has the first of them. */
  readonly faultCount: number;
  /** The first faults. */
  readonly faults: readonly Fault[];
}

/** Options of a verification. */
export interface VerifyOptions extends TrafficOptions {
  /** Segments of a table that are scanned in parallel. */
  readonly segments?: number;
  /** Items to read per request. A page of 1 MB by default. */
  readonly pageItems?: number;
  /** Counters that the application uses to count something other than all children: `Repo.openIssueCount`. */
  readonly exceptCounts?: readonly string[];
  /** Called with the number of items read so far. */
  readonly onScanned?: (scanned: number) => void;
}

const faultsMax = 100;

/**
 * Reads all items of a model's tables and compares each with what the new version would write: keys, index keys, required
 * values, guards and counts. A guard that differs is read again, with its item, before it is reported, because the application may be writing.
 * Counts are compared only at rest: while children come and go, some will seem wrong. Finally, the indexes whose keys the migration changes are
 * read: they must contain exactly the items that belong there.
 */
export async function verify(migrated: Migration, options: VerifyOptions): Promise<VerifyReport> {
  const { resolved } = migrated.after;
  const changed = formsOf(migrated);
  const forms = [...resolved.entities.values()].map(
    (entity) => changed.get(entity.name) ?? new ItemForm({ before: entity, after: entity }),
  );
  const job = new Verification(new Traffic(options), migrated.after, forms, options);
  const tables = new Map([...migrated.before.resolved.tables, ...resolved.tables]);
  const indexes = changedIndexes(migrated);
  for (const table of tables.values()) {
    await job.readTable(
      table,
      table.indexes.filter(({ name }) => indexes.has(name)),
    );
  }
  await job.compareCounts();
  return job.report();
}

/** The indexes in which stored items get another key, or their first. */
function changedIndexes({ changes }: Migration): ReadonlySet<string> {
  const codes: ReadonlySet<string> = new Set(['index-key-added', 'index-key-changed']);
  return new Set(changes.filter(({ code }) => codes.has(code)).map(({ path }) => path.split('.').at(-1) ?? ''));
}

interface Known {
  readonly entity: EntityInfo;
  readonly values: Values;
}

class Verification {
  readonly #traffic: Traffic;
  readonly #version: Version;
  readonly #forms: readonly ItemForm[];
  readonly #options: VerifyOptions;
  readonly #entities: Record<string, number> = {};
  readonly #faults: Fault[] = [];
  readonly #indexes: Record<string, Readonly<Record<string, IndexCount>>> = {};
  #faultCount = 0;
  #scanned = 0;

  constructor(traffic: Traffic, version: Version, forms: readonly ItemForm[], options: VerifyOptions) {
    this.#traffic = traffic;
    this.#version = version;
    this.#forms = forms;
    this.#options = options;
  }

  report(): VerifyReport {
    const { length } = this.#faults;
    return {
      ok: length === 0,
      scanned: this.#scanned,
      entities: this.#entities,
      indexes: this.#indexes,
      faultCount: this.#faultCount,
      faults: this.#faults,
    };
  }

  async readTable(table: TableInfo, indexes: readonly PlaceInfo[]): Promise<void> {
    const { segments = 4, pageItems } = this.#options;
    const present = new Set(indexes.length === 0 ? [] : await indexNames(this.#traffic, table.name));
    for (const { name } of indexes.filter((index) => !present.has(index.name)))
      this.#add({ code: 'index-missing', entity: '', key: {}, message: `${table.name} has no index ${name}` });
    const compared = indexes.filter(({ name }) => present.has(name));
    const comparisons = compared.map((index) => ({
      index,
      comparison: new IndexComparison(this.#traffic, table, index),
    }));
    const untyped = this.#forms.filter((form) => form.untyped && form.to.entity.table.name === table.name);
    const types = this.#forms.flatMap(({ from, to }) => [
      from.entity.type,
      to.entity.type,
      ...to.entity.unique.map(({ type }) => type),
    ]);
    if (types.length === 0) return;
    await Promise.all(
      Array.from({ length: segments }, async (_, segment) =>
        this.#readSegment(
          {
            table,
            types: [...new Set(types)],
            untyped: untyped.map(({ to }) => to.entity),
            segment,
            segments,
            pageItems,
          },
          comparisons,
        ),
      ),
    );
    for (const { index, comparison } of comparisons) {
      await comparison.compare(segments, pageItems, (fault) => this.#add({ ...fault, key: plain(fault.key) }));
      this.#indexes[index.name] = comparison.counts;
    }
  }

  async #readSegment(
    read: SegmentRead,
    comparisons: readonly { readonly index: PlaceInfo; readonly comparison: IndexComparison }[],
  ): Promise<void> {
    for await (const item of scanItems(this.#traffic, read)) {
      this.#scanned += 1;
      this.#options.onScanned?.(this.#scanned);
      const entity = await this.#compare(read.table, item);
      if (entity === undefined) continue;
      for (const { index, comparison } of comparisons)
        comparison.add(item, kindIn(entity.entity, index, entity.values));
    }
  }

  /** @returns the entity and values of the item, if it belongs to an entity. */
  async #compare(table: TableInfo, item: StoredItem): Promise<Known | undefined> {
    const own = this.#forms.filter(({ to }) => to.entity.table.name === table.name);
    const type = typeIn(
      table,
      item,
      own.map(({ to }) => to.entity.type),
    );
    if (type === checkpointType && !this.#forms.some(({ to }) => to.entity.type === type)) return undefined;
    const guarding = this.#forms.find(
      ({ to }) => to.entity.table.name === table.name && to.entity.unique.some((unique) => unique.type === type),
    );
    if (guarding !== undefined) {
      await this.#compareGuard(guarding, item, type);
      return undefined;
    }
    const form = this.#forms.find((each) =>
      type === ''
        ? each.untyped && each.owns(item)
        : [each.from, each.to].some(({ entity }) => entity.type === type && entity.table.name === table.name),
    );
    if (form === undefined) return undefined;
    const { entity } = form.to;
    this.#entities[entity.name] = (this.#entities[entity.name] ?? 0) + 1;
    try {
      const target = form.target(item);
      const moved = entity.table.name !== table.name || !sameItem(target.key, keyIn(entity, item));
      if (moved) this.#fault('wrong-key', form, item, `should have the key ${storedKeyText(target.key)}`);
      else this.#compareAttributes(form, item, target.item);
      await Promise.all(target.guards.map(async (guard) => this.#compareOwn(form, item, guard)));
    } catch (error) {
      if (!(error instanceof MigrationError)) throw error;
      this.#fault('refused', form, item, error.message);
    }
    return { entity, values: form.to.decode(item) };
  }

  #compareAttributes(form: ItemForm, item: StoredItem, wanted: StoredItem): void {
    for (const name of new Set([...Object.keys(item), ...Object.keys(wanted)])) {
      if (sameValue(item[name], wanted[name])) continue;
      const should = wanted[name] === undefined ? 'should not be there' : `should be ${valueText(wanted[name])}`;
      this.#fault('wrong-attribute', form, item, `${name} is ${valueText(item[name])} and ${should}`);
    }
  }

  /** The guard of an item's unique value. */
  async #compareOwn(form: ItemForm, item: StoredItem, guard: Guard): Promise<void> {
    const { entity } = form.to;
    const table = this.#traffic.tableName(entity.table.name);
    const there = await readItem(this.#traffic, table, guard.key);
    if (there !== undefined && sameItem(there, guard.item)) return;
    const now = await readItem(this.#traffic, table, keyIn(entity, item));
    if (now === undefined || !sameItem(now, item)) return; // written in the meantime, and its guard with it
    if (there === undefined)
      this.#fault('guard-missing', form, item, `has no guard ${storedKeyText(guard.key)} of its ${guard.attribute}`);
    else
      this.#fault(
        'guard-of-another',
        form,
        item,
        `shares its ${guard.attribute} with the owner of guard ${storedKeyText(guard.key)}`,
      );
  }

  /** The owner of a guard. */
  async #compareGuard(form: ItemForm, guard: StoredItem, type: string): Promise<void> {
    const { entity } = form.to;
    const table = this.#traffic.tableName(entity.table.name);
    const attribute = entity.unique.find((unique) => unique.type === type)?.attribute ?? '';
    const named = form.to.decode(guard);
    if (await this.#isOwned(form, named, attribute)) return;
    const now = await readItem(this.#traffic, table, keyIn(entity, guard));
    if (now === undefined || (await this.#isOwned(form, named, attribute))) return;
    this.#fault('guard-without-owner', form, guard, `guards a ${attribute} that no item has`);
  }

  async #isOwned(form: ItemForm, named: Record<string, unknown>, attribute: string): Promise<boolean> {
    const { entity } = form.to;
    let key: StoredItem;
    try {
      key = form.to.key({ copy: 1, ...named });
    } catch {
      return false; // it does not identify an owner of this version
    }
    const owner = await readItem(this.#traffic, this.#traffic.tableName(entity.table.name), key);
    return owner !== undefined && form.to.decode(owner)[attribute] === named[attribute];
  }

  /** Compares every counter with the number of children. */
  async compareCounts(): Promise<void> {
    const { segments = 4, pageItems } = this.#options;
    const { exceptCounts = [] } = this.#options;
    const own = countingsOf(this.#version.resolved).filter(
      ({ parent, counter }) => !exceptCounts.includes(`${parent.name}.${counter}`),
    );
    for (const counting of own) {
      const children = new Map<string, number>();
      await countAll(this.#traffic, counting, children);
      const { parent, counter } = counting;
      const codec = new ItemCodec(parent, evaluator);
      for (let segment = 0; segment < segments; segment += 1) {
        const read = { table: parent.table, types: [parent.type], segment, segments, pageItems };
        for await (const item of scanItems(this.#traffic, read)) {
          const count = children.get(parentId(counting, codec.decode(item))) ?? 0;
          if ((countIn(counting, item) ?? 0) === count) continue;
          this.#add({
            code: 'wrong-count',
            entity: parent.name,
            key: plain(keyIn(parent, item)),
            message: `${counter} is ${countIn(counting, item) ?? 'missing'} and should be ${count}`,
          });
        }
      }
    }
  }

  #fault(code: string, { to }: ItemForm, item: StoredItem, message: string): void {
    this.#add({ code, entity: to.entity.name, key: plain(keyIn(to.entity, item)), message });
  }

  #add(fault: Fault): void {
    this.#faultCount += 1;
    if (this.#faults.length < faultsMax) this.#faults.push(fault);
  }
}

function plain(key: StoredItem): Record<string, unknown> {
  return fromAttributeValue({ M: key }) as Record<string, unknown>;
}

function storedKeyText(key: StoredItem): string {
  return Object.values(key).map(valueText).join(' / ');
}

function valueText(value: StoredItem[string] | undefined): string {
  return value === undefined ? 'missing' : (value.S ?? value.N ?? JSON.stringify(fromAttributeValue(value)));
}
