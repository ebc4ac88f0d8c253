import type { Model } from '../model.ts';
import { childOf } from '../entities/relationship.ts';
import type { Need, WriteNeed } from '../patterns/need.ts';
import { drawItem, type Pools, type State } from './data.ts';
import { accepted, acceptedAsInput, domainOf } from './domain.ts';
import type { Values } from './oracle/index.ts';
import type { RandomSource } from './random-source.ts';

/** One call of a pattern that writes. */
export interface WriteCall {
  /** The pattern's name. */
  readonly pattern: string;
  /** The input of the call. */
  readonly input: unknown;
}

/** Draws writes: of existing, missing and expired items, with the stored version and with others. */
export class WriteCalls {
  readonly #model: Model;
  readonly #pools: Pools;
  readonly #random: RandomSource;

  constructor(model: Model, pools: Pools, random: RandomSource) {
    this.#model = model;
    this.#pools = pools;
    this.#random = random;
  }

  /** @returns undefined if a required attribute has no known value. */
  draw(pattern: string, need: Need, state: State): WriteCall | undefined {
    if (need.transacts === undefined) {
      const input = this.#input(need, state, {});
      return input === undefined ? undefined : { pattern, input };
    }
    const shared: Record<string, unknown> = {};
    const parts: Record<string, unknown> = {};
    for (const [part, write] of Object.entries(need.transacts)) {
      parts[part] = this.#input(write, state, shared);
      if (parts[part] === undefined) return undefined;
      // Parts of a transaction mostly concern the same items.
      const [first] = [parts[part]].flat() as Values[];
      if (this.#random.chance(0.8))
        for (const [name, value] of Object.entries(first ?? {})) if (typeof value !== 'object') shared[name] ??= value;
    }
    return { pattern, input: parts };
  }

  /** Two or three of a procedure's writes, which mostly concern the same items. */
  drawTogether(taken: readonly (readonly [string, Need])[], state: State): WriteCall[] | undefined {
    const shared: Record<string, unknown> = {};
    const calls: WriteCall[] = [];
    for (const [pattern, need] of this.#random.some(taken, this.#random.between(2, 3))) {
      const call =
        need.transacts === undefined
          ? { pattern, input: this.#input(need, state, shared) }
          : this.draw(pattern, need, state);
      if (call?.input === undefined) return undefined;
      calls.push(call);
      const [first] = [call.input].flat() as Values[];
      if (need.transacts === undefined && this.#random.chance(0.7))
        for (const [name, value] of Object.entries(first ?? {})) if (typeof value !== 'object') shared[name] ??= value;
    }
    return calls;
  }

  #input(need: WriteNeed, state: State, shared: Values): unknown {
    const verb = (['creates', 'puts', 'upserts', 'updates', 'deletes', 'checks'] as const).find(
      (each) => need[each] !== undefined,
    );
    if (verb === undefined) return undefined;
    const target = need[verb];
    const many = typeof target !== 'string';
    const entity = many ? (target?.[0] ?? '') : target;
    const inputs = Array.from({ length: many ? this.#random.between(1, 3) : 1 }, () =>
      verb === 'creates' || verb === 'puts' || verb === 'upserts'
        ? this.#newItem(entity, need, state, shared)
        : this.#change(entity, need, state, shared),
    );
    if (inputs.includes(undefined)) return undefined;
    return many ? inputs : inputs[0];
  }

  #newItem(entity: string, need: WriteNeed, state: State, shared: Values): Values | undefined {
    const item = drawItem(this.#model, entity, this.#pools, this.#random, state.get(entity));
    if (item === undefined) return undefined;
    const { lock, sequence = {}, computed = {} } = this.#model.entities[entity]?.rules ?? {};
    const input: Record<string, unknown> = { ...item, ...this.#shareable(entity, shared) };
    for (const relationship of this.#model.relationships) {
      const [parent, , , rules] = relationship;
      const parents = state.get(parent) ?? [];
      if (childOf(relationship) !== entity || parents.length === 0 || this.#random.chance(0.2)) continue;
      const like = this.#random.pick(parents);
      for (const name of Object.keys(this.#model.entities[parent]?.attributes ?? {})) {
        const own = rules?.by?.[name] ?? name;
        if (own in input && like[name] !== undefined && !(own in shared) && isKeyLike(this.#model, parent, name))
          input[own] = like[name];
      }
    }
    for (const name of [lock, ...Object.keys(sequence), ...Object.keys(computed)])
      if (name !== undefined) delete input[name];
    for (const name of Object.keys(input))
      if (this.#hasDefault(entity, name) && this.#random.chance(0.3)) delete input[name];
    // Numbers that the model counts start at zero. A create refuses any other.
    const isRefused = need.creates !== undefined && this.#random.fork(1).chance(0.05);
    for (const name of countersOf(this.#model, entity))
      if (isRefused || (!this.#pools.domain(entity, name).optional && !this.#hasDefault(entity, name)))
        input[name] = isRefused ? 1 : 0;
      else delete input[name];
    return { ...input, ...this.#taken(need, state, entity) };
  }

  #change(entity: string, need: WriteNeed, state: State, shared: Values): Values | undefined {
    const items = state.get(entity) ?? [];
    const like = items.length > 0 && this.#random.chance(0.85) ? this.#random.pick(items) : undefined;
    const input: Record<string, unknown> = {};
    const { lock } = this.#model.entities[entity]?.rules ?? {};
    for (const name of need.by ?? []) {
      const value = like?.[name] !== undefined && this.#random.chance(0.93) ? like[name] : this.#value(entity, name);
      input[name] = shared[name] ?? value;
      if (input[name] === undefined) return undefined;
    }
    if (lock !== undefined) {
      const stored = Number(like?.[lock] ?? 1);
      input[lock] = this.#random.chance(0.85) ? stored : Math.max(1, stored + this.#random.pick([-1, 1]));
    }
    for (const name of need.sets ?? []) {
      const { optional } = this.#pools.domain(entity, name);
      input[name] = optional && this.#random.chance(0.2) ? undefined : this.#value(entity, name);
      if (input[name] === undefined && !optional) return undefined;
    }
    for (const name of need.maySet ?? []) {
      const { optional } = this.#pools.domain(entity, name);
      if (this.#random.chance(0.4)) continue;
      const value = optional && this.#random.chance(0.25) ? undefined : this.#value(entity, name);
      if (value !== undefined || optional) input[name] = value;
    }
    return { ...input, ...this.#taken(need, state, entity) };
  }

  #taken({ takes = {} }: WriteNeed, state: State, entity: string): Values {
    const taken: Record<string, unknown> = {};
    for (const [name, schema] of Object.entries(takes)) {
      const known = [
        ...(state.get(entity) ?? []).flatMap((item) => Object.values(item)),
        ...domainOf(schema, [], this.#random).values,
      ];
      const values = acceptedAsInput(schema, known);
      if (values.length > 0) taken[name] = this.#random.pick(values);
    }
    return taken;
  }

  #shareable(entity: string, shared: Values): Values {
    const { attributes = {} } = this.#model.entities[entity] ?? {};
    return Object.fromEntries(
      Object.entries(shared).filter(([name, value]) => {
        const schema = attributes[name];
        return schema !== undefined && accepted(schema, value) !== undefined;
      }),
    );
  }

  #hasDefault(entity: string, name: string): boolean {
    const schema = this.#model.entities[entity]?.attributes[name];
    return schema !== undefined && accepted(schema, undefined) !== undefined;
  }

  #value(entity: string, name: string): unknown {
    const values = this.#pools.values(entity, name);
    return values.length === 0 ? undefined : this.#random.pick(values);
  }
}

/** Attributes that the model updates: numbers of children, sums of their attributes, and the last assigned number. */
function countersOf({ relationships, entities }: Model, entity: string): string[] {
  const counts = relationships.flatMap(([parent, , , rules]) =>
    parent === entity ? [...(rules?.count === undefined ? [] : [rules.count]), ...Object.keys(rules?.sum ?? {})] : [],
  );
  const sequences = Object.values(entities).flatMap(({ rules }) =>
    Object.values(rules.sequence ?? {}).flatMap((source) => {
      const [parent, counter = ''] = String(source).split('.');
      return parent === entity ? [counter] : [];
    }),
  );
  return [...counts, ...sequences];
}

/** An attribute by which children refer to their parent: text or a number, and not one that only the parent has. */
function isKeyLike({ keys }: Model, parent: string, name: string): boolean {
  return JSON.stringify(keys[parent] ?? {}).includes(`{${name}`);
}
