import { incompleteSignature, invalidSignature } from './signature-error.ts';

/** How far a client's clock may differ, in either direction, in minutes. Recorded from DynamoDB in 2013, 2014 and 2019. */
const clockSkewMinutesMax = 15;

const clockSkewMsMax = clockSkewMinutesMax * 60_000;

/** The time at which a request was signed, according to the request. */
export interface SignatureDate {
  /** `20261120T120000Z`: the text that is signed. */
  readonly basic: string;
  /** `20261120`. */
  readonly day: string;
  readonly atMs: number;
}

/**
 * Reads the time of a signature.
 *
 * @param text - ISO 8601 in the basic form. For the Date header, which a client may send instead, also the form of HTTP.
 * @throws {DynamoError} IncompleteSignatureException if it is not a time.
 */
export function readSignatureDate(text: string): SignatureDate {
  if (text === last?.text) return last.date;
  const date = parseDate(text);
  last = { text, date };
  return date;
}

/** Requests of the same second have the same date. */
let last: { readonly text: string; readonly date: SignatureDate } | undefined;

function parseDate(text: string): SignatureDate {
  const atMs = basicPattern.test(text) ? basicMs(text) : httpMs(text);
  if (atMs === undefined) {
    throw incompleteSignature(
      `Date must be in ISO-8601 'basic format'. Got '${text}'. See http://en.wikipedia.org/wiki/ISO_8601`,
    );
  }
  const basic = basicDate(atMs);
  return { basic, day: basic.slice(0, 8), atMs };
}

/** @throws {DynamoError} InvalidSignatureException if it is too far in the past or in the future. */
export function checkSignatureAge({ basic, atMs }: SignatureDate, nowMs: number): void {
  if (atMs < nowMs - clockSkewMsMax) {
    const earliest = basicDate(nowMs - clockSkewMsMax);
    throw invalidSignature(
      `Signature expired: ${basic} is now earlier than ${earliest} (${basicDate(nowMs)} - ${clockSkewMinutesMax} min.)`,
    );
  }
  if (atMs > nowMs + clockSkewMsMax) {
    const latest = basicDate(nowMs + clockSkewMsMax);
    throw invalidSignature(
      `Signature not yet current: ${basic} is still later than ${latest} (${basicDate(nowMs)} + ${clockSkewMinutesMax} min.)`,
    );
  }
}

const basicPattern = /^\d{8}T\d{6}Z$/;

function basicMs(text: string): number | undefined {
  const number = (from: number, to: number): number => Number(text.slice(from, to));
  const atMs = Date.UTC(number(0, 4), number(4, 6) - 1, number(6, 8), number(9, 11), number(11, 13), number(13, 15));
  // The thirteenth month is not a month.
  return Number.isNaN(atMs) || basicDate(atMs) !== text ? undefined : atMs;
}

function httpMs(text: string): number | undefined {
  if (!httpPattern.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : atMs;
}

const httpPattern = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

function basicDate(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}
