import { InputError } from '../model-error.ts';
import { ksuidTime, ulidTime } from './ids.ts';
import { sha256 } from './sha256.ts';

/** A value that can be in a key. */
export type KeyValue = string | number | bigint | boolean;

/** Units to which a time is cut. */
export type TimeUnit = 'second' | 'hour' | 'day' | 'week' | 'month' | 'year';

/**
 * One step from an attribute's value to its text in a key. The order of values is the order of encoded texts, or its reverse if
 * `reversed`. `decode` undoes `encode` if no information was lost.
 */
export interface Encoder {
  readonly name: string;
  readonly encode: (value: KeyValue) => KeyValue;
  readonly decode?: (text: string) => KeyValue;
  /** The caller cannot choose any character of the text, so it needs no check for separators. */
  readonly safe: boolean;
  /** The text may contain anything, even the separator, so nothing may follow it in the key. */
  readonly rest?: boolean;
  /** Larger values sort first. */
  readonly reversed?: boolean;
  /** The whole numbers that it accepts. For a time, milliseconds since 1970. */
  readonly least?: number;
  readonly most?: number;
  /** The fixed number of parts that the values are spread over. */
  readonly shards?: { readonly first: number; readonly count: number };
  /** Values of one unit of time share one text. */
  readonly unit?: TimeUnit;
}

/** Names of encoders in a template, after the colon: `{number:07}`, `{email:lower}`, `{createdAt:day}`, `{orderId:shard8}`. */
export type EncoderName = PlainEncoder | `0${number}` | `inverse${number}` | `tens${number}` | `shard${number}`;
type PlainEncoder =
  | 'lower'
  | 'upper'
  | 'trim'
  | 'slug'
  | 'escape'
  | 'rest'
  | 'bare'
  | 'utc'
  | 'seconds'
  | 'inverseTime'
  | 'epoch'
  | 'ksuid'
  | 'ulid'
  | 'date'
  | TimeUnit;

const inverseTime = paddedNumber('inverse', 13, 'a time of 1970 to 2286-11-20; use {…:utc}');

const plain: Readonly<Record<PlainEncoder, Omit<Encoder, 'name'>>> = {
  lower: text((value) => value.toLowerCase()),
  upper: text((value) => value.toUpperCase()),
  trim: text((value) => value.trim()),
  slug: {
    encode: (value: KeyValue) =>
      String(value)
        .toLowerCase()
        .replaceAll(/[^a-z0-9]/g, ''),
    safe: true,
  },
  escape: {
    encode: (value: KeyValue) => String(value).replaceAll(/[%#|:]/g, encodeURIComponent),
    decode: decodeURIComponent,
    safe: false,
  },
  bare: text((value) => value.slice(value.search(/[^:#|/]*$/))),
  rest: { encode: String, decode: (text: string) => text, safe: true, rest: true },
  utc: {
    encode: (value: KeyValue) => (isPlain(value, 24) ? value : new Date(instantOf(value)).toISOString()),
    safe: true,
  },
  seconds: {
    encode: (value: KeyValue) => (isPlain(value, 20) ? value : `${isoSeconds(instantOf(value))}Z`),
    safe: true,
  },
  inverseTime: {
    ...inverseTime,
    encode: (value: KeyValue) => inverseTime.encode(instantOf(value)),
    decode: (encoded: string) => new Date(9_999_999_999_999 - Number(encoded)).toISOString(),
  },
  epoch: { encode: (value: KeyValue) => Number(value) * 1000, safe: true },
  ksuid: { encode: (value: KeyValue) => ksuidTime(String(value)), safe: true },
  ulid: { encode: (value: KeyValue) => ulidTime(String(value)), safe: true },
  second: cut('second'),
  hour: cut('hour'),
  day: cut('day'),
  week: cut('week'),
  month: cut('month'),
  year: cut('year'),
  date: { encode: (value: KeyValue) => isoSeconds(instantOf(value)).slice(0, 10), safe: true, unit: 'day' },
};

/** The first and the last millisecond of the years 0 to 9999. */
export const leastInstant = -62_167_219_200_000;
export const mostInstant = 253_402_300_799_999;

/** The encoder of that name, or undefined if there is none. */
export function encoderNamed(name: string): Encoder | undefined {
  if (Object.hasOwn(plain, name)) return { ...plain[name as PlainEncoder], name };
  const [, family = '', size] = /^(0|inverse|tens|shard)(\d+)$/.exec(name) ?? [];
  const width = Number(size);
  if (!(width > 0 && width <= (family === 'shard' ? 10_000 : 18))) return undefined;
  return { ...(family === 'shard' ? shardOf(width) : paddedNumber(family, width)), name };
}

/** The first instant of the unit of time that contains `at`, both in milliseconds since 1970. Weeks begin on Monday, UTC. */
export function startOf(unit: TimeUnit, at: number): number {
  const date = new Date(at);
  if (unit === 'second') return date.setUTCMilliseconds(0);
  if (unit === 'hour') return date.setUTCMinutes(0, 0, 0);
  date.setUTCHours(0, 0, 0, 0);
  if (unit === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  if (unit === 'month') date.setUTCDate(1);
  if (unit === 'year') date.setUTCMonth(0, 1);
  return date.getTime();
}

/**
 * The instant of a value: milliseconds since 1970, or ISO-8601 text (without a zone: UTC).
 *
 * @throws {InputError} for any other text, because display formats do not sort, and for times beyond the years 0 to 9999.
 */
export function instantOf(value: KeyValue): number {
  const iso = String(value);
  const [time = '', zone] = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/.exec(iso) ?? [];
  const text = zone === undefined && time.length > 10 ? `${time}Z` : time;
  const instant = typeof value === 'number' || typeof value === 'bigint' ? Number(value) : Date.parse(text);
  // Years of other lengths do not sort.
  if (!(instant >= leastInstant && instant <= mostInstant))
    throw new InputError('not-a-time', iso, 'is not an ISO-8601 time');
  return instant;
}

/** The shard of a text: the first four bytes of its SHA-256, big-endian, modulo `count`. The same in every language. */
export function shardNumber(value: string, count: number): number {
  return new DataView(sha256(new TextEncoder().encode(value)).buffer).getUint32(0) % count;
}

/** Text that already has the required form, since parsing and printing a time takes a microsecond. */
function isPlain(value: KeyValue, length: number): boolean {
  return (
    typeof value === 'string' &&
    value.length === length &&
    /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?Z$/.test(value)
  );
}

function text(encode: (value: string) => string): Omit<Encoder, 'name'> {
  return { encode: (value) => encode(String(value)), safe: false };
}

function cut(unit: TimeUnit): Omit<Encoder, 'name'> {
  return { encode: (value) => isoSeconds(startOf(unit, instantOf(value))), safe: true, unit };
}

function isoSeconds(instant: number): string {
  return new Date(instant).toISOString().slice(0, 19);
}

function shardOf(count: number): Omit<Encoder, 'name'> {
  return { encode: (value) => shardNumber(String(value), count), safe: true, shards: { first: 0, count } };
}

/** `07` pads; `inverse7` is 9999999 - n; `tens7` is 10000000 - n, for n from 1. */
function paddedNumber(
  family: string,
  width: number,
  range = `a whole number that fits ${width} digits`,
): Omit<Encoder, 'name'> {
  const least = family === 'tens' ? 1 : 0;
  const most = 10n ** BigInt(width) + BigInt(least - 1);
  const turned = (number: bigint): bigint => (family === '0' ? number : most - number);
  return {
    encode: (value) => {
      const number = typeof value !== 'number' || Number.isSafeInteger(value) ? BigInt(value) : -1n;
      if (number < least || number > most) throw new InputError('out-of-range', String(value), `is not ${range}`);
      return String(turned(number)).padStart(width, '0');
    },
    decode: (encoded) => Number(turned(BigInt(encoded))),
    safe: true,
    least,
    most: Number(most),
    reversed: family !== '0',
  };
}
