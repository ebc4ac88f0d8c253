import { isAttribute, testedAttributes } from '../patterns/condition.ts';
import { holds, isEqual } from '../patterns/evaluate.ts';
import type { Guard } from '../patterns/value.ts';
import type { EntityInfo } from '../resolve/resolved.ts';
import { sharesKey } from '../resolve/slots.ts';
import type { Ask } from './action.ts';
import { type StoredItem, toAttributeValue } from './attribute-value.ts';
import type { Context } from './context.ts';
import { conditionText, type Expression, type Scope } from './expression.ts';
import { codecOf, type ItemCodec, type Values } from './item-codec.ts';
import { isExpired } from './stored-item.ts';

/** That the item exists and has not expired. An expired one counts as absent, whether or not the service has deleted it. */
export function isThere({ now }: Context, entity: EntityInfo): Ask {
  const expires = expiryOf(entity);
  const at = now();
  return {
    kind: 'there',
    once: 'there',
    holds: (item) => item !== undefined && !isExpired(item, expires, at),
    text: (expression) => {
      const exists = `attribute_exists(${keyName(expression, entity)})`;
      return expires === undefined ? exists : `${exists} AND ${livesText(expression, expires, at)}`;
    },
  };
}

/** That there is no item, or only an expired one, which meets the requirements `of` as well. */
export function isAbsent(
  { now }: Context,
  entity: EntityInfo,
  { orExpired, of = [] }: { readonly orExpired: boolean; readonly of?: readonly Ask[] },
): Ask {
  const expires = orExpired ? expiryOf(entity) : undefined;
  const at = now();
  return {
    kind: 'absent',
    once: 'absent',
    holds: (item) => item === undefined || (isExpired(item, expires, at) && meets(item, of)),
    text: (expression) => {
      const absent = `attribute_not_exists(${keyName(expression, entity)})`;
      if (expires === undefined) return absent;
      const expired = `${expression.name(expires)} <= ${seconds(expression, at)}`;
      return `(${absent} OR ${[expired, ...of.map(({ text }) => text(expression))].join(' AND ')})`;
    },
  };
}

/** That there is no item, or one that meets a requirement: for a write that creates a missing item. */
export function absentOr(entity: EntityInfo, of: Ask): Ask {
  const { once: _, holds: isMet, text, ...ask } = of;
  return {
    ...ask,
    holds: (item) => item === undefined || isMet(item),
    text: (expression) => `(attribute_not_exists(${keyName(expression, entity)}) OR ${text(expression)})`,
  };
}

/** That the item has not expired, if there is one. */
export function isLive({ now }: Context, entity: EntityInfo): Ask[] {
  const expires = expiryOf(entity);
  if (expires === undefined) return [];
  const at = now();
  return [
    {
      kind: 'there',
      once: 'live',
      holds: (item) => item === undefined || !isExpired(item, expires, at),
      text: (expression) => livesText(expression, expires, at),
    },
  ];
}

/**
 * That the item is of one of these entities, which have one key: asked if the model accepts that an item of another entity may be under it. That
 * one is another item, and a rejection reports it in the same way as a missing item.
 */
export function isOfKind(...entities: readonly [EntityInfo, ...EntityInfo[]]): Ask[] {
  const [{ table }] = entities;
  const { typeAttribute } = table;
  if (typeAttribute === undefined || !entities.some(sharesKey)) return [];
  const types = [...new Set(entities.map(({ type }) => type))];
  return [
    {
      kind: 'there',
      once: `kind ${types.join(' ')}`,
      types,
      holds: (item) => types.some((type) => item?.[typeAttribute]?.S === type),
      text: (expression) =>
        `${expression.name(typeAttribute)} IN (${types.map((S) => expression.value({ S })).join(', ')})`,
    },
  ];
}

/**
 * That the item has these values, for a write whose `by` names more than the key. One that differs is another item, and a rejection reports
 * it in the same way as a missing item.
 */
export function isNamed(codec: ItemCodec, names: readonly string[], expected: Values): Ask[] {
  return names.map((name) => ({ ...hasValue(codec, name, expected[name]), kind: 'there' }));
}

/** That the item still has the values that the write was decided on. */
export function isAsRead(codec: ItemCodec, names: Iterable<string>, old: Values): Ask[] {
  return [...names].map((name) => ({ ...hasValue(codec, name, old[name]), kind: 'as-read', once: `as-read ${name}` }));
}

/** One attribute has a value, or none. A missing one counts as its default. */
function hasValue(codec: ItemCodec, name: string, value: unknown): Omit<Ask, 'kind'> {
  const fallback = codec.entity.attributes.get(name)?.fallback;
  return {
    holds: (item) => {
      const found = item === undefined ? undefined : codec.decode(item)[name];
      return value === undefined ? found === undefined : isEqual(found, value);
    },
    text: (expression) => {
      const placeholder = expression.name(codec.stored(name));
      if (value === undefined) return `attribute_not_exists(${placeholder})`;
      const same = `${placeholder} = ${expression.value(toAttributeValue(value, `${codec.entity.name}.${name}`))}`;
      return isEqual(fallback, value) ? `(${same} OR attribute_not_exists(${placeholder}))` : same;
    },
  };
}

/** That the item has this version. */
export function hasVersion(codec: ItemCodec, lock: string, expected: number): Ask {
  return {
    kind: 'given',
    holds: (item) => item?.[codec.stored(lock)]?.N === String(expected),
    text: (expression) => `${expression.name(codec.stored(lock))} = ${expression.value({ N: String(expected) })}`,
  };
}

/** The pattern's own requirements on the item that it writes. */
export function isGiven(
  codec: ItemCodec,
  given: Guard | undefined,
  input: Values,
  { mayBeAbsent }: { readonly mayBeAbsent: boolean },
): Ask[] {
  if (given === undefined) return [];
  const { entity } = codec;
  const scope: Scope = {
    stored: (name) => codec.stored(name),
    input,
    fallback: (name) => entity.attributes.get(name)?.fallback,
    // If the item itself may be missing, a missing attribute may also mean that.
    ...(mayBeAbsent && { exists: (expression) => `attribute_exists(${keyName(expression, entity)})` }),
  };
  return [
    {
      kind: 'given',
      tests: involvedAttributes(given).map((name) => codec.stored(name)),
      holds: (item) => holds(given, item === undefined ? {} : codec.decode(item), input),
      text: (expression) => conditionText(expression, given, scope),
    },
  ];
}

/** The attributes that a condition tests, and those that it compares them with. */
function involvedAttributes(given: Guard): string[] {
  const { any } = given as { readonly any?: readonly Guard[] };
  if (any !== undefined) return any.flatMap(involvedAttributes);
  const others = Object.values(given).flatMap((test: unknown) =>
    typeof test === 'object' && test !== null ? Object.values(test).filter(isAttribute) : [],
  );
  return [...testedAttributes(given), ...others.map(({ attribute }) => attribute)];
}

/** The same for an item that may be absent, as an expired one is. */
export function isGivenOrAbsent(context: Context, codec: ItemCodec, given: Guard, input: Values): Ask[] {
  const { entity } = codec;
  const asks = isGiven(codec, given, input, { mayBeAbsent: true });
  const expires = expiryOf(entity);
  if (expires === undefined) return asks;
  if (!holds(given, {}, input)) return [...isLive(context, entity), ...asks];
  const at = context.now();
  return [
    {
      kind: 'given',
      holds: (item) => isExpired(item ?? {}, expires, at) || meets(item, asks),
      text: (expression) =>
        `(${expression.name(expires)} <= ${seconds(expression, at)} OR ${asks.map(({ text }) => text(expression)).join(' AND ')})`,
    },
  ];
}

/** Stored name of the attribute with an entity's time to live. */
function expiryOf({ rules, attributes }: EntityInfo): string | undefined {
  return rules.expires === undefined ? undefined : attributes.get(rules.expires)?.stored;
}

function livesText(expression: Expression, stored: string, at: number): string {
  const name = expression.name(stored);
  return `(attribute_not_exists(${name}) OR ${name} > ${seconds(expression, at)})`;
}

function seconds(expression: Expression, at: number): string {
  return expression.value({ N: String(Math.floor(at / 1000)) });
}

function keyName(expression: Expression, entity: EntityInfo): string {
  return expression.name(entity.key.partition[0]?.attribute ?? '');
}

/** An item as the service would find it by its key, for checking requirements on items that are not stored yet. */
export function meets(item: StoredItem | undefined, asks: readonly Ask[]): boolean {
  return asks.every((ask) => ask.holds(item));
}

/** The requirement on a guard: that it belongs to the item. */
export function isOwnedBy(context: Context, entity: EntityInfo, owner: Values): Ask[] {
  const codec = codecOf(context, entity);
  return Object.entries(owner).map(([name, value]) => ({
    kind: 'given',
    holds: (item) => item !== undefined && isEqual(codec.decode(item)[name], value),
    text: (expression) => `${expression.name(codec.stored(name))} = ${expression.value(toAttributeValue(value, name))}`,
  }));
}
