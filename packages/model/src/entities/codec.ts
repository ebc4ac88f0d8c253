import type { InputOf, OutputOf, StandardSchema } from '../schema/standard-schema.ts';

/** How the application represents a stored value: a pair of functions, each of which undoes the other. */
export interface Coding<Stored = unknown, Value = unknown> {
  /** The application's value for a stored one. */
  readonly decode: (stored: Stored) => Value;
  /** The stored value. It must be the same for the same input, because keys are made of it. */
  readonly encode: (value: Value) => Stored;
}

/** A schema of values that the application has in another form than the stored one, which conditions compare. */
export interface CodedSchema<Stored, Value, Input = Value, Output = Input> extends StandardSchema<Input, Output> {
  /** Converts between the two forms. */
  readonly '~coding': Coding<Stored, Value>;
}

/** How a schema handles a missing value, which never reaches a codec. */
type Absent<Value> = Extract<Value, undefined | null>;

/**
 * A schema for an attribute that the application has in another form than the stored one: `codec(z.iso.datetime({ precision: 3 }),
 * { decode: (text) => new Date(text), encode: (date: Date) => date.toISOString() })`. A codec of zod is such a pair.
 *
 * @param stored - the schema of the stored value: keys, conditions and proofs refer to it. State here if it is optional or has a default.
 */
export function codec<S extends StandardSchema, Value>(
  stored: S,
  coding: {
    readonly decode: (stored: NonNullable<OutputOf<S>>) => Value;
    readonly encode: (value: Value) => NonNullable<InputOf<S>>;
  },
): CodedSchema<NonNullable<OutputOf<S>>, Value, Value | Absent<InputOf<S>>, Value | Absent<OutputOf<S>>> {
  // Code that queries a schema gets the answer for the stored value; `run/coded.ts` converts what callers pass and receive.
  return Object.create(stored, { '~coding': { value: coding } }) as ReturnType<typeof codec<S, Value>>;
}

/** The schema of the stored value, as its library made it: some libraries describe only their own objects. */
export function storedSchema(schema: StandardSchema): StandardSchema {
  return codingOf(schema) === undefined ? schema : (Object.getPrototypeOf(schema) as StandardSchema); // as `codec` made it
}

/** The codec of a schema, if it has one. */
export function codingOf(schema: StandardSchema): Coding | undefined {
  return (schema as { readonly '~coding'?: Coding })['~coding'];
}
