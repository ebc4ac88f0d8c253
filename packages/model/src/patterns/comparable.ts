import type { Entities } from '../entities/entity.ts';
import type { OutputOf, StandardSchema } from '../schema/standard-schema.ts';
import type { Targets } from './targets.ts';
import type { AttributeReference } from './value.ts';

/**
 * Which attributes a condition may compare. Decision 0081 says why it is an operand.
 */

/** The service compares only values of one type. */
type Kind<T> = T extends string
  ? 'text'
  : T extends number | bigint
    ? 'number'
    : T extends Uint8Array
      ? 'binary'
      : T extends boolean
        ? 'boolean'
        : 'other';

type KindOf<A, Name> = Name extends keyof A
  ? A[Name] extends { readonly '~coding': { readonly decode: (stored: infer Stored) => unknown } }
    ? Kind<Stored>
    : A[Name] extends StandardSchema
      ? Kind<NonNullable<OutputOf<A[Name]>>>
      : never
  : never;

/** Whether one of two attributes has values that are comparable with the other's. Not all types have an order. */
type AreComparable<A, Left, Right, Comparison> = [
  KindOf<A, Left> & KindOf<A, Right> & (Comparison extends 'equals' | 'not' ? unknown : 'text' | 'number' | 'binary'),
] extends [never]
  ? false
  : true;

/** The attributes that a condition compares with attributes of another type, or with unknown ones. Paths into documents are skipped. */
type FaultyPairs<A, G> = G extends { any: readonly (infer Each)[] }
  ? FaultyPairs<A, Each>
  : {
      [Left in keyof G & keyof A]: G[Left] extends string | number | boolean | readonly unknown[]
        ? never
        : {
            [K in keyof G[Left]]: G[Left][K] extends AttributeReference<infer Right>
              ? AreComparable<A, Left, Right, K> extends true
                ? never
                : Right
              : never;
          }[keyof G[Left]];
    }[keyof G & keyof A];

type AttributesOf<D extends Entities, N> = N extends keyof D ? D[N]['attributes'] : never;

/** The attributes that a need compares although they are not comparable. */
type FaultyGuard<D extends Entities, P> = P extends { given: infer G }
  ? FaultyPairs<AttributesOf<D, Targets<P>>, G>
  : never;

/** Finds comparisons of two attributes that no item meets, because the types differ or the entity has no such attribute. */
export type FaultyGuards<D extends Entities, P> = {
  [K in keyof P]: P[K] extends { given: unknown }
    ? [FaultyGuard<D, P[K]>] extends [never]
      ? never
      : K
    : P[K] extends { transacts: infer Parts }
      ? [{ [Part in keyof Parts]: FaultyGuard<D, Parts[Part]> }[keyof Parts]] extends [never]
        ? never
        : K
      : never;
}[keyof P];
