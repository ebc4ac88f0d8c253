import type { InputOf, OutputOf, StandardSchema } from '../schema/standard-schema.ts';

/** How the application has what is stored: a pair of functions, each of which undoes the other. */
export interface Coding<Stored = unknown, Value = unknown> {
  /** The value that the application has, of what is stored. */
  readonly decode: (stored: Stored) => Value;
  /** What is stored of a value. The same for the same: keys are made of it. */
  readonly encode: (value: Value) => Stored;
}

/** What a schema says of there being no value, which no coding sees. */
type Absent<Value> = Extract<Value, undefined | null>;

/**
 * A schema for an attribute that the application has in another form than the one that is stored: `codec(z.iso.datetime({ precision: 3 }),
 * { decode: (text) => new Date(text), encode: (date: Date) => date.toISOString() })`. A codec of zod is such a pair.
 *
 * @param stored - what is stored: keys, conditions and proofs are about it. What is optional or has a default says so here.
 */
export function codec<S extends StandardSchema, Value>(
  stored: S,
  coding: {
    readonly decode: (stored: NonNullable<OutputOf<S>>) => Value;
    readonly encode: (value: Value) => NonNullable<InputOf<S>>;
  },
): StandardSchema<Value | Absent<InputOf<S>>, Value | Absent<OutputOf<S>>> {
  // Whatever asks a schema what it takes gets the answer of what is stored; `run/coded.ts` turns what callers give and get.
  return Object.create(stored, { '~coding': { value: coding } }) as StandardSchema<Value>;
}

/** The coding of a schema, where it has one. */
export function codingOf(schema: StandardSchema): Coding | undefined {
  return (schema as { readonly '~coding'?: Coding })['~coding'];
}
