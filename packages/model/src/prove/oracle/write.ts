import type { Entities } from '../../entities/entity.ts';
import type { Relationship } from '../../entities/relationship.ts';
import type { Need, WriteNeed } from '../../patterns/need.ts';
import { meetsCondition, valueAt } from './conditions.ts';
import { comparedValue } from './sameness.ts';
import { compareValues, equalValues, exactSum, type Values, withComputed } from './values.ts';

/** What a write may change, and the rules it keeps. */
export interface WriteWorld {
  readonly entities: Entities;
  readonly relationships: readonly Relationship[];
  /** The attributes that identify an entity's items. */
  readonly identity: (entity: string) => readonly string[];
  /** The attributes within whose values an attribute is unique. */
  readonly within: (entity: string, unique: string) => readonly string[];
  /**
   * The place of an item, if the model accepts that different items have one: items of other entities, or with other values. Of all that have a place
   * in common there is one.
   */
  readonly place: (entity: string, item: Values) => string | undefined;
  /** Whether a write reads its item first. Otherwise, if it may create the item, it cannot tell whether it does. */
  readonly readsFirst: (need: WriteNeed) => boolean;
  readonly items: ReadonlyMap<string, readonly Values[]>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The outcome of a write: the state afterwards, or the rules that reject it. */
export type ExpectedWrite =
  | {
      readonly kind: 'written';
      readonly items: ReadonlyMap<string, readonly Values[]>;
      /** What the caller gets: an item, a list of items, or nothing. */
      readonly returned: Returned;
    }
  | { readonly kind: 'refused'; readonly codes: ReadonlySet<string> }
  /** A value that a schema rejects. */
  | { readonly kind: 'bad input' };

/** The result of a write. */
export type Returned = Values | readonly Values[] | undefined;

const verbs = ['creates', 'puts', 'upserts', 'updates', 'deletes', 'checks'] as const;
type Verb = (typeof verbs)[number];

class BadInput extends TypeError {}

/** The outcome of a write, from only its declaration, the rules of the entities and the items. All of it happens, or none. */
export function expectedWrite(need: Need, world: WriteWorld, input: Values): ExpectedWrite {
  const draft = new Draft(world);
  let returned: readonly (Values | undefined)[] = [];
  try {
    if (need.transacts === undefined) returned = draft.apply(need, input);
    else for (const [part, write] of Object.entries(need.transacts)) draft.apply(write, input[part]);
  } catch (error) {
    if (error instanceof BadInput) return { kind: 'bad input' };
    throw error;
  }
  draft.keepLateParents();
  draft.keepUnique();
  if (draft.refusals.size > 0) return { kind: 'refused', codes: draft.refusals };
  const results = returned.flatMap((item) => (item === undefined ? [] : [draft.asLeft(item)]));
  const isList = Array.isArray(need.creates ?? need.puts);
  return { kind: 'written', items: draft.result(), returned: isList ? results : results[0] };
}

/** A state on which writes are tried. */
class Draft {
  readonly refusals = new Set<string>();
  /** Items that are created or put, as one part writes them, by what others make of them. */
  readonly #whole = new Map<Values, Values>();
  /** Items as they were written, with their entities. Later parts of the write may replace or delete them. */
  readonly #written = new Map<Values, string>();
  /** What became of an item, by the item before. */
  readonly #next = new Map<Values, Values>();
  /** What is to be looked at again when all is written: parents that were missing when their children were written. */
  readonly #late: (() => void)[] = [];
  #isAllWritten = false;
  readonly #world: WriteWorld;
  readonly #items: Map<string, Record<string, unknown>[]>;

  constructor(world: WriteWorld) {
    this.#world = world;
    this.#items = new Map([...world.items].map(([entity, items]) => [entity, items.map((item) => ({ ...item }))]));
  }

  result(): ReadonlyMap<string, readonly Values[]> {
    return this.#items;
  }

  /** An item as the whole write leaves it. */
  asLeft(item: Values): Values {
    const next = this.#next.get(item);
    return next === undefined ? item : this.asLeft(next);
  }

  /** @returns for each input, the item that the caller gets. */
  apply(need: WriteNeed, input: unknown): readonly (Values | undefined)[] {
    const verb = verbs.find((each) => need[each] !== undefined);
    if (verb === undefined) return [];
    const target = need[verb];
    const entity = typeof target === 'string' ? target : (target?.[0] ?? '');
    const inputs = typeof target === 'string' ? [input as Values] : (input as readonly Values[]);
    return inputs.map((each) => this.#one(verb, entity, need, each));
  }

  #one(verb: Verb, entity: string, need: WriteNeed, input: Values): Values | undefined {
    if (verb === 'creates') return this.#create(entity, need, input);
    if (verb === 'puts') return this.#put(entity, need, input);
    if (verb === 'updates') return this.#update(entity, need, input);
    if (verb === 'deletes') return this.#delete(entity, need, input);
    if (verb === 'upserts') this.#upsert(entity, need, input);
    else this.#check(entity, need, input);
    return undefined;
  }

  #create(entity: string, need: WriteNeed, input: Values): Values {
    const item = this.#parsed(entity, this.#numbered(entity, input));
    for (const [parent, , , { count, sum = {} } = {}] of this.#world.relationships)
      for (const tally of parent === entity ? [...(count === undefined ? [] : [count]), ...Object.keys(sum)] : [])
        if (!equalValues(input[tally] ?? 0, 0)) throw new BadInput(tally);
    const there = this.#stored(entity, item);
    if (there !== undefined && (need.expired === true || this.#isLive(entity, there)))
      this.refusals.add('already-exists');
    else if (!meetsCondition(need.given, {}, input)) this.refusals.add('condition-failed');
    this.#add(entity, item, there);
    return item;
  }

  #put(entity: string, need: WriteNeed, input: Values): Values {
    const { lock } = this.#rules(entity);
    const item = this.#parsed(entity, lock === undefined ? input : { ...input, [lock]: 1 });
    const there = this.#stored(entity, item);
    const isThere = there !== undefined && this.#isLive(entity, there);
    if (!meetsCondition(need.given, isThere ? there : {}, input)) this.refusals.add('condition-failed');
    this.#add(entity, item, there);
    return item;
  }

  #upsert(entity: string, need: WriteNeed, input: Values): void {
    const { lock } = this.#rules(entity);
    const item = this.#parsed(entity, lock === undefined ? input : { ...input, [lock]: 1 });
    const there = this.#stored(entity, item);
    if (there === undefined || !this.#isLive(entity, there)) {
      if (this.#mayCreate(need, input)) this.#add(entity, item, there);
      return;
    }
    if (!meetsCondition(need.given, there, input)) this.refusals.add('condition-failed');
    this.#keepParentsUnread(entity, need, { input, made: item });
    const given = Object.fromEntries(
      Object.keys(item).flatMap((name) =>
        input[name] === undefined && there[name] !== undefined ? [] : [[name, item[name]]],
      ),
    );
    const after = { ...there, ...given };
    if (lock !== undefined) after[lock] = Number(there[lock] ?? 0) + 1;
    const whole = this.#computed(entity, after);
    if (this.#world.readsFirst(need)) this.#keepNewParents(entity, there, whole);
    this.#replace(entity, there, whole);
  }

  /** What is computed from the input alone is refused before any item is looked at. */
  #computeFromInput(entity: string, need: WriteNeed, input: Values): void {
    const { computed = {} } = this.#rules(entity);
    const given = new Set([...(need.by ?? []), ...(need.sets ?? []), ...(need.maySet ?? [])]);
    const known = Object.entries(computed).filter(([, rule]) =>
      rule?.from.every((each) => given.has(each) && each in input),
    );
    withComputed({ computed: Object.fromEntries(known) }, input, (name, value) => this.#value(entity, name, value));
  }

  /** @returns the item before or after, if the pattern returns it. */
  #update(entity: string, need: WriteNeed, input: Values): Values | undefined {
    const { lock } = this.#rules(entity);
    // Values that their schemas refuse are refused before any item is looked at.
    for (const name of [...(need.sets ?? []), ...(need.maySet ?? [])])
      if (input[name] !== undefined) this.#value(entity, name, input[name]);
    this.#computeFromInput(entity, need, input);
    const there = this.#named(entity, need, input);
    if (there === undefined) {
      if (need.orCreates !== true) {
        this.refusals.add('not-found');
        return undefined;
      }
      if (!this.#mayCreate(need, input)) return undefined;
      const item = this.#parsed(entity, this.#changed(need, this.#blank(entity, need, input), input));
      const other = this.#stored(entity, item);
      // An item that differs in what else `by` names is in the way.
      if (other !== undefined && this.#isLive(entity, other)) this.refusals.add('already-exists');
      this.#add(entity, item, other);
      return need.returns === 'new' ? item : undefined;
    }
    // Parts of one transaction compare the version from before all of them.
    if (lock !== undefined && !equalValues(this.#before(entity, there)[lock], input[lock]))
      this.refusals.add('stale-version');
    // So do their conditions.
    if (!meetsCondition(need.given, this.#before(entity, there), input)) this.refusals.add('condition-failed');
    if (need.orCreates === true)
      this.#keepParentsUnread(entity, need, {
        input,
        made: this.#changed(need, this.#blank(entity, need, input), input),
      });
    const after = this.#changed(need, { ...there }, input);
    for (const name of [...(need.sets ?? []), ...(need.maySet ?? [])])
      if (after[name] !== undefined) after[name] = this.#value(entity, name, after[name]);
    if (lock !== undefined) after[lock] = Number(input[lock]) + 1;
    const whole = this.#computed(entity, after);
    const before = { ...there };
    this.#keepNewParents(entity, before, whole, { given: this.#givenBy(entity, need, input), by: need.by ?? [] });
    this.#replace(entity, there, whole);
    return { new: whole, old: before, none: undefined }[need.returns ?? 'none'];
  }

  /** The attributes that an update gives new values, or values as they were: it cannot tell. */
  #givenBy(entity: string, need: WriteNeed, input: Values): ReadonlySet<string> {
    const given = new Set<string>([...(need.sets ?? []), ...(need.maySet ?? [])].filter((name) => name in input));
    for (const [name, change] of Object.entries(need.changes ?? {}))
      if (typeof change !== 'object' || change === null || 'ref' in change) given.add(name);
    for (const [name, { from }] of Object.entries(
      (this.#rules(entity).computed ?? {}) as Readonly<Record<string, { readonly from: readonly string[] }>>,
    ))
      if (from.some((each) => given.has(each))) given.add(name);
    return given;
  }

  /** An item needs the parents that it is moved to, and those that an update names in full, whatever they were before. */
  #keepNewParents(
    entity: string,
    before: Values,
    after: Values,
    { given, by }: { readonly given: ReadonlySet<string>; readonly by: readonly string[] } = {
      given: new Set(),
      by: [],
    },
  ): void {
    this.#keepParents(
      entity,
      after,
      (names) =>
        names.some(([, child]) => !equalValues(before[child], after[child])) ||
        (names.some(([, child]) => given.has(child)) &&
          names.every(([, child]) => given.has(child) || by.includes(child))),
    );
  }

  /** What an update that creates its item begins with: additions are to the defaults, which `initial` replaces. */
  #blank(entity: string, { by = [], changes = {} }: WriteNeed, input: Values): Record<string, unknown> {
    const blank: Record<string, unknown> = Object.fromEntries(by.map((name) => [name, input[name]]));
    for (const [name, change] of Object.entries(changes)) {
      const schema = this.#world.entities[entity]?.attributes[name];
      const missing = resultOf(schema, undefined);
      if (missing === undefined) continue;
      if (!('initial' in Object(change))) blank[name] ??= missing.value;
    }
    return blank;
  }

  /** A write of an existing item that would also create it, and has not read it, needs its parents as if it did. */
  #keepParentsUnread(
    entity: string,
    need: WriteNeed,
    { input, made }: { readonly input: Values; readonly made: Values },
  ): void {
    if (!this.#world.readsFirst(need) && meetsCondition(need.given, {}, input)) this.#keepParents(entity, made);
  }

  /** A write that creates a missing item needs one if a missing item does not meet its condition. */
  #mayCreate({ given }: WriteNeed, input: Values): boolean {
    const may = meetsCondition(given, {}, input);
    if (!may) this.refusals.add('not-found');
    return may;
  }

  /** @returns the item as it was, if the pattern returns it. */
  #delete(entity: string, need: WriteNeed, input: Values): Values | undefined {
    const { lock } = this.#rules(entity);
    this.#computeFromInput(entity, need, input);
    const there = this.#named(entity, need, input);
    if (there === undefined) {
      // A version is compared, and a condition has to be met, by a missing item, too.
      if (need.mustExist === true || lock !== undefined || !meetsCondition(need.given, {}, input))
        this.refusals.add('not-found');
      else this.#forget(entity, need, input);
      return undefined;
    }
    if (lock !== undefined && !equalValues(there[lock], input[lock])) this.refusals.add('stale-version');
    if (!meetsCondition(need.given, there, input)) this.refusals.add('condition-failed');
    this.#remove(entity, there);
    this.#count(entity, there, -1);
    return need.returns === 'old' ? there : undefined;
  }

  /** A delete that requires nothing removes an expired item, which is in the way of a create that wants none at all. */
  #forget(entity: string, { by = [], given }: WriteNeed, input: Values): void {
    const identity = this.#world.identity(entity);
    const { unique = [] } = this.#rules(entity);
    const isPlain = given === undefined && unique.length === 0 && by.every((name) => identity.includes(name));
    if (!isPlain || this.#parents(entity).some(([, rules]) => isTallied(rules))) return;
    this.#remove(entity, this.#stored(entity, input));
  }

  #remove(entity: string, item: Values | undefined): void {
    this.#items.set(
      entity,
      this.#of(entity).filter((other) => other !== item),
    );
  }

  #check(entity: string, need: WriteNeed, input: Values): void {
    const there = this.#named(entity, need, input);
    if (there === undefined && need.mustExist !== false) this.refusals.add('not-found');
    // What another part changes is compared as it was before.
    else if (!meetsCondition(need.given, there === undefined ? {} : this.#before(entity, there), input))
      this.refusals.add('condition-failed');
  }

  /** Adds an item, replacing an expired one or one to be replaced. */
  #add(entity: string, item: Record<string, unknown>, instead: Record<string, unknown> | undefined): void {
    if (this.#displaces(entity, item)) this.refusals.add('already-exists');
    this.#remove(entity, instead);
    this.#items.set(entity, [...this.#of(entity), item]);
    this.#whole.set(item, item);
    this.#written.set(item, entity);
    this.#keepParents(entity, item);
    if (instead === undefined) this.#count(entity, item, 1);
  }

  #replace(entity: string, before: Record<string, unknown>, after: Record<string, unknown>): void {
    for (const name of Object.keys(after)) if (after[name] === undefined) delete after[name];
    this.#become(before, after);
    this.#items.set(
      entity,
      this.#of(entity).map((item) => (item === before ? after : item)),
    );
    this.#written.set(after, entity);
    for (const [parent, rules, names] of this.#parents(entity)) {
      const isSame = (name: string): boolean => equalValues(before[name], after[name]);
      const stays = names.every(([, child]) => isSame(child));
      if (!isTallied(rules) || (stays && Object.values(rules.sum ?? {}).every(isSame))) continue;
      this.#tallyIn(parent, rules, names, before, -1);
      this.#tallyIn(parent, rules, names, after, 1, stays);
    }
  }

  /** All of a write happens at once, so that a parent may be written after its child, and items may be each other's parents. */
  keepLateParents(): void {
    this.#isAllWritten = true;
    for (const keep of this.#late) keep();
  }

  #isMissing(parent: () => void): void {
    if (this.#isAllWritten) this.refusals.add('parent-missing');
    else this.#late.push(parent);
  }

  /** All of a write happens at once, so that items may exchange their values: what counts is what is stored afterwards. */
  keepUnique(): void {
    for (const [item, entity] of this.#written) if (this.#of(entity).includes(item)) this.#keepUnique(entity, item);
  }

  #keepUnique(entity: string, item: Values): void {
    for (const unique of this.#rules(entity).unique ?? []) {
      const names = [unique, ...this.#world.within(entity, unique)];
      // No key has null, so that no guard claims it.
      if (names.some((name) => item[name] === undefined || item[name] === null)) continue;
      const taken = this.#of(entity).some(
        (other) =>
          other !== item &&
          names.every((name) => this.#isEqual(entity, name, other, item)) &&
          this.#isLive(entity, other),
      );
      if (taken) this.refusals.add('not-unique');
    }
  }

  /** Removes an item of another entity, expired or not, from where an item is to be, for other parts of the write. @returns whether there was one. */
  #displaces(entity: string, item: Values): boolean {
    const place = this.#world.place(entity, item);
    if (place === undefined) return false;
    let isThere = false;
    for (const [other, items] of this.#items) {
      const left = items.filter((each) => other === entity || this.#world.place(other, each) !== place);
      isThere ||= left.length < items.length;
      this.#items.set(other, left);
    }
    return isThere;
  }

  /** Each required parent has to be there. Of those that exclude each other, one has to be. */
  #keepParents(entity: string, item: Values, isMeant: (names: Names) => boolean = () => true): void {
    const parents = this.#parents(entity).filter(
      ([, { required }, names]) =>
        required === true && names.every(([, name]) => item[name] !== undefined) && isMeant(names),
    );
    const places = parents.map(([parent, , names]) =>
      this.#world.place(parent, Object.fromEntries(names.map(([own, name]) => [own, item[name]]))),
    );
    const isThere = parents.map(([parent, , names]) => {
      const there = this.#parentOf(parent, names, item);
      return there !== undefined && this.#isLive(parent, there);
    });
    const isMet = places.every((place, at) =>
      isThere.some((is, other) => is && (other === at || (place !== undefined && place === places[other]))),
    );
    if (!isMet) this.#isMissing(() => this.#keepParents(entity, item, isMeant));
  }

  #count(entity: string, item: Values, by: 1 | -1): void {
    for (const [parent, rules, names] of this.#parents(entity))
      if (isTallied(rules)) this.#tallyIn(parent, rules, names, item, by);
  }

  /** A parent counts a child in or out, and adds or subtracts the child's values. */
  #tallyIn(parent: string, tallying: Tallying, names: Names, child: Values, by: 1 | -1, stays = false): void {
    const { count, sum = {} } = tallying;
    if (names.some(([, name]) => child[name] === undefined)) return;
    const there = this.#parentOf(parent, names, child);
    if (there === undefined || !this.#isLive(parent, there)) {
      // A parent that is gone has nothing to count out.
      if (by > 0 && !stays) this.#isMissing(() => this.#tallyIn(parent, tallying, names, child, by));
      return;
    }
    const after: Record<string, unknown> = { ...there };
    const add = (tally: string, amount: number | bigint): void => {
      after[tally] = exactSum((after[tally] ?? 0) as number | bigint, amount);
    };
    if (count !== undefined) add(count, by);
    for (const [tally, of] of Object.entries(sum)) {
      const amount = (child[of] ?? 0) as number | bigint;
      add(tally, by > 0 ? amount : -amount);
    }
    if (this.#written.has(there)) this.#written.set(after, parent);
    this.#become(there, after);
    this.#items.set(
      parent,
      this.#of(parent).map((item) => (item === there ? after : item)),
    );
  }

  /** With the version, and the next number of its parent's counter. */
  #numbered(entity: string, input: Values): Values {
    const { lock, sequence = {} } = this.#rules(entity);
    const numbered: Record<string, unknown> = { ...input, ...(lock !== undefined && { [lock]: 1 }) };
    for (const [name, source] of Object.entries(sequence)) {
      const [parent = '', counter = ''] = String(source).split('.');
      // Without a relationship, the child has the key of its parent under the same names.
      const names =
        this.#parents(entity).find(([each]) => each === parent)?.[2] ??
        this.#world.identity(parent).map((each) => [each, each] as const);
      const there = this.#parentOf(parent, names, input);
      if (there === undefined || !this.#isLive(parent, there)) this.refusals.add('parent-missing');
      else {
        numbered[name] = Number(there[counter] ?? 0) + 1;
        there[counter] = numbered[name];
      }
      numbered[name] ??= 1;
    }
    return numbered;
  }

  /** The live item that `by` identifies in full. One that differs beyond the key is another item. */
  #named(entity: string, need: WriteNeed, input: Values): Record<string, unknown> | undefined {
    const { lock } = this.#rules(entity);
    const there = this.#stored(entity, input);
    if (there === undefined || !this.#isLive(entity, there)) return undefined;
    const placed = this.#world.place(entity, input) === undefined ? [] : this.#world.identity(entity);
    return (need.by ?? []).every(
      (name) => name === lock || placed.includes(name) || this.#isEqual(entity, name, there, input),
    )
      ? there
      : undefined;
  }

  #become(before: Values, after: Values): void {
    this.#next.set(before, after);
    const whole = this.#whole.get(before);
    if (whole !== undefined) this.#whole.set(after, whole);
  }

  /** An item in its state before the write began. */
  #before(entity: string, item: Values): Values {
    // What one part writes whole is what the others see.
    const whole = this.#whole.get(item);
    if (whole !== undefined) return whole;
    const identity = this.#world.identity(entity);
    const same = (other: Values): boolean => identity.every((name) => this.#isEqual(entity, name, other, item));
    return (this.#world.items.get(entity) ?? []).find(same) ?? item;
  }

  #stored(entity: string, values: Values): Record<string, unknown> | undefined {
    const place = this.#world.place(entity, values);
    if (place !== undefined) return this.#of(entity).find((item) => this.#world.place(entity, item) === place);
    const identity = this.#world.identity(entity);
    return this.#of(entity).find((item) => identity.every((name) => this.#isEqual(entity, name, item, values)));
  }

  #isEqual(entity: string, name: string, a: Values, b: Values): boolean {
    const rules = this.#rules(entity);
    return equalValues(comparedValue(rules, name, a[name]), comparedValue(rules, name, b[name]));
  }

  /** A child may spell its parent's key in another way that the parent declares to be the same. */
  #parentOf(parent: string, names: Names, child: Values): Record<string, unknown> | undefined {
    const rules = this.#rules(parent);
    const isSame = (own: string, a: unknown, b: unknown): boolean =>
      equalValues(comparedValue(rules, own, a), comparedValue(rules, own, b));
    return this.#of(parent).find((item) => names.every(([own, name]) => isSame(own, item[own], child[name])));
  }

  /** The parents of an entity: their rules, and which attribute of the child refers to which of the parent's. */
  #parents(entity: string): readonly (readonly [string, Tallying & { readonly required?: boolean }, Names])[] {
    return this.#world.relationships
      .filter(([, , child, rules]) => (rules?.through ?? child) === entity)
      .map(([parent, , , rules = {}]) => {
        const names = this.#world.identity(parent).map((name) => [name, rules.by?.[name] ?? name] as const);
        return [parent, rules, names] as const;
      });
  }

  #isLive(entity: string, item: Values): boolean {
    const { expires } = this.#rules(entity);
    if (expires === undefined || item[expires] === undefined) return true;
    return (compareValues(item[expires], Math.floor(this.#world.now / 1000)) ?? 1) > 0;
  }

  #changed(need: WriteNeed, item: Record<string, unknown>, input: Values): Record<string, unknown> {
    for (const name of [...(need.sets ?? []), ...(need.maySet ?? [])]) if (name in input) item[name] = input[name];
    for (const [path, change] of Object.entries(need.changes ?? {})) applyChange(item, path, change, input);
    return item;
  }

  #parsed(entity: string, input: Values): Record<string, unknown> {
    const item: Record<string, unknown> = {};
    const { computed = {} } = this.#rules(entity);
    for (const name of Object.keys(this.#world.entities[entity]?.attributes ?? {})) {
      if (name in computed) continue;
      const value = this.#value(entity, name, input[name]);
      if (value !== undefined) item[name] = value;
    }
    return this.#computed(entity, item);
  }

  #computed(entity: string, item: Values): Record<string, unknown> {
    return withComputed(this.#rules(entity), item, (name, value) => this.#value(entity, name, value));
  }

  #value(entity: string, name: string, value: unknown): unknown {
    const schema = this.#world.entities[entity]?.attributes[name];
    const result = resultOf(schema, value);
    if (result === undefined) throw new BadInput(name);
    return result.value;
  }

  #rules(entity: string): Entities[string]['rules'] {
    return this.#world.entities[entity]?.rules ?? {};
  }

  #of(entity: string): Record<string, unknown>[] {
    return this.#items.get(entity) ?? [];
  }
}

/** What a schema yields; undefined for a value that it refuses, or for which it throws or needs time. */
function resultOf(
  schema: Entities[string]['attributes'][string] | undefined,
  value: unknown,
): { readonly value: unknown } | undefined {
  const result = schema?.['~standard'].validate(value);
  if (result instanceof Promise) result.catch(() => undefined);
  return result === undefined || result instanceof Promise || result.issues !== undefined ? undefined : result;
}

/** What a parent keeps about its children: their number, and sums of their attributes. */
interface Tallying {
  readonly count?: string;
  readonly sum?: { readonly [tally: string]: string };
}

function isTallied({ count, sum }: Tallying): boolean {
  return count !== undefined || sum !== undefined;
}

type Names = readonly (readonly [parent: string, child: string])[];

type Container = Record<string | number, unknown> | unknown[];

/** Makes one change at a path such as `addresses.{label}` or `stops[0].at`, and copies the values along the path. */
function applyChange(item: Record<string, unknown>, path: string, change: unknown, input: Values): void {
  const steps = path
    .split(/\.|(?=\[)/)
    .map(
      (step) =>
        /^\[(\d+)\]$/.exec(step)?.[1] ?? step.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(input[name])),
    );
  const before = valueAt(item, path, input);
  const after = changedValue(before, change, input);
  let at: Container = item;
  for (const step of steps.slice(0, -1)) {
    const inner: unknown = (at as Record<string, unknown>)[step];
    const next: Container = Array.isArray(inner)
      ? [...(inner as unknown[])]
      : { ...(inner as Record<string, unknown> | undefined) };
    (at as Record<string, unknown>)[step] = next;
    at = next;
  }
  const last = steps.at(-1) ?? '';
  // An element beyond the end of a list is appended, and those behind a removed one move up.
  if (Array.isArray(at)) at.splice(Number(last), 1, ...(after === undefined ? [] : [after]));
  else if (after === undefined) delete at[last];
  else at[last] = after;
}

function changedValue(before: unknown, change: unknown, input: Values): unknown {
  const given = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && 'ref' in value ? input[String(value.ref)] : value;
  if (typeof change !== 'object' || change === null || Array.isArray(change) || 'ref' in change) return given(change);
  if ('remove' in change) return undefined;
  if ('add' in change) {
    const amount = given(change.add) as number | bigint;
    return exactSum((before ?? 0) as number | bigint, (change as { readonly times?: -1 }).times ? -amount : amount);
  }
  if ('initial' in change) return before ?? given(change.initial);
  if ('append' in change)
    return [...((before as unknown[] | undefined) ?? []), ...(given(change.append) as unknown[]).map(given)];
  const elements = new Set(before as Set<unknown> | undefined);
  if ('include' in change) return elements.add(given(change.include));
  if (!('exclude' in change)) return change;
  elements.delete(given(change.exclude));
  return elements.size === 0 ? undefined : elements;
}
