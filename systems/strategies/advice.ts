import type { Model } from '@singlet/model';
import { check } from '@singlet/model/check';

/** The choices between strategies, as questions with one answer each. */

/**
 * S-05 The key that a table needs: a composite one as soon as one pattern queries it, because a partition key alone finds one item. It
 * is read from the plans of the patterns.
 */
export function primaryKeyFor(model: Model, table: string): 'simple' | 'composite' {
  const isQueried = check(model).patterns.some(({ served }) => served?.operation === 'Query' && served.place === table);
  return isQueried ? 'composite' : 'simple';
}

export interface OneToMany {
  /** The number and size of the children have a limit. */
  readonly bounded: boolean;
  /** Patterns search for children by their own values. */
  readonly directAccess: boolean;
  /** The child needs values of its parent that never or rarely change, in at most this many copies. */
  readonly stableParentCopies?: number;
  /** The parent's collection under the primary key has no other use. */
  readonly primaryKeyFree: boolean;
  /** Levels of the hierarchy that are searched, each for everything below it. */
  readonly levelsSearched: number;
}

/** S-32 Which strategy for one-to-many. */
export function oneToManyStrategy(need: OneToMany): 'S-27' | 'S-28' | 'S-29' | 'S-30' | 'S-31' {
  if (need.levelsSearched > 2) return 'S-31';
  if (need.stableParentCopies !== undefined && need.stableParentCopies <= 1000) return 'S-28';
  if (need.bounded && !need.directAccess) return 'S-27';
  return need.primaryKeyFree ? 'S-29' : 'S-30';
}

export interface ManyToMany {
  /** What the parent needs from the others: a few facts that never change, or more. */
  readonly facts: 'few and immutable' | 'more';
  /** How often the data of the relationship changes. */
  readonly changes: 'rarely' | 'often';
  /** Kinds of relationships between the same entities. */
  readonly kinds: number;
}

/** S-38 Which strategy for many-to-many. */
export function manyToManyStrategy({ facts, changes, kinds }: ManyToMany): 'S-33' | 'S-34' | 'S-36' | 'S-37' {
  if (changes === 'often') return 'S-37';
  if (kinds > 3) return 'S-36';
  return facts === 'few and immutable' ? 'S-33' : 'S-34';
}

/** S-47 Which way to filter. */
export function filterStrategy(
  need:
    | 'first segmentation'
    | 'range in a collection'
    | 'two or more attributes'
    | 'condition over all items'
    | 'drop a few'
    | 'flexible',
  read: { readonly bytes: number } = { bytes: 0 },
): 'S-39' | 'S-40' | 'S-42' | 'S-43' | 'S-45' | 'S-46' {
  switch (need) {
    case 'first segmentation':
      return 'S-39';
    case 'range in a collection':
      return 'S-40';
    case 'two or more attributes':
      return 'S-42';
    case 'condition over all items':
      return 'S-43';
    case 'drop a few':
      return 'S-45';
    case 'flexible':
      // More than one page cannot be sent to the client: the first attribute has to become part of a key.
      return read.bytes < 1024 * 1024 ? 'S-46' : 'S-42';
  }
}
