import type { Entities } from '../entities/entity.ts';
import type { Model, Needs } from '../model.ts';
import { keyVariables } from '../resolve/entities.ts';
import type { EntityInfo } from '../resolve/resolved.ts';
import type { StoredItem } from '../run/attribute-value.ts';
import { connectWith, type Connected, type ConnectOptions } from '../run/connect.ts';
import type { Context } from '../run/context.ts';
import * as evaluator from '../patterns/evaluate.ts';
import { ItemCodec, type Values } from '../run/item-codec.ts';
import { activityAttribute, formsOf, type Migration } from './migration.ts';
import type { ItemForm } from './item-form.ts';
import { MigrationError } from './migration-error.ts';
import { moveItem, readItem } from './move-item.ts';
import { Traffic } from './traffic.ts';

/**
 * Makes the new version's patterns callable while items of the old version still exist. Before an item is read or written by its
 * key, it is converted to its new form, with its guards and parents. Lists read items of either form. A list lacks the items whose
 * index entries or keys do not exist yet, until the migration has ended.
 *
 * The whole application uses it from before `run` until after `verify`. After that, `connect` is enough.
 *
 * @throws {MigrationError} `not-on-access` if the old key of an item cannot be derived from its new one.
 */
export function connectDuring<D extends Entities, P extends Needs>(
  model: Model<D, P>,
  migrated: Migration,
  options: ConnectOptions,
): Connected<D, P> {
  const forms = formsOf(migrated);
  for (const form of forms.values()) assertOnAccess(form);
  const counters = new Set(
    migrated.counts.map(({ parent, counter }) => `${parent.name} ${parent.attributes.get(counter)?.stored ?? counter}`),
  );
  // The signatures are those of `connect`: only what happens before a request differs.
  return connectWith(model, options, (context) => {
    const traffic = new Traffic(options);
    const bringer = new Bringer(traffic, forms, context);
    return {
      ...context,
      eitherCodec: (entity) => {
        const form = forms.get(entity.name);
        return form === undefined ? undefined : new EitherCodec(entity, form);
      },
      bringForward: async (entity, values) => bringer.bring(entity, values),
      activity: (parent, counter) =>
        counters.has(`${parent.name} ${counter}`) ? activityAttribute(counter) : undefined,
    };
  }) as Connected<D, P>;
}

/** Reads items of either form. */
class EitherCodec extends ItemCodec {
  readonly #form: ItemForm;

  constructor(entity: EntityInfo, form: ItemForm) {
    super(entity, evaluator);
    this.#form = form;
  }

  override decode(stored: StoredItem): Record<string, unknown> {
    // An index entry or a projection is not enough to convert an item, so it is read as it is.
    return isWhole(this.#form, stored) ? this.#form.values(stored) : super.decode(stored);
  }
}

function isWhole({ from, to }: ItemForm, stored: StoredItem): boolean {
  const needed = [from, to].map(({ entity }) => [...entity.attributes.values()].filter(({ optional }) => !optional));
  return needed.some((attributes) => attributes.every((attribute) => stored[attribute.stored] !== undefined));
}

class Bringer {
  readonly #traffic: Traffic;
  readonly #forms: ReadonlyMap<string, ItemForm>;
  readonly #context: Context;

  constructor(traffic: Traffic, forms: ReadonlyMap<string, ItemForm>, context: Context) {
    this.#traffic = traffic;
    this.#forms = forms;
    this.#context = context;
  }

  /** Converts an item and its parents, as far as the values identify them. */
  async bring(entity: EntityInfo, values: Values): Promise<void> {
    const form = this.#forms.get(entity.name);
    const known = form === undefined ? values : { ...values, ...(await this.#bringOne(form, values)) };
    for (const { entity: name, by } of [...entity.parents, ...entity.sequences.map(({ parent }) => parent)]) {
      const parent = this.#forms.get(name);
      if (parent === undefined || by.some(([, child]) => known[child] === undefined)) continue;
      await this.#bringOne(parent, Object.fromEntries(by.map(([own, child]) => [own, known[child]])));
    }
    // A child that moves leaves the parent it was read with, and joins the one it is given.
    const entering = entity.parents.filter(({ by }) => by.every(([, child]) => values[child] !== undefined));
    for (const { entity: name, by } of entering) {
      const parent = this.#forms.get(name);
      if (parent !== undefined)
        await this.#bringOne(parent, Object.fromEntries(by.map(([own, child]) => [own, values[child]])));
    }
  }

  /** @returns the item as the new version sees it; undefined if there is none under the old key. */
  async #bringOne(form: ItemForm, values: Values): Promise<Values | undefined> {
    let found: Values | undefined;
    const { copies = 0 } = form.from.entity.rules;
    const all = copies === 0 ? [values] : Array.from({ length: copies }, (_, i) => ({ ...values, copy: i + 1 }));
    for (const each of all) {
      const item = await this.#read(form, each);
      if (item === undefined || !form.owns(item)) continue;
      found = form.values(item);
      await moveItem(this.#traffic, form, item);
    }
    return found;
  }

  async #read(form: ItemForm, values: Values): Promise<StoredItem | undefined> {
    const { from, to } = form;
    if (keyVariables(to.entity).some((name) => values[name] === undefined)) return undefined;
    const table = this.#context.tableName(from.entity.table);
    return readItem(this.#traffic, table, from.key(values));
  }
}

/** The old key must follow from the new one: the inputs that identify an item now must also identify its old form. */
function assertOnAccess({ from, to, moves }: ItemForm): void {
  const known = new Set([...keyVariables(to.entity), 'copy']);
  const missing = keyVariables(from.entity).filter((name) => !known.has(name));
  if (!moves || missing.length === 0) return;
  throw new MigrationError(
    'not-on-access',
    `The new key of ${to.entity.name} does not contain ${missing.join(' and ')}, which the old key contains: its items cannot be found while they move. Keep the old key and add an index, or stop the application while it runs.`,
  );
}
