import type { StandardSchema } from '../schema/standard-schema.ts';

/** What can be found out about a schema by asking it. */
export interface AttributeKind {
  /** Takes numbers and no text. */
  readonly numeric: boolean;
  /** Takes some text. */
  readonly text: boolean;
  /** Takes text of capital and of small letters. */
  readonly mixedCase: boolean;
  /** Takes times in one form only, or no times at all: false where the same instant can be written in several ways. */
  readonly severalTimes: boolean;
  /** Takes times and hardly any other text. */
  readonly time: boolean;
  /** Takes lists, sets or maps. */
  readonly document: boolean;
}

const utc = '2024-01-15T13:00:00Z';
const offset = '2024-01-15T10:00:00-03:00';
const local = '15/01/2024';

/**
 * Asks a schema what it accepts. Standard Schema has no description of its own to be read, so a few values are tried; a schema
 * that validates asynchronously, or accepts only values that are not among them, is taken for one that takes none of these.
 */
export function kindOf(schema: StandardSchema): AttributeKind {
  const accepts = (value: unknown): boolean => {
    try {
      const result = schema['~standard'].validate(value);
      return !(result instanceof Promise) && result.issues === undefined;
    } catch {
      return false;
    }
  };
  const numeric = accepts(1) || accepts(1_700_000_000);
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
