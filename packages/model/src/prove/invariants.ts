import { undescribed } from '../keys/schema-parts.ts';
import { childOf } from '../entities/relationship.ts';
import type { Model } from '../model.ts';
import type { ItemCodec } from '../run/item-codec.ts';
import type { StoredItem } from '../run/attribute-value.ts';
import { InputError } from '../model-error.ts';
import { guardsOf } from '../samples/load.ts';
import type { State } from './data.ts';
import { comparedValue, compareValues, equalValues, itemText, type Values } from './oracle/index.ts';
import { addDecimals } from '../run/decimal.ts';

/** The contents of a table. */
export interface Found {
  /** The items as the application sees them. */
  readonly state: State;
  /** Everything that is stored, by entity: the items, and the guards of unique values. */
  readonly stored: readonly { readonly entity: string | undefined; readonly item: StoredItem }[];
}

/**
 * Invariants of stored items after any write: keys, types and index keys match the attributes (I1, I2), attributes are valid for the
 * schemas (I3), every live unique value has its guard and every guard an owner (I4), parents count their
 * children (I5), no number was assigned twice (I9).
 *
 * @returns the violated invariant, in a sentence.
 */
export function brokenInvariant(
  model: Model,
  codecs: ReadonlyMap<string, ItemCodec>,
  { state, stored }: Found,
  now: number,
): string | undefined {
  return (
    brokenItem(codecs, stored) ??
    brokenGuard(model, codecs, state, stored, now) ??
    brokenCount(model, state) ??
    brokenSequence(model, state)
  );
}

/**
 * The values as they were written. A sum beyond 2^53 is read as a bigint, also within a document, which the schema of a number does not take: it has to
 * take the largest exact number instead.
 */
function parsed(codec: ItemCodec, values: Values): Values {
  const exact = withExactNumbers(values) as Values;
  const sums = Object.entries(values).filter(([name, value]) => exact[name] !== value);
  const replaced = replacedIn(codec);
  if (replaced.size > 0) {
    const yielded = [...codec.entity.attributes].map(([name, { schema }]) => [
      name,
      replaced.has(name) ? values[name] : codec.parseAttribute(name, schema, exact[name]),
    ]);
    return { ...(Object.fromEntries(yielded) as Values), ...Object.fromEntries(sums) };
  }
  try {
    return codec.parse(values);
  } catch (error) {
    if (!(error instanceof InputError) || sums.length === 0) throw error;
  }
  return { ...codec.parse(exact), ...Object.fromEntries(sums) };
}

/** Attributes whose schemas need not take what they yield: `z.string().regex(/^[a-z]$/).toUpperCase()`. */
function replacedIn({ entity }: ItemCodec): ReadonlySet<string> {
  const replaced = [...entity.attributes].filter(([, { schema }]) => undescribed(schema).replaces);
  return new Set(replaced.map(([name]) => name));
}

/** The values without defaults, which the schema yields of nothing, and may not take: `z.int().min(10).default(5)`. */
function withoutDefaults(codec: ItemCodec, values: Values): Values {
  const replaced = replacedIn(codec);
  const isDefault = (name: string, value: unknown): boolean => {
    const fallback = replaced.has(name) ? undefined : codec.entity.attributes.get(name)?.fallback;
    return fallback !== undefined && equalValues(value, fallback);
  };
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => !isDefault(name, value)));
}

/** A value with the largest exact number in the place of each bigint beyond it; the same value if there is none. */
function withExactNumbers(value: unknown): unknown {
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? value : Math.sign(Number(value)) * Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array || value instanceof Set) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, withExactNumbers(each)] as const);
  if (entries.every(([name, each]) => each === (value as Values)[name])) return value;
  return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
}

function brokenItem(codecs: ReadonlyMap<string, ItemCodec>, stored: Found['stored']): string | undefined {
  for (const { entity, item } of stored) {
    const codec = entity === undefined ? undefined : codecs.get(entity);
    if (codec === undefined) continue;
    try {
      const { copies } = codec.entity.rules;
      const values = parsed(codec, withoutDefaults(codec, codec.decode(item)));
      const forms = Array.from({ length: copies ?? 1 }, (_, i) =>
        codec.encode(copies === undefined ? values : { ...values, copy: i + 1 }),
      );
      if (!forms.some((form) => itemText(form) === itemText(item)))
        return `a ${entity} is not stored as its attributes say: ${differenceOf(forms[0] ?? {}, item)}`;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return `a ${entity} is stored with what it could not be written with: ${error.message}`;
    }
  }
  return undefined;
}

/** The names whose stored values differ, with both values. */
function differenceOf(expected: StoredItem, got: StoredItem): string {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(got)])].sort();
  return names
    .filter((name) => !equalValues(expected[name], got[name]))
    .map(
      (name) =>
        `${name} should be ${JSON.stringify(expected[name]) ?? 'absent'} and is ${JSON.stringify(got[name]) ?? 'absent'}`,
    )
    .join('; ');
}

function brokenGuard(
  model: Model,
  codecs: ReadonlyMap<string, ItemCodec>,
  state: State,
  stored: Found['stored'],
  now: number,
): string | undefined {
  const found = stored.filter(({ entity }) => entity === undefined).map(({ item }) => item);
  const guards = new Set(found.map((guard) => itemText(guard)));
  const owned = new Set<string>();
  const ends = new Set(
    [...codecs.values()].flatMap((codec) =>
      codec.entity.rules.expires === undefined ? [] : [codec.stored(codec.entity.rules.expires)],
    ),
  );
  for (const [entity, items] of state) {
    const codec = codecs.get(entity);
    if (codec === undefined) continue;
    for (const item of items)
      for (const guard of guardsOf(codec, item)) {
        owned.add(comparable(guard, ends));
        // The guard expires with its item.
        if (!guards.has(itemText(guard)) && isLive(model, entity, item, now))
          return `${entity} ${itemText(item)} has no guard of its unique value: ${itemText(guard)}`;
      }
  }
  // A guard that has expired with its owner counts as absent, and the next one replaces it.
  const free = found.find((guard) => !owned.has(comparable(guard, ends)) && !hasExpired(guard, ends, now));
  return free === undefined ? undefined : `a guard has no owner: ${comparable(free, ends)}`;
}

/** A guard without its owner's time to live, which it may contain. */
function comparable(guard: StoredItem, ends: ReadonlySet<string>): string {
  return itemText(Object.fromEntries(Object.entries(guard).filter(([name]) => !ends.has(name))));
}

function hasExpired(guard: StoredItem, ends: ReadonlySet<string>, now: number): boolean {
  return [...ends].some((name) => Number(guard[name]?.N ?? Infinity) <= Math.floor(now / 1000));
}

function brokenCount(model: Model, state: State): string | undefined {
  for (const relationship of model.relationships) {
    const [parent, , , rules = {}] = relationship;
    const child = childOf(relationship);
    if (model.entities[child]?.rules.expires !== undefined) continue;
    const { count, sum = {} } = rules;
    const tallies = [...(count === undefined ? [] : [[count, undefined] as const]), ...Object.entries(sum)];
    const names = namesOf(model, parent).map((name) => [name, rules.by?.[name] ?? name] as const);
    const own = model.entities[parent]?.rules ?? {};
    const isSame = (name: string, a: unknown, b: unknown): boolean =>
      equalValues(comparedValue(own, name, a), comparedValue(own, name, b));
    for (const item of tallies.length === 0 ? [] : (state.get(parent) ?? [])) {
      const children = (state.get(child) ?? []).filter((each) =>
        names.every(([key, name]) => isSame(key, item[key], each[name])),
      );
      for (const [tally, of] of tallies) {
        const all = children.map((each) => decimal(of === undefined ? 1 : each[of])).reduce(addDecimals, '0');
        if (addDecimals(decimal(item[tally]), '0') !== all)
          return `${parent}.${tally} is ${String(item[tally])}, and its items of ${child} come to ${all}: ${itemText(item)}`;
      }
    }
  }
  return undefined;
}

function decimal(value: unknown): string {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : '0';
}

function brokenSequence(model: Model, state: State): string | undefined {
  for (const [entity, { rules }] of Object.entries(model.entities))
    for (const name of Object.keys(rules.sequence ?? {})) {
      const parent = String((rules.sequence as Readonly<Record<string, string>>)[name]).split('.')[0] ?? '';
      const [, , , { by = {} } = {}] =
        model.relationships.find((each) => each[0] === parent && childOf(each) === entity) ?? [];
      // The child may have another name for what identifies its parent.
      const names = namesOf(model, parent).map((own) => by[own] ?? own);
      const seen = new Set<string>();
      for (const item of state.get(entity) ?? []) {
        if (item[name] === undefined) continue;
        const text = itemText(item, [...names, name]);
        if (seen.has(text)) return `two of ${entity} have the same number: ${text}`;
        seen.add(text);
      }
    }
  return undefined;
}

function isLive(model: Model, entity: string, item: Values, now: number): boolean {
  const expires = model.entities[entity]?.rules.expires;
  if (expires === undefined || item[expires] === undefined) return true;
  return (compareValues(item[expires], Math.floor(now / 1000)) ?? 1) > 0;
}

/** The attributes of an entity's primary key. */
function namesOf({ keys, tables }: Model, entity: string): readonly string[] {
  const [, key] = Object.entries(keys[entity] ?? {}).find(([place]) => tables[place] !== undefined) ?? [];
  return [...new Set([...JSON.stringify(key ?? []).matchAll(/\{(\w+)[:}]/g)].map(([, name = '']) => name))].filter(
    (name) => name !== 'copy',
  );
}
