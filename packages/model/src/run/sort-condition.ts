import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type TemplateWriter, templateWriter, variableWriter } from '../keys/template.ts';
import { InputError } from '../model-error.ts';
import type { Interval } from '../patterns/signature.ts';
import type { KeyType, QueryStream, SortBound } from '../resolve/resolved.ts';
import { type SlotWriter, slotWriter, type Values } from './item-codec.ts';

/** A condition on sort key attributes and the values of its placeholders: a new object, which the request may go on with. */
export interface SortCondition {
  readonly text: string;
  readonly values: Record<string, AttributeValue>;
}

/** An interval of key texts. Open ends are undefined; `same` is one key; `begins` all that begin alike. */
interface Range {
  readonly low?: string | undefined;
  readonly high?: string | undefined;
  readonly same?: boolean;
  readonly begins?: boolean;
}

type RangeOf = (values: Values, interval: Interval<unknown> | undefined) => Range;

/** Compiles the sort key condition of a query. `#s0`, `#s1` stand for the sort key attributes. */
export function sortConditionOf(
  stream: QueryStream,
  range: string | undefined,
): (values: Values, interval: Interval<unknown> | undefined) => SortCondition | undefined {
  const [first] = stream.bounds;
  const last = stream.bounds.at(-1);
  if (first === undefined || last === undefined || stream.place.sort.length === 0) return () => undefined;
  const equal = stream.bounds.length === 1 ? leadingEquals(first) : [];
  const position = equal.length;
  const type = stream.place.sort[position]?.type ?? 'S';
  const lowest = rangeOf(first, range);
  const highest = first === last ? lowest : rangeOf(last, range);
  const name = `#s${position}`;
  if (position === 0 && first === last) return (values, interval) => textOf(name, lowest(values, interval), type);
  if (position === 0)
    return (values, interval) => textOf(name, joined(lowest(values, interval), highest(values, interval)), type);
  return (values, interval) => {
    const equals = equal.map(({ write }, i) => ({ name: `s${i}`, value: needed(write(values)) }));
    const low = lowest(values, interval);
    const high = highest === lowest ? low : highest(values, interval);
    const rest = first === last ? low : joined(low, high);
    return conditionOf(equals, textOf(name, rest, type));
  };
}

/** All but the last of the slots whose values are known: those are plain equalities in a key of several attributes. */
function leadingEquals({ part, equal, partial }: SortBound): SlotWriter[] {
  const leading = partial === undefined ? equal.slice(0, -1) : equal;
  return leading.map((slot) => slotWriter(part.entity, slot));
}

function rangeOf({ part, equal, partial }: SortBound, range: string | undefined): RangeOf {
  const { separator } = part.entity.table;
  const path = part.entity.name;
  const last = equal.at(-1);
  if (partial === undefined) {
    if (last === undefined) return () => ({});
    const write = templateWriter(last.template, separator, path);
    return (values) => {
      const key = neededText(write(values), last.template.source);
      return { low: key, high: key, same: true };
    };
  }
  const { slot, bound, next } = partial;
  const begins = bound.parts.length === 0 ? () => '' : templateWriter(bound, separator, path);
  const at = slot.template.parts.indexOf(next);
  const tail = slot.template.parts[at + 1];
  // A variable that is the whole key may hold the separator, as where items are written.
  const write = variableWriter(next, slot.template.parts.length === 1 ? '' : separator, path);
  const reversed = next.encoders.some((encoder) => encoder.reversed === true);
  return (values, interval) => {
    const prefix = neededText(begins(values), slot.template.source);
    if (interval === undefined || next.name !== range) return { low: prefix, high: after(prefix), begins: true };
    if (interval.begins !== undefined) {
      return { low: prefix + interval.begins, high: after(prefix + interval.begins), begins: true };
    }
    const text = (value: unknown): string | undefined => bound1(write, next.name, value, prefix);
    return intervalRange(
      reversed ? turned(interval) : interval,
      text,
      prefix,
      typeof tail === 'string' ? tail : undefined,
      slot.type,
    );
  };
}

function intervalRange(
  interval: Interval<unknown>,
  text: (value: unknown) => string | undefined,
  prefix: string,
  tail: string | undefined,
  type: KeyType,
): Range {
  const from = text(interval.from);
  const to = text(interval.to);
  const later = text(interval.after);
  const before = text(interval.before);
  if (type === 'N') {
    if (later !== undefined || before !== undefined)
      throw new InputError('inclusive-only', 'range', 'numeric keys take from and to');
    return { low: from, high: to };
  }
  const low = later === undefined ? from : tail === undefined ? `${later}\0` : after(later + tail.charAt(0));
  const inclusive = to === undefined || tail === undefined ? to : after(to + tail.charAt(0));
  const high = before === undefined ? inclusive : tail === undefined ? justBelow(before) : before;
  return { low: low ?? prefix, high: high ?? after(prefix) };
}

function bound1(write: TemplateWriter, name: string, value: unknown, prefix: string): string | undefined {
  const text = write({ [name]: value });
  return text === undefined ? undefined : prefix + text;
}

/** Where larger values come first, the interval's ends change places. */
function turned({ from, to, after: later, before }: Interval<unknown>): Interval<unknown> {
  return { from: to, to: from, after: before, before: later };
}

function joined(low: Range, high: Range): Range {
  return { low: low.low, high: high.high };
}

function textOf(name: string, range: Range, type: KeyType): SortCondition | undefined {
  const low = range.low === '' ? undefined : range.low;
  const { high } = range;
  const value = (key: string): AttributeValue => (type === 'N' ? { N: key } : { S: key });
  if (low !== undefined && range.same === true) return { text: `${name} = :a`, values: { ':a': value(low) } };
  if (range.begins === true) {
    return low === undefined ? undefined : { text: `begins_with(${name}, :a)`, values: { ':a': value(low) } };
  }
  if (low !== undefined && high !== undefined) {
    return { text: `${name} BETWEEN :a AND :b`, values: { ':a': value(low), ':b': value(high) } };
  }
  if (low !== undefined) return { text: `${name} >= :a`, values: { ':a': value(low) } };
  return high === undefined ? undefined : { text: `${name} <= :a`, values: { ':a': value(high) } };
}

/** Equalities of the leading attributes of a sort key of several, and what follows them. */
function conditionOf(
  equals: readonly { readonly name: string; readonly value: AttributeValue }[],
  rest: SortCondition | undefined,
): SortCondition {
  const values: Record<string, AttributeValue> = { ...rest?.values };
  for (const { name, value } of equals) values[`:${name}`] = value;
  const texts = equals.map(({ name }) => `#${name} = :${name}`);
  return { text: [...texts, ...(rest === undefined ? [] : [rest.text])].join(' AND '), values };
}

/** The least text above every text that begins with this one. */
function after(prefix: string): string | undefined {
  if (prefix === '') return undefined;
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}

/** A text below this one, and above every text that is. Exact for keys of one width. */
function justBelow(text: string): string {
  return `${text.slice(0, -1)}${String.fromCharCode(text.charCodeAt(text.length - 1) - 1)}\u{10ffff}`;
}

function neededText(text: string | undefined, source: string): string {
  if (text === undefined) throw new InputError('key-incomplete', source, 'needs an input that is missing');
  return text;
}

function needed(value: AttributeValue | undefined): AttributeValue {
  if (value === undefined) throw new InputError('key-incomplete', 'sort key', 'needs an input that is missing');
  return value;
}
