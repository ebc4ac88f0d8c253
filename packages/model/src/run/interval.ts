import { domainOf, type NumberDomain } from '../keys/domain.ts';
import { instantOf, type KeyValue, leastInstant, mostInstant } from '../keys/encoders.ts';
import type { TemplateVariable } from '../keys/template.ts';
import { encoded, variableWriter, wellFormed } from '../keys/template.ts';
import { InputError } from '../model-error.ts';
import { compareValues } from '../patterns/evaluate.ts';
import type { Interval } from '../patterns/signature.ts';
import type { Condition } from '../patterns/value.ts';
import type { KeyType, SortBound } from '../resolve/resolved.ts';
import type { StandardSchema } from '../schema/standard-schema.ts';
import { yielded } from '../schema/validated.ts';
import {
  after,
  beginsWith,
  isAbove,
  type KeyRange,
  type KeyText,
  type RangeWriter,
  type Without,
} from './sort-condition.ts';

export { isLeftOut } from './left-out.ts';

/** One end of an interval: a value, and whether it is excluded. */
interface End {
  readonly value: unknown;
  readonly exclusive: boolean;
}

type Ends = { readonly low: End | undefined; readonly high: End | undefined } | 'none';

/**
 * The keys of the values in an interval. Ends can be any values of the attribute's type. An end outside of what
 * the key can hold is clipped. One between two values that the key can hold moves to the next one within the interval.
 */
export function intervalOf({ part, partial }: SortBound, begins: (values: never) => string): RangeWriter {
  if (partial === undefined) return () => ({});
  const { slot, next } = partial;
  const { template, type } = slot;
  const following = template.parts[template.parts.indexOf(next) + 1];
  // A variable that is the whole key may contain the separator, as when items are written.
  const whole = template.parts.length === 1;
  const path = part.entity.name;
  const seconds = isWholeEpoch(next);
  const inKey = seconds ? { ...next, encoders: next.encoders.slice(1) } : next;
  const write = variableWriter(inKey, '', path);
  const reversed = next.encoders.some((encoder) => encoder.reversed === true);
  const schema = part.entity.attributes.get(next.name)?.schema;
  const { separator } = part.entity.table;
  const guarded = !whole && next.encoders.length === 0;
  // Text that only looks like a time sorts as text, unless the schema says or the key holds that it is one.
  const isText = !(schema !== undefined && domainOf(schema).text?.isTime === true) && takesAnyText(next);
  // Values that are the same have one text in the key, and compare by it.
  const { same } = part.entity.rules as { readonly same?: Readonly<Record<string, string | readonly string[]>> };
  const isSame = next.encoders.length > 0 && [same?.[next.name]].flat().join(':') === next.encoding;
  const accepts = (value: unknown): boolean =>
    accepted(schema, value) && !(guarded && typeof value === 'string' && value.includes(separator));
  const hole: Hole = {
    attribute: slot.attribute,
    following,
    type,
    whole: schema && wholeNumbers(schema),
    accepts,
    text: (value) => (type === 'B' ? binary(value) : write({ [next.name]: value })),
  };
  return (values, interval = {}) => {
    refuseOthers(interval, `${path}.${next.name}`);
    for (const end of Object.values(interval)) if (typeof end === 'string') wellFormed(end, `${path}.${next.name}`);
    const prefix = type === 'S' ? begins(values as never) : '';
    // A value may have an empty text, which is below all others and begins them.
    const folded = (value: unknown): string =>
      String(encoded(value as KeyValue, next.encoders, `${path}.${next.name}`));
    const { begins: text, ...sides } = interval;
    const within = (): KeyRange => {
      if (isSame) return sameRange(sides, { ...hole, text: folded }, prefix);
      let ends = endsOf(sides, isText ? compareText : compareInstants);
      if (ends !== 'none')
        ends =
          next.encoders.length === 0
            ? plainEnds(ends, hole, whole)
            : encodedEnds(seconds ? inMilliseconds(ends) : ends, inKey, accepts);
      if (ends === 'none') return { none: true };
      return rangeOf(reversed ? { low: ends.high, high: ends.low } : ends, hole, prefix);
    };
    if (text === undefined || text === null) return within();
    const begun = isSame ? beginsWith(prefix + folded(text)) : beginning(hole, next, prefix, text);
    return Object.values(sides).every(isOpen) ? begun : inBoth(begun, within(), hole);
  };
}

const members: ReadonlySet<string> = new Set(['from', 'to', 'after', 'before', 'begins']);

/** @throws {InputError} for anything but an interval, which would otherwise be no bound. */
function refuseOthers(interval: unknown, path: string): void {
  const names = typeof interval === 'object' && interval !== null ? Object.keys(interval) : [''];
  if (names.some((name) => !members.has(name)))
    throw new InputError('not-an-interval', path, 'must be an object of from, to, after, before and begins');
}

function isOpen(end: unknown): boolean {
  return end === undefined || end === null;
}

/** The text keys that are in both of two ranges. */
function inBoth(a: KeyRange, b: KeyRange, hole: Hole): KeyRange {
  const low = isAbove(a.low, b.low) || b.low === undefined ? a.low : b.low;
  const high = isAbove(b.high, a.high) || b.high === undefined ? a.high : b.high;
  if (a.none === true || b.none === true || isAbove(low, high)) return { none: true };
  const left = [a, b].flatMap(({ begins, high: end, without }) => [
    ...(without?.keys ?? []),
    // The keys with a prefix are below the text that follows it.
    ...(begins === true && end !== undefined ? [end] : []),
  ]);
  const keys = [...new Set(left)].filter((key) => key === high);
  return { low, high, without: withoutOf(hole, keys, 0), tests: a.tests };
}

/** The keys of an interval of values that compare by their texts in the key. */
function sameRange(interval: Interval<unknown>, hole: Hole, prefix: string): KeyRange {
  const texts = Object.entries(interval).map(([end, value]) => [end, value === undefined ? value : hole.text(value)]);
  const ends = endsOf(Object.fromEntries(texts) as Interval<unknown>, compareText);
  return ends === 'none' ? { none: true } : rangeOf(ends, { ...hole, text: (text) => text as string }, prefix);
}

function wholeNumbers(schema: StandardSchema): NumberDomain | undefined {
  const { number } = domainOf(schema);
  return number?.whole === true && Number.isFinite(number.least) && Number.isFinite(number.most) ? number : undefined;
}

function takesAnyText({ name, encoders }: TemplateVariable): boolean {
  try {
    encoded('!', encoders, name);
    return true;
  } catch {
    return false;
  }
}

interface Hole {
  readonly attribute: string;
  /** The text that follows in the template. */
  readonly following: string | TemplateVariable | undefined;
  readonly type: KeyType;
  /** The values, if they are whole numbers of a known range. Only they are in the order of their texts, and no other number. */
  readonly whole: NumberDomain | undefined;
  /** Whether an item can have the value. */
  readonly accepts: (value: unknown) => boolean;
  readonly text: (value: unknown) => KeyText | undefined;
}

type Compare = (a: End, b: End) => number;

/** The tighter of two ends on each side; the interval is empty if the ends are reversed. */
function endsOf({ from, after: later, to, before }: Interval<unknown>, compare: Compare): Ends {
  const end = (value: unknown, exclusive: boolean): End | undefined =>
    isOpen(value) ? undefined : { value, exclusive };
  const low = tighter(end(from, false), end(later, true), compare);
  const high = tighter(end(to, false), end(before, true), (a, b) => compare(b, a));
  if (low === undefined || high === undefined) return { low, high };
  const order = compare(low, high);
  return order > 0 || (order === 0 && (low.exclusive || high.exclusive)) ? 'none' : { low, high };
}

function tighter(inclusive: End | undefined, exclusive: End | undefined, compare: Compare): End | undefined {
  if (inclusive === undefined || exclusive === undefined) return inclusive ?? exclusive;
  return compare(inclusive, exclusive) > 0 ? inclusive : exclusive;
}

function compareText(a: End, b: End): number {
  return compareValues(ordered(a.value), ordered(b.value)) ?? 0;
}

/** A boolean is text in a key. */
function ordered(value: unknown): unknown {
  return typeof value === 'boolean' ? String(value) : value;
}

function compareInstants(a: End, b: End): number {
  const [left, right] = [timeOf(a.value), timeOf(b.value)];
  return left !== undefined && right !== undefined ? left - right : compareText(a, b);
}

/** The instant of a text, which its offset may take beyond the years that keys have; NaN for a text without an offset. */
function offsetInstant(text: string): number {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?[+-]\d\d:\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
}

function textInstant(text: string): number {
  const instant = offsetInstant(text);
  return Number.isNaN(instant) ? instantOf(text) : instant;
}

/** A time, or the first or last one that keys have in the place of one beyond these. */
export function withinYears(value: KeyValue): KeyValue {
  const instant = typeof value === 'string' ? offsetInstant(value) : Number(value);
  return instant < leastInstant ? leastInstant : instant > mostInstant ? mostInstant : value;
}

function timeOf(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    return textInstant(value);
  } catch {
    return undefined;
  }
}

/** Ends of a value that is unchanged in the key. */
function plainEnds({ low, high }: Exclude<Ends, 'none'>, hole: Hole, whole: boolean): Ends {
  if (hole.type === 'N') return storableEnds({ low, high });
  if (hole.type !== 'S') return { low, high };
  const { least, most } = hole.whole ?? {};
  if (least !== undefined && most !== undefined && isNumber(low) && isNumber(high))
    return wholeEnds({ low, high }, least, most);
  const fit = (end: End | undefined, side: 'low' | 'high'): End | undefined => {
    if (end === undefined || typeof end.value !== 'string' || end.value === '' || hole.accepts(end.value)) return end;
    return atTime(end, side, hole) ?? (whole || hole.following === undefined ? end : cut(end, side, hole));
  };
  return { low: fit(low, 'low'), high: fit(high, 'high') };
}

function isNumber(end: End | undefined): boolean {
  return end === undefined || typeof end.value === 'number' || typeof end.value === 'bigint';
}

/** The service stores no number from ten to the power of 126 on, and none that is closer to zero than ten to the power of -130. */
const overMost = 1e126;
const leastAboveZero = 1e-130;

/** Ends of a number that no item can have, replaced by those that bound the same items. */
function storableEnds({ low, high }: Exclude<Ends, 'none'>): Ends {
  const isBelowAll = (end: End | undefined): boolean => Number(end?.value) <= -overMost;
  const isAboveAll = (end: End | undefined): boolean => Number(end?.value) >= overMost;
  if (isAboveAll(low) || isBelowAll(high)) return 'none';
  const fit = (end: End | undefined, side: 'low' | 'high'): End | undefined => {
    const number = Number(end?.value);
    if (end === undefined || number === 0 || !(Math.abs(number) < leastAboveZero)) return end;
    return { value: 0, exclusive: side === 'low' ? number > 0 : number < 0 };
  };
  return {
    low: isBelowAll(low) ? undefined : fit(low, 'low'),
    high: isAboveAll(high) ? undefined : fit(high, 'high'),
  };
}

/** A time in another format than the attribute's, converted to that format, which may be coarser. */
function atTime({ value, exclusive }: End, side: 'low' | 'high', { accepts }: Hole): End | undefined {
  const instant = timeOf(value);
  if (instant === undefined) return undefined;
  const iso = new Date(instant).toISOString();
  const form = [iso, `${iso.slice(0, 19)}Z`, iso.slice(0, 19), iso.slice(0, 10)].find(accepts);
  if (form === undefined) return undefined;
  // The converted time is below the original one, so it is below a lower end and within an upper one.
  return instantOf(form) === instant ? { value: form, exclusive } : { value: form, exclusive: side === 'low' };
}

/**
 * An end that no item has. If items have a prefix of it as their value, the text that follows in their keys could be taken for the rest of the
 * end. The end is then cut to that prefix, which is below it.
 */
function cut(end: End, side: 'low' | 'high', { following, accepts }: Hole): End {
  const text = end.value as string;
  for (let length = text.length - 1; length > 0; length--) {
    if (!accepts(text.slice(0, length))) continue;
    const next = text.slice(length);
    if (typeof following === 'string' && (compareValues(next.slice(0, 1), following.slice(0, 1)) ?? 0) > 0) return end;
    return { value: text.slice(0, length), exclusive: side === 'low' };
  }
  return end;
}

/** Ends of an encoded value: clipped to what the encoder accepts, and moved to the next value that it has. */
function encodedEnds(
  { low, high }: Exclude<Ends, 'none'>,
  { name, encoders }: TemplateVariable,
  accepts: Hole['accepts'],
): Ends {
  const [first, second] = encoders;
  const isEpoch = first?.name === 'epoch' && second !== undefined;
  const { least, most } = first ?? {};
  if (least === undefined || most === undefined) {
    const perSecond = isEpoch ? 1000 : 1;
    const ends = clipped({ low, high }, leastInstant / perSecond, mostInstant / perSecond);
    if (ends === 'none') return ends;
    const exact = (end: End | undefined, side: 'low' | 'high'): End | undefined =>
      exactTime(end, side, { name, encoders }, accepts);
    return { low: exact(ends.low, 'low'), high: exact(ends.high, 'high') };
  }
  return wholeEnds({ low, high }, least, most);
}

/** Ends moved to the next whole numbers within the interval, and left out where they are beyond all values. */
function wholeEnds({ low, high }: Exclude<Ends, 'none'>, least: number, most: number): Ends {
  const number = ({ value }: End): number => (typeof value === 'string' ? textInstant(value) : Number(value));
  const whole = {
    low:
      low === undefined ? least : Math.max(least, low.exclusive ? Math.floor(number(low)) + 1 : Math.ceil(number(low))),
    high:
      high === undefined
        ? most
        : Math.min(most, high.exclusive ? Math.ceil(number(high)) - 1 : Math.floor(number(high))),
  };
  if (whole.low > whole.high) return 'none';
  return {
    low: low === undefined || whole.low === least ? undefined : { value: whole.low, exclusive: false },
    high: high === undefined || whole.high === most ? undefined : { value: whole.high, exclusive: false },
  };
}

/** Seconds since 1970 that a key holds as a whole number of milliseconds. Ends have to be whole there, and not before they are multiplied. */
function isWholeEpoch({ encoders: [first, second] }: TemplateVariable): boolean {
  return first?.name === 'epoch' && second?.least !== undefined;
}

function inMilliseconds({ low, high }: Exclude<Ends, 'none'>): Exclude<Ends, 'none'> {
  const scaled = (end: End | undefined): End | undefined => end && { ...end, value: Number(end.value) * 1000 };
  return { low: scaled(low), high: scaled(high) };
}

/** Ends that are numbers or times, of which the key holds those from `least` to `most`. */
function clipped({ low, high }: Exclude<Ends, 'none'>, least: number, most: number): Ends {
  const at = (end: End | undefined): number =>
    typeof end?.value === 'string' ? offsetInstant(end.value) : Number(end?.value);
  const isBelow = (end: End | undefined): boolean => at(end) < least;
  const isAboveAll = (end: End | undefined): boolean => at(end) > most;
  if (isAboveAll(low) || isBelow(high)) return 'none';
  return { low: isBelow(low) ? undefined : low, high: isAboveAll(high) ? undefined : high };
}

/** A time that the encoder truncates is above the result, which is therefore below a lower end and within an upper one. */
function exactTime(
  end: End | undefined,
  side: 'low' | 'high',
  { name, encoders }: Pick<TemplateVariable, 'name' | 'encoders'>,
  accepts: Hole['accepts'],
): End | undefined {
  if (end === undefined) return undefined;
  const value = end.value as KeyValue;
  const cutTo = encoded(value, encoders, name);
  const before = timeOf(cutTo);
  const start = encoders[0]?.name === 'epoch' ? Number(value) * 1000 : timeOf(value);
  // Times have millisecond precision; finer differences are ignored.
  if (before === undefined || start === undefined || before === start) return end;
  // If items can have the value, they share its key with others. All of them are returned, which is why such a key is not proven.
  return { value, exclusive: side === 'low' && !accepts(value) };
}

function rangeOf({ low, high }: Exclude<Ends, 'none'>, hole: Hole, prefix: string): KeyRange {
  const { following, type } = hole;
  const key = (end: End | undefined): KeyText | undefined => {
    // The empty text is not a key: all others are above it.
    if (end === undefined || end.value === '') return undefined;
    const text = hole.text(end.value);
    return typeof text === 'string' ? prefix + text : text;
  };
  const [from, to] = [key(low), key(high)];
  if (high?.value === '') return { none: true };
  const all = type === 'S' ? beginsWith(prefix) : {};
  if (from === undefined && to === undefined) return all;
  if (type !== 'S' || following === undefined) {
    // The least text above another one ends in the least character. Numbers and bytes have no such neighbour.
    const next = type === 'S' && low?.exclusive === true && typeof from === 'string' ? `${from}\0` : from;
    const above = next === from && from !== undefined && low?.exclusive === true;
    const below = to === undefined ? all.high !== undefined : high?.exclusive === true;
    const [lowest, highest] = [next ?? all.low, to ?? all.high];
    // A text that is a time in the order of the ends may be plain text in the key, which sorts by bytes.
    if (type === 'S' && isAbove(lowest, highest)) return { none: true };
    const keys = [...(above ? [from] : []), ...(below && highest !== undefined ? [highest] : [])];
    // No item has the end of a prefix, unless it is of another kind.
    const likely = keys.length - Number(below && to === undefined);
    return { low: lowest, high: highest, without: withoutOf(hole, keys, likely) };
  }
  // Keys continue after the value. Those with the value of an end are all that begin with it and the text that follows it.
  const tail = typeof following === 'string' ? following : '';
  const above = (text: KeyText): string | undefined => after(String(text) + tail);
  const first = from === undefined ? all.low : low?.exclusive === true ? above(from) : from;
  const last = to === undefined ? all.high : high?.exclusive === true ? to : above(to);
  if (isAbove(first, last)) return { none: true };
  return { low: first, high: last, without: withoutOf(hole, last === undefined ? [] : [last], 0) };
}

function withoutOf({ attribute }: Hole, keys: readonly KeyText[], likely: number): Without | undefined {
  return keys.length === 0 ? undefined : { attribute, keys, likely };
}

/** The prefix of the value's own text. An encoded value has another text, and is tested after the read. */
function beginning(hole: Hole, { name, encoders }: TemplateVariable, prefix: string, begins: string): KeyRange {
  if (hole.type !== 'S') throw new InputError('begins-with-text', name, 'begins applies only to text');
  if (begins === '') return beginsWith(prefix);
  if (encoders.some(({ rest }) => rest !== true)) {
    const tests: Condition[] = [{ [name]: { begins } }];
    return { ...beginsWith(prefix), ...around(hole, encoders, prefix, begins), tests };
  }
  const { following, accepts } = hole;
  if (following !== undefined) {
    for (let length = begins.length - 1; length > 0; length--) {
      // A shorter value and the text that follows it in the key only look like the prefix.
      const mistaken = typeof following !== 'string' || begins[length] === following[0];
      if (mistaken && accepts(begins.slice(0, length))) return { none: true };
    }
  }
  return beginsWith(prefix + begins);
}

/** Times that begin with a year, month or day are within a day of it, in whatever zone they are written. */
function around(
  hole: Hole,
  encoders: TemplateVariable['encoders'],
  prefix: string,
  begins: string,
): KeyRange | undefined {
  const [, year, month, day] = /^(\d{4})(?:-(\d\d)(?:-(\d\d).*)?)?$/.exec(begins) ?? [];
  if (
    year === undefined ||
    encoders.length !== 1 ||
    encoders[0]?.least !== undefined ||
    timeOf(encoders[0]?.encode(0)) !== 0
  )
    return undefined;
  const [y, m, d] = [Number(year), Number(month ?? 1) - 1, Number(day ?? 1)];
  const first = Date.UTC(y, m, d) - 86_400_000;
  const last = Date.UTC(
    y + (month === undefined ? 1 : 0),
    m + (month !== undefined && day === undefined ? 1 : 0),
    d + 1,
  );
  if (!(y > 0 && y < 9999)) return undefined;
  const ends = { low: { value: first, exclusive: false }, high: { value: last + 86_400_000, exclusive: false } };
  return { begins: false, ...rangeOf(ends, hole, prefix) };
}

function accepted(schema: StandardSchema | undefined, value: unknown): boolean {
  // An end may be cut within a surrogate pair.
  if (typeof value === 'string' && !value.isWellFormed()) return false;
  return schema !== undefined && yielded(schema, value) === value;
}

function binary(value: unknown): KeyText | undefined {
  return value instanceof Uint8Array ? value : undefined;
}
