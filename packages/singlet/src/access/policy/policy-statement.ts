/**
 * A parsed policy: who may do what with which resources. Resource-based policies, in which every statement names principals, and identity
 * policies, in which none does, share this form.
 *
 * @see IAM User Guide, "IAM JSON policy elements reference"
 */
export interface PolicyDocument {
  /** Absent if the document has none, which means 2008-10-17. */
  readonly version?: PolicyVersion;
  readonly id?: string;
  /** At least one. */
  readonly statements: readonly PolicyStatement[];
}

export type PolicyVersion = '2008-10-17' | '2012-10-17';

export interface PolicyStatement {
  readonly sid?: string;
  readonly effect: 'Allow' | 'Deny';
  /** Absent in identity policies. */
  readonly principals?: PolicyPrincipals;
  readonly actions: PolicyPatterns;
  readonly resources: PolicyPatterns;
  /** All must hold. */
  readonly conditions: readonly PolicyCondition[];
}

/** `Action` and `Resource`, or `NotAction` and `NotResource`: patterns with `*` and `?`. */
export interface PolicyPatterns {
  /** True: everything except what matches. */
  readonly isExcluded: boolean;
  readonly patterns: readonly string[];
}

/** `Principal`, or `NotPrincipal`. */
export interface PolicyPrincipals {
  /** True: all principals except these. */
  readonly isExcluded: boolean;
  /** All principals, written as `"*"` without a kind. There are then no names. */
  readonly isEverybody: boolean;
  readonly names: readonly PolicyPrincipal[];
}

export interface PolicyPrincipal {
  readonly kind: PrincipalKind;
  /** For `AWS`: an ARN (for an account, the ARN of its root), a unique id, or `*`. */
  readonly name: string;
}

export const principalKinds = ['AWS', 'Service', 'Federated', 'CanonicalUser'] as const;

export type PrincipalKind = (typeof principalKinds)[number];

/** One key of one operator: `{ "StringEquals": { "aws:PrincipalAccount": ["1", "2"] } }`. */
export interface PolicyCondition {
  readonly operator: string;
  readonly key: string;
  /** One of them has to match. */
  readonly values: readonly (string | number | boolean)[];
}
