import type { Clock } from './clock.ts';
import { epochSecondsOf } from './clock.ts';

// A KSUID is a unique id that sorts by its time of creation, as bytes and as text:
//
//   0         4                                   20 bytes
//   | seconds | payload: 128 random bits           |   seconds since KSUID_EPOCH_SECONDS, big-endian
//
// written in base 62 with the digits in ASCII order, always 27 characters.

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = BigInt(DIGITS.length);
const TEXT_LENGTH = 27;
const TIMESTAMP_BYTES = 4;
const PAYLOAD_BYTES = 16;
const RAW_BYTES = TIMESTAMP_BYTES + PAYLOAD_BYTES;
const TIMESTAMP_MAX = 2 ** (8 * TIMESTAMP_BYTES) - 1;

/** 2014-05-13T16:53:20Z: with it as year zero, 32 bits of seconds reach into the year 2150. */
const KSUID_EPOCH_SECONDS = 1_400_000_000;

export interface Ksuid {
  /** Time of creation, whole seconds since 1970-01-01T00:00:00Z. */
  readonly epochSeconds: number;
  /** 16 bytes. */
  readonly payload: Uint8Array;
}

/** The parts of a KSUID in readable form, as an inspecting command prints them. */
export interface KsuidInspection {
  readonly text: string;
  /** The 20 bytes, as 40 upper-case hexadecimal digits. */
  readonly rawHex: string;
  readonly time: Date;
  /** Seconds since the KSUID epoch, as stored. */
  readonly timestampSeconds: number;
  /** The 16 random bytes, as 32 upper-case hexadecimal digits. */
  readonly payloadHex: string;
}

export type KsuidErrorCode = 'wrong-length' | 'wrong-character' | 'too-large' | 'time-out-of-range';

export class KsuidError extends Error {
  override readonly name = 'KsuidError';
  readonly code: KsuidErrorCode;

  constructor(code: KsuidErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Makes ids from a clock and a source of random bytes.
 *
 * @param source.randomBytes - called once per id, for 16 bytes.
 */
export function createKsuidGenerator(source: {
  readonly clock: Clock;
  readonly randomBytes: (count: number) => Uint8Array;
}): () => string {
  return () => encodeKsuid({ epochSeconds: epochSecondsOf(source.clock), payload: source.randomBytes(PAYLOAD_BYTES) });
}

/**
 * Writes a KSUID as its 27 characters.
 *
 * @throws {KsuidError} `time-out-of-range` before 2014-05-13T16:53:20Z or after the 32 bits of seconds have run out,
 *   `wrong-length` for a payload that is not 16 bytes.
 */
export function encodeKsuid({ epochSeconds, payload }: Ksuid): string {
  const timestampSeconds = epochSeconds - KSUID_EPOCH_SECONDS;
  if (!Number.isInteger(timestampSeconds) || timestampSeconds < 0 || timestampSeconds > TIMESTAMP_MAX) {
    throw new KsuidError('time-out-of-range', `A KSUID cannot hold the time ${epochSeconds} (epoch seconds)`);
  }
  if (payload.length !== PAYLOAD_BYTES) {
    throw new KsuidError('wrong-length', `A KSUID has ${PAYLOAD_BYTES} bytes of payload, not ${payload.length}`);
  }
  const raw = Buffer.alloc(RAW_BYTES);
  raw.writeUInt32BE(timestampSeconds, 0);
  raw.set(payload, TIMESTAMP_BYTES);
  return base62(raw);
}

/**
 * Reads a KSUID.
 *
 * @throws {KsuidError} `wrong-length`, `wrong-character`, or `too-large` for 27 digits that exceed 20 bytes.
 */
export function decodeKsuid(text: string): Ksuid {
  const raw = rawBytes(text);
  return {
    epochSeconds: KSUID_EPOCH_SECONDS + raw.readUInt32BE(0),
    payload: Uint8Array.from(raw.subarray(TIMESTAMP_BYTES)),
  };
}

/**
 * Takes a KSUID apart for a reader.
 *
 * @throws {KsuidError} as {@link decodeKsuid} does.
 */
export function inspectKsuid(text: string): KsuidInspection {
  const rawHex = rawBytes(text).toString('hex').toUpperCase();
  const { epochSeconds } = decodeKsuid(text);
  return {
    text,
    rawHex,
    time: new Date(epochSeconds * 1000),
    timestampSeconds: epochSeconds - KSUID_EPOCH_SECONDS,
    payloadHex: rawHex.slice(2 * TIMESTAMP_BYTES),
  };
}

function base62(raw: Buffer): string {
  let rest = BigInt(`0x${raw.toString('hex')}`);
  let text = '';
  while (rest > 0n) {
    text = DIGITS.charAt(Number(rest % BASE)) + text;
    rest /= BASE;
  }
  return text.padStart(TEXT_LENGTH, '0');
}

function rawBytes(text: string): Buffer {
  if (text.length !== TEXT_LENGTH) {
    throw new KsuidError('wrong-length', `A KSUID has ${TEXT_LENGTH} characters, not ${text.length}`);
  }
  let value = 0n;
  for (const character of text) {
    const digit = DIGITS.indexOf(character);
    if (digit === -1) {
      throw new KsuidError('wrong-character', `${JSON.stringify(character)} is not a base 62 digit`);
    }
    value = value * BASE + BigInt(digit);
  }
  const hex = value.toString(16).padStart(2 * RAW_BYTES, '0');
  if (hex.length > 2 * RAW_BYTES) {
    throw new KsuidError('too-large', `${text} stands for more than ${RAW_BYTES} bytes`);
  }
  return Buffer.from(hex, 'hex');
}
