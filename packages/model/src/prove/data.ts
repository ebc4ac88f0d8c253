import type { Model } from '../model.ts';
import { childOf } from '../entities/relationship.ts';
import type { WriteNeed } from '../patterns/need.ts';
import type { Guard } from '../patterns/value.ts';
import { accepted, type Domain, domainOf } from './domain.ts';
import { comparedValue, compareValues, equalValues, type Values, valueText, withComputed } from './oracle/index.ts';
import type { RandomSource } from './random-source.ts';

/** Items of each entity, as the application knows them. */
export type State = ReadonlyMap<string, readonly Values[]>;

/** The values of one run's items and inputs. They are few and close together, so that many are equal. */
export class Pools {
  readonly #model: Model;
  readonly #domains = new Map<string, Domain>();
  readonly #drawn = new Map<string, readonly unknown[]>();
  readonly #chosen = new Map<string, readonly unknown[]>();
  readonly #groups: ReadonlyMap<string, string>;
  /** The attributes that a pattern adds to, and those that are summed. */
  readonly #added: ReadonlySet<string>;
  readonly #random: RandomSource;
  readonly #now: number;
  /** Whether texts come with twins that differ from each other in nothing that has a form in UTF-8. */
  readonly #hasHalves: boolean;

  constructor(model: Model, random: RandomSource, now: number) {
    this.#model = model;
    this.#random = random;
    this.#hasHalves = random.fork(1).chance(0.15);
    this.#now = now;
    this.#groups = sharedNames(model);
    this.#added = addedTo(model);
    const hints = hintsOf(model);
    for (const [entity, { attributes, rules }] of Object.entries(model.entities))
      for (const [name, schema] of Object.entries(attributes)) {
        const examples = (rules.examples as Readonly<Record<string, readonly unknown[]>> | undefined)?.[name] ?? [];
        this.#domains.set(`${entity}.${name}`, domainOf(schema, [...examples, ...hints], random));
      }
  }

  /** All values of an attribute's domain that are used. */
  domain(entity: string, attribute: string): Domain {
    return this.#domains.get(`${entity}.${attribute}`) ?? { values: [], optional: true };
  }

  /**
   * The values of an attribute in this run. Attributes with one name, or that refer to each other, draw from the same values, so that
   * items of several entities share values.
   */
  values(entity: string, attribute: string): readonly unknown[] {
    const key = `${entity}.${attribute}`;
    const known = this.#drawn.get(key) ?? this.#draw(entity, attribute);
    this.#drawn.set(key, known);
    return known;
  }

  #draw(entity: string, attribute: string): readonly unknown[] {
    const { expires, lock } = this.#model.entities[entity]?.rules ?? {};
    if (attribute === expires) return this.#expiries(entity, attribute);
    const values = this.#open(entity, attribute);
    if (attribute === lock) return values.filter((value) => (compareValues(value, 0) ?? 0) > 0).slice(0, 3);
    const group = this.#groups.get(attribute) ?? attribute;
    const texts = new Set(values.map(valueText));
    const shared = (this.#chosen.get(group) ?? []).filter((value) => texts.has(valueText(value)));
    if (shared.length > 1) return shared;
    const chosen = [...shared, ...this.#choose(values)];
    if (this.#hasHalves) chosen.push(...this.#halves(entity, attribute, chosen));
    this.#chosen.set(group, [...(this.#chosen.get(group) ?? []), ...chosen]);
    return chosen;
  }

  /**
   * The initial values of an attribute. Sums are exact, and a number that JavaScript cannot represent is read as a bigint. An attribute that a
   * pattern adds to therefore has room below and above.
   */
  #open(entity: string, attribute: string): readonly unknown[] {
    const { values } = this.domain(entity, attribute);
    if (!this.#added.has(`${entity}.${attribute}`)) return values;
    return values.filter((value) => typeof value !== 'number' || Math.abs(value) < Number.MAX_SAFE_INTEGER / 1000);
  }

  /** Mostly neighbours in the order of values, because values far apart seldom cause errors. */
  #choose(values: readonly unknown[]): unknown[] {
    const random = this.#random;
    const count = random.between(2, 6);
    if (random.chance(0.5)) return random.some(values, count);
    const sorted = [...values].sort((a, b) => compareValues(a, b) ?? 0);
    return sorted.slice(random.below(Math.max(1, sorted.length - count + 1))).slice(0, count);
  }

  /** A text with half of a surrogate pair, which no item can have, and the text with the character that would be stored instead. */
  #halves(entity: string, attribute: string, chosen: readonly unknown[]): unknown[] {
    const schema = this.#model.entities[entity]?.attributes[attribute];
    const text = chosen.find((value) => typeof value === 'string');
    if (schema === undefined || text === undefined) return [];
    return [`${text}\ud83d`, `${text}\ufffd`]
      .map((value) => accepted(schema, value))
      .filter((value) => typeof value === 'string');
  }

  /** The current second, its neighbours, and times far from it. */
  #expiries(entity: string, attribute: string): unknown[] {
    const second = Math.floor(this.#now / 1000);
    const schema = this.#model.entities[entity]?.attributes[attribute];
    const candidates = [second - 1, second, second + 1, second + 86_400];
    return schema === undefined ? [] : candidates.filter((value) => accepted(schema, value) !== undefined);
  }
}

/**
 * Items of every entity. No two of an entity have the same values in the attributes of its primary key, or in those of a
 * guard.
 */
export function drawState(model: Model, pools: Pools, random: RandomSource, count: number): State {
  const state = new Map<string, Values[]>();
  const names = Object.keys(model.entities).filter((name) => model.keys[name] !== undefined);
  for (const entity of names) state.set(entity, []);
  for (let tries = 0; tries < count * 2 && [...state.values()].flat().length < count; tries += 1) {
    const entity = random.pick(names);
    const items = state.get(entity) ?? [];
    const item = drawItem(model, entity, pools, random, items);
    if (item !== undefined && !items.some((other) => isSame(model, entity, item, other))) items.push(item);
  }
  return state;
}

/** One item, as the schemas yield it; undefined if a required attribute has no known value. */
export function drawItem(
  model: Model,
  entity: string,
  pools: Pools,
  random: RandomSource,
  others: readonly Values[] = [],
): Values | undefined {
  const { attributes = {}, rules = {} } = model.entities[entity] ?? {};
  const { computed = {} } = rules;
  // Half of the items differ from another one in only a few attributes.
  const like = others.length > 0 && random.chance(0.5) ? random.pick(others) : undefined;
  const item: Record<string, unknown> = {};
  for (const name of Object.keys(attributes)) {
    const { optional } = pools.domain(entity, name);
    if (name in computed) continue;
    if (like !== undefined && random.chance(0.7)) {
      if (like[name] !== undefined) item[name] = like[name];
      continue;
    }
    if (optional && random.chance(0.3)) continue;
    const values = pools.values(entity, name);
    // The first value of each attribute is the most frequent, so that items gather in few partitions.
    const value = random.chance(0.35) ? values[0] : values[random.below(values.length)];
    if (value !== undefined) item[name] = value;
    else if (!optional) return undefined;
  }
  for (const [name, schema] of Object.entries(attributes)) {
    if (name in computed) continue;
    // A drawn value is what the schema yields, and may not be what it takes.
    const value = item[name] ?? accepted(schema, item[name]);
    if (value !== undefined) item[name] = value;
    else if (!pools.domain(entity, name).optional) return undefined;
  }
  let fits = true;
  const whole = withComputed(rules, item, (name, value) => {
    const schema = attributes[name];
    const yielded = schema === undefined ? value : accepted(schema, value);
    fits &&= yielded !== undefined || (value === undefined && pools.domain(entity, name).optional);
    return yielded;
  });
  return fits ? whole : undefined;
}

/** The attributes of a primary key, which identify an entity's items. A shard only says where an item is. */
export function identityOf({ keys, tables }: Model, entity: string): readonly string[] {
  const [, key] = Object.entries(keys[entity] ?? {}).find(([place]) => tables[place] !== undefined) ?? [];
  const templates = Array.isArray(key) ? key.filter((template) => typeof template === 'string') : [];
  return [...new Set(templates.flatMap(variablesOf))].filter((name) => name !== 'copy');
}

/** The other attributes of a guard's key: an attribute is unique among the items that have the same values of them. */
export function uniqueWithin({ storage }: Model, entity: string, unique: string): readonly string[] {
  const { key = [] } = storage[entity]?.unique?.[unique] ?? {};
  return [...new Set(key.flatMap(variablesOf))].filter((name) => name !== unique);
}

function isSame(model: Model, entity: string, item: Values, other: Values): boolean {
  const identity = identityOf(model, entity);
  const { rules = {} } = model.entities[entity] ?? {};
  const isEqual = (name: string): boolean =>
    equalValues(comparedValue(rules, name, item[name]), comparedValue(rules, name, other[name]));
  const isGuarded = (unique: string): boolean =>
    [unique, ...uniqueWithin(model, entity, unique)].every((name) => item[name] !== undefined && isEqual(name));
  const isRepeated = (generated: string): boolean => item[generated] !== undefined && isEqual(generated);
  return identity.every(isEqual) || (rules.unique ?? []).some(isGuarded) || (rules.generated ?? []).some(isRepeated);
}

function variablesOf(template: string): string[] {
  const variables = [...template.matchAll(/\{(\w+)(?:}|:([^}]*))/g)];
  return variables.filter(([, , chain = '']) => !/(?:^|:)shard\d+$/.test(chain)).map(([, name = '']) => name);
}

/** Attributes that refer to each other: by a relationship, another name of an input, or a copy. */
function sharedNames({ relationships, patterns, entities }: Model): ReadonlyMap<string, string> {
  const groups = new Map<string, string>();
  const join = (a: string, b: string): void => {
    const [from, to] = [groups.get(a) ?? a, groups.get(b) ?? b];
    for (const [name, group] of groups) if (group === from) groups.set(name, to);
    groups.set(a, to).set(b, to);
  };
  for (const [, , , rules] of relationships)
    for (const [parent, child] of Object.entries(rules?.by ?? {})) join(child, parent);
  for (const { aka = {} } of Object.values(patterns)) {
    const [first, ...others] = Object.values(aka).flat();
    for (const other of others) if (first !== undefined) join(other, first);
  }
  for (const { rules } of Object.values(entities))
    for (const [name, duplicate] of Object.entries(rules.duplicates ?? {}))
      join(name, String((duplicate as { readonly from: string }).from.split('.')[1]));
  return groups;
}

/** The attributes, with their entities, that a pattern adds to, or that are summed in a parent. */
function addedTo({ patterns, relationships }: Model): ReadonlySet<string> {
  const writes: WriteNeed[] = Object.values(patterns).flatMap((need) => [need, ...Object.values(need.transacts ?? {})]);
  const addends = relationships.flatMap((relationship) =>
    Object.values(relationship[3]?.sum ?? {}).map((name) => `${childOf(relationship)}.${name}`),
  );
  const added = writes.flatMap(({ updates, changes = {} }) =>
    Object.entries(changes).flatMap(([name, change]) =>
      typeof change === 'object' && change !== null && 'add' in change ? [`${[updates].flat()[0] ?? ''}.${name}`] : [],
    ),
  );
  return new Set([...addends, ...added]);
}

/** Constants of conditions and the fixed texts of keys. Values on either side of them are worth testing. */
function hintsOf({ patterns, keys }: Model): unknown[] {
  const hints = new Map<string, unknown>();
  const take = (value: unknown): void => void hints.set(valueText(value), value);
  const condition = (given: Guard | undefined): void => {
    for (const test of Object.values(given ?? {}) as unknown[]) constants(test, take);
  };
  for (const { where, given } of Object.values(patterns)) {
    condition(where);
    condition(given);
  }
  const templates = (key: unknown): void => {
    if (typeof key === 'string') for (const text of key.split(/\{[^}]*\}/)) if (text.length > 1) take(text);
    if (typeof key !== 'object' || key === null) return;
    for (const [name, each] of Object.entries(key))
      if (name === 'when') condition(each as Guard);
      else templates(each);
  };
  templates(keys);
  return [...hints.values()];
}

function constants(test: unknown, take: (value: unknown) => void): void {
  if (Array.isArray(test)) for (const each of test) constants(each, take);
  else if (typeof test === 'object' && test !== null && !('ref' in test) && !('attribute' in test))
    for (const [comparison, each] of Object.entries(test)) {
      if (comparison === 'exists' || comparison === 'size') continue;
      constants(each, take);
      if (typeof each === 'number') for (const near of [each - 1, each + 1]) take(near);
    }
  else take(test);
}

/** A state without the items that `drop` names, for reducing a counterexample. */
export function withoutItem(state: State, entity: string, at: number): State {
  return new Map([...state].map(([name, items]) => [name, name === entity ? items.filter((_, i) => i !== at) : items]));
}
