import { InputError } from '../model-error.ts';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ksuidEpochSeconds = 1_400_000_000;

/** The inputs of an id: the time in milliseconds, and its random bytes. Both default to the machine's. */
export interface IdSource {
  readonly at?: number;
  readonly random?: Uint8Array;
}

/** A KSUID: 27 base-62 characters that sort by second; 16 random bytes. */
export function ksuid(source: IdSource = {}): string {
  const seconds = Math.floor((source.at ?? Date.now()) / 1000) - ksuidEpochSeconds;
  let number = BigInt(seconds);
  for (const byte of source.random ?? randomBytes(16)) number = number * 256n + BigInt(byte);
  return inBase(number, base62, 27);
}

/** The instant inside a KSUID, in milliseconds since 1970. */
export function ksuidTime(id: string): number {
  const number = fromBase(id, base62, 27, 'KSUID');
  return (Number(number >> 128n) + ksuidEpochSeconds) * 1000;
}

/** The parts of a KSUID. */
export interface KsuidParts {
  /** 27 base-62 characters. */
  readonly string: string;
  /** The 20 bytes, hexadecimal. */
  readonly raw: string;
  /** ISO-8601, to the second. */
  readonly time: string;
  /** Seconds since 2014-05-13T16:53:20Z. */
  readonly timestamp: number;
  /** The 16 random bytes, hexadecimal. */
  readonly payload: string;
}

/**
 * Splits a KSUID into its parts.
 *
 * @throws {InputError} for text that is not a KSUID.
 */
export function ksuidParts(id: string): KsuidParts {
  const number = fromBase(id, base62, 27, 'KSUID');
  if (number >= 1n << 160n) throw new InputError('not-an-id', id, 'is not a KSUID');
  const raw = number.toString(16).toUpperCase().padStart(40, '0');
  const timestamp = Number(number >> 128n);
  const time = new Date((timestamp + ksuidEpochSeconds) * 1000).toISOString().replace('.000Z', 'Z');
  return { string: id, raw, time, timestamp, payload: raw.slice(8) };
}

/** A ULID: 26 base-32 characters that sort by millisecond; 10 random bytes. */
export function ulid(source: IdSource = {}): string {
  let number = BigInt(source.at ?? Date.now());
  for (const byte of source.random ?? randomBytes(10)) number = number * 256n + BigInt(byte);
  return inBase(number, base32, 26);
}

/** The instant inside a ULID, in milliseconds since 1970. */
export function ulidTime(id: string): number {
  return Number(fromBase(id, base32, 26, 'ULID') >> 80n);
}

/** A UUID of version 7, which sorts by millisecond. */
export function uuidv7(source: IdSource = {}): string {
  const bytes = Uint8Array.from(source.random ?? randomBytes(10));
  bytes[0] = ((bytes[0] ?? 0) & 0x0f) | 0x70;
  bytes[2] = ((bytes[2] ?? 0) & 0x3f) | 0x80;
  const hex = (source.at ?? Date.now()).toString(16).padStart(12, '0') + [...bytes].map(twoDigits).join('');
  return hex.replace(/^(.{8})(....)(....)(....)/, '$1-$2-$3-$4-');
}

function twoDigits(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}

function inBase(number: bigint, alphabet: string, width: number): string {
  const base = BigInt(alphabet.length);
  let text = '';
  for (let rest = number; rest > 0n; rest /= base) text = alphabet.charAt(Number(rest % base)) + text;
  return text.padStart(width, '0');
}

function fromBase(text: string, alphabet: string, width: number, what: string): bigint {
  if (text.length !== width) throw new InputError('not-an-id', text, `is not a ${what}`);
  let number = 0n;
  for (const character of text) {
    const digit = alphabet.indexOf(character);
    if (digit < 0) throw new InputError('not-an-id', text, `is not a ${what}`);
    number = number * BigInt(alphabet.length) + BigInt(digit);
  }
  return number;
}
