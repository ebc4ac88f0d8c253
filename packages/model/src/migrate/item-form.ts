import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { keyVariables } from '../resolve/entities.ts';
import type { AttributeInfo, EntityInfo, KeyForm, UniqueInfo } from '../resolve/resolved.ts';
import { formAttributes, guardedAttributes, slotsOf } from '../resolve/slots.ts';
import { canonical } from '../run/cursor.ts';
import { fromAttributeValue, type StoredItem, toAttributeValue } from '../run/attribute-value.ts';
import * as evaluator from '../patterns/evaluate.ts';
import { ItemCodec, type Values } from '../run/item-codec.ts';
import { markerBody, markerKey } from '../run/marker.ts';
import { typeOfItem } from '../run/stored-item.ts';
import { InputError } from '../model-error.ts';
import type { EntityPair } from '../versions/pair.ts';
import { MigrationError } from './migration-error.ts';
import { sameItem, sameValue } from './stored-value.ts';

/**
 * User code of a migration. It receives an item as the old version sees it, with the values that the new one supplies, and returns it as
 * the new version sees it. It receives every item, migrated or not, and must leave migrated items unchanged: applied to its own result,
 * it must return the same.
 */
export type MigrateItem = (item: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

/** The item that guards a unique value. */
export interface Guard {
  readonly attribute: string;
  readonly key: StoredItem;
  readonly item: StoredItem;
}

/** How an item is to be stored. */
export interface Target {
  readonly key: StoredItem;
  readonly item: StoredItem;
  /** The attributes that either version declares. */
  readonly values: Values;
  /** The item's guards in the new form. */
  readonly guards: readonly Guard[];
  /** Its guards in the old form, if they differ. */
  readonly former: readonly Guard[];
  /** Stored names that the target was derived from: they must not have changed when it is written. */
  readonly sources: readonly string[];
}

/** The inputs of a form besides the two versions of its entity. */
export interface ItemFormOptions {
  readonly migrate?: MigrateItem | undefined;
  /** Removes what the other direction supplied. */
  readonly reverse?: ItemForm | undefined;
  /** Items without a type are recognised by their keys. */
  readonly untyped?: boolean;
}

/** Converts stored items of one entity from one version's form to another's. An item that already has the other form is unchanged. */
export class ItemForm {
  readonly from: ItemCodec;
  readonly to: ItemCodec;
  /** Guards may differ: rules, keys or values changed. */
  readonly guarded: boolean;
  /** Items of the entity may lack the type attribute. */
  readonly untyped: boolean;
  readonly #migrate: MigrateItem | undefined;
  readonly #keyAttributes: ReadonlySet<string>;
  /** The key attributes of the new version's table and indexes that an item of the entity has. */
  readonly #keySlots: ReadonlySet<string>;
  readonly #sources: readonly string[];
  readonly #reverse: ItemForm | undefined;

  constructor({ before, after }: EntityPair, { migrate, reverse, untyped = false }: ItemFormOptions = {}) {
    this.from = new ItemCodec(before, evaluator);
    this.to = new ItemCodec(after, evaluator);
    this.#migrate = migrate;
    this.#reverse = reverse;
    this.untyped = untyped && before.table.typeAttribute !== undefined;
    this.#keyAttributes = keyAttributesOf(before, after);
    const forms = [after.key, ...after.indexes.flatMap((index) => index.forms)];
    this.#keySlots = new Set(forms.flatMap(slotsOf).map(({ attribute }) => attribute));
    this.#sources = sourcesOf(before, after, migrate !== undefined);
    this.guarded =
      (before.unique.length > 0 || after.unique.length > 0) &&
      (migrate !== undefined || guardsText(before) !== guardsText(after));
  }

  /** Whether the primary key may differ. */
  get moves(): boolean {
    return keyText(this.from.entity) !== keyText(this.to.entity);
  }

  /**
   * Whether an item of the old version's table belongs to the entity in either version: by its type, or, for items that may lack a type, if its key is the
   * one that its attributes produce.
   */
  owns(stored: StoredItem): boolean {
    const { typeAttribute, name } = this.from.entity.table;
    const codecs = [this.from, this.to].filter(({ entity }) => entity.table.name === name);
    if (this.untyped && typeAttribute !== undefined && stored[typeAttribute] === undefined)
      return codecs.some((codec) => hasOwnKey(codec, stored));
    return codecs.some(({ entity }) => typeOfItem(stored, entity) === entity.type);
  }

  /** Stored names that either version declares. */
  get names(): readonly string[] {
    const stored = [this.from.entity, this.to.entity].flatMap(({ attributes }) =>
      [...attributes.values()].map((each) => each.stored),
    );
    return [...new Set([...stored, ...this.#keyAttributes, this.to.entity.table.typeAttribute ?? []].flat())];
  }

  /** The item as the new version sees it. */
  values(stored: StoredItem): Record<string, unknown> {
    return this.#read(stored).next;
  }

  /**
   * How an item is to be stored.
   *
   * @throws {MigrationError} for an item that has no form in the new version; the error has its key.
   */
  target(stored: StoredItem): Target {
    const { decoded, next, filled } = this.#read(stored);
    const { entity } = this.to;
    const copy = this.#copyOf(stored, decoded);
    const { encoded, guards, formerly } = this.#refusing(stored, () => ({
      encoded: this.to.encode(copy === undefined ? next : { ...next, copy }),
      guards: copy === undefined || copy === 1 ? guardsOf(this.to, next) : [],
      formerly: guardsOf(this.from, decoded),
    }));
    for (const attribute of entity.attributes.values())
      this.#keepAsStored(attribute, stored, encoded, { decoded, next, filled });
    const item: StoredItem = {};
    for (const [name, value] of Object.entries(stored))
      if (!this.#keyAttributes.has(name) && !this.#leaves(name)) item[name] = value;
    Object.assign(item, encoded);
    const stays = this.from.entity.table.name === entity.table.name;
    const former = formerly.filter((old) => !stays || !guards.some((guard) => sameItem(guard.key, old.key)));
    const values = { ...decoded, ...next };
    const target = { key: keyIn(entity, item), item, values, guards, former, sources: this.#sources };
    return this.#reverse === undefined ? target : withoutSupplied(target, stored, this.from, this.to, this.#reverse);
  }

  /** @returns `filled`: the attributes that only the defaults of the new version give a value. */
  #read(stored: StoredItem): {
    readonly decoded: Values;
    readonly next: Record<string, unknown>;
    readonly filled: ReadonlySet<string>;
  } {
    const decoded: Record<string, unknown> = this.from.decode(stored);
    const lacks = (name: string): boolean =>
      [this.from, this.to].every((codec) => stored[codec.stored(name)] === undefined);
    // A value under the new version's stored name was written by the new version.
    for (const { name, stored: attribute } of this.to.entity.attributes.values()) {
      const value = stored[attribute];
      if (value !== undefined) decoded[name] = fromAttributeValue(value);
    }
    const migrated = this.#migrate === undefined ? decoded : this.#applied(this.#migrate, decoded, stored);
    const next: Record<string, unknown> = {};
    const filled = new Set<string>();
    for (const { name, stored: attribute, optional, fallback } of this.to.entity.attributes.values()) {
      // The new version reads its own default where the item has no value, unless it needs one.
      const isFormer = lacks(name) && migrated[name] === decoded[name] && (optional || fallback !== undefined);
      const given = isFormer ? undefined : migrated[name];
      const value = given ?? structuredClone(fallback);
      if (given === undefined) filled.add(name);
      if (value !== undefined) next[name] = value;
      else if (name === this.to.entity.rules.lock) next[name] = 1;
      else if (!optional)
        throw new MigrationError(
          'value-missing',
          `${this.#nameOf(stored)} has no ${attribute}: set it in the migration's function.`,
          {
            key: keyIn(this.from.entity, stored),
          },
        );
    }
    return { decoded, next, filled };
  }

  #applied(migrate: MigrateItem, decoded: Values, stored: StoredItem): Values {
    const about = { key: keyIn(this.from.entity, stored) };
    try {
      const once = { ...decoded, ...migrate(decoded) };
      const twice = migrate(once);
      const kept = Object.fromEntries(Object.keys(twice).map((name) => [name, once[name]]));
      if (sameItem(asStored(kept), asStored(twice))) return once;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new MigrationError(
        'function-failed',
        `${this.#nameOf(stored)}: the migration's function failed: ${reason}`,
        { ...about, cause: error },
      );
    }
    throw new MigrationError(
      'not-idempotent',
      `${this.#nameOf(stored)}: the migration's function changes an item that it has changed already. Write to a new attribute, or check whether it has been changed.`,
      about,
    );
  }

  /** @throws {MigrationError} if a key refuses a value: that of the item, of an index, or of a guard. */
  #refusing<T>(stored: StoredItem, encode: () => T): T {
    try {
      return encode();
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      throw new MigrationError('item-refused', `${this.#nameOf(stored)}: ${error.message}`, {
        key: keyIn(this.from.entity, stored),
        cause: error,
      });
    }
  }

  /** An unchanged attribute keeps its stored form to the last digit. One that reading fills in by default stays missing. */
  #keepAsStored(
    { name, stored: attribute }: AttributeInfo,
    stored: StoredItem,
    encoded: StoredItem,
    {
      decoded,
      next,
      filled,
    }: { readonly decoded: Values; readonly next: Values; readonly filled: ReadonlySet<string> },
  ): void {
    if (encoded[attribute] === undefined) return;
    const old = this.from.entity.attributes.get(name);
    const value = stored[attribute] ?? (old === undefined ? undefined : stored[old.stored]);
    if (filled.has(name) && name !== this.to.entity.rules.lock) {
      const isKept = old?.fallback === undefined && this.#isInKey(name);
      if (!isKept && !this.#keySlots.has(attribute)) delete encoded[attribute];
    } else if (
      value !== undefined &&
      decoded[name] !== undefined &&
      sameValue(toAttributeValue(decoded[name], name), toAttributeValue(next[name], name))
    )
      encoded[attribute] = value;
  }

  /** Whether a key of the new version is made of an attribute. */
  #isInKey(name: string): boolean {
    const { key, indexes, unique } = this.to.entity;
    const forms = [key, ...indexes.flatMap((index) => index.forms), ...unique.map(({ form }) => form)];
    return forms.some((form) => formAttributes(form).includes(name));
  }

  /** An attribute whose stored name changes. */
  #leaves(stored: string): boolean {
    const old = [...this.from.entity.attributes.values()].find((attribute) => attribute.stored === stored);
    const next = old === undefined ? undefined : this.to.entity.attributes.get(old.name);
    return (
      next !== undefined &&
      next.stored !== stored &&
      ![...this.to.entity.attributes.values()].some((each) => each.stored === stored)
    );
  }

  /** Which of the identical copies an item is. */
  #copyOf(stored: StoredItem, decoded: Values): number | undefined {
    const copies = Math.max(this.from.entity.rules.copies ?? 0, this.to.entity.rules.copies ?? 0);
    for (let copy = 1; copy <= copies; copy += 1) {
      for (const codec of [this.from, this.to])
        if (sameItem(codec.key({ ...decoded, copy }), keyIn(codec.entity, stored))) return copy;
    }
    return undefined;
  }

  #nameOf(stored: StoredItem): string {
    const key = Object.values(keyIn(this.from.entity, stored)).map((value) => String(fromAttributeValue(value)));
    return `${this.to.entity.name} ${key.join(' / ')}`;
  }
}

function hasOwnKey(codec: ItemCodec, stored: StoredItem): boolean {
  try {
    return sameItem(codec.key(codec.decode(stored)), keyIn(codec.entity, stored));
  } catch (error) {
    if (error instanceof InputError) return false; // its attributes produce no key
    throw error;
  }
}

/** The primary key of a stored item. */
export function keyIn({ table }: Pick<EntityInfo, 'table'>, item: StoredItem): StoredItem {
  const key: StoredItem = {};
  for (const { attribute } of [...table.place.partition, ...table.place.sort]) {
    const value = item[attribute];
    if (value !== undefined) key[attribute] = value;
  }
  return key;
}

/**
 * Going back: attributes that the old version does not have are removed if they hold what the migration itself would put
 * there, and kept if the application has since written something else.
 */
function withoutSupplied(
  target: Target,
  stored: StoredItem,
  from: ItemCodec,
  to: ItemCodec,
  forward: ItemForm,
): Target {
  const known = new Set([...to.entity.attributes.values()].map((attribute) => attribute.stored));
  const added = [...from.entity.attributes.values()]
    .map((attribute) => attribute.stored)
    .filter((name) => !known.has(name) && stored[name] !== undefined);
  if (added.length === 0) return target;
  const item = Object.fromEntries(Object.entries(target.item).filter(([name]) => !added.includes(name)));
  let supplied: StoredItem;
  try {
    supplied = forward.target(item).item;
  } catch {
    return target; // it never belonged to the old version: a new item keeps all its attributes
  }
  for (const name of added) if (!sameValue(supplied[name], stored[name])) item[name] = stored[name] as AttributeValue;
  return { ...target, item, sources: [...new Set([...target.sources, ...added])] };
}

/** Attributes of both versions that hold only keys or the type. */
function keyAttributesOf(before: EntityInfo, after: EntityInfo): Set<string> {
  const own = new Set(
    [before, after].flatMap(({ attributes }) => [...attributes.values()].map(({ stored }) => stored)),
  );
  const slots = [before, after].flatMap(({ key, indexes }) =>
    [key, ...indexes.flatMap(({ forms }) => forms)].flatMap(({ partition, sort }) => [...partition, ...sort]),
  );
  const names = [...slots.map(({ attribute }) => attribute), ...typeAttributes(before), ...typeAttributes(after)];
  return new Set(names.filter((name) => !own.has(name)));
}

function typeAttributes({ table: { typeAttribute } }: EntityInfo): string[] {
  return typeAttribute === undefined ? [] : [typeAttribute];
}

function sourcesOf(before: EntityInfo, after: EntityInfo, all: boolean): string[] {
  const forms = (entity: EntityInfo): KeyForm[] => [
    entity.key,
    ...entity.indexes.flatMap(({ forms: each }) => each),
    ...entity.unique.map(({ form }) => form),
  ];
  const used = (entity: EntityInfo): readonly string[] =>
    all ? [...entity.attributes.keys()] : forms(entity).flatMap(formAttributes);
  const names = [before, after].flatMap((entity) => used(entity).flatMap((name) => storedNames(name, before, after)));
  return [...new Set(names)];
}

function storedNames(name: string, before: EntityInfo, after: EntityInfo): string[] {
  return [before, after].flatMap(({ attributes }) => {
    const attribute = attributes.get(name);
    return attribute === undefined ? [] : [attribute.stored];
  });
}

function guardsOf(codec: ItemCodec, values: Values): Guard[] {
  return codec.entity.unique.flatMap((unique) => {
    const key = values[unique.attribute] === undefined ? undefined : markerKey(codec, unique, values);
    if (key === undefined) return [];
    return [{ attribute: unique.attribute, key, item: { ...key, ...markerBody(codec, unique, values) } }];
  });
}

function guardsText(entity: EntityInfo): string {
  const { unique } = entity;
  const defaults = (rule: UniqueInfo): string =>
    canonical(guardedAttributes(rule).map((name) => entity.attributes.get(name)?.fallback ?? null));
  const rules = unique.map((rule) =>
    [
      rule.attribute,
      entity.attributes.get(rule.attribute)?.stored,
      rule.type,
      formText(rule.form),
      defaults(rule),
    ].join(),
  );
  return [
    entity.table.name,
    ...[...keyVariables(entity), entity.rules.expires ?? ''].map(
      (name) => `${name}=${String(entity.attributes.get(name)?.stored)}`,
    ),
    ...rules.sort(),
  ].join(';');
}

function keyText({ table, key }: EntityInfo): string {
  return `${table.name} ${formText(key)}`;
}

function formText({ partition, sort }: KeyForm): string {
  return [...partition, ...sort].map(({ attribute, template }) => `${attribute}=${template.source}`).join('|');
}

function asStored(values: Values): StoredItem {
  const defined = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined.map(([name, value]) => [name, toAttributeValue(value, name)]));
}
