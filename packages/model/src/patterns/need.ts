import type { Entities } from '../entities/entity.ts';
import type { AttributeSchemas } from '../entities/entity.ts';
import type { FaultyGuards } from './comparable.ts';
import type { Targets } from './targets.ts';
import type { Change, Condition, Constant, Guard, InputReference } from './value.ts';

/** What a read gives: one item, a page of items, or a collection by name. */
export type Reads<Name extends string> = Name | readonly [Name] | { readonly [part: string]: Name | readonly [Name] };

/** One write. Exactly one of the verbs is present. */
export interface WriteNeed<Name extends string = string, Attribute extends string = string> {
  /** Creates an item that must not exist; `['OrderItem']` creates several. */
  readonly creates?: Name | readonly [Name];
  /** Writes an item whether or not it exists, replacing it; `['OrderItem']` writes several. */
  readonly puts?: Name | readonly [Name];
  /** Creates an item, or sets the given attributes of the one there is. */
  readonly upserts?: Name;
  /** Changes an item that must exist; `['Night']` changes several, all or none. */
  readonly updates?: Name | readonly [Name];
  /** Deletes an item; `['Comment']` deletes several, in batches. */
  readonly deletes?: Name | readonly [Name];
  /** Only looks whether an item exists and meets `given`. For transactions. */
  readonly checks?: Name;
  /** Inputs that name the item: an attribute each. */
  readonly by?: readonly Attribute[];
  /** Attributes set from the input. */
  readonly sets?: readonly Attribute[];
  /** Attributes that the input may set or leave. */
  readonly maySet?: readonly Attribute[];
  /** Further changes, by attribute or path: constants, inputs, `add(1)`, `include(ref('kind'))`. */
  readonly changes?: { readonly [path: string]: Constant | InputReference | Change };
  /**
   * Indexes whose keys an update writes again although nothing changes that they are made of: for items that an older version
   * of the model wrote without them.
   */
  readonly rekeys?: readonly string[];
  /** What must hold for the item that is written. */
  readonly given?: Guard;
  /** Inputs beside the attributes. */
  readonly takes?: AttributeSchemas;
  /** An update also creates the item where there is none. */
  readonly orCreates?: boolean;
  /** A delete fails where there is no item. `false` on `checks`: `given` decides, also about an item that is not there. */
  readonly mustExist?: boolean;
  /** The item as it is afterwards or was before, for updates and deletes. */
  readonly returns?: 'new' | 'old';
  /** Creates only where there is no item, not even one whose time has passed. On a read: such items come, too. */
  readonly expired?: boolean;
}

/** A part of a transaction, whose answer has no place for items. */
export interface PartNeed<Name extends string = string, Attribute extends string = string> extends WriteNeed<
  Name,
  Attribute
> {
  readonly returns?: never;
}

/**
 * An access pattern as the application needs it, before any key is thought of. It decides the signature of the function that
 * serves it; how it is served is section 4.
 */
export interface Need<Name extends string = string, Attribute extends string = string> extends WriteNeed<
  Name,
  Attribute
> {
  /** The id of the pattern in a requirements document. */
  readonly id?: string;
  /** A remark for readers of the documents. */
  readonly note?: string;
  /** Who asks: a role, a screen, a job. */
  readonly actor?: string;
  /** What comes back: `'Customer'`, `['Order']`, or `{ customer: 'Customer', orders: ['Order'] }`. */
  readonly reads?: Reads<Name>;
  /** How many there are, instead of the items: of `reads: ['Order']`, served by a query. */
  readonly count?: boolean;
  /** Many keys in one request: an array of inputs, results in their order. */
  readonly each?: boolean;
  /** Inputs that go by another name than the attribute, or that match several: `{ user: ['user1', 'user2'] }`. */
  readonly aka?: { readonly [input: string]: Attribute | readonly Attribute[] };
  /**
   * Inputs of `by` that are a list of values: the items that have any of them, from a partition each. With how many there may be:
   * `{ cell: 9 }`.
   */
  readonly among?: { readonly [input: string]: number };
  /** An attribute with an interval as input: `{ from, to, after, before, begins }`. */
  readonly range?: Attribute;
  /** Constants that all results have. A sparse index or a filter serves them. */
  readonly where?: Condition;
  /** Attributes that the caller may filter by. */
  readonly filters?: readonly Attribute[];
  /** `'placedAt desc'`: the attribute that orders the results and its direction, however the key writes it. */
  readonly order?: `${Attribute} ${'asc' | 'desc'}`;
  /**
   * The times within which all results lie, in whole units of the walk that serves the pattern, both ends included: what is outside
   * is not asked for. `to` is now by default.
   */
  readonly window?: {
    readonly of: Attribute;
    /** ISO-8601. */
    readonly from: string;
    /** ISO-8601, `now`, or a number of days from now: `now+7d`. */
    readonly to?: string;
  };
  /** Items per page, of the many. */
  readonly limit?: number;
  /** Only these attributes. */
  readonly attributes?: readonly Attribute[];
  /** Sees every write that was acknowledged before. Never on a global index. */
  readonly consistent?: boolean;
  /** Several writes, all or none, by name of the part. */
  readonly transacts?: { readonly [part: string]: PartNeed<Name, Attribute> };
  /** Expected requests per second at peak. */
  readonly rate?: number;
  /** Expected items in one answer: typical and largest. */
  readonly volume?: { readonly typical: number; readonly most?: number };
  /** Findings of `check` that are meant, by code, with the reason: `{ scan: 'the index holds open orders only' }`. */
  readonly accepts?: { readonly [code: string]: string };
  /**
   * Why nothing is proven of this read, and nothing shall be: the items are those that its keys select, whatever its inputs say of
   * their attributes. `check` marks it.
   */
  readonly unproven?: string;
  /** The strategy of the catalogue, such as `S-43`, for the decision record. */
  readonly strategy?: string;
}

/** All attribute names of all entities. */
export type AttributeName<D extends Entities> = { [N in keyof D]: keyof D[N]['attributes'] }[keyof D] & string;

type AttributesOf<D extends Entities, N> = N extends keyof D ? keyof D[N]['attributes'] : never;
type Named<P> = P extends { by: readonly (infer B)[] } ? B : never;

/** The patterns with an input that none of their entities has. */
type FaultyNeeds<D extends Entities, P> = {
  [K in keyof P]: P[K] extends { by: readonly (infer B)[] }
    ? [B] extends [AttributesOf<D, Targets<P[K]>>]
      ? never
      : K
    : never;
}[keyof P];

/**
 * Finds inputs of a pattern that none of its entities has, and comparisons of attributes that have no comparable values. The error shows
 * the name. Most models have none: looked at as a whole first.
 */
export type CheckNeeds<D extends Entities, P> = CheckNames<D, P> & CheckGuards<D, P>;

type CheckGuards<D extends Entities, P> = [FaultyGuards<D, P>] extends [never]
  ? unknown
  : {
      readonly [K in keyof P]: K extends FaultyGuards<D, P>
        ? { readonly given: { readonly error: 'compares attributes that have no comparable values' } }
        : unknown;
    };

type CheckNames<D extends Entities, P> = [FaultyNeeds<D, P>] extends [never]
  ? unknown
  : {
      readonly [K in keyof P]: K extends FaultyNeeds<D, P>
        ? {
            readonly by: readonly {
              readonly error: 'no such attribute';
              readonly attribute: Exclude<Named<P[K]>, AttributesOf<D, Targets<P[K]>>>;
            }[];
          }
        : unknown;
    };
