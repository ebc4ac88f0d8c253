/**
 * The Standard Schema interface, version 1, copied as its specification asks (https://standardschema.dev), so that zod,
 * valibot, arktype and others fit without a dependency on any of them.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The result of a validation: a value, or issues. */
export type StandardResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly StandardIssue[] };

/** One thing wrong with a value. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type a schema accepts. */
export type InputOf<S extends StandardSchema> = NonNullable<S['~standard']['types']>['input'];

/** The type a schema yields. */
export type OutputOf<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output'];
