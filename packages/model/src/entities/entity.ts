import type { InputOf, OutputOf, StandardSchema } from '../schema/standard-schema.ts';

/** Attribute schemas by name, from any Standard Schema library. `z.object({...}).shape` and `v.object({...}).entries` are examples. */
export type AttributeSchemas = { readonly [attribute: string]: StandardSchema };

/** Rules that hold for every item of an entity. Every pattern that writes it keeps them. */
export interface EntityRules<Name extends string = string> {
  /** Optimistic locking: a number that starts at 1. Each write compares it first and then increments it. */
  readonly lock?: Name;
  /** Time to live: seconds since 1970. Expired items are not returned, even if they have not been deleted yet. */
  readonly expires?: Name;
  /** Further attributes whose value no two items may share, besides the primary key. */
  readonly unique?: readonly Name[];
  /**
   * Attributes whose values are generated so that no two items ever have the same: a KSUID, a ULID, a UUID. Nothing checks it, and `check` and
   * `prove` rely on it.
   */
  readonly generated?: readonly Name[];
  /** Numbers given out by a counter on a parent: `{ number: 'Repo.issueCount' }`. */
  readonly sequence?: { readonly [attribute in Name]?: `${string}.${string}` };
  /** How many items there will be, and the size of one as the service counts it. Cost estimates use it. */
  readonly expects?: { readonly items?: number; readonly bytes?: number };
  /** Values for sample data, by attribute, for attributes whose generated values would not be meaningful. */
  readonly examples?: { readonly [attribute in Name]?: readonly unknown[] };
  /** Number of identical copies kept, for read load that exceeds one partition. Keys name them with `{copy}`. */
  readonly copies?: number;
  /**
   * Encoders under which two values of an attribute count as equal: `{ email: 'lower' }`. A pattern that requests one value also gets the
   * items with the other, and its order is that of the encoded text.
   */
  readonly same?: { readonly [attribute in Name]?: SameEncoder | readonly SameEncoder[] };
  /** Attributes whose values are computed from others of the item, whenever those are written. */
  readonly computed?: { readonly [attribute in Name]?: Computed };
  /** Attributes copied from other entities, and what happens to the copies when the source changes. */
  readonly duplicates?: { readonly [attribute in Name]?: Duplicate };
}

/** How an attribute is computed from others. Decision 0082 says why only writes compute it. */
export interface Computed {
  /** The attributes that it is computed from. If one of them is missing, so is the computed one. */
  readonly from: readonly string[];
  /** Computes its value from theirs. It must be deterministic, because each write that changes them computes it again. */
  readonly as: (values: never) => unknown;
}

/** The same, with the types of the attributes. */
type ComputedOf<A extends AttributeSchemas> = {
  readonly [Name in keyof A]?: {
    readonly from: readonly (keyof A & string)[];
    readonly as: (values: { readonly [Source in keyof A]: NonNullable<OutputOf<A[Source]>> }) => InputOf<A[Name]>;
  };
};

/** An encoder that writes several values as the same text. */
export type SameEncoder = 'lower' | 'upper' | 'trim' | 'slug';

/** Where a duplicated attribute comes from and how it is kept up to date. */
export interface Duplicate {
  /** `Author.name` */
  readonly from: `${string}.${string}`;
  /** Either the source never changes, or the writer of the source rewrites the copies, or a stream consumer does. */
  readonly rule: 'immutable' | 'immediate' | 'stream';
  /** The pattern that finds the copies. Required unless immutable. */
  readonly found?: string;
  /** A number that increases with every change of the source: only a newer version may overwrite a copy. */
  readonly version?: true;
}

/** An entity: its attributes and its rules, but not its keys, which are in section 3. */
export interface Entity<A extends AttributeSchemas = AttributeSchemas, R = EntityRules> {
  /** The attributes by name, each with its schema. */
  readonly attributes: A;
  /** The rules for its items: locking, lifetime, unique attributes, sequences, copies. */
  readonly rules: R;
}

/**
 * Declares an entity.
 *
 * @param attributes - a Standard Schema for each attribute; a schema that yields undefined makes the attribute optional.
 */
export function entity<const A extends AttributeSchemas, const R extends EntityRules<keyof A & string> = {}>(
  attributes: A,
  rules?: R & { readonly computed?: ComputedOf<A> },
): Entity<A, R> {
  return { attributes, rules: (rules ?? {}) as R };
}

/** Entities by name. */
export type Entities = { readonly [name: string]: Entity };

/** Turns an intersection into one flat object, which editors show better. */
export type Flat<T> = { [K in keyof T]: T[K] } & {};

type Optional<A extends AttributeSchemas> = {
  [K in keyof A]: undefined extends OutputOf<A[K]> ? K : never;
}[keyof A];
/** The attributes that an input may omit. A schema that takes anything, such as `z.coerce.number()`, does not say whether it takes undefined. */
export type Omittable<A extends AttributeSchemas> = {
  [K in keyof A]: undefined extends InputOf<A[K]>
    ? unknown extends InputOf<A[K]>
      ? undefined extends OutputOf<A[K]>
        ? K
        : never
      : K
    : never;
}[keyof A];
type Managed<R> =
  | (R extends { lock: infer L } ? L : never)
  | (R extends { sequence: infer S } ? keyof S : never)
  | (R extends { computed: infer C } ? keyof C : never);

/** What the application reads: all attributes, without keys. */
export type ItemOf<E extends Entity> = Flat<
  { [K in Exclude<keyof E['attributes'], Optional<E['attributes']>>]: OutputOf<E['attributes'][K]> } & {
    [K in Optional<E['attributes']>]?: OutputOf<E['attributes'][K]>;
  }
>;

/** What the application supplies to create an item. Sequence numbers, versions and computed attributes come from the model. */
export type NewItemOf<E extends Entity> = Flat<
  {
    [K in Exclude<keyof E['attributes'], Omittable<E['attributes']> | Managed<E['rules']>>]: InputOf<
      E['attributes'][K]
    >;
  } & {
    [K in Exclude<Omittable<E['attributes']>, Managed<E['rules']>>]?: InputOf<E['attributes'][K]>;
  }
>;
