import type { Entities } from '../entities/entity.ts';
import type { AttributeSchemas } from '../entities/entity.ts';
import type { FaultyGuards } from './comparable.ts';
import type { Targets } from './targets.ts';
import type { Change, Condition, Constant, Guard, InputReference } from './value.ts';

/** What a read returns: one item, a page of items, or a collection by name. */
export type Reads<Name extends string> = Name | readonly [Name] | { readonly [part: string]: Name | readonly [Name] };

/** One write. Exactly one of the verbs is present. */
export interface WriteNeed<Name extends string = string, Attribute extends string = string> {
  /** Creates an item that must not exist yet; `['OrderItem']` creates several. */
  readonly creates?: Name | readonly [Name];
  /** Writes an item whether or not it exists, replacing an existing one; `['OrderItem']` writes several. */
  readonly puts?: Name | readonly [Name];
  /** Creates an item, or sets the given attributes of the existing one. */
  readonly upserts?: Name;
  /** Changes an item that must exist; `['Night']` changes several, all or none. */
  readonly updates?: Name | readonly [Name];
  /** Deletes an item; `['Comment']` deletes several, in batches. */
  readonly deletes?: Name | readonly [Name];
  /** Only checks whether an item exists and meets `given`. For transactions. */
  readonly checks?: Name;
  /** Inputs that identify the item, one for each attribute. */
  readonly by?: readonly Attribute[];
  /** Attributes set from the input. */
  readonly sets?: readonly Attribute[];
  /** Attributes that the input may set or omit. */
  readonly maySet?: readonly Attribute[];
  /** Further changes, by attribute or path: constants, inputs, `add(1)`, `include(ref('kind'))`. */
  readonly changes?: { readonly [path: string]: Constant | InputReference | Change };
  /**
   * Indexes whose keys an update rewrites even if none of their attributes changes, for items that an older version
   * of the model wrote without them.
   */
  readonly rekeys?: readonly string[];
  /** A condition that the written item must meet. */
  readonly given?: Guard;
  /** Inputs besides the attributes. */
  readonly takes?: AttributeSchemas;
  /** An update also creates the item if it does not exist. */
  readonly orCreates?: boolean;
  /** A delete fails if the item does not exist. `false` on `checks`: `given` decides, even for a missing item. */
  readonly mustExist?: boolean;
  /** Returns the item as it is afterwards or was before, for updates and deletes. */
  readonly returns?: 'new' | 'old';
  /** Creates only if there is no item, not even an expired one. On a read: also returns expired items. */
  readonly expired?: boolean;
}

/** A part of a transaction, which cannot return items. */
export interface PartNeed<Name extends string = string, Attribute extends string = string> extends WriteNeed<
  Name,
  Attribute
> {
  readonly returns?: never;
}

/**
 * An access pattern as the application needs it, without reference to keys. It determines the signature of the function that
 * serves it. How it is served is section 4.
 */
export interface Need<Name extends string = string, Attribute extends string = string> extends WriteNeed<
  Name,
  Attribute
> {
  /** The id of the pattern in a requirements document. */
  readonly id?: string;
  /** A remark for readers of the documents. */
  readonly note?: string;
  /** Who uses it: a role, a screen, a job. */
  readonly actor?: string;
  /** What it returns: `'Customer'`, `['Order']`, or `{ customer: 'Customer', orders: ['Order'] }`. */
  readonly reads?: Reads<Name>;
  /** Returns the number of items instead of the items: of `reads: ['Order']`, served by a query. */
  readonly count?: boolean;
  /** Many keys in one request: an array of inputs, with results in the same order. */
  readonly each?: boolean;
  /** Inputs whose name differs from the attribute, or that match several attributes: `{ user: ['user1', 'user2'] }`. */
  readonly aka?: { readonly [input: string]: Attribute | readonly Attribute[] };
  /**
   * Inputs of `by` or `aka` that take a list of values, with the maximum number of values. Returns the items that have any of the values,
   * each of which has its own partition:
   * `{ cell: 9 }`.
   */
  readonly among?: { readonly [input: string]: number };
  /** An attribute with an interval as input: `{ from, to, after, before, begins }`. */
  readonly range?: Attribute;
  /** Constants that all results have. A sparse index or a filter enforces them. */
  readonly where?: Condition;
  /** Attributes that the caller may filter by. */
  readonly filters?: readonly Attribute[];
  /** `'placedAt desc'`: the attribute that orders the results and its direction, independent of how the key encodes it. */
  readonly order?: `${Attribute} ${'asc' | 'desc'}`;
  /**
   * The times within which all results are, in whole units of the walk that serves the pattern, both ends included. Nothing outside
   * is read. `to` is now by default.
   */
  readonly window?: {
    readonly of: Attribute;
    /** ISO-8601, `now`, or a number of days before or after now: `now-30d`. */
    readonly from: string;
    /** The same, such as `now+7d`. */
    readonly to?: string;
  };
  /** Items per page, for the many. */
  readonly limit?: number;
  /** Only these attributes. */
  readonly attributes?: readonly Attribute[];
  /** Sees every write that was acknowledged before. Not possible on a global index. */
  readonly consistent?: boolean;
  /** Several writes, all or none, by name of the part. */
  readonly transacts?: { readonly [part: string]: PartNeed<Name, Attribute> };
  /** Expected requests per second at peak. */
  readonly rate?: number;
  /** Expected items in one answer: typical and largest. */
  readonly volume?: { readonly typical: number; readonly most?: number };
  /** Findings of `check` that the model accepts, by code, with the reason: `{ scan: 'the index holds open orders only' }`. */
  readonly accepts?: { readonly [code: string]: string };
  /**
   * Why this read is deliberately unproven: it returns the items that its keys select, whatever its inputs say about
   * their attributes. `check` marks it.
   */
  readonly unproven?: string;
  /** The strategy of the catalogue, such as `S-43`, for the decision record. */
  readonly strategy?: string;
}

/** All attribute names of all entities. */
export type AttributeName<D extends Entities> = { [N in keyof D]: keyof D[N]['attributes'] }[keyof D] & string;

type AttributesOf<D extends Entities, N> = N extends keyof D ? keyof D[N]['attributes'] : never;
type ListName = 'by' | 'sets' | 'maySet' | 'filters' | 'attributes';
type Elements<List> = List extends readonly (infer Name)[] ? Name : never;

type ConditionName = 'where' | 'given' | 'changes';
/** Paths of a condition, or of changes. Those of one that is not written out are unknown. */
type PathsOf<Condition> = string extends keyof Condition ? never : keyof Condition;
/** The attribute that a path begins with: `addresses` of `addresses.{name}`, `stops` of `stops[0].at`. */
type HeadOf<Path> = Path extends `${infer Head}.${string}` ? ListOf<Head> : ListOf<Path>;
type ListOf<Step> = Step extends `${infer List}[${string}` ? List : Step;

/** The attributes that a pattern names. Alternatives are not looked into. */
type Named<P> =
  | Elements<P[keyof P & ListName]>
  | (P extends { range: infer Name } ? Name : never)
  | { [C in keyof P & ConditionName]: HeadOf<PathsOf<P[C]>> }[keyof P & ConditionName];

/** The patterns that name an attribute that none of their entities has. Of one that is not written out, the entities are unknown. */
type FaultyNames<D extends Entities, P> = {
  [K in keyof P]: [Named<P[K]>] extends [AttributesOf<D, Targets<P[K]>> | 'any']
    ? never
    : [Targets<P[K]>] extends [never]
      ? never
      : K;
}[keyof P];

/** The same, with the transactions that have such a part. */
type FaultyNeeds<D extends Entities, P> =
  | FaultyNames<D, P>
  | {
      [K in keyof P]: P[K] extends { transacts: infer Parts }
        ? [FaultyNames<D, Parts>] extends [never]
          ? never
          : K
        : never;
    }[keyof P];

/**
 * Finds attributes in a pattern that none of its entities has, and comparisons of attributes that have no comparable values. The
 * error names them. Most models have none, so the type first checks the model as a whole.
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
        ? P[K] extends { transacts: infer Parts }
          ? { readonly transacts: { readonly [Part in keyof Parts]: CheckMembers<D, Parts[Part]> } }
          : CheckMembers<D, P[K]>
        : unknown;
    };

type CheckMembers<D extends Entities, P> = {
  readonly [M in keyof P & (ListName | ConditionName | 'range')]: M extends ConditionName
    ? CheckPaths<D, P, M>
    : CheckList<D, P, M>;
};

type CheckPaths<D extends Entities, P, M extends keyof P> = {
  readonly [Path in PathsOf<P[M]>]: CheckHead<D, P, HeadOf<Path>>;
};

type CheckHead<D extends Entities, P, Head> = Head extends AttributesOf<D, Targets<P>> | 'any'
  ? unknown
  : { readonly error: 'no such attribute'; readonly attribute: Head };

type CheckList<D extends Entities, P, M extends keyof P> = [Unknown<D, P, M>] extends [never]
  ? unknown
  : readonly { readonly error: 'no such attribute'; readonly attribute: Unknown<D, P, M> }[];

type Unknown<D extends Entities, P, M extends keyof P> = Exclude<
  M extends 'range' ? P[M] : Elements<P[M]>,
  AttributesOf<D, Targets<P>>
>;
