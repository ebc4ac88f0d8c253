import type { TextPosition } from './text-position.ts';

/** The kinds of errors in the form of a policy. */
export type PolicyProblem =
  /** The text is not JSON. */
  | { readonly kind: 'invalid-json' }
  /** A value in the wrong place. */
  | { readonly kind: 'misplaced' }
  | { readonly kind: 'missing'; readonly member: string }
  | { readonly kind: 'no-statements' }
  | { readonly kind: 'repeated-sid' }
  | { readonly kind: 'unknown-operator'; readonly operator: string }
  /** Well formed, but not allowed in a policy of this kind. */
  | { readonly kind: 'not-allowed' };

/** An invalid policy. The message says where, what is wrong, and what to write instead. */
export class PolicyError extends Error {
  readonly code = 'invalid-policy';
  readonly problem: PolicyProblem;
  /** The position in the text; line and column count from 1. */
  readonly position: TextPosition;

  /** @param advice - a sentence on what to do. */
  constructor(problem: PolicyProblem, position: TextPosition, advice: string) {
    super(`line ${position.row}, column ${position.column}: ${advice}`);
    this.name = 'PolicyError';
    this.problem = problem;
    this.position = position;
  }
}
