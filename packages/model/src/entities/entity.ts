import type { InputOf, OutputOf, StandardSchema } from '../schema/standard-schema.ts';

/** Attribute schemas by name, by any Standard Schema library. `z.object({...}).shape` and `v.object({...}).entries` are such. */
export type AttributeSchemas = { readonly [attribute: string]: StandardSchema };

/** Rules that hold for every item of an entity. They are kept by every pattern that writes it. */
export interface EntityRules<Name extends string = string> {
  /** Optimistic locking: a number, 1 at first, raised by each write and compared before it. */
  readonly lock?: Name;
  /** Time to live: seconds since 1970. Expired items are not returned, deleted or not. */
  readonly expires?: Name;
  /** Further attributes that no two items may share, beside the primary key. */
  readonly unique?: readonly Name[];
  /** Numbers given out by a counter on a parent: `{ number: 'Repo.issueCount' }`. */
  readonly sequence?: { readonly [attribute in Name]?: `${string}.${string}` };
  /** How many items there will be, and how large one is as the service counts: what costs are estimated from. */
  readonly expects?: { readonly items?: number; readonly bytes?: number };
  /** Values for sample data, by attribute, where a generated one would say nothing. */
  readonly examples?: { readonly [attribute in Name]?: readonly unknown[] };
  /** Number of identical copies kept, for reads that outgrow one partition. Keys name them with `{copy}`. */
  readonly copies?: number;
  /**
   * Encoders up to which two values of an attribute count as one: `{ email: 'lower' }`. A pattern that asks for the one gets the items
   * that have the other, and its order is that of the encoded text.
   */
  readonly same?: { readonly [attribute in Name]?: SameEncoder | readonly SameEncoder[] };
  /** Attributes whose values follow from others of the item, whenever those are written. */
  readonly computed?: { readonly [attribute in Name]?: Computed };
  /** Attributes copied from other entities, and what happens to the copies when the source changes. */
  readonly duplicates?: { readonly [attribute in Name]?: Duplicate };
}

/** How an attribute follows from others. Decision 0082 says why only writes compute it. */
export interface Computed {
  /** The attributes that it is made of. Where one is missing, so is what is made of it. */
  readonly from: readonly string[];
  /** Its value for values of those. The same for the same, always: it is computed again by each write that changes them. */
  readonly as: (values: never) => unknown;
}

/** The same, with the types of the attributes. */
type ComputedOf<A extends AttributeSchemas> = {
  readonly [Name in keyof A]?: {
    readonly from: readonly (keyof A & string)[];
    readonly as: (values: { readonly [Source in keyof A]: NonNullable<OutputOf<A[Source]>> }) => InputOf<A[Name]>;
  };
};

/** An encoder that writes several values alike. */
export type SameEncoder = 'lower' | 'upper' | 'trim' | 'slug';

/** Where a duplicated attribute comes from and how it is kept. */
export interface Duplicate {
  /** `Author.name` */
  readonly from: `${string}.${string}`;
  /** The source never changes, the writer of the source rewrites the copies, or a stream consumer does. */
  readonly rule: 'immutable' | 'immediate' | 'stream';
  /** The pattern that finds the copies. Needed unless immutable. */
  readonly found?: string;
  /** A number that rises with every change of the source: a copy is rewritten by a newer version only. */
  readonly version?: true;
}

/** An entity: its attributes and its rules. No keys: those are section 3. */
export interface Entity<A extends AttributeSchemas = AttributeSchemas, R = EntityRules> {
  /** The attributes by name, each with its schema and what is said about it. */
  readonly attributes: A;
  /** What holds for its items: locking, lifetime, unique attributes, sequences, copies. */
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

/** Makes an intersection one flat object, which reads better in an editor. */
export type Flat<T> = { [K in keyof T]: T[K] } & {};

type Optional<A extends AttributeSchemas> = {
  [K in keyof A]: undefined extends OutputOf<A[K]> ? K : never;
}[keyof A];
type Omittable<A extends AttributeSchemas> = {
  [K in keyof A]: undefined extends InputOf<A[K]> ? K : never;
}[keyof A];
type Managed<R> =
  | (R extends { lock: infer L } ? L : never)
  | (R extends { sequence: infer S } ? keyof S : never)
  | (R extends { computed: infer C } ? keyof C : never);

/** What the application reads: all attributes, none of the keys. */
export type ItemOf<E extends Entity> = Flat<
  { [K in Exclude<keyof E['attributes'], Optional<E['attributes']>>]: OutputOf<E['attributes'][K]> } & {
    [K in Optional<E['attributes']>]?: OutputOf<E['attributes'][K]>;
  }
>;

/** What the application gives to create an item: sequence numbers, versions and what is computed come from the model. */
export type NewItemOf<E extends Entity> = Flat<
  {
    [K in Exclude<keyof E['attributes'], Omittable<E['attributes']> | Managed<E['rules']>>]: InputOf<
      E['attributes'][K]
    >;
  } & {
    [K in Exclude<Omittable<E['attributes']>, Managed<E['rules']>>]?: InputOf<E['attributes'][K]>;
  }
>;
