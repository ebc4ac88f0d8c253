import type { TableInfo } from '../resolve/resolved.ts';
import { fromAttributeValue, type StoredItem } from '../run/attribute-value.ts';
import { ItemCodec } from '../run/item-codec.ts';
import type { Version } from '../versions/snapshot.ts';
import { countAll, countIn, countingsOf, parentId } from './count-children.ts';
import { type Guard, ItemForm, keyIn } from './item-form.ts';
import { formsOf, type Migration } from './migration.ts';
import { MigrationError } from './migration-error.ts';
import { readItem } from './move-item.ts';
import { type SegmentRead, scanItems, typeIn } from './scan-table.ts';
import { sameItem, sameValue } from './stored-value.ts';
import { Traffic, type TrafficOptions } from './traffic.ts';

/**
 * What is not as the new version would have written it.
 *
 * `wrong-attribute`, `wrong-key`, `refused` (no form at all), `guard-missing`, `guard-of-another`, `guard-without-owner`, `wrong-count`,
 * `unknown-type`.
 */
export interface Fault {
  readonly code: string;
  readonly entity: string;
  readonly key: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export interface VerifyReport {
  readonly ok: boolean;
  /** Items read. */
  readonly scanned: number;
  /** Items by entity. */
  readonly entities: Readonly<Record<string, number>>;
  readonly faultCount: number;
  /** The first faults. */
  readonly faults: readonly Fault[];
}

export interface VerifyOptions extends TrafficOptions {
  readonly segments?: number;
  readonly pageItems?: number;
  /** Is told how many items have been read. */
  readonly onScanned?: (scanned: number) => void;
}

const faultsMax = 100;
const ownTypes: ReadonlySet<string> = new Set(['Migration']);

/**
 * Reads all items of a model's tables and compares each with what the new version would write: keys, index keys, values that must
 * be there, guards and counts. A guard that does not fit is read again, with its item, before it is reported: the application may be writing. Counts
 * are compared at rest only: while children come and go, some will seem wrong.
 */
export async function verify(migrated: Migration, options: VerifyOptions): Promise<VerifyReport> {
  const { resolved } = migrated.after;
  const changed = formsOf(migrated);
  const forms = [...resolved.entities.values()].map(
    (entity) => changed.get(entity.name) ?? new ItemForm({ before: entity, after: entity }, undefined),
  );
  const job = new Verification(new Traffic(options), migrated.after, forms, options);
  const tables = new Map([...migrated.before.resolved.tables, ...resolved.tables]);
  for (const table of tables.values()) await job.readTable(table);
  await job.compareCounts();
  return job.report();
}

class Verification {
  readonly #traffic: Traffic;
  readonly #version: Version;
  readonly #forms: readonly ItemForm[];
  readonly #options: VerifyOptions;
  readonly #entities: Record<string, number> = {};
  readonly #faults: Fault[] = [];
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
      faultCount: this.#faultCount,
      faults: this.#faults,
    };
  }

  async readTable(table: TableInfo): Promise<void> {
    const { segments = 4, pageItems } = this.#options;
    const types = this.#forms.flatMap(({ from, to }) => [
      from.entity.type,
      to.entity.type,
      ...to.entity.unique.map(({ type }) => type),
    ]);
    if (types.length === 0) return;
    await Promise.all(
      Array.from({ length: segments }, async (_, segment) =>
        this.#readSegment({ table, types: [...new Set(types)], segment, segments, pageItems }),
      ),
    );
  }

  async #readSegment(read: SegmentRead): Promise<void> {
    for await (const item of scanItems(this.#traffic, read)) {
      this.#scanned += 1;
      this.#options.onScanned?.(this.#scanned);
      await this.#compare(read.table, item);
    }
  }

  async #compare(table: TableInfo, item: StoredItem): Promise<void> {
    const own = this.#forms.filter(({ to }) => to.entity.table.name === table.name);
    const type = typeIn(
      table,
      item,
      own.map(({ to }) => to.entity.type),
    );
    if (ownTypes.has(type)) return;
    const guarding = this.#forms.find(
      ({ to }) => to.entity.table.name === table.name && to.entity.unique.some((unique) => unique.type === type),
    );
    if (guarding !== undefined) return this.#compareGuard(guarding, item, type);
    const form = this.#forms.find(({ from, to }) =>
      [from, to].some(({ entity }) => entity.type === type && entity.table.name === table.name),
    );
    if (form === undefined) return undefined;
    const { entity } = form.to;
    this.#entities[entity.name] = (this.#entities[entity.name] ?? 0) + 1;
    try {
      const target = form.target(item);
      const moved = entity.table.name !== table.name || !sameItem(target.key, keyIn(entity, item));
      if (moved) this.#fault('wrong-key', form, item, `should have the key ${textOf(target.key)}`);
      else this.#compareAttributes(form, item, target.item);
      await Promise.all(target.guards.map(async (guard) => this.#compareOwn(form, item, guard)));
    } catch (error) {
      if (!(error instanceof MigrationError)) throw error;
      this.#fault('refused', form, item, error.message);
    }
    return undefined;
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
    if (now === undefined || !sameItem(now, item)) return; // written meanwhile: its guard with it
    if (there === undefined)
      this.#fault('guard-missing', form, item, `has no guard ${textOf(guard.key)} of its ${guard.attribute}`);
    else
      this.#fault(
        'guard-of-another',
        form,
        item,
        `shares its ${guard.attribute} with the owner of guard ${textOf(guard.key)}`,
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
      return false; // it does not name an owner of this version
    }
    const owner = await readItem(this.#traffic, this.#traffic.tableName(entity.table.name), key);
    return owner !== undefined && form.to.decode(owner)[attribute] === named[attribute];
  }

  /** Every counter against the number of children. */
  async compareCounts(): Promise<void> {
    const { segments = 4, pageItems } = this.#options;
    for (const counting of countingsOf(this.#version.resolved)) {
      const children = new Map<string, number>();
      await countAll(this.#traffic, counting, children);
      const { parent, counter } = counting;
      const codec = new ItemCodec(parent);
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

function textOf(key: StoredItem): string {
  return Object.values(key).map(valueText).join(' / ');
}

function valueText(value: StoredItem[string] | undefined): string {
  return value === undefined ? 'missing' : (value.S ?? value.N ?? JSON.stringify(fromAttributeValue(value)));
}
