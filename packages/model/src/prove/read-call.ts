import type { Model } from '../model.ts';
import type { Need } from '../patterns/need.ts';
import type { Pools, State } from './data.ts';
import { acceptedAsInput, domainOf } from './domain.ts';
import { targetsOf, type Values } from './oracle/index.ts';
import type { RandomSource } from './random-source.ts';

/** One call of a pattern that reads: over all of its pages, or of several inputs at once. */
export interface ReadCall {
  /** The pattern's name. */
  readonly pattern: string;
  /** Several, for a pattern that takes several. */
  readonly inputs: readonly Values[];
  /** Items per page, if it differs from the pattern's limit. */
  readonly limit?: number;
  /** Items that a request reads at most, as if they were large: the service ends its answer early, and the read has to continue. */
  readonly most?: number;
}

/** Draws calls: with existing and missing values, with bounds at, between and outside the values, with every page size. */
export class ReadCalls {
  readonly #model: Model;
  readonly #pools: Pools;
  readonly #state: State;
  readonly #random: RandomSource;

  constructor(model: Model, pools: Pools, state: State, random: RandomSource) {
    this.#model = model;
    this.#pools = pools;
    this.#state = state;
    this.#random = random;
  }

  draw(pattern: string, need: Need): ReadCall | undefined {
    const count = need.each === true ? this.#random.between(1, 6) : 1;
    const inputs = Array.from({ length: count }, () => this.#input(need));
    const complete = inputs.filter((input) => input !== undefined);
    if (complete.length < count) return undefined;
    // A read of several keys also gets an input twice.
    if (need.each === true && this.#random.chance(0.3)) complete.push(...complete.slice(0, 1));
    const few = this.#random.fork(1);
    const most = few.chance(0.2) ? { most: Math.max(few.between(1, 3), singles(need)) } : {};
    return { pattern, inputs: complete, ...this.#limit(need), ...most };
  }

  #limit(need: Need): { readonly limit?: number } {
    const targets = targetsOf(need).filter(({ many }) => many);
    if (targets.length === 0 || need.count === true || this.#random.chance(0.3)) return {};
    const there = targets.reduce((sum, { entity }) => sum + (this.#state.get(entity)?.length ?? 0), 0);
    const sizes = [1, 2, 3, 5, there - 1, there, there + 1].filter((size) => size > 0);
    return { limit: this.#random.pick(sizes) };
  }

  #input(need: Need): Values | undefined {
    const targets = targetsOf(need);
    const main = (targets.find(({ many }) => many) ?? targets[0])?.entity ?? '';
    const items = this.#state.get(main) ?? [];
    const like = items.length > 0 && this.#random.chance(0.85) ? this.#random.pick(items) : undefined;
    const input: Record<string, unknown> = {};
    const take = (name: string, attribute: string): void => {
      const most = need.among?.[name];
      input[name] =
        most === undefined ? this.#value(targets, attribute, like) : this.#list(targets, attribute, items, most);
    };
    for (const name of need.by ?? []) take(name, name);
    for (const [alias, attributes] of Object.entries(need.aka ?? {}))
      take(alias, this.#random.pick([attributes].flat()));
    if (Object.values(input).includes(undefined)) return undefined;
    for (const name of need.filters ?? [])
      if (this.#random.chance(0.6)) {
        const value = this.#value(targets, name, like);
        if (value !== undefined && value !== null) input[name] = value;
      }
    const interval = need.range === undefined ? undefined : this.#interval(main, need.range, items);
    if (need.range !== undefined && interval !== undefined) input[need.range] = interval;
    for (const [name, schema] of Object.entries(need.takes ?? {})) {
      const known = [...items.flatMap((item) => Object.values(item)), ...domainOf(schema, [], this.#random).values];
      const values = acceptedAsInput(schema, known);
      if (values.length === 0) return undefined;
      input[name] = this.#random.pick(values);
    }
    return input;
  }

  /** A list with values of several items, some of them repeated. */
  #list(targets: ReturnType<typeof targetsOf>, name: string, items: readonly Values[], most: number): unknown {
    const values = Array.from({ length: this.#random.between(0, most) }, () =>
      this.#value(targets, name, items.length === 0 ? undefined : this.#random.pick(items)),
    );
    return values.includes(undefined) ? undefined : values;
  }

  #value(targets: ReturnType<typeof targetsOf>, name: string, like: Values | undefined): unknown {
    const value = like?.[name];
    if (value !== undefined && value !== null && this.#random.chance(0.85)) return value;
    const owners = targets.filter(({ entity }) => this.#model.entities[entity]?.attributes[name] !== undefined);
    const values = owners
      .flatMap(({ entity }) => this.#pools.values(entity, name))
      .filter((each) => each !== null && isPlain(each));
    return values.length === 0 ? undefined : this.#random.pick(values);
  }

  #interval(entity: string, name: string, items: readonly Values[]): Values | undefined {
    const stored = items.map((item) => item[name]);
    const values = [
      ...stored,
      ...this.#pools.values(entity, name),
      ...this.#random.some(this.#pools.domain(entity, name).values, 3),
    ].filter((value) => value !== undefined && value !== null && isPlain(value));
    if (values.length === 0) return undefined;
    const bound = (): unknown => {
      const value = this.#random.pick(values);
      if (typeof value !== 'number' || this.#random.chance(0.8)) return value;
      return this.#random.pick([...unstorable, value / 10, value * 10, value + 0.5, -value]);
    };
    switch (this.#random.below(11)) {
      case 0:
        return undefined;
      case 1:
        return { from: bound() };
      case 2:
        return { to: bound() };
      case 3:
        return { from: bound(), to: bound() };
      case 4:
        return { after: bound() };
      case 5:
        return { before: bound() };
      case 6:
        return { after: bound(), before: bound() };
      case 7:
        return { from: bound(), before: bound() };
      case 8:
        return { after: bound(), to: bound() };
      case 9:
        return { ...this.#beginning(bound()), ...this.#random.pick([{ after: bound() }, { to: bound() }]) };
      default:
        return this.#beginning(bound());
    }
  }

  #beginning(value: unknown): Values {
    if (typeof value !== 'string') return { from: value };
    const characters = Array.from(value);
    return { begins: characters.slice(0, this.#random.between(1, characters.length)).join('') };
  }
}

/** Numbers that no item has, which bound others all the same. */
const unstorable: readonly number[] = [1e200, -1e200, Number.MIN_VALUE, -Number.MIN_VALUE];

/** Text, numbers, booleans and bytes: the types that an input may be compared by. */
function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value instanceof Uint8Array;
}

/** The single items of a collection: the service returns at least two in one answer, however large, as 1 MB holds two of 400 KB. */
function singles({ reads = {} }: Need): number {
  const parts = typeof reads === 'string' || Array.isArray(reads) ? [] : Object.values(reads);
  return Math.min(2, parts.filter((target) => typeof target === 'string').length);
}
