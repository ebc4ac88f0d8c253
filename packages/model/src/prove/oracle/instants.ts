import { compareValues } from './values.ts';

/**
 * The instant of an ISO-8601 text, in nanoseconds since 1970; without a zone it is UTC. Undefined for other text. Fractions
 * beyond nine digits are truncated.
 */
export function instantOf(text: string): bigint | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?\s?(Z|[+-]\d\d(?::?\d\d)?)?)?$/.exec(
    text,
  );
  if (match === null) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] = match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  const milliseconds = BigInt(date.getTime() - offsetMilliseconds(zone));
  return milliseconds * 1_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9));
}

/** Compares values of a time attribute: by instant, to the millisecond, if both are times, otherwise like any other. */
export function compareTimes(a: unknown, b: unknown): number | undefined {
  if (typeof a !== 'string' || typeof b !== 'string') return compareValues(a, b);
  const [first, second] = [instantOf(a), instantOf(b)];
  if (first === undefined || second === undefined) return compareValues(a, b);
  return Number(millisecondOf(first) - millisecondOf(second));
}

/** The millisecond that contains an instant, including instants before 1970. */
function millisecondOf(instant: bigint): bigint {
  return (instant - (((instant % 1_000_000n) + 1_000_000n) % 1_000_000n)) / 1_000_000n;
}

function offsetMilliseconds(zone: string): number {
  if (zone === 'Z') return 0;
  const [hours = '0', minutes = '0'] =
    zone.slice(1).split(':').length === 2 ? zone.slice(1).split(':') : [zone.slice(1, 3), zone.slice(3) || '0'];
  return (Number(hours) * 60 + Number(minutes)) * 60_000 * (zone.startsWith('-') ? -1 : 1);
}

/** Units of time of a walk. Results cover whole units. */
export type Unit = 'second' | 'hour' | 'day' | 'week' | 'month' | 'year';

/** The first millisecond of the unit that contains an instant. Weeks begin on Monday, UTC. */
export function unitStart(unit: Unit, milliseconds: number): number {
  const date = new Date(milliseconds);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  switch (unit) {
    case 'second':
      return Math.floor(milliseconds / 1000) * 1000;
    case 'hour':
      return Math.floor(milliseconds / 3_600_000) * 3_600_000;
    case 'day':
      return Date.UTC(year, month, day);
    case 'week':
      return Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7));
    case 'month':
      return Date.UTC(year, month);
    case 'year':
      return Date.UTC(year, 0);
  }
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ksuidEpochSeconds = 1_400_000_000n;

/** The time of a value in milliseconds since 1970: ISO-8601 text, a number of milliseconds or of seconds, a KSUID or a ULID. */
export function timeOf(value: unknown, inSeconds = false): number | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value) * (inSeconds ? 1000 : 1);
  if (typeof value !== 'string') return undefined;
  const instant = instantOf(value);
  if (instant !== undefined) return Number(instant / 1_000_000n);
  if (/^[0-9A-Za-z]{27}$/.test(value)) return Number(((decoded(value, base62) >> 128n) + ksuidEpochSeconds) * 1000n);
  if (/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(value)) return Number(decoded(value.slice(0, 10), base32));
  return undefined;
}

function decoded(text: string, alphabet: string): bigint {
  const base = BigInt(alphabet.length);
  return Array.from(text).reduce((number, digit) => number * base + BigInt(alphabet.indexOf(digit)), 0n);
}
