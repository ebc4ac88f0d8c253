import type { Entities } from './entities/entity.ts';
import type { Relationship } from './entities/relationship.ts';
import type { CheckKeys, EntityKeys, EntityStorage, Keys, PlaceName, Tables } from './keys/layout.ts';
import type { AttributeName, CheckNeeds, Need } from './patterns/need.ts';
import type { Procedure, Procedures } from './patterns/procedure.ts';
import type { Served } from './patterns/served.ts';

/** Needs by name of the pattern. */
export type Needs = { readonly [pattern: string]: Need };

/** A whole model: the four sections, as data. */
export interface Model<D extends Entities = Entities, P extends Needs = Needs> {
  /** The model's name, which documents and snapshots show. */
  readonly name: string;
  /** The kinds of items, by name. */
  readonly entities: D;
  /** Which entity belongs to which, and how many of each. */
  readonly relationships: readonly Relationship[];
  /** What the application needs, by name. */
  readonly patterns: P;
  /** The procedures that the application builds from several patterns. */
  readonly procedures?: Procedures;
  /** Tables with their key attributes, indexes and streams, by name. */
  readonly tables: Tables;
  /** How each entity is keyed, by table and index. */
  readonly keys: { readonly [entity: string]: EntityKeys };
  /** How each entity is stored where that is not the default: names, types, unique attributes. */
  readonly storage: { readonly [entity: string]: EntityStorage };
  /** How each pattern is served: by a get, a query, a scan, a write. */
  readonly served: { readonly [pattern: string]: Served };
}

/**
 * A model as its sections declared it, with the names they used. A next version can be declared from these sections and its
 * additions.
 *
 * Decision 0022 explains the design.
 */
export type Declared<D extends Entities, P extends Needs, T extends Tables> = Model<D, P> & {
  readonly relationships: readonly Relationship<keyof D & string>[];
  readonly tables: T;
  readonly keys: Keys<D, T>;
  readonly storage: { readonly [N in keyof D]?: EntityStorage };
  readonly served: { readonly [N in keyof P]: Served<PlaceName<T>> };
};

/** Section 1, first half: the entities. */
export interface Begun {
  entities<const D extends Entities>(entities: D): WithEntities<D>;
}

/** Section 1, second half: their relationships. */
export interface WithEntities<D extends Entities> {
  relationships(relationships: readonly Relationship<keyof D & string>[]): WithRelationships<D>;
}

/** Section 2: what the application needs. */
export interface WithRelationships<D extends Entities> {
  patterns<const P extends { readonly [name: string]: Need<keyof D & string, AttributeName<D>> }>(
    patterns: P & CheckNeeds<D, P>,
    procedures?: { readonly [name: string]: Procedure<keyof P & string> },
  ): WithPatterns<D, P>;
}

/** Section 3, first half: tables and indexes. */
export interface WithPatterns<D extends Entities, P extends Needs> {
  tables<const T extends Tables>(tables: T): WithTables<D, P, T>;
}

/** Section 3, second half: the entity chart. */
export interface WithTables<D extends Entities, P extends Needs, T extends Tables> {
  keys<const K extends Keys<D, T>>(
    keys: K & CheckKeys<D, K>,
    storage?: { readonly [N in keyof D]?: EntityStorage },
  ): WithKeys<D, P, T>;
}

/** Section 4: how each pattern is served. */
export interface WithKeys<D extends Entities, P extends Needs, T extends Tables> {
  served(served: { readonly [N in keyof P]: Served<PlaceName<T>> }): Declared<D, P, T>;
}

/**
 * Begins a model. Call the section methods in the order below. Each section is checked against those before it:
 * `model('shop').entities({...}).relationships([...]).patterns({...}).tables({...}).keys({...}).served({...})`.
 */
export function model(name: string): Begun {
  return {
    entities: (entities) => ({
      relationships: (relationships) => ({
        patterns: (patterns, procedures = {}) => ({
          tables: (tables) => ({
            keys: (keys, storage = {}) => ({
              served: (served) =>
                ({
                  name,
                  entities,
                  relationships,
                  patterns,
                  procedures,
                  tables,
                  keys: keys as Model['keys'],
                  storage: storage as Model['storage'],
                  served,
                }) as Declared<typeof entities, typeof patterns, typeof tables>,
            }),
          }),
        }),
      }),
    }),
  };
}
