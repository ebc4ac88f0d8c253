import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { templateWriter } from '../keys/template.ts';
import { InputError } from '../model-error.ts';
import { compareValues } from '../patterns/evaluate.ts';
import type { Interval } from '../patterns/signature.ts';
import type { Condition } from '../patterns/value.ts';
import type { KeyType, PlaceInfo, SortBound } from '../resolve/resolved.ts';
import { type SlotWriter, slotWriter, type Values } from './item-codec.ts';

/** A condition on sort key attributes and the values of its placeholders: a new object, which the request may extend. */
export interface SortCondition {
  readonly text: string;
  readonly values: Record<string, AttributeValue>;
  readonly without?: Without | undefined;
  /** The tests of items beyond it. */
  readonly tests?: readonly Condition[] | undefined;
}

/** A key attribute's value: text, a number as text, or binary. */
export type KeyText = string | Uint8Array;

/** Ends of a range that the condition includes and the range does not: BETWEEN includes both. */
export interface Without {
  /** The sort key attribute that has them. */
  readonly attribute: string;
  readonly keys: readonly KeyText[];
  /** How many of them items are likely to have: a page reads so many more. */
  readonly likely: number;
}

/** The keys from one to another, both included but for those in `without`. Open ends are undefined; `same` is one key; `begins` is all keys with a prefix. */
export interface KeyRange {
  readonly low?: KeyText | undefined;
  readonly high?: KeyText | undefined;
  readonly same?: boolean;
  readonly begins?: boolean;
  /** No keys: the interval is empty. */
  readonly none?: boolean;
  readonly without?: Without | undefined;
  readonly tests?: readonly Condition[] | undefined;
}

/** The keys of one bound for some input. */
export type RangeWriter = (values: Values, interval: Interval<unknown> | undefined) => KeyRange;

/** Creates the writer of a bound that contains the input's interval. */
export type IntervalWriter = (bound: SortBound, begins: (values: Values) => string) => RangeWriter;

/** Creates the writer of the range from the first to the last of the forms that are read. */
export type FormsWriter = (ranges: readonly RangeWriter[], place: PlaceInfo) => RangeWriter;

/** The code that is loaded if a query has a range, or several forms. */
export interface RangeWriters {
  readonly intervals: { readonly intervalOf: IntervalWriter } | undefined;
  readonly formsRange: FormsWriter | undefined;
}

/** Determines which sort keys are read: undefined for all, `none` for none. */
export type SortConditionOf = (
  values: Values,
  interval: Interval<unknown> | undefined,
) => SortCondition | 'none' | undefined;

/** Compiles the sort key condition of a query. `#s0`, `#s1` represent the sort key attributes. */
export function sortConditionOf(
  place: PlaceInfo,
  bounds: readonly SortBound[],
  { intervals, formsRange }: RangeWriters,
  range: string | undefined,
): SortConditionOf {
  const [first, ...others] = bounds;
  if (first === undefined || place.sort.length === 0) return () => undefined;
  const equal = others.length === 0 ? leadingEquals(first) : [];
  const position = equal.length;
  const type = place.sort[position]?.type ?? 'S';
  const rangeWriter = (bound: SortBound): RangeWriter => rangeOf(bound, range, intervals?.intervalOf);
  const name = `#s${position}`;
  const rangeFor = formsRange?.(bounds.map(rangeWriter), place) ?? rangeWriter(first);
  return (values, interval) => {
    const found = rangeFor(values, interval);
    if (found.none === true) return 'none';
    const rest = rangeCondition(name, found, type);
    if (position === 0) return rest;
    const equals = equal.map(({ write }, i) => ({ name: `s${i}`, value: needed(write(values)) }));
    return conditionOf(equals, rest);
  };
}

/** All but the last of the slots whose values are known. In a key of several attributes, those are plain equalities. */
function leadingEquals({ part, equal, partial }: SortBound): SlotWriter[] {
  const leading = partial === undefined ? equal.slice(0, -1) : equal;
  return leading.map((slot) => slotWriter(part.entity, slot));
}

function rangeOf(bound: SortBound, range: string | undefined, intervalOf: IntervalWriter | undefined): RangeWriter {
  const { part, equal, partial } = bound;
  const { separator } = part.entity.table;
  const path = part.entity.name;
  const last = equal.at(-1);
  if (partial === undefined) {
    if (last === undefined) return () => ({});
    const { write } = slotWriter(part.entity, last);
    return (values) => {
      const value = needed(write(values));
      const key = value.S ?? value.N ?? value.B;
      return { low: key, high: key, same: true };
    };
  }
  const { slot, bound: known, next } = partial;
  // A variable alone would count as the whole key, which may contain the separator.
  const write = templateWriter({ ...known, parts: ['', ...known.parts] }, separator, path);
  const begins = (values: Values): string => needed(write(values), slot.template.source);
  const all: RangeWriter = (values) => beginsWith(begins(values));
  if (intervalOf === undefined || next.name !== range) return all;
  const within = intervalOf(bound, begins);
  return (values, interval) => (interval === undefined ? all : within)(values, interval);
}

/** All keys with a prefix, which are below `high`; every key if the prefix is empty. */
export function beginsWith(prefix: string): KeyRange {
  return prefix === '' ? {} : { low: prefix, high: after(prefix), begins: true };
}

function rangeCondition(name: string, range: KeyRange, type: KeyType): SortCondition | undefined {
  const { low, high, same, begins, without, tests } = range;
  const value = (key: KeyText): AttributeValue =>
    typeof key !== 'string' ? { B: key } : type === 'N' ? { N: key } : { S: key };
  const condition = (text: string, values: Record<string, AttributeValue>): SortCondition => ({
    text,
    values,
    without,
    tests,
  });
  if (low !== undefined && same === true) return condition(`${name} = :a`, { ':a': value(low) });
  if (low !== undefined && begins === true) return condition(`begins_with(${name}, :a)`, { ':a': value(low) });
  if (low !== undefined && high !== undefined)
    return condition(`${name} BETWEEN :a AND :b`, { ':a': value(low), ':b': value(high) });
  if (low !== undefined) return condition(`${name} >= :a`, { ':a': value(low) });
  if (high !== undefined) return condition(`${name} <= :a`, { ':a': value(high) });
  return tests && condition('', {});
}

/** Equalities of the leading attributes of a multi-attribute sort key, and what follows them. */
function conditionOf(
  equals: readonly { readonly name: string; readonly value: AttributeValue }[],
  rest: SortCondition | undefined,
): SortCondition {
  const values: Record<string, AttributeValue> = { ...rest?.values };
  for (const { name, value } of equals) values[`:${name}`] = value;
  const texts = equals.map(({ name }) => `#${name} = :${name}`);
  const text = [...texts, ...(rest === undefined || rest.text === '' ? [] : [rest.text])].join(' AND ');
  return { ...rest, text, values };
}

/** The least text, by bytes, that is greater than every text with this prefix: its last character is incremented. */
export function after(prefix: string): string | undefined {
  const characters = Array.from(prefix);
  const last = characters.pop()?.codePointAt(0);
  if (last === undefined) return undefined;
  if (last === 0x10ffff) return after(characters.join(''));
  return characters.join('') + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1);
}

/** By bytes, as the service compares them. */
export function isAbove(low: KeyText | undefined, high: KeyText | undefined): boolean {
  return low !== undefined && high !== undefined && (compareValues(low, high) ?? 0) > 0;
}

/** @throws {InputError} if an input lacks a value that a key needs. */
export function needed<T>(value: T | undefined, source = 'sort key'): T {
  if (value === undefined) throw new InputError('key-incomplete', source, 'lacks an input');
  return value;
}
