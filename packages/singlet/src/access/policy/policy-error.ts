import type { TextPosition } from './text-position.ts';

/** What is wrong with the form of a policy. */
export type PolicyProblem =
  /** The text is not JSON. */
  | { readonly kind: 'invalid-json' }
  /** A value that cannot be where it is. */
  | { readonly kind: 'misplaced' }
  | { readonly kind: 'missing'; readonly member: string }
  | { readonly kind: 'no-statements' }
  | { readonly kind: 'repeated-sid' }
  | { readonly kind: 'unknown-operator'; readonly operator: string }
  /** Well formed, and not allowed in a policy of its kind. */
  | { readonly kind: 'not-allowed' };

/** A text that is no policy. The message says where, what is wrong, and what to write instead. */
export class PolicyError extends Error {
  readonly code = 'invalid-policy';
  readonly problem: PolicyProblem;
  /** Where in the text; both count from 1. */
  readonly position: TextPosition;

  /** @param advice - a sentence on what to do. */
  constructor(problem: PolicyProblem, position: TextPosition, advice: string) {
    super(`line ${position.row}, column ${position.column}: ${advice}`);
    this.name = 'PolicyError';
    this.problem = problem;
    this.position = position;
  }
}
