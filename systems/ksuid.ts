import { InputError, ksuid, type KsuidParts, ksuidParts } from '@singlet/model';
import type { Clock } from './clock.ts';
import { epochSecondsOf } from './clock.ts';

// KSUIDs of the toolkit (`@singlet/model`), in the terms of these applications: with an injected clock and source of
// randomness, the parts in stored form, and an error that says what is wrong with a text.

const TEXT_LENGTH = 27;
const PAYLOAD_BYTES = 16;
const TIMESTAMP_MAX = 2 ** 32 - 1;

/** 2014-05-13T16:53:20Z: counted from here, 32 bits of seconds last until the year 2150. */
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
  return ksuid({ at: epochSeconds * 1000, random: payload });
}

/**
 * Reads a KSUID.
 *
 * @throws {KsuidError} `wrong-length`, `wrong-character`, or `too-large` for 27 digits that exceed 20 bytes.
 */
export function decodeKsuid(text: string): Ksuid {
  const { timestamp, payload } = partsOf(text);
  return { epochSeconds: KSUID_EPOCH_SECONDS + timestamp, payload: Uint8Array.from(Buffer.from(payload, 'hex')) };
}

/**
 * Splits a KSUID into readable parts.
 *
 * @throws {KsuidError} as {@link decodeKsuid} does.
 */
export function inspectKsuid(text: string): KsuidInspection {
  const { raw, time, timestamp, payload } = partsOf(text);
  return { text, rawHex: raw, time: new Date(time), timestampSeconds: timestamp, payloadHex: payload };
}

function partsOf(text: string): KsuidParts {
  try {
    return ksuidParts(text);
  } catch (error) {
    throw error instanceof InputError ? problemOf(text) : error;
  }
}

function problemOf(text: string): KsuidError {
  if (text.length !== TEXT_LENGTH) {
    return new KsuidError('wrong-length', `A KSUID has ${TEXT_LENGTH} characters, not ${text.length}`);
  }
  const character = /[^0-9A-Za-z]/u.exec(text)?.[0];
  return character === undefined
    ? new KsuidError('too-large', `${text} represents more than 20 bytes`)
    : new KsuidError('wrong-character', `${JSON.stringify(character)} is not a base 62 digit`);
}
