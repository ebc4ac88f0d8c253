/** How many of one belong to how many of the other. */
export type Cardinality = '1:1' | '1:N' | 'N:M';

/** What the model does whenever a child of a relationship is created, moved or deleted. */
export interface RelationshipRules {
  /** A child is created only if its parent exists. */
  readonly required?: boolean;
  /** Attribute of the parent with the number of its children, kept in the same transaction. */
  readonly count?: string;
  /**
   * Attributes of the parent, each with the children's attribute whose sum it is, kept in the same transaction. Decision 0091
   * says why there is no minimum or maximum.
   */
  readonly sum?: { readonly [parentAttribute: string]: string };
  /** Which attribute of the child refers to which of the parent, if names differ: `{ owner: 'originalOwner' }`. */
  readonly by?: { readonly [parentAttribute: string]: string };
  /** The entity whose items represent the relationship, for N:M. It is the child that the other rules are about. */
  readonly through?: string;
}

/** `['Customer', '1:N', 'Order', { required: true }]`: parent, cardinality, child. */
export type Relationship<Name extends string = string> =
  | readonly [parent: Name, cardinality: Cardinality, child: Name]
  | readonly [parent: Name, cardinality: Cardinality, child: Name, rules: RelationshipRules];

/** The entity whose items refer to the parent: the child, or the one between them. */
export function childOf([, , child, rules]: Relationship): string {
  return rules?.through ?? child;
}
