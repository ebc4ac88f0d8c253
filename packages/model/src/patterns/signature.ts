import type { AttributeSchemas, Entities, Flat, ItemOf, NewItemOf, Omittable } from '../entities/entity.ts';
import type { InputOf, OutputOf, StandardSchema } from '../schema/standard-schema.ts';
import type { TargetOf } from './targets.ts';

/** The position where reading continues: opaque, sealed, and valid only for the same pattern and input. */
export type Cursor = string & { readonly cursor?: never };

/** Options of a read of one. */
export interface ReadOptions {
  /** Whether the read is strongly consistent; the pattern decides by default. */
  readonly consistent?: boolean | undefined;
}

/** Options of a read of a page. */
export interface PageOptions extends ReadOptions {
  /** Where to begin: the `cursor` of the previous page. */
  readonly cursor?: Cursor | undefined;
  /** Overrides the pattern's limit. */
  readonly limit?: number | undefined;
}

/** An interval. Omitted bounds are open; `begins` is a prefix of the encoded text, such as `2020-09`. */
export interface Interval<T> {
  /** The least value, inclusive. */
  readonly from?: T | undefined;
  /** The greatest value, inclusive. */
  readonly to?: T | undefined;
  /** The least value, exclusive. */
  readonly after?: T | undefined;
  /** The greatest value, exclusive. */
  readonly before?: T | undefined;
  /** The prefix of the text. */
  readonly begins?: string | undefined;
}

/** One page. Without a `cursor` it is the last. */
export interface Page<Item> {
  /** The items, in the order of the pattern. */
  readonly items: Item[];
  /** Where the next page begins; undefined after the last. */
  readonly cursor: Cursor | undefined;
}

/** A request in the SDK's form: the operation and its input. */
export interface SdkRequest {
  /** The action's name: `Query`. */
  readonly operation: string;
  /** The input of the SDK's command. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** A write that has not been sent, for `transact` to combine with others. */
export interface WriteOperation {
  /** The pattern's name. */
  readonly pattern: string;
  /** The input of the call, as the application passed it. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** Shows what would be sent, without sending. */
interface Requests<Input> {
  /** The first request for this input, exactly as it would be sent. Several requests for patterns that need several. */
  request(input: Input, options?: PageOptions): readonly SdkRequest[];
}

/** Reads one item. */
export interface ReadOne<Input, Item> extends Requests<Input> {
  (input: Input, options?: ReadOptions): Promise<Item | undefined>;
}

/** Reads items by many keys; results are in the order of the inputs. */
export interface ReadEach<Input, Item> {
  (inputs: readonly Input[], options?: ReadOptions): Promise<(Item | undefined)[]>;
  /** The requests that a call would send, without sending them. */
  request(inputs: readonly Input[]): readonly SdkRequest[];
}

/** Reads a page of items. */
export interface ReadMany<Input, Item> extends Requests<Input> {
  (input: Input, options?: PageOptions): Promise<Page<Item>>;
  /** All pages, one item after the other. */
  each(input: Input, options?: PageOptions): AsyncIterableIterator<Item>;
}

/** Counts items over all pages, which reads every item. */
export interface ReadCount<Input> extends Requests<Input> {
  (input: Input, options?: ReadOptions): Promise<number>;
}

/** Reads an item collection, grouped by entity. */
export interface ReadCollection<Input, Parts> extends Requests<Input> {
  (input: Input, options?: PageOptions): Promise<Parts>;
}

/** Writes. */
export interface Write<Input, Result> extends Requests<Input> {
  (input: Input): Promise<Result>;
  /** The write as a part of `transact`. */
  op(input: Input): WriteOperation;
}

type Attribute<D extends Entities, N, A> = N extends keyof D
  ? A extends keyof D[N]['attributes']
    ? OutputOf<D[N]['attributes'][A]>
    : never
  : never;

type First<A> = A extends readonly (infer F)[] ? F : A;
type In<List> = List extends readonly (infer Name extends string)[] ? Name : never;

type ReadInput<D extends Entities, N, P> = keyof P & ('aka' | 'among' | 'range' | 'filters' | 'takes') extends never
  ? NamedInput<D, N, P>
  : FullReadInput<D, N, P>;

/** The input of a pattern that takes none. The type `{}` would accept any object. */
type NoInput = Readonly<Record<string, never>>;

type NamedInput<D extends Entities, N, P> = P extends { by: readonly [unknown, ...unknown[]] }
  ? { [A in In<P['by']>]: NonNullable<Attribute<D, N, A>> }
  : NoInput;

type FullReadInput<D extends Entities, N, P> = Flat<
  {
    [A in P extends { by: infer L } ? In<L> : never]: P extends { among: { [Name in A]: number } }
      ? readonly NonNullable<Attribute<D, N, A>>[]
      : NonNullable<Attribute<D, N, A>>;
  } & (P extends { aka: infer K }
    ? {
        [I in keyof K]: P extends { among: { [Name in I]: number } }
          ? readonly NonNullable<Attribute<D, N, First<K[I]>>>[]
          : NonNullable<Attribute<D, N, First<K[I]>>>;
      }
    : unknown) &
    (P extends { range: infer A extends string }
      ? { [K in A]?: Interval<NonNullable<Attribute<D, N, K>>> | undefined }
      : unknown) &
    (P extends { filters: infer L } ? { [A in In<L>]?: Attribute<D, N, A> | undefined } : unknown) &
    TakenInput<P>
>;

type Chosen<Item, P> = P extends { attributes: infer L } ? Flat<Pick<Item, In<L> & keyof Item>> : Item;

type Result<D extends Entities, N, P> = N extends keyof D ? Chosen<ItemOf<D[N]>, P> : never;

type ReadSignature<D extends Entities, P, R> = R extends string
  ? P extends { each: true }
    ? ReadEach<ReadInput<D, R, P>, Result<D, R, P>>
    : ReadOne<ReadInput<D, R, P>, Result<D, R, P>>
  : R extends readonly [infer N]
    ? P extends { count: true }
      ? ReadCount<ReadInput<D, N, P>>
      : ReadMany<ReadInput<D, N, P>, Result<D, N, P>>
    : ReadCollection<
        ReadInput<D, TargetOf<R>, P>,
        Flat<
          {
            [K in keyof R]: R[K] extends readonly [infer N] ? Result<D, N, P>[] : Result<D, R[K], P> | undefined;
          } & { cursor: Cursor | undefined }
        >
      >;

type Lock<D extends Entities, N> = N extends keyof D
  ? D[N]['rules'] extends { lock: infer L extends string }
    ? L
    : never
  : never;

/**
 * What a caller gives for an attribute, which its schema checks: what the schema takes, or what it yields if it says nothing of that.
 * Undefined removes the attribute. A default does not fill in for it, which would replace a stored value by mistake.
 */
type Given<S extends StandardSchema> =
  unknown extends InputOf<S>
    ? OutputOf<S>
    : undefined extends OutputOf<S>
      ? InputOf<S>
      : Exclude<InputOf<S>, undefined>;

type GivenAttribute<D extends Entities, N, A> = N extends keyof D
  ? A extends keyof D[N]['attributes']
    ? Given<D[N]['attributes'][A]>
    : never
  : never;

type ChangeInput<D extends Entities, N, P> = Flat<
  {
    [A in (P extends { by: infer L } ? In<L> : never) | Lock<D, N>]: NonNullable<Attribute<D, N, A>>;
  } & (P extends { sets: infer L } ? { [A in In<L>]: GivenAttribute<D, N, A> } : unknown) &
    (P extends { maySet: infer L } ? { [A in In<L>]?: GivenAttribute<D, N, A> } : unknown) &
    TakenInput<P>
>;

/** An input that has no default is required, whatever its schema says: what refers to it needs a value. */
type TakenInput<P> = P extends { takes: infer T extends AttributeSchemas }
  ? { [K in Exclude<keyof T, Defaulted<T>>]: Exclude<Given<T[K]>, undefined> } & {
      [K in Defaulted<T>]?: Given<T[K]>;
    }
  : unknown;

type Defaulted<T extends AttributeSchemas> = {
  [K in Omittable<T>]: undefined extends OutputOf<T[K]> ? never : K;
}[Omittable<T>];

type WriteInput<D extends Entities, P> = P extends { creates: infer N } | { puts: infer N }
  ? N extends keyof D
    ? NewItemOf<D[N]> & TakenInput<P>
    : N extends readonly [infer M extends keyof D]
      ? readonly (NewItemOf<D[M]> & TakenInput<P>)[]
      : never
  : P extends { upserts: infer N extends keyof D }
    ? NewItemOf<D[N]> & TakenInput<P>
    : P extends { updates: infer N } | { deletes: infer N } | { checks: infer N }
      ? N extends readonly [infer M]
        ? readonly ChangeInput<D, M, P>[]
        : ChangeInput<D, N, P>
      : never;

type WriteResult<D extends Entities, P> = P extends { creates: infer N } | { puts: infer N }
  ? N extends keyof D
    ? ItemOf<D[N]>
    : N extends readonly [infer M extends keyof D]
      ? ItemOf<D[M]>[]
      : never
  : P extends { updates: infer N; returns: 'new' }
    ? N extends keyof D
      ? ItemOf<D[N]>
      : never
    : P extends { updates: infer N; returns: 'old' } | { deletes: infer N; returns: 'old' }
      ? N extends keyof D
        ? ItemOf<D[N]> | undefined
        : never
      : void;

/** The function that serves a pattern. */
export type Signature<D extends Entities, P> = P extends { reads: infer R }
  ? ReadSignature<D, P, R>
  : P extends { transacts: infer Parts }
    ? Write<Flat<{ [K in keyof Parts]: WriteInput<D, Parts[K]> }>, void>
    : Write<WriteInput<D, P>, WriteResult<D, P>>;
