import type { Entities } from '../entities/entity.ts';
import type { Condition } from '../patterns/value.ts';
import type { EncoderName } from './encoders.ts';

/** An attribute that is part of a key: `'PK'` is text; `'at:N'` a number, `'data:B'` binary. */
export type KeyAttribute = string;

/** An index: its key attributes, or an object with these and further settings. */
export type IndexLayout =
  | readonly [partition: KeyAttribute]
  | readonly [partition: KeyAttribute, sort: KeyAttribute]
  | {
      /** Global: up to four attributes each. */
      readonly partition?: readonly KeyAttribute[];
      readonly sort?: readonly KeyAttribute[];
      /** Local: the sort key beside the table's partition key. */
      readonly local?: KeyAttribute;
      /** Attributes that the index holds besides the keys; all by default. */
      readonly project?: 'ALL' | 'KEYS_ONLY' | readonly string[];
    };

/** A table: its key, its indexes and the settings that all its items share. */
export interface TableLayout {
  readonly key: readonly [partition: KeyAttribute] | readonly [partition: KeyAttribute, sort: KeyAttribute];
  readonly indexes?: { readonly [name: string]: IndexLayout };
  /** The attribute with the entity's name on every item. `Type` by default; `false` in a table of one entity that needs no type. */
  readonly type?: string | false;
  /** The character between the parts of a key, which values must not contain. `#` by default. */
  readonly separator?: string;
  /**
   * The attribute with an item's tenant. Every entity of the table has it. Its keys in the table and in each index begin with it, and so do
   * the keys of guards. No request can reach items of two tenants, and a policy can restrict a session to one.
   */
  readonly tenant?: string;
  /** Findings of `check` that the model accepts, by code, with the reason. */
  readonly accepts?: { readonly [code: string]: string };
  readonly stream?: 'KEYS_ONLY' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES';
}

/** Tables by name. */
export type Tables = { readonly [name: string]: TableLayout };

/** Templates for the attributes of one key, in their order: partition key, then sort key. */
export type KeyTemplates = readonly string[];

/** Templates that apply while a condition on the item holds. */
export interface ConditionalKey {
  readonly when: Condition;
  readonly key: KeyTemplates;
}

/** The keys of one entity: its row in the entity chart. The first is its table's, the others are those of that table's indexes. */
export type EntityKeys = {
  readonly [tableOrIndex: string]: KeyTemplates | ConditionalKey | readonly ConditionalKey[];
};

/** Settings that concern only the storage of an entity. */
export interface EntityStorage {
  /** Stored names of attributes that differ: `{ username: 'u' }`. */
  readonly stored?: { readonly [attribute: string]: string };
  /** Findings of `check` about the entity and its keys that the model accepts, by code, with the reason. */
  readonly accepts?: { readonly [code: string]: string };
  /** The value of the type attribute, if it differs from the entity's name. */
  readonly type?: string;
  /** The items that guard unique attributes: table key templates and type. */
  readonly unique?: { readonly [attribute: string]: { readonly key: KeyTemplates; readonly type?: string } };
}

/** Names of tables and indexes. */
export type PlaceName<T extends Tables> = (keyof T | { [N in keyof T]: IndexName<T[N]> }[keyof T]) & string;
type IndexName<T extends TableLayout> = T extends { indexes: infer I } ? keyof I : never;

/** Keys of all entities, by table and index. */
export type Keys<D extends Entities, T extends Tables> = {
  readonly [N in keyof D]: { readonly [P in PlaceName<T>]?: EntityKeys[string] };
};

type Variables<S> = S extends `${string}{${infer V}}${infer Rest}` ? V | Variables<Rest> : never;
type NameIn<V> = V extends `${infer N}:${string}` ? N : V;
type EncodersIn<V> = V extends `${string}:${infer E}` ? Split<E> : never;
type Split<E> = E extends `${infer A}:${infer B}` ? A | Split<B> : E;

type TemplateError<A, S> =
  NameIn<Variables<S>> extends keyof A | 'copy'
    ? EncodersIn<Variables<S>> extends EncoderName
      ? unknown
      : { readonly error: `no encoder "${Exclude<EncodersIn<Variables<S>>, EncoderName> & string}"` }
    : { readonly error: `no attribute "${Exclude<NameIn<Variables<S>>, keyof A | 'copy'> & string}"` };

type CheckTemplates<A, L> = L extends readonly string[]
  ? { readonly [I in keyof L]: TemplateError<A, L[I]> }
  : L extends { readonly key: infer K }
    ? { readonly key: CheckTemplates<A, K>; readonly when: unknown }
    : L extends readonly unknown[]
      ? { readonly [I in keyof L]: CheckTemplates<A, L[I]> }
      : unknown;

/** Texts of all templates in a key of an entity. */
type TemplatesIn<L> = L extends readonly (infer S extends string)[]
  ? S
  : L extends { readonly key: infer K }
    ? TemplatesIn<K>
    : L extends readonly (infer F)[]
      ? TemplatesIn<F>
      : never;

/** The entities with an error in any key. */
type FaultyKeys<D extends Entities, K> = {
  [N in keyof K]: N extends keyof D
    ? IsRight<D[N]['attributes'], Variables<TemplatesIn<K[N][keyof K[N]]>>> extends true
      ? never
      : N
    : N;
}[keyof K];

type IsRight<A, V> = [NameIn<V>] extends [keyof A | 'copy']
  ? [EncodersIn<V>] extends [EncoderName]
    ? true
    : false
  : false;

/**
 * Finds variables that the entity does not have, and encoders that do not exist. The error names them. Most models have neither, so
 * the type first checks the model as a whole.
 */
export type CheckKeys<D extends Entities, K> = [FaultyKeys<D, K>] extends [never]
  ? unknown
  : {
      readonly [N in keyof K]: N extends keyof D
        ? { readonly [P in keyof K[N]]: CheckTemplates<D[N]['attributes'], K[N][P]> }
        : 'no such entity';
    };
