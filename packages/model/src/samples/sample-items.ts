import { testedAttributes } from '../patterns/condition.ts';
import type { Condition } from '../patterns/value.ts';
import { keyVariables } from '../resolve/entities.ts';
import type { EntityInfo, ParentInfo, ResolvedModel } from '../resolve/resolved.ts';
import * as evaluator from '../patterns/evaluate.ts';
import { ItemCodec, type Values } from '../run/item-codec.ts';
import type { StoredItem } from '../run/attribute-value.ts';
import { sampleValue, type SampleSource } from './sample-value.ts';

/** A sample item, as the application sees it and in stored form. */
export interface SampleItem {
  /** The entity of the item. */
  readonly entity: EntityInfo;
  /** Its attributes as the application sees them. */
  readonly values: Values;
  /** The item as it is stored. */
  readonly stored: StoredItem;
}

/** How many samples are generated, and from which seed. */
export interface SampleOptions {
  /** How many items of each entity. */
  readonly count: (entity: EntityInfo) => number;
  /** The same seed gives the same items. */
  readonly seed?: number;
  /** The newest time in them, milliseconds since 1970. */
  readonly now?: number;
  /** The first of the items that expire does so at least a day after this; the default is derived from `now`. */
  readonly expiresFrom?: number;
}

/** Samples are somewhat more than an hour apart. */
const apartMs = 3_977_000;
const dayMs = 86_400_000;
const attempts = 20;

/**
 * Generates items of a model, in the order of its entities, parents before children. A child has the key of one of its parents, and an
 * attribute that is part of another entity's key takes its value from that entity's items, so that item collections have their children.
 *
 * @returns the items, and for entities without samples, the reason.
 */
export function* sampleItems(model: ResolvedModel, options: SampleOptions): Generator<SampleItem> {
  const { seed = 1, now = Date.UTC(2026, 0, 15, 12), expiresFrom } = options;
  const random = randomFrom(seed);
  const pools = new Map<string, unknown[]>();
  const owners = ownersOf(model);
  const parents = new Map<string, Values[]>(
    [...model.entities.values()].flatMap((entity) => linksOf(entity).map((link) => [link.entity, []])),
  );
  for (const entity of parentsFirst(model)) {
    const codec = new ItemCodec(entity, evaluator);
    const keys = new Set<string>();
    const count = options.count(entity);
    for (let index = 0, misses = 0; keys.size < count && misses < attempts; index += 1) {
      const linked = linkedValues(entity, parents, { index, random });
      const item = sampleItem(codec, { index, at: now - index * apartMs, random, expiresFrom }, (name) =>
        linked.has(name) ? [linked.get(name)] : owners.get(name) === entity.name ? undefined : pools.get(name),
      );
      const key =
        item === undefined
          ? undefined
          : JSON.stringify(Object.fromEntries(keySlots(entity).map((name) => [name, item.stored[name]])));
      if (item === undefined || key === undefined || keys.has(key)) {
        misses += 1;
        continue;
      }
      keys.add(key);
      parents.get(entity.name)?.push(item.values);
      for (const name of keyVariables(entity)) {
        if (owners.get(name) !== entity.name) continue;
        const pool = pools.get(name) ?? [];
        if (!pool.includes(item.values[name])) pool.push(item.values[name]);
        pools.set(name, pool);
      }
      yield item;
    }
  }
}

/**
 * The parents whose key a child has under several attributes, or under another name, those with most attributes first. A single attribute of
 * the same name takes its value like any other.
 */
function linksOf({ parents, rules: { examples = {} } }: EntityInfo): ParentInfo[] {
  return parents
    .filter(({ by }) => by.some(([of, child]) => by.length > 1 || of !== child))
    .filter(({ by }) => by.every(([, child]) => !(child in examples)))
    .toSorted((a, b) => b.by.length - a.by.length);
}

/**
 * The values that a child has from its parents: of each, one that agrees with those before. A child whose key is that of its parent is the
 * only one of it. Every other item of an entity that is its own parent has none.
 */
function linkedValues(
  entity: EntityInfo,
  parents: ReadonlyMap<string, readonly Values[]>,
  { index, random }: Pick<SampleSource, 'index' | 'random'>,
): ReadonlyMap<string, unknown> {
  const linked = new Map<string, unknown>();
  for (const { entity: name, by } of linksOf(entity)) {
    const agreeing = (parents.get(name) ?? []).filter((parent) =>
      by.every(([of, child]) => !linked.has(child) || linked.get(child) === parent[of]),
    );
    const isOnly = keyVariables(entity).every((variable) => by.some(([, child]) => child === variable));
    const chosen = agreeing[isOnly ? index % agreeing.length : Math.floor(random() * agreeing.length)];
    const parent = name === entity.name && index % 2 === 1 ? undefined : chosen;
    for (const [of, child] of by) {
      if (parent !== undefined) linked.set(child, parent[of]);
      else if (of !== child && entity.attributes.get(child)?.optional === true) linked.set(child, undefined);
    }
  }
  return linked;
}

function sampleItem(
  codec: ItemCodec,
  source: SampleSource & { readonly expiresFrom: number | undefined },
  poolOf: (attribute: string) => readonly unknown[] | undefined,
): SampleItem | undefined {
  const { entity } = codec;
  const values: Record<string, unknown> = {};
  const sparse = new Set(conditionsOf(entity).flatMap(testedAttributes));
  for (const { name, schema, optional, fallback } of entity.attributes.values()) {
    // If an index depends on whether there is a value, half of the items are in it.
    if (optional && fallback === undefined && sparse.has(name) && source.index % 2 === 1) continue;
    if (name in (entity.rules.computed ?? {})) continue;
    const examples = new Map(Object.entries(entity.rules.examples ?? {})).get(name);
    const pool = examples ?? poolOf(name);
    if (pool !== undefined && pool.length > 0) {
      values[name] =
        examples === undefined ? pool[Math.floor(source.random() * pool.length)] : pool[source.index % pool.length];
      continue;
    }
    const { expiresFrom } = source;
    const at =
      name === entity.rules.expires && expiresFrom !== undefined
        ? expiresFrom + dayMs + source.index * apartMs
        : source.at;
    const value =
      name === entity.rules.lock ? 1 : sampleValue(name, schema, { ...source, at }, encodersOf(entity, name));
    if (value !== undefined) values[name] = value;
  }
  try {
    const copies = entity.rules.copies === undefined ? {} : { copy: 1 };
    const parsed = codec.parse(values);
    return { entity, values: parsed, stored: codec.encode({ ...parsed, ...copies }) };
  } catch {
    return undefined; // no sample fits the schema or the key: the caller tries others
  }
}

function conditionsOf({ indexes }: EntityInfo): (Condition | undefined)[] {
  return indexes.flatMap(({ forms }) => forms.map(({ when }) => when));
}

/** Names of the encoders that any key of the entity applies to an attribute. */
function encodersOf(entity: EntityInfo, attribute: string): string[] {
  const forms = [entity.key, ...entity.indexes.flatMap((index) => index.forms)];
  return forms
    .flatMap(({ partition, sort }) => [...partition, ...sort])
    .flatMap(({ template }) => template.variables)
    .filter(({ name }) => name === attribute)
    .flatMap(({ encoders }) => encoders.map(({ name }) => name));
}

function keySlots({ table }: EntityInfo): string[] {
  return [...table.place.partition, ...table.place.sort].map(({ attribute }) => attribute);
}

/** The entity whose items supply the values of a key attribute: the one with the fewest key variables, then the first. */
function ownersOf({ entities }: ResolvedModel): Map<string, string> {
  const owners = new Map<string, string>();
  const byKeyLength = [...entities.values()].sort((a, b) => keyVariables(a).length - keyVariables(b).length);
  for (const entity of byKeyLength) {
    for (const name of keyVariables(entity)) if (!owners.has(name)) owners.set(name, entity.name);
  }
  return owners;
}

function parentsFirst(model: ResolvedModel): EntityInfo[] {
  const done = new Set<string>();
  const ordered: EntityInfo[] = [];
  const owners = ownersOf(model);
  const visit = (entity: EntityInfo): void => {
    if (done.has(entity.name)) return;
    done.add(entity.name);
    for (const name of entity.attributes.keys()) {
      const owner = model.entities.get(owners.get(name) ?? entity.name);
      if (owner !== undefined) visit(owner);
    }
    for (const { entity: name } of entity.parents) {
      const parent = model.entities.get(name);
      if (parent !== undefined) visit(parent);
    }
    ordered.push(entity);
  };
  for (const entity of model.entities.values()) visit(entity);
  return ordered;
}

/** Pseudo-random numbers from a seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
