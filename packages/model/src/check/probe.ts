import { domainOf } from '../keys/domain.ts';
import type { StandardSchema } from '../schema/standard-schema.ts';
import { accepts as isAccepted } from '../schema/validated.ts';

/** What can be learned about a schema by testing values. */
export interface AttributeKind {
  /** Accepts numbers and no text. */
  readonly numeric: boolean;
  /** Accepts some text. */
  readonly text: boolean;
  /** Accepts text in upper and in lower case. */
  readonly mixedCase: boolean;
  /** Accepts times in one form only, or no times at all: false if the same instant can be written in several ways. */
  readonly severalTimes: boolean;
  /** Accepts times and hardly any other text. */
  readonly time: boolean;
  /** Accepts lists, sets or maps. */
  readonly document: boolean;
}

const utc = '2024-01-15T13:00:00Z';
const offset = '2024-01-15T10:00:00-03:00';
const local = '15/01/2024';

/**
 * Tests which values a schema accepts. Standard Schema has no readable description, so a few values are tried. A schema that
 * validates asynchronously, or accepts only values that are not among these, counts as accepting none of them.
 */
export function kindOf(schema: StandardSchema): AttributeKind {
  const found = known.get(schema) ?? probed(schema);
  known.set(schema, found);
  return found;
}

const known = new WeakMap<StandardSchema, AttributeKind>();

function probed(schema: StandardSchema): AttributeKind {
  const accepts = (value: unknown): boolean => isAccepted(schema, value);
  const numeric = accepts(1) || accepts(1_700_000_000) || accepts(1n);
  const words = accepts('Word') || accepts('word') || accepts('WORD');
  const times = accepts(utc) || accepts('2024-01-15T13:00:00.000Z') || accepts('2024-01-15');
  const text = words || times || accepts('a@example.com') || accepts('12345678');
  return {
    numeric: numeric && !text,
    text,
    mixedCase: (accepts('Word') && accepts('word')) || (accepts('A@example.com') && accepts('a@example.com')),
    severalTimes: (accepts(utc) && accepts(offset)) || accepts(local),
    time: times && !words,
    document: accepts([]) || accepts({}) || accepts(new Set()),
  };
}

/** The key type that all values of a schema have; undefined if they have none, or several. A schema without a description is probed. */
export function keyTypeOf(schema: StandardSchema): 'S' | 'N' | 'B' | undefined {
  const { values, text, number, other } = domainOf(schema);
  if (values?.some((value) => typeof value === 'boolean') === true) return undefined;
  const isKnown = text === undefined || number === undefined || !other;
  const kind = isKnown ? undefined : kindOf(schema);
  const [isText, isNumber] = [kind?.text ?? text !== undefined, kind?.numeric ?? number !== undefined];
  if (isText || isNumber) return isText && isNumber ? undefined : isText ? 'S' : 'N';
  return kind === undefined || kind.document ? undefined : 'B';
}
