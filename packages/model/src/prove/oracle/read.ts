import type { Entities } from '../../entities/entity.ts';
import type { Need } from '../../patterns/need.ts';
import { meetsCondition } from './conditions.ts';
import { compareTimes, timeOf, type Unit, unitStart } from './instants.ts';
import { comparedValue } from './sameness.ts';
import { compareValues, equalValues, type Values } from './values.ts';

/** The state: the items of each entity, and the time of the clock. No keys, no tables, no types. */
export interface World {
  readonly entities: Entities;
  readonly items: ReadonlyMap<string, readonly Values[]>;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether an attribute is a time, so that order and ranges compare instants. */
  readonly isTime: (entity: string, attribute: string) => boolean;
  /** The unit of the walk that serves a pattern with a window. */
  readonly windowUnit?: Unit;
  /** Whether the numbers of the window's attribute are seconds since 1970, and not milliseconds. */
  readonly windowInSeconds?: boolean;
}

/** The items that belong in one part of an answer, in no particular order. */
export interface ExpectedPart {
  /** Its name in a collection; undefined for the whole answer. */
  readonly name: string | undefined;
  readonly entity: string;
  readonly many: boolean;
  readonly items: readonly Values[];
}

/** Compares two items by a pattern's order, ascending; undefined if either has no place in it. */
export type ItemOrder = (a: Values, b: Values) => number | undefined;

/** The complete answer to a read, over all of its pages. */
export interface ExpectedRead {
  readonly parts: readonly ExpectedPart[];
  /** Negative if the first has to come first. */
  readonly order: ItemOrder | undefined;
  /** The attributes that are read, if not all. */
  readonly attributes: readonly string[] | undefined;
}

interface Target {
  readonly name: string | undefined;
  readonly entity: string;
  readonly many: boolean;
}

/**
 * The answer to a read, from only its declaration and the items. The inputs that the entity has identify the parts of a collection
 * that are one item. Tests, ranges and filters apply to the others.
 */
export function expectedRead(need: Need, world: World, input: Values): ExpectedRead {
  const targets = targetsOf(need);
  const led = targets.some(({ many }) => many);
  return {
    parts: targets.map((target) => {
      const lead = led && !target.many;
      const meets = (item: Values): boolean =>
        isNamed(need, target.entity, item, input, world) &&
        isLive(need, target.entity, item, world) &&
        (lead || isSelected(need, target.entity, item, input, world));
      return { ...target, items: (world.items.get(target.entity) ?? []).filter(meets) };
    }),
    order: orderOf(need, targets, world),
    attributes: need.attributes,
  };
}

/** The entities of a read, and their names in the result. */
export function targetsOf({ reads = {} }: Need): readonly Target[] {
  const target = (name: string | undefined, given: string | readonly [string]): Target =>
    typeof given === 'string' ? { name, entity: given, many: false } : { name, entity: given[0], many: true };
  if (typeof reads === 'string' || Array.isArray(reads))
    return [target(undefined, reads as string | readonly [string])];
  return Object.entries(reads as Readonly<Record<string, string | readonly [string]>>).map(([name, given]) =>
    target(name, given),
  );
}

/** `by` and `aka`: every input with an attribute of the entity equals that attribute's value. */
function isNamed(need: Need, entity: string, item: Values, input: Values, { entities }: World): boolean {
  const has = (name: string): boolean => entities[entity]?.attributes[name] !== undefined;
  const as = comparedIn(entity, entities);
  const same = (name: string, value: unknown): boolean =>
    item[name] !== undefined && equalValues(as(name, item[name]), as(name, value));
  // An input with another name is that attribute only, even if there is an attribute of the input's name.
  const isOwn = (name: string): boolean => need.aka?.[name] === undefined;
  // An input is one value, or a list with any of them.
  const matches = (name: string, given: string): boolean =>
    need.among?.[given] === undefined
      ? same(name, input[given])
      : [input[given]].flat().some((value) => same(name, value));
  return (
    (need.by ?? []).filter((name) => isOwn(name) && has(name)).every((name) => matches(name, name)) &&
    Object.entries(need.aka ?? {}).every(([alias, attributes]) => {
      const own = [attributes].flat().filter(has);
      return own.length === 0 || own.some((name) => matches(name, alias));
    })
  );
}

/** `where`, `range` and `filters`: all of them must hold. */
function isSelected(need: Need, entity: string, item: Values, input: Values, world: World): boolean {
  const { range, filters = [] } = need;
  const compare = range !== undefined && world.isTime(entity, range) ? compareTimes : compareValues;
  const as = comparedIn(entity, world.entities);
  return (
    meetsCondition(need.where, item, input, as) &&
    isInWindow(need, item, world) &&
    (range === undefined || isWithin(as(range, item[range]), boundsAs(input[range], range, as), compare)) &&
    filters.every((name) => input[name] === undefined || equalValues(as(name, item[name]), as(name, input[name])))
  );
}

type Compared = (name: string, value: unknown) => unknown;

/** How an entity's values are compared. */
function comparedIn(entity: string, entities: Entities): Compared {
  const { rules = {} } = entities[entity] ?? {};
  return (name, value) => comparedValue(rules, name, value);
}

function boundsAs(interval: unknown, range: string, as: Compared): Values | undefined {
  if (interval === undefined) return undefined;
  return Object.fromEntries(Object.entries(interval as Values).map(([end, bound]) => [end, as(range, bound)]));
}

/** The window's units, from the one that contains its start to the one that contains its end. */
function isInWindow({ window }: Need, item: Values, world: World): boolean {
  if (window === undefined) return true;
  const { now, windowUnit = 'day', windowInSeconds = false } = world;
  const at = timeOf(item[window.of], windowInSeconds);
  if (at === undefined) return false;
  const start = unitStart(windowUnit, at);
  return (
    start >= unitStart(windowUnit, windowTime(window.from, now)) &&
    start <= unitStart(windowUnit, windowTime(window.to ?? 'now', now))
  );
}

function windowTime(text: string, now: number): number {
  if (!text.startsWith('now')) return timeOf(text) ?? Number.NaN;
  const days = text === 'now' ? 0 : Number(text.slice('now'.length, -'d'.length));
  return now + days * 86_400_000;
}

function isWithin(value: unknown, interval: Values | undefined, compare: typeof compareValues): boolean {
  if (interval === undefined || Object.values(interval).every((bound) => bound === undefined)) return true;
  const { from, to, after, before, begins } = interval;
  const side = (bound: unknown, holds: (difference: number) => boolean): boolean => {
    if (bound === undefined) return true;
    const difference = value === undefined ? undefined : compare(value, bound);
    return difference !== undefined && holds(difference);
  };
  return (
    side(from, (difference) => difference >= 0) &&
    side(to, (difference) => difference <= 0) &&
    side(after, (difference) => difference > 0) &&
    side(before, (difference) => difference < 0) &&
    (begins === undefined || (typeof value === 'string' && typeof begins === 'string' && value.startsWith(begins)))
  );
}

/** An item is visible before the second of its expiry, but not during it. */
function isLive(need: Need, entity: string, item: Values, { entities, now }: World): boolean {
  const expires = entities[entity]?.rules.expires;
  if (expires === undefined || need.expired === true || item[expires] === undefined) return true;
  const difference = compareValues(item[expires], Math.floor(now / 1000));
  return difference === undefined || difference > 0;
}

function orderOf({ order }: Need, targets: readonly Target[], world: World): ItemOrder | undefined {
  if (order === undefined) return undefined;
  const [attribute = '', direction] = order.split(' ');
  const sign = direction === 'desc' ? -1 : 1;
  const time = targets.some(({ entity, many }) => many && world.isTime(entity, attribute));
  const compare = time ? compareTimes : compareValues;
  const as = comparedIn(targets.find(({ many }) => many)?.entity ?? '', world.entities);
  return (a, b) => {
    const difference = compare(as(attribute, a[attribute]), as(attribute, b[attribute]));
    return difference === undefined ? undefined : difference * sign;
  };
}
